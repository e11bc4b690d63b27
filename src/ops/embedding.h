/* Parameters of the ops that look up by an integer. */
#ifndef SNUG_OPS_EMBEDDING_H
#define SNUG_OPS_EMBEDDING_H

#include "ops/ops.h"

typedef struct snug__embedding_grad_params {
  int64_t rows; /* of the table */
} snug__embedding_grad_params;

typedef struct snug__one_hot_params {
  int64_t depth;
  int32_t dtype; /* snug_dtype */
} snug__one_hot_params;

#endif
