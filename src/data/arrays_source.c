/* Tables, records and images as arrays, and arrays that are read whole by their source. */
#include <string.h>

#include "base/size.h"
#include "data/arrays.h"
#include "data/arrays_file.h"

#define MOST_OWN 1024 /* columns that are arrays of their own; a table of more has x alone */

/* ---- tables ---- */

static snug_status add_column(snug_arrays *a, const char *name, int32_t field,
                              snug_source *source) {
  int32_t n_fields = SNUG__CSV_COLUMNS + (int32_t)a->csv->columns.n;
  snug__array_entry e = {.name = name,
                         .path = a->csv->path,
                         .member = SNUG__IN_SOURCE,
                         .source = source,
                         .field = field,
                         .n_fields = n_fields};
  e.array = snug__csv_array(a->csv, field, &e.why);
  e.array = e.why ? (snug_array){.rank = 0} : e.array;
  return snug__arrays_entry(a, name) ? SNUG_OK : snug__vec_push(&a->entries, &e, 1);
}

static snug_status add_columns(snug_arrays *a, snug_source *source) {
  size_t n = a->csv->columns.n;
  SNUG_TRY(add_column(a, "x", SNUG__CSV_X, source));
  if (a->csv->label >= 0) {
    SNUG_TRY(add_column(a, "y", SNUG__CSV_Y, source));
  }
  for (size_t i = 0; i < n && n <= MOST_OWN; i++) {
    const char *name = SNUG_VEC(&a->csv->columns, snug__csv_column, i).name;
    SNUG_TRY(add_column(a, name, SNUG__CSV_COLUMNS + (int32_t)i, source));
  }
  return SNUG_OK;
}

/* Memory for what a source reads from, and for the source. */
static snug_status take_both(snug_arrays *a, size_t bytes, void **user, snug_source **source) {
  void *taken = NULL;
  SNUG_TRY(snug__arena_take(&a->arena, sizeof **source, &taken));
  *source = taken;
  return snug__arena_take(&a->arena, bytes, user);
}

snug_status snug__arrays_add_csv(snug_arrays *a, const char *path) {
  snug_source *source = NULL;
  SNUG_TRY(take_both(a, sizeof *a->csv, (void **)&a->csv, &source));
  SNUG_TRY(snug__csv_open(a->csv, a->ctx, &a->arena, path, a->options.label));
  *source = snug__csv_source(a->csv);
  return add_columns(a, source);
}

/* ---- records ---- */

static snug_status add_fields(snug_arrays *a, const char *path, snug_source *source) {
  const snug__vec *fields = &a->records->fields;
  for (size_t i = 0; i < fields->n; i++) {
    const snug__record_field *f = &SNUG_VEC(fields, snug__record_field, i);
    snug__array_entry e = {.name = f->name,
                           .path = path,
                           .member = SNUG__IN_SOURCE,
                           .array = f->array,
                           .source = source,
                           .field = (int32_t)i,
                           .n_fields = (int32_t)fields->n};
    if (snug__arrays_entry(a, f->name)) {
      return snug__fail(a->ctx, SNUG_E_FORMAT, "%s: has two arrays of the name %s",
                        snug__path_shown(path), f->name);
    }
    SNUG_TRY(snug__vec_push(&a->entries, &e, 1));
  }
  return SNUG_OK;
}

snug_status snug__arrays_add_records(snug_arrays *a, const char *path) {
  snug_source *source = NULL;
  SNUG_TRY(take_both(a, sizeof *a->records, (void **)&a->records, &source));
  SNUG_TRY(snug__records_open(a->records, a->ctx, &a->arena, path));
  *source = snug__records_source(a->records);
  return add_fields(a, path, source);
}

/* ---- images ---- */

static snug_status add_images(snug_arrays *a, snug__folder_part *part, const char *name,
                              int32_t field) {
  snug__array_entry e = {.name = name,
                         .path = a->folder->path,
                         .member = SNUG__IN_SOURCE,
                         .array = snug__folder_array(a->folder, part, field),
                         .source = &part->source,
                         .field = field,
                         .n_fields = SNUG__FOLDER_FIELDS,
                         .is_live = true};
  return part->rows && e.array.rank ? snug__vec_push(&a->entries, &e, 1) : SNUG_OK;
}

