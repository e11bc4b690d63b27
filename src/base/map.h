/* A map from names to numbers.  The names are not copied: they must live as long as the map.
 * init cannot fail and allocates nothing; entries are never taken out. */
#ifndef SNUG_BASE_MAP_H
#define SNUG_BASE_MAP_H

#include "base/ctx.h"

#define SNUG__MAP_NONE UINT32_MAX

struct snug__map_entry;

typedef struct snug__map {
  snug_ctx *ctx;
  snug__account_name name;
  struct snug__map_entry *entries;
  size_t n;        /* entries in use */
  size_t capacity; /* a power of two, or 0 */
} snug__map;

void snug__map_init(snug__map *m, snug_ctx *ctx, snug__account_name name);
void snug__map_release(snug__map *m);

/* The number of a name, or SNUG__MAP_NONE. */
uint32_t snug__map_find(const snug__map *m, const char *key);

/* Set the number of a name.  Fails: E_MEMORY, only for a name that was never set; unchanged. */
snug_status snug__map_set(snug__map *m, const char *key, uint32_t value) SNUG_NODISCARD;

#endif
