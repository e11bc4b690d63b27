/* Parameters of the ops that move elements about. */
#ifndef SNUG_OPS_SHAPE_H
#define SNUG_OPS_SHAPE_H

#include "ops/ops.h"

typedef struct snug__reshape_params {
  snug_ints shape; /* all sizes; their product is the input's */
} snug__reshape_params;

typedef struct snug__broadcast_to_params {
  snug_ints shape;
  double scale; /* factor on every element; 1 for a plain copy */
} snug__broadcast_to_params;

typedef struct snug__permute_params {
  snug_ints axes; /* axis k of the output is axis axes[k] of the input */
} snug__permute_params;

typedef struct snug__concat_params {
  int64_t axis;
} snug__concat_params;

/* Element i along axis k of the output is element begin[k] + i strides[k] of the input. */
typedef struct snug__slice_params {
  snug_ints begin;   /* one per axis */
  snug_ints size;    /* of the output; -1: all that follow */
  snug_ints strides; /* positive; empty: all 1 */
} snug__slice_params;

typedef struct snug__pad_params {
  snug_ints before, after; /* one per axis */
  snug_ints between; /* between neighbours; empty: none.  (The gradient of a strided slice.) */
  double value;
} snug__pad_params;

typedef struct snug__repeat_params {
  int64_t axis;
  int64_t repeats; /* each element stands so many times in a row along the axis */
} snug__repeat_params;

typedef struct snug__fill_params {
  snug_ints shape;
  double value;
  int32_t dtype; /* snug_dtype */
} snug__fill_params;

/* Emit a reshape to a type's shape (a view: costs nothing).  Gives v itself if it has that shape.
 */
snug_status snug__emit_reshape(snug__graph *g, snug__id v, const snug__type *to,
                               snug__id *out) SNUG_NODISCARD;

/* Emit v repeated to the shape of `to`, times scale. */
snug_status snug__emit_broadcast(snug__graph *g, snug__id v, const snug__type *to, double scale,
                                 snug__id *out) SNUG_NODISCARD;

#endif
