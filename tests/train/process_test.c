/* The whole process is predicted before step 1: never below what it comes to, and not far above. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "train/nets.h"

#define MIB 1048576ull

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* What a fit of a net was predicted and measured at, in a process of its own, on the allocator that
 * programs have. */
typedef struct figures {
  snug_memory_report plan, fit;
  uint64_t peak;
  bool ok;
} figures;

static bool fit_in_child(const net *n, figures *out) {
  const snug_options whole = {.struct_size = sizeof whole, .whole_process = true};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_history *history = NULL;
  snug_plan *plan = NULL;
  snug_ctx *ctx = NULL;
  snug__process now;
  toy t;
  o.batch_size = n->batch;
  o.epochs = 2;
  o.validation_split = 0.3;
  net_data(n, &t);
  bool ok = snug_ctx_create(&whole, &ctx) == SNUG_OK;
  snug_model *m = ok ? net_model(ctx, n, "adam") : NULL;
  ok = m && snug_plan_fit(m, &t.data, &o, &plan) == SNUG_OK;
  out->plan = out->fit = (snug_memory_report)SNUG_INIT(snug_memory_report);
  snug_plan_memory(plan, &out->plan);
  snug_plan_destroy(plan);
  ok = ok && snug_fit(m, &t.data, &o, &history) == SNUG_OK && snug__process_read("", &now);
  snug_history_memory(history, &out->fit);
  out->peak = ok ? now.peak : 0;
  return ok;
}

static void in_child(const net *n, figures *out) {
  int ends[2];
  ASSERT_EQ_INT(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  ASSERT_TRUE(child >= 0);
  if (child == 0) {
    figures f = {0};
    f.ok = fit_in_child(n, &f);
    _exit(write(ends[1], &f, sizeof f) == (ssize_t)sizeof f ? 0 : 1);
  }
  close(ends[1]);
  ssize_t got = read(ends[0], out, sizeof *out);
  close(ends[0]);
  ASSERT_TRUE(waitpid(child, NULL, 0) == child);
  ASSERT_EQ_INT(got, (ssize_t)sizeof *out);
}

static void expect_close(const char *name, const snug_memory_report *r, uint64_t peak) {
  printf("%s: process %llu, measured %llu, over %lld KiB\n", name, (unsigned long long)r->process,
         (unsigned long long)peak, ((long long)r->process - (long long)peak) / 1024);
  ASSERT_TRUE(r->process >= peak);
  ASSERT_TRUE(r->process - peak <= r->tables + most(MIB, peak / 100)); /* the peak is without */
  ASSERT_EQ_UINT(r->planned + r->code + r->outside + r->tables + r->reserve, r->process);
}

TEST(predicted_within_a_mebibyte_and_never_below) {
#if defined(__SANITIZE_ADDRESS__)
  test_skip("a sanitizer's memory is not predicted");
#endif
  for (size_t i = 0; i < 3 && i < n_nets; i++) {
    figures f = {0};
    in_child(&nets[i], &f);
    ASSERT_TRUE(f.ok);
    expect_close(nets[i].name, &f.plan, f.peak);
    expect_close(nets[i].name, &f.fit, f.peak);
    ASSERT_NEAR(f.fit.process_measured, f.peak, MIB / 8); /* the kernel's own counts are rough */
    ASSERT_EQ_UINT(f.plan.process_measured, 0);
  }
}

TEST(a_line_that_is_too_low_is_refused_before_step_1) {
  snug_ctx *ctx = test_ctx();
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_model *m = net_model(ctx, &nets[0], "sgd");
  toy t;
  net_data(&nets[0], &t);
  o.memory = MIB;
  ASSERT_STATUS(ctx, snug_fit(m, &t.data, &o, NULL), SNUG_E_LIMIT, "the least that would do");
  ASSERT_HAS(snug_message(ctx), "1.0 MiB (1048576 bytes)");
  snug_model_destroy(m);
  toy_free(&t);
}

static snug_memory_report plan_with(snug_ctx *ctx, snug_model *m, const toy *t, uint64_t during,
                                    uint64_t after) {
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_plan *plan = NULL;
  o.caller_memory = during;
  o.caller_memory_after = after;
  ASSERT_OK(ctx, snug_plan_fit(m, &t->data, &o, &plan));
  snug_plan_memory(plan, &r);
  snug_plan_destroy(plan);
  ASSERT_EQ_UINT(r.planned + r.code + r.outside + r.tables + r.reserve + r.caller, r.process);
  return r;
}

TEST(what_the_caller_takes_is_part_of_it) {
  snug_ctx *ctx = test_ctx();
  toy t;
  net_data(&nets[0], &t);
  snug_model *m = net_model(ctx, &nets[0], "adam");
  snug_memory_report r = plan_with(ctx, m, &t, 0, 0);
  ASSERT_EQ_UINT(r.caller, 0);
  ASSERT_EQ_UINT(plan_with(ctx, m, &t, 10 * MIB, 0).caller, 10 * MIB);
  ASSERT_EQ_UINT(plan_with(ctx, m, &t, 10 * MIB, r.block + MIB).caller, 10 * MIB);
  ASSERT_EQ_UINT(plan_with(ctx, m, &t, MIB, r.block + 3 * MIB).caller, 3 * MIB);
  ASSERT_EQ_UINT(plan_with(ctx, m, &t, 0, r.block).caller, 0); /* where the step was */
  snug_model_destroy(m);
  toy_free(&t);
  test_ctx_end(ctx);
}
