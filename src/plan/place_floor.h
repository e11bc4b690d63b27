/* The floor: how high the packed buffers reach in every section.  A segment tree over the sections,
 * for packings too large to walk over. */
#ifndef SNUG_PLAN_FLOOR_H
#define SNUG_PLAN_FLOOR_H

#include "plan/pack.h"

typedef struct snug__floor {
  snug_ctx *ctx;
  int32_t leaves;   /* a power of two, >= the sections */
  int64_t *highest; /* in the subtree of a node */
  int64_t *marks;   /* a level that the whole subtree has at least; 0: none */
} snug__floor;

/* Make a floor of zeros.  Fails: E_MEMORY; release is allowed then too. */
snug_status snug__floor_init(snug__floor *f, snug_ctx *ctx, int32_t sections) SNUG_NODISCARD;
void snug__floor_release(snug__floor *f);
void snug__floor_clear(snug__floor *f);

/* The highest level in [lo, hi). */
int64_t snug__floor_highest(const snug__floor *f, int32_t lo, int32_t hi);

/* Raise [lo, hi) to a level that is not below any there. */
void snug__floor_raise(snug__floor *f, int32_t lo, int32_t hi, int64_t level);

#endif
