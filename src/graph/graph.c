/* Building a graph: values, nodes, layers.  Text and verification have files of their own. */
#include "graph/graph.h"

#include <stdio.h>
#include <string.h>

#include "graph/parts.h"

#define MAX_VALUES (1u << 24)
#define WHERE_BYTES 256

static const char *const class_texts[] = {
#define SNUG__CLASS_TEXT(name, text) text,
    SNUG__CLASS_LIST(SNUG__CLASS_TEXT)
#undef SNUG__CLASS_TEXT
};

const char *snug__class_text(snug__class c) { return c < SNUG__CLASS_COUNT ? class_texts[c] : ""; }

const char *snug__kind_text(snug__kind kind) {
  static const char *const texts[] = {"input", "weight", "state", "constant", "temporary"};
  return kind < SNUG_COUNT(texts) ? texts[kind] : "";
}

snug_status snug__graph_create(snug_ctx *ctx, snug__graph **out) {
  snug__graph *g = NULL;
  *out = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_GRAPH, &g));
  g->ctx = ctx;
  g->layer = SNUG_NONE;
  g->class_ = SNUG__CLASS_ACTIVATIONS;
  snug__arena_init(&g->arena, ctx, SNUG__MEM_GRAPH);
  snug__vec_init(&g->values, ctx, SNUG__MEM_GRAPH, sizeof(snug__value), MAX_VALUES);
  snug__vec_init(&g->nodes, ctx, SNUG__MEM_GRAPH, sizeof(snug__node), MAX_VALUES);
  snug__vec_init(&g->layers, ctx, SNUG__MEM_GRAPH, sizeof(const char *), MAX_VALUES);
  snug__vec_init(&g->outputs, ctx, SNUG__MEM_GRAPH, sizeof(snug__id), MAX_VALUES);
  *out = g;
  return SNUG_OK;
}

void snug__graph_destroy(snug__graph *g) {
  if (g) {
    snug__vec_release(&g->outputs);
    snug__vec_release(&g->layers);
    snug__vec_release(&g->nodes);
    snug__vec_release(&g->values);
    snug__arena_release(&g->arena);
    snug__give(g->ctx, SNUG__MEM_GRAPH, g, sizeof *g);
  }
}

snug_status snug__graph_layer(snug__graph *g, const char *name, snug__id *out) {
  const char *copy = NULL;
  SNUG_TRY(snug__arena_text(&g->arena, name, &copy));
  SNUG_TRY(snug__vec_push(&g->layers, &copy, 1));
  g->layer = (snug__id)g->layers.n - 1;
  if (out) {
    *out = g->layer;
  }
  return SNUG_OK;
}

const char *snug__layer_name(const snug__graph *g, snug__id layer) {
  return layer < g->layers.n ? SNUG_VEC(&g->layers, const char *, layer) : "";
}

void snug__graph_types(const snug__graph *g, const snug__id *ids, int32_t n, snug__type *types) {
  memset(types, 0, (size_t)n * sizeof *types); /* padding too: signatures are compared as bytes */
  for (int32_t i = 0; i < n; i++) {
    if (ids[i] != SNUG_NONE) {
      types[i] = *snug__type_at(g, ids[i]);
    }
  }
}

snug__id snug__value_base(const snug__graph *g, snug__id id) {
  snug__id base = snug__value_at(g, id)->view_of;
  return base == SNUG_NONE ? id : base;
}

static snug__value new_value(const snug__graph *g, snug__type type, snug__kind kind,
                             snug__class c) {
  return (snug__value){.type = type,
                       .kind = kind,
                       .class_ = c,
                       .producer = SNUG_NONE,
                       .layer = g->layer,
                       .view_of = SNUG_NONE,
                       .variable = SNUG_NONE,
                       .name = ""};
}

static snug_status check_type(const snug__graph *g, const char *name, const snug__type *type) {
  char text[SNUG__TYPE_TEXT_BYTES];
  if (snug__type_is_valid(type)) {
    return SNUG_OK;
  }
  return snug__fail(g->ctx, SNUG_E_SHAPE,
                    "%s: %s is not a possible shape (sizes must not be negative and the bytes must "
                    "fit into 63 bits)",
                    name[0] ? name : "value", snug__type_text(type, text));
}

