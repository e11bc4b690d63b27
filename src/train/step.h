/* The graph of one step: forward, and for training loss, gradients, update and metrics, all as
 * ordinary nodes. */
#ifndef SNUG_TRAIN_STEP_H
#define SNUG_TRAIN_STEP_H

#include "train/training.h"

typedef enum snug__step_kind {
  SNUG__STEP_TRAIN,  /* forward, loss, metrics, backward, update */
  SNUG__STEP_TEST,   /* forward, loss, metrics */
  SNUG__STEP_PREDICT /* forward */
} snug__step_kind;

/* The values that the loop fills and reads. */
typedef struct snug__step {
  snug__id *x;     /* per input */
  snug__id *y;     /* per output: labels; unused in predict */
  snug__id *out;   /* per output: predictions; kept after the step in predict only */
  snug__id weight; /* sample weights [batch], or SNUG_NONE */
  int64_t batch;
} snug__step;

/* Build the graph of a step.  weighted: there are sample weights.  The arrays of *out lie in the
 * graph's arena. Owns: *graph is the caller's.  Fails as layers, losses and optimizers do. */
snug_status snug__step_build(snug_model *m, snug__step_kind kind, int64_t batch, bool weighted,
                             snug__graph **graph, snug__step *out) SNUG_NODISCARD;

#endif
