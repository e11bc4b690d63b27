/* The graph of one step: forward, and for training loss, gradients, update and metrics, all as
 * ordinary nodes. */
#ifndef SNUG_TRAIN_STEP_H
#define SNUG_TRAIN_STEP_H

#include "train/training.h"

typedef enum snug__step_kind {
  SNUG__STEP_TRAIN,   /* forward, loss, metrics, backward, update */
  SNUG__STEP_TEST,    /* forward, loss, metrics */
  SNUG__STEP_PREDICT, /* forward */
  /* A batch in micro-batches: TRAIN is all of its micro-batches, one after the other, and one
   * update.  Programs of their own and a loop around them, not a region with a count: micro-batches
   * differ in size, and what they hand on is outside of the block anyway. */
  SNUG__STEP_TRAIN_MICRO_BATCH, /* forward, loss, metrics, backward; gradients are added up */
  SNUG__STEP_TEST_MICRO_BATCH,
  SNUG__STEP_UPDATE, /* by the sums of the gradients; has no samples */
  /* Before the micro-batches, where losses divide by more than a number of samples: how much a
   * micro-batch adds to the divisors. */
  SNUG__STEP_TRAIN_DIVISORS,
  SNUG__STEP_TEST_DIVISORS,
  SNUG__STEP_KIND_COUNT
} snug__step_kind;

/* The values that the loop fills and reads. */
typedef struct snug__step {
  snug__step_kind kind;
  snug__id *x;     /* per input; in a count of divisors SNUG_NONE where it plays no part */
  snug__id *y;     /* per output: labels; unused in predict */
  snug__id *out;   /* per output: predictions; kept after the step in predict only */
  snug__id weight; /* sample weights [batch], or SNUG_NONE */
  int64_t batch;
  /* Micro-batches: scalars to fill. */
  snug__id offset;   /* int64: samples of the whole batch before this micro-batch */
  snug__id whole;    /* float64: samples of the whole batch */
  snug__id keep;     /* float32: 0 in the first micro-batch of a batch, else 1 */
  snug__id *divisor; /* per output: float64, the divisor of its loss: to fill in a micro-batch, to
                        read in a count; SNUG_NONE where it follows from the samples */
} snug__step;

/* Build the graph of a step.  weighted: there are sample weights.  The arrays of *out lie in the
 * graph's arena.  In a micro-batch, sum i of a gradient is the variable behind all those of the
 * model, plus i; a step of training sets training->summed, which an update reads. Owns: *graph is
 * the caller's.  Fails as layers, losses and optimizers do. */
snug_status snug__step_build(snug_model *m, snug__step_kind kind, int64_t batch, bool weighted,
                             snug__graph **graph, snug__step *out) SNUG_NODISCARD;

/* Whether the losses of a micro-batch have divisors that must be counted first. */
bool snug__step_counts(const snug_model *m, const snug__step *step);

#endif
