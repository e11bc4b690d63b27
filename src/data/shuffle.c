/* A Feistel network permutes the next power of four; positions that fall outside of the range are
 * sent through it again until they fall inside (at most four times on average), which keeps it a
 * permutation of the range. */
#include "data/shuffle.h"

#include "base/philox.h"

#define ROUNDS 6

snug__shuffle snug__shuffle_make(uint64_t n, uint64_t seed, uint64_t epoch) {
  snug__philox words = snug__philox_at(seed, epoch, UINT64_C(0x5355464C45));
  snug__shuffle s = {n, (uint64_t)words.v[0] << 32 | words.v[1], 1};
  while (s.half_bits < 32 && (UINT64_C(1) << (2 * s.half_bits)) < n) {
    s.half_bits++;
  }
  return s;
}

static uint64_t permute(const snug__shuffle *s, uint64_t x) {
  uint64_t mask = (UINT64_C(1) << s->half_bits) - 1;
  uint64_t left = x >> s->half_bits;
  uint64_t right = x & mask;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    uint64_t mixed = snug__philox_at(s->key, right, round).v[0];
    uint64_t next = left ^ (mixed & mask);
    left = right;
    right = next;
  }
  return left << s->half_bits | right;
}

uint64_t snug__shuffle_at(const snug__shuffle *s, uint64_t i) {
  do {
    i = permute(s, i);
  } while (i >= s->n);
  return i;
}
