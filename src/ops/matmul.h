/* Parameters of the matmul family. */
#ifndef SNUG_OPS_MATMUL_H
#define SNUG_OPS_MATMUL_H

#include "ops/epilogue.h"
#include "ops/ops.h"

typedef struct snug__matmul_params {
  bool transpose_a, transpose_b;
} snug__matmul_params;

/* matmul_epilogue (a, b, bias): bias may be left out. */
typedef struct snug__matmul_epilogue_params {
  snug__matmul_params product;
  snug__epilogue epilogue;
} snug__matmul_epilogue_params;

/* Its fusion rule. */
snug_status snug__fuse_matmul(struct snug__rewrite *r, snug__id id, bool *replaced) SNUG_NODISCARD;

#endif
