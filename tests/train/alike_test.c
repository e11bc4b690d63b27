/* Calls that are told by one that was timed, and those that are not. */
#include "train/alike.h"

#include <string.h>

#include "base/ctx.h"
#include "lib/test.h"
#include "ops/conv.h"
#include "ops/matmul.h"

static snug__alike call_of(int64_t channels, double flops) {
  const int64_t dim[] = {8, 14, 14, channels};
  return (snug__alike){.op = &snug__op_conv2d,
                       .first = snug__type_of(SNUG_FLOAT32, 4, dim),
                       .cost = {flops, 1e6},
                       .guessed = flops * 1e-11};
}

/* One call was timed: 256 channels, 1e9 operations, 4 ms. */
static snug__vec list_of_one(snug_ctx *ctx) {
  snug__vec list;
  snug__alike timed = call_of(256, 1e9);
  timed.seconds = 0.004;
  snug__vec_init(&list, ctx, SNUG__MEM_SCRATCH, sizeof timed, SIZE_MAX);
  ASSERT_OK(ctx, snug__vec_push(&list, &timed, 1));
  return list;
}

TEST(a_few_channels_more_take_as_much_longer_as_they_have_more_work) {
  snug_ctx *ctx = test_ctx();
  snug__alike more = call_of(288, 1.125e9);
  double seconds = -1.0;
  snug__vec list = list_of_one(ctx);
  ASSERT_TRUE(snug__alike_find(&list, &more, &seconds));
  ASSERT_NEAR(seconds, 0.0045, 1e-12);
  snug__vec_release(&list);
}

TEST(what_differs_in_more_than_channels_is_timed) {
  snug_ctx *ctx = test_ctx();
  double seconds = -1.0;
  snug__vec list = list_of_one(ctx);
  snug__alike other = call_of(256, 1.5e9);
  ASSERT_FALSE(snug__alike_find(&list, &other, &seconds));
  other = call_of(256, 1e9);
  other.op = &snug__op_matmul;
  ASSERT_FALSE(snug__alike_find(&list, &other, &seconds));
  other = call_of(256, 1e9);
  other.first.dim[1] = 28;
  ASSERT_FALSE(snug__alike_find(&list, &other, &seconds));
  other = call_of(256, 1e9);
  other.far_in = 1;
  ASSERT_FALSE(snug__alike_find(&list, &other, &seconds));
  other = call_of(256, 1e9);
  other.cost.bytes = 2e6;
  ASSERT_FALSE(snug__alike_find(&list, &other, &seconds));
  snug__vec_release(&list);
}

/* What it is told by need not be a small one itself. */
TEST(a_small_part_of_a_step_is_told_by_what_is_roughly_like_it) {
  snug_ctx *ctx = test_ctx();
  double seconds = -1.0;
  snug__vec list = list_of_one(ctx);
  snug__alike small = call_of(256, 6e8);
  small.first.dim[1] = 28;
  ASSERT_FALSE(snug__alike_find(&list, &small, &seconds));
  small.is_small = true;
  ASSERT_TRUE(snug__alike_find(&list, &small, &seconds));
  ASSERT_NEAR(seconds, 0.0024, 1e-12);
  small.cost.flops = 4e8;
  ASSERT_FALSE(snug__alike_find(&list, &small, &seconds));
  snug__vec_release(&list);
}

/* A product, and the one with the second factor transposed, have the same work. */
TEST(choices_count_and_sizes_do_not) {
  const snug__matmul_params plain = {false, false}, transposed = {false, true};
  snug__conv2d_params one, other;
  memset(&one, 0, sizeof one);
  other = one;
  other.groups = 4;
  ASSERT_TRUE(snug__alike_how(&snug__op_matmul, &plain) !=
              snug__alike_how(&snug__op_matmul, &transposed));
  ASSERT_EQ_UINT(snug__alike_how(&snug__op_conv2d, &one),
                 snug__alike_how(&snug__op_conv2d, &other));
}
