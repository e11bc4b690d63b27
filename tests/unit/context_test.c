#include "base/ctx.h"
#include "base/thread.h"
#include "lib/test.h"

static snug_status create(const snug_options *options) {
  snug_ctx *ctx = NULL;
  snug_status status = snug_ctx_create(options, &ctx);
  ASSERT_TRUE((status == SNUG_OK) == (ctx != NULL));
  snug_ctx_destroy(ctx);
  return status;
}

TEST(defaults) {
  ASSERT_EQ_INT(create(NULL), SNUG_OK);
  snug_ctx *ctx = test_ctx();
  ASSERT_EQ_INT(ctx->threads, snug__cores());
}

TEST(version_is_three_numbers) { ASSERT_HAS(snug_version(), "0."); }

TEST(destroy_takes_null) { snug_ctx_destroy(NULL); }

TEST(create_needs_a_place) { ASSERT_EQ_INT(snug_ctx_create(NULL, NULL), SNUG_E_ARGUMENT); }

TEST(threads_must_be_in_range) {
  snug_options options = SNUG_INIT(snug_options);
  options.threads = -1;
  ASSERT_EQ_INT(create(&options), SNUG_E_ARGUMENT);
  options.threads = SNUG__MAX_THREADS + 1;
  ASSERT_EQ_INT(create(&options), SNUG_E_ARGUMENT);
  options.threads = SNUG__MAX_THREADS;
  ASSERT_EQ_INT(create(&options), SNUG_OK);
}

TEST(allocator_must_have_a_function) {
  static const snug_allocator empty = {NULL, NULL};
  snug_options options = SNUG_INIT(snug_options);
  options.allocator = &empty;
  ASSERT_EQ_INT(create(&options), SNUG_E_ARGUMENT);
}

TEST(no_memory_is_reported) {
  snug_options options = SNUG_INIT(snug_options);
  options.allocator = test_allocator();
  test_current_guard()->fail_at = 0;
  ASSERT_EQ_INT(create(&options), SNUG_E_MEMORY);
}

TEST(the_context_itself_counts) {
  snug_options options = SNUG_INIT(snug_options);
  options.memory_limit = sizeof(snug_ctx) - 1;
  ASSERT_EQ_INT(create(&options), SNUG_E_LIMIT);
  options.memory_limit = sizeof(snug_ctx);
  snug_ctx *ctx = test_ctx_with(&options);
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  snug_memory_get(ctx, &info);
  ASSERT_EQ_UINT(info.current, sizeof(snug_ctx));
  ASSERT_EQ_UINT(info.peak, sizeof(snug_ctx));
  ASSERT_EQ_UINT(info.limit, sizeof(snug_ctx));
  ASSERT_EQ_UINT(info.allocations, 1);
}

TEST(the_library_allocator_resizes) {
  snug_ctx *ctx = NULL;
  ASSERT_EQ_INT(snug_ctx_create(NULL, &ctx), SNUG_OK);
  char *p = snug__realloc(ctx, SNUG__MEM_WORK, NULL, 0, 10);
  p[9] = 7;
  p = snug__realloc(ctx, SNUG__MEM_WORK, p, 10, 100000);
  ASSERT_EQ_INT(p[9], 7);
  snug__give(ctx, SNUG__MEM_WORK, p, 100000);
  snug_ctx_destroy(ctx);
}

TEST(contexts_are_independent) {
  snug_ctx *a = test_ctx();
  snug_ctx *b = test_ctx();
  ASSERT_EQ_INT(snug__fail(a, SNUG_E_DATA, "of a"), SNUG_E_DATA);
  ASSERT_EQ_TEXT(snug_message(b), "");
  test_ctx_end(a);
  ASSERT_EQ_TEXT(snug_message(b), "");
}

TEST(a_device_that_is_not_there_is_refused) {
  snug_options options = SNUG_INIT(snug_options);
  snug_ctx *ctx = NULL;
  char why[SNUG_DEVICE_TEXT] = "";
  options.device = "cuda";
  ASSERT_EQ_INT(snug_ctx_create(&options, &ctx), SNUG_E_UNSUPPORTED);
  ASSERT_NULL(ctx);
  ASSERT_EQ_INT(snug_device_check("cuda", why), SNUG_E_UNSUPPORTED);
  ASSERT_HAS(why, "there is no device 'cuda' here; there is: cpu");
  ASSERT_EQ_INT(snug_device_check("cuda", NULL), SNUG_E_UNSUPPORTED);
  ASSERT_EQ_INT(snug_device_check(NULL, why), SNUG_OK);
  ASSERT_EQ_INT(snug_device_check("cpu", why), SNUG_OK);
  ASSERT_EQ_TEXT(snug_device_name(0), "cpu");
  ASSERT_EQ_TEXT(snug_device_name(100), "");
}
