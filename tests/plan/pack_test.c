/* The packer: what it refuses, what it must reach, and that it does the same every time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/pack/problems.h"
#include "lib/fault.h"
#include "lib/test.h"

#define TRACE_MOST 1200 /* buffers */
#define MOST 400

static snug_pack_result pack(snug_ctx *ctx, const snug_pack_item *items, size_t n,
                             const snug_pack_options *options, int64_t *offsets) {
  snug_pack_result result = SNUG_INIT(snug_pack_result);
  ASSERT_OK(ctx, snug_pack(ctx, items, n, options, offsets, &result));
  ASSERT_OK(ctx, snug_pack_check(ctx, items, n, offsets, result.height));
  ASSERT_TRUE(result.load <= result.bound && result.bound <= result.height);
  ASSERT_EQ_INT(result.proven, result.bound == result.height);
  return result;
}

TEST(nothing_needs_nothing) {
  snug_ctx *ctx = test_ctx();
  snug_pack_result r = pack(ctx, NULL, 0, NULL, NULL);
  ASSERT_EQ_INT(r.height, 0);
  ASSERT_TRUE(r.proven);
}

TEST(buffers_of_size_zero_stand_nowhere) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[] = {{0, 9, 0, 8, -1}, {0, 9, 5, 1, -1}, {3, 4, 0, 1, 7}};
  int64_t offsets[3];
  snug_pack_result r = pack(ctx, items, 3, NULL, offsets);
  ASSERT_EQ_INT(r.height, 5);
  ASSERT_TRUE(r.proven);
}

TEST(a_single_buffer_needs_no_padding) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item item = {0, 1, 100, 64, -1};
  int64_t offset;
  snug_pack_result r = pack(ctx, &item, 1, NULL, &offset);
  ASSERT_EQ_INT(r.height, 100);
  ASSERT_TRUE(r.proven);
}

TEST(far_moments_are_fine) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[] = {
      {INT64_MIN, INT64_MAX, 8, 1, -1}, {INT64_MIN, 0, 8, 1, -1}, {0, INT64_MAX, 8, 1, -1}};
  int64_t offsets[3];
  ASSERT_EQ_INT(pack(ctx, items, 3, NULL, offsets).height, 16);
}

TEST(alignment_is_kept) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[MOST];
  int64_t offsets[MOST];
  snug_pack_options options = {.struct_size = sizeof options, .work = 1 << 20};
  for (int round = 0; round < 100; round++) {
    size_t n = (size_t)test_random_between(1, 40);
    for (size_t i = 0; i < n; i++) {
      int64_t lower = test_random_between(0, 30);
      items[i] = (snug_pack_item){lower, lower + test_random_between(1, 12),
                                  test_random_between(0, 300), test_random_between(1, 5) * 8, -1};
    }
    pack(ctx, items, n, &options, offsets);
  }
}

TEST(a_hinted_answer_comes_back) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[40];
  int64_t offsets[40];
  int64_t again[40];
  snug_pack_options none = {.struct_size = sizeof none, .work = 1};
  problem_guillotine(40, 0.6, 9, items);
  ASSERT_EQ_INT(pack(ctx, items, 40, NULL, offsets).height, PROBLEM_BYTES);
  for (size_t i = 0; i < 40; i++) {
    items[i].hint = offsets[i];
  }
  none.work = 10000;
  ASSERT_EQ_INT(pack(ctx, items, 40, &none, again).height, PROBLEM_BYTES);
  ASSERT_EQ_BYTES(offsets, again, sizeof again);
}

static void refuse(snug_pack_item item, snug_status status, const char *part) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[] = {{0, 1, 1, 1, -1}, item};
  int64_t offsets[2];
  snug_pack_result result = SNUG_INIT(snug_pack_result);
  ASSERT_STATUS(ctx, snug_pack(ctx, items, 2, NULL, offsets, &result), status, part);
}

