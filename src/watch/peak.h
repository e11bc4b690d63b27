/* The most that a tree held: a best figure, two bounds, and who it was.  See snug/watch.h. */
#ifndef SNUG_WATCH_PEAK_H
#define SNUG_WATCH_PEAK_H

#include "watch/tree.h"

typedef struct snug__peak {
  uint64_t now; /* resident at the last look, shared pages once */
  uint64_t sum; /* the same with the high-water marks that rose */
  uint64_t one; /* the most that a process alone reached while it was watched */
  uint64_t bytes, least, most;
  double at;
  snug_watch_process who[SNUG_WATCH_WHO];
  uint32_t n_who, n_processes;
  uint64_t others;
} snug__peak;

/* Add up a tree as it is now. */
void snug__peak_sum(snug__peak *p, const snug__tree *t);

/* Take what was added up, if it is a new maximum.  Whether it is. */
bool snug__peak_take(snug__peak *p, const snug__tree *t, double seconds);

/* So much was held, at the least. */
void snug__peak_prove(snug__peak *p, uint64_t bytes, double seconds);

#endif
