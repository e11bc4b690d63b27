/* Sums of a depthwise weight gradient over rows of outputs, for depthwise_weights.c. */
#ifndef SNUG_DEVICE_CPU_LOOPS_DEPTHWISE_WEIGHTS_H
#define SNUG_DEVICE_CPU_LOOPS_DEPTHWISE_WEIGHTS_H

#include <stdint.h>

#define PIECE \
  7 /* taps of a row of the kernel that are summed together: as many fit into registers */

/* Taps [first, first + n) of a row of the kernel: outputs [begin, end) have all of them inside. */
typedef struct piece {
  int64_t first, n, begin, end;
} piece;

/* Rows of outputs, and the rows of x that one row of the kernel reads for them. */
typedef struct rows {
  int64_t n, out, in;       /* how many, and the lengths of rows of dy and x */
  int64_t stride, dilation; /* in pixels */
  int64_t before;           /* pixels by which the first window hangs over the edge */
  int64_t x_step;           /* floats from a row of x to that of the next row of outputs */
  const float *x, *dy;      /* one block of channels per pixel */
} rows;

#endif
