/* The points of a plan: what its candidates come to in bytes and seconds.
 *
 * A candidate has to be planned to know the bytes of its block, which takes longer than to find it;
 * what is alive at its peak is known before, and no block is smaller.  So the candidates that a
 * line asks for are planned, a few beside them, and for a curve some all along it. */
#ifndef SNUG_PLANNING_POINTS_H
#define SNUG_PLANNING_POINTS_H

#include "planning/variants.h"

/* Begin with a point for each candidate in p->points, of which the least alone is planned. */
snug_status snug__points_open(snug__variants *w, snug__planned *p) SNUG_NODISCARD;

/* Plan until the fastest candidate of at most so many bytes is known, and the n next smaller ones;
 * *out is its index; the least, if none is. */
snug_status snug__points_find(snug__variants *w, snug__planned *p, uint64_t bytes, size_t n,
                              size_t *out) SNUG_NODISCARD;

/* Plan what is worth to be stated beside candidate i: a faster one and a smaller one, some percent
 * away. */
snug_status snug__points_find_beside(snug__variants *w, snug__planned *p, size_t i) SNUG_NODISCARD;

/* Plan candidates all along the curve, as many as take no longer than the search. */
snug_status snug__points_spread(snug__variants *w, snug__planned *p) SNUG_NODISCARD;

/* Keep the planned candidates and their points, without those that a faster one is no larger than;
 * candidate *chosen is one of them, and *chosen becomes its index there.  Nothing is planned after
 * that. */
snug_status snug__points_keep(snug__variants *w, snug__planned *p, size_t *chosen) SNUG_NODISCARD;

#endif
