#include "lib/guard.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/poison.h"

#define BAND 64u
#define BAND_BYTE 0xC3
#define NEW_BYTE 0xA5
#define FREED_BYTE 0xDD
#define MAGIC UINT64_C(0x51A6B10C51A6B10C)

/* Lies before the front band of its block: block | front band | memory | back band. */
struct test_guard_block {
  uint64_t magic;
  size_t bytes;
  int64_t request; /* its number, from 0 */
  struct test_guard_block *previous, *next;
  uint64_t pad[3]; /* keeps the memory aligned as malloc's is */
};

typedef struct test_guard_block block;

static unsigned char *memory_of(block *b) { return (unsigned char *)(b + 1) + BAND; }
static block *block_of(void *memory) { return (block *)(void *)((char *)memory - BAND) - 1; }

static void note(test_guard *g, const char *format, ...) SNUG_PRINTF(2, 3);
static void note(test_guard *g, const char *format, ...) {
  if (!g->problem[0]) {
    va_list args;
    va_start(args, format);
    vsnprintf(g->problem, sizeof g->problem, format, args);
    va_end(args);
  }
}

/* The number of bytes from the memory to the first broken one in a band, or -1. */
static long find_broken(const unsigned char *band) {
  for (unsigned i = 0; i < BAND; i++) {
    if (band[i] != BAND_BYTE) {
      return (long)i;
    }
  }
  return -1;
}

static void set_bands(block *b) {
  unsigned char *memory = memory_of(b);
  memset(memory - BAND, BAND_BYTE, BAND);
  memset(memory + b->bytes, BAND_BYTE, BAND);
  ASAN_POISON_MEMORY_REGION(memory - BAND, BAND);
  ASAN_POISON_MEMORY_REGION(memory + b->bytes, BAND);
}

static void check_bands(test_guard *g, block *b) {
  unsigned char *memory = memory_of(b);
  ASAN_UNPOISON_MEMORY_REGION(memory - BAND, BAND);
  ASAN_UNPOISON_MEMORY_REGION(memory + b->bytes, BAND);
  long before = find_broken(memory - BAND);
  long after = find_broken(memory + b->bytes);
  if (before >= 0) {
    note(g, "broken guard: byte %ld before a block of %zu bytes (request #%lld) was written",
         (long)BAND - before, b->bytes, (long long)b->request);
  } else if (after >= 0) {
    note(g, "broken guard: byte %ld after a block of %zu bytes (request #%lld) was written",
         after + 1, b->bytes, (long long)b->request);
  }
}

static bool is_refused(test_guard *g) {
  int64_t request = g->n_requests++;
  bool refused =
      g->fail_at >= 0 && (request == g->fail_at || (g->fail_later_too && request > g->fail_at));
  g->n_refused += refused;
  return refused;
}

static block *take(test_guard *g, size_t bytes) {
  if (bytes > SIZE_MAX / 2) {
    return NULL;
  }
  block *b = malloc(sizeof *b + 2 * BAND + bytes);
  if (!b) {
    return NULL;
  }
  *b = (block){.magic = MAGIC, .bytes = bytes, .request = g->n_requests - 1, .next = g->first};
  if (g->first) {
    g->first->previous = b;
  }
  g->first = b;
  g->n_live++;
  memset(memory_of(b), NEW_BYTE, bytes);
  set_bands(b);
  return b;
}

static void drop(test_guard *g, block *b) {
  check_bands(g, b);
  *(b->previous ? &b->previous->next : &g->first) = b->next;
  if (b->next) {
    b->next->previous = b->previous;
  }
  g->n_live--;
  memset(b, FREED_BYTE, sizeof *b + 2 * BAND + b->bytes);
  free(b);
}

/* Whether ptr is a live block of old_bytes; notes what is wrong otherwise. */
static bool is_known(test_guard *g, void *ptr, size_t old_bytes) {
  block *b = block_of(ptr);
  if (b->magic != MAGIC) {
    note(g, "a pointer that is not a live block was given back or resized");
    return false;
  }
  if (b->bytes != old_bytes) {
    note(g, "wrong old size: %zu was given for a block of %zu bytes (request #%lld)", old_bytes,
         b->bytes, (long long)b->request);
  }
  return true;
}

static void *guard_realloc(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes) {
  test_guard *g = ctx;
  if (!ptr && old_bytes) {
    note(g, "wrong old size: %zu was given with a NULL pointer", old_bytes);
  }
  if (ptr && !is_known(g, ptr, old_bytes)) {
    return NULL;
  }
  block *fresh = NULL;
  if (new_bytes) {
    fresh = is_refused(g) ? NULL : take(g, new_bytes);
    if (!fresh) {
      return NULL;
    }
  }
  if (ptr) {
    block *old = block_of(ptr);
    if (fresh) {
      memcpy(memory_of(fresh), ptr, old->bytes < new_bytes ? old->bytes : new_bytes);
    }
    drop(g, old);
  }
  return fresh ? memory_of(fresh) : NULL;
}

void test_guard_init(test_guard *g) {
  memset(g, 0, sizeof *g);
  g->fail_at = -1;
  g->allocator = (snug_allocator){g, guard_realloc};
}

static void note_leak(test_guard *g) {
  const block *oldest = g->first;
  size_t bytes = 0;
  for (const block *b = g->first; b; b = b->next) {
    bytes += b->bytes;
    oldest = b;
  }
  note(g, "leak: %zu blocks, %zu bytes; the oldest has %zu bytes (request #%lld)", g->n_live, bytes,
       oldest->bytes, (long long)oldest->request);
}

const char *test_guard_finish(test_guard *g) {
  for (block *b = g->first; b; b = b->next) {
    check_bands(g, b);
  }
  if (g->first) {
    note_leak(g);
  }
  test_guard_drop(g);
  return g->problem;
}

void test_guard_drop(test_guard *g) {
  while (g->first) {
    drop(g, g->first);
  }
}
