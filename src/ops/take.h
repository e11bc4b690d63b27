/* Parameters of the ops that take elements along an axis by their numbers. */
#ifndef SNUG_OPS_TAKE_H
#define SNUG_OPS_TAKE_H

#include "ops/ops.h"

typedef struct snug__take_params {
  int64_t axis;
} snug__take_params;

typedef struct snug__take_grad_params {
  int64_t axis;
  int64_t size; /* of the axis of x */
} snug__take_grad_params;

typedef struct snug__sort_params {
  int64_t axis;
  bool descending;
} snug__sort_params;

#endif
