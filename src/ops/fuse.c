#include "ops/fuse.h"

#include "ops/support.h"
#include "ops/unary.h"

snug__epilogue_chain snug__epilogue_chain_of(snug__id value) {
  return (snug__epilogue_chain){
      .out = value, .term = SNUG_NONE, .epilogue = {SNUG__LINEAR, INFINITY}};
}

void snug__epilogue_chain_take(snug__epilogue_chain *t, snug__id node, snug__id out) {
  t->covered[t->n_covered++] = node;
  t->out = out;
}

static const snug__node *reader_of(const snug__rewrite *r, const snug__epilogue_chain *t,
                                   snug__id *id) {
  *id = snug__sole_reader(&r->uses, t->out);
  return *id == SNUG_NONE ? NULL : snug__node_at(r->from, *id);
}

void snug__epilogue_chain_take_sum(const snug__rewrite *r, const snug__type *term,
                                   snug__epilogue_chain *t) {
  snug__id id = SNUG_NONE;
  const snug__node *node = reader_of(r, t, &id);
  if (!snug__node_is(node, &snug__op_add)) {
    return;
  }
  snug__id other = node->in[node->in[0] == t->out ? 1 : 0];
  if (snug__rewritten(r, other) != SNUG_NONE &&
      snug__type_equal(snug__type_at(r->from, other), term)) {
    t->term = other;
    snug__epilogue_chain_take(t, id, node->out[0]);
  }
}

void snug__epilogue_chain_take_relu(const snug__rewrite *r, snug__epilogue_chain *t) {
  snug__id id = SNUG_NONE;
  const snug__node *node = reader_of(r, t, &id);
  if (!snug__node_is(node, &snug__op_relu)) {
    return;
  }
  const snug__relu_params *p = node->params;
  if (p->negative_slope == 0.0 && p->threshold == 0.0) {
    t->epilogue = (snug__epilogue){SNUG__RELU, p->max_value};
    snug__epilogue_chain_take(t, id, node->out[0]);
  }
}

void snug__epilogue_chain_replace(snug__rewrite *r, const snug__epilogue_chain *t, snug__id made) {
  snug__rewrite_map(r, t->out, made);
  for (int32_t i = 0; i < t->n_covered; i++) {
    snug__rewrite_cover(r, t->covered[i]);
  }
}
