/* Moves of the search: changes of a choice, a value at a time, tried in the simulation.
 *
 * A searcher has a choice and a level, below which it wants the load. */
#ifndef SNUG_PLANNING_MOVES_H
#define SNUG_PLANNING_MOVES_H

#include "planning/problem.h"

#define SNUG__MOST_TRIED 192 /* candidates of a kind, for one move */

/* A change of one value, what that promises, and what it turned out to be worth. */
typedef struct snug__move {
  snug__id value;
  snug__policy from, to;
  double worth, score;
} snug__move;

typedef struct snug__moves {
  snug__move list[SNUG__MOST_TRIED]; /* the most promising first */
  size_t n, most;
} snug__moves;

typedef struct snug__searcher {
  const snug__problem *p;
  snug__simulation now, trial; /* of `choice`, and of what is tried */
  snug__outcome at;            /* what `choice` comes to */
  snug__policy *choice, *tried, *best;
  snug__moves drops, returns, passes, waits;
  double step;   /* the load of a level, as part of the one before */
  double nearly; /* the part of the best score from which on a move is as good as the best */
  int64_t level;
  int64_t work;  /* that may be done */
  bool is_fixed; /* nothing else is recomputed than in the choice it starts from */
  bool may_wait; /* values may wait in a file */
} snug__searcher;

/* Owns: ended by snug__searcher_release, also after a failure. */
snug_status snug__searcher_init(snug__searcher *s, const snug__problem *p) SNUG_NODISCARD;
void snug__searcher_release(snug__searcher *s);

/* Begin to count work anew, up to a bound. */
void snug__searcher_start(snug__searcher *s, int64_t work);

/* The work that was done since then, and whether it is all that may be. */
int64_t snug__searcher_work(const snug__searcher *s);
bool snug__searcher_is_spent(const snug__searcher *s);

/* Go to a choice, which is closed. */
void snug__searcher_go(snug__searcher *s, const snug__policy *choice);

/* Make the move that takes away most of what lies above the level for the fewest seconds, and those
 * beside it that are nearly as good, until the level is reached; false: none helps. */
bool snug__searcher_move(snug__searcher *s);

/* Earlier moves may have become needless: keep again, the dearest first, what fits under the level.
 */
void snug__searcher_prune(snug__searcher *s);

#endif
