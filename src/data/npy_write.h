/* An array as the bytes of a `.npy` file, piece by piece. */
#ifndef SNUG_DATA_NPY_WRITE_H
#define SNUG_DATA_NPY_WRITE_H

#include "base/file.h"
#include "snug/files.h"

typedef snug_status snug__npy_put(void *user, const void *bytes, size_t n);

/* See that an array can be written.  `what` names it in messages. */
snug_status snug__npy_check(snug_ctx *ctx, const char *what, const snug_array *a) SNUG_NODISCARD;

/* Bytes that follow. */
int64_t snug__npy_bytes(const snug_array *a);

/* Hand all bytes of the file to a function, in order. */
snug_status snug__npy_emit(const snug_array *a, snug__npy_put *put, void *user) SNUG_NODISCARD;

#endif
