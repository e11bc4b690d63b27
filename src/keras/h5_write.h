/* Writing HDF5 as h5py does by default: old-style groups, contiguous datasets, little-endian. */
#ifndef SNUG_KERAS_H5_WRITE_H
#define SNUG_KERAS_H5_WRITE_H

#include "base/ctx.h"
#include "snug/types.h"

typedef struct snug__h5_writer snug__h5_writer;

/* Start a file at an offset of what lies behind an open descriptor, which stays the caller's; there
 * is nothing behind the offset.  Fails: E_IO, E_MEMORY. */
snug_status snug__h5_writer_open(snug_ctx *ctx, int fd, int64_t begin,
                                 snug__h5_writer **out) SNUG_NODISCARD;

/* Make a group and those above it; with an attribute `name` if that is not NULL. */
snug_status snug__h5_write_group(snug__h5_writer *w, const char *path,
                                 const char *name) SNUG_NODISCARD;

/* Write a dataset; data in row-major order.  bfloat16 is written as Keras does (opaque, with an
 * attribute). */
snug_status snug__h5_write_data(snug__h5_writer *w, const char *path, snug_dtype dtype,
                                int32_t rank, const int64_t *dim, const void *data) SNUG_NODISCARD;

/* Finish: everything is in the file, which is not synced; *bytes is its length.  Ends the writer
 * also if it fails. */
snug_status snug__h5_writer_close(snug__h5_writer *w, int64_t *bytes) SNUG_NODISCARD;

#endif
