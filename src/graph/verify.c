/* The verifier: one walk over the nodes in order of execution.
 *
 * Every memory (a value that is no view) has a count of how often it was written so far, and every
 * value knows at which count its content was made; a value whose memory was written since is gone.
 * That one comparison finds late readers, late views and a second writer of the same content. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "graph/parts.h"

typedef struct value_check {
  bool is_made;    /* a leaf, or an output of a node that was passed */
  uint32_t made;   /* writes to its memory before its content was made */
  uint32_t writes; /* of a memory: so far */
} value_check;

typedef struct verifier {
  const snug__graph *g;
  value_check *checks; /* per value */
  size_t n;
} verifier;

static snug_status fail_value(const verifier *v, snug__id id, const char *what) {
  const snug__value *value = snug__value_at(v->g, id);
  const char *layer = snug__layer_name(v->g, value->layer);
  return snug__fail(v->g->ctx, SNUG_E_INTERNAL, "%s %%%u%s%s%s%s: %s", snug__kind_text(value->kind),
                    id, value->name && value->name[0] ? " " : "", value->name ? value->name : "",
                    layer[0] ? " of " : "", layer, what);
}

static snug_status fail_node(const verifier *v, snug__id id, const char *format, ...)
    SNUG_PRINTF(3, 4);
