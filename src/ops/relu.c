/* relu: the rectifier with slope, ceiling and threshold.
 *
 * y = min(x, max_value) where x > threshold, else negative_slope (x - threshold).  With no
 * parameter below 0, y > 0 exactly where x > threshold (or the ceiling is 0), so y is enough for
 * the gradient; at the ceiling no gradient flows. */
#include "ops/support.h"
#include "ops/unary.h"

static const snug__field fields[] = {SNUG_FIELD(snug__relu_params, negative_slope, FLOAT, "0"),
                                     SNUG_FIELD(snug__relu_params, max_value, FLOAT, "inf"),
                                     SNUG_FIELD(snug__relu_params, threshold, FLOAT, "0"),
                                     {0}};

static snug_status infer(snug__infer *q) {
  const snug__relu_params *p = q->params;
  if (!(p->negative_slope >= 0.0) || !(p->max_value >= 0.0) || !(p->threshold >= 0.0)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                      "%s: negative_slope=%g, max_value=%g and threshold=%g must not be below 0",
                      q->where, p->negative_slope, p->max_value, p->threshold);
  }
  return snug__infer_same(q);
}

static bool is_plain(const snug__relu_params *p) {
  return p->negative_slope == 0.0 && p->threshold == 0.0 && isinf(p->max_value);
}

#define SNUG_REAL_FILE "ops/relu_ref.inc"
#include "ops/real.h"

static void run_plain(void *arg, int64_t begin, int64_t end) {
  const snug__call *c = arg;
  SNUG_REAL_CALL(c->sig->out[0].dtype, plain_range, (c, begin, end));
}

static void run_plain_grad(void *arg, int64_t begin, int64_t end) {
  const snug__call *c = arg;
  SNUG_REAL_CALL(c->sig->out[0].dtype, plain_grad_range, (c, begin, end));
}

static snug_status run_ranges(const snug__call *call, void (*body)(void *, int64_t, int64_t)) {
  snug__call copy = *call;
  snug__parallel_ranges(call->sig->threads, snug__type_count(&call->sig->out[0]), 16384, body,
                        &copy);
  return SNUG_OK;
}

static double relu_at(double x, const void *params) {
  const snug__relu_params *p = params;
  return x <= p->threshold  ? p->negative_slope * (x - p->threshold)
         : x > p->max_value ? p->max_value
                            : x;
}

static double relu_slope(double dy, double y, const void *params) {
  const snug__relu_params *p = params;
  return y >= p->max_value ? 0.0 : y > 0.0 ? dy : dy * p->negative_slope;
}

static snug_status relu_reference(const snug__call *call) {
  const snug__relu_params *p = call->sig->params;
  return is_plain(p) ? run_ranges(call, run_plain) : snug__unary_run(call, relu_at, p);
}

static snug_status relu_grad_reference(const snug__call *call) {
  snug__relu_params p = *(const snug__relu_params *)call->sig->params;
  p.max_value = snug__as_element(call->sig->in[0].dtype, p.max_value);
  return is_plain(&p) ? run_ranges(call, run_plain_grad)
                      : snug__unary_gradient_run(call, relu_slope, &p);
}

UNARY_PAIR_RECORDS(relu, "x, negative_slope (x - threshold) up to threshold, at most max_value",
                   out, NULL, snug__relu_params, fields, infer);
