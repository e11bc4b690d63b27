/* Data that are described and not there: rows of the shapes that a model takes, for plans of a fit.
 *
 * Its arrays point to snug__no_values.  Nothing outside of the library can make such arrays, and no
 * step runs on them. */
#ifndef SNUG_TRAIN_STAND_IN_H
#define SNUG_TRAIN_STAND_IN_H

#include "train/training.h"

typedef struct snug__stand_in {
  snug_ctx *ctx;
  snug_array *arrays; /* inputs, then labels */
  size_t n;
  snug_data data;
} snug__stand_in;

/* Make one for a compiled model.  Must be released in any case.  Fails: E_STATE (not compiled),
 * E_ARGUMENT (no rows), E_MEMORY, E_LIMIT. */
snug_status snug__stand_in_init(snug__stand_in *s, snug_model *m, int64_t rows) SNUG_NODISCARD;
void snug__stand_in_release(snug__stand_in *s);

#endif
