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

/* A stretch of the order is the order of its positions. */
TEST(a_list_is_what_stands_at_its_positions) {
  snug__shuffle s = snug__shuffle_make(1100, 4, 7); /* of 4096: most are sent through again */
  int64_t list[50];
  for (uint64_t first = 0; first < 1100; first += 50) {
    snug__shuffle_list(&s, first, 50, list);
    for (uint64_t i = 0; i < 50; i++) {
      ASSERT_EQ_INT(list[i], (int64_t)snug__shuffle_at(&s, first + i));
    }
  }
}

/* Which two samples stand at the first two positions is spread over all pairs; and of two
 * neighbours, either may be the larger one. */
TEST(neighbours_are_spread) {
  enum { ROWS = 17, TIMES = 200 };
  int pairs[ROWS][ROWS] = {{0}};
  double sum = 0.0;
  int rising = 0;
  for (uint64_t epoch = 0; epoch < ROWS * (ROWS - 1) * TIMES; epoch++) {
    snug__shuffle s = snug__shuffle_make(ROWS, 3, epoch);
    pairs[snug__shuffle_at(&s, 0)][snug__shuffle_at(&s, 1)]++;
  }
  for (int i = 0; i < ROWS * ROWS; i++) {
    double off = pairs[i / ROWS][i % ROWS] - TIMES;
    sum += i / ROWS != i % ROWS ? off * off / (double)TIMES : 0.0;
  }
  ASSERT_TRUE(sum < 271 + 5 * 23.3); /* its mean, and five of its deviations */
  snug__shuffle s = snug__shuffle_make(100000, 3, 0);
  for (uint64_t i = 1; i < 100000; i++) {
    rising += snug__shuffle_at(&s, i) > snug__shuffle_at(&s, i - 1);
  }
  ASSERT_TRUE(rising > 49999 - 5 * 92 && rising < 49999 + 5 * 92);
}
