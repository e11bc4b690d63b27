/* The allocator that contexts have by default. */
#include "base/heap.h"
#include "lib/mallocs.h"

#include <string.h>

#include "base/process.h"
#include "lib/test.h"

#define KIB 1024ull
#define MIB 1048576ull

static void *resize(void *p, size_t from, size_t to) {
  return snug__heap.realloc(snug__heap.ctx, p, from, to);
}

static void fill(unsigned char *p, size_t n) {
  for (size_t i = 0; i < n; i++) {
    p[i] = (unsigned char)(i * 131 + i / 4096);
  }
}

static bool is_filled(const unsigned char *p, size_t n) {
  size_t i = 0;
  while (i < n && p[i] == (unsigned char)(i * 131 + i / 4096)) {
    i++;
  }
  return i == n;
}

/* Small to large and back, through sizes on both sides of where pages begin. */
TEST(content_survives_every_change_of_size) {
  const size_t sizes[] = {1, 100, 128 * KIB - 1, 128 * KIB, 5 * MIB, 300 * KIB, 40, 9 * MIB, 7};
  unsigned char *p = resize(NULL, 0, 1);
  ASSERT_NOT_NULL(p);
  fill(p, 1);
  for (size_t i = 1; i < sizeof sizes / sizeof sizes[0]; i++) {
    size_t kept = sizes[i - 1] < sizes[i] ? sizes[i - 1] : sizes[i];
    p = resize(p, sizes[i - 1], sizes[i]);
    ASSERT_NOT_NULL(p);
    ASSERT_EQ_UINT((uintptr_t)p % 16, 0);
    ASSERT_TRUE(is_filled(p, kept));
    fill(p, sizes[i]);
  }
  ASSERT_NULL(resize(p, sizes[8], 0));
  ASSERT_NULL(resize(NULL, 0, 0));
}

TEST(what_no_system_has_is_refused_and_changes_nothing) {
  if (!test_mallocs_work()) {
    test_skip("a sanitizer ends the process instead");
  }
  unsigned char *p = resize(NULL, 0, MIB);
  ASSERT_NOT_NULL(p);
  fill(p, MIB);
  ASSERT_NULL(resize(p, MIB, (size_t)1 << 60));
  ASSERT_NULL(resize(NULL, 0, (size_t)1 << 60));
  ASSERT_TRUE(is_filled(p, MIB));
  resize(p, MIB, 0);
}

TEST(large_pieces_go_back_to_the_system_at_once) {
#if defined(__SANITIZE_ADDRESS__)
  test_skip("a sanitizer keeps what is given back");
#endif
  snug__process before, held, after;
  ASSERT_TRUE(snug__process_read("", &before));
  unsigned char *p = resize(NULL, 0, 32 * MIB);
  ASSERT_NOT_NULL(p);
  memset(p, 1, 32 * MIB);
  ASSERT_TRUE(snug__process_read("", &held));
  resize(p, 32 * MIB, 0);
  ASSERT_TRUE(snug__process_read("", &after));
  ASSERT_TRUE(held.anonymous >= before.anonymous + 31 * MIB);
  ASSERT_TRUE(after.anonymous <= before.anonymous + MIB);
}

TEST(what_there_is_not_is_told) {
  ASSERT_TRUE(snug__heap_has(1));
  ASSERT_TRUE(snug__heap_has(16 * MIB));
  ASSERT_FALSE(snug__heap_has(SIZE_MAX / 2));
}