TEST(bad_buffers_are_named) {
  refuse((snug_pack_item){5, 5, 1, 1, -1}, SNUG_E_ARGUMENT, "buffer 1 ends at 5");
  refuse((snug_pack_item){5, 4, 1, 1, -1}, SNUG_E_ARGUMENT, "buffer 1 ends at 4");
  refuse((snug_pack_item){0, 4, -1, 1, -1}, SNUG_E_ARGUMENT, "buffer 1 has the negative size -1");
  refuse((snug_pack_item){0, 4, 1, 0, -1}, SNUG_E_ARGUMENT, "buffer 1 has alignment 0");
  refuse((snug_pack_item){0, 4, 1, 1, -2}, SNUG_E_ARGUMENT, "buffer 1 has hint -2");
  refuse((snug_pack_item){0, 4, INT64_MAX, 1, -1}, SNUG_E_OVERFLOW, "buffer 1");
  refuse((snug_pack_item){0, 4, 1, INT64_MAX, -1}, SNUG_E_OVERFLOW, "buffer 1");
}

TEST(a_load_beyond_the_range_is_refused) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[8];
  int64_t offsets[8];
  snug_pack_result result = SNUG_INIT(snug_pack_result);
  for (int i = 0; i < 8; i++) {
    items[i] = (snug_pack_item){0, 4, INT64_C(1) << 59, 1, -1};
  }
  ASSERT_STATUS(ctx, snug_pack(ctx, items, 8, NULL, offsets, &result), SNUG_E_OVERFLOW, "2^61");
}

TEST(bad_options_are_refused) {
  snug_ctx *ctx = test_ctx();
  snug_pack_result result = SNUG_INIT(snug_pack_result);
  snug_pack_options options = {.struct_size = sizeof options, .capacity = -1};
  ASSERT_STATUS(ctx, snug_pack(ctx, NULL, 0, &options, NULL, &result), SNUG_E_ARGUMENT,
                "capacity -1");
  ASSERT_STATUS(ctx, snug_pack(ctx, NULL, 3, NULL, NULL, &result), SNUG_E_ARGUMENT, "NULL");
}

/* The least height of a few buffers: every order, each buffer as low as the ones before it let it.
 */
static int64_t least(const snug_pack_item *items, size_t n, int64_t *offsets, unsigned done,
                     int64_t height, int64_t best) {
  if (height >= best || done == (1u << n) - 1) {
    return height < best ? height : best;
  }
  for (size_t i = 0; i < n; i++) {
    int64_t offset = 0;
    if (done & (1u << i)) {
      continue;
    }
    for (size_t j = 0; j < n; j++) {
      if (done & (1u << j) && items[i].lower < items[j].upper && items[j].lower < items[i].upper) {
        int64_t top = offsets[j] + items[j].size;
        offset = top > offset ? top : offset;
      }
    }
    offset = (offset + items[i].align - 1) / items[i].align * items[i].align;
    offsets[i] = offset;
    int64_t top = offset + items[i].size;
    best = least(items, n, offsets, done | 1u << i, top > height ? top : height, best);
  }
  return best;
}

static void compare_with_brute_force(int64_t max_align) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[7];
  int64_t offsets[7];
  int proven = 0;
  snug_pack_options options = {.struct_size = sizeof options, .work = 1 << 20};
  for (int round = 0; round < 400; round++) {
    size_t n = (size_t)test_random_between(1, 7);
    for (size_t i = 0; i < n; i++) {
      int64_t lower = test_random_between(0, 6);
      items[i] =
          (snug_pack_item){lower, lower + test_random_between(1, 5), test_random_between(1, 9),
                           INT64_C(1) << test_random_between(0, max_align), -1};
    }
    snug_pack_result r = pack(ctx, items, n, &options, offsets);
    int64_t optimum = least(items, n, offsets, 0, 0, INT64_MAX);
    ASSERT_TRUE(r.bound <= optimum && optimum <= r.height);
    proven += r.proven;
    if (max_align == 0) {
      ASSERT_TRUE(r.proven);
      ASSERT_EQ_INT(r.height, optimum);
    }
  }
  ASSERT_TRUE(proven > 300);
}

TEST(few_buffers_are_packed_to_the_optimum) { compare_with_brute_force(0); }

TEST(bounds_hold_with_alignment) { compare_with_brute_force(3); }

