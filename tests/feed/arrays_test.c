/* Arrays as data: what feeds what, and how values are converted on the way. */
#include "data/arrays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/test.h"

static snug__type feeds(snug_dtype dtype, int32_t rank, int64_t a, int64_t b, int64_t c) {
  return snug__type_of(dtype, rank, (const int64_t[]){a, b, c});
}

static snug_status check(snug_ctx *ctx, const char *what, const snug_array *a,
                         const snug__type *type, int64_t rows) {
  snug__demand d = {.feeds = *type, .hint = ""};
  snprintf(d.what, sizeof d.what, "%s", what);
  return snug__array_check(ctx, &d, a, rows);
}

/* Of labels that the value takes as they are. */
static snug_status check_labels(snug_ctx *ctx, const char *what, const snug_array *a,
                                int64_t classes, int64_t ignored) {
  snug__demand d = {.feeds = feeds(a->dtype, 1, 1, 0, 0),
                    .hint = "",
                    .is_class = true,
                    .classes = classes,
                    .ignored = ignored};
  snprintf(d.what, sizeof d.what, "%s", what);
  return snug__array_check(ctx, &d, a, a->shape[0]);
}

/* Rows that are listed, and rows one after the other, with and without another dtype. */
static void expect_copied(const snug_array *a, const snug__type *to) {
  const int64_t listed[] = {1, 0, 1};
  const float expected[][12] = {{0, 0, 0, 7, 8, 9, 0, 1, 255, 7, 8, 9},
                                {0, 0, 0, 0, 0, 0, 0, 1, 255, 7, 8, 9}};
  float out[2][12] = {{0}};
  snug__array_copy_rows(a, &(snug__row_list){.row = listed, .n = 3}, to, out[0], 1);
  snug__array_copy_rows(a, &(snug__row_list){.first = 0, .n = 2}, to, out[1], 2);
  ASSERT_EQ_BYTES(out, expected, sizeof out);
}

TEST(rows_are_copied_and_converted) {
  const uint8_t bytes[] = {0, 1, 255, 7, 8, 9};
  const int64_t longs[] = {0, 1, 255, 7, 8, 9};
  const float floats[] = {0, 1, 255, 7, 8, 9};
  snug__type to = feeds(SNUG_FLOAT32, 2, 4, 3, 0);
  expect_copied(&(snug_array){bytes, SNUG_UINT8, 2, {2, 3}}, &to);
  expect_copied(&(snug_array){longs, SNUG_INT64, 2, {2, 3}}, &to);
  expect_copied(&(snug_array){floats, SNUG_FLOAT32, 2, {2, 3}}, &to);
}

TEST(axes_of_size_1_do_not_matter) {
  snug_ctx *ctx = test_ctx();
  const int32_t labels[] = {0, 1, 2};
  snug_array flat = {labels, SNUG_INT32, 1, {3}}, column = {labels, SNUG_INT32, 2, {3, 1}};
  snug__type one = feeds(SNUG_INT32, 1, 1, 0, 0), two = feeds(SNUG_INT32, 2, 1, 1, 0);
  ASSERT_OK(ctx, check(ctx, "y", &flat, &two, 3));
  ASSERT_OK(ctx, check(ctx, "y", &column, &one, 3));
  ASSERT_STATUS(ctx, check(ctx, "y", &column, &one, 4), SNUG_E_SHAPE, "3 samples");
}

TEST(another_shape_of_as_many_numbers_is_told) {
  snug_ctx *ctx = test_ctx();
  const unsigned char pixels[8] = {0};
  snug_array images = {pixels, SNUG_UINT8, 3, {2, 2, 2}};
  snug__type flat = feeds(SNUG_FLOAT32, 2, 1, 4, 0), other = feeds(SNUG_FLOAT32, 2, 1, 5, 0);
  ASSERT_STATUS(ctx, check(ctx, "x", &images, &flat, 2), SNUG_E_SHAPE,
                "float32[batch,4]; that is as many numbers: reshape the array");
  ASSERT_STATUS(ctx, check(ctx, "x", &images, &other, 2), SNUG_E_SHAPE, "[batch,5]");
  ASSERT_NULL(strstr(snug_message(ctx), "reshape"));
}

TEST(impossible_arrays_are_refused) {
  snug_ctx *ctx = test_ctx();
  const double values[] = {1.0, 2.0};
  snug__type pair = feeds(SNUG_FLOAT32, 2, 1, 2, 0), byte = feeds(SNUG_UINT8, 2, 1, 2, 0);
  snug_array a = {values, SNUG_FLOAT64, 2, {1, 2}};
  ASSERT_OK(ctx, check(ctx, "x", &a, &pair, 1));
  ASSERT_STATUS(ctx, check(ctx, "x", &a, &byte, 1), SNUG_E_DTYPE, "uint8");
  a.rank = 9;
  ASSERT_STATUS(ctx, check(ctx, "x", &a, &pair, 1), SNUG_E_ARGUMENT, "9 axes");
  a.rank = 3;
  a.shape[1] = INT64_MAX;
  a.shape[2] = 3;
  ASSERT_STATUS(ctx, check(ctx, "x", &a, &pair, 1), SNUG_E_SHAPE, "too large");
  a = (snug_array){values, SNUG_NO_DTYPE, 2, {1, 2}};
  ASSERT_STATUS(ctx, check(ctx, "x", &a, &pair, 1), SNUG_E_SHAPE, "dtype");
}

TEST(labels_are_whole_and_in_range) {
  snug_ctx *ctx = test_ctx();
  const float labels[] = {0.0f, 2.0f, 1.5f};
  snug_array a = {labels, SNUG_FLOAT32, 1, {3}};
  ASSERT_STATUS(ctx, check_labels(ctx, "y", &a, 3, -1), SNUG_E_DATA, "sample 2 has the label 1.5");
  ASSERT_STATUS(ctx, check_labels(ctx, "y", &a, 2, -1), SNUG_E_DATA, "labels are 0 to 1");
  a.shape[0] = 2;
  ASSERT_OK(ctx, check_labels(ctx, "y", &a, 3, -1));
  const int64_t negative[] = {0, -7, INT64_MAX};
  a = (snug_array){negative, SNUG_INT64, 1, {2}};
  ASSERT_STATUS(ctx, check_labels(ctx, "y", &a, 3, -1), SNUG_E_DATA, "sample 1 has the label -7");
  a = (snug_array){negative + 2, SNUG_INT64, 1, {1}};
  ASSERT_STATUS(ctx, check_labels(ctx, "y", &a, 3, -1), SNUG_E_DATA, "sample 0");
}
