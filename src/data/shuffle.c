/* A Feistel network permutes the next power of four; positions that fall outside of the range are
 * sent through it again until they fall inside (at most four times on average), which keeps it a
 * permutation of the range.
 *
 * The keys of its rounds are Philox's.  What a round does with its key is two multiplications: the
 * order of a batch must not take a part of a short step that could be noticed. */
#include "data/shuffle.h"

#include "base/philox.h"

#define SHUFFLE_STREAM UINT64_C(0x5355464C45)

snug__shuffle snug__shuffle_make(uint64_t n, uint64_t seed, uint64_t epoch) {
  snug__shuffle s = {.n = n, .half_bits = 1};
  for (uint64_t i = 0; i < SNUG__SHUFFLE_ROUNDS; i++) {
    snug__philox words = snug__philox_at(seed, epoch, SHUFFLE_STREAM + i);
    s.key[i] = (uint64_t)words.v[0] << 32 | words.v[1];
  }
  while (s.half_bits < 32 && (UINT64_C(1) << (2 * s.half_bits)) < n) {
    s.half_bits++;
  }
  return s;
}

/* 32 bits, each of which depends on all of x. */
static uint64_t mix(uint64_t x) {
  x *= UINT64_C(0x9E3779B97F4A7C15);
  x ^= x >> 32;
  x *= UINT64_C(0xD6E8FEB86659FD93);
  return x >> 32;
}

static uint64_t permute(const snug__shuffle *s, uint64_t x) {
  uint64_t mask = (UINT64_C(1) << s->half_bits) - 1;
  uint64_t left = x >> s->half_bits;
  uint64_t right = x & mask;
  for (int round = 0; round < SNUG__SHUFFLE_ROUNDS; round++) {
    uint64_t next = left ^ (mix(right ^ s->key[round]) & mask);
    left = right;
    right = next;
  }
  return left << s->half_bits | right;
}

static uint64_t walk(const snug__shuffle *s, uint64_t i) {
  while (i >= s->n) {
    i = permute(s, i);
  }
  return i;
}

uint64_t snug__shuffle_at(const snug__shuffle *s, uint64_t i) { return walk(s, permute(s, i)); }

/* The first loop has nothing to guess: a processor does several turns of it at a time. */
void snug__shuffle_list(const snug__shuffle *s, uint64_t first, int64_t count, int64_t *out) {
  for (int64_t i = 0; i < count; i++) {
    out[i] = (int64_t)permute(s, first + (uint64_t)i);
  }
  for (int64_t i = 0; i < count; i++) {
    out[i] = (int64_t)walk(s, (uint64_t)out[i]);
  }
}
