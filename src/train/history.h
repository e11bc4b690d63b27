/* The history of a fit: a table of values, one row per epoch, made before step 1. */
#ifndef SNUG_TRAIN_HISTORY_H
#define SNUG_TRAIN_HISTORY_H

#include "base/ctx.h"
#include "snug/train.h"

struct snug_history {
  snug_ctx *ctx;
  size_t bytes; /* of the whole, this struct included: one piece of memory */
  int64_t epochs, room;
  size_t n;           /* values per epoch */
  const char **names; /* n, sorted but for added ones; the texts lie behind the values */
  double *values;     /* room x n, NaN where there was no value */
  snug_memory_report memory;
  snug_data_report data;
  snug_memory_sample *samples; /* a piece of its own; NULL: none are taken */
  size_t n_samples, sample_room;
};

/* Room for `epochs` rows of the given names, which are copied; the first n_sorted are sorted. */
snug_status snug__history_create(snug_ctx *ctx, int64_t epochs, const char *const *names, size_t n,
                                 size_t n_sorted, snug_history **out) SNUG_NODISCARD;

/* The row of the running epoch; snug__history_push makes it part of the history. */
double *snug__history_row(snug_history *h);
void snug__history_push(snug_history *h);

/* Position of a name; n if there is none. */
size_t snug__history_column(const snug_history *h, const char *name);

#endif
