/* Parameters of the ops on masks. */
#ifndef SNUG_OPS_WHERE_H
#define SNUG_OPS_WHERE_H

#include "ops/ops.h"

typedef struct snug__not_equal_params {
  double value;
} snug__not_equal_params;

#endif
