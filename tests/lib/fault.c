#include "lib/fault.h"

#include <stdio.h>

/* Judge one run; "" or what is wrong with it. */
static void judge(const test_guard *g, snug_status status, bool has_message, char *out,
                  size_t bytes) {
  const char *what = "";
  if (*g->problem) {
    what = g->problem;
  } else if (status != SNUG_OK && status != SNUG_E_MEMORY) {
    what = snug_status_text(status);
  } else if (status != SNUG_OK && g->n_refused == 0) {
    what = "failed although nothing was refused";
  } else if (status != SNUG_OK && !has_message) {
    what = "failed without a message";
  }
  snprintf(out, bytes, "%s", what);
  if (*what) {
    snprintf(out, bytes, "refusing request #%lld%s: %s (returned %d)", (long long)g->fail_at,
             g->fail_later_too ? " and all later ones" : "", what, (int)status);
  }
}

/* One run with a failure at `at`; returns whether something was refused. */
static bool run_once(test_scenario scenario, void *arg, int64_t at, bool persistent, char *problem,
                     size_t bytes) {
  test_guard g;
  test_guard_init(&g);
  snug_options options = SNUG_INIT(snug_options);
  options.allocator = &g.allocator;
  snug_ctx *ctx = NULL;
  snug_status status = snug_ctx_create(&options, &ctx);
  bool has_message = true;
  if (!status) {
    g.fail_at = g.n_requests + at; /* the context itself is not part of the scenario */
    g.fail_later_too = persistent;
    status = scenario(ctx, arg);
    has_message = *snug_message(ctx) != 0;
    snug_ctx_destroy(ctx);
  }
  test_guard_finish(&g);
  g.fail_at = at;
  judge(&g, status, has_message, problem, bytes);
  return g.n_refused > 0;
}

int64_t test_fault_find(test_scenario scenario, void *arg, int64_t stride, char *problem,
                        size_t bytes) {
  int64_t runs = 0;
  bool refused = true;
  problem[0] = 0;
  for (int64_t at = 0; refused; at += at < stride ? 1 : stride) {
    for (int persistent = 0; persistent < 2; persistent++) {
      refused = run_once(scenario, arg, at, persistent, problem, bytes);
      runs++;
      if (problem[0]) {
        return runs;
      }
    }
  }
  return runs;
}

void test_fault_sweep_stride(test_scenario scenario, void *arg, int64_t stride) {
  char problem[768];
  int64_t runs = test_fault_find(scenario, arg, stride, problem, sizeof problem);
  if (*problem) {
    test_fail(__FILE__, __LINE__, "%s", problem);
  }
  printf("             fault sweep: %lld runs\n", (long long)runs);
}

void test_fault_sweep(test_scenario scenario, void *arg) {
  test_fault_sweep_stride(scenario, arg, 1);
}
