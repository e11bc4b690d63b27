/* Reads the text of a graph (graph.h describes it): lines and nodes. */
#include "graph/read.h"

#include <string.h>

#include "graph/parts.h"

/* No line that defines a value is shorter: bounds what an id can be. */
#define LEAST_VALUE_CHARS 8

static snug_status read_kind(snug__reader *r, snug__kind *out) {
  char word[32];
  SNUG_TRY(snug__scan_word(&r->scan, "input, weight, state or constant", word, sizeof word));
  for (snug__kind k = 0; k < SNUG__TEMPORARY; k++) {
    if (strcmp(snug__kind_text(k), word) == 0) {
      *out = k;
      return SNUG_OK;
    }
  }
  return snug__scan_fail(&r->scan, "expected input, weight, state or constant, not '%s'", word);
}

/* After `%7 =`. */
static snug_status read_leaf(snug__reader *r, snug__id id) {
  snug__written w;
  snug__kind kind = SNUG__INPUT;
  SNUG_TRY(read_kind(r, &kind));
  SNUG_TRY(snug__read_value(r, &w));
  SNUG_TRY(snug__scan_line_end(&r->scan));
  w.value.kind = kind;
  if (w.value.view_of != SNUG_NONE) {
    return snug__scan_fail(&r->scan, "%%%u is no view: no node makes it", id);
  }
  if (kind == SNUG__CONSTANT) {
    SNUG_TRY(snug__read_data(r, &w.value.type, &w.value.data));
  }
  return snug__read_place(r, id, &w.value);
}

/* The text of a node before anything of it is in the graph. */
typedef struct node_text {
  snug__written out[SNUG__MAX_OUT];
  snug__id in[SNUG__MAX_IN];
  int32_t n_in, n_out;
  const snug__op *op;
  snug__id layer;
  bool backward;
  int64_t kernel;
} node_text;

static snug_status read_output(snug__reader *r, snug__written *w) {
  w->id = SNUG_NONE;
  if (snug__scan_has(&r->scan, "_")) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__read_id(r, &w->id));
  return snug__read_value(r, w);
}

/* From after the first output up to the `=`. */
static snug_status read_outputs(snug__reader *r, node_text *n) {
  n->n_out = 1;
  while (snug__scan_has(&r->scan, ",")) {
    if (n->n_out == SNUG__MAX_OUT) {
      return snug__scan_fail(&r->scan, "expected '=': there are at most %d outputs", SNUG__MAX_OUT);
    }
    SNUG_TRY(read_output(r, &n->out[n->n_out++]));
  }
  return snug__scan_need(&r->scan, "=");
}

static snug_status read_op(snug__reader *r, node_text *n) {
  char word[SNUG__NAME_BYTES];
  SNUG_TRY(snug__scan_word(&r->scan, "the name of an op", word, sizeof word));
  n->op = snug__op_find(word);
  if (!n->op) {
    return snug__scan_fail(&r->scan, "there is no op '%s'", word);
  }
  if (n->n_out != n->op->max_out) {
    return snug__scan_fail(&r->scan, "%s has %d outputs ('_' where not wanted), not %d", word,
                           n->op->max_out, n->n_out);
  }
  for (int32_t k = 0; k < n->op->min_out; k++) {
    if (n->out[k].id == SNUG_NONE) {
      return snug__scan_fail(&r->scan, "%s cannot be without its output %d", word, k);
    }
  }
  return SNUG_OK;
}

static snug_status read_inputs(snug__reader *r, node_text *n) {
  SNUG_TRY(snug__scan_need(&r->scan, "("));
  while (!snug__scan_has(&r->scan, ")")) {
    if (n->n_in == n->op->max_in) {
      return snug__scan_fail(&r->scan, "expected ')': %s takes at most %d inputs", n->op->name,
                             n->op->max_in);
    }
    if (n->n_in) {
      SNUG_TRY(snug__scan_need(&r->scan, ","));
    }
    n->in[n->n_in] = SNUG_NONE;
    if (!snug__scan_has(&r->scan, "-")) {
      SNUG_TRY(snug__read_known_id(r, &n->in[n->n_in]));
    }
    n->n_in++;
  }
  return SNUG_OK;
}

