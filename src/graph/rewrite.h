/* Rewriting a graph: a new one is made of the nodes of an old one, some of them replaced.
 *
 * The new graph starts with everything that no node makes.  Then each old node is either copied or
 * covered by a replacement.  What a replacement reads is emitted before it, so the old order is
 * kept wherever it can be; a node that writes a state is never moved before its turn.
 *
 * Invariant: map[v] is the new value of the old value v, or SNUG_NONE as long as (or because) it is
 * not there. */
#ifndef SNUG_GRAPH_REWRITE_H
#define SNUG_GRAPH_REWRITE_H

#include "graph/op.h"
#include "graph/uses.h"

typedef struct snug__rewrite {
  const snug__graph *from;
  snug__graph *to;
  snug__id *map;   /* per old value */
  bool *done;      /* per old node: copied or covered */
  snug__uses uses; /* of the old graph */
  /* Called before a node is copied; sets *replaced if it emitted something in its place. */
  snug_status (*replace)(struct snug__rewrite *r, snug__id node, bool *replaced);
  void *arg;             /* of replace */
  const snug__id *order; /* in which the old nodes are walked; NULL: as they stand */
} snug__rewrite;

/* Start: `to` holds all that no node makes.  Fails: E_MEMORY; nothing is owed then. */
snug_status snug__rewrite_open(const snug__graph *from,
                               snug_status (*replace)(snug__rewrite *r, snug__id node,
                                                      bool *replaced),
                               void *arg, snug__rewrite *out) SNUG_NODISCARD;

/* Rewrite all nodes and outputs.  Fails as replace does, E_MEMORY, E_INTERNAL. */
snug_status snug__rewrite_run(snug__rewrite *r) SNUG_NODISCARD;

/* End it.  The new graph is destroyed too, unless `to` was set to NULL by who took it. */
void snug__rewrite_release(snug__rewrite *r);

/* ---- for replacements ---- */

/* The new value of an old one; SNUG_NONE if there is none (yet). */
static inline snug__id snug__rewritten(const snug__rewrite *r, snug__id old) {
  return old == SNUG_NONE ? SNUG_NONE : r->map[old];
}

/* An old node that is part of a replacement: it will not be copied. */
static inline void snug__rewrite_cover(snug__rewrite *r, snug__id node) { r->done[node] = true; }

/* Make layer, class and phase of what is added next those of an old node. */
void snug__rewrite_as(snug__rewrite *r, snug__id node);

/* Add an old node once more, with other inputs (new values, one per input), as layer and phase of
 * the new graph stand.  outs: one per output of the old one, where that is wanted. */
snug_status snug__rewrite_again(snug__rewrite *r, snug__id node, const snug__id *in,
                                snug__id outs[SNUG__MAX_OUT]) SNUG_NODISCARD;

/* Copy an old node with other inputs (new values, one per input). */
snug_status snug__rewrite_copy(snug__rewrite *r, snug__id node, const snug__id *in) SNUG_NODISCARD;

/* The old value is the new one from now on; class and name go with it. */
void snug__rewrite_map(snug__rewrite *r, snug__id old, snug__id value);

#endif
