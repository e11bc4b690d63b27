/* reorder: the same value in the layout that the output has. */
#include "device/host.h"
#include "ops/relayout.h"
#include "ops/support.h"

static snug_status infer(snug__infer *q) {
  q->out[0] = snug__type_in(q->in[0], SNUG__LAYOUT_PLAIN);
  return SNUG_OK;
}

static snug_status grad(snug__grad *g) {
  g->din[0] = g->dout[0];
  return SNUG_OK;
}

static snug_status reference(const snug__call *call) {
  const snug__signature *sig = call->sig;
  snug__relayout_threaded(&sig->in[0], call->in[0], &sig->out[0], call->out[0], snug__threads(sig));
  return SNUG_OK;
}

const snug__op snug__op_reorder = {.name = "reorder",
                                   .doc = "the same value in another layout",
                                   .min_in = 1,
                                   .max_in = 1,
                                   .min_out = 1,
                                   .max_out = 1,
                                   .flags = SNUG__OP_ANY_LAYOUT,
                                   .infer = infer,
                                   .grad = grad,
                                   .reference = reference,
                                   .cost = snug__move_cost};
