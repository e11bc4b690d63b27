/* argmax: where the first of the largest elements along an axis stands. */
#include "device/host.h"
#include "ops/reduce.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__argmax_params, axis, INT, "-1"),
                                     SNUG_FIELD(snug__argmax_params, keepdims, BOOL, "false"),
                                     {0}};

static snug_status infer(snug__infer *q) {
  const snug__argmax_params *p = q->params;
  int64_t dim[SNUG_MAX_RANK] = {0};
  int32_t axis = 0;
  int32_t rank = 0;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[0].rank, &axis));
  if (q->in[0].dim[axis] < 1 || q->in[0].dim[axis] > INT32_MAX) {
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: axis %d has %lld elements; 1 to 2^31-1 are supported", q->where, axis,
                      (long long)q->in[0].dim[axis]);
  }
  for (int32_t k = 0; k < q->in[0].rank; k++) {
    if (k != axis || p->keepdims) {
      dim[rank++] = k == axis ? 1 : q->in[0].dim[k];
    }
  }
  q->out[0] = snug__type_of(SNUG_INT32, rank, dim);
  return SNUG_OK;
}

typedef struct argmax_job {
  const void *x;
  int32_t *y;
  snug_dtype dtype;
  int64_t n, inner; /* elements along the axis, and the step between them */
} argmax_job;

#define SNUG_REAL_FILE "ops/argmax_ref.inc"
#include "ops/real.h"

static void run_range(void *arg, int64_t begin, int64_t end) {
  const argmax_job *j = arg;
  SNUG_REAL_CALL(j->dtype, argmax, (j, begin, end));
}

static snug_status reference(const snug__call *call) {
  const snug__argmax_params *p = call->sig->params;
  const snug__type *x = &call->sig->in[0];
  int64_t axis = p->axis < 0 ? p->axis + x->rank : p->axis;
  argmax_job j = {
      .x = call->in[0], .y = call->out[0], .dtype = x->dtype, .n = x->dim[axis], .inner = 1};
  for (int64_t k = axis + 1; k < x->rank; k++) {
    j.inner *= x->dim[k];
  }
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(&call->sig->out[0]),
                        1 + 8192 / j.n, run_range, &j);
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){(double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_argmax = {.name = "argmax",
                                  .doc = "index of the first largest element along an axis, int32",
                                  .params_bytes = sizeof(snug__argmax_params),
                                  .fields = fields,
                                  .min_in = 1,
                                  .max_in = 1,
                                  .min_out = 1,
                                  .max_out = 1,
                                  .infer = infer,
                                  .reference = reference,
                                  .cost = cost};
