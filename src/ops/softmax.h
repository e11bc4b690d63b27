/* Parameters of the ops that work along one axis. */
#ifndef SNUG_OPS_SOFTMAX_H
#define SNUG_OPS_SOFTMAX_H

#include "ops/ops.h"

typedef struct snug__softmax_params { /* softmax, log_softmax, sparsemax, glu and their gradients */
  int64_t axis;
} snug__softmax_params;

#endif
