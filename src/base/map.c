/* Open addressing with linear steps, at most half full. */
#include "base/map.h"

#include <stdbool.h>
#include <string.h>

#define FIRST_CAPACITY 16

typedef struct snug__map_entry {
  const char *key; /* NULL: free */
  uint32_t hash;
  uint32_t value;
} entry;

void snug__map_init(snug__map *m, snug_ctx *ctx, snug__account_name name) {
  *m = (snug__map){.ctx = ctx, .name = name};
}

void snug__map_release(snug__map *m) {
  SNUG_GIVE_ARRAY(m->ctx, m->name, m->entries, m->capacity);
  snug__map_init(m, m->ctx, m->name);
}

/* FNV-1a */
static uint32_t hash_of(const char *key) {
  uint32_t h = UINT32_C(2166136261);
  for (; *key; key++) {
    h = (h ^ (unsigned char)*key) * UINT32_C(16777619);
  }
  return h;
}

/* The entry of a key, or the free one where it belongs. */
static entry *slot(entry *entries, size_t capacity, const char *key, uint32_t hash) {
  size_t i = hash & (capacity - 1);
  while (entries[i].key && (entries[i].hash != hash || strcmp(entries[i].key, key) != 0)) {
    i = (i + 1) & (capacity - 1);
  }
  return &entries[i];
}

uint32_t snug__map_find(const snug__map *m, const char *key) {
  if (!m->n) {
    return SNUG__MAP_NONE;
  }
  const entry *e = slot(m->entries, m->capacity, key, hash_of(key));
  return e->key ? e->value : SNUG__MAP_NONE;
}

static snug_status grow(snug__map *m) {
  size_t capacity = m->capacity ? 2 * m->capacity : FIRST_CAPACITY;
  entry *entries = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, m->name, capacity, &entries));
  for (size_t i = 0; i < m->capacity; i++) {
    if (m->entries[i].key) {
      *slot(entries, capacity, m->entries[i].key, m->entries[i].hash) = m->entries[i];
    }
  }
  SNUG_GIVE_ARRAY(m->ctx, m->name, m->entries, m->capacity);
  m->entries = entries;
  m->capacity = capacity;
  return SNUG_OK;
}

snug_status snug__map_set(snug__map *m, const char *key, uint32_t value) {
  uint32_t hash = hash_of(key);
  bool known = m->capacity && slot(m->entries, m->capacity, key, hash)->key;
  if (!known && 2 * (m->n + 1) > m->capacity) {
    SNUG_TRY(grow(m));
  }
  entry *e = slot(m->entries, m->capacity, key, hash);
  m->n += !known;
  *e = (entry){known ? e->key : key, hash, value};
  return SNUG_OK;
}
