/* Seconds per node: every node has some, the same ones again from the file, and nothing of the
 * model is touched by finding them. */
#include "train/calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "graph/op.h"
#include "lib/fault.h"
#include "pass/passes.h"
#include "train/lower.h"
#include "train/nets.h"

static const snug__pass_options keep = {.no_recompute = true};

typedef struct calibrated {
  snug__graph *g;
  double *seconds, *again;
  char note[SNUG__NOTE_BYTES];
} calibrated;

static snug_status calibrate(snug_model *m, int64_t batch, calibrated *c) {
  snug__step step;
  memset(c, 0, sizeof *c);
  m->pass = &keep;
  SNUG_TRY(snug__step_build(m, SNUG__STEP_TRAIN, batch, false, &c->g, &step));
  snug_status s = snug__step_lower(m, NULL, &c->g, &step);
  c->seconds = calloc(c->g->nodes.n, sizeof *c->seconds);
  c->again = calloc(c->g->nodes.n, sizeof *c->again);
  return s ? s
           : snug__calibrate(m, SNUG__STEP_TRAIN, &step, c->g, INT64_MAX, c->seconds, c->again,
                             c->note);
}

static void end(calibrated *c) {
  free(c->seconds);
  free(c->again);
  snug__graph_destroy(c->g);
}

static void check_all(const calibrated *c) {
  for (snug__id i = 0; i < c->g->nodes.n; i++) {
    const snug__node *node = snug__node_at(c->g, i);
    const bool is_view = (node->op->flags & SNUG__OP_VIEW) != 0;
    ASSERT_TRUE(is_view ? c->seconds[i] == 0.0 : c->seconds[i] > 0.0 && c->seconds[i] < 100.0);
    ASSERT_TRUE(is_view || (c->again[i] > 0.0 && c->again[i] < 100.0));
  }
}

TEST(every_node_has_seconds_and_the_file_keeps_them) {
  setenv("SNUG_CACHE", test_path("cache"), 1);
  for (size_t i = 0; i < 3; i++) {
    snug_ctx *ctx = test_ctx();
    snug_model *m = net_model(ctx, &nets[i], "adam");
    calibrated first, second;
    ASSERT_OK(ctx, calibrate(m, 6, &first));
    ASSERT_OK(ctx, calibrate(m, 6, &second));
    check_all(&first);
    ASSERT_EQ_TEXT(first.note, "");
    ASSERT_EQ_BYTES(first.seconds, second.seconds, first.g->nodes.n * sizeof *first.seconds);
    ASSERT_EQ_BYTES(first.again, second.again, first.g->nodes.n * sizeof *first.again);
    end(&first);
    end(&second);
    snug_model_destroy(m);
  }
}

/* A batch that is far too large to be run here is told all the same. */
TEST(a_large_batch_is_told_from_small_ones) {
  setenv("SNUG_CACHE", test_path("cache"), 1);
  snug_ctx *ctx = test_ctx_with(&(snug_options){.struct_size = sizeof(snug_options),
                                                .threads = 1}); /* others may be at work */
  snug_model *m = net_model(ctx, &nets[1], "adam");
  calibrated small, large;
  double sums[2] = {0.0, 0.0};
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  ASSERT_OK(ctx, calibrate(m, 256, &small));
  snug_memory_reset_peak(ctx);
  ASSERT_OK(ctx, calibrate(m, 1 << 16, &large));
  snug_memory_get(ctx, &info);
  ASSERT_TRUE(info.peak < UINT64_C(100) << 20);
  check_all(&large);
  for (snug__id i = 0; i < small.g->nodes.n; i++) {
    sums[0] += small.seconds[i];
    sums[1] += large.seconds[i];
  }
  ASSERT_TRUE(sums[1] > 60.0 * sums[0]);
  end(&small);
  end(&large);
  snug_model_destroy(m);
}

TEST(weights_stay_as_they_are) {
  setenv("SNUG_CACHE", "", 1);
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, &nets[1], "sgd");
  void *before = malloc(m->weights_bytes);
  calibrated c;
  ASSERT_NOT_NULL(before);
  memcpy(before, snug__place_pointer(m->weights), m->weights_bytes);
  ASSERT_OK(ctx, calibrate(m, 6, &c));
  ASSERT_EQ_BYTES(snug__place_pointer(m->weights), before, m->weights_bytes);
  end(&c);
  free(before);
  snug_model_destroy(m);
}