/* Add a value without a producer; fills in its name. */
static snug_status push_named(snug__graph *g, const char *name, snug__value v, snug__id *out) {
  SNUG_TRY(check_type(g, name, &v.type));
  SNUG_TRY(snug__arena_text(&g->arena, name, &v.name));
  SNUG_TRY(snug__vec_push(&g->values, &v, 1));
  *out = (snug__id)g->values.n - 1;
  return SNUG_OK;
}

snug_status snug__graph_input(snug__graph *g, const char *name, snug__type type, snug__id *out) {
  return push_named(g, name, new_value(g, type, SNUG__INPUT, SNUG__CLASS_DATA), out);
}

snug_status snug__graph_variable(snug__graph *g, const char *name, snug__kind kind,
                                 snug__class class_, snug__type type, snug__id variable,
                                 snug__id *out) {
  snug__value v = new_value(g, type, kind, class_);
  v.variable = variable;
  return push_named(g, name, v, out);
}

snug_status snug__graph_constant(snug__graph *g, const char *name, snug__type type,
                                 const void *data, snug__id *out) {
  snug__value v = new_value(g, type, SNUG__CONSTANT, SNUG__CLASS_WEIGHTS);
  void *copy = NULL;
  SNUG_TRY(check_type(g, name, &type));
  SNUG_TRY(snug__arena_take(&g->arena, (size_t)snug__type_bytes(&type), &copy));
  if (snug__type_bytes(&type)) { /* data of no bytes may be NULL */
    memcpy(copy, data, (size_t)snug__type_bytes(&type));
  }
  v.data = copy;
  return push_named(g, name, v, out);
}

static snug_status check_counts(const snug__graph *g, const char *where, const snug__op *op,
                                int32_t n_in, int32_t n_out) {
  if (n_in < op->min_in || n_in > op->max_in) {
    return snug__fail(g->ctx, SNUG_E_ARGUMENT, "%s: takes %d to %d inputs, not %d", where,
                      op->min_in, op->max_in, n_in);
  }
  if (n_out < op->min_out || n_out > op->max_out) {
    return snug__fail(g->ctx, SNUG_E_ARGUMENT, "%s: makes %d to %d outputs, not %d", where,
                      op->min_out, op->max_out, n_out);
  }
  return SNUG_OK;
}

/* "conv1 (conv2d)": the layer and its op, for messages; returns out. */
static const char *where_is(const snug__graph *g, const snug__op *op, snug__id layer,
                            char out[WHERE_BYTES]) {
  const char *name = snug__layer_name(g, layer);
  snprintf(out, WHERE_BYTES, "%s%s%s%s", name, name[0] ? " (" : "", op->name, name[0] ? ")" : "");
  return out;
}

snug_status snug__node_infer(const snug__graph *g, const snug__op *op, snug__id layer,
                             const void *params, const snug__id *in, int32_t n_in,
                             snug__type types[SNUG__MAX_OUT]) {
  char where[WHERE_BYTES];
  snug__type in_types[SNUG__MAX_IN];
  where_is(g, op, layer, where);
  SNUG_TRY(check_counts(g, where, op, n_in, op->min_out));
  memset(in_types, 0, sizeof in_types);
  for (int32_t i = 0; i < n_in; i++) {
    if (in[i] != SNUG_NONE) {
      in_types[i] = snug__type_in(*snug__type_at(g, in[i]), SNUG__LAYOUT_PLAIN);
    }
  }
  memset(types, 0, SNUG__MAX_OUT * sizeof *types);
  snug__infer q = {g->ctx, where, params, n_in, in_types, types};
  return op->infer(&q);
}

/* The input whose memory output k is, or SNUG_NONE. */
static snug__id shared_input(const snug__node *node, int32_t k) {
  int32_t i = node->op->writes[k] ? node->op->writes[k] - 1
              : (node->op->flags & (SNUG__OP_VIEW | SNUG__OP_PASSES)) && k == 0 ? 0
                                                                                : -1;
  return i >= 0 && i < node->n_in ? node->in[i] : SNUG_NONE;
}

