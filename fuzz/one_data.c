#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/arrays.h"
#include "data/arrays_file.h"
#include "one.h"
#include "rules.h"

#define MOST_ROWS 64
#define MOST_BYTES (1 << 20) /* of one row */

/* Read rows of a source, each into memory of just its bytes. */
static void read_rows(const snug_source *s, const snug_array *a, int32_t field, int32_t n_fields) {
  char why[SNUG_WHY_BYTES] = "";
  size_t bytes = snug__array_row_bytes(a);
  char *scratch = calloc(1, s->scratch + 1);
  char *row = malloc(bytes ? bytes : 1);
  void **to = calloc((size_t)n_fields, sizeof *to);
  snug_status status = s->restart ? s->restart(s->user, scratch, 0, why) : SNUG_OK;
  for (int64_t i = 0; i < s->rows && i < MOST_ROWS && !status; i++) {
    to[field] = row;
    status = s->read(s->user, scratch, i, 0, to, why);
  }
  if (status && !why[0]) {
    fuzz_fail("a row failed without a message");
  }
  free(to);
  free(row);
  free(scratch);
}

static void read_arrays(const char *path, const snug_arrays_options *options) {
  snug_ctx *ctx = fuzz_begin();
  snug_arrays *a = NULL;
  snug_status s = snug_arrays_open_with(ctx, &path, 1, options, &a);
  fuzz_check(ctx, s, path);
  for (size_t i = 0; i < snug_arrays_count(a); i++) {
    snug__array_entry *e = &SNUG_VEC(&a->entries, snug__array_entry, i);
    s = snug__arrays_feed(a, e);
    fuzz_check(ctx, s, path);
    if (!s && !e->array.data && snug__array_row_bytes(&e->array) <= MOST_BYTES) {
      read_rows(e->source, &e->array, e->field, e->n_fields);
    }
  }
  snug_arrays_destroy(a);
  fuzz_end(ctx);
}

static void read_table(const char *path) {
  snug_ctx *ctx = fuzz_begin();
  snug__arena arena;
  snug__csv c;
  snug__arena_init(&arena, ctx, SNUG__MEM_DATA);
  snug_status s = snug__csv_open(&c, ctx, &arena, path, NULL);
  fuzz_check(ctx, s, path);
  if (!s) {
    const char *why = NULL;
    int32_t n_fields = SNUG__CSV_COLUMNS + (int32_t)c.columns.n;
    snug_source source = snug__csv_source(&c);
    for (int32_t field = 0; field < n_fields; field++) {
      if (field != SNUG__CSV_Y || c.label >= 0) {
        snug_array a = snug__csv_array(&c, field, &why);
        read_rows(&source, &a, field, n_fields);
      }
    }
  }
  snug__csv_release(&c);
  snug__arena_release(&arena);
  fuzz_end(ctx);
}

void fuzz_one_data(const uint8_t *data, size_t bytes) {
  static const snug_arrays_options in_places = {sizeof in_places, -1, 1, false, NULL, NULL};
  char path[64];
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes) {
    fuzz_fail("no file");
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (snug__file_kind_of(data, bytes) == SNUG__FILE_UNKNOWN) {
    read_table(path);
  } else {
    read_arrays(path, &in_places);
    read_arrays(path, NULL);
  }
  close(fd);
}
