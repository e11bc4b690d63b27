/* Batch normalization with a residual and an activation in it against the plain ops one after
 * another, all in one graph: forward, forward once more from the statistics, backward. */
#include "ops/batch_norm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lib/interpret.h"
#include "lib/test.h"
#include "ops/norm.h"
#include "ops/support.h"
#include "ops/unary.h"

#define ROWS 37
#define CHANNELS 5

typedef struct variant {
  snug__epilogue epilogue;
  bool gamma, beta, residual;
} variant;

typedef struct pair {
  snug_ctx *ctx;
  snug__graph *g;
  test_interpreter run;
  variant v;
  snug__id x, gamma, beta, residual, dy;
  snug__id y, mean, variance, dx[3], d;                         /* of the plain ops */
  snug__id fused_y, fused_mean, fused_variance, again, back[4]; /* of the others */
} pair;

static snug__id add_input(pair *p, snug_dtype dtype, bool wanted, bool is_vector) {
  const int64_t dim[] = {ROWS, CHANNELS};
  snug__type t = snug__type_of(dtype, is_vector ? 1 : 2, is_vector ? dim + 1 : dim);
  snug__id id = SNUG_NONE;
  if (wanted) {
    ASSERT_OK(p->ctx, snug__graph_input(p->g, "in", t, &id));
    for (int64_t i = 0; i < snug__type_count(&t); i++) {
      test_interpret_set(&p->run, id, i, 2.0 * sin(1.0 + 1.7 * (double)i + (double)id));
    }
  }
  return id;
}

static void add(pair *p, const snug__op *op, const void *params, const snug__id *in, int32_t n_in,
                snug__id *out, int32_t n_out) {
  ASSERT_OK(p->ctx, snug__graph_add(p->g, op, params, in, n_in, out, n_out));
}

/* batch_norm_train, add, relu or silu, and what their rules would emit. */
static void add_plain(pair *p, snug_dtype dtype) {
  snug__batch_norm_params bn = {1e-3};
  snug__norm_grad_params back;
  snug__relu_params relu = {0.0, p->v.epilogue.max_value, 0.0};
  snug__id out[3], before;
  memset(&back, 0, sizeof back);
  back.epsilon = bn.epsilon;
  back.dtype = (int32_t)dtype;
  add(p, &snug__op_batch_norm_train, &bn, (snug__id[]){p->x, p->gamma, p->beta}, 3, out, 3);
  p->mean = out[1];
  p->variance = out[2];
  before = out[0];
  if (p->v.residual) {
    add(p, &snug__op_add, NULL, (snug__id[]){out[0], p->residual}, 2, &before, 1);
  }
  p->y = before;
  p->d = p->dy;
  if (p->v.epilogue.activation == SNUG__RELU) {
    add(p, &snug__op_relu, &relu, &before, 1, &p->y, 1);
    add(p, &snug__op_relu_grad, &relu, (snug__id[]){p->dy, p->y}, 2, &p->d, 1);
  } else if (p->v.epilogue.activation == SNUG__SWISH) {
    add(p, &snug__op_silu, NULL, &before, 1, &p->y, 1);
    add(p, &snug__op_silu_grad, NULL, (snug__id[]){p->dy, before}, 2, &p->d, 1);
  }
  add(p, &snug__op_batch_norm_train_grad, &back,
      (snug__id[]){p->d, p->x, p->gamma, p->mean, p->variance}, 5, p->dx, 3);
}

static void add_fused(pair *p, snug_dtype dtype) {
  snug__batch_norm_epilogue_params params;
  snug__batch_norm_epilogue_grad_params back;
  snug__id out[3];
  memset(&params, 0, sizeof params);
  memset(&back, 0, sizeof back);
  params.epsilon = back.epsilon = 1e-3;
  params.epilogue = back.epilogue = p->v.epilogue;
  back.dtype = (int32_t)dtype;
  add(p, &snug__op_batch_norm_train_epilogue, &params,
      (snug__id[]){p->x, p->gamma, p->beta, p->residual}, 4, out, 3);
  p->fused_y = out[0];
  p->fused_mean = out[1];
  p->fused_variance = out[2];
  add(p, &snug__op_batch_norm_infer_epilogue, &params,
      (snug__id[]){p->x, p->gamma, p->beta, out[1], out[2], p->residual}, 6, &p->again, 1);
  add(p, &snug__op_batch_norm_train_epilogue_grad, &back,
      (snug__id[]){p->dy, p->x, out[1], out[2], p->gamma, p->beta,
                   p->v.residual ? out[0] : SNUG_NONE},
      7, p->back, 4);
}

