/* Parameters of resize2d. */
#ifndef SNUG_OPS_RESIZE_H
#define SNUG_OPS_RESIZE_H

#include <math.h>

#include "ops/window.h"

typedef enum snug__interpolation {
  SNUG__INTERPOLATION_NEAREST,
  SNUG__INTERPOLATION_BILINEAR
} snug__interpolation;

/* resize2d (x): to height x width. */
typedef struct snug__resize2d_params {
  int64_t height, width;
  int32_t interpolation;
} snug__resize2d_params;

/* resize2d_bwd (dy) -> dx. */
typedef struct snug__resize2d_bwd_params {
  snug_ints input_shape;
  int32_t interpolation;
} snug__resize2d_bwd_params;

/* One axis, and what an output takes along it: weight[i] of input at[i]; the weights sum to 1. */
typedef struct snug__resize_axis {
  int64_t in, out;
  bool bilinear;
} snug__resize_axis;

typedef struct snug__resize_taps {
  int64_t at[2];
  double weight[2];
} snug__resize_taps;

/* Positions are computed in float, whatever the images are, as TensorFlow does.  (A function of its
 * own: kernels for other instruction sets must get the same bits.) */
snug__resize_taps snug__resize_taps_of(const snug__resize_axis *a, int64_t o);

/* Outputs that may read input i: those less than one input pixel away, and one more for safety. */
static inline snug__span snug__resize_readers(const snug__resize_axis *a, int64_t i) {
  return (snug__span){snug__max_i64((2 * i - 3) * a->out / (2 * a->in) - 1, 0),
                      snug__min_i64((2 * i + 3) * a->out / (2 * a->in) + 2, a->out)};
}

static inline double snug__resize_weight(const snug__resize_axis *a, int64_t o, int64_t i) {
  snug__resize_taps t = snug__resize_taps_of(a, o);
  return (t.at[0] == i ? t.weight[0] : 0.0) + (t.at[1] == i ? t.weight[1] : 0.0);
}

#endif
