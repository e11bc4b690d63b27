/* Opening files of arrays, and reading an array when it is asked for. */
#include "data/arrays_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/struct_size.h"
#include "data/npy.h"

#define MOST_ARRAYS 4096
#define SMALL_BYTES (1 << 20)

snug__array_entry *snug__arrays_entry(const snug_arrays *a, const char *name) {
  for (size_t i = 0; i < a->entries.n; i++) {
    snug__array_entry *e = &SNUG_VEC(&a->entries, snug__array_entry, i);
    if (strcmp(e->name, name) == 0) {
      return e;
    }
  }
  return NULL;
}

static bool same_form(const snug_array *a, const snug_array *b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         memcmp(a->shape, b->shape, sizeof a->shape) == 0;
}

snug_status snug__arrays_read_from(snug__stream *s, snug__array_entry *e) {
  snug__raw raw;
  snug_array found;
  SNUG_TRY(snug__array_header(s, &raw, &found));
  if (!same_form(&found, &e->array)) {
    return snug__stream_fail(s, SNUG_E_FORMAT, "was changed while it was being read");
  }
  SNUG_TRY(snug__raw_read(s, &raw, &found));
  e->array = found;
  return SNUG_OK;
}

static snug_status read_file(snug_arrays *a, snug__array_entry *e) {
  snug__stream s;
  SNUG_TRY(snug__stream_open(&s, a->ctx, e->path));
  snug_status status = snug__arrays_read_from(&s, e);
  snug__stream_close(&s);
  return status;
}

snug_status snug__arrays_read(snug_arrays *a, snug__array_entry *e) {
  if (e->why) {
    return snug__fail(a->ctx, SNUG_E_UNSUPPORTED, "%s", e->why);
  }
  if (e->array.data) {
    return SNUG_OK;
  }
  if (e->member == SNUG__IN_SOURCE) {
    return snug__arrays_read_rows(a, e);
  }
  return e->member == SNUG__WHOLE_FILE ? read_file(a, e) : snug__arrays_read_member(a, e);
}

snug_status snug__arrays_add_file(snug_arrays *a, const char *path, const char *name) {
  snug__array_entry e = {.path = path, .member = SNUG__WHOLE_FILE};
  snug__stream s;
  snug__raw raw;
  SNUG_TRY(snug__arena_text(&a->arena, name, &e.name));
  SNUG_TRY(snug__stream_open(&s, a->ctx, path));
  snug_status status = snug__array_header(&s, &raw, &e.array);
  snug__stream_close(&s);
  return status ? status : snug__vec_push(&a->entries, &e, 1);
}

/* The name of the i-th of n files. */
static snug_status add_nth_file(snug_arrays *a, const char *path, int32_t i, int32_t n) {
  char name[32];
  snprintf(name, sizeof name, n > 2 ? "arr_%d" : i ? "y" : "x", i);
  return snug__arrays_add_file(a, path, name);
}

/* Standard input cannot be looked at without taking from it: it is what it must be. */
static snug_status kind_of(snug_arrays *a, const char *path, snug__file_kind *out) {
  *out = SNUG__FILE_RECORDS;
  return strcmp(path, SNUG__STANDARD_INPUT) == 0 ? SNUG_OK
                                                 : snug__file_kind_find(a->ctx, path, out);
}

/* A source that has all arrays. */
static snug_status add_whole(snug_arrays *a, const char *path, snug__file_kind kind) {
  switch (kind) {
    case SNUG__FILE_ZIP:
      return snug__arrays_add_zip(a, path);
    case SNUG__FILE_TABLE:
      return snug__arrays_add_csv(a, path);
    case SNUG__FILE_RECORDS:
      return snug__arrays_add_records(a, path);
    default:
      return snug__arrays_add_images(a, path, kind == SNUG__FILE_LIST);
  }
}

static snug_status add_path(snug_arrays *a, const char *path, int32_t i, int32_t n) {
  snug__file_kind kind = SNUG__FILE_UNKNOWN;
  const char *kept = NULL;
  SNUG_TRY(kind_of(a, path, &kind));
  SNUG_TRY(snug__arena_text(&a->arena, path, &kept));
  a->file = i ? a->file : kept;
  bool is_array = kind == SNUG__FILE_NPY || kind == SNUG__FILE_IDX || kind == SNUG__FILE_GZIP ||
                  kind == SNUG__FILE_UNKNOWN;
  if (!is_array && n > 1) {
    return snug__fail(a->ctx, SNUG_E_ARGUMENT,
                      "%s: an archive of arrays stands alone, as tables, records and images do; "
                      "give it without other files, or one .npy file per array",
                      snug__path_shown(path));
  }
  return is_array ? add_nth_file(a, kept, i, n) : add_whole(a, kept, kind);
}

