#include "image/readers.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "image/slab.h"

/* One reader, and behind it the bytes that libjpeg takes with malloc: they stay unused here, and
 * are counted for those. */
typedef struct place {
  atomic_bool is_taken;
  snug__jpeg *reader;
} place;

struct snug__readers {
  snug_ctx *ctx;
  size_t bytes; /* of all */
  int32_t n;
  int32_t n_made;
  place places[];
};

static size_t one_bytes(void) {
  return sizeof(place) + snug__slab_cost(snug__jpeg_bytes()) + SNUG__JPEG_OWN_BYTES;
}

snug_status snug__readers_create(snug_ctx *ctx, int32_t n, snug__readers **out) {
  size_t bytes = sizeof(snug__readers) + (size_t)n * one_bytes() + SNUG__SLAB_ALIGN;
  snug__readers *r = NULL;
  snug__why why;
  *out = NULL;
  SNUG_TRY(snug__take(ctx, SNUG__MEM_DATA, bytes, (void **)&r));
  r->ctx = ctx;
  r->bytes = bytes;
  r->n = n;
  char *behind = (char *)&r->places[n];
  snug__slab slab = snug__slab_of(behind, bytes - (size_t)(behind - (char *)r));
  snug_status s = SNUG_OK;
  for (int32_t i = 0; !s && i < n; i++) {
    r->places[i].reader = snug__slab_take(&slab, snug__jpeg_bytes());
    s = snug__jpeg_begin(r->places[i].reader, &why);
    r->n_made += s == SNUG_OK;
  }
  if (s) {
    snug__readers_destroy(r);
    return snug__fail(ctx, s, "%s", why.text);
  }
  *out = r;
  return SNUG_OK;
}

void snug__readers_destroy(snug__readers *r) {
  if (r) {
    for (int32_t i = 0; i < r->n_made; i++) {
      snug__jpeg_end(r->places[i].reader);
    }
    snug__give(r->ctx, SNUG__MEM_DATA, r, r->bytes);
  }
}

snug__jpeg *snug__readers_take(snug__readers *r) {
  for (int32_t i = 0;; i = (i + 1) % r->n) {
    if (!atomic_exchange_explicit(&r->places[i].is_taken, true, memory_order_acquire)) {
      return r->places[i].reader;
    }
    if (i == r->n - 1) {
      sched_yield();
    }
  }
}

void snug__readers_give(snug__readers *r, snug__jpeg *reader) {
  for (int32_t i = 0; i < r->n; i++) {
    if (r->places[i].reader == reader) {
      atomic_store_explicit(&r->places[i].is_taken, false, memory_order_release);
    }
  }
}
