/* Some axes of a value brought to the end, and back: most ops know only the last ones. */
#ifndef SNUG_MODEL_LAYERS_AXES_H
#define SNUG_MODEL_LAYERS_AXES_H

#include "model/layers/support.h"

typedef struct snug__gathered {
  snug__permute_params order; /* of the axes, those of the set last */
  bool moved;                 /* false: they stood there before */
} snug__gathered;

/* v with the axes of a set of bits at the end, in their order. */
snug_status snug__layer_gather(const snug__layer_call *c, snug__id v, uint32_t set,
                               snug__gathered *g, snug__id *out) SNUG_NODISCARD;

/* The axes of v, in the order that gather gave, where they were before. */
snug_status snug__layer_scatter(const snug__layer_call *c, snug__id v, const snug__gathered *g,
                                snug__id *out) SNUG_NODISCARD;

/* Apply an op that works on the last axis to input 0 over the axes of a set, n of them, which count
 * as one. */
snug_status snug__layer_over(snug__layer_call *c, const snug__op *op, const void *params,
                             uint32_t set, int32_t n) SNUG_NODISCARD;

#endif
