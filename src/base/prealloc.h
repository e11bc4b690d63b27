/* Memory of a device that was taken ahead.  Pieces are cut from the first gap that is large enough
 * and join the gaps beside them when they come back.  Gaps are listed in their own bytes, so
 * nothing else is needed.
 *
 * Invariant: gaps stand in the order of their addresses and no two of them touch. */
#ifndef SNUG_BASE_PREALLOC_H
#define SNUG_BASE_PREALLOC_H

#include <stdbool.h>
#include <stddef.h>

#define SNUG__PREALLOC_GRAIN ((size_t)64) /* pieces begin and end at multiples of this */

typedef struct snug__gap {
  size_t bytes;
  struct snug__gap *next;
} snug__gap;

/* All zero: there is none, and nothing can be taken from it. */
typedef struct snug__prealloc {
  char *start;
  size_t bytes, idle; /* in all, and in gaps */
  snug__gap *gaps;
} snug__prealloc;

/* The bytes that a piece of so many takes; 0: that is more than there can be. */
size_t snug__prealloc_round(size_t bytes);

/* Use memory of this many bytes, a multiple of the grain; it stays the caller's. */
void snug__prealloc_open(snug__prealloc *prealloc, void *memory, size_t bytes);

/* Take a piece.  NULL: no gap is large enough. */
void *snug__prealloc_take(snug__prealloc *prealloc, size_t bytes);
void snug__prealloc_give(snug__prealloc *prealloc, void *piece, size_t bytes);

/* Whether a piece of this many bytes could be taken now; whether this one was. */
bool snug__prealloc_fits(const snug__prealloc *prealloc, size_t bytes);
bool snug__prealloc_has(const snug__prealloc *prealloc, const void *piece);

#endif
