/* Element-wise ops of three values, broadcast to the output: the shared loop and the gradients of
 * binary ops that are made with it. */
#ifndef SNUG_OPS_TERNARY_H
#define SNUG_OPS_TERNARY_H

#include "ops/ops.h"

/* When `gate` lets a value pass.  A NaN on either side passes the `not` forms, as in TensorFlow. */
typedef enum snug__gate_when {
  SNUG__GATE_GE,
  SNUG__GATE_NOT_GE,
  SNUG__GATE_LE,
  SNUG__GATE_NOT_LE
} snug__gate_when;

typedef struct snug__gate_params {
  int32_t when; /* snug__gate_when */
} snug__gate_params;

#endif