snug__value snug__node_output(const snug__graph *g, const snug__node *node, int32_t k,
                              snug__type type, snug__id id) {
  snug__value v = new_value(g, type, SNUG__TEMPORARY, g->class_);
  snug__id shared = shared_input(node, k);
  v.producer = id;
  v.layer = node->layer;
  if (shared != SNUG_NONE) {
    const snug__value *base = snug__value_at(g, shared);
    v.view_of = snug__value_base(g, shared);
    v.view_offset = base->view_offset;
    v.class_ = base->class_;
  }
  return v;
}

static snug_status copy_ids(snug__graph *g, const snug__id *ids, int32_t n, int32_t room,
                            snug__id **out) {
  SNUG_TRY(snug__arena_take(&g->arena, (size_t)room * sizeof **out, (void **)out));
  for (int32_t i = 0; i < room; i++) {
    (*out)[i] = i < n ? ids[i] : SNUG_NONE;
  }
  return SNUG_OK;
}

snug_status snug__node_new(snug__graph *g, const snug__op *op, const void *params,
                           const snug__id *in, int32_t n_in, snug__node *node) {
  *node = (snug__node){
      .op = op, .n_in = n_in, .n_out = op->max_out, .layer = g->layer, .backward = g->backward};
  SNUG_TRY(copy_ids(g, in, n_in, n_in, &node->in));
  SNUG_TRY(copy_ids(g, NULL, 0, op->max_out, &node->out));
  if (op->params_bytes) {
    void *copy = NULL;
    SNUG_TRY(snug__arena_take(&g->arena, op->params_bytes, &copy));
    memcpy(copy, params, op->params_bytes);
    node->params = copy;
  }
  return SNUG_OK;
}

snug_status snug__graph_add(snug__graph *g, const snug__op *op, const void *params,
                            const snug__id *in, int32_t n_in, snug__id *outs, int32_t n_out) {
  snug__type types[SNUG__MAX_OUT];
  char where[WHERE_BYTES];
  snug__node node;
  snug__id id = (snug__id)g->nodes.n;
  SNUG_TRY(check_counts(g, op->name, op, n_in, n_out));
  SNUG_TRY(snug__node_infer(g, op, g->layer, params, in, n_in, types));
  for (int32_t k = 0; k < n_out; k++) {
    SNUG_TRY(check_type(g, where_is(g, op, g->layer, where), &types[k]));
  }
  SNUG_TRY(snug__node_new(g, op, params, in, n_in, &node));
  SNUG_TRY(snug__vec_reserve(&g->values, (size_t)n_out));
  SNUG_TRY(snug__vec_push(&g->nodes, &node, 1)); /* nothing can fail from here on */
  for (int32_t k = 0; k < n_out; k++) {
    snug__value v = snug__node_output(g, &node, k, types[k], id);
    outs[k] = node.out[k] = (snug__id)g->values.n;
    SNUG_TRY(snug__vec_push(&g->values, &v, 1));
  }
  return SNUG_OK;
}

snug_status snug__graph_want_output(snug__graph *g, snug__id id, int32_t index, snug__id *out) {
  snug__type types[SNUG__MAX_OUT];
  char where[WHERE_BYTES];
  snug__node *node = snug__node_at(g, id);
  if (index < 0 || index >= node->n_out) {
    return snug__fail(g->ctx, SNUG_E_ARGUMENT, "%s: there is no output %d", node->op->name, index);
  }
  if (node->out[index] == SNUG_NONE) {
    SNUG_TRY(snug__node_infer(g, node->op, node->layer, node->params, node->in, node->n_in, types));
    SNUG_TRY(check_type(g, where_is(g, node->op, node->layer, where), &types[index]));
    snug__value v = snug__node_output(g, node, index, types[index], id);
    if (v.view_of == SNUG_NONE) {
      v.class_ = SNUG__CLASS_ACTIVATIONS; /* kept from the forward, whoever asks for it */
    }
    SNUG_TRY(snug__vec_push(&g->values, &v, 1));
    node->out[index] = (snug__id)g->values.n - 1;
  }
  *out = node->out[index];
  return SNUG_OK;
}

snug_status snug__graph_output(snug__graph *g, snug__id value) {
  return snug__vec_push(&g->outputs, &value, 1);
}
