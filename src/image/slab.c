#include "image/slab.h"

snug__slab snug__slab_of(void *memory, size_t bytes) {
  size_t skip = (size_t)(-(uintptr_t)memory % SNUG__SLAB_ALIGN);
  size_t usable = bytes > skip ? (bytes - skip) / SNUG__SLAB_ALIGN * SNUG__SLAB_ALIGN : 0;
  return (snug__slab){usable ? (uint8_t *)memory + skip : NULL, usable, 0, 0};
}

void *snug__slab_take(snug__slab *slab, size_t bytes) {
  if (bytes > slab->bytes - slab->used) {
    return NULL;
  }
  void *piece = slab->base + slab->used;
  slab->used += snug__slab_cost(bytes); /* base and bytes are multiples: it cannot pass the end */
  slab->most = slab->used > slab->most ? slab->used : slab->most;
  return piece;
}
