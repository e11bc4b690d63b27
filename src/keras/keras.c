/* The record that a model keeps of its file. */
#include "keras/keras.h"

#include <string.h>

#include "base/number.h"

#define MOST_PLACES (1u << 20)

/* What the version that wrote a file ("3.12.4") does otherwise than the newest; "" is the newest.
 */
static snug__habits habits_of(const char *version) {
  int64_t major = 0;
  int64_t minor = 0;
  bool known = snug__read_int(&version, &major) && *version++ == '.' &&
               snug__read_int(&version, &minor) && major == 3;
  return (snug__habits){.whole_activity = known && minor < 14,
                        .merges_unmask = known && minor < 4,
                        .equal_batches = known && minor < 2,
                        .unmasked_metrics = known && minor < 12};
}

snug_status snug__keras_create(snug_model *m, const char *config, size_t config_bytes,
                               const char *version) {
  snug__keras *k = NULL;
  void *text = NULL;
  SNUG_TRY(SNUG_NEW(m->ctx, SNUG__MEM_MODEL, &k));
  snug__arena_init(&k->arena, m->ctx, SNUG__MEM_MODEL);
  snug__vec_init(&k->places, m->ctx, SNUG__MEM_MODEL, sizeof(snug__keras_place), MOST_PLACES);
  m->keras = k;
  m->habits = m->proto.habits = habits_of(version);
  SNUG_TRY(snug__arena_text(&k->arena, version, &k->version));
  SNUG_TRY(snug__arena_take(&k->arena, config_bytes + 1, &text));
  memcpy(text, config, config_bytes); /* the arena's memory is zeroed: it ends in NUL */
  k->config = text;
  k->config_bytes = config_bytes;
  return SNUG_OK;
}

void snug__keras_destroy(snug_model *m) {
  snug__keras *k = m->keras;
  if (!k) {
    return;
  }
  snug__vec_release(&k->places);
  snug__arena_release(&k->arena);
  snug__give(m->ctx, SNUG__MEM_MODEL, k, sizeof *k);
  m->keras = NULL;
}

snug_status snug__keras_add_place(snug_model *m, const char *path, const char *name,
                                  uint32_t layer) {
  snug__keras_place place = {.layer = layer};
  SNUG_TRY(snug__arena_text(&m->keras->arena, path, &place.path));
  SNUG_TRY(snug__arena_text(&m->keras->arena, name, &place.name));
  return snug__vec_push(&m->keras->places, &place, 1);
}
