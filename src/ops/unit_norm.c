/* unit_norm: x over its length along an axis, a length below epsilon counting as epsilon. */
#include "device/host.h"
#include "ops/norm.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__unit_norm_params, axis, INT, "-1"),
                                     SNUG_FIELD(snug__unit_norm_params, epsilon, FLOAT, "1e-12"),
                                     {0}};

static snug_status infer(snug__infer *q) {
  const snug__unit_norm_params *p = q->params;
  int32_t axis = 0;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[0].rank, &axis));
  if (!(p->epsilon > 0.0)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: epsilon=%g must be positive", q->where,
                      p->epsilon);
  }
  q->out[0] = q->in[0];
  return SNUG_OK;
}

static snug_status grad_infer(snug__infer *q) {
  SNUG_TRY(infer(q));
  return snug__need_type_of(q, 1, 0);
}

static snug_status grad(snug__grad *g) {
  return SNUG_EMIT(g->g, unit_norm_grad, g->params, &g->din[0], g->dout[0], g->in[0]);
}

typedef struct unit_job {
  const void *x, *dy;
  void *out;
  snug_dtype dtype;
  int64_t n, inner; /* elements along the axis, and the step between them */
  double epsilon;
} unit_job;

#define SNUG_REAL_FILE "ops/unit_norm_ref.inc"
#include "ops/real.h"

static void forward_range(void *arg, int64_t begin, int64_t end) {
  const unit_job *j = arg;
  SNUG_REAL_CALL(j->dtype, unit_norm, (j, begin, end));
}

static void backward_range(void *arg, int64_t begin, int64_t end) {
  const unit_job *j = arg;
  SNUG_REAL_CALL(j->dtype, unit_norm_grad, (j, begin, end));
}

static void run(const snug__call *call, const void *x, const void *dy,
                void (*body)(void *arg, int64_t begin, int64_t end)) {
  const snug__unit_norm_params *p = call->sig->params;
  const snug__type *t = &call->sig->out[0];
  int64_t axis = p->axis < 0 ? p->axis + t->rank : p->axis;
  unit_job j = {x, dy, call->out[0], t->dtype, t->dim[axis], 1, p->epsilon};
  for (int64_t k = axis + 1; k < t->rank; k++) {
    j.inner *= t->dim[k];
  }
  int64_t lines = j.n ? snug__type_count(t) / j.n : 0;
  snug__parallel_ranges(snug__threads(call->sig), lines, 1 + 8192 / (1 + j.n), body, &j);
}

static snug_status reference(const snug__call *call) {
  run(call, call->in[0], NULL, forward_range);
  return SNUG_OK;
}

static snug_status grad_reference(const snug__call *call) {
  run(call, call->in[1], call->in[0], backward_range);
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){(sig->n_in == 1 ? 3.0 : 7.0) * (double)snug__type_count(&sig->in[0]),
                      snug__bytes_moved(sig)};
}

const snug__op snug__op_unit_norm = {.name = "unit_norm",
                                     .doc = "x over its Euclidean length along an axis",
                                     .params_bytes = sizeof(snug__unit_norm_params),
                                     .fields = fields,
                                     .min_in = 1,
                                     .max_in = 1,
                                     .min_out = 1,
                                     .max_out = 1,
                                     .in_place = {1},
                                     .infer = infer,
                                     .grad = grad,
                                     .reference = reference,
                                     .cost = cost};

const snug__op snug__op_unit_norm_grad = {.name = "unit_norm_grad",
                                          .doc = "(dy, x) -> dx of unit_norm",
                                          .params_bytes = sizeof(snug__unit_norm_params),
                                          .fields = fields,
                                          .min_in = 2,
                                          .max_in = 2,
                                          .min_out = 1,
                                          .max_out = 1,
                                          .in_place = {3},
                                          .infer = grad_infer,
                                          .reference = grad_reference,
                                          .cost = cost};
