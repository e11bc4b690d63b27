/* The fault sweep finds what it is there for. */
#include "lib/fault.h"
#include "base/ctx.h"

static snug_status take_two(snug_ctx *ctx, void *is_leaky) {
  void *a = NULL;
  void *b = NULL;
  SNUG_TRY(snug__take(ctx, SNUG__MEM_WORK, 10, &a));
  snug_status status = snug__take(ctx, SNUG__MEM_WORK, 10, &b);
  if (status && is_leaky) {
    return status;
  }
  snug__give(ctx, SNUG__MEM_WORK, a, 10);
  snug__give(ctx, SNUG__MEM_WORK, b, 10);
  return status;
}

static snug_status wrong_code(snug_ctx *ctx, void *arg) {
  return take_two(ctx, arg) ? SNUG_E_IO : SNUG_OK;
}

static snug_status wrong_without_reason(snug_ctx *ctx, void *arg) {
  (void)arg;
  return snug__fail(ctx, SNUG_E_MEMORY, "so it says");
}

static snug_status no_message(snug_ctx *ctx, void *arg) {
  (void)arg;
  void *p = snug__realloc(ctx, SNUG__MEM_WORK, NULL, 0, 10);
  if (!p) {
    return SNUG_E_MEMORY;
  }
  snug__give(ctx, SNUG__MEM_WORK, p, 10);
  return SNUG_OK;
}

TEST(sweeps_every_request) {
  char problem[256];
  ASSERT_EQ_INT(test_fault_find(take_two, NULL, 1, problem, sizeof problem), 6);
  ASSERT_EQ_TEXT(problem, "");
}

TEST(finds_a_leak_at_its_request) {
  char problem[256];
  test_fault_find(take_two, problem, 1, problem, sizeof problem);
  ASSERT_HAS(problem, "refusing request #1: leak: 1 blocks, 10 bytes");
}

TEST(finds_a_wrong_code) {
  char problem[256];
  test_fault_find(wrong_code, NULL, 1, problem, sizeof problem);
  ASSERT_HAS(problem, "refusing request #0: input or output failed");
}

TEST(finds_a_failure_without_reason) {
  char problem[256];
  test_fault_find(wrong_without_reason, NULL, 1, problem, sizeof problem);
  ASSERT_HAS(problem, "although nothing was refused");
}

TEST(finds_a_missing_message) {
  char problem[256];
  test_fault_find(no_message, NULL, 1, problem, sizeof problem);
  ASSERT_HAS(problem, "without a message");
}

static snug_status take_many(snug_ctx *ctx, void *arg) {
  (void)arg;
  for (size_t i = 0; i < 100; i++) {
    void *p = NULL;
    SNUG_TRY(snug__take(ctx, SNUG__MEM_WORK, 10, &p));
    snug__give(ctx, SNUG__MEM_WORK, p, 10);
  }
  return SNUG_OK;
}

TEST(stride_sweeps_fewer) {
  char problem[256];
  int64_t all = test_fault_find(take_many, NULL, 1, problem, sizeof problem);
  int64_t some = test_fault_find(take_many, NULL, 10, problem, sizeof problem);
  ASSERT_EQ_INT(all, 202);
  ASSERT_TRUE(some < 50 && some > 20);
}
