#include "model/variables.h"

#include <string.h>

_Static_assert(SNUG__MAP_NONE == SNUG_NONE, "a name that is not there");

#define MAX_VARIABLES (1u << 22)

void snug__variables_init(snug__variables *v, snug_ctx *ctx) {
  *v = (snug__variables){.ctx = ctx};
  snug__arena_init(&v->arena, ctx, SNUG__MEM_MODEL);
  snug__vec_init(&v->list, ctx, SNUG__MEM_MODEL, sizeof(snug__variable), MAX_VARIABLES);
  snug__map_init(&v->names, ctx, SNUG__MEM_MODEL);
}

void snug__variables_release(snug__variables *v) {
  snug__map_release(&v->names);
  snug__vec_release(&v->list);
  snug__arena_release(&v->arena);
  snug__give(v->ctx, SNUG__MEM_MODEL, v->staging, (size_t)v->staging_bytes);
}

snug__id snug__variables_find(const snug__variables *v, const char *name) {
  return snug__map_find(&v->names, name);
}

snug_status snug__variables_add(snug__variables *v, const snug__variable *variable, snug__id *out) {
  snug__variable copy = *variable;
  char text[SNUG__TYPE_TEXT_BYTES];
  *out = SNUG_NONE;
  if (snug__variables_find(v, variable->name) != SNUG_NONE) {
    return snug__fail(v->ctx, SNUG_E_ARGUMENT, "there is a variable named '%s' already",
                      variable->name);
  }
  if (!snug__type_is_valid(&variable->type)) {
    return snug__fail(v->ctx, SNUG_E_SHAPE, "%s: %s is not a possible shape", variable->name,
                      snug__type_text(&variable->type, text));
  }
  SNUG_TRY(snug__arena_text(&v->arena, variable->name, &copy.name));
  SNUG_TRY(snug__arena_text(&v->arena, variable->layer, &copy.layer));
  SNUG_TRY(snug__vec_reserve(&v->list, 1));
  SNUG_TRY(snug__map_set(&v->names, copy.name, (snug__id)v->list.n));
  SNUG_TRY(snug__vec_push(&v->list, &copy, 1));
  *out = (snug__id)v->list.n - 1;
  return SNUG_OK;
}

/* Point the names of the entries from `first` on to their places, or to nothing. */
static void point_names(snug__variables *v, size_t first, bool to_entries) {
  for (size_t i = first; i < v->list.n; i++) {
    const char *name = snug__variable_at(v, (snug__id)i)->name;
    snug_status known = snug__map_set(&v->names, name, to_entries ? (snug__id)i : SNUG_NONE);
    (void)known; /* cannot fail for a name that was set before */
  }
}

void snug__variables_cut(snug__variables *v, size_t n) {
  point_names(v, n, false);
  v->list.n = n;
}

void snug__variables_restore(snug__variables *v, const snug__variable *entries, size_t n) {
  size_t first = v->list.n;
  if (n) {
    memcpy((snug__variable *)v->list.data + first, entries, n * sizeof *entries);
  }
  v->list.n += n;
  point_names(v, first, true);
}
