/* Values in the text of a graph: ids, types, attributes. */
#include <string.h>

#include "graph/read.h"

snug_status snug__read_id(snug__reader *r, snug__id *out) {
  int64_t v = 0;
  SNUG_TRY(snug__scan_need(&r->scan, "%"));
  SNUG_TRY(snug__scan_number(&r->scan, "the number of a value", SNUG_NONE - 1, &v));
  *out = (snug__id)v;
  return SNUG_OK;
}

bool snug__read_is_defined(const snug__reader *r, snug__id id) {
  return id < r->g->values.n && snug__value_at(r->g, id)->name;
}

snug_status snug__read_known_id(snug__reader *r, snug__id *out) {
  SNUG_TRY(snug__read_id(r, out));
  return snug__read_is_defined(r, *out)
             ? SNUG_OK
             : snug__scan_fail(&r->scan, "%%%u is used before it is there", *out);
}

snug_status snug__read_layer(snug__reader *r, snug__id *out) {
  int64_t v = SNUG_NONE;
  if (!snug__scan_has(&r->scan, "-")) {
    SNUG_TRY(snug__scan_number(&r->scan, "the number of a layer", SNUG_NONE - 1, &v));
    if ((size_t)v >= r->g->layers.n) {
      return snug__scan_fail(&r->scan, "there is no layer %lld", (long long)v);
    }
  }
  *out = (snug__id)v;
  return SNUG_OK;
}

static snug_status read_dtype(snug__reader *r, snug_dtype *out) {
  char word[32];
  SNUG_TRY(snug__scan_word(&r->scan, "a dtype", word, sizeof word));
  for (snug_dtype d = SNUG_NO_DTYPE + 1; d < SNUG_DTYPE_COUNT; d++) {
    if (strcmp(snug_dtype_text(d), word) == 0) {
      *out = d;
      return SNUG_OK;
    }
  }
  return snug__scan_fail(&r->scan, "there is no dtype '%s'", word);
}

static snug_status read_layout(snug__reader *r, int32_t rank, snug__layout *out) {
  char word[32];
  *out = SNUG__LAYOUT_PLAIN;
  if (!snug__scan_has(&r->scan, ":")) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__scan_word(&r->scan, "a layout", word, sizeof word));
  *out = snug__layout_find(word);
  return snug__layout_is_for(*out, rank)
             ? SNUG_OK
             : snug__scan_fail(&r->scan, "there is no layout '%s' of %d axes", word, rank);
}

static snug_status read_type(snug__reader *r, snug__type *out) {
  int64_t dim[SNUG_MAX_RANK] = {0};
  int32_t rank = 0;
  snug_dtype dtype = SNUG_NO_DTYPE;
  SNUG_TRY(read_dtype(r, &dtype));
  SNUG_TRY(snug__scan_need(&r->scan, "["));
  while (!snug__scan_has(&r->scan, "]")) {
    if (rank == SNUG_MAX_RANK) {
      return snug__scan_fail(&r->scan, "expected ']': there are at most %d axes", SNUG_MAX_RANK);
    }
    if (rank) {
      SNUG_TRY(snug__scan_need(&r->scan, ","));
    }
    SNUG_TRY(snug__scan_number(&r->scan, "a size", INT64_MAX, &dim[rank++]));
  }
  *out = snug__type_of(dtype, rank, dim);
  SNUG_TRY(read_layout(r, rank, &out->layout));
  return snug__type_is_valid(out) ? SNUG_OK
                                  : snug__scan_fail(&r->scan, "the bytes do not fit into 63 bits");
}

static snug_status read_class(snug__reader *r, snug__class *out) {
  char word[32];
  SNUG_TRY(snug__scan_need(&r->scan, "class="));
  SNUG_TRY(snug__scan_word(&r->scan, "a class", word, sizeof word));
  for (snug__class c = 0; c < SNUG__CLASS_COUNT; c++) {
    if (strcmp(snug__class_text(c), word) == 0) {
      *out = c;
      return SNUG_OK;
    }
  }
  return snug__scan_fail(&r->scan, "there is no class '%s'", word);
}

static snug_status read_name(snug__reader *r, const char **out) {
  const char *name = NULL;
  SNUG_TRY(snug__scan_quoted(&r->scan, &name));
  return snug__arena_text(&r->g->arena, name, out);
}

static snug_status read_view(snug__reader *r, snug__value *v) {
  SNUG_TRY(snug__read_known_id(r, &v->view_of));
  return snug__scan_has(&r->scan, "+")
             ? snug__scan_number(&r->scan, "an offset in bytes", INT64_MAX, &v->view_offset)
             : SNUG_OK;
}

snug_status snug__read_value(snug__reader *r, snug__written *w) {
  snug__value *v = &w->value;
  int64_t variable = SNUG_NONE;
  *v = (snug__value){.producer = SNUG_NONE, .layer = SNUG_NONE, .view_of = SNUG_NONE, .name = ""};
  SNUG_TRY(read_type(r, &v->type));
  if (snug__scan_sees(&r->scan, "\"")) {
    SNUG_TRY(read_name(r, &v->name));
  }
  if (snug__scan_has(&r->scan, "var=")) {
    SNUG_TRY(snug__scan_number(&r->scan, "the number of a variable", SNUG_NONE - 1, &variable));
  }
  v->variable = (snug__id)variable;
  SNUG_TRY(read_class(r, &v->class_));
  if (snug__scan_has(&r->scan, "view=")) {
    SNUG_TRY(read_view(r, v));
  }
  w->has_layer = snug__scan_has(&r->scan, "@");
  return w->has_layer ? snug__read_layer(r, &v->layer) : SNUG_OK;
}

snug_status snug__read_place(snug__reader *r, snug__id id, const snug__value *v) {
  if (id >= r->max_values) {
    return snug__scan_fail(&r->scan, "%%%u is more than a text of this length can hold", id);
  }
  if (snug__read_is_defined(r, id)) {
    return snug__scan_fail(&r->scan, "%%%u is there already", id);
  }
  if (id >= r->g->values.n) {
    SNUG_TRY(snug__vec_push(&r->g->values, NULL, id + 1 - r->g->values.n));
  }
  *snug__value_at(r->g, id) = *v;
  return SNUG_OK;
}
