/* Memory of the caller's, given out from front to back: where all that an image library asks for
 * comes from.  Nothing is given back piece by piece; the next image begins at the front. */
#ifndef SNUG_IMAGE_SLAB_H
#define SNUG_IMAGE_SLAB_H

#include <stddef.h>
#include <stdint.h>

#define SNUG__SLAB_ALIGN 64 /* vector code of the libraries wants 32, cache lines 64 */

typedef struct snug__slab {
  uint8_t *base;
  size_t bytes, used;
  size_t most; /* that were ever in use */
} snug__slab;

/* The memory need not be aligned: up to SNUG__SLAB_ALIGN bytes of it are lost then. */
snug__slab snug__slab_of(void *memory, size_t bytes);

/* NULL if there is not so much left. */
void *snug__slab_take(snug__slab *slab, size_t bytes);

static inline void snug__slab_clear(snug__slab *slab) { slab->used = 0; }

/* What a piece costs. */
static inline size_t snug__slab_cost(size_t bytes) {
  return (bytes + SNUG__SLAB_ALIGN - 1) / SNUG__SLAB_ALIGN * SNUG__SLAB_ALIGN;
}

#endif
