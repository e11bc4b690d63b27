/* Parameters of what runs along an axis. */
#ifndef SNUG_OPS_RUNNING_H
#define SNUG_OPS_RUNNING_H

#include "ops/ops.h"

typedef struct snug__running_params {
  int64_t axis;
  bool reverse; /* of running sums: from the end on */
} snug__running_params;

#endif
