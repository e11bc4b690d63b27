#include "lib/mallocs.h"

#include <errno.h>
#include <malloc.h>
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
static atomic_llong held, most_held; /* bytes of blocks, as the allocator cuts them */

bool test_mallocs_work(void) { return HAS_COUNTING; }

void test_mallocs_start(void) {
  atomic_store(&n_taken, 0);
  atomic_store(&n_freed, 0);
  atomic_store(&n_bytes, 0);
  atomic_store(&held, 0);
  atomic_store(&most_held, 0);
  atomic_store(&is_counting, true);
}

test_mallocs test_mallocs_stop(void) {
  atomic_store(&is_counting, false);
  return (test_mallocs){atomic_load(&n_taken), atomic_load(&n_freed), atomic_load(&n_bytes),
                        atomic_load(&held), atomic_load(&most_held)};
}

#if HAS_COUNTING

/* glibc's allocator under the names that it keeps for those who replace the usual ones. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *ptr, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *ptr);

static void *count_taken(size_t bytes, void *block) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed) && block) {
    atomic_fetch_add(&n_taken, 1);
    atomic_fetch_add(&n_bytes, (long long)bytes);
    long long size = (long long)malloc_usable_size(block);
    long long now = atomic_fetch_add(&held, size) + size;
    long long most = atomic_load(&most_held);
    while (now > most && !atomic_compare_exchange_weak(&most_held, &most, now)) {
    }
  }
  return block;
}

static void count_freed(void *ptr) {
  if (ptr && atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add(&n_freed, 1);
    atomic_fetch_sub(&held, (long long)malloc_usable_size(ptr));
  }
}

/* Seen by shared libraries too: what they ask for counts. */
#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t bytes) { return count_taken(bytes, __libc_malloc(bytes)); }

EXPORTED void *calloc(size_t n, size_t bytes) {
  return count_taken(n * bytes, __libc_calloc(n, bytes));
}

EXPORTED void *realloc(void *ptr, size_t bytes) {
  count_freed(ptr);
  return count_taken(bytes, __libc_realloc(ptr, bytes));
}

EXPORTED void free(void *ptr) {
  count_freed(ptr);
  __libc_free(ptr);
}

EXPORTED void *memalign(size_t align, size_t bytes);
void *memalign(size_t align, size_t bytes) {
  return count_taken(bytes, __libc_memalign(align, bytes));
}

EXPORTED void *aligned_alloc(size_t align, size_t bytes) { return memalign(align, bytes); }

EXPORTED int posix_memalign(void **out, size_t align, size_t bytes) {
  if (align < sizeof(void *) || (align & (align - 1)) != 0) {
    return EINVAL;
  }
  void *p = memalign(align, bytes);
  *out = p ? p : *out;
  return p ? 0 : ENOMEM;
}

#endif
