/* Element-wise ops of two values with NumPy broadcasting.  A gradient is summed over the axes along
 * which its operand was broadcast. */
#include "ops/binary.h"

#include "device/host.h"
#include "ops/support.h"
#include "ops/ternary.h"
#include "ops/unblock.h"
#include "ops/zip.h"

static snug_status infer(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_dtype_of(q, 1, 0));
  return snug__broadcast(q, 0, 1, &q->out[0]);
}

/* ---- references ---- */

typedef struct binary_job {
  const void *a, *b;
  void *out;
  snug__zip_body *row;
  snug__zip zip;
} binary_job;

/* The remainder with the sign of the divisor, as in Python: exact, also for large x. */
static double floor_mod(double x, double y) {
  double rest = fmod(x, y);
  return rest != 0.0 && (rest < 0.0) != (y < 0.0) ? rest + y : rest;
}

#define SNUG_REAL_FILE "ops/binary_ref.inc"
#include "ops/real.h"

static void run_range(void *arg, int64_t begin, int64_t end) {
  const binary_job *j = arg;
  snug__zip_walk(&j->zip, begin, end, j->row, j);
}

static snug_status run(const snug__call *call, snug__zip_body *const rows[SNUG_DTYPE_COUNT]) {
  const snug__type *out = &call->sig->out[0];
  binary_job job = {call->in[0], call->in[1], call->out[0], rows[out->dtype],
                    snug__zip_of(out, call->sig->in, 2)};
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(out), 16384, run_range, &job);
  return SNUG_OK;
}

#define BINARY_OP(op, text, ...)                                                                 \
  static snug_status op##_reference(const snug__call *call) {                                    \
    static snug__zip_body *const rows[SNUG_DTYPE_COUNT] = {[SNUG_FLOAT32] = op##_row_float32,    \
                                                           [SNUG_FLOAT64] = op##_row_float64,    \
                                                           [SNUG_FLOAT16] = op##_row_float16,    \
                                                           [SNUG_BFLOAT16] = op##_row_bfloat16}; \
    return run(call, rows);                                                                      \
  }                                                                                              \
  const snug__op snug__op_##op = {.name = #op,                                                   \
                                  .doc = (text),                                                 \
                                  .min_in = 2,                                                   \
                                  .max_in = 2,                                                   \
                                  .min_out = 1,                                                  \
                                  .max_out = 1,                                                  \
                                  .flags = SNUG__OP_CHEAP,                                       \
                                  .in_place = {3},                                               \
                                  .grad = op##_grad,                                             \
                                  .reference = op##_reference,                                   \
                                  .unblock = snug__unblock_broadcast,                            \
                                  __VA_ARGS__}

/* ---- gradients ---- */

static snug_status sum_to_input(snug__grad *g, int32_t i, snug__id d) {
  return snug__emit_sum_to(g->g, d, snug__type_at(g->g, g->in[i]), &g->din[i]);
}

/* din[i] = the sum of d v: no temporary of the full size where there is something to sum. */
static snug_status product_to_input(snug__grad *g, int32_t i, snug__id d, snug__id v) {
  snug__type to = *snug__type_at(g->g, g->in[i]);
  if (!snug__shape_equal(&to, snug__type_at(g->g, d)) &&
      snug__shape_equal(snug__type_at(g->g, d), snug__type_at(g->g, v))) {
    return snug__emit_product_sum(g->g, d, v, &to, &g->din[i]);
  }
  SNUG_TRY(SNUG_EMIT(g->g, multiply, NULL, &d, d, v));
  return sum_to_input(g, i, d);
}

static snug_status add_grad(snug__grad *g) {
  for (int32_t i = 0; i < 2; i++) {
    if (g->wants[i]) {
      SNUG_TRY(sum_to_input(g, i, g->dout[0]));
    }
  }
  return SNUG_OK;
}

/* The sum is taken before the sign, which then costs one operation per element of b. */
static snug_status subtract_grad(snug__grad *g) {
  SNUG_TRY(add_grad(g));
  return g->wants[1] ? SNUG_EMIT(g->g, negative, NULL, &g->din[1], g->din[1]) : SNUG_OK;
}

static snug_status multiply_grad(snug__grad *g) {
  for (int32_t i = 0; i < 2; i++) {
    if (g->wants[i]) {
      SNUG_TRY(product_to_input(g, i, g->dout[0], g->in[1 - i]));
    }
  }
  return SNUG_OK;
}

/* y = a / b: da = dy / b, db = -da y before the sums; a itself need not be kept. */
static snug_status divide_grad(snug__grad *g) {
  snug__id d;
  SNUG_TRY(SNUG_EMIT(g->g, divide, NULL, &d, g->dout[0], g->in[1]));
  if (g->wants[0]) {
    SNUG_TRY(sum_to_input(g, 0, d));
  }
  if (g->wants[1]) {
    SNUG_TRY(product_to_input(g, 1, d, g->out[0]));
    SNUG_TRY(SNUG_EMIT(g->g, negative, NULL, &g->din[1], g->din[1]));
  }
  return SNUG_OK;
}

