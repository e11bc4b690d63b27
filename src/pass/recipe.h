/* Recipes: how the values of a forward can be recomputed in the backward, to the same bits.
 *
 * Either a node is run again as it was, with all of its outputs, or its op knows a shorter way
 * (snug__op.recompute: a normalization from the statistics that are kept anyway).  What is needed
 * for it is kept or recomputed itself.  A graph must be laid out: what is recomputed lies as it
 * did. */
#ifndef SNUG_PASS_RECIPE_H
#define SNUG_PASS_RECIPE_H

#include "device/device.h"

typedef struct snug__recipe {
  const snug__op *op; /* NULL: the value cannot be recomputed */
  const void *params;
  const snug__id *in;
  int32_t n_in;
  snug__id again; /* the node that is run again as it was, or SNUG_NONE */
  bool cheap;     /* one pass over values */
} snug__recipe;

typedef struct snug__recipes {
  const snug__graph *g;
  snug__arena arena;
  snug__recipe *of; /* per value */
  bool *is_old;     /* per value: a variable that the forward writes; its old content is gone */
} snug__recipes;

/* Owns: ended by snug__recipes_release, also after a failure.  Fails: E_MEMORY. */
snug_status snug__recipes_init(snug__recipes *r, const snug__graph *g,
                               const snug__device *device) SNUG_NODISCARD;
void snug__recipes_release(snug__recipes *r);

/* Complete a choice of values: views of what is recomputed are, too, and what has no recipe is
 * not. */
void snug__recipes_close(const snug__recipes *r, bool *remade);

/* The choice that costs next to nothing: what one pass over its values recomputes (normalize,
 * activate, add, drop) from what the backward reads anyway, at that time or later, from what is
 * small or a variable, or from what can be recomputed itself in this way.  No convolution and no
 * product of matrices ever is.  Fills remade[], one per value.  Fails: E_MEMORY. */
snug_status snug__recipes_cheap(const snug__recipes *r, bool *remade) SNUG_NODISCARD;

#endif
