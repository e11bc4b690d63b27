/* Parameters of the random layers.
 *
 * Inputs of all of them: x, seed and step (int64 scalars), and optionally sample_offset (int64
 * scalar): the index of the first sample of x in the effective batch, when that is run in
 * micro-batches.
 *
 * Which numbers an element gets depends on seed, `layer`, step, the index of its sample in the
 * effective batch and its index inside the sample, and on nothing else: not on threads or
 * micro-batches.
 */
#ifndef SNUG_OPS_DROPOUT_H
#define SNUG_OPS_DROPOUT_H

#include "ops/ops.h"

typedef struct snug__dropout_params { /* dropout, alpha_dropout */
  double rate;                        /* of elements dropped, in [0, 1) */
  snug_ints noise_shape; /* empty: that of x; else per axis 1 (one decision for all), -1 or the
                            size itself (one each) */
  int64_t layer;         /* distinguishes the random ops of one model */
} snug__dropout_params;

typedef struct snug__gaussian_dropout_params {
  double rate; /* in [0, 1): factors of mean 1 and deviation sqrt(rate / (1 - rate)) */
  int64_t layer;
} snug__gaussian_dropout_params;

typedef struct snug__gaussian_noise_params {
  double stddev;
  int64_t layer;
} snug__gaussian_noise_params;

#endif
