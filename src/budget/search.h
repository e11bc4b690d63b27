/* The search for what to make again: paths of choices down to little memory.
 *
 * They do not depend on any line.  From level to level the load has to come down by a few
 * percent; at each level moves are made that lower what lies above the level for the fewest
 * seconds: a value is dropped (to be made again), kept again, or made in passing.  The search ends
 * after an amount of work. */
#ifndef SNUG_BUDGET_SEARCH_H
#define SNUG_BUDGET_SEARCH_H

#include "budget/problem.h"

/* A choice and what it comes to. */
typedef struct snug__choice_point {
  snug__keeping *keeping; /* per value */
  snug__outcome outcome;
} snug__choice_point;

/* Append the choices of both paths to points (snug__choice_point): the one from the choice that
 * costs next to nothing, which comes first, and the one from where everything is kept.  Their
 * arrays lie in the arena.  Fails: E_MEMORY. */
snug_status snug__search(const snug__problem *p, snug__arena *arena,
                         snug__vec *points) SNUG_NODISCARD;

#endif
