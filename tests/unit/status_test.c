#include <string.h>

#include "base/ctx.h"
#include "lib/test.h"

TEST(each_code_has_its_text) {
#define CHECK(name, value, text)     \
  ASSERT_EQ_INT(SNUG_##name, value); \
  ASSERT_EQ_TEXT(snug_status_text(SNUG_##name), text);
  SNUG_STATUS_LIST(CHECK)
#undef CHECK
}

TEST(a_code_that_does_not_exist_has_a_text) {
  ASSERT_EQ_TEXT(snug_status_text((snug_status)-999), "unknown status");
}

TEST(message_is_empty_at_first) {
  ASSERT_EQ_TEXT(snug_message(test_ctx()), "");
  ASSERT_EQ_TEXT(snug_message(NULL), "");
}

TEST(fail_keeps_message_and_place) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, snug__fail(ctx, SNUG_E_SHAPE, "sizes %d and %d", 3, 4), SNUG_E_SHAPE,
                "sizes 3 and 4");
  ASSERT_EQ_TEXT(ctx->file, "tests/unit/status_test.c");
  ASSERT_TRUE(ctx->line > 0);
}

TEST(fail_within_puts_the_place_before) {
  snug_ctx *ctx = test_ctx();
  snug_status status = snug__fail(ctx, SNUG_E_SHAPE, "sizes differ");
  ASSERT_STATUS(ctx, snug__fail_within(ctx, status, "layer %s", "conv1"), SNUG_E_SHAPE, NULL);
  ASSERT_EQ_TEXT(snug_message(ctx), "layer conv1: sizes differ");
}

TEST(long_messages_are_cut) {
  snug_ctx *ctx = test_ctx();
  char text[2 * SNUG__MESSAGE_BYTES];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = 0;
  ASSERT_EQ_INT(snug__fail(ctx, SNUG_E_DATA, "%s", text), SNUG_E_DATA);
  ASSERT_EQ_UINT(strlen(snug_message(ctx)), SNUG__MESSAGE_BYTES - 1);
  ASSERT_EQ_INT(snug__fail_within(ctx, SNUG_E_DATA, "before"), SNUG_E_DATA);
  ASSERT_HAS(snug_message(ctx), "before: xxx");
  ASSERT_EQ_UINT(strlen(snug_message(ctx)), SNUG__MESSAGE_BYTES - 1);
  ASSERT_EQ_INT(snug__fail_within(ctx, SNUG_E_DATA, "%s", text), SNUG_E_DATA);
  ASSERT_EQ_UINT(strlen(snug_message(ctx)), SNUG__MESSAGE_BYTES - 1);
}

TEST(try_passes_a_failure_on) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, snug_memory_set_limit(ctx, 1), SNUG_E_LIMIT, "comes too late");
}
