/* Philox 4x32-10: a counter-based generator.  The same key and counter give the same four numbers
 * on every machine and thread, so random values are recomputed instead of being kept. */
#ifndef SNUG_BASE_PHILOX_H
#define SNUG_BASE_PHILOX_H

#include <stdint.h>

#define SNUG__PHILOX_MULTIPLIER_0 UINT32_C(0xD2511F53)
#define SNUG__PHILOX_MULTIPLIER_1 UINT32_C(0xCD9E8D57)
#define SNUG__PHILOX_WEYL_0 UINT32_C(0x9E3779B9)
#define SNUG__PHILOX_WEYL_1 UINT32_C(0xBB67AE85)
#define SNUG__PHILOX_ROUNDS 10

typedef struct snug__philox {
  uint32_t v[4];
} snug__philox;

/* Four random words of (key, counter). */
snug__philox snug__philox_at(uint64_t key, uint64_t counter_low, uint64_t counter_high);

/* A double in [0, 1) from a word. */
static inline double snug__unit(uint32_t word) { return (double)word * 0x1p-32; }

#endif
