/* What kernels share that sum over axes: a value of each element, in double, so that the result is
 * rounded once.
 *
 * The work is cut into pieces by sizes alone and the sums of pieces are added in order: the bits do
 * not depend on the number of threads. */
#ifndef SNUG_DEVICE_CPU_SUMS_H
#define SNUG_DEVICE_CPU_SUMS_H

#include "device/device.h"
#include "ops/reduce.h"

/* b: the second factor of a sum of products, else NULL. */
typedef struct snug__sum_bodies {
  /* The sum of n elements side by side. */
  double (*run)(const float *a, const float *b, int64_t n);
  /* Add rows of `lanes` elements, `stride` apart, to as many sums.  NULL: not needed. */
  void (*lanes)(double *sums, const float *a, const float *b, int64_t rows, int64_t stride,
                int64_t lanes);
} snug__sum_bodies;

typedef struct snug__sums {
  const snug__sum_bodies *bodies;
  snug__reduce_view view;
  int64_t chunks; /* of the lanes of one row of sums */
  int64_t pieces; /* of one sum */
  int64_t tasks;  /* rows of sums times chunks times pieces */
  int64_t weight; /* elements of a task */
  double scale;   /* of the result */
} snug__sums;

/* The halves of a kernel of the sums over the axes in mask, each times 1 / divisor. */
snug_status snug__sums_prepare(snug_ctx *ctx, const snug__type *in, uint32_t mask, bool is_mean,
                               const snug__sum_bodies *bodies, snug__needs *needs,
                               void **state) SNUG_NODISCARD;
snug_status snug__sums_run(const void *state, const snug__call *call);
void snug__sums_release(snug_ctx *ctx, void *state);

#endif
