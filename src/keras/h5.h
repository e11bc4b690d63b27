/* Reading HDF5 in a range of a file, in bounded pieces: what h5py and Keras write, by any of their
 * options, and files that were repacked.  h5_file.h says why the HDF5 library does not do it. */
#ifndef SNUG_KERAS_H5_H
#define SNUG_KERAS_H5_H

#include "keras/archive.h"
#include "snug/types.h"

typedef struct snug__h5 snug__h5;

/* Open the file in a range, which must stay open; `file` is for messages and is copied.  Fails:
 * E_FORMAT, E_IO, E_MEMORY. */
snug_status snug__h5_open(snug_ctx *ctx, const char *file, const snug__range *range,
                          snug__h5 **out) SNUG_NODISCARD;
void snug__h5_close(snug__h5 *h5);

const char *snug__h5_file(const snug__h5 *h5); /* as given to open */

/* Whether there is a group or dataset at a path ("layers/dense/vars").  Fails: E_FORMAT if the way
 * there is damaged, E_IO, E_MEMORY. */
snug_status snug__h5_has(snug__h5 *h5, const char *path, bool *out) SNUG_NODISCARD;

/* What lies directly in a group: the i-th name in the file's own order, into out. */
snug_status snug__h5_count(snug__h5 *h5, const char *group, size_t *n) SNUG_NODISCARD;
snug_status snug__h5_name(snug__h5 *h5, const char *group, size_t i, char *out,
                          size_t bytes) SNUG_NODISCARD;

/* A dataset: what it holds and where. */
typedef struct snug__h5_data {
  snug_dtype dtype;
  bool big_endian;
  int32_t rank;
  int64_t dim[SNUG_MAX_RANK];
  int64_t bytes;
  const char *path; /* as asked for; lives as long as the caller's text */
} snug__h5_data;

/* Fails: E_FORMAT (missing, no numbers, more axes than SNUG_MAX_RANK, outside of the file). */
snug_status snug__h5_data_find(snug__h5 *h5, const char *path, snug__h5_data *out) SNUG_NODISCARD;

/* Read all elements, converted to a dtype, into dst, which has room for them. */
snug_status snug__h5_data_read(snug__h5 *h5, const snug__h5_data *data, snug_dtype as,
                               void *dst) SNUG_NODISCARD;

/* Memory for elements on their way to another layout.  It is the file's: what was there is gone
 * with the next call, and all of it when the file is closed. */
snug_status snug__h5_room(snug__h5 *h5, size_t bytes, void **out) SNUG_NODISCARD;

/* The number of texts in an attribute of a group ("" is the root; 0 if it is not there), and the
 * i-th.  Lists that Keras split ("layer_names0", ...) read as one. */
snug_status snug__h5_texts(snug__h5 *h5, const char *group, const char *attribute,
                           size_t *n) SNUG_NODISCARD;
snug_status snug__h5_text(snug__h5 *h5, const char *group, const char *attribute, size_t i,
                          char *out, size_t bytes) SNUG_NODISCARD;

#endif
