/* Parameters of resize2d. */
#ifndef SNUG_OPS_RESIZE_H
#define SNUG_OPS_RESIZE_H

#include "ops/ops.h"

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

#endif
