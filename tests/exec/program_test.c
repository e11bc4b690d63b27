/* A program runs what its graph says, whatever the plan: order, in-place and placement change no
 * bit. */
#include "exec/program.h"
#include "device/cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "grad/grad.h"
#include "lib/test.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/support.h"

enum { BATCH = 4, WIDTH = 6, DEPTH = 5 };

/* sum(((x w0) + ...) w4): a chain of matrix products with its gradients; variables are the weights.
 */
typedef struct chain {
  snug__graph *g;
  snug__id x, loss, w[DEPTH], dw[DEPTH];
} chain;

static void build_chain(snug_ctx *ctx, chain *c) {
  snug__matmul_params plain = {false, false};
  snug__reduce_params all;
  memset(&all, 0, sizeof all);
  ASSERT_OK(ctx, snug__graph_create(ctx, &c->g));
  ASSERT_OK(ctx, snug__graph_input(
                     c->g, "x", snug__type_of(SNUG_FLOAT32, 2, (int64_t[]){BATCH, WIDTH}), &c->x));
  snug__id h = c->x;
  for (uint32_t i = 0; i < DEPTH; i++) {
    snug__id product = 0;
    ASSERT_OK(ctx, snug__graph_variable(c->g, "w", SNUG__WEIGHT, SNUG__CLASS_WEIGHTS,
                                        snug__type_of(SNUG_FLOAT32, 2, (int64_t[]){WIDTH, WIDTH}),
                                        i, &c->w[i]));
    ASSERT_OK(ctx, SNUG_EMIT(c->g, matmul, &plain, &product, h, c->w[i]));
    ASSERT_OK(ctx, SNUG_EMIT(c->g, add, NULL, &h, product, h));
  }
  ASSERT_OK(ctx, SNUG_EMIT(c->g, sum, &all, &c->loss, h));
  ASSERT_OK(ctx, snug__grad_append(c->g, c->loss, c->w, DEPTH, c->dw));
  ASSERT_OK(ctx, snug__graph_output(c->g, c->loss));
  for (int i = 0; i < DEPTH; i++) {
    ASSERT_OK(ctx, snug__graph_output(c->g, c->dw[i]));
  }
}

static float weights[DEPTH][WIDTH * WIDTH];

static snug__place locate(void *arg, snug__id variable) {
  return snug__place_of_pointer(((float(*)[WIDTH * WIDTH]) arg)[variable]);
}

static void fill(float *v, size_t n, float seed) {
  for (size_t i = 0; i < n; i++) {
    v[i] = (float)((double)(i * 7 % 11) * 0.05 - 0.2 + (double)seed);
  }
}

/* Run the chain once under a plan; the gradients go to out. */
static void run_chain(const snug__plan_options *options, bool poison,
                      float out[DEPTH][WIDTH * WIDTH]) {
  snug_ctx *ctx = test_ctx();
  chain c;
  snug__program *p = NULL;
  snug__block block;
  build_chain(ctx, &c);
  ASSERT_OK(ctx, snug__program_create(c.g, &snug__cpu, options, &p));
  ASSERT_OK(ctx, snug__block_take(&ctx->queue, snug__program_height(p), &block));
  for (int i = 0; i < DEPTH; i++) {
    fill(weights[i], WIDTH * WIDTH, 0.01f * (float)i);
  }
  p->poison = poison;
  ASSERT_OK(ctx, snug__program_bind(p, &(snug__bound){.block = block.at}, locate, weights));
  fill(snug__program_data(p, c.x), BATCH * WIDTH, 0.3f);
  ASSERT_OK(ctx, snug__program_run(p));
  for (int i = 0; i < DEPTH; i++) {
    memcpy(out[i], snug__program_data(p, c.dw[i]), sizeof weights[i]);
  }
  snug__block_give(&ctx->queue, &block);
  snug__program_destroy(p);
  test_ctx_end(ctx);
}

TEST(plans_change_no_bit) {
  static const snug__plan_options plans[] = {
      {SNUG__ORDER_PEAK, false, false},     {SNUG__ORDER_CREATION, false, false},
      {SNUG__ORDER_REVERSED, false, false}, {SNUG__ORDER_PEAK, true, false},
      {SNUG__ORDER_PEAK, false, true},      {SNUG__ORDER_REVERSED, true, true}};
  float expected[DEPTH][WIDTH * WIDTH], got[DEPTH][WIDTH * WIDTH];
  run_chain(&plans[5], false, expected);
  for (size_t i = 0; i < SNUG_COUNT(plans); i++) {
    run_chain(&plans[i], false, got);
    ASSERT_EQ_BYTES(got, expected, sizeof got);
    run_chain(&plans[i], true, got);
    ASSERT_EQ_BYTES(got, expected, sizeof got);
  }
}

TEST(plan_is_lower_than_apart) {
  snug_ctx *ctx = test_ctx();
  snug__plan_options apart = {SNUG__ORDER_CREATION, true, true};
  int64_t height[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    chain c;
    snug__program *p = NULL;
    build_chain(ctx, &c);
    ASSERT_OK(ctx, snug__program_create(c.g, &snug__cpu, i ? &apart : NULL, &p));
    height[i] = snug__program_height(p);
    snug__peak peak;
    ASSERT_OK(ctx, snug__plan_peak(p->plan, p->graph, &peak, NULL));
    ASSERT_TRUE(peak.bytes <= height[i]);
    snug__program_destroy(p);
  }
  ASSERT_TRUE(height[0] < height[1]);
}

TEST(plan_prints) {
  snug_ctx *ctx = test_ctx();
  chain c;
  snug__program *p = NULL;
  snug__text text;
  build_chain(ctx, &c);
  ASSERT_OK(ctx, snug__program_create(c.g, &snug__cpu, NULL, &p));
  snug__text_init(&text, ctx, 1 << 20);
  ASSERT_OK(ctx, snug__plan_print(p->plan, p->graph, &text));
  ASSERT_HAS(snug__text_get(&text), "height");
  ASSERT_HAS(snug__text_get(&text), "matmul");
  snug__text_release(&text);
  snug__program_destroy(p);
}
