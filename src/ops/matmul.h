/* Parameters of the matmul family. */
#ifndef SNUG_OPS_MATMUL_H
#define SNUG_OPS_MATMUL_H

#include "ops/ops.h"

typedef struct snug__matmul_params {
  bool transpose_a, transpose_b;
} snug__matmul_params;

#endif
