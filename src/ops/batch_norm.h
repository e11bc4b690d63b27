/* Batch normalization: parameters of the ops with an activation in them, and what the references of
 * batch_norm.c and batch_norm_epilogue.c share.
 *
 * batch_norm_train_epilogue (x, gamma?, beta?, residual?) -> y, mean, variance
 * batch_norm_infer_epilogue (x, gamma?, beta?, mean, variance, residual?) -> y
 *   y = activation((x - mean) / sqrt(variance + epsilon) gamma + beta + residual), to the same bits
 *   from the statistics that train_epilogue gave.
 * batch_norm_train_epilogue_grad (dy, x, mean, variance, gamma?, beta?, y?)
 *   -> dx?, dgamma?, dbeta?, dresidual?
 *   Without y the value before the activation is recomputed from x: there was no residual then. */
#ifndef SNUG_OPS_BATCH_NORM_H
#define SNUG_OPS_BATCH_NORM_H

#include "ops/epilogue.h"

typedef struct snug__batch_norm_epilogue_params {
  double epsilon;
  snug__epilogue epilogue;
} snug__batch_norm_epilogue_params;

typedef struct snug__batch_norm_epilogue_grad_params {
  double epsilon;
  int32_t dtype; /* snug_dtype of dgamma and dbeta */
  snug__epilogue epilogue;
} snug__batch_norm_epilogue_grad_params;

/* x seen as [rows, channels], and vectors of one double per channel. */
typedef struct snug__bn_job {
  snug_dtype dtype;
  int64_t rows, channels;
  const void *x, *dy;
  void *y; /* or dx */
  double *mean, *scale, *shift, *sum, *product;
} snug__bn_job;

/* The sizes of x, or of dy, and the vectors in the call's scratch. */
snug__bn_job snug__bn_job_of(const snug__call *call);
#define SNUG__BN_VECTORS 5
size_t snug__bn_scratch(const snug__signature *sig);

/* Share out channels, where something is summed, and rows, where not: body(arg, begin, end). */
void snug__bn_over_channels(const snug__call *call, const snug__bn_job *j,
                            void (*body)(void *arg, int64_t begin, int64_t end), void *arg);
void snug__bn_over_rows(const snug__call *call, const snug__bn_job *j,
                        void (*body)(void *arg, int64_t begin, int64_t end), void *arg);

/* Mean, and variance in scale; outputs 1 and 2 are written. */
void snug__bn_moments(const snug__call *call, snug__bn_job *j);

/* From a variance in scale: gamma / sqrt(variance + epsilon), and beta - mean scale in shift. */
void snug__bn_fold(const snug__call *call, snug__bn_job *j, int32_t gamma, int32_t beta,
                   double epsilon);

#endif