/* At a tie the gradient belongs to the first, as in TensorFlow. */
static snug_status gate_grad(snug__grad *g, snug__gate_when first, snug__gate_when second) {
  for (int32_t i = 0; i < 2; i++) {
    if (g->wants[i]) {
      snug__gate_params p = {(int32_t)(i ? second : first)};
      snug__id d;
      SNUG_TRY(SNUG_EMIT(g->g, gate, &p, &d, g->dout[0], g->in[0], g->in[1]));
      SNUG_TRY(sum_to_input(g, i, d));
    }
  }
  return SNUG_OK;
}

static snug_status maximum_grad(snug__grad *g) {
  return gate_grad(g, SNUG__GATE_GE, SNUG__GATE_NOT_GE);
}

static snug_status minimum_grad(snug__grad *g) {
  return gate_grad(g, SNUG__GATE_LE, SNUG__GATE_NOT_LE);
}

static snug_status power_grad(snug__grad *g) {
  snug__id d;
  if (g->wants[0]) {
    SNUG_TRY(SNUG_EMIT(g->g, power_grad_base, NULL, &d, g->dout[0], g->in[0], g->in[1]));
    SNUG_TRY(sum_to_input(g, 0, d));
  }
  if (g->wants[1]) {
    SNUG_TRY(SNUG_EMIT(g->g, power_grad_exponent, NULL, &d, g->dout[0], g->in[0], g->in[1]));
    SNUG_TRY(sum_to_input(g, 1, d));
  }
  return SNUG_OK;
}

static snug_status floor_divide_grad(snug__grad *g) {
  (void)g; /* a step: no gradient flows */
  return SNUG_OK;
}

/* a - b floor(a / b) */
static snug_status floor_mod_grad(snug__grad *g) {
  snug__id quotient;
  SNUG_TRY(g->wants[0] ? sum_to_input(g, 0, g->dout[0]) : SNUG_OK);
  if (g->wants[1]) {
    SNUG_TRY(SNUG_EMIT(g->g, floor_divide, NULL, &quotient, g->in[0], g->in[1]));
    SNUG_TRY(product_to_input(g, 1, g->dout[0], quotient));
    SNUG_TRY(SNUG_EMIT(g->g, negative, NULL, &g->din[1], g->din[1]));
  }
  return SNUG_OK;
}

/* d = dy / (a^2 + b^2): da = d b, db = -d a */
static snug_status arctan2_grad(snug__grad *g) {
  snug__id a, b, d;
  SNUG_TRY(SNUG_EMIT(g->g, square, NULL, &a, g->in[0]));
  SNUG_TRY(SNUG_EMIT(g->g, square, NULL, &b, g->in[1]));
  SNUG_TRY(SNUG_EMIT(g->g, add, NULL, &d, a, b));
  SNUG_TRY(SNUG_EMIT(g->g, divide, NULL, &d, g->dout[0], d));
  SNUG_TRY(g->wants[0] ? product_to_input(g, 0, d, g->in[1]) : SNUG_OK);
  if (g->wants[1]) {
    SNUG_TRY(product_to_input(g, 1, d, g->in[0]));
    SNUG_TRY(SNUG_EMIT(g->g, negative, NULL, &g->din[1], g->din[1]));
  }
  return SNUG_OK;
}

static snug__cost power_cost(const snug__signature *sig) {
  return (snug__cost){20.0 * (double)snug__type_count(&sig->out[0]), snug__bytes_moved(sig)};
}

static snug_status prelu_infer(snug__infer *q) {
  char x[SNUG__TYPE_TEXT_BYTES];
  char alpha[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(infer(q));
  if (!snug__shape_equal(&q->out[0], &q->in[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: alpha, %s, cannot be broadcast to the input, %s",
                      q->where, snug__type_text(&q->in[1], alpha), snug__type_text(&q->in[0], x));
  }
  return SNUG_OK;
}

static snug_status prelu_grad(snug__grad *g) {
  if (g->wants[0]) {
    SNUG_TRY(SNUG_EMIT(g->g, prelu_grad, NULL, &g->din[0], g->dout[0], g->in[0], g->in[1]));
  }
  if (g->wants[1]) {
    const snug__type *to = snug__type_at(g->g, g->in[1]);
    snug__product_sum_params p;
    memset(&p, 0, sizeof p);
    p.shape.n = to->rank;
    memcpy(p.shape.v, to->dim, sizeof to->dim);
    SNUG_TRY(SNUG_EMIT(g->g, prelu_grad_alpha, &p, &g->din[1], g->dout[0], g->in[0]));
  }
  return SNUG_OK;
}

BINARY_OP(add, "a + b", .infer = infer);
BINARY_OP(subtract, "a - b", .infer = infer);
BINARY_OP(multiply, "a b", .infer = infer);
BINARY_OP(divide, "a / b", .infer = infer);
BINARY_OP(maximum, "the larger of a and b", .infer = infer);
BINARY_OP(minimum, "the smaller of a and b", .infer = infer);
BINARY_OP(power, "a to the power of b", .infer = infer, .cost = power_cost);
BINARY_OP(floor_divide, "the whole number at or below a / b", .infer = infer);
BINARY_OP(floor_mod, "what floor_divide leaves: its sign is that of b", .infer = infer);
BINARY_OP(arctan2, "the angle of the point (b, a)", .infer = infer, .cost = power_cost);
BINARY_OP(prelu, "x, below 0 times alpha, which is broadcast to x", .infer = prelu_infer);
