/* moving_average: state = state momentum + value (1 - momentum). */
#include "ops/norm.h"
#include "ops/support.h"
#include "ops/unblock.h"

static const snug__field fields[] = {
    SNUG_FIELD(snug__moving_average_params, momentum, FLOAT, "0.99"), {0}};

static snug_status infer(snug__infer *q) {
  const snug__moving_average_params *p = q->params;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_real(q, 1));
  SNUG_TRY(snug__need_shape_of(q, 1, 0));
  SNUG_TRY(snug__need_enabled(q, 2));
  if (!isfinite(p->momentum)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: momentum=%g must be a number", q->where,
                      p->momentum);
  }
  q->out[0] = q->in[0];
  return SNUG_OK;
}

static snug_status reference(const snug__call *call) {
  const snug__moving_average_params *p = call->sig->params;
  const snug__type *t = call->sig->in;
  int64_t n = snug__is_disabled(call, 2) ? 0 : snug__type_count(&t[0]);
  for (int64_t i = 0; i < n; i++) {
    double s = snug__element_get(t[0].dtype, call->in[0], i);
    double v = snug__element_get(t[1].dtype, call->in[1], i);
    snug__element_set(t[0].dtype, call->out[0], i, s * p->momentum + v * (1.0 - p->momentum));
  }
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){3.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_moving_average = {
    .name = "moving_average",
    .doc = "(state, value, enabled?) -> state momentum + value (1 - momentum)",
    .params_bytes = sizeof(snug__moving_average_params),
    .fields = fields,
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .flags = SNUG__OP_NO_RECOMPUTE | SNUG__OP_BATCH_STATISTICS,
    .writes = {1},
    .infer = infer,
    .reference = reference,
    .unblock = snug__unblock_flat,
    .cost = cost};
