/* relu: the rectifier with slope, ceiling and threshold.
 *
 * y = min(x, max_value) where x > threshold, else negative_slope (x - threshold).  With no
 * parameter below 0, y > 0 exactly where x > threshold (or the ceiling is 0), so y is enough for
 * the gradient; at the ceiling no gradient flows. */
#include "device/host.h"
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

typedef struct relu_job {
  const snug__call *call;
  snug__relu_params p;
} relu_job;

#define SNUG_REAL_FILE "ops/relu_ref.inc"
#include "ops/real.h"

static void run_forward(void *arg, int64_t begin, int64_t end) {
  const relu_job *j = arg;
  if (is_plain(&j->p)) {
    SNUG_REAL_CALL(j->call->sig->out[0].dtype, plain_range, (j, begin, end));
  } else {
    SNUG_REAL_CALL(j->call->sig->out[0].dtype, general_range, (j, begin, end));
  }
}

static void run_backward(void *arg, int64_t begin, int64_t end) {
  const relu_job *j = arg;
  if (is_plain(&j->p)) {
    SNUG_REAL_CALL(j->call->sig->out[0].dtype, plain_grad_range, (j, begin, end));
  } else {
    SNUG_REAL_CALL(j->call->sig->out[0].dtype, general_grad_range, (j, begin, end));
  }
}

static snug_status run(const snug__call *call, void (*body)(void *, int64_t, int64_t)) {
  const snug__type *t = &call->sig->out[0];
  relu_job job = {call, *(const snug__relu_params *)call->sig->params};
  job.p.max_value = snug__as_element(t->dtype, job.p.max_value);
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(t), 16384, body, &job);
  return SNUG_OK;
}

static snug_status relu_reference(const snug__call *call) { return run(call, run_forward); }
static snug_status relu_grad_reference(const snug__call *call) { return run(call, run_backward); }

UNARY_PAIR_RECORDS(relu, "x, negative_slope (x - threshold) up to threshold, at most max_value",
                   out, NULL, snug__relu_params, fields, infer);
