/* Parameters of the reductions. */
#ifndef SNUG_OPS_REDUCE_H
#define SNUG_OPS_REDUCE_H

#include "ops/ops.h"

typedef struct snug__reduce_params {
  snug_ints axes; /* empty: all */
  bool keepdims;
} snug__reduce_params;

#endif
