#include "base/heap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* From here on a piece is pages of its own.  (Sanitizers watch what malloc gives.) */
#if defined(__SANITIZE_ADDRESS__)
#define LARGE SIZE_MAX
#else
#define LARGE ((size_t)128 << 10)
#endif

/* Of these all bytes are used, so larger pages do not make them larger: they are there four times
 * as fast, and are found by fewer entries. */
#define HUGE ((size_t)8 << 20)

static void *take_pages(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    return NULL;
  }
#ifdef MADV_HUGEPAGE
  if (bytes >= HUGE) {
    madvise(p, bytes, MADV_HUGEPAGE); /* a wish: a system without them says no */
  }
#endif
  return p;
}

static void *take(size_t bytes) { return bytes < LARGE ? malloc(bytes) : take_pages(bytes); }

static void give(void *ptr, size_t bytes) {
  if (bytes < LARGE) {
    free(ptr);
  } else {
    munmap(ptr, bytes);
  }
}

static void *move(void *ptr, size_t old_bytes, size_t new_bytes) {
  void *moved = take(new_bytes);
  if (moved) {
    memcpy(moved, ptr, old_bytes < new_bytes ? old_bytes : new_bytes);
    give(ptr, old_bytes);
  }
  return moved;
}

static void *resize(void *ptr, size_t old_bytes, size_t new_bytes) {
  if (old_bytes < LARGE && new_bytes < LARGE) {
    return realloc(ptr, new_bytes);
  }
  if (old_bytes < LARGE || new_bytes < LARGE) {
    return move(ptr, old_bytes, new_bytes);
  }
  void *moved = mremap(ptr, old_bytes, new_bytes, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? NULL : moved;
}

static void *heap_realloc(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes) {
  (void)ctx;
  if (new_bytes == 0) {
    if (ptr) {
      give(ptr, old_bytes);
    }
    return NULL;
  }
  return ptr ? resize(ptr, old_bytes, new_bytes) : take(new_bytes);
}

const snug_allocator snug__heap = {NULL, heap_realloc};

bool snug__heap_has(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p != MAP_FAILED && munmap(p, bytes) == 0;
}

void snug__heap_trim(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
