/* One variable and its dataset.  A variable whose bytes lie in another layout than the file's goes
 * through memory of its size; others are read and written where they are. */
#ifndef SNUG_KERAS_DATASET_H
#define SNUG_KERAS_DATASET_H

#include "keras/h5.h"
#include "keras/h5_write.h"
#include "model/variables.h"

#define SNUG__DATASET_PATH_BYTES 4096

/* The path "<group>/vars/<i>", or "vars/<i>" in the root ("").  Fails: E_FORMAT if it is too long.
 */
snug_status snug__dataset_path(snug_ctx *ctx, const char *group, size_t i,
                               char out[SNUG__DATASET_PATH_BYTES]) SNUG_NODISCARD;

/* Whether a dataset is there and has a shape.  Fails: E_FORMAT; E_SHAPE, where `whose` ("layer
 * 'conv1'") begins the message behind the file's name. */
snug_status snug__dataset_check(snug_ctx *ctx, snug__h5 *h5, const char *path, const char *whose,
                                const snug__variable *v) SNUG_NODISCARD;

/* Read into the bytes of a variable, which has the dataset's shape; the dtype is converted. */
snug_status snug__dataset_read(snug__h5 *h5, const char *path, const snug__variables *all,
                               const snug__variable *v) SNUG_NODISCARD;

snug_status snug__dataset_write(snug__h5_writer *w, const char *path, const snug__variables *all,
                                const snug__variable *v) SNUG_NODISCARD;

#endif
