/* Parameters of the ops that move elements about. */
#ifndef SNUG_OPS_SHAPE_H
#define SNUG_OPS_SHAPE_H

#include "ops/ops.h"

typedef struct snug__reshape_params {
  snug_ints shape; /* all sizes; their product is the input's */
} snug__reshape_params;

typedef struct snug__broadcast_to_params {
  snug_ints shape;
} snug__broadcast_to_params;

/* Emit a reshape to a type's shape (a view: costs nothing).  Gives v itself if it has that shape.
 */
snug_status snug__emit_reshape(snug__graph *g, snug__id v, const snug__type *to,
                               snug__id *out) SNUG_NODISCARD;

#endif
