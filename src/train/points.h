/* The points of a fit: what its ways come to in bytes and seconds.
 *
 * A way has to be planned to know the bytes of its block, which takes longer than to find it; what
 * is alive at its peak is known before, and no block is smaller.  So the ways that a line asks for
 * are planned, a few beside them, and for a curve some all along it. */
#ifndef SNUG_TRAIN_POINTS_H
#define SNUG_TRAIN_POINTS_H

#include "train/ways.h"

/* Begin with a point for each way in f->pick.points, none of them planned. */
snug_status snug__points_open(snug__ways *w, snug__fit *f) SNUG_NODISCARD;

/* Plan until the fastest way of at most so many bytes is known, and the n next smaller ones; *out
 * is its index, or the number of ways. */
snug_status snug__points_find(snug__ways *w, snug__fit *f, uint64_t bytes, size_t n,
                              size_t *out) SNUG_NODISCARD;

/* Plan what is worth to be told beside way i: a faster one and a smaller one, some percent away. */
snug_status snug__points_find_beside(snug__ways *w, snug__fit *f, size_t i) SNUG_NODISCARD;

/* Plan the way of fewest bytes. */
snug_status snug__points_find_least(snug__ways *w, snug__fit *f) SNUG_NODISCARD;

/* Plan ways all along the curve, as many as take no longer than the search. */
snug_status snug__points_spread(snug__ways *w, snug__fit *f) SNUG_NODISCARD;

/* Keep the planned ways and their points, without those that a faster one is no larger than; way
 * *chosen is one of them, and *chosen becomes its index there.  Nothing is planned after that. */
snug_status snug__points_keep(snug__ways *w, snug__fit *f, size_t *chosen) SNUG_NODISCARD;

/* Bytes of a block, of what files take in memory, and of slots that are not in one: of a point, and
 * of the session. */
uint64_t snug__point_bytes(const snug__fit *f, const snug_plan_point *p);
uint64_t snug__session_bytes(const snug__fit *f);

#endif
