/* A knapsack over the values that the backward reads: those are kept for which the seconds of
 * making each again come to the most, within so many bytes.
 *
 * It knows nothing of when values are alive, nor that what a value is made of may have to be made
 * again, too.  But it sees all values at once, where moves see one. */
#ifndef SNUG_PLANNING_KNAPSACK_H
#define SNUG_PLANNING_KNAPSACK_H

#include "planning/problem.h"

#define SNUG__KNAPSACK_UNITS 4096 /* of all bytes that could be kept */

typedef struct snug__knapsack {
  const snug__problem *p;
  snug__vec items; /* snug__id */
  bool *taken; /* per item and units: whether the best choice of the items up to this one has it */
} snug__knapsack;

/* Owns: ended by snug__knapsack_close, also after a failure. */
snug_status snug__knapsack_open(snug__knapsack *k, const snug__problem *p) SNUG_NODISCARD;
void snug__knapsack_close(snug__knapsack *k);

/* The choice for a size in units: per value, closed. */
void snug__knapsack_choose(const snug__knapsack *k, size_t units, snug__policy *choice);

#endif