/* A failure of an op or of its parameters keeps its status and gets the line. */
static snug_status in_line(const snug__reader *r, snug_status s) {
  return s ? snug__fail_within(r->g->ctx, s, "line %lld", (long long)r->scan.line) : SNUG_OK;
}

static snug_status read_params(snug__reader *r, const node_text *n) {
  const char *text = NULL;
  if (snug__scan_sees(&r->scan, "{")) {
    SNUG_TRY(snug__scan_braces(&r->scan, &text));
  }
  memset(r->params, 0, r->params_bytes);
  return in_line(r, snug__fields_parse(r->g->ctx, n->op->name, n->op->fields, text, r->params));
}

/* Compare an output with what the op makes, and complete it. */
static snug_status check_output(snug__reader *r, const snug__node *node, int32_t k,
                                const snug__type *type, snug__written *w) {
  char text[SNUG__TYPE_TEXT_BYTES];
  snug__value made = snug__node_output(r->g, node, k, *type, (snug__id)r->g->nodes.n);
  if (!snug__type_equal_but_layout(type, &w->value.type)) {
    return snug__scan_fail(&r->scan, "%%%u: %s makes %s here", w->id, node->op->name,
                           snug__type_text(type, text));
  }
  if (made.view_of != w->value.view_of || made.view_offset != w->value.view_offset) {
    return snug__scan_fail(&r->scan, "%%%u: view= is not what %s makes here", w->id,
                           node->op->name);
  }
  w->value.kind = SNUG__TEMPORARY;
  w->value.producer = made.producer;
  w->value.layer = w->has_layer ? w->value.layer : node->layer;
  return SNUG_OK;
}

static snug_status build_node(snug__reader *r, node_text *n) {
  snug__type types[SNUG__MAX_OUT];
  snug__node node;
  const void *params = n->op->params_bytes ? r->params : NULL;
  SNUG_TRY(in_line(r, snug__node_infer(r->g, n->op, n->layer, params, n->in, n->n_in, types)));
  SNUG_TRY(snug__node_new(r->g, n->op, params, n->in, n->n_in, &node));
  node.layer = n->layer;
  node.backward = n->backward;
  node.kernel = (int32_t)n->kernel;
  for (int32_t k = 0; k < n->n_out; k++) {
    if (n->out[k].id != SNUG_NONE) {
      SNUG_TRY(check_output(r, &node, k, &types[k], &n->out[k]));
      SNUG_TRY(snug__read_place(r, n->out[k].id, &n->out[k].value));
      node.out[k] = n->out[k].id;
    }
  }
  return snug__vec_push(&r->g->nodes, &node, 1);
}

/* A node whose first output is n->out[0]. */
static snug_status read_node(snug__reader *r, node_text *n) {
  SNUG_TRY(read_outputs(r, n));
  SNUG_TRY(read_op(r, n));
  SNUG_TRY(read_inputs(r, n));
  SNUG_TRY(read_params(r, n));
  if (snug__scan_has(&r->scan, "kernel=")) {
    SNUG_TRY(
        snug__scan_number(&r->scan, "the number of a kernel", SNUG__MAX_KERNELS - 1, &n->kernel));
  }
  n->layer = SNUG_NONE;
  if (snug__scan_has(&r->scan, "@")) {
    SNUG_TRY(snug__read_layer(r, &n->layer));
  }
  n->backward = snug__scan_has(&r->scan, "backward");
  SNUG_TRY(snug__scan_line_end(&r->scan));
  return build_node(r, n);
}

static snug_status read_definition(snug__reader *r) {
  node_text n;
  memset(&n, 0, sizeof n);
  n.out[0].id = SNUG_NONE;
  if (!snug__scan_has(&r->scan, "_")) {
    SNUG_TRY(snug__read_id(r, &n.out[0].id));
    if (snug__scan_has(&r->scan, "=")) {
      return read_leaf(r, n.out[0].id);
    }
    SNUG_TRY(snug__read_value(r, &n.out[0]));
  }
  return read_node(r, &n);
}

