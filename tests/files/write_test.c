/* Saving arrays: what is written is read back, and a failure leaves the old file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/open.h"
#include "graph/type.h"
#include "lib/fault.h"

static const snug_dtype all[] = {SNUG_FLOAT32, SNUG_FLOAT64, SNUG_FLOAT16, SNUG_BFLOAT16, SNUG_INT8,
                                 SNUG_INT32,   SNUG_INT64,   SNUG_UINT8,   SNUG_BOOL};

static void expect_same(const snug_array *got, const snug_array *given) {
  snug_dtype dtype = given->dtype == SNUG_BFLOAT16 ? SNUG_FLOAT32 : given->dtype;
  ASSERT_EQ_INT(got->dtype, dtype);
  ASSERT_EQ_INT(got->rank, given->rank);
  int64_t n = 1;
  for (int32_t i = 0; i < given->rank; i++) {
    ASSERT_EQ_INT(got->shape[i], given->shape[i]);
    n *= given->shape[i];
  }
  for (int64_t i = 0; i < n; i++) {
    ASSERT_NEAR(snug__element_get(dtype, got->data, i),
                snug__element_get(given->dtype, given->data, i), 0);
  }
}

TEST(npy_of_every_dtype_and_rank) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a.npy");
  double room[64];
  for (size_t d = 0; d < sizeof all / sizeof *all; d++) {
    for (int64_t i = 0; i < 64; i++) {
      snug__element_set(all[d], room, i, (double)(i % 50) / (i % 3 ? 1 : 2));
    }
    for (int32_t rank = 1; rank <= SNUG_MAX_RANK; rank++) {
      snug_array given = {room, all[d], rank, {2, 2, 2, 2, 2, 2}};
      const snug_array *got = NULL;
      snug_arrays *a = NULL;
      ASSERT_OK(ctx, snug_npy_save(ctx, path, &given));
      ASSERT_OK(ctx, open_path(ctx, path, &a));
      ASSERT_OK(ctx, snug_arrays_get(a, "x", &got));
      expect_same(got, &given);
      snug_arrays_destroy(a);
    }
  }
}

/* The same bytes as NumPy's. */
TEST(npy_is_as_numpy_writes_it) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a.npy");
  snug_arrays *a = NULL;
  const snug_array *x = NULL;
  size_t n = 0, expected_n = 0;
  ASSERT_OK(ctx, open_named(ctx, "f4.npy", &a));
  ASSERT_OK(ctx, snug_arrays_get(a, "x", &x));
  ASSERT_OK(ctx, snug_npy_save(ctx, path, x));
  snug_arrays_destroy(a);
  unsigned char *bytes = slurp(path, &n), *expected = slurp(data_path("f4.npy"), &expected_n);
  ASSERT_EQ_UINT(n, expected_n);
  ASSERT_EQ_BYTES(bytes, expected, n);
  free(bytes);
  free(expected);
}

static const float floats[] = {1, 2, 3, 4, 5, 6};
static const uint16_t halves[] = {0x3F80, 0x4000, 0x4040}; /* bfloat16: 1, 2, 3 */
static const snug_array two[] = {{floats, SNUG_FLOAT32, 2, {2, 3}},
                                 {halves, SNUG_BFLOAT16, 1, {3}}};
static const char *const names[] = {"x", "folder/ü"};

TEST(npz_comes_back) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a.npz");
  snug_arrays *a = NULL;
  const snug_array *got = NULL;
  ASSERT_OK(ctx, snug_npz_save(ctx, path, names, two, 2));
  ASSERT_OK(ctx, open_path(ctx, path, &a));
  ASSERT_EQ_UINT(snug_arrays_count(a), 2);
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(ctx, snug_arrays_get(a, names[i], &got));
    expect_same(got, &two[i]);
  }
  snug_arrays_destroy(a);
}

TEST(what_cannot_be_saved_is_refused) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("old.npz");
  snug_array none = {NULL, SNUG_FLOAT32, 1, {1}}, deep = {floats, SNUG_FLOAT32, 7, {1}};
  snug_array negative = {floats, SNUG_FLOAT32, 1, {-1}}, untyped = {floats, SNUG_NO_DTYPE, 1, {1}};
  static const char *const bad[][2] = {{"", "x"},    {"x", "x"},  {"../x", "y"},  {"/x", "y"},
                                       {"x\n", "y"}, {NULL, "y"}, {"a/../b", "y"}};
  char longest[200];
  spill(path, "old", 3);
  ASSERT_STATUS(ctx, snug_npy_save(ctx, path, NULL), SNUG_E_ARGUMENT, "no array");
  ASSERT_STATUS(ctx, snug_npy_save(ctx, path, &none), SNUG_E_ARGUMENT, "no array");
  ASSERT_STATUS(ctx, snug_npy_save(ctx, path, &deep), SNUG_E_ARGUMENT, "no array");
  ASSERT_STATUS(ctx, snug_npy_save(ctx, path, &untyped), SNUG_E_ARGUMENT, "no array");
  ASSERT_STATUS(ctx, snug_npy_save(ctx, path, &negative), SNUG_E_SHAPE, "negative");
  ASSERT_STATUS(ctx, snug_npz_save(ctx, path, names, two, 0), SNUG_E_ARGUMENT, "no arrays");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ASSERT_STATUS(ctx, snug_npz_save(ctx, path, bad[i], two, 2), SNUG_E_ARGUMENT, "name");
  }
  memset(longest, 'x', sizeof longest);
  longest[124] = 0;
  const char *const too_long[] = {longest};
  ASSERT_STATUS(ctx, snug_npz_save(ctx, path, too_long, two, 1), SNUG_E_ARGUMENT, "no name");
  size_t n = 0;
  unsigned char *bytes = slurp(path, &n);
  ASSERT_TRUE(n == 3 && memcmp(bytes, "old", 3) == 0);
  free(bytes);
  longest[123] = 0;
  ASSERT_OK(ctx, snug_npz_save(ctx, path, too_long, two, 1));
  ASSERT_OK(ctx, read_whole(ctx, path));
}

TEST(a_full_disk_is_told) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, snug_npy_save(ctx, "/dev/full", &two[0]), SNUG_E_IO, "No space left");
  ASSERT_STATUS(ctx, snug_npz_save(ctx, "/dev/full", names, two, 2), SNUG_E_IO, "No space left");
  ASSERT_STATUS(ctx, snug_npz_save(ctx, "/no/such/a.npz", names, two, 2), SNUG_E_IO, "a.npz");
}

static snug_status scenario(snug_ctx *ctx, void *path) {
  return snug_npz_save(ctx, path, names, two, 2);
}

TEST(npz_without_memory) {
  char path[512];
  snprintf(path, sizeof path, "%s", test_path("a.npz"));
  test_fault_sweep(scenario, path);
}
