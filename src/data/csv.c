/* CSV as a source: any row where it lies. */
#include "data/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/size.h"
#include "graph/type.h"

#define NUMBER_BYTES 64
#define NAME_BYTES 256

static const snug__csv_column *column_at(const snug__csv *c, int32_t i) {
  return &SNUG_VEC(&c->columns, snug__csv_column, i);
}

static bool is_feature(const snug__csv *c, int32_t i) { return i != c->label; }

static int32_t count_features(const snug__csv *c) {
  return (int32_t)c->columns.n - (c->label >= 0);
}

/* ---- arrays ---- */

static snug_dtype dtype_of(snug__csv_kind kind) {
  return kind == SNUG__CSV_REAL ? SNUG_FLOAT32 : SNUG_INT64;
}

snug_array snug__csv_array(const snug__csv *c, int32_t field, const char **why) {
  *why = NULL;
  for (int32_t i = 0; i < (int32_t)c->columns.n && field == SNUG__CSV_X && !*why; i++) {
    *why = is_feature(c, i) ? column_at(c, i)->why : NULL;
  }
  if (field == SNUG__CSV_X) {
    return (snug_array){.dtype = c->features, .rank = 2, .shape = {c->rows, count_features(c)}};
  }
  const snug__csv_column *column =
      column_at(c, field == SNUG__CSV_Y ? c->label : field - SNUG__CSV_COLUMNS);
  *why = column->why;
  return (snug_array){.dtype = dtype_of(column->kind), .rank = 1, .shape = {c->rows}};
}

/* ---- rows ---- */

/* What a thread keeps: the last block that it read, as neighbours are often wanted together. */
typedef struct cache {
  int64_t block; /* its number + 1; 0: none */
  size_t bytes;
} cache;

static char *text_of(cache *k) { return (char *)(k + 1); }

static snug_status read_block(const snug__csv *c, int64_t block, cache *k, char *why) {
  const int64_t *marks = c->marks.data;
  int64_t end = (size_t)block + 1 < c->marks.n ? marks[block + 1] : c->end;
  SNUG_TRY(snug__rows_file_check(&c->file, why));
  if (k->block == block + 1) {
    return SNUG_OK;
  }
  k->block = 0;
  k->bytes = (size_t)(end - marks[block]);
  SNUG_TRY(snug__rows_file_read(&c->file, text_of(k), k->bytes, marks[block], why));
  k->block = block + 1;
  return SNUG_OK;
}

static snug_status fail_changed(char *why) {
  snprintf(why, SNUG_WHY_BYTES, "was changed while it was being read");
  return SNUG_E_IO;
}

/* Row number `skip` of a block; empty lines are none. */
static snug_status find_row(const snug__csv *c, cache *k, int64_t skip, snug__csv_row *out,
                            char *why) {
  const char *at = text_of(k);
  const char *end = at + k->bytes;
  while (at < end) {
    const char *next = snug__csv_row_end(at, end, true);
    if (!next) {
      break;
    }
    *out = snug__csv_row_of(at, next, c->separator);
    if (out->at < out->end && skip-- == 0) {
      return SNUG_OK;
    }
    at = next;
  }
  return fail_changed(why);
}

static double number_of(const snug__csv_field *f) {
  char text[NUMBER_BYTES];
  const char *at = text;
  double value = NAN;
  snug__csv_text(f, text, sizeof text);
  at += *at == '+';
  snug__read_float(&at, &value);
  return value;
}

/* Doubles do not hold all whole numbers. */
static int64_t whole_of(const snug__csv_field *f) {
  char text[NUMBER_BYTES];
  const char *at = text;
  int64_t value = 0;
  snug__csv_text(f, text, sizeof text);
  at += *at == '+';
  snug__read_int(&at, &value);
  return value;
}

static void put(const snug__csv_field *f, snug_dtype dtype, void *to, int64_t index) {
  if (dtype == SNUG_INT64) {
    ((int64_t *)to)[index] = whole_of(f);
  } else {
    snug__element_set(dtype, to, index, number_of(f));
  }
}

static int64_t class_of(const snug__csv *c, const snug__csv_field *f) {
  char name[NAME_BYTES];
  snug__csv_text(f, name, sizeof name);
  return (int64_t)snug__map_find(&c->classes, name);
}

/* A field goes into x or y, and to its own place. */
static void put_field(const snug__csv *c, int32_t i, const snug__csv_field *f, int64_t *feature,
                      void *const *to) {
  const snug__csv_column *column = column_at(c, i);
  void *own[] = {is_feature(c, i) ? NULL : to[SNUG__CSV_Y], to[SNUG__CSV_COLUMNS + i]};
  for (size_t k = 0; k < SNUG_COUNT(own); k++) {
    if (own[k] && column->kind == SNUG__CSV_TEXT) {
      *(int64_t *)own[k] = class_of(c, f);
    } else if (own[k]) {
      put(f, dtype_of(column->kind), own[k], 0);
    }
  }
  if (is_feature(c, i) && to[SNUG__CSV_X]) {
    put(f, c->features, to[SNUG__CSV_X], *feature);
  }
  *feature += is_feature(c, i);
}

static snug_status put_row(const snug__csv *c, snug__csv_row row, void *const *to, char *why) {
  snug__csv_field f;
  bool is_bad;
  int32_t n = 0;
  int64_t feature = 0;
  for (; n < (int32_t)c->columns.n && snug__csv_next(&row, &f, &is_bad); n++) {
    put_field(c, n, &f, &feature, to);
  }
  return n == (int32_t)c->columns.n ? SNUG_OK : fail_changed(why);
}

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  const snug__csv *c = user;
  snug__csv_row found;
  (void)pass;
  SNUG_TRY(read_block(c, row / c->step, scratch, why));
  SNUG_TRY(find_row(c, scratch, row % c->step, &found, why));
  return put_row(c, found, to, why);
}

/* All features side by side are whole numbers, unless one of them is not. */
static snug_dtype features_dtype(const snug__csv *c) {
  snug_dtype dtype = SNUG_INT64;
  for (int32_t i = 0; i < (int32_t)c->columns.n; i++) {
    bool is_real = is_feature(c, i) && column_at(c, i)->kind == SNUG__CSV_REAL;
    dtype = is_real ? SNUG_FLOAT32 : dtype;
  }
  return dtype;
}

snug_source snug__csv_source(snug__csv *c) {
  c->features = features_dtype(c);
  return (snug_source){.struct_size = sizeof(snug_source),
                       .user = c,
                       .rows = c->rows,
                       .scratch = sizeof(cache) + c->block,
                       .read = read_row};
}
