/* Arrays as data: what feeds what, and how values are converted on the way. */
#include "data/arrays.h"

#include <math.h>
#include <string.h>

#include "lib/test.h"

static snug__type feeds(snug_dtype dtype, int32_t rank, int64_t a, int64_t b, int64_t c) {
  return snug__type_of(dtype, rank, (const int64_t[]){a, b, c});
}

TEST(rows_are_converted) {
  const unsigned char bytes[] = {0, 1, 255, 7, 8, 9};
  snug_array a = {bytes, SNUG_UINT8, 2, {2, 3}};
  snug__type to = feeds(SNUG_FLOAT32, 2, 4, 3, 0);
  float out[12] = {0};
  snug__array_copy_row(&a, 1, &to, out, 2);
  ASSERT_NEAR(out[6], 7.0, 0);
  ASSERT_NEAR(out[8], 9.0, 0);
  snug__array_copy_row(&a, 0, &to, out, 0);
  ASSERT_NEAR(out[2], 255.0, 0);
  ASSERT_NEAR(out[3], 0.0, 0);
}

TEST(axes_of_size_1_do_not_matter) {
  snug_ctx *ctx = test_ctx();
  const int32_t labels[] = {0, 1, 2};
  snug_array flat = {labels, SNUG_INT32, 1, {3}}, column = {labels, SNUG_INT32, 2, {3, 1}};
  snug__type one = feeds(SNUG_INT32, 1, 1, 0, 0), two = feeds(SNUG_INT32, 2, 1, 1, 0);
  ASSERT_OK(ctx, snug__array_check(ctx, "y", &flat, &two, 3, ""));
  ASSERT_OK(ctx, snug__array_check(ctx, "y", &column, &one, 3, ""));
  ASSERT_STATUS(ctx, snug__array_check(ctx, "y", &column, &one, 4, ""), SNUG_E_SHAPE, "3 samples");
}

TEST(another_shape_of_as_many_numbers_is_told) {
  snug_ctx *ctx = test_ctx();
  const unsigned char pixels[8] = {0};
  snug_array images = {pixels, SNUG_UINT8, 3, {2, 2, 2}};
  snug__type flat = feeds(SNUG_FLOAT32, 2, 1, 4, 0), other = feeds(SNUG_FLOAT32, 2, 1, 5, 0);
  ASSERT_STATUS(ctx, snug__array_check(ctx, "x", &images, &flat, 2, ""), SNUG_E_SHAPE,
                "float32[batch,4]; that is as many numbers: reshape the array");
  ASSERT_STATUS(ctx, snug__array_check(ctx, "x", &images, &other, 2, ""), SNUG_E_SHAPE,
                "[batch,5]");
  ASSERT_NULL(strstr(snug_message(ctx), "reshape"));
}

TEST(impossible_arrays_are_refused) {
  snug_ctx *ctx = test_ctx();
  const double values[] = {1.0, 2.0};
  snug__type pair = feeds(SNUG_FLOAT32, 2, 1, 2, 0), byte = feeds(SNUG_UINT8, 2, 1, 2, 0);
  snug_array a = {values, SNUG_FLOAT64, 2, {1, 2}};
  ASSERT_OK(ctx, snug__array_check(ctx, "x", &a, &pair, 1, ""));
  ASSERT_STATUS(ctx, snug__array_check(ctx, "x", &a, &byte, 1, ""), SNUG_E_DTYPE, "uint8");
  a.rank = 9;
  ASSERT_STATUS(ctx, snug__array_check(ctx, "x", &a, &pair, 1, ""), SNUG_E_ARGUMENT, "9 axes");
  a.rank = 3;
  a.shape[1] = INT64_MAX;
  a.shape[2] = 3;
  ASSERT_STATUS(ctx, snug__array_check(ctx, "x", &a, &pair, 1, ""), SNUG_E_SHAPE, "too large");
  a = (snug_array){values, SNUG_NO_DTYPE, 2, {1, 2}};
  ASSERT_STATUS(ctx, snug__array_check(ctx, "x", &a, &pair, 1, ""), SNUG_E_SHAPE, "dtype");
}

TEST(labels_are_whole_and_in_range) {
  snug_ctx *ctx = test_ctx();
  const float labels[] = {0.0f, 2.0f, 1.5f};
  snug_array a = {labels, SNUG_FLOAT32, 1, {3}};
  ASSERT_STATUS(ctx, snug__array_check_labels(ctx, "y", &a, 3, -1), SNUG_E_DATA,
                "sample 2 has the label 1.5");
  ASSERT_STATUS(ctx, snug__array_check_labels(ctx, "y", &a, 2, -1), SNUG_E_DATA,
                "labels are 0 to 1");
  a.shape[0] = 2;
  ASSERT_OK(ctx, snug__array_check_labels(ctx, "y", &a, 3, -1));
}
