/* The memory of a fit at chosen moments.  There is room for all of them before step 1. */
#ifndef SNUG_TRAIN_SAMPLES_H
#define SNUG_TRAIN_SAMPLES_H

#include "train/fit.h"

/* Fails: E_ARGUMENT for lists that make no sense. */
snug_status snug__sampling_check(const snug_model *m, const snug_sampling *s) SNUG_NODISCARD;

/* Make room in the history, and begin. */
snug_status snug__samples_create(snug__fit *f) SNUG_NODISCARD;
void snug__samples_end(snug__fit *f);

/* Record this moment if it is one that was asked for; NULL: it is not.  batch: as in
 * snug_memory_sample. */
const snug_memory_sample *snug__samples_take(snug__fit *f, const char *at, int64_t batch);

#define SNUG__AT_EPOCH_BEGIN "epoch_begin"
#define SNUG__AT_BATCH_END "batch_end"
#define SNUG__AT_EPOCH_END "epoch_end"

#endif