static void open_pair(pair *p, const variant *v, snug_dtype dtype) {
  *p = (pair){.ctx = test_ctx(), .v = *v};
  ASSERT_OK(p->ctx, snug__graph_create(p->ctx, &p->g));
  test_interpret_init(&p->run, p->g);
  p->x = add_input(p, dtype, true, false);
  p->gamma = add_input(p, dtype, v->gamma, true);
  p->beta = add_input(p, dtype, v->beta, true);
  p->residual = add_input(p, dtype, v->residual, false);
  p->dy = add_input(p, dtype, true, false);
  add_plain(p, dtype);
  add_fused(p, dtype);
  ASSERT_OK(p->ctx, test_interpret_run(&p->run));
}

static void close_pair(pair *p) {
  test_interpret_release(&p->run);
  snug__graph_destroy(p->g);
  test_ctx_end(p->ctx);
}

/* A few roundings of sums over the rows of numbers of size 4 at most. */
static void expect_close(pair *p, snug__id a, snug__id b) {
  const snug__type *t = snug__type_at(p->g, a);
  ASSERT_TRUE(snug__type_equal(t, snug__type_at(p->g, b)));
  for (int64_t i = 0; i < snug__type_count(t); i++) {
    ASSERT_NEAR(test_interpret_get(&p->run, a, i), test_interpret_get(&p->run, b, i),
                4.0 * ROWS * DBL_EPSILON);
  }
}

static void expect_same_bits(pair *p, snug__id a, snug__id b) {
  size_t bytes = (size_t)snug__type_bytes(snug__type_at(p->g, a));
  ASSERT_EQ_INT(memcmp(test_interpret_data(&p->run, a), test_interpret_data(&p->run, b), bytes), 0);
}

static void for_each_variant(void (*check)(const variant *v)) {
  static const snug__epilogue epilogues[] = {
      {SNUG__LINEAR, INFINITY}, {SNUG__RELU, INFINITY}, {SNUG__RELU, 1.5}, {SNUG__SWISH, INFINITY}};
  for (size_t k = 0; k < SNUG_COUNT(epilogues); k++) {
    for (int32_t bits = 0; bits < 8; bits++) {
      check(&(variant){epilogues[k], bits & 1, bits & 2, bits & 4});
    }
  }
}

static void check_plain(const variant *v) {
  pair p;
  if (v->epilogue.activation == SNUG__SWISH && v->residual) {
    return; /* has no backward */
  }
  open_pair(&p, v, SNUG_FLOAT64);
  expect_close(&p, p.y, p.fused_y);
  expect_close(&p, p.mean, p.fused_mean);
  expect_close(&p, p.variance, p.fused_variance);
  for (int32_t k = 0; k < 3; k++) {
    expect_close(&p, p.dx[k], p.back[k]);
  }
  expect_close(&p, p.d, p.back[3]);
  close_pair(&p);
}

TEST(equal_to_the_plain_ops) { for_each_variant(check_plain); }

static void check_again(const variant *v) {
  static const snug_dtype dtypes[] = {SNUG_FLOAT64, SNUG_FLOAT32, SNUG_FLOAT16};
  if (v->epilogue.activation == SNUG__SWISH && v->residual) {
    return;
  }
  for (size_t d = 0; d < SNUG_COUNT(dtypes); d++) {
    pair p;
    open_pair(&p, v, dtypes[d]);
    expect_same_bits(&p, p.fused_y, p.again);
    close_pair(&p);
  }
}

TEST(made_again_to_the_bit) { for_each_variant(check_again); }
