/* The search for what to recompute.  It does not depend on any line.
 *
 * Some paths of choices lead down to little memory.  From level to level the load has to come down
 * by a few percent; at each level moves are made that lower what lies above the level for the
 * fewest seconds: a value is dropped (to be recomputed), kept again, or made in passing.  Beside
 * them stand knapsacks of many sizes, each with what can be kept besides at no higher load.  Where
 * values may wait in a file, all paths are gone once more with moves for that.  All end after an
 * amount of work.  A long search is done on two threads, and finds what one would. */
#ifndef SNUG_PLANNING_SEARCH_H
#define SNUG_PLANNING_SEARCH_H

#include "planning/problem.h"

/* A choice and what it comes to. */
typedef struct snug__choice_point {
  snug__policy *policy; /* per value */
  snug__outcome outcome;
} snug__choice_point;

/* Append choices to points (snug__choice_point): those of a path from the choice that costs next to
 * nothing, which comes first, of paths from there and from where everything is kept, and of the
 * knapsacks.  None is there that an earlier one is as good as.  fixed: what is recomputed, in all
 * of them, and only what waits is searched for; NULL: nothing is fixed.  quick: one path alone,
 * unless it took little work.  Their arrays lie in the arena.  Fails: E_MEMORY. */
snug_status snug__search(const snug__problem *p, const snug__policy *fixed, bool quick,
                         snug__arena *arena, snug__vec *points) SNUG_NODISCARD;

#endif
