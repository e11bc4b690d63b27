/* Winograd's convolution F(4x4, 3x3): 3x3 kernels, stride 1, float32, channel-blocked activations.
 *
 * The output is cut into tiles of 4x4.  A tile needs a 6x6 window of the input; in a transformed
 * space (a polynomial product evaluated at 0, +-5/8, +-3/2 and infinity, in both directions) it
 * costs 36 products per pair of channels instead of 144.  With u = G w G' and v = B' x B the output
 * is A'(sum over channels of u v)A.  The gradient of the weights is the adjoint of the same thing,
 * G'(sum over tiles of (A dy A') v)G; the gradient of the data is a forward with the kernel turned
 * by 180 degrees and the channels swapped.
 *
 * Layouts, with B lanes (16 on AVX-512, 8 else) and channels padded with zeros to a multiple of B:
 * activations [n][C/B][h][w][B], weights [O/B][I/B][3][3][B of i][B of o].  Inputs must have their
 * zeros there; outputs get them.  Any alignment of a float will do; 64 bytes is the fast one.
 *
 * Error: the transforms make roundings weigh more than in a plain sum, by up to 8.2 in the forward
 * and the data gradient, 6.6 in the weight gradient.  tests/device/wino_test.c holds every result
 * to a bound that counts the roundings, and their mean to u sqrt(k) of the terms in squares.
 *
 * All bytes are the caller's: scratch, contents undefined, aligned to 64 for speed.  Its size in
 * vectors of B floats, with i and o blocks of input and output channels of the direction, s sets of
 * W output blocks (4 on AVX-512, 2 else; the last may be smaller) and t threads:
 * - forward and data gradient: 36 s (i B W + 1) + 900 t (i + W), where s is cut into equal parts so
 *   that the first term is at most 10 MiB;
 * - weight gradient: 36 c (s (i B W + 1) + 49 i + s (48 W + 1)), where i and s are cut into equal
 *   parts of at most 256 channels; c is t if t times the first term is at most 10 MiB, else 1.
 * For 512 channels in and out with 2 threads that is 13.0 and 12.4 MiB.
 *
 * Results are the same bits for the same shape, thread count and instruction set.  A value that is
 * not finite reaches its whole tile. */
#ifndef SNUG_DEVICE_CPU_WINO_H
#define SNUG_DEVICE_CPU_WINO_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"

/* Of the forward; every direction is told by it. */
typedef struct snug__wino_shape {
  int64_t n, ci, h, w;
  int64_t co, oh, ow;
  int32_t pad_top, pad_left; /* 0..2; what is missing below and to the right is zero too */
  int32_t threads;
} snug__wino_shape;

typedef enum snug__wino_way {
  SNUG__WINO_FORWARD,
  SNUG__WINO_BACKWARD_DATA,
  SNUG__WINO_BACKWARD_WEIGHTS
} snug__wino_way;

/* What is done to an output on its way to memory: add the channel's bias, then clip. */
typedef struct snug__wino_finish {
  const float *bias; /* of co floats, no padding; NULL: none */
  float low, high;   /* -INFINITY, INFINITY: no clipping; low <= 0 <= high */
} snug__wino_finish;

/* One instruction set's implementation. */
typedef struct snug__wino {
  int32_t lanes; /* B */
  int64_t (*scratch)(const snug__wino_shape *s, snug__wino_way way);
  void (*forward)(const snug__wino_shape *s, const float *x, const float *weights,
                  const snug__wino_finish *finish, float *y, void *scratch);
  void (*backward_data)(const snug__wino_shape *s, const float *dy, const float *weights, float *dx,
                        void *scratch);
  void (*backward_weights)(const snug__wino_shape *s, const float *x, const float *dy,
                           float *dweights, void *scratch);
} snug__wino;

/* NULL: the instruction set has none. */
const snug__wino *snug__wino_of(snug__isa isa);

#endif
