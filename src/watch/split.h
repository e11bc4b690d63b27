/* Which pages are shared: PSS, read page by page, and so within a share of a core.
 *
 * It is read when there is a new maximum, and again while processes of the tree share pages that
 * they may write to, as after a fork: what they wrote to is no longer shared, and no other figure
 * tells. */
#ifndef SNUG_WATCH_SPLIT_H
#define SNUG_WATCH_SPLIT_H

#include "watch/tree.h"

typedef struct snug__splits {
  double began, last; /* seconds; last: of the last reading */
  double spent;       /* of processor time */
  uint64_t at;        /* the sum of the tree when it was last read for a new maximum */
  bool has;           /* the rest is of the reading with the largest PSS */
  double seconds;     /* when that was */
  snug__split all;
  uint64_t n_unsplit; /* processes that may not be read */
} snug__splits;

void snug__splits_init(snug__splits *s, double now);

/* Read if there is a reason and the share allows it; `must`: in any case.  Members get their
 * overlap.  Whether it was read. */
bool snug__splits_look(snug__splits *s, snug__tree *t, double now, bool must);

#endif
