/* Labels, predictions and weights brought to one shape, as Keras does it: an axis of size 1 at the
 * end may be there or not.  What does not fit is left to the complaint of the op that takes it. */
#ifndef SNUG_MODEL_LABELS_H
#define SNUG_MODEL_LABELS_H

#include "model/build.h"

/* y's shape without its last axis: of a class per position. */
snug__type snug__without_last(const snug__type *y, snug_dtype dtype);

/* A view of v without or with a last axis of size 1, if that makes its shape the wanted one; else v
 * itself. */
snug_status snug__fit_last_axis(snug__build *b, snug__id v, const snug__type *wanted,
                                snug__id *out) SNUG_NODISCARD;

/* Bring weights (or SNUG_NONE) to the rank of the values: a weight per sample is for all values of
 * the sample. */
snug_status snug__fit_weights(snug__build *b, snug__id *weights, snug__id values) SNUG_NODISCARD;

/* Weights (or SNUG_NONE) that are 0 where a mask is false, and else what they were, or 1. */
snug_status snug__mask_weights(snug__build *b, snug__id mask, snug__id *weights) SNUG_NODISCARD;

/* Bring labels and predictions whose ranks differ by one to one shape, as Keras does.  Sparse:
 * labels to y_pred's shape without its last axis. */
snug_status snug__fit_labels(snug__build *b, snug__id *t, snug__id *y) SNUG_NODISCARD;
snug_status snug__fit_sparse_labels(snug__build *b, snug__id *t, snug__id y) SNUG_NODISCARD;

#endif
