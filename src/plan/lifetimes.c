/* From an order to lifetimes, and from lifetimes to buffers. */
#include <string.h>

#include "graph/op.h"
#include "plan/plan.h"

bool snug__plan_is_placed(const snug__graph *g, snug__id id) {
  const snug__value *v = snug__value_at(g, id);
  return v->view_of == SNUG_NONE && (v->kind == SNUG__TEMPORARY || v->kind == SNUG__INPUT);
}

static void extend(int64_t *end, int64_t to) { *end = to > *end ? to : *end; }

void snug__plan_lifetimes(const snug__graph *g, const snug__id *order, int64_t *first,
                          int64_t *end) {
  memset(first, 0, g->values.n * sizeof *first);
  memset(end, 0, g->values.n * sizeof *end);
  for (snug__id v = 0; v < g->values.n; v++) { /* inputs are filled before the first node */
    end[v] = snug__value_at(g, v)->kind == SNUG__INPUT ? 1 : 0;
  }
  for (size_t position = 0; position < g->nodes.n; position++) {
    const snug__node *node = snug__node_at(g, order[position]);
    for (int32_t k = 0; k < node->n_out; k++) {
      if (node->out[k] != SNUG_NONE && snug__plan_is_placed(g, node->out[k])) {
        first[node->out[k]] = (int64_t)position;
        extend(&end[node->out[k]], (int64_t)position + 1);
      }
    }
    for (int32_t i = 0; i < node->n_in; i++) {
      snug__id base = node->in[i] == SNUG_NONE ? SNUG_NONE : snug__value_base(g, node->in[i]);
      if (base != SNUG_NONE && snug__plan_is_placed(g, base)) {
        extend(&end[base], (int64_t)position + 1);
      }
    }
  }
  for (size_t i = 0; i < g->outputs.n; i++) {
    snug__id base = snug__value_base(g, SNUG_VEC(&g->outputs, snug__id, i));
    if (snug__plan_is_placed(g, base)) {
      extend(&end[base], (int64_t)g->nodes.n + 1);
    }
  }
}

/* Input i of a node as a donor of its memory to an output of so many bytes: it must be a whole
 * buffer that nobody reads later, and the node must not read it through another input as well. */
static bool can_donate(const snug__plan *p, const snug__graph *g, const snug__node *node, int32_t i,
                       int64_t position, int64_t bytes) {
  if (i >= node->n_in || node->in[i] == SNUG_NONE) {
    return false;
  }
  snug__id base = snug__value_base(g, node->in[i]);
  if (!snug__plan_is_placed(g, base) || p->end[base] != position + 1 ||
      snug__value_at(g, node->in[i])->view_offset != 0 ||
      snug__type_bytes(snug__type_at(g, base)) != bytes) {
    return false;
  }
  for (int32_t k = 0; k < node->n_in; k++) {
    if (k != i && node->in[k] != SNUG_NONE && snug__value_base(g, node->in[k]) == base) {
      return false;
    }
  }
  return true;
}

static bool is_taken(const snug__plan *p, const snug__node *node, int32_t before, snug__id buffer) {
  for (int32_t k = 0; k < before; k++) {
    if (node->out[k] != SNUG_NONE && p->buffer_of[node->out[k]] == buffer) {
      return true;
    }
  }
  return false;
}

/* The buffer that output k of a node can take over, or SNUG_NONE. */
static snug__id donor(const snug__plan *p, const snug__graph *g, const snug__node *node,
                      uint64_t allowed, int32_t k, int64_t position) {
  int64_t bytes = snug__type_bytes(snug__type_at(g, node->out[k]));
  for (int32_t i = 0; allowed >> i && i < node->n_in; i++) {
    if (allowed >> i & 1 && can_donate(p, g, node, i, position, bytes)) {
      snug__id buffer = p->buffer_of[snug__value_base(g, node->in[i])];
      if (!is_taken(p, node, k, buffer)) {
        return buffer;
      }
    }
  }
  return SNUG_NONE;
}

static snug__id new_buffer(snug__plan *p, int64_t bytes, int64_t first, int64_t end, snug__id value,
                           snug__id node) {
  p->buffers[p->n_buffers] = (snug__buffer){bytes, 0, first, end, value, node};
  return (snug__id)p->n_buffers++;
}

static void place_output(snug__plan *p, const snug__graph *g, snug__id id, const snug__needs *needs,
                         int32_t k, int64_t position, bool in_place) {
  const snug__node *node = snug__node_at(g, id);
  snug__id v = node->out[k];
  snug__id buffer = in_place ? donor(p, g, node, needs[id].in_place[k], k, position) : SNUG_NONE;
  if (buffer == SNUG_NONE) {
    buffer =
        new_buffer(p, snug__type_bytes(snug__type_at(g, v)), p->first[v], p->end[v], v, SNUG_NONE);
  }
  extend(&p->buffers[buffer].end, p->end[v]);
  p->buffer_of[v] = buffer;
}

void snug__plan_buffers(snug__plan *p, const snug__graph *g, const snug__needs *needs,
                        bool in_place) {
  memset(p->buffer_of, 0xFF, p->n_values * sizeof *p->buffer_of);
  memset(p->scratch_of, 0xFF, p->n_nodes * sizeof *p->scratch_of);
  for (snug__id v = 0; v < p->n_values; v++) {
    if (snug__value_at(g, v)->kind == SNUG__INPUT) {
      p->buffer_of[v] = new_buffer(p, snug__type_bytes(snug__type_at(g, v)), p->first[v], p->end[v],
                                   v, SNUG_NONE);
    }
  }
  for (size_t position = 0; position < p->n_nodes; position++) {
    snug__id id = p->order[position];
    const snug__node *node = snug__node_at(g, id);
    for (int32_t k = 0; k < node->n_out; k++) {
      if (node->out[k] != SNUG_NONE && snug__plan_is_placed(g, node->out[k])) {
        place_output(p, g, id, needs, k, (int64_t)position, in_place);
      }
    }
    if (needs[id].scratch_bytes > 0) {
      int64_t at = (int64_t)position;
      p->scratch_of[id] = new_buffer(p, needs[id].scratch_bytes, at, at + 1, SNUG_NONE, id);
    }
  }
}
