#include "graph/rewrite.h"

#include <string.h>

#include "base/ctx.h"
#include "graph/parts.h"

void snug__rewrite_release(snug__rewrite *r) {
  if (r->from) {
    SNUG_GIVE_ARRAY(r->from->ctx, SNUG__MEM_SCRATCH, r->map, r->from->values.n);
    SNUG_GIVE_ARRAY(r->from->ctx, SNUG__MEM_SCRATCH, r->done, r->from->nodes.n);
    snug__uses_release(&r->uses);
    snug__graph_destroy(r->to);
  }
  *r = (snug__rewrite){0};
}

static snug_status copy_layers(snug__rewrite *r) {
  for (snug__id i = 0; i < r->from->layers.n; i++) {
    SNUG_TRY(snug__graph_layer(r->to, snug__layer_name(r->from, i), NULL));
  }
  return SNUG_OK;
}

static snug_status copy_leaf(snug__rewrite *r, snug__id id) {
  const snug__value *old = snug__value_at(r->from, id);
  snug__id made = SNUG_NONE;
  r->to->layer = old->layer;
  SNUG_TRY(old->kind == SNUG__INPUT ? snug__graph_input(r->to, old->name, old->type, &made)
           : old->kind == SNUG__CONSTANT
               ? snug__graph_constant(r->to, old->name, old->type, old->data, &made)
               : snug__graph_variable(r->to, old->name, old->kind, old->class_, old->type,
                                      old->variable, &made));
  snug__value_at(r->to, made)->class_ = old->class_;
  r->map[id] = made;
  return SNUG_OK;
}

static snug_status start(snug__rewrite *r) {
  snug_ctx *ctx = r->from->ctx;
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, r->from->values.n, &r->map));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, r->from->nodes.n, &r->done));
  memset(r->map, 0xFF, r->from->values.n * sizeof *r->map); /* SNUG_NONE */
  SNUG_TRY(snug__uses_init(&r->uses, r->from));
  SNUG_TRY(snug__graph_create(ctx, &r->to));
  SNUG_TRY(copy_layers(r));
  for (snug__id id = 0; id < r->from->values.n; id++) {
    if (snug__value_at(r->from, id)->kind != SNUG__TEMPORARY) {
      SNUG_TRY(copy_leaf(r, id));
    }
  }
  return SNUG_OK;
}

void snug__rewrite_as(snug__rewrite *r, snug__id node) {
  const snug__node *old = snug__node_at(r->from, node);
  r->to->layer = old->layer;
  r->to->backward = old->backward;
  r->to->class_ = SNUG__CLASS_ACTIVATIONS;
}

void snug__rewrite_map(snug__rewrite *r, snug__id old, snug__id value) {
  snug__value *v = snug__value_at(r->to, value);
  if (v->kind == SNUG__TEMPORARY && v->view_of == SNUG_NONE) {
    v->class_ = snug__value_at(r->from, old)->class_;
    v->layer = snug__value_at(r->from, old)->layer;
  }
  r->map[old] = value;
}

/* An added output takes over class, owner and layout of the old one. */
static void take_after(snug__rewrite *r, snug__id old, snug__id value) {
  snug__value *v = snug__value_at(r->to, value);
  v->type.layout = snug__type_at(r->from, old)->layout;
  if (v->kind == SNUG__TEMPORARY && v->view_of == SNUG_NONE) {
    v->class_ = snug__value_at(r->from, old)->class_;
    v->layer = snug__value_at(r->from, old)->layer;
  }
}

snug_status snug__rewrite_again(snug__rewrite *r, snug__id id, const snug__id *in,
                                snug__id outs[SNUG__MAX_OUT]) {
  const snug__node *old = snug__node_at(r->from, id);
  SNUG_TRY(snug__graph_add(r->to, old->op, old->params, in, old->n_in, outs, old->op->min_out));
  snug__id made = (snug__id)r->to->nodes.n - 1;
  snug__node_at(r->to, made)->kernel = old->kernel;
  for (int32_t k = 0; k < old->n_out; k++) {
    if (old->out[k] != SNUG_NONE) {
      SNUG_TRY(k < old->op->min_out ? SNUG_OK : snug__graph_want_output(r->to, made, k, &outs[k]));
      take_after(r, old->out[k], outs[k]);
    }
  }
  return SNUG_OK;
}

snug_status snug__rewrite_copy(snug__rewrite *r, snug__id id, const snug__id *in) {
  const snug__node *old = snug__node_at(r->from, id);
  snug__id outs[SNUG__MAX_OUT];
  snug__rewrite_as(r, id);
  SNUG_TRY(snug__rewrite_again(r, id, in, outs));
  for (int32_t k = 0; k < old->n_out; k++) {
    if (old->out[k] != SNUG_NONE) {
      r->map[old->out[k]] = outs[k];
    }
  }
  return SNUG_OK;
}

static snug_status fail_missing(const snug__rewrite *r, snug__id old) {
  return snug__fail(r->from->ctx, SNUG_E_INTERNAL, "a pass took away %%%u, which is still read",
                    old);
}

static snug_status copy_node(snug__rewrite *r, snug__id id) {
  const snug__node *old = snug__node_at(r->from, id);
  snug__id in[SNUG__MAX_IN];
  for (int32_t i = 0; i < old->n_in; i++) {
    in[i] = snug__rewritten(r, old->in[i]);
    if (in[i] == SNUG_NONE && old->in[i] != SNUG_NONE) {
      return fail_missing(r, old->in[i]);
    }
  }
  return snug__rewrite_copy(r, id, in);
}

static snug_status emit_node(snug__rewrite *r, snug__id id) {
  bool replaced = false;
  if (r->done[id]) {
    return SNUG_OK;
  }
  SNUG_TRY(r->replace(r, id, &replaced));
  return replaced ? SNUG_OK : copy_node(r, id);
}

static snug_status emit_all(snug__rewrite *r) {
  for (snug__id i = 0; i < r->from->nodes.n; i++) {
    SNUG_TRY(emit_node(r, r->order ? r->order[i] : i));
  }
  for (size_t i = 0; i < r->from->outputs.n; i++) {
    snug__id old = SNUG_VEC(&r->from->outputs, snug__id, i);
    SNUG_TRY(r->map[old] == SNUG_NONE ? fail_missing(r, old)
                                      : snug__graph_output(r->to, r->map[old]));
  }
  return SNUG_OK;
}

snug_status snug__rewrite_run(snug__rewrite *r) {
  SNUG_TRY(emit_all(r));
  return snug__graph_verify(r->to);
}

snug_status snug__rewrite_open(const snug__graph *from,
                               snug_status (*replace)(snug__rewrite *r, snug__id node,
                                                      bool *replaced),
                               void *arg, snug__rewrite *out) {
  *out = (snug__rewrite){.from = from, .replace = replace, .arg = arg};
  snug_status s = start(out);
  if (s) {
    snug__rewrite_release(out);
  }
  return s;
}
