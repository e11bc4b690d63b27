/* The words of many counters of Philox, which go through its rounds side by side. */
#ifndef SNUG_DEVICE_CPU_LOOPS_PHILOX_H
#define SNUG_DEVICE_CPU_LOOPS_PHILOX_H

#include "base/philox.h"
#include "device/cpu/words.h"

/* Four words of each counter, one counter behind the other. */
static inline void snug__make_words(uint64_t key, const uint64_t low[SNUG__COUNTERS], uint64_t high,
                                    uint32_t words[SNUG__WORDS]) {
  uint32_t a[SNUG__COUNTERS], b[SNUG__COUNTERS], c[SNUG__COUNTERS], d[SNUG__COUNTERS];
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int i = 0; i < SNUG__COUNTERS; i++) {
    a[i] = (uint32_t)low[i];
    b[i] = (uint32_t)(low[i] >> 32);
    c[i] = (uint32_t)high;
    d[i] = (uint32_t)(high >> 32);
  }
  for (int round = 0; round < SNUG__PHILOX_ROUNDS; round++) {
    for (int i = 0; i < SNUG__COUNTERS; i++) {
      uint64_t p = (uint64_t)SNUG__PHILOX_MULTIPLIER_0 * a[i];
      uint64_t q = (uint64_t)SNUG__PHILOX_MULTIPLIER_1 * c[i];
      a[i] = (uint32_t)(q >> 32) ^ b[i] ^ k0;
      b[i] = (uint32_t)q;
      c[i] = (uint32_t)(p >> 32) ^ d[i] ^ k1;
      d[i] = (uint32_t)p;
    }
    k0 += SNUG__PHILOX_WEYL_0;
    k1 += SNUG__PHILOX_WEYL_1;
  }
  for (int i = 0; i < SNUG__COUNTERS; i++) {
    words[4 * i] = a[i];
    words[4 * i + 1] = b[i];
    words[4 * i + 2] = c[i];
    words[4 * i + 3] = d[i];
  }
}

#endif
