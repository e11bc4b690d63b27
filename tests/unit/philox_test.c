/* The known answers are those that come with the generator's reference implementation (Random123,
 * kat_vectors, philox4x32 with 10 rounds). */
#include "base/philox.h"

#include "device/cpu/words.h"
#include "lib/test.h"

static void check(uint64_t key, uint64_t low, uint64_t high, const uint32_t expected[4]) {
  snug__philox got = snug__philox_at(key, low, high);
  for (int i = 0; i < 4; i++) {
    ASSERT_EQ_UINT(got.v[i], expected[i]);
  }
}

TEST(known_answer_of_zeroes) {
  check(0, 0, 0, (const uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
}

TEST(known_answer_of_ones) {
  check(UINT64_MAX, UINT64_MAX, UINT64_MAX,
        (const uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
}

TEST(known_answer_of_pi) {
  check(UINT64_C(0x299f31d0a4093822), UINT64_C(0x85a308d3243f6a88), UINT64_C(0x0370734413198a2e),
        (const uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(unit_is_at_least_zero_and_below_one) {
  ASSERT_NEAR(snug__unit(0), 0, 0);
  ASSERT_TRUE(snug__unit(UINT32_MAX) < 1);
  ASSERT_NEAR(snug__unit(UINT32_C(1) << 31), 0.5, 0);
}

TEST(bits_are_even) {
  int64_t ones = 0;
  for (uint64_t i = 0; i < 4096; i++) {
    snug__philox r = snug__philox_at(17, i, 0);
    for (int k = 0; k < 4; k++) {
      ones += __builtin_popcount(r.v[k]);
    }
  }
  ASSERT_NEAR((double)ones / (4096 * 128), 0.5, 0.004); /* six standard deviations */
}

/* Also where the low half of a counter ends within a block. */
TEST(words_of_every_instruction_set_are_those_of_the_generator) {
  static const uint64_t lows[] = {0, 12345, UINT32_MAX - 7, UINT64_MAX - 3};
  const uint64_t key = UINT64_C(0x299f31d0a4093822), high = UINT64_C(0x0370734413198a2e);
  uint32_t words[SNUG__WORDS];
  for (snug__isa isa = 0; isa <= snug__isa_best(); isa++) {
    for (size_t k = 0; k < sizeof lows / sizeof lows[0]; k++) {
      snug__words_of(isa)(key, lows[k], high, words);
      for (uint64_t i = 0; i < SNUG__COUNTERS; i++) {
        check(key, lows[k] + i, high, words + 4 * i);
      }
    }
  }
}
