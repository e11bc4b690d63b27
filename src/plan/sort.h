/* Sorting by an integer key.  Ties keep the order of the ids, so that every result is determined by
 * the input alone (qsort promises neither that nor to stay away from malloc). */
#ifndef SNUG_PLAN_SORT_H
#define SNUG_PLAN_SORT_H

#include <stdint.h>

typedef struct snug__key {
  int64_t key;
  int32_t id;
} snug__key;

/* Sort n keys upwards by (key, id).  scratch has room for n. */
void snug__sort_keys(snug__key *keys, snug__key *scratch, int32_t n);

#endif
