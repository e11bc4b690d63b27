#include "base/size.h"

#include "lib/test.h"

TEST(sizes_multiply_or_refuse) {
  size_t out = 7;
  ASSERT_TRUE(snug__mul_size(1000, 1000, &out));
  ASSERT_EQ_UINT(out, 1000000);
  ASSERT_TRUE(snug__mul_size(SIZE_MAX, 1, &out) && out == SIZE_MAX);
  ASSERT_TRUE(snug__mul_size(SIZE_MAX, 0, &out) && out == 0);
  out = 7;
  ASSERT_FALSE(snug__mul_size(SIZE_MAX / 2 + 1, 2, &out));
  ASSERT_EQ_UINT(out, 7);
}

TEST(sizes_add_or_refuse) {
  size_t out = 7;
  ASSERT_TRUE(snug__add_size(SIZE_MAX - 1, 1, &out) && out == SIZE_MAX);
  out = 7;
  ASSERT_FALSE(snug__add_size(SIZE_MAX, 1, &out));
  ASSERT_EQ_UINT(out, 7);
}

TEST(signed_numbers_too) {
  int64_t out = 7;
  ASSERT_TRUE(snug__mul_i64(-3, 5, &out) && out == -15);
  ASSERT_FALSE(snug__mul_i64(INT64_MIN, -1, &out));
  ASSERT_TRUE(snug__add_i64(INT64_MAX, -1, &out) && out == INT64_MAX - 1);
  out = 7;
  ASSERT_FALSE(snug__add_i64(INT64_MAX, 1, &out));
  ASSERT_FALSE(snug__add_i64(INT64_MIN, -1, &out));
  ASSERT_EQ_INT(out, 7);
}

TEST(round_up_min_max) {
  ASSERT_EQ_INT(snug__round_up(0, 64), 0);
  ASSERT_EQ_INT(snug__round_up(1, 64), 64);
  ASSERT_EQ_INT(snug__round_up(64, 64), 64);
  ASSERT_EQ_INT(snug__round_up(10, 3), 12);
  ASSERT_EQ_INT(snug__min_i64(-1, 1), -1);
  ASSERT_EQ_INT(snug__max_i64(-1, 1), 1);
}
