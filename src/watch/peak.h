/* The most that a tree held: a best figure, two bounds, and who it was.  See snug/tools/watch.h. */
#ifndef SNUG_WATCH_PEAK_H
#define SNUG_WATCH_PEAK_H

#include "watch/tree.h"

typedef struct snug__peak {
  uint64_t now; /* resident at the last look, shared pages once */
  uint64_t sum; /* the same with the high-water marks that rose */
  uint64_t one; /* the most that a process alone reached while it was watched */
  uint64_t bytes, least, most;
  uint64_t unproven; /* the most that a process which ended may have reached, or who started it */
  bool is_settled;   /* there was a look at a program that had begun */
  double at;
  snug_watch_process who[SNUG_WATCH_WHO];
  uint32_t n_who, n_processes;
  uint64_t others;
} snug__peak;

/* Add up a tree as it is now. */
void snug__peak_sum(snug__peak *p, const snug__tree *t);

/* Take what was added up, if it is a new maximum.  Whether it is. */
bool snug__peak_take(snug__peak *p, const snug__tree *t, double seconds);

/* Whether all that was seen are the first moments of programs, and they may have held more. */
bool snug__peak_is_unknown(const snug__peak *p);

/* So much was held, at the least. */
void snug__peak_prove(snug__peak *p, uint64_t bytes, double seconds);

#endif
