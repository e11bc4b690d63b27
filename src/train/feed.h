/* Feeding: which samples make up a batch, and their way into the buffers of a program.
 *
 * Arrays in memory are read in place; rows of a source come through a pipe (data/pipe.h), batch by
 * batch.  A batch is taken, copied into programs and given back. */
#ifndef SNUG_TRAIN_FEED_H
#define SNUG_TRAIN_FEED_H

#include "data/augmented.h"
#include "data/mapped.h"
#include "data/pipe.h"
#include "data/shuffle.h"
#include "train/session.h"

#define SNUG__DEFAULT_BATCH 32 /* Keras's */
#define SNUG__MOST_FEEDS 2     /* that take turns */

typedef struct snug__feed {
  const snug_data *data;
  int64_t first, rows; /* the part of the data that this feed gives; rows < 0: nobody knows */
  int64_t batch;
  const double *class_weight; /* per class, or NULL */
  int64_t n_class_weight;
  bool *has_class; /* of these: whether a sample of it came by; NULL: nobody asks */
  bool shuffled;
  int64_t window; /* samples to shuffle in, as snug__intake has it */
  snug__shuffle order;
  const struct snug__augment *augment; /* of the images of x[0]; NULL: they stay as they are */
  snug__intake intake;                 /* if the data have a source or a map, or are augmented */
  snug__mapped mapped;                 /* its source, if they have a map */
  snug__augmented augmented;           /* and around that, if they are augmented */
  snug__pipe *pipe;                    /* NULL: all arrays are in memory */
  bool owns_pipe;
  snug__ready ready; /* the batch that was taken */
  double waited;     /* seconds until batches that were wanted were there */
  double copied;     /* seconds in which they were copied to the buffers of programs */
} snug__feed;

/* In feed_check.c: check the data against the model: numbers of arrays, shapes, dtypes, and in
 * memory NaN, labels. with_labels: y is needed. Fails: E_ARGUMENT, E_SHAPE, E_DTYPE, E_DATA;
 * messages name array, sample and value. */
snug_status snug__feed_check(snug_model *m, const snug_data *data, bool with_labels) SNUG_NODISCARD;

/* What array k of data (in the order of a source) is asked for; whether it is a label.  Fails as
 * snug__loss_target. */
snug_status snug__feed_demand(snug_model *m, const snug_data *data, int32_t k,
                              snug__demand *out) SNUG_NODISCARD;
bool snug__feed_is_label(const snug_data *data, int32_t k);

/* Samples of data that were checked; below 0: nobody knows. */
int64_t snug__feed_samples(const snug_data *data);

/* In feed_open.c: open the pipes of feeds that take turns, if they need any; share as in
 * snug__pipe_open.  Close is due in any case.  Fails as snug__pipe_open. */
snug_status snug__feeds_open(snug_model *m, snug__feed *const *feeds, int32_t n, bool with_labels,
                             uint64_t share) SNUG_NODISCARD;
void snug__feeds_close(snug_ctx *ctx, snug__feed *const *feeds, int32_t n);

/* What reading takes, and took. */
void snug__feeds_report(const snug_ctx *ctx, const snug__feed *const *feeds, int32_t n,
                        snug_data_report *out);

/* Samples that the order is drawn from where they come in order; 0: it is drawn from all of them,
 * or is that of the data. */
int64_t snug__feed_window(const snug__feed *f);

/* Begin a pass with a batch of it. */
void snug__feed_start(snug__feed *f, uint64_t seed, uint64_t pass, int64_t batch);

/* Batches in one pass over the feed, and the rows of one of them. */
int64_t snug__feed_batches(const snug__feed *f);
int64_t snug__feed_rows(const snug__feed *f, int64_t batch);

/* Note in f->has_class the classes of all samples that are in memory as they will be trained on;
 * false: they are not there. */
bool snug__feed_see_classes(const snug__feed *f);

/* The batch sizes that a feed needs programs for: a full one in `slot`, the rest in the slot after.
 * Where a full batch is larger than spec->micro, the sizes of the micro-batches of both. */
void snug__feed_sizes(const snug__feed *f, snug__slot slot, snug__session_spec *spec);

/* Wait for the next batch of the pass, and have no more need of it.  Fails: the failure of a row of
 * it. */
snug_status snug__feed_take(snug__feed *f) SNUG_NODISCARD;
void snug__feed_give(snug__feed *f);

/* Copy rows of the batch that was taken, which is number `batch`, into the input buffers of a run:
 * as many as the run is for, from the given one on.  Inputs that the run has no use for are left
 * out. */
void snug__feed_fill(snug__feed *f, int64_t batch, int64_t first, const snug__run *run);

#endif