static void at_known_height(size_t n, double p, uint64_t seeds) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[MOST];
  int64_t offsets[MOST];
  for (uint64_t seed = 100; seed < 100 + seeds; seed++) {
    problem_guillotine(n, p, seed, items);
    snug_pack_result r = pack(ctx, items, n, NULL, offsets);
    ASSERT_EQ_INT(r.height, PROBLEM_BYTES);
    ASSERT_TRUE(r.proven);
  }
}

/* Many, because a rule that cuts off too much shows in few. */
TEST(guillotine_problems_of_12_to_30) {
  at_known_height(12, 0.6, 200);
  at_known_height(20, 0.6, 200);
  at_known_height(20, 0.8, 200);
  at_known_height(30, 0.6, 200);
  at_known_height(30, 0.8, 200);
}

TEST(guillotine_problems_of_50_to_200) {
  at_known_height(50, 0.6, 50);
  at_known_height(100, 0.6, 10);
  at_known_height(100, 0.8, 10);
  at_known_height(200, 0.8, 5);
}

/* One that the search alone does not find within its work, but joining does. */
TEST(a_guillotine_problem_of_400) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[400];
  int64_t offsets[400];
  problem_guillotine(400, 0.6, 24, items);
  ASSERT_EQ_INT(pack(ctx, items, 400, NULL, offsets).height, PROBLEM_BYTES);
}

TEST(many_short_lives_come_near_the_load) {
  snug_ctx *ctx = test_ctx();
  size_t n = 20000;
  snug_pack_item *items = calloc(n, sizeof *items);
  int64_t *offsets = calloc(n, sizeof *offsets);
  snug_pack_options options = {.struct_size = sizeof options, .work = INT64_C(1) << 28};
  for (size_t i = 0; i < n; i++) {
    int64_t lower = test_random_between(0, 20000);
    items[i] = (snug_pack_item){lower, lower + test_random_between(1, 40),
                                test_random_between(1, 10000), 1, -1};
  }
  snug_pack_result r = pack(ctx, items, n, &options, offsets);
  ASSERT_TRUE((double)r.height <= 1.03 * (double)r.load);
  free(items);
  free(offsets);
}

TEST(same_input_same_answer) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[60];
  int64_t first[60];
  int64_t second[60];
  snug_pack_options options = {.struct_size = sizeof options, .work = 3000000};
  problem_guillotine(60, 0.7, 5, items);
  for (size_t i = 0; i < 60; i++) {
    items[i].size -= items[i].size / 7 * (int64_t)(i % 3 == 0); /* no longer without slack */
  }
  snug_pack_result a = pack(ctx, items, 60, &options, first);
  snug_pack_result b = pack(ctx, items, 60, &options, second);
  ASSERT_EQ_BYTES(first, second, sizeof first);
  ASSERT_EQ_INT(a.work_done, b.work_done);
}

TEST(stops_at_the_capacity) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[100];
  int64_t offsets[100];
  snug_pack_options options = {.struct_size = sizeof options, .capacity = 4 * PROBLEM_BYTES};
  problem_guillotine(100, 0.6, 3, items);
  snug_pack_result r = pack(ctx, items, 100, &options, offsets);
  ASSERT_TRUE(r.height <= options.capacity);
  ASSERT_TRUE(r.work_done < 1000000);
}

TEST(separate_times_are_packed_on_their_own) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[60];
  int64_t offsets[60];
  for (int k = 0; k < 3; k++) {
    problem_guillotine(20, 0.6, 31 + (uint64_t)k, items + 20 * k);
    for (int i = 0; i < 20; i++) {
      items[20 * k + i].lower += k * PROBLEM_STEPS;
      items[20 * k + i].upper += k * PROBLEM_STEPS;
    }
  }
  ASSERT_EQ_INT(pack(ctx, items, 60, NULL, offsets).height, PROBLEM_BYTES);
}

TEST(deep_networks_come_near_the_load) {
  snug_ctx *ctx = test_ctx();
  size_t n = PROBLEM_RESIDUAL_BUFFERS(300);
  snug_pack_item *items = calloc(n, sizeof *items);
  int64_t *offsets = calloc(n, sizeof *offsets);
  snug_pack_options options = {.struct_size = sizeof options, .work = INT64_C(1) << 28};
  problem_residual(300, 1, items);
  snug_pack_result r = pack(ctx, items, n, &options, offsets);
  ASSERT_TRUE((double)r.height <= 1.005 * (double)r.load);
  free(items);
  free(offsets);
}

