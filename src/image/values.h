/* What is done to the numbers of a sample: as Keras's Rescaling, Normalization and one_hot. */
#ifndef SNUG_IMAGE_VALUES_H
#define SNUG_IMAGE_VALUES_H

#include <stddef.h>
#include <stdint.h>

/* x * scale + offset. */
void snug__values_rescale(float *x, size_t n, double scale, double offset);

/* (x - mean) / sqrt(variance) by channel, which is the last axis: n numbers in all.  A channel that
 * hardly varies is divided by 1e-7. */
void snug__values_normalize(float *x, size_t n, int32_t channels, const double *mean,
                            const double *variance);

/* To bytes: rounded to the nearest, halves to even, and kept within 0 and 255. */
void snug__values_to_bytes(const float *x, size_t n, uint8_t *dst);

/* 1 at `label`, which is below n, else 0. */
void snug__values_one_hot(int64_t label, float *dst, size_t n);

#endif
