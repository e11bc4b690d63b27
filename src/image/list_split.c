/* NumPy's shuffle, so that a seed makes the split that it makes in Keras: the Mersenne Twister of
 * RandomState(seed), and for each place from the last on a partner below it, drawn from the bits
 * that it needs until it fits. */
#include "image/list.h"

#define STATE 624
#define MIDDLE 397

typedef struct twister {
  uint32_t words[STATE];
  size_t at;
} twister;

static void seed_twister(twister *t, uint32_t seed) {
  t->words[0] = seed;
  for (uint32_t i = 1; i < STATE; i++) {
    uint32_t before = t->words[i - 1];
    t->words[i] = UINT32_C(1812433253) * (before ^ before >> 30) + i;
  }
  t->at = STATE;
}

static void turn(twister *t) {
  for (size_t i = 0; i < STATE; i++) {
    uint32_t both =
        (t->words[i] & UINT32_C(0x80000000)) | (t->words[(i + 1) % STATE] & UINT32_C(0x7FFFFFFF));
    t->words[i] =
        t->words[(i + MIDDLE) % STATE] ^ both >> 1 ^ (both & 1 ? UINT32_C(0x9908B0DF) : 0);
  }
  t->at = 0;
}

static uint32_t next(twister *t) {
  if (t->at == STATE) {
    turn(t);
  }
  uint32_t x = t->words[t->at++];
  x ^= x >> 11;
  x ^= x << 7 & UINT32_C(0x9D2C5680);
  x ^= x << 15 & UINT32_C(0xEFC60000);
  return x ^ x >> 18;
}

static uint32_t at_most(twister *t, uint32_t most) {
  uint32_t mask = most;
  for (unsigned by = 1; by < 32; by *= 2) {
    mask |= mask >> by;
  }
  uint32_t x = next(t) & mask;
  while (x > most) {
    x = next(t) & mask;
  }
  return x;
}

void snug__list_shuffle(snug__image_list *l, uint32_t seed) {
  twister t;
  seed_twister(&t, seed);
  for (uint32_t i = (uint32_t)l->files.n; i > 1; i--) { /* there are fewer than 2^31 */
    uint32_t j = at_most(&t, i - 1);
    snug__list_entry *files = l->files.data;
    snug__list_entry kept = files[i - 1];
    files[i - 1] = files[j];
    files[j] = kept;
  }
}

snug_status snug__list_subset(const snug__image_list *l, double split, snug__subset subset,
                              int64_t *first, int64_t *n) {
  int64_t all = snug__list_count(l);
  *first = 0;
  *n = all;
  if (subset == SNUG__SUBSET_ALL) {
    return SNUG_OK;
  }
  if (!(split > 0.0 && split < 1.0)) {
    return snug__fail(l->ctx, SNUG_E_ARGUMENT,
                      "the part for validation is %g; it must lie between 0 and 1", split);
  }
  int64_t validation = (int64_t)(split * (double)all);
  if (validation == 0 || validation == all) {
    return snug__fail(l->ctx, SNUG_E_DATA,
                      "a part of %g of %lld images for validation leaves none for %s", split,
                      (long long)all, validation ? "training" : "validation");
  }
  *first = subset == SNUG__VALIDATION ? all - validation : 0;
  *n = subset == SNUG__VALIDATION ? validation : all - validation;
  return SNUG_OK;
}