/* A training step of another framework, as bench/pack/trace_*.py record them; returns how many. */
static size_t read_trace(const char *name, snug_pack_item *items) {
  char path[4096];
  char line[128];
  size_t n = 0;
  snprintf(path, sizeof path, "%s/pack/%s.csv", SNUG_TEST_DATA, name);
  FILE *file = fopen(path, "r");
  ASSERT_TRUE(file && fgets(line, sizeof line, file));
  while (fgets(line, sizeof line, file)) {
    long long lower, upper, size, align;
    ASSERT_EQ_INT(sscanf(line, "%lld,%lld,%lld,%lld", &lower, &upper, &size, &align), 4);
    ASSERT_TRUE(n < TRACE_MOST);
    items[n++] = (snug_pack_item){lower, upper, size, align, -1};
  }
  fclose(file);
  return n;
}

/* The simple rules leave some of them up to 0.1 % above the load. */
TEST(steps_of_other_frameworks_are_packed_to_the_load) {
  static const char *const names[] = {"jax", "pytorch", "pytorch-compiled", "tensorflow",
                                      "tensorflow-weights"};
  snug_ctx *ctx = test_ctx();
  snug_pack_item *items = calloc(TRACE_MOST, sizeof *items);
  int64_t *offsets = calloc(TRACE_MOST, sizeof *offsets);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t n = read_trace(names[i], items);
    snug_pack_result r = pack(ctx, items, n, NULL, offsets);
    ASSERT_EQ_INT(r.height, r.load);
    ASSERT_TRUE(r.work_done < INT64_C(1) << 29); /* a second */
  }
  free(items);
  free(offsets);
}

/* Every allocation at a moment of its own: what lives at no moment of its own needs no section. */
TEST(moments_apart_are_packed_as_moments_together) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[100];
  int64_t offsets[100];
  problem_guillotine(100, 0.6, 7, items);
  for (int i = 0; i < 100; i++) {
    items[i].lower = items[i].lower * 1000 + i;
    items[i].upper = items[i].upper * 1000;
  }
  ASSERT_EQ_INT(pack(ctx, items, 100, NULL, offsets).height, PROBLEM_BYTES);
}

TEST(a_deadline_ends_the_search) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item items[200];
  int64_t offsets[200];
  snug_pack_options options = {.struct_size = sizeof options, .work = INT64_MAX, .timeout_s = 0.2};
  for (int i = 0; i < 200; i++) {
    int64_t lower = test_random_between(0, 50);
    items[i] = (snug_pack_item){lower, lower + test_random_between(1, 30),
                                test_random_between(1000, 1000000), 1, -1};
  }
  pack(ctx, items, 200, &options, offsets);
}

typedef struct problem {
  snug_pack_item *items;
  size_t n;
  int64_t *offsets;
} problem;

static snug_status pack_some(snug_ctx *ctx, void *arg) {
  const problem *p = arg;
  snug_pack_options options = {.struct_size = sizeof options, .work = 2000000};
  snug_pack_result result = SNUG_INIT(snug_pack_result);
  return snug_pack(ctx, p->items, p->n, &options, p->offsets, &result);
}

/* With slack, so that every way of packing gets its turn: some are for few buffers, some for many.
 */
static void survive_failing_memory(size_t n) {
  problem p = {calloc(n, sizeof *p.items), n, calloc(n, sizeof *p.offsets)};
  for (size_t i = 0; i < n; i++) {
    int64_t lower = test_random_between(0, (int64_t)n);
    p.items[i] = (snug_pack_item){lower, lower + test_random_between(1, 20),
                                  test_random_between(1000, 100000), 1, -1};
  }
  test_fault_sweep(pack_some, &p);
  free(p.items);
  free(p.offsets);
}

TEST(survives_failing_memory) {
  survive_failing_memory(30);
  survive_failing_memory(300);
  survive_failing_memory(1100);
}
