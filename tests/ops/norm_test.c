/* What the driver cannot see of the normalizations and look-ups: gradients of which only one is
 * wanted (frozen layers), and what a fault tells. */
#include <string.h>

#include "lib/test.h"
#include "ops/bench.h"
#include "ops/ops.h"

static const struct {
  const char *op;
  op_case c;
} norms[] = {
    {"batch_norm_train", {"", "float64[5,3]; float64[3]; float64[3]"}},
    {"batch_norm_infer", {"", "float64[5,3]; float64[3]; float64[3]; float64[3]; float64[3] one"}},
    {"layer_norm", {"", "float64[5,3]; float64[3]; float64[3]"}},
    {"group_norm", {"groups=2", "float64[2,3,4]; float64[4]; float64[4]"}},
    {"rms_norm", {"", "float64[5,3]; float64[3]"}}};

static void open_case(op_bench *b, const snug__op *op, const op_case *c, snug_dtype real) {
  snug_status s = bench_open(b, op, c, real, real);
  ASSERT_OK(b->ctx, s);
}

/* The gradients of the inputs in `mask`, run; their ids go to din. */
static void open_wanting(op_bench *b, size_t norm, uint32_t mask, snug__id din[SNUG__MAX_IN]) {
  const snug__op *op = snug__op_find(norms[norm].op);
  snug__id dout[SNUG__MAX_OUT];
  bool wants[SNUG__MAX_IN] = {false};
  open_case(b, op, &norms[norm].c, SNUG_FLOAT64);
  snug__type t = *snug__type_at(b->g, b->out[0]);
  memset(dout, 0xFF, sizeof dout);
  for (int32_t i = 0; i < b->n_in; i++) {
    din[i] = SNUG_NONE;
    wants[i] = mask >> i & 1;
  }
  ASSERT_OK(b->ctx, snug__graph_input(b->g, "dy", t, &dout[0]));
  for (int64_t i = 0; i < snug__type_count(&t); i++) {
    bench_set(b, dout[0], i, 0.1 * (double)(i * i % 7) - 0.2);
  }
  snug__grad rule = {b->g, 0,     b->in, b->out, b->n_in, snug__node_at(b->g, 0)->params,
                     dout, wants, din};
  ASSERT_OK(b->ctx, op->grad(&rule));
  ASSERT_OK(b->ctx, bench_run(b, -1));
}

TEST(one_gradient_alone_is_the_same) {
  for (size_t k = 0; k < SNUG_COUNT(norms); k++) {
    op_bench all;
    snug__id din_all[SNUG__MAX_IN];
    open_wanting(&all, k, 7, din_all);
    for (int32_t i = 0; i < 3 && i < all.n_in; i++) {
      op_bench one;
      snug__id din[SNUG__MAX_IN];
      open_wanting(&one, k, 1u << i, din);
      for (int32_t other = 0; other < one.n_in; other++) {
        ASSERT_EQ_INT(din[other] != SNUG_NONE, other == i);
      }
      size_t bytes = (size_t)snug__type_bytes(snug__type_at(one.g, din[i]));
      ASSERT_EQ_INT(memcmp(bench_data(&one, din[i]), bench_data(&all, din_all[i]), bytes), 0);
      bench_close(&one);
    }
    bench_close(&all);
  }
}

TEST(frozen_batch_norm_keeps_no_input) {
  op_bench b;
  snug__id din[SNUG__MAX_IN];
  open_wanting(&b, 1, 1u << 0, din);
  const snug__node *back = snug__node_at(b.g, (snug__id)b.g->nodes.n - 1);
  for (int32_t i = 0; i < back->n_in; i++) {
    ASSERT_TRUE(back->in[i] != b.in[0] && back->in[i] != b.in[3]);
  }
  bench_close(&b);
}

TEST(half_inputs_keep_float32_statistics) {
  static const op_case mixed = {"", "float64[5,3]; float32[3]; float32[3]"};
  op_bench b;
  open_case(&b, &snug__op_batch_norm_train, &mixed, SNUG_FLOAT16);
  ASSERT_EQ_INT(snug__type_at(b.g, b.out[0])->dtype, SNUG_FLOAT16);
  ASSERT_EQ_INT(snug__type_at(b.g, b.out[1])->dtype, SNUG_FLOAT32);
  ASSERT_EQ_INT(snug__type_at(b.g, b.out[2])->dtype, SNUG_FLOAT32);
  bench_close(&b);
}

TEST(a_bad_id_is_told) {
  static const op_case bad = {"", "float64[3,2]; int32[2,2] = 1 2 7 -1"};
  op_bench b;
  open_case(&b, &snug__op_embedding, &bad, SNUG_FLOAT32);
  b.run.threads = 3;
  ASSERT_EQ_INT(bench_run(&b, -1), SNUG_E_DATA);
  ASSERT_EQ_INT(b.run.fault.index, 2);
  ASSERT_TRUE(b.run.fault.value == 7.0 && b.run.fault.limit == 3.0);
  bench_close(&b);
}

TEST(a_nan_does_not_vanish_in_a_maximum) {
  static const op_case across = {"axes=[0]", "float64[3,2] = 1 nan 2 0 nan 5"};
  static const op_case along = {"axes=[1]", "float64[2,3] = 1 nan 2 0 3 5"};
  op_bench b;
  open_case(&b, &snug__op_max, &across, SNUG_FLOAT32);
  ASSERT_OK(b.ctx, bench_run(&b, -1));
  ASSERT_TRUE(bench_get(&b, b.out[0], 0) != bench_get(&b, b.out[0], 0));
  ASSERT_TRUE(bench_get(&b, b.out[0], 1) != bench_get(&b, b.out[0], 1));
  bench_close(&b);
  open_case(&b, &snug__op_max, &along, SNUG_FLOAT32);
  ASSERT_OK(b.ctx, bench_run(&b, -1));
  ASSERT_TRUE(bench_get(&b, b.out[0], 0) != bench_get(&b, b.out[0], 0));
  ASSERT_TRUE(bench_get(&b, b.out[0], 1) == 5.0);
  bench_close(&b);
}
