/* Graphs of a model: every call that an output needs is emitted again, in the order it was made. */
#include "model/model.h"

/* A tensor in the graph that is made. */
typedef struct emitted {
  snug__id value, mask;
} emitted;

static snug_status emit_inputs(snug_model *m, snug__build *b, int64_t batch, emitted *tensors,
                               snug__id *in) {
  for (size_t i = 0; i < m->inputs.n; i++) {
    const snug__model_input *input = &SNUG_VEC(&m->inputs, snug__model_input, i);
    snug__type type = SNUG_VEC(&m->tensors, snug__model_tensor, input->tensor).type;
    type.dim[0] = batch;
    SNUG_TRY(snug__graph_layer(b->g, input->name, NULL));
    SNUG_TRY(snug__graph_input(b->g, input->name, type, &in[i]));
    tensors[input->tensor] = (emitted){in[i], SNUG_NONE};
  }
  return SNUG_OK;
}

static snug_status replay_call(snug_model *m, snug__build *b, size_t index, emitted *tensors) {
  const snug__model_call *call = &SNUG_VEC(&m->calls, snug__model_call, index);
  snug__id in[SNUG__CALL_INPUTS];
  snug__id masks[SNUG__CALL_INPUTS];
  snug__layer_call c = {.b = b,
                        .layer = &SNUG_VEC(&m->layers, snug__layer, call->layer),
                        .in = in,
                        .masks = masks,
                        .n_in = call->n_in,
                        .index = (uint32_t)index};
  for (int32_t i = 0; i < call->n_in; i++) {
    in[i] = tensors[call->in[i]].value;
    masks[i] = tensors[call->in[i]].mask;
  }
  snug_status s = snug__layer_emit(&c);
  tensors[call->out] = (emitted){c.out, c.mask};
  return s;
}

static snug_status replay(snug_model *m, snug__build *b, emitted *tensors) {
  for (size_t c = 0; c < m->calls.n; c++) {
    if (SNUG_VEC(&m->calls, snug__model_call, c).needed) {
      SNUG_TRY(replay_call(m, b, c, tensors));
    }
  }
  return SNUG_OK;
}

snug_status snug__model_emit(snug_model *m, snug__build *b, int64_t batch, snug__id *in,
                             snug__id *out, snug__id *masks) {
  emitted *tensors = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, m->tensors.n, &tensors));
  snug_status s = emit_inputs(m, b, batch, tensors, in);
  s = s ? s : replay(m, b, tensors);
  for (size_t i = 0; !s && i < m->outputs.n; i++) {
    const emitted *t = &tensors[SNUG_VEC(&m->outputs, snug_tensor, i)];
    out[i] = t->value;
    if (masks) {
      masks[i] = t->mask;
    }
  }
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, tensors, m->tensors.n);
  return s;
}
