/* Gradients that are made from the output must find a bound in it also where the dtype cannot hold
 * the bound exactly.  (The driver cannot tell: its float64 run has other inputs.) */
#include "device/host.h"
#include "lib/test.h"
#include "ops/ops.h"
#include "ops/unary.h"

static void run(const snug__op *op, const void *params, const float *const in[2], int32_t n_in,
                float *out, int64_t n) {
  snug__type t = snug__type_of(SNUG_FLOAT32, 1, &n);
  snug__type in_types[2] = {t, t};
  const void *inputs[2] = {in[0], in[1]};
  void *outs[1] = {out};
  snug__signature sig = {op, params, n_in, 1, in_types, &t, snug__host_target(1, SNUG__ISA_BASE)};
  snug__fault fault;
  snug__call call = {&sig, inputs, outs, NULL, &fault};
  ASSERT_EQ_INT(op->reference(&call), SNUG_OK);
}

#define N 4
static const float x[N] = {-5.0f, 0.05f, 0.2f, 7.0f};
static const float one[N] = {1.0f, 1.0f, 1.0f, 1.0f};

TEST(relu_knows_its_ceiling) {
  static const double ceilings[] = {0.1, 0.3, 1.0 / 3.0, 0.7};
  for (size_t i = 0; i < SNUG_COUNT(ceilings); i++) {
    snug__relu_params p = {0.0, ceilings[i], 0.0};
    float y[N], dx[N];
    run(&snug__op_relu, &p, (const float *const[2]){x, NULL}, 1, y, N);
    run(&snug__op_relu_grad, &p, (const float *const[2]){one, y}, 2, dx, N);
    for (int k = 0; k < N; k++) {
      ASSERT_EQ_INT(dx[k] == 1.0f, x[k] > 0.0f && (double)x[k] < ceilings[i]);
    }
  }
}

TEST(clip_knows_its_bounds) {
  snug__clip_params p = {-0.1, 0.1};
  float y[N], dx[N];
  run(&snug__op_clip, &p, (const float *const[2]){x, NULL}, 1, y, N);
  run(&snug__op_clip_grad, &p, (const float *const[2]){one, y}, 2, dx, N);
  ASSERT_TRUE(dx[0] == 0.0f && dx[1] == 1.0f && dx[2] == 0.0f && dx[3] == 0.0f);
}
