/* The detectors are tested through guards of their own: what they find must not fail this test. */
#include "lib/fault.h"

static void *take(test_guard *g, size_t bytes) { return g->allocator.realloc(g, NULL, 0, bytes); }

static void give(test_guard *g, void *p, size_t bytes) { g->allocator.realloc(g, p, bytes, 0); }

/* Write where a sanitizer would stop us. */
__attribute__((no_sanitize("address"))) static void poke(char *at) { *at = 1; }

TEST(clean_use_is_no_problem) {
  test_guard g;
  test_guard_init(&g);
  char *p = take(&g, 10);
  ASSERT_EQ_INT((unsigned char)p[9], 0xA5);
  p[0] = 7;
  char *q = g.allocator.realloc(&g, p, 10, 1000);
  ASSERT_TRUE(q != p);
  ASSERT_EQ_INT(q[0], 7);
  give(&g, q, 1000);
  ASSERT_EQ_TEXT(test_guard_finish(&g), "");
  ASSERT_EQ_INT(g.n_requests, 2);
}

TEST(finds_a_leak) {
  test_guard g;
  test_guard_init(&g);
  take(&g, 10);
  take(&g, 20);
  ASSERT_HAS(test_guard_finish(&g), "leak: 2 blocks, 30 bytes; the oldest has 10");
}

TEST(finds_a_wrong_old_size) {
  test_guard g;
  test_guard_init(&g);
  give(&g, take(&g, 10), 11);
  ASSERT_HAS(test_guard_finish(&g), "wrong old size: 11 was given for a block of 10");
}

TEST(finds_a_byte_written_after_a_block) {
  test_guard g;
  test_guard_init(&g);
  char *p = take(&g, 10);
  poke(p + 10);
  give(&g, p, 10);
  ASSERT_HAS(test_guard_finish(&g), "broken guard: byte 1 after a block of 10");
}

TEST(finds_a_byte_written_before_a_block) {
  test_guard g;
  test_guard_init(&g);
  char *p = take(&g, 10);
  poke(p - 2);
  ASSERT_HAS(test_guard_finish(&g), "broken guard: byte 2 before a block of 10");
}

TEST(refuses_as_told) {
  test_guard g;
  test_guard_init(&g);
  g.fail_at = 1;
  void *first = take(&g, 1);
  ASSERT_NULL(take(&g, 1));
  void *third = take(&g, 1);
  ASSERT_NOT_NULL(third);
  g.fail_later_too = true;
  ASSERT_NULL(take(&g, 1));
  ASSERT_EQ_INT(g.n_refused, 2);
  give(&g, first, 1);
  give(&g, third, 1);
  ASSERT_EQ_TEXT(test_guard_finish(&g), "");
}
