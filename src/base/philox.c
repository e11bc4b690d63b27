#include "base/philox.h"

static snug__philox round_once(snug__philox c, uint32_t k0, uint32_t k1) {
  uint64_t p0 = (uint64_t)SNUG__PHILOX_MULTIPLIER_0 * c.v[0];
  uint64_t p1 = (uint64_t)SNUG__PHILOX_MULTIPLIER_1 * c.v[2];
  return (snug__philox){{(uint32_t)(p1 >> 32) ^ c.v[1] ^ k0, (uint32_t)p1,
                         (uint32_t)(p0 >> 32) ^ c.v[3] ^ k1, (uint32_t)p0}};
}

snug__philox snug__philox_at(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
  snug__philox c = {{(uint32_t)counter_low, (uint32_t)(counter_low >> 32), (uint32_t)counter_high,
                     (uint32_t)(counter_high >> 32)}};
  uint32_t k0 = (uint32_t)key;
  uint32_t k1 = (uint32_t)(key >> 32);
  for (int i = 0; i < SNUG__PHILOX_ROUNDS; i++) {
    c = round_once(c, k0, k1);
    k0 += SNUG__PHILOX_WEYL_0;
    k1 += SNUG__PHILOX_WEYL_1;
  }
  return c;
}
