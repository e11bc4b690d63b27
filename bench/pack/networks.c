/* The packer on real training steps: residual networks of thousands of layers from Snug's own
 * builder, forward, backward and update, ordered for the peak, in-place where possible; what is
 * packed is what a fit would pack. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "device/cpu/cpu.h"
#include "exec/program.h"
#include "lib/models.h"
#include "train/step.h"

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(snug_ctx *ctx, snug_status s) {
  if (s) {
    fprintf(stderr, "bench: %s\n", snug_message(ctx));
    exit(1);
  }
}

static void compile(snug_ctx *ctx, snug_model *m) {
  const char *const loss[] = {"sparse_categorical_crossentropy"};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = "adam";
  o.loss = loss;
  o.n_loss = 1;
  stop(ctx, snug_model_compile(m, &o));
}

static void measure(int64_t layers) {
  snug_ctx *ctx = NULL;
  snug_model *m = NULL;
  snug__graph *g = NULL;
  snug__program *p = NULL;
  snug__step step;
  const test_net net = {.size = 16, .classes = 10, .width = 8, .depth = layers};
  if (snug_ctx_create(NULL, &ctx)) {
    exit(1);
  }
  stop(ctx, snug_model_create(ctx, NULL, &m));
  double start = seconds();
  stop(ctx, test_net_residual(m, &net));
  compile(ctx, m);
  stop(ctx, snug__step_build(m, SNUG__STEP_TRAIN, 4, false, &g, &step));
  double built = seconds();
  stop(ctx, snug__program_create(g, &snug__cpu, NULL, &p));
  double planned = seconds();
  const snug__plan *plan = p->plan;
  printf("%6lld %8zu %8zu %9.1f MiB %9.4f %% %8s %7.1f s %7.1f s\n", (long long)layers,
         plan->n_nodes, plan->n_buffers, (double)plan->load / 1048576.0,
         100.0 * (double)(plan->height - plan->load) / (double)plan->load,
         plan->proven ? "proven" : "", built - start, planned - built);
  fflush(stdout);
  snug__program_destroy(p);
  snug_model_destroy(m);
  snug_ctx_destroy(ctx);
}

int main(int argc, char **argv) {
  static const int64_t layers[] = {1000, 1500, 2000, 3000, 4500, 6000};
  printf("training steps of residual networks (Adam, batch 4, 16x16x8)\n");
  printf("layers    nodes  buffers          load     above             building  planning\n");
  for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
    if (argc < 2 || layers[i] <= atoll(argv[1])) {
      measure(layers[i]);
    }
  }
  return 0;
}
