/* The text of a graph; graph.h describes it, read.c reads it. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "graph/op.h"
#include "graph/scan.h"

#define PER_ROW 8 /* elements of a constant in one line */

snug_status snug__print_quoted(const char *name, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "\""));
  for (const char *c = name; *c; c++) {
    if (*c == '"' || *c == '\\') {
      SNUG_TRY(snug__text_add(out, "\\%c", *c));
    } else if (iscntrl((unsigned char)*c)) {
      SNUG_TRY(snug__text_add(out, "\\x%02x", (unsigned)(unsigned char)*c));
    } else {
      SNUG_TRY(snug__text_add(out, "%c", *c));
    }
  }
  return snug__text_add(out, "\"");
}

static snug_status print_name(const char *name, snug__text *out) {
  SNUG_TRY(snug__text_add(out, " "));
  return snug__print_quoted(name, out);
}

static snug_status print_layer(snug__id layer, snug__text *out) {
  return layer == SNUG_NONE ? snug__text_add(out, " @-") : snug__text_add(out, " @%u", layer);
}

/* Type and attributes; the layer only where it is not the expected one. */
static snug_status print_value(const snug__value *v, snug__id expected_layer, snug__text *out) {
  char type[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(snug__text_add(out, " %s", snug__type_text(&v->type, type)));
  if (v->name[0]) {
    SNUG_TRY(print_name(v->name, out));
  }
  if (v->variable != SNUG_NONE) {
    SNUG_TRY(snug__text_add(out, " var=%u", v->variable));
  }
  SNUG_TRY(snug__text_add(out, " class=%s", snug__class_text(v->class_)));
  if (v->view_of != SNUG_NONE) {
    SNUG_TRY(snug__text_add(out, " view=%%%u", v->view_of));
    if (v->view_offset) {
      SNUG_TRY(snug__text_add(out, "+%lld", (long long)v->view_offset));
    }
  }
  return v->layer == expected_layer ? SNUG_OK : print_layer(v->layer, out);
}

/* Decimal digits that read back to the same bits; a NaN as its bits, which hold a payload. */
static snug_status print_element(const snug__type *t, const void *data, int64_t i,
                                 snug__text *out) {
  size_t bytes = snug_dtype_bytes(t->dtype);
  double v = snug__element_get(t->dtype, data, i);
  uint64_t bits = 0;
  char number[SNUG__NUMBER_BYTES];
  if (t->dtype == SNUG_INT64) {
    return snug__text_add(out, " %lld", (long long)((const int64_t *)data)[i]);
  }
  if (!snug__dtype_is_real(t->dtype)) {
    return snug__text_add(out, " %d", (int)v);
  }
  if (!isnan(v)) {
    return snug__text_add(out, " %s", snug__print_float(v, number));
  }
  memcpy(&bits, (const char *)data + (size_t)i * bytes, bytes); /* little-endian */
  return snug__text_add(out, " 0x%llx", (unsigned long long)bits);
}

static snug_status print_data(const snug__value *v, snug__text *out) {
  int64_t n = snug__type_count(&v->type);
  for (int64_t i = 0; i < n; i++) {
    SNUG_TRY(snug__text_add(out, "%s", i % PER_ROW ? "" : " "));
    SNUG_TRY(print_element(&v->type, v->data, i, out));
    SNUG_TRY(snug__text_add(out, "%s", i % PER_ROW == PER_ROW - 1 || i == n - 1 ? "\n" : ""));
  }
  return SNUG_OK;
}

static snug_status print_leaf(const snug__graph *g, snug__id id, snug__text *out) {
  const snug__value *v = snug__value_at(g, id);
  SNUG_TRY(snug__text_add(out, "%%%u = %s", id, snug__kind_text(v->kind)));
  SNUG_TRY(print_value(v, SNUG_NONE, out));
  SNUG_TRY(snug__text_add(out, "\n"));
  return v->kind == SNUG__CONSTANT ? print_data(v, out) : SNUG_OK;
}

static snug_status print_outputs(const snug__graph *g, const snug__node *node, snug__text *out) {
  for (int32_t k = 0; k < node->n_out; k++) {
    SNUG_TRY(snug__text_add(out, "%s", k ? ", " : ""));
    if (node->out[k] == SNUG_NONE) {
      SNUG_TRY(snug__text_add(out, "_"));
    } else {
      SNUG_TRY(snug__text_add(out, "%%%u", node->out[k]));
      SNUG_TRY(print_value(snug__value_at(g, node->out[k]), node->layer, out));
    }
  }
  return SNUG_OK;
}

static snug_status print_inputs(const snug__node *node, snug__text *out) {
  for (int32_t i = 0; i < node->n_in; i++) {
    SNUG_TRY(snug__text_add(out, "%s", i ? ", " : ""));
    SNUG_TRY(node->in[i] == SNUG_NONE ? snug__text_add(out, "-")
                                      : snug__text_add(out, "%%%u", node->in[i]));
  }
  return SNUG_OK;
}

/* {...}, or nothing where all are as by default. */
static snug_status print_params(const snug__node *node, snug__text *out) {
  size_t start = out->chars.n;
  if (!node->op->params_bytes) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__text_add(out, " {"));
  size_t inside = out->chars.n;
  SNUG_TRY(snug__fields_print(node->op->fields, node->params, out));
  if (out->chars.n == inside) {
    out->chars.n = start; /* what is added next ends the text again */
    return SNUG_OK;
  }
  return snug__text_add(out, "}");
}

