/* Parameters of the reductions of two values to a smaller shape. */
#ifndef SNUG_OPS_BINARY_H
#define SNUG_OPS_BINARY_H

#include "ops/ops.h"

typedef struct snug__product_sum_params {
  snug_ints shape; /* of the sum: broadcastable to the inputs' */
} snug__product_sum_params;

/* Emit the sum of a b over the axes along which a value of type `to` was broadcast, without a
 * temporary of the full size. */
snug_status snug__emit_product_sum(snug__graph *g, snug__id a, snug__id b, const snug__type *to,
                                   snug__id *out) SNUG_NODISCARD;

#endif
