/* The test runner, on cmocka: tests are found by themselves and each ends with a check of all
 * memory.
 *
 *   tests/<area>/<file>_test.c:
 *     #include "lib/test.h"
 *     TEST(does_this) {
 *       snug_ctx *ctx = test_ctx();
 *       ASSERT_OK(ctx, snug_thing_do(ctx));
 *     }
 *
 * Each folder <area> becomes one executable, build/tests/<area>; each TEST is known to CTest as
 * <area>/<file>.<name> and runs in a process of its own.  By hand: `build/tests/unit vec` runs a
 * file, `build/tests/unit vec.push` one test, `--list` lists.
 *
 * A test fails if a block is left over, a byte beside a block was written, or a block is given back
 * with a size that is not its own (see lib/guard.h), whatever else it asserted. */
#ifndef SNUG_TESTS_TEST_H
#define SNUG_TESTS_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/guard.h"
#include "snug/tools.h"

struct test_entry {
  const char *name, *file;
  int line;
  void (*body)(void);
  struct test_entry *next;
};

void test_register(struct test_entry *entry);

#define TEST(name)                                                                           \
  static void test_body_##name(void);                                                        \
  static struct test_entry test_entry_##name = {#name, __FILE__, __LINE__, test_body_##name, \
                                                NULL};                                       \
  __attribute__((constructor)) static void test_add_##name(void) {                           \
    test_register(&test_entry_##name);                                                       \
  }                                                                                          \
  static void test_body_##name(void)

/* A new context on the guarded allocator, with the defaults or with options (whose allocator, if
 * not NULL, is used instead).  The runner destroys it after the test; everything made from it must
 * be gone by then. */
snug_ctx *test_ctx(void);
snug_ctx *test_ctx_with(const snug_options *options);

/* Destroy a context of the test's before the runner does. */
void test_ctx_end(snug_ctx *ctx);

/* The guarded allocator of the running test, for tests that create contexts themselves. */
const snug_allocator *test_allocator(void);
test_guard *test_current_guard(void);

/* Leave the test: failed with a message, or skipped with a reason. */
_Noreturn void test_fail(const char *file, int line, const char *format, ...) SNUG_PRINTF(3, 4);
_Noreturn void test_skip(const char *reason);

/* Random numbers of the running test: the same for the same seed and test, whatever ran before.
 * The seed is printed, and is taken from the environment variable SNUG_TEST_SEED if that is set. */
uint64_t test_random_seed(void);
uint64_t test_random_u64(void);
int64_t test_random_between(int64_t low, int64_t high); /* both included */
double test_random_unit(void);                          /* in [0, 1) */
void test_random_floats(float *out, size_t n, float low, float high);
void test_random_bytes(void *out, size_t n);

/* A path for a file of this test; the folder is removed after the test.  Valid until then. */
const char *test_path(const char *name);

/* Checks behind the macros below. */
void test_check_true(bool ok, const char *text, const char *file, int line);
void test_check_int(long long a, long long b, const char *texts, const char *file, int line);
void test_check_uint(unsigned long long a, unsigned long long b, const char *texts,
                     const char *file, int line);
void test_check_near(double a, double b, double tolerance, const char *texts, const char *file,
                     int line);
void test_check_text(const char *a, const char *b, const char *texts, const char *file, int line);
void test_check_has(const char *text, const char *part, const char *file, int line);
void test_check_bytes(const void *a, const void *b, size_t n, const char *texts, const char *file,
                      int line);
void test_check_status(const snug_ctx *ctx, snug_status got, snug_status expected, const char *part,
                       const char *text, const char *file, int line);

#define ASSERT_TRUE(x) test_check_true((x), #x, __FILE__, __LINE__)
#define ASSERT_FALSE(x) test_check_true(!(x), "not " #x, __FILE__, __LINE__)
#define ASSERT_NULL(p) test_check_true((p) == NULL, #p " is NULL", __FILE__, __LINE__)
#define ASSERT_NOT_NULL(p) test_check_true((p) != NULL, #p " is not NULL", __FILE__, __LINE__)
#define ASSERT_EQ_INT(a, b) \
  test_check_int((long long)(a), (long long)(b), #a " == " #b, __FILE__, __LINE__)
#define ASSERT_EQ_UINT(a, b)                                                                \
  test_check_uint((unsigned long long)(a), (unsigned long long)(b), #a " == " #b, __FILE__, \
                  __LINE__)
#define ASSERT_NEAR(a, b, tolerance) \
  test_check_near((double)(a), (double)(b), (double)(tolerance), #a " ~ " #b, __FILE__, __LINE__)
#define ASSERT_EQ_TEXT(a, b) test_check_text((a), (b), #a " == " #b, __FILE__, __LINE__)
#define ASSERT_HAS(text, part) test_check_has((text), (part), __FILE__, __LINE__)
#define ASSERT_EQ_BYTES(a, b, n) test_check_bytes((a), (b), (n), #a " == " #b, __FILE__, __LINE__)

/* A status that must be OK; prints the message of the context if it is not. */
#define ASSERT_OK(ctx, status) \
  test_check_status((ctx), (status), SNUG_OK, NULL, #status, __FILE__, __LINE__)

/* A status that must be a certain failure, with a message that has `part` in it (NULL: any). */
#define ASSERT_STATUS(ctx, status, expected, part) \
  test_check_status((ctx), (status), (expected), (part), #status, __FILE__, __LINE__)

#endif
