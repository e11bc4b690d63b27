/* Parameters of the matmul family. */
#ifndef SNUG_OPS_MATMUL_H
#define SNUG_OPS_MATMUL_H

#include "ops/ops.h"
#include "ops/post.h"

typedef struct snug__matmul_params {
  bool transpose_a, transpose_b;
} snug__matmul_params;

/* matmul_post (a, b, bias): bias may be left out. */
typedef struct snug__matmul_post_params {
  snug__matmul_params product;
  snug__post post;
} snug__matmul_post_params;

/* Its fusion rule. */
snug_status snug__fuse_matmul(struct snug__rewrite *r, snug__id id, bool *replaced) SNUG_NODISCARD;

#endif