static snug_status fail_node(const verifier *v, snug__id id, const char *format, ...) {
  const snug__node *node = snug__node_at(v->g, id);
  const char *layer = snug__layer_name(v->g, node->layer);
  char what[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return snug__fail(v->g->ctx, SNUG_E_INTERNAL, "node %u, %s%s%s: %s", id,
                    node->op ? node->op->name : "no op", layer[0] ? " of " : "", layer, what);
}

/* ---- values ---- */

static bool is_layer(const verifier *v, snug__id layer) {
  return layer == SNUG_NONE || layer < v->g->layers.n;
}

static const char *check_view(const verifier *v, const snug__value *value) {
  int64_t end = 0;
  if (value->view_of == SNUG_NONE) {
    return value->view_offset ? "has an offset, but is no view" : NULL;
  }
  if (value->view_of >= v->n || snug__value_at(v->g, value->view_of)->view_of != SNUG_NONE) {
    return "is a view of what is no memory of its own";
  }
  if (value->kind != SNUG__TEMPORARY) {
    return "is a view, but no node makes it";
  }
  const snug__type *base = snug__type_at(v->g, value->view_of);
  if (value->view_offset < 0 ||
      !snug__add_i64(value->view_offset, snug__type_bytes(&value->type), &end) ||
      end > snug__type_bytes(base)) {
    return "reaches past the end of the memory it is a view of";
  }
  if (value->type.layout != base->layout ||
      (base->layout != SNUG__LAYOUT_PLAIN && !snug__type_equal(&value->type, base))) {
    return "is a view of memory in another layout";
  }
  return NULL;
}

/* What is wrong with a value seen alone, or NULL.  Types come first: the rest counts bytes. */
static const char *check_value(const verifier *v, const snug__value *value) {
  if (!value->name || value->kind > SNUG__TEMPORARY || value->class_ >= SNUG__CLASS_COUNT ||
      !is_layer(v, value->layer)) {
    return "has a name, kind, class or layer that does not exist";
  }
  if ((value->kind == SNUG__TEMPORARY) != (value->producer != SNUG_NONE)) {
    return value->producer == SNUG_NONE ? "has no producer" : "must not have a producer";
  }
  if ((value->kind == SNUG__CONSTANT) != (value->data != NULL)) {
    return value->data ? "must not have data" : "has no data";
  }
  return check_view(v, value);
}

static snug_status check_values(const verifier *v) {
  for (snug__id id = 0; id < v->n; id++) {
    if (!snug__type_is_valid(snug__type_at(v->g, id))) {
      return fail_value(v, id, "has a type that is not possible");
    }
  }
  for (snug__id id = 0; id < v->n; id++) {
    const char *wrong = check_value(v, snug__value_at(v->g, id));
    if (wrong) {
      return fail_value(v, id, wrong);
    }
    v->checks[id].is_made = snug__value_at(v->g, id)->kind != SNUG__TEMPORARY;
  }
  return SNUG_OK;
}

/* ---- nodes ---- */

static snug_status check_frame(const verifier *v, snug__id id, const snug__node *node) {
  if (!node->op || !is_layer(v, node->layer)) {
    return fail_node(v, id, "has an op or layer that does not exist");
  }
  if (node->n_in < node->op->min_in || node->n_in > node->op->max_in ||
      node->n_out != node->op->max_out) {
    return fail_node(v, id, "has %d inputs and %d outputs", node->n_in, node->n_out);
  }
  if (node->op->params_bytes && !node->params) {
    return fail_node(v, id, "has no parameters");
  }
  if (node->kernel < 0 || node->kernel >= SNUG__MAX_KERNELS) {
    return fail_node(v, id, "has the kernel %d, which does not exist", node->kernel);
  }
  return SNUG_OK;
}

static bool is_current(const verifier *v, snug__id value) {
  return v->checks[value].made == v->checks[snug__value_base(v->g, value)].writes;
}

static snug_status check_inputs(const verifier *v, snug__id id, const snug__node *node) {
  for (int32_t i = 0; i < node->n_in; i++) {
    snug__id in = node->in[i];
    if (in == SNUG_NONE) {
      continue;
    }
    if (in >= v->n) {
      return fail_node(v, id, "input %d, %%%u, does not exist", i, in);
    }
    if (!v->checks[in].is_made) {
      return fail_node(v, id, "input %d, %%%u, is made later or never", i, in);
    }
    if (!is_current(v, in)) {
      return fail_node(v, id, "input %d, %%%u %s, was overwritten before", i, in,
                       snug__value_at(v->g, in)->name);
    }
  }
  return SNUG_OK;
}

/* An output must be made here alone, of the type and with the memory that the op gives it. */
static snug_status check_output(const verifier *v, snug__id id, const snug__node *node, int32_t k,
                                const snug__type *type) {
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  snug__id out = node->out[k];
  if (out >= v->n) {
    return fail_node(v, id, "output %d, %%%u, does not exist", k, out);
  }
  const snug__value *value = snug__value_at(v->g, out);
  snug__value made = snug__node_output(v->g, node, k, *type, id);
  if (value->producer != id || v->checks[out].is_made) {
    return fail_node(v, id, "output %d, %%%u, has another producer", k, out);
  }
  if (!snug__type_equal_but_layout(&value->type, type)) {
    return fail_node(v, id, "output %d, %%%u, is %s and should be %s", k, out,
                     snug__type_text(&value->type, a), snug__type_text(type, b));
  }
  if (value->view_of != made.view_of || value->view_offset != made.view_offset) {
    return fail_node(v, id, "output %d, %%%u, does not share the memory that it should", k, out);
  }
  return SNUG_OK;
}

static snug_status check_outputs(const verifier *v, snug__id id, const snug__node *node) {
  snug__type types[SNUG__MAX_OUT];
  snug_status s =
      snug__node_infer(v->g, node->op, node->layer, node->params, node->in, node->n_in, types);
  if (s) {
    return snug__fail_within(v->g->ctx, SNUG_E_INTERNAL, "node %u is refused by its op", id);
  }
  for (int32_t k = 0; k < node->n_out; k++) {
    if (node->out[k] != SNUG_NONE) {
      SNUG_TRY(check_output(v, id, node, k, &types[k]));
      value_check *c = &v->checks[node->out[k]];
      c->is_made = true;
      c->made = v->checks[snug__value_base(v->g, node->out[k])].writes;
    } else if (k < node->op->min_out) {
      return fail_node(v, id, "is without its output %d", k);
    }
  }
  return SNUG_OK;
}

/* Whether another input of the node lies in the same memory as input i. */
static bool is_read_twice(const verifier *v, const snug__node *node, int32_t i) {
  for (int32_t j = 0; j < node->n_in; j++) {
    if (j != i && node->in[j] != SNUG_NONE &&
        snug__value_base(v->g, node->in[j]) == snug__value_base(v->g, node->in[i])) {
      return true;
    }
  }
  return false;
}

/* Output k is the new content of input i: from here on the old one is gone, wanted or not. */
static snug_status check_write(const verifier *v, snug__id id, const snug__node *node, int32_t k) {
  int32_t i = node->op->writes[k] - 1;
  if (i < 0 || i >= node->n_in || node->in[i] == SNUG_NONE) {
    return SNUG_OK;
  }
  snug__id base = snug__value_base(v->g, node->in[i]);
  snug__kind kind = snug__value_at(v->g, base)->kind;
  if (kind != SNUG__WEIGHT && kind != SNUG__STATE) {
    return fail_node(v, id, "writes input %d, %%%u, which is %s and neither weight nor state", i,
                     node->in[i], snug__kind_text(kind));
  }
  if (is_read_twice(v, node, i)) {
    return fail_node(v, id, "writes input %d, %%%u, and has its memory as another input too", i,
                     node->in[i]);
  }
  v->checks[base].writes++;
  if (node->out[k] != SNUG_NONE) {
    if (!snug__type_equal(snug__type_at(v->g, node->in[i]), snug__type_at(v->g, node->out[k]))) {
      return fail_node(v, id, "output %d is the new content of input %d but not of its type", k, i);
    }
    v->checks[node->out[k]].made = v->checks[base].writes;
  }
  return SNUG_OK;
}

static snug_status check_node(const verifier *v, snug__id id) {
  const snug__node *node = snug__node_at(v->g, id);
  SNUG_TRY(check_frame(v, id, node));
  SNUG_TRY(check_inputs(v, id, node));
  SNUG_TRY(check_outputs(v, id, node));
  for (int32_t k = 0; k < node->n_out; k++) {
    SNUG_TRY(check_write(v, id, node, k));
  }
  return SNUG_OK;
}

/* ---- the whole ---- */

static snug_status check_end(const verifier *v) {
  for (snug__id id = 0; id < v->n; id++) {
    if (!v->checks[id].is_made) {
      return fail_value(v, id, "its producer does not make it");
    }
  }
  for (size_t i = 0; i < v->g->outputs.n; i++) {
    snug__id id = SNUG_VEC(&v->g->outputs, snug__id, i);
    if (id >= v->n) {
      return snug__fail(v->g->ctx, SNUG_E_INTERNAL, "the output %%%u does not exist", id);
    }
    if (!is_current(v, id)) {
      return fail_value(v, id, "is an output, but is overwritten before the end");
    }
  }
  return SNUG_OK;
}

static snug_status check_all(const verifier *v) {
  SNUG_TRY(check_values(v));
  for (snug__id id = 0; id < v->g->nodes.n; id++) {
    SNUG_TRY(check_node(v, id));
  }
  return check_end(v);
}

snug_status snug__graph_verify(const snug__graph *g) {
  verifier v = {.g = g, .n = g->values.n};
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, v.n, &v.checks));
  snug_status s = check_all(&v);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, v.checks, v.n);
  return s;
}

static bool is_read(const snug__graph *g, snug__id value) {
  for (snug__id n = 0; n < g->nodes.n; n++) {
    for (int32_t i = 0; i < snug__node_at(g, n)->n_in; i++) {
      if (snug__node_at(g, n)->in[i] == value) {
        return true;
      }
    }
  }
  for (size_t i = 0; i < g->outputs.n; i++) {
    if (SNUG_VEC(&g->outputs, snug__id, i) == value) {
      return true;
    }
  }
  return false;
}

snug__id snug__graph_unused_input(const snug__graph *g) {
  for (snug__id id = 0; id < g->values.n; id++) {
    if (snug__value_at(g, id)->kind == SNUG__INPUT && !is_read(g, id)) {
      return id;
    }
  }
  return SNUG_NONE;
}
