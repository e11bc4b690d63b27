/* Which of the placed buffers live at the same time as another one. */
#ifndef SNUG_PLAN_NEAR_H
#define SNUG_PLAN_NEAR_H

#include "plan/pack.h"

/* A tree over the buffers of a strip, which are sorted by lo: a node knows the latest end of the
 * placed ones below it. */
typedef struct snug__near {
  const snug__strip *strip;
  int32_t leaves; /* a power of two, >= n */
  int32_t *latest;
} snug__near;

/* Are lifespans so short that finding neighbours is cheaper than walking over all? */
bool snug__near_is_worth(const snug__strip *strip);

/* Fails: E_MEMORY.  Clear and release accept one that is all zero. */
snug_status snug__near_init(snug__near *near, const snug__strip *strip) SNUG_NODISCARD;
void snug__near_release(snug__near *near);
void snug__near_clear(snug__near *near);

void snug__near_add(snug__near *near, int32_t buffer);

/* Write the numbers of the placed buffers that live in [lo, hi) to found[].id; returns how many. */
int32_t snug__near_find(const snug__near *near, int32_t lo, int32_t hi, snug__key *found);

#endif
