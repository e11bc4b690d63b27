/* SplitMix64, which has nothing in common with the generator under test.  Each test starts from the
 * seed and its own name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/runner.h"

#define DEFAULT_SEED 1

static uint64_t state;
static bool is_started;

static uint64_t next(uint64_t *s) {
  uint64_t z = (*s += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

uint64_t test_random_seed(void) {
  const char *text = getenv("SNUG_TEST_SEED");
  return text && *text ? strtoull(text, NULL, 0) : DEFAULT_SEED;
}

void test_random_forget(void) { is_started = false; }

static void start(void) {
  is_started = true;
  state = test_random_seed();
  printf("             seed %llu (SNUG_TEST_SEED)\n", (unsigned long long)state);
  for (const char *c = test_current_name(); *c; c++) {
    state ^= (unsigned char)*c;
    state = next(&state);
  }
}

uint64_t test_random_u64(void) {
  if (!is_started) {
    start();
  }
  return next(&state);
}

int64_t test_random_between(int64_t low, int64_t high) {
  uint64_t range = (uint64_t)high - (uint64_t)low + 1;
  uint64_t r = test_random_u64();
  return (int64_t)((uint64_t)low + (range ? r % range : r));
}

double test_random_unit(void) { return (double)(test_random_u64() >> 11) * 0x1p-53; }

void test_random_floats(float *out, size_t n, float low, float high) {
  for (size_t i = 0; i < n; i++) {
    out[i] = low + (high - low) * (float)test_random_unit();
  }
}

void test_random_bytes(void *out, size_t n) {
  unsigned char *p = out;
  for (size_t i = 0; i < n; i++) {
    p[i] = (unsigned char)test_random_u64();
  }
}
