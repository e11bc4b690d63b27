#include "grad/grad.h"

#include <string.h>

#include "graph/op.h"
#include "ops/support.h"

typedef struct backward {
  snug__graph *g;
  size_t n_values, n_nodes; /* of the forward */
  bool *needs;              /* per value: lies on a path from a wanted value */
  snug__id *gradient;       /* per value: its gradient so far, or SNUG_NONE */
} backward;

static void release(backward *b) {
  SNUG_GIVE_ARRAY(b->g->ctx, SNUG__MEM_SCRATCH, b->needs, b->n_values);
  SNUG_GIVE_ARRAY(b->g->ctx, SNUG__MEM_SCRATCH, b->gradient, b->n_values);
}

static snug_status init(backward *b, snug__graph *g) {
  *b = (backward){.g = g, .n_values = g->values.n, .n_nodes = g->nodes.n};
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, b->n_values, &b->needs));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, b->n_values, &b->gradient));
  memset(b->gradient, 0xFF, b->n_values * sizeof *b->gradient); /* SNUG_NONE */
  return SNUG_OK;
}

static bool any_needed(const backward *b, const snug__node *node) {
  for (int32_t i = 0; i < node->n_in; i++) {
    if (node->in[i] != SNUG_NONE && b->needs[node->in[i]]) {
      return true;
    }
  }
  return false;
}

/* Forward sweep: a real output needs a gradient if an input does. */
static void mark_needed(backward *b, const snug__id *wanted, size_t n) {
  for (size_t i = 0; i < n; i++) {
    b->needs[wanted[i]] = true;
  }
  for (snug__id id = 0; id < b->n_nodes; id++) {
    const snug__node *node = snug__node_at(b->g, id);
    if (any_needed(b, node)) {
      for (int32_t k = 0; k < node->n_out; k++) {
        snug__id out = node->out[k];
        if (out != SNUG_NONE && snug__dtype_is_real(snug__type_at(b->g, out)->dtype)) {
          b->needs[out] = true;
        }
      }
    }
  }
}

static snug_status accumulate(backward *b, snug__id value, snug__id d) {
  if (d == SNUG_NONE) {
    return SNUG_OK;
  }
  if (b->gradient[value] == SNUG_NONE) {
    b->gradient[value] = d;
    return SNUG_OK;
  }
  return SNUG_EMIT(b->g, add, NULL, &b->gradient[value], b->gradient[value], d);
}

/* What the rule of one node sees: copies, because the graph's arrays move while it emits. */
typedef struct rule_view {
  snug__id in[SNUG__MAX_IN], out[SNUG__MAX_OUT], din[SNUG__MAX_IN], dout[SNUG__MAX_OUT];
  bool wants[SNUG__MAX_IN];
  bool reached; /* a gradient flows in and one is wanted */
} rule_view;

static void view_node(const backward *b, const snug__node *node, rule_view *v) {
  bool flows = false;
  bool wanted = false;
  for (int32_t k = 0; k < node->n_out; k++) {
    v->out[k] = node->out[k];
    v->dout[k] = node->out[k] != SNUG_NONE && node->out[k] < b->n_values ? b->gradient[node->out[k]]
                                                                         : SNUG_NONE;
    flows = flows || v->dout[k] != SNUG_NONE;
  }
  for (int32_t i = 0; i < node->n_in; i++) {
    v->in[i] = node->in[i];
    v->din[i] = SNUG_NONE;
    v->wants[i] = node->in[i] != SNUG_NONE && b->needs[node->in[i]];
    wanted = wanted || v->wants[i];
  }
  v->reached = flows && wanted;
}

static snug_status fail_without_rule(const backward *b, const snug__node *node) {
  const char *layer = snug__layer_name(b->g, node->layer);
  return snug__fail(b->g->ctx, SNUG_E_UNSUPPORTED,
                    "%s%s%s%s: has no gradient, but the loss depends on a trained value through it",
                    layer, layer[0] ? " (" : "", node->op->name, layer[0] ? ")" : "");
}

static snug_status back_through(backward *b, snug__id id) {
  rule_view v;
  snug__node node = *snug__node_at(b->g, id);
  view_node(b, &node, &v);
  if (!v.reached) {
    return SNUG_OK;
  }
  if (!node.op->grad) {
    return fail_without_rule(b, &node);
  }
  b->g->layer = node.layer;
  snug__grad rule = {b->g, id, v.in, v.out, node.n_in, node.params, v.dout, v.wants, v.din};
  SNUG_TRY(node.op->grad(&rule));
  for (int32_t i = 0; i < node.n_in; i++) {
    if (v.wants[i]) {
      SNUG_TRY(accumulate(b, v.in[i], v.din[i]));
    }
  }
  return SNUG_OK;
}

static snug_status seed(backward *b, snug__id loss) {
  uint64_t one = 0; /* room for any dtype */
  char text[SNUG__TYPE_TEXT_BYTES];
  snug__type type = *snug__type_at(b->g, loss);
  if (type.rank != 0 || !snug__dtype_is_real(type.dtype)) {
    return snug__fail(b->g->ctx, SNUG_E_SHAPE, "the loss is %s and must be one float",
                      snug__type_text(&type, text));
  }
  b->g->layer = snug__value_at(b->g, loss)->layer;
  snug__element_set(type.dtype, &one, 0, 1.0);
  return snug__graph_constant(b->g, "one", type, &one, &b->gradient[loss]);
}

/* The bytes of a view are counted where they lie, so its memory is a gradient too. */
static void mark_gradient(const backward *b, snug__id id) {
  snug__id base = snug__value_base(b->g, id);
  if (base >= b->n_values) {
    snug__value_at(b->g, id)->class_ = SNUG__CLASS_GRADIENTS;
    snug__value_at(b->g, base)->class_ = SNUG__CLASS_GRADIENTS;
  }
}

static snug_status walk(backward *b, snug__id loss, const snug__id *wanted, size_t n,
                        snug__id *out) {
  mark_needed(b, wanted, n);
  SNUG_TRY(seed(b, loss));
  for (size_t id = b->n_nodes; id-- > 0;) {
    SNUG_TRY(back_through(b, (snug__id)id));
  }
  for (size_t i = 0; i < n; i++) {
    out[i] = b->gradient[wanted[i]];
    if (out[i] != SNUG_NONE) {
      mark_gradient(b, out[i]);
    }
  }
  return SNUG_OK;
}

snug_status snug__grad_append(snug__graph *g, snug__id loss, const snug__id *wanted, size_t n,
                              snug__id *out) {
  backward b;
  snug__id layer = g->layer;
  snug__class class_ = g->class_;
  snug_status s = init(&b, g);
  g->class_ = SNUG__CLASS_ACTIVATIONS;
  g->backward = true;
  if (!s) {
    s = walk(&b, loss, wanted, n, out);
  }
  g->layer = layer;
  g->class_ = class_;
  g->backward = false;
  release(&b);
  return s;
}
