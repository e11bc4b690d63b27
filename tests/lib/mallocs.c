#include "lib/mallocs.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define HAS_COUNTING 0
#elif defined(__has_feature)
#define HAS_COUNTING                                                        \
  (!__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && \
   !__has_feature(memory_sanitizer))
#else
#define HAS_COUNTING 1
#endif

static atomic_bool is_counting;
static atomic_llong n_taken, n_freed, n_bytes;

bool test_mallocs_work(void) { return HAS_COUNTING; }

void test_mallocs_start(void) {
  atomic_store(&n_taken, 0);
  atomic_store(&n_freed, 0);
  atomic_store(&n_bytes, 0);
  atomic_store(&is_counting, true);
}

test_mallocs test_mallocs_stop(void) {
  atomic_store(&is_counting, false);
  return (test_mallocs){atomic_load(&n_taken), atomic_load(&n_freed), atomic_load(&n_bytes)};
}

#if HAS_COUNTING

/* glibc's allocator under the names that it keeps for those who replace the usual ones. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *ptr, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *ptr);

static void count_taken(size_t bytes) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add(&n_taken, 1);
    atomic_fetch_add(&n_bytes, (long long)bytes);
  }
}

static void count_freed(const void *ptr) {
  if (ptr && atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add(&n_freed, 1);
  }
}

void *malloc(size_t bytes) {
  count_taken(bytes);
  return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes) {
  count_taken(n * bytes);
  return __libc_calloc(n, bytes);
}

void *realloc(void *ptr, size_t bytes) {
  count_freed(ptr);
  count_taken(bytes);
  return __libc_realloc(ptr, bytes);
}

void free(void *ptr) {
  count_freed(ptr);
  __libc_free(ptr);
}

void *memalign(size_t align, size_t bytes);
void *memalign(size_t align, size_t bytes) {
  count_taken(bytes);
  return __libc_memalign(align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes) { return memalign(align, bytes); }

int posix_memalign(void **out, size_t align, size_t bytes) {
  if (align < sizeof(void *) || (align & (align - 1)) != 0) {
    return EINVAL;
  }
  void *p = memalign(align, bytes);
  *out = p ? p : *out;
  return p ? 0 : ENOMEM;
}

#endif
