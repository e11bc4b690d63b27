/* A perfect shuffle without a byte per sample: a keyed bijection of the range [0, n). */
#ifndef SNUG_DATA_SHUFFLE_H
#define SNUG_DATA_SHUFFLE_H

#include <stdint.h>

#define SNUG__SHUFFLE_ROUNDS 6

typedef struct snug__shuffle {
  uint64_t n;
  uint64_t key[SNUG__SHUFFLE_ROUNDS];
  int half_bits; /* the range is walked inside [0, 2^(2 half_bits)) */
} snug__shuffle;

/* The order of one epoch. */
snug__shuffle snug__shuffle_make(uint64_t n, uint64_t seed, uint64_t epoch);

/* Which sample stands at position i < n; at each of `count` positions from `first` on. */
uint64_t snug__shuffle_at(const snug__shuffle *s, uint64_t i);
void snug__shuffle_list(const snug__shuffle *s, uint64_t first, int64_t count, int64_t *out);

#endif