static snug_status print_node(const snug__graph *g, const snug__node *node, snug__text *out) {
  SNUG_TRY(print_outputs(g, node, out));
  SNUG_TRY(snug__text_add(out, " = %s(", node->op->name));
  SNUG_TRY(print_inputs(node, out));
  SNUG_TRY(snug__text_add(out, ")"));
  SNUG_TRY(print_params(node, out));
  if (node->kernel) {
    SNUG_TRY(snug__text_add(out, " kernel=%d", node->kernel));
  }
  if (node->layer != SNUG_NONE) {
    SNUG_TRY(print_layer(node->layer, out));
  }
  return snug__text_add(out, node->backward ? " backward\n" : "\n");
}

static snug_status print_layer_line(const snug__graph *g, snug__id id, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "layer %u", id));
  SNUG_TRY(print_name(snug__layer_name(g, id), out));
  return snug__text_add(out, "\n");
}

/* What began at `start` must be a line that can be read back. */
static snug_status check_length(const snug__graph *g, const snug__text *out, size_t start) {
  const char *end = memchr(snug__text_get(out) + start, '\n', out->chars.n - start);
  size_t n = end ? (size_t)(end - (snug__text_get(out) + start)) : out->chars.n - start;
  if (n < SNUG__LINE_BYTES) {
    return SNUG_OK;
  }
  return snug__fail(g->ctx, SNUG_E_OVERFLOW,
                    "a line of the graph's text has %zu characters; there may be %d", n,
                    SNUG__LINE_BYTES - 1);
}

snug_status snug__graph_print(const snug__graph *g, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "snug-graph 1\n"));
  for (snug__id i = 0; i < g->layers.n; i++) {
    size_t start = out->chars.n;
    SNUG_TRY(print_layer_line(g, i, out));
    SNUG_TRY(check_length(g, out, start));
  }
  for (snug__id i = 0; i < g->values.n; i++) {
    size_t start = out->chars.n;
    if (snug__value_at(g, i)->kind != SNUG__TEMPORARY) {
      SNUG_TRY(print_leaf(g, i, out));
      SNUG_TRY(check_length(g, out, start));
    }
  }
  for (snug__id i = 0; i < g->nodes.n; i++) {
    size_t start = out->chars.n;
    SNUG_TRY(print_node(g, snug__node_at(g, i), out));
    SNUG_TRY(check_length(g, out, start));
  }
  for (size_t i = 0; i < g->outputs.n; i++) {
    SNUG_TRY(snug__text_add(out, "output %%%u\n", SNUG_VEC(&g->outputs, snug__id, i)));
  }
  return snug__text_add(out, "end\n");
}
