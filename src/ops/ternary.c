/* Element-wise ops of three values: the gradients of binary ops.  The first input is the gradient
 * and has the shape of the output; the other two are broadcast to it. */
#include "ops/ternary.h"

#include "device/host.h"
#include "ops/support.h"
#include "ops/unblock.h"
#include "ops/zip.h"

static snug_status infer(snug__infer *q) {
  snug__type both;
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_dtype_of(q, 1, 0));
  SNUG_TRY(snug__need_dtype_of(q, 2, 0));
  SNUG_TRY(snug__broadcast(q, 1, 2, &both));
  if (!snug__shape_equal(&both, &q->in[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: the gradient is %s, but the values make %s",
                      q->where, snug__type_text(&q->in[0], a), snug__type_text(&both, b));
  }
  q->out[0] = q->in[0];
  return SNUG_OK;
}

typedef struct ternary_job {
  const void *in[3];
  void *out;
  double (*f)(double d, double a, double b);
  snug_dtype dtype;
  snug__zip zip;
} ternary_job;

#define SNUG_REAL_FILE "ops/ternary_ref.inc"
#include "ops/real.h"

static void run_row(const void *arg, const snug__zip_row *row) {
  const ternary_job *j = arg;
  SNUG_REAL_CALL(j->dtype, ternary_row, (j, row));
}

static void run_range(void *arg, int64_t begin, int64_t end) {
  const ternary_job *j = arg;
  snug__zip_walk(&j->zip, begin, end, run_row, j);
}

static snug_status run(const snug__call *call, double (*f)(double, double, double)) {
  const snug__type *out = &call->sig->out[0];
  ternary_job job = {{call->in[0], call->in[1], call->in[2]},
                     call->out[0],
                     f,
                     out->dtype,
                     snug__zip_of(out, call->sig->in, 3)};
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(out), 4096, run_range, &job);
  return SNUG_OK;
}

#define TERNARY_OP(op, text, ...)                                     \
  const snug__op snug__op_##op = {.name = #op,                        \
                                  .doc = (text),                      \
                                  .min_in = 3,                        \
                                  .max_in = 3,                        \
                                  .min_out = 1,                       \
                                  .max_out = 1,                       \
                                  .in_place = {7},                    \
                                  .infer = infer,                     \
                                  .reference = op##_reference,        \
                                  .unblock = snug__unblock_broadcast, \
                                  __VA_ARGS__}

/* ---- gate: which of the two of maximum and minimum the gradient belongs to ---- */

static const char *const gate_choices[] = {"ge", "not_ge", "le", "not_le", NULL};
static const snug__field gate_fields[] = {SNUG_CHOICE(snug__gate_params, when, gate_choices, NULL),
                                          {0}};

static double gate_ge(double d, double a, double b) { return a >= b ? d : 0.0; }
static double gate_not_ge(double d, double a, double b) { return a >= b ? 0.0 : d; }
static double gate_le(double d, double a, double b) { return a <= b ? d : 0.0; }
static double gate_not_le(double d, double a, double b) { return a <= b ? 0.0 : d; }

static snug_status gate_reference(const snug__call *call) {
  static double (*const f[])(double, double, double) = {gate_ge, gate_not_ge, gate_le, gate_not_le};
  const snug__gate_params *p = call->sig->params;
  return run(call, f[p->when]);
}

TERNARY_OP(gate, "d where a and b compare as asked, else 0",
           .params_bytes = sizeof(snug__gate_params), .fields = gate_fields);

/* ---- power: y = a^b ---- */

static double power_base(double d, double a, double b) {
  return b == 0.0 ? 0.0 : d * b * pow(a, b - 1.0);
}

/* Where a is not positive, y has no derivative by b that a training could use; 0 as TensorFlow
 * does. */
static double power_exponent(double d, double a, double b) {
  return a > 0.0 ? d * pow(a, b) * log(a) : 0.0;
}

static snug_status power_grad_base_reference(const snug__call *call) {
  return run(call, power_base);
}
static snug_status power_grad_exponent_reference(const snug__call *call) {
  return run(call, power_exponent);
}

static snug__cost power_cost(const snug__signature *sig) {
  return (snug__cost){20.0 * (double)snug__type_count(&sig->out[0]), snug__bytes_moved(sig)};
}

TERNARY_OP(power_grad_base, "d b a^(b-1), the gradient of power by its base", .cost = power_cost);
TERNARY_OP(power_grad_exponent, "d a^b log a, the gradient of power by its exponent",
           .cost = power_cost);

/* ---- prelu: 0 at the kink, where both of the rectifiers that Keras adds up have 0 ---- */

static double prelu_input(double d, double x, double alpha) {
  return x > 0.0 ? d : x < 0.0 ? d * alpha : 0.0 * d;
}

static snug_status prelu_grad_reference(const snug__call *call) { return run(call, prelu_input); }

TERNARY_OP(prelu_grad, "the gradient of prelu by its input, from (dy, x, alpha)", .flags = 0);
