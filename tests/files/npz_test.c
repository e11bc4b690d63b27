/* Archives of arrays. */
#include <stdlib.h>
#include <string.h>

#include "files/open.h"

TEST(arrays_have_their_names) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const snug_array *y = NULL;
  ASSERT_OK(ctx, open_named(ctx, "plain.npz", &a));
  ASSERT_EQ_UINT(snug_arrays_count(a), 2);
  ASSERT_EQ_TEXT(snug_arrays_name(a, 0), "x");
  ASSERT_EQ_TEXT(snug_arrays_name(a, 1), "y");
  ASSERT_NULL(snug_arrays_name(a, 2));
  ASSERT_NULL(snug_arrays_find(a, "z"));
  ASSERT_EQ_INT(snug_arrays_find(a, "x")->dtype, SNUG_UINT8);
  ASSERT_OK(ctx, snug_arrays_get(a, "y", &y));
  const int64_t labels[] = {0, 1, 2, 0, 1, 2};
  ASSERT_EQ_BYTES(y->data, labels, sizeof labels);
  ASSERT_STATUS(ctx, snug_arrays_get(a, "z", &y), SNUG_E_ARGUMENT, "has no array \"z\"");
  snug_arrays_destroy(a);
}

TEST(only_what_is_asked_for_takes_memory) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_memory_info before = SNUG_INIT(snug_memory_info), after = SNUG_INIT(snug_memory_info);
  const snug_array *x = NULL;
  ASSERT_OK(ctx, open_named(ctx, "deflated.npz", &a));
  snug_memory_get(ctx, &before);
  ASSERT_OK(ctx, snug_arrays_get(a, "x", &x));
  ASSERT_OK(ctx, snug_arrays_get(a, "x", &x));
  snug_memory_get(ctx, &after);
  ASSERT_EQ_UINT(after.current - before.current, 8000);
  for (int64_t i = 0; i < 2000; i++) {
    ASSERT_NEAR(((const float *)x->data)[i], 0, 0);
  }
  snug_arrays_destroy(a);
}

TEST(what_cannot_be_used_is_told_when_it_is_wanted) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const snug_array *x = NULL;
  ASSERT_OK(ctx, open_named(ctx, "mixed.npz", &a));
  ASSERT_EQ_UINT(snug_arrays_count(a), 3);
  ASSERT_OK(ctx, snug_arrays_get(a, "x", &x));
  ASSERT_EQ_INT(snug_arrays_find(a, "y")->dtype, SNUG_NO_DTYPE);
  ASSERT_STATUS(ctx, snug_arrays_get(a, "y", &x), SNUG_E_UNSUPPORTED, "mixed.npz: y: is of dtype");
  ASSERT_NULL(x);
  ASSERT_STATUS(ctx, snug_arrays_get(a, "names", &x), SNUG_E_UNSUPPORTED, "pickle");
  snug_arrays_destroy(a);
}

TEST(names_that_lead_elsewhere_are_refused) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, read_whole(ctx, data_path("outside.npz")), SNUG_E_FORMAT,
                "outside.npz: has a member named '../x.npy'");
}

TEST(an_archive_without_arrays_is_refused) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, read_whole(ctx, data_path("no_arrays.npz")), SNUG_E_FORMAT, "has no arrays");
}

TEST(an_archive_stands_alone) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const char *paths[] = {data_path("u1.npy"), data_path("plain.npz")};
  ASSERT_STATUS(ctx, snug_arrays_open(ctx, paths, 2, &a), SNUG_E_ARGUMENT, "stands alone");
  ASSERT_NULL(a);
}

/* Set the sizes that the directory and the member's own header say of the only member. */
static void set_sizes(unsigned char *bytes, size_t n, uint32_t size) {
  for (size_t i = 0; i + 46 < n; i++) {
    if (memcmp(bytes + i, "PK\1\2", 4) == 0) {
      memcpy(bytes + i + 24, &size, 4);
    }
  }
}

TEST(a_member_that_claims_more_than_it_can_become_is_refused) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("claim.npz");
  size_t n = 0;
  unsigned char *bytes = slurp(data_path("deflated.npz"), &n);
  set_sizes(bytes, n, 0x7FFFFFFF);
  spill(path, bytes, n);
  free(bytes);
  ASSERT_STATUS(ctx, read_whole(ctx, path), SNUG_E_FORMAT, "claim.npz: x: the archive says");
}

/* A bomb ends at what its header says: not a byte more is unpacked. */
TEST(a_member_that_becomes_more_than_it_says_is_refused) {
  snug_ctx *ctx = test_ctx();
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  const char *path = test_path("bomb.npz");
  size_t n = 0;
  unsigned char *bytes = slurp(data_path("deflated.npz"), &n);
  set_sizes(bytes, n, 1000);
  spill(path, bytes, n);
  free(bytes);
  ASSERT_STATUS(ctx, read_whole(ctx, path), SNUG_E_FORMAT, "bomb.npz: x: its header says 8000");
  snug_memory_get(ctx, &info);
  ASSERT_TRUE(info.peak < 12000 + 16384); /* for unpacking */
}
