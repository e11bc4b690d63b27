/* permute: the axes in another order. */
#include "device/host.h"
#include "ops/copy.h"
#include "ops/shape.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__permute_params, axes, INTS, NULL), {0}};

static snug_status fail_axes(const snug__infer *q) {
  return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                    "%s: axes must name each of the %d axes of the input once", q->where,
                    q->in[0].rank);
}

static snug_status infer(snug__infer *q) {
  const snug__permute_params *p = q->params;
  uint32_t seen = 0;
  q->out[0] = q->in[0];
  if (p->axes.n != q->in[0].rank) {
    return fail_axes(q);
  }
  for (int32_t k = 0; k < q->in[0].rank; k++) {
    int64_t axis = p->axes.v[k];
    if (axis < 0 || axis >= q->in[0].rank || seen >> axis & 1) {
      return fail_axes(q);
    }
    seen |= 1u << axis;
    q->out[0].dim[k] = q->in[0].dim[axis];
  }
  return SNUG_OK;
}

static snug_status grad(snug__grad *g) {
  const snug__permute_params *p = g->params;
  snug__permute_params back;
  memset(&back, 0, sizeof back);
  back.axes.n = p->axes.n;
  for (int32_t k = 0; k < p->axes.n; k++) {
    back.axes.v[p->axes.v[k]] = k;
  }
  return SNUG_EMIT(g->g, permute, &back, &g->din[0], g->dout[0]);
}

static snug_status reference(const snug__call *call) {
  const snug__permute_params *p = call->sig->params;
  const snug__type *to = &call->sig->out[0];
  snug__copy copy = {.dst = call->out[0], .src = call->in[0], .bytes = snug_dtype_bytes(to->dtype)};
  int64_t strides[SNUG_MAX_RANK];
  int64_t from[SNUG_MAX_RANK];
  snug__row_major(to, strides);
  snug__row_major(&call->sig->in[0], from);
  for (int32_t k = 0; k < to->rank; k++) {
    snug__copy_axis(&copy, to->dim[k], strides[k], from[p->axes.v[k]]);
  }
  snug__copy_run(copy, snug__threads(call->sig));
  return SNUG_OK;
}

const snug__op snug__op_permute = {.name = "permute",
                                   .doc = "axes in another order",
                                   .params_bytes = sizeof(snug__permute_params),
                                   .fields = fields,
                                   .min_in = 1,
                                   .max_in = 1,
                                   .min_out = 1,
                                   .max_out = 1,
                                   .infer = infer,
                                   .grad = grad,
                                   .reference = reference,
                                   .cost = snug__move_cost};
