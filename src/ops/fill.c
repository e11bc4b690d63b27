/* fill: one value everywhere. */
#include "device/host.h"
#include "ops/copy.h"
#include "ops/shape.h"
#include "ops/support.h"

static const snug__field fields[] = {
    SNUG_FIELD(snug__fill_params, shape, INTS, "[]"),
    SNUG_FIELD(snug__fill_params, value, FLOAT, "0"),
    SNUG_CHOICE(snug__fill_params, dtype, snug__dtype_choices, "float32"),
    {0}};

static snug_status infer(snug__infer *q) {
  const snug__fill_params *p = q->params;
  char text[SNUG__TYPE_TEXT_BYTES];
  if (p->shape.n > SNUG_MAX_RANK) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: %d axes; there may be at most %d", q->where,
                      p->shape.n, SNUG_MAX_RANK);
  }
  q->out[0] = snug__type_of((snug_dtype)p->dtype, p->shape.n, p->shape.v);
  if (!snug__type_is_valid(&q->out[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: %s is not a possible type", q->where,
                      snug__type_text(&q->out[0], text));
  }
  return SNUG_OK;
}

static snug_status reference(const snug__call *call) {
  const snug__fill_params *p = call->sig->params;
  snug__fill(&call->sig->out[0], call->out[0], p->value, snug__threads(call->sig));
  return SNUG_OK;
}

const snug__op snug__op_fill = {.name = "fill",
                                .doc = "one value everywhere",
                                .params_bytes = sizeof(snug__fill_params),
                                .fields = fields,
                                .min_in = 0,
                                .max_in = 0,
                                .min_out = 1,
                                .max_out = 1,
                                .infer = infer,
                                .reference = reference,
                                .cost = snug__move_cost};
