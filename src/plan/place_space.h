/* The space that packed buffers take, for finding the lowest gap without walking over them all: a
 * segment tree over the sections, whose nodes hold ranges of bytes.  Ranges that touch are one, and
 * in a packing without much waste nearly all of them touch. */
#ifndef SNUG_PLAN_SPACE_H
#define SNUG_PLAN_SPACE_H

#include "base/vec.h"
#include "plan/pack.h"

#define SNUG__SPACE_LISTS 128 /* more than a stretch of sections can concern */

typedef struct snug__range {
  int64_t from, to;
} snug__range;

/* Ranges upwards, apart from each other; they lie in the pool. */
typedef struct snug__ranges {
  int64_t begin;
  int32_t n, room;
} snug__ranges;

typedef struct snug__space {
  snug_ctx *ctx;
  int32_t leaves;       /* a power of two, >= the sections */
  snug__ranges *across; /* by node: buffers that live through all of its sections */
  snug__ranges *within; /* by node: buffers that live in any of its sections */
  snug__vec pool;       /* snug__range; lists that grew leave their old place unused */
  int64_t steps;        /* taken so far, as units of work */
} snug__space;

/* An empty space.  Fails: E_MEMORY; release is allowed then too. */
snug_status snug__space_init(snug__space *space, snug_ctx *ctx, int32_t sections) SNUG_NODISCARD;
void snug__space_release(snug__space *space);
void snug__space_clear(snug__space *space);

/* The lowest offset of at least `from` where b fits. */
int64_t snug__space_lowest(snug__space *space, const snug__buffer *b, int64_t from);

/* Take the bytes [offset, offset + b->size) for the life of b.  Fails: E_MEMORY. */
snug_status snug__space_take(snug__space *space, const snug__buffer *b,
                             int64_t offset) SNUG_NODISCARD;

#endif
