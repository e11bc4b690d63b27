#include "lib/fence.h"

#include <stdlib.h>
#include <string.h>

#include "lib/poison.h"
#include "lib/test.h"

#define ALIGN 64u
#define FENCE 128u
#define FENCE_BYTE 0xA5

static size_t whole(size_t bytes) { return (bytes + 2 * FENCE + ALIGN - 1) / ALIGN * ALIGN; }

void *test_fence_new(size_t bytes, int fill) {
  unsigned char *p = aligned_alloc(ALIGN, whole(bytes));
  ASSERT_NOT_NULL(p);
  memset(p, FENCE_BYTE, whole(bytes));
  memset(p + FENCE, fill, bytes);
  ASAN_POISON_MEMORY_REGION(p, FENCE);
  ASAN_POISON_MEMORY_REGION(p + FENCE + bytes, FENCE);
  return p + FENCE;
}

static void open_fences(unsigned char *p, size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(p - FENCE, bytes + 2 * FENCE);
}

void test_fence_check(const void *data, size_t bytes, const char *what) {
  unsigned char *p = (unsigned char *)(uintptr_t)data;
  open_fences(p, bytes);
  for (size_t i = 0; i < FENCE; i++) {
    if ((p - FENCE)[i] != FENCE_BYTE || p[bytes + i] != FENCE_BYTE) {
      test_fail(__FILE__, __LINE__, "%s: wrote outside of its %zu bytes", what, bytes);
    }
  }
  ASAN_POISON_MEMORY_REGION(p - FENCE, FENCE);
  ASAN_POISON_MEMORY_REGION(p + bytes, FENCE);
}

void test_fence_free(void *data, size_t bytes) {
  if (data) {
    open_fences(data, bytes);
    free((unsigned char *)data - FENCE);
  }
}
