/* The recompute pass: values that the backward reads are recomputed there, and are not kept from
 * the forward until then. */
#ifndef SNUG_PASS_RECOMPUTE_H
#define SNUG_PASS_RECOMPUTE_H

#include "graph/rewrite.h"
#include "pass/recipe.h"

/* What is to be done.  Choices are closed: see recipe.h. */
typedef struct snug__recomputing {
  const bool *remade;     /* per value of the graph: recomputed */
  const bool *in_passing; /* and of those, what is not kept when it was made for another one, but
                             made once more when its own readers come; NULL: nothing */
  const snug__id *order;  /* of the nodes, in which the new ones will stand; NULL: as they do */
} snug__recomputing;

/* Make a value again just before its first reader in the backward, and what is needed for it where
 * that is to be recomputed too; later readers have the same copy, unless it was made in passing.
 * out is the caller's, also its graph; nothing is owed after a failure. */
snug_status snug__pass_recompute(const snug__recipes *recipes, const snug__recomputing *what,
                                 snug__rewrite *out) SNUG_NODISCARD;

/* The same with the choice that costs next to nothing. */
snug_status snug__pass_recompute_cheap(const snug__graph *g, const snug__device *device,
                                       snug__rewrite *out) SNUG_NODISCARD;

#endif