/* After `layer`. */
static snug_status read_layer_line(snug__reader *r) {
  const char *name = NULL;
  int64_t id = 0;
  SNUG_TRY(snug__scan_number(&r->scan, "the number of a layer", SNUG_NONE - 1, &id));
  if ((size_t)id != r->g->layers.n) {
    return snug__scan_fail(&r->scan, "expected layer %zu, not %lld", r->g->layers.n, (long long)id);
  }
  SNUG_TRY(snug__scan_quoted(&r->scan, &name));
  SNUG_TRY(snug__scan_line_end(&r->scan));
  SNUG_TRY(snug__graph_layer(r->g, name, NULL));
  r->g->layer = SNUG_NONE;
  return SNUG_OK;
}

/* After `output`. */
static snug_status read_output_line(snug__reader *r) {
  snug__id id = SNUG_NONE;
  SNUG_TRY(snug__read_known_id(r, &id));
  SNUG_TRY(snug__scan_line_end(&r->scan));
  return snug__graph_output(r->g, id);
}

static snug_status read_line(snug__reader *r, bool *is_last) {
  char word[16];
  SNUG_TRY(snug__scan_line(&r->scan));
  if (*r->scan.at == '%' || *r->scan.at == '_') {
    return read_definition(r);
  }
  SNUG_TRY(snug__scan_word(&r->scan, "a value, layer, output or end", word, sizeof word));
  if (strcmp(word, "layer") == 0) {
    return read_layer_line(r);
  }
  if (strcmp(word, "output") == 0) {
    return read_output_line(r);
  }
  *is_last = strcmp(word, "end") == 0;
  return *is_last
             ? snug__scan_line_end(&r->scan)
             : snug__scan_fail(&r->scan, "expected a value, layer, output or end, not '%s'", word);
}

static snug_status check_complete(const snug__reader *r) {
  for (snug__id id = 0; id < r->g->values.n; id++) {
    if (!snug__read_is_defined(r, id)) {
      return snug__scan_fail(&r->scan, "%%%u is missing: ids have no gaps", id);
    }
  }
  return snug__scan_at_end(&r->scan)
             ? SNUG_OK
             : snug__fail(r->g->ctx, SNUG_E_FORMAT, "line %lld: there is text after the end",
                          (long long)r->scan.line + 1);
}

static snug_status read_all(snug__reader *r) {
  bool is_last = false;
  SNUG_TRY(snug__scan_line(&r->scan));
  SNUG_TRY(snug__scan_need(&r->scan, "snug-graph 1"));
  SNUG_TRY(snug__scan_line_end(&r->scan));
  while (!is_last) {
    SNUG_TRY(read_line(r, &is_last));
  }
  SNUG_TRY(check_complete(r));
  snug_status s = snug__graph_verify(r->g);
  return s == SNUG_E_INTERNAL
             ? snug__fail_within(r->g->ctx, SNUG_E_FORMAT, "the text is not of a valid graph")
             : s;
}

static snug_status init(snug__reader *r, snug_ctx *ctx, const char *text) {
  *r = (snug__reader){.max_values = strlen(text) / LEAST_VALUE_CHARS};
  for (int32_t i = 0; i < snug__op_count; i++) {
    size_t bytes = snug__op_table[i]->params_bytes;
    r->params_bytes = bytes > r->params_bytes ? bytes : r->params_bytes;
  }
  SNUG_TRY(snug__scan_init(&r->scan, ctx, text));
  SNUG_TRY(snug__take(ctx, SNUG__MEM_SCRATCH, r->params_bytes, &r->params));
  return snug__graph_create(ctx, &r->g);
}

snug_status snug__graph_read(snug_ctx *ctx, const char *text, snug__graph **out) {
  snug__reader r;
  snug_status s = init(&r, ctx, text);
  *out = NULL;
  if (!s) {
    s = read_all(&r);
  }
  if (!s) {
    *out = r.g;
    r.g = NULL;
  }
  snug__graph_destroy(r.g);
  snug__give(ctx, SNUG__MEM_SCRATCH, r.params, r.params_bytes);
  snug__scan_release(&r.scan);
  return s;
}