snug_status snug__arrays_add_images(snug_arrays *a, const char *path, bool is_list) {
  void *taken = NULL;
  SNUG_TRY(snug__arena_take(&a->arena, sizeof *a->folder, &taken));
  a->folder = taken;
  SNUG_TRY(snug__folder_open(a->folder, a->ctx, path, is_list, a->options.images));
  SNUG_TRY(add_images(a, &a->folder->train, "x", SNUG__FOLDER_X));
  SNUG_TRY(add_images(a, &a->folder->train, "y", SNUG__FOLDER_Y));
  SNUG_TRY(add_images(a, &a->folder->validation, "x_val", SNUG__FOLDER_X));
  return add_images(a, &a->folder->validation, "y_val", SNUG__FOLDER_Y);
}

/* ---- classes ---- */

const char *snug_arrays_class(const snug_arrays *a, int64_t i) {
  if (!a || i < 0) {
    return NULL;
  }
  if (a->folder) {
    return i < snug__list_classes(&a->folder->list) ? snug__list_class(&a->folder->list, i) : NULL;
  }
  return a->csv && (size_t)i < a->csv->names.n ? SNUG_VEC(&a->csv->names, const char *, i) : NULL;
}

/* ---- stages ---- */

size_t snug_arrays_stages(const snug_arrays *a, snug_stage *out, size_t n) {
  const snug__image_times *times = a && a->folder ? a->folder->train.images.times : NULL;
  for (size_t i = 0; times && out && i < n && i < SNUG__IMAGE_STAGES; i++) {
    out[i] = (snug_stage){snug__image_stage_names[i], 1e-9 * (double)times->nanoseconds[i]};
  }
  return times ? SNUG__IMAGE_STAGES : 0;
}

/* ---- whole ---- */

/* Memory of one call: the places of the source's fields, and its scratch. */
typedef struct reading {
  void **to;
  char *scratch;
  size_t bytes;
} reading;

static snug_status read_all(const snug__array_entry *e, const reading *r, char *dst, char *why) {
  const snug_source *s = e->source;
  size_t bytes = snug__array_row_bytes(&e->array);
  for (int64_t row = 0; row < e->array.shape[0]; row++) {
    r->to[e->field] = dst + (size_t)row * bytes;
    SNUG_TRY(s->read(s->user, r->scratch, row, SNUG_NOT_TRAINING, r->to, why));
  }
  return SNUG_OK;
}

static snug_status read_into(snug_arrays *a, snug__array_entry *e, const reading *r) {
  char why[SNUG_WHY_BYTES] = "";
  size_t bytes = snug__array_bytes(&e->array);
  char *dst = snug__realloc(a->ctx, SNUG__MEM_DATA, NULL, 0, bytes ? bytes : 1);
  if (!dst) {
    return snug__fail_within(a->ctx, snug__refuse(a->ctx, SNUG__MEM_DATA, bytes), "%s: %s",
                             snug__path_shown(e->path), e->name);
  }
  e->array.data = dst;
  snug_status s = read_all(e, r, dst, why);
  if (s) {
    snug__array_give(a->ctx, &e->array);
    return snug__fail(a->ctx, s, "%s: %s: %s", snug__path_shown(e->path), e->name, why);
  }
  return SNUG_OK;
}

snug_status snug__arrays_read_rows(snug_arrays *a, snug__array_entry *e) {
  size_t table = (size_t)snug__round_up((int64_t)((size_t)e->n_fields * sizeof(void *)), 64);
  reading r = {.bytes = table + e->source->scratch};
  void *taken = NULL;
  if (e->source->in_order) {
    return snug__fail(a->ctx, SNUG_E_ARGUMENT, "%s: %s: is a stream, which cannot be held whole",
                      snug__path_shown(e->path), e->name);
  }
  SNUG_TRY(snug__take(a->ctx, SNUG__MEM_SCRATCH, r.bytes, &taken));
  r.to = taken;
  r.scratch = (char *)taken + table;
  snug_status s = read_into(a, e, &r);
  snug__give(a->ctx, SNUG__MEM_SCRATCH, taken, r.bytes);
  return s;
}
