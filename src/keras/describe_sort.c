/* The layers of a model that was built here, in Keras's order: its inputs and calls are the nodes.
 */
#include "keras/call_order.h"
#include "keras/describe_parts.h"

typedef struct sorting {
  const snug_model *m;
  snug__arena arena;
  uint32_t *producer; /* of a tensor: its node */
  snug__call_node *nodes;
  uint32_t *parents, *outputs;
  snug__vec ops; /* uint32_t: inputs, then layers */
} sorting;

static const snug__model_call *call_at(const snug_model *m, size_t c) {
  return &SNUG_VEC(&m->calls, snug__model_call, c);
}

static snug_status take_room(sorting *s) {
  const snug_model *m = s->m;
  size_t n_nodes = m->inputs.n + m->calls.n;
  size_t n_parents = 0;
  for (size_t c = 0; c < m->calls.n; c++) {
    n_parents += (size_t)call_at(m, c)->n_in;
  }
  SNUG_TRY(snug__arena_take(&s->arena, m->tensors.n * sizeof *s->producer, (void **)&s->producer));
  SNUG_TRY(snug__arena_take(&s->arena, n_nodes * sizeof *s->nodes, (void **)&s->nodes));
  SNUG_TRY(snug__arena_take(&s->arena, m->outputs.n * sizeof *s->outputs, (void **)&s->outputs));
  return snug__arena_take(&s->arena, n_parents * sizeof *s->parents, (void **)&s->parents);
}

static void fill_nodes(sorting *s) {
  const snug_model *m = s->m;
  uint32_t n_inputs = (uint32_t)m->inputs.n;
  uint32_t used = 0;
  for (uint32_t i = 0; i < n_inputs; i++) {
    s->producer[SNUG_VEC(&m->inputs, snug__model_input, i).tensor] = i;
    s->nodes[i].op = i;
  }
  for (uint32_t c = 0; c < m->calls.n; c++) {
    const snug__model_call *call = call_at(m, c);
    s->producer[call->out] = n_inputs + c;
    s->nodes[n_inputs + c] = (snug__call_node){n_inputs + call->layer, used, (uint32_t)call->n_in};
    for (int32_t i = 0; i < call->n_in; i++) {
      s->parents[used++] = s->producer[call->in[i]];
    }
  }
  for (size_t i = 0; i < m->outputs.n; i++) {
    s->outputs[i] = s->producer[SNUG_VEC(&m->outputs, snug_tensor, i)];
  }
}

static snug_status sort(sorting *s, snug__vec *out) {
  const snug_model *m = s->m;
  uint32_t n_inputs = (uint32_t)m->inputs.n;
  SNUG_TRY(take_room(s));
  fill_nodes(s);
  const snug__call_graph g = {n_inputs + m->calls.n, n_inputs + m->layers.n, s->nodes, s->parents};
  SNUG_TRY(snug__call_order(m->ctx, &g, s->outputs, m->outputs.n, NULL, 0, &s->ops));
  for (size_t i = 0; i < s->ops.n; i++) {
    uint32_t op = SNUG_VEC(&s->ops, uint32_t, i);
    bool is_input = op < n_inputs;
    snug__keras_item item = {is_input, is_input ? op : op - n_inputs};
    SNUG_TRY(snug__vec_push(out, &item, 1));
  }
  return SNUG_OK;
}

snug_status snug__keras_sort(const snug_model *m, snug__vec *out) {
  sorting s = {.m = m};
  snug__arena_init(&s.arena, m->ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&s.ops, m->ctx, SNUG__MEM_SCRATCH, sizeof(uint32_t), m->inputs.n + m->layers.n);
  snug_status status = sort(&s, out);
  snug__vec_release(&s.ops);
  snug__arena_release(&s.arena);
  return status;
}
