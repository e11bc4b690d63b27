/* The shuffle: a permutation of any range, another one each epoch, the same for the same seed. */
#include "data/shuffle.h"

#include <stdlib.h>

#include "lib/test.h"

static void expect_permutation(uint64_t n, uint64_t seed, uint64_t epoch) {
  snug__shuffle s = snug__shuffle_make(n, seed, epoch);
  bool *seen = calloc(n, sizeof *seen);
  ASSERT_NOT_NULL(seen);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t at = snug__shuffle_at(&s, i);
    ASSERT_TRUE(at < n && !seen[at]);
    seen[at] = true;
  }
  free(seen);
}

TEST(every_range_is_permuted) {
  for (uint64_t n = 1; n < 70; n++) {
    expect_permutation(n, n, 0);
  }
  expect_permutation(60000, 1, 3);
  expect_permutation(65536, 2, 0);
  expect_permutation(65537, 3, 0);
}

TEST(seed_and_epoch_decide) {
  snug__shuffle a = snug__shuffle_make(1000, 5, 0);
  snug__shuffle again = snug__shuffle_make(1000, 5, 0);
  snug__shuffle epoch = snug__shuffle_make(1000, 5, 1);
  snug__shuffle seed = snug__shuffle_make(1000, 6, 0);
  int same_epoch = 0;
  int same_seed = 0;
  int fixed = 0;
  for (uint64_t i = 0; i < 1000; i++) {
    uint64_t at = snug__shuffle_at(&a, i);
    ASSERT_EQ_UINT(at, snug__shuffle_at(&again, i));
    same_epoch += at == snug__shuffle_at(&epoch, i);
    same_seed += at == snug__shuffle_at(&seed, i);
    fixed += at == i;
  }
  ASSERT_TRUE(same_epoch < 20 && same_seed < 20 && fixed < 20); /* about one each is expected */
}

/* Where the first sample lands is spread evenly: each tenth of the range gets its share over many
 * epochs. */
TEST(positions_are_spread) {
  int tenth[10] = {0};
  for (uint64_t epoch = 0; epoch < 4000; epoch++) {
    snug__shuffle s = snug__shuffle_make(1000, 9, epoch);
    tenth[snug__shuffle_at(&s, 0) / 100]++;
  }
  for (int i = 0; i < 10; i++) {
    ASSERT_TRUE(tenth[i] > 300 && tenth[i] < 500);
  }
}
