#include "files/open.h"

#include <stdio.h>
#include <stdlib.h>

const char *data_path(const char *name) {
  static char paths[4][512];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/arrays/%s", SNUG_TEST_DATA, name);
  return path;
}

snug_status open_path(snug_ctx *ctx, const char *path, snug_arrays **out) {
  return snug_arrays_open(ctx, &path, 1, out);
}

snug_status open_named(snug_ctx *ctx, const char *name, snug_arrays **out) {
  return open_path(ctx, data_path(name), out);
}

snug_status read_whole(snug_ctx *ctx, const char *path) {
  snug_arrays *a = NULL;
  snug_status status = open_path(ctx, path, &a);
  for (size_t i = 0; !status && i < snug_arrays_count(a); i++) {
    const snug_array *array;
    status = snug_arrays_get(a, snug_arrays_name(a, i), &array);
  }
  snug_arrays_destroy(a);
  return status;
}

unsigned char *slurp(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  ASSERT_NOT_NULL(f);
  unsigned char *bytes = malloc(1 << 20);
  ASSERT_NOT_NULL(bytes);
  *n = fread(bytes, 1, 1 << 20, f);
  fclose(f);
  return bytes;
}

void spill(const char *path, const void *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  ASSERT_NOT_NULL(f);
  ASSERT_EQ_UINT(fwrite(bytes, 1, n, f), n);
  ASSERT_EQ_INT(fclose(f), 0);
}
