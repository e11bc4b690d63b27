#include "model/layers/axes.h"

snug_status snug__layer_gather(const snug__layer_call *c, snug__id v, uint32_t set,
                               snug__gathered *g, snug__id *out) {
  int32_t rank = snug__layer_type(c, v)->rank;
  memset(g, 0, sizeof *g);
  for (uint32_t last = 0; last < 2; last++) {
    for (int32_t k = 0; k < rank; k++) {
      if ((set >> k & 1) == last) {
        g->moved = g->moved || g->order.axes.n != k;
        g->order.axes.v[g->order.axes.n++] = k;
      }
    }
  }
  *out = v;
  return g->moved ? SNUG_EMIT(c->b->g, permute, &g->order, out, v) : SNUG_OK;
}

snug_status snug__layer_scatter(const snug__layer_call *c, snug__id v, const snug__gathered *g,
                                snug__id *out) {
  snug__permute_params back;
  memset(&back, 0, sizeof back);
  back.axes.n = g->order.axes.n;
  for (int32_t k = 0; k < back.axes.n; k++) {
    back.axes.v[g->order.axes.v[k]] = k;
  }
  *out = v;
  return g->moved ? SNUG_EMIT(c->b->g, permute, &back, out, v) : SNUG_OK;
}

snug_status snug__layer_over(snug__layer_call *c, const snug__op *op, const void *params,
                             uint32_t set, int32_t n) {
  snug__gathered g;
  SNUG_TRY(snug__layer_gather(c, c->in[0], set, &g, &c->out));
  snug__type whole = *snug__layer_type(c, c->out);
  snug__type folded = snug__type_of(whole.dtype, whole.rank - n + 1, whole.dim);
  for (int32_t k = folded.rank; k < whole.rank; k++) {
    folded.dim[folded.rank - 1] *= whole.dim[k];
  }
  SNUG_TRY(snug__emit_reshape(c->b->g, c->out, &folded, &c->out));
  SNUG_TRY(snug__graph_add(c->b->g, op, params, &c->out, 1, &c->out, 1));
  SNUG_TRY(snug__emit_reshape(c->b->g, c->out, &whole, &c->out));
  return snug__layer_scatter(c, c->out, &g, &c->out);
}
