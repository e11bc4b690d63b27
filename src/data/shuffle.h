/* A perfect shuffle without a byte per sample: a keyed bijection of the range [0, n). */
#ifndef SNUG_DATA_SHUFFLE_H
#define SNUG_DATA_SHUFFLE_H

#include <stdint.h>

typedef struct snug__shuffle {
  uint64_t n, key;
  int half_bits; /* the range is walked inside [0, 2^(2 half_bits)) */
} snug__shuffle;

/* The order of one epoch. */
snug__shuffle snug__shuffle_make(uint64_t n, uint64_t seed, uint64_t epoch);

/* Which sample stands at position i < n. */
uint64_t snug__shuffle_at(const snug__shuffle *s, uint64_t i);

#endif
