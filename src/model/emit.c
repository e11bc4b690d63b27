/* Graphs of a model: every call that an output needs is emitted again, in the order it was made. */
#include "model/model.h"

snug_status snug__model_emit_call(snug__build *b, const snug__layer *layer, size_t index,
                                  const snug__id *in, int32_t n, snug__id *out) {
  snug__layer_call c = {b, layer, layer->config, in, n, (uint32_t)index, SNUG_NONE};
  SNUG_TRY(snug__graph_layer(b->g, layer->name, NULL));
  SNUG_TRY(layer->class_->call(&c));
  *out = c.out;
  return SNUG_OK;
}

static snug_status emit_inputs(snug_model *m, snug__build *b, int64_t batch, snug__id *values,
                               snug__id *in) {
  for (size_t i = 0; i < m->inputs.n; i++) {
    const snug__model_input *input = &SNUG_VEC(&m->inputs, snug__model_input, i);
    snug__type type = SNUG_VEC(&m->tensors, snug__model_tensor, input->tensor).type;
    type.dim[0] = batch;
    SNUG_TRY(snug__graph_layer(b->g, input->name, NULL));
    SNUG_TRY(snug__graph_input(b->g, input->name, type, &in[i]));
    values[input->tensor] = in[i];
  }
  return SNUG_OK;
}

static snug_status replay(snug_model *m, snug__build *b, snug__id *values) {
  snug__id in[SNUG__CALL_INPUTS];
  const bool training = b->training;
  for (size_t c = 0; c < m->calls.n; c++) {
    const snug__model_call *call = &SNUG_VEC(&m->calls, snug__model_call, c);
    if (!call->needed) {
      continue;
    }
    for (int32_t i = 0; i < call->n_in; i++) {
      in[i] = values[call->in[i]];
    }
    const snug__layer *layer = &SNUG_VEC(&m->layers, snug__layer, call->layer);
    b->training = training && !call->infers;
    snug_status s = snug__model_emit_call(b, layer, c, in, call->n_in, &values[call->out]);
    b->training = training;
    SNUG_TRY(s);
  }
  return SNUG_OK;
}

snug_status snug__model_emit(snug_model *m, snug__build *b, int64_t batch, snug__id *in,
                             snug__id *out) {
  snug__id *values = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, m->tensors.n, &values));
  snug_status s = emit_inputs(m, b, batch, values, in);
  s = s ? s : replay(m, b, values);
  for (size_t i = 0; !s && i < m->outputs.n; i++) {
    out[i] = values[SNUG_VEC(&m->outputs, snug_tensor, i)];
  }
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, values, m->tensors.n);
  return s;
}
