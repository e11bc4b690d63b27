/* Chunks double from 1 KiB up to 64 KiB; a larger piece gets a chunk of its own size. */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/size.h"

#define FIRST_CHUNK 1024u
#define LARGEST_CHUNK 65536u

struct snug__arena_chunk {
  struct snug__arena_chunk *next;
  size_t bytes; /* of the whole chunk, this header included */
  size_t used;
};

#define HEADER                                                                            \
  ((sizeof(struct snug__arena_chunk) + alignof(max_align_t) - 1) / alignof(max_align_t) * \
   alignof(max_align_t))

void snug__arena_init(snug__arena *a, snug_ctx *ctx, snug__account_name name) {
  *a = (snug__arena){.ctx = ctx, .name = name};
}

void snug__arena_release(snug__arena *a) {
  while (a->chunks) {
    struct snug__arena_chunk *chunk = a->chunks;
    a->chunks = chunk->next;
    snug__give(a->ctx, a->name, chunk, chunk->bytes);
  }
}

static size_t next_chunk_bytes(const snug__arena *a, size_t needed) {
  size_t bytes = a->chunks ? a->chunks->bytes * 2 : FIRST_CHUNK;
  bytes = bytes > LARGEST_CHUNK ? LARGEST_CHUNK : bytes;
  bytes = bytes < a->least_chunk ? a->least_chunk : bytes;
  return needed > bytes ? needed : bytes;
}

static snug_status add_chunk(snug__arena *a, size_t piece) {
  struct snug__arena_chunk *chunk = NULL;
  size_t bytes = next_chunk_bytes(a, piece + HEADER);
  SNUG_TRY(snug__take(a->ctx, a->name, bytes, (void **)&chunk));
  *chunk = (struct snug__arena_chunk){.next = a->chunks, .bytes = bytes, .used = HEADER};
  a->chunks = chunk;
  return SNUG_OK;
}

snug_status snug__arena_take(snug__arena *a, size_t bytes, void **out) {
  const size_t align = alignof(max_align_t);
  *out = NULL;
  if (bytes > SIZE_MAX / 4) {
    return snug__fail(a->ctx, SNUG_E_OVERFLOW, "a piece of %zu bytes of %s is too large", bytes,
                      snug__account_text(a->name));
  }
  size_t piece = bytes ? (bytes + align - 1) / align * align : align;
  if (!a->chunks || a->chunks->bytes - a->chunks->used < piece) {
    SNUG_TRY(add_chunk(a, piece));
  }
  *out = (char *)a->chunks + a->chunks->used;
  a->chunks->used += piece;
  return SNUG_OK;
}

snug_status snug__arena_text(snug__arena *a, const char *text, const char **out) {
  size_t bytes = strlen(text) + 1;
  void *copy = NULL;
  *out = NULL;
  SNUG_TRY(snug__arena_take(a, bytes, &copy));
  memcpy(copy, text, bytes);
  *out = copy;
  return SNUG_OK;
}