/* As numpy.savez names arrays that were given without names: arr_0, arr_1, ... in this order. */
static bool are_numbered(const snug_arrays *a) {
  char name[32];
  for (size_t i = 0; i < a->entries.n; i++) {
    snprintf(name, sizeof name, "arr_%zu", i);
    if (strcmp(SNUG_VEC(&a->entries, snug__array_entry, i).name, name) != 0) {
      return false;
    }
  }
  return true;
}

/* At least one array that can be used. */
static snug_status check_use(const snug_arrays *a) {
  const snug__array_entry *e = a->entries.data;
  for (size_t i = 0; i < a->entries.n; i++) {
    if (!e[i].why) {
      return SNUG_OK;
    }
  }
  return a->entries.n ? snug__fail(a->ctx, SNUG_E_UNSUPPORTED, "%s", e[0].why)
                      : snug__fail(a->ctx, SNUG_E_FORMAT,
                                   "%s: has no arrays; numpy.savez(\"%s\", x=x, y=y) writes them",
                                   snug__path_shown(a->file), snug__path_shown(a->file));
}

static snug_status add_paths(snug_arrays *a, const char *const *paths, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (!paths[i]) {
      return snug__fail(a->ctx, SNUG_E_ARGUMENT, "the path of file %d is NULL", i);
    }
    SNUG_TRY(add_path(a, paths[i], i, n));
  }
  SNUG_TRY(check_use(a));
  a->is_positional =
      SNUG_VEC(&a->entries, snug__array_entry, 0).member == SNUG__WHOLE_FILE || are_numbered(a);
  return SNUG_OK;
}

snug_status snug_arrays_open(snug_ctx *ctx, const char *const *paths, int32_t n,
                             snug_arrays **out) {
  return snug_arrays_open_with(ctx, paths, n, NULL, out);
}

snug_status snug_arrays_open_with(snug_ctx *ctx, const char *const *paths, int32_t n,
                                  const snug_arrays_options *options, snug_arrays **out) {
  snug_arrays_options o;
  snug_arrays *a = NULL;
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  if (!out || !paths || n < 1) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "no file of arrays was given, or no place for them");
  }
  *out = NULL;
  SNUG_TRY(SNUG__READ(ctx, snug_arrays_options, options, &o));
  o.small = o.small ? o.small : SMALL_BYTES;
  o.hold = o.hold > 0 ? o.hold : INT64_MAX;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_DATA, &a));
  a->ctx = ctx;
  a->options = o;
  snug__arena_init(&a->arena, ctx, SNUG__MEM_DATA);
  snug__vec_init(&a->entries, ctx, SNUG__MEM_DATA, sizeof(snug__array_entry), MOST_ARRAYS);
  snug_status status = add_paths(a, paths, n);
  if (status) {
    snug_arrays_destroy(a);
    return status;
  }
  *out = a;
  return SNUG_OK;
}

void snug_arrays_destroy(snug_arrays *a) {
  if (!a) {
    return;
  }
  for (size_t i = 0; i < a->entries.n; i++) {
    snug__array_entry *e = &SNUG_VEC(&a->entries, snug__array_entry, i);
    snug__array_give(a->ctx, &e->array);
    if (e->rows) {
      close(e->rows->file.fd);
    }
  }
  if (a->csv) {
    snug__csv_release(a->csv);
  }
  if (a->records) {
    snug__records_release(a->records);
  }
  if (a->folder) {
    snug__folder_release(a->folder);
  }
  snug__vec_release(&a->entries);
  snug__arena_release(&a->arena);
  snug__give(a->ctx, SNUG__MEM_DATA, a, sizeof *a);
}

size_t snug_arrays_count(const snug_arrays *a) { return a ? a->entries.n : 0; }

const char *snug_arrays_name(const snug_arrays *a, size_t i) {
  return a && i < a->entries.n ? SNUG_VEC(&a->entries, snug__array_entry, i).name : NULL;
}

const snug_array *snug_arrays_find(const snug_arrays *a, const char *name) {
  const snug__array_entry *e = a && name ? snug__arrays_entry(a, name) : NULL;
  return e ? &e->array : NULL;
}

snug_status snug_arrays_get(snug_arrays *a, const char *name, const snug_array **out) {
  if (!a) {
    return SNUG_E_ARGUMENT;
  }
  if (!name || !out) {
    return snug__fail(a->ctx, SNUG_E_ARGUMENT, "%s: no name of an array, or no place for it (NULL)",
                      snug__path_shown(a->file));
  }
  *out = NULL;
  snug__array_entry *e = snug__arrays_entry(a, name);
  if (!e) {
    return snug__fail(a->ctx, SNUG_E_ARGUMENT, "%s: has no array \"%.100s\"",
                      snug__path_shown(a->file), name);
  }
  SNUG_TRY(snug__arrays_read(a, e));
  *out = &e->array;
  return SNUG_OK;
}
