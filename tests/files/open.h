/* Files of tests/data/arrays, as they are or damaged. */
#ifndef SNUG_TESTS_FILES_OPEN_H
#define SNUG_TESTS_FILES_OPEN_H

#include "lib/test.h"

/* The path of a file of tests/data/arrays; valid until the next four calls. */
const char *data_path(const char *name);

/* Open one file by name or by path; *out is NULL if it fails. */
snug_status open_named(snug_ctx *ctx, const char *name, snug_arrays **out) SNUG_NODISCARD;
snug_status open_path(snug_ctx *ctx, const char *path, snug_arrays **out) SNUG_NODISCARD;

/* Open and read all arrays of a file, and end them: whether the whole of it is good. */
snug_status read_whole(snug_ctx *ctx, const char *path) SNUG_NODISCARD;

/* A whole file; freed by free(). */
unsigned char *slurp(const char *path, size_t *n);
void spill(const char *path, const void *bytes, size_t n);

#endif
