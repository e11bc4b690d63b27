/* The runner fails the tests that it must: bad ones are run in a process of their own, and what
 * they print is read. */
#include "lib/runner.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ctx.h"

/* What the entry printed, with "failed" or "passed" before it. */
static const char *run(void (*body)(void)) {
  static char printed[4096];
  struct test_entry entry = {"inner", "inner_test.c", 1, body, NULL};
  FILE *out = tmpfile();
  int state = 0;
  ASSERT_NOT_NULL(out);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(out), STDERR_FILENO);
    int failures = test_run_entry(&entry);
    fflush(NULL);
    _exit(failures ? 1 : 0);
  }
  ASSERT_TRUE(child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state));
  int n = snprintf(printed, sizeof printed, WEXITSTATUS(state) ? "failed\n" : "passed\n");
  rewind(out);
  size_t more = fread(printed + n, 1, sizeof printed - 1 - (size_t)n, out);
  printed[(size_t)n + more] = 0;
  fclose(out);
  return printed;
}

static void expect(void (*body)(void), const char *verdict, const char *part) {
  const char *printed = run(body);
  ASSERT_EQ_BYTES(printed, verdict, strlen(verdict));
  ASSERT_HAS(printed, part);
}

static void is_good(void) { ASSERT_NOT_NULL(test_ctx()); }

static void leaks(void) {
  snug_ctx *ctx = test_ctx();
  void *p = NULL;
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_WORK, 12, &p));
}

static void gives_a_wrong_size(void) {
  snug_ctx *ctx = test_ctx();
  void *p = NULL;
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_WORK, 12, &p));
  snug__give(ctx, SNUG__MEM_WORK, p, 13);
}

__attribute__((no_sanitize("address"))) static void writes_outside(void) {
  snug_ctx *ctx = test_ctx();
  void *p = NULL;
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_WORK, 12, &p));
  ((volatile char *)p)[12] = 1;
  snug__give(ctx, SNUG__MEM_WORK, p, 12);
}

static void leaves_a_context(void) {
  snug_options options = SNUG_INIT(snug_options);
  snug_ctx *ctx = NULL;
  options.allocator = test_allocator();
  ASSERT_EQ_INT(snug_ctx_create(&options, &ctx), SNUG_OK);
}

TEST(a_good_test_passes) { expect(is_good, "passed", "[       OK ] inner"); }

TEST(a_leak_fails_and_is_named) {
  expect(leaks, "failed", "still held: 12 bytes of work");
  expect(leaks, "failed", "inner_test.c:1: leak: 1 blocks, 12 bytes");
}

TEST(a_wrong_size_fails) { expect(gives_a_wrong_size, "failed", "wrong old size: 13"); }

TEST(a_broken_guard_fails) { expect(writes_outside, "failed", "broken guard: byte 1 after"); }

TEST(a_context_left_fails) { expect(leaves_a_context, "failed", "leak: 1 blocks"); }

static void unequal_ints(void) { ASSERT_EQ_INT(1 + 1, 3); }
static void unequal_uints(void) { ASSERT_EQ_UINT(17, 16); }
static void unequal_texts(void) { ASSERT_EQ_TEXT("one", "two"); }
static void unequal_bytes(void) { ASSERT_EQ_BYTES("abc", "abd", 3); }
static void too_far(void) { ASSERT_NEAR(1.0, 1.5, 0.25); }
static void is_false(void) { ASSERT_TRUE(1 > 2); }
static void bad_status(void) { ASSERT_OK(NULL, SNUG_E_DATA); }
static void bad_message(void) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, snug__fail(ctx, SNUG_E_DATA, "the row 7"), SNUG_E_DATA, "column");
}

TEST(assertions_print_both_values) {
  expect(unequal_ints, "failed", "1 + 1 == 3: 2 and 3");
  expect(unequal_uints, "failed", "17 (0x11) and 16 (0x10)");
  expect(unequal_texts, "failed", "\"one\"\n  \"two\"");
  expect(unequal_bytes, "failed", "byte 2 of 3: 0x63 and 0x64");
  expect(too_far, "failed", "1 and 1.5 differ by 0.5, allowed 0.25");
  expect(is_false, "failed", "expected: 1 > 2");
  expect(bad_status, "failed", "bad data (-6), expected ok (0)");
  expect(bad_message, "failed", "expected \"column\" in:\n  \"the row 7\"");
}

static void crashes(void) { raise(SIGSEGV); }

TEST(a_crash_is_a_failure) { expect(crashes, "failed", "Segmentation fault"); }

TEST(random_numbers_depend_on_the_seed) {
  setenv("SNUG_TEST_SEED", "5", 1);
  test_random_forget();
  uint64_t first = test_random_u64();
  test_random_forget();
  ASSERT_EQ_UINT(test_random_u64(), first);
  setenv("SNUG_TEST_SEED", "6", 1);
  test_random_forget();
  ASSERT_TRUE(test_random_u64() != first);
  unsetenv("SNUG_TEST_SEED");
}

TEST(random_numbers_keep_their_range) {
  for (int i = 0; i < 1000; i++) {
    int64_t k = test_random_between(-3, 3);
    double u = test_random_unit();
    ASSERT_TRUE(k >= -3 && k <= 3);
    ASSERT_TRUE(u >= 0 && u < 1);
  }
}
