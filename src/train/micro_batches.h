/* Micro-batches: whether a model's may be run so, and where the sums of their gradients lie.
 *
 * The micro-batches of a batch give what the batch gives, up to rounding: each loss divides by the
 * batch's divisor, random layers go by the place of a sample in the batch, metrics are streams, and
 * the one update sees the sum of all gradients. */
#ifndef SNUG_TRAIN_MICRO_BATCHES_H
#define SNUG_TRAIN_MICRO_BATCHES_H

#include "train/step.h"

/* Fails with E_UNSUPPORTED where a layer, loss or metric wants all samples of a batch at once, and
 * names it.  BatchNormalization in training is such a layer, unless batch statistics of
 * micro-batches are allowed. */
snug_status snug__micro_batches_check(snug_model *m, bool allow_batch_statistics) SNUG_NODISCARD;

/* Give each sum its place, from 0 on, in at[0..n_trained) (may be NULL); returns the bytes of all.
 * A micro-batch of training must have been built (see training->summed). */
int64_t snug__micro_batches_place_sums(const snug_model *m, int64_t *at);

#endif
