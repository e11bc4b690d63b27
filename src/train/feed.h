/* Feeding: which samples make up a batch, and their way into the buffers of a program. */
#ifndef SNUG_TRAIN_FEED_H
#define SNUG_TRAIN_FEED_H

#include "data/shuffle.h"
#include "train/session.h"

#define SNUG__DEFAULT_BATCH 32 /* Keras's */

typedef struct snug__feed {
  const snug_data *data;
  int64_t first, rows; /* the part of the data that this feed gives */
  int64_t batch;
  const double *class_weight; /* per class, or NULL */
  int64_t n_class_weight;
  bool shuffled;
  snug__shuffle order;
} snug__feed;

/* Check the data against the model: numbers of arrays, shapes, dtypes, NaN, labels.  with_labels: y
 * is needed. Fails: E_ARGUMENT, E_SHAPE, E_DTYPE, E_DATA; messages name array, sample and value. */
snug_status snug__feed_check(snug_model *m, const snug_data *data, bool with_labels) SNUG_NODISCARD;

/* Batches in one pass over the feed, and the rows of one of them. */
int64_t snug__feed_batches(const snug__feed *f);
int64_t snug__feed_rows(const snug__feed *f, int64_t batch);

/* The batch sizes that a feed needs programs for: a full one in `slot`, the rest in the slot after.
 * Where a full batch is larger than spec->micro, the sizes of the pieces of both. */
void snug__feed_sizes(const snug__feed *f, snug__slot slot, snug__session_spec *spec);

/* Copy a batch into the input buffers of a run, which must be for as many rows. */
void snug__feed_fill(const snug__feed *f, int64_t batch, const snug__run *run);

/* The same for as many rows as the run is for, from the given one of the batch on.  Inputs that the
 * run has no use for are left out. */
void snug__feed_fill_piece(const snug__feed *f, int64_t batch, int64_t first, const snug__run *run);

#endif
