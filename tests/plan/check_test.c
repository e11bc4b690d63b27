/* The check of packings: it must accept what is right and find what was planted. */
#include "lib/fault.h"
#include "lib/test.h"

static const snug_pack_item three[] = {{0, 4, 64, 64, -1}, {2, 6, 32, 32, -1}, {4, 8, 64, 64, -1}};
#define N_THREE 3

TEST(accepts_a_packing) {
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, snug_pack_check(ctx, three, N_THREE, (int64_t[]){0, 64, 0}, 96));
  ASSERT_OK(ctx, snug_pack_check(ctx, three, N_THREE, (int64_t[]){64, 0, 64}, 128));
  ASSERT_OK(ctx, snug_pack_check(ctx, NULL, 0, NULL, 0));
}

TEST(names_the_pair_that_overlaps) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, snug_pack_check(ctx, three, N_THREE, (int64_t[]){0, 32, 0}, 96),
                SNUG_E_INTERNAL, "buffers 0 (offset 0, size 64) and 1 (offset 32, size 32)");
  ASSERT_STATUS(ctx, snug_pack_check(ctx, three, N_THREE, (int64_t[]){64, 0, 0}, 128),
                SNUG_E_INTERNAL, "overlap");
}

TEST(finds_bad_offsets) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, snug_pack_check(ctx, three, N_THREE, (int64_t[]){0, 80, 0}, 112),
                SNUG_E_INTERNAL, "buffer 1 has offset 80, not a multiple of its alignment 32");
  ASSERT_STATUS(ctx, snug_pack_check(ctx, three, N_THREE, (int64_t[]){0, -32, 0}, 96),
                SNUG_E_INTERNAL, "buffer 1 has offset -32");
  ASSERT_STATUS(ctx, snug_pack_check(ctx, three, N_THREE, (int64_t[]){0, 64, 0}, 95),
                SNUG_E_INTERNAL, "reaches above the height 95");
  ASSERT_STATUS(ctx, snug_pack_check(ctx, three, N_THREE, (int64_t[]){0, 1LL << 62, 0}, 96),
                SNUG_E_INTERNAL, "buffer 1");
}

TEST(refuses_what_is_not_a_buffer) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item backwards = {4, 4, 1, 1, -1};
  int64_t offset = 0;
  ASSERT_STATUS(ctx, snug_pack_check(ctx, &backwards, 1, &offset, 1), SNUG_E_ARGUMENT, "buffer 0");
  ASSERT_STATUS(ctx, snug_pack_check(ctx, NULL, 1, &offset, 1), SNUG_E_ARGUMENT, "1 buffers");
}

/* The same question by the definition, pair by pair. */
static bool has_overlap(const snug_pack_item *items, size_t n, const int64_t *offsets) {
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      bool in_time = items[i].lower < items[j].upper && items[j].lower < items[i].upper;
      bool in_place = offsets[i] < offsets[j] + items[j].size &&
                      offsets[j] < offsets[i] + items[i].size && items[i].size && items[j].size;
      if (in_time && in_place) {
        return true;
      }
    }
  }
  return false;
}

TEST(agrees_with_the_definition) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[100];
  int64_t offsets[100];
  int found = 0;
  for (int round = 0; round < 3000; round++) {
    size_t n = (size_t)test_random_between(1, 100);
    for (size_t i = 0; i < n; i++) {
      int64_t lower = test_random_between(-50, 50);
      items[i] = (snug_pack_item){lower, lower + test_random_between(1, 10),
                                  test_random_between(0, 6), 1, -1};
      offsets[i] = test_random_between(0, 3000);
    }
    bool expected = has_overlap(items, n, offsets);
    found += expected;
    snug_status got = snug_pack_check(ctx, items, n, offsets, 4000);
    ASSERT_EQ_INT(got, expected ? SNUG_E_INTERNAL : SNUG_OK);
  }
  ASSERT_TRUE(found > 300 && found < 2700);
}

static snug_status check_three(snug_ctx *ctx, void *arg) {
  (void)arg;
  return snug_pack_check(ctx, three, N_THREE, (int64_t[]){0, 64, 0}, 96);
}

TEST(survives_failing_memory) { test_fault_sweep(check_three, NULL); }
