/* The classes of a label of texts. */
#include <string.h>

#include "data/csv.h"
#include "data/stream.h"

#define NAME_BYTES 256

snug_status snug__csv_add_class(snug__csv *c, const snug__csv_field *f) {
  char name[NAME_BYTES];
  const char *kept = NULL;
  snug__csv_text(f, name, sizeof name);
  if (c->names.n == SNUG__CSV_CLASSES || snug__map_find(&c->classes, name) != SNUG__MAP_NONE) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__arena_text(c->arena, name, &kept));
  SNUG_TRY(snug__vec_push(&c->names, &kept, 1));
  return snug__map_set(&c->classes, kept, 0);
}

static void sift(const char **names, size_t from, size_t n) {
  for (size_t child; (child = 2 * from + 1) < n; from = child) {
    child += child + 1 < n && strcmp(names[child], names[child + 1]) < 0;
    if (strcmp(names[from], names[child]) >= 0) {
      return;
    }
    const char *one = names[from];
    names[from] = names[child];
    names[child] = one;
  }
}

static void sort(const char **names, size_t n) {
  for (size_t i = n / 2; i-- > 0;) {
    sift(names, i, n);
  }
  while (n > 1) {
    const char *one = names[0];
    names[0] = names[--n];
    names[n] = one;
    sift(names, 0, n);
  }
}

snug_status snug__csv_number_classes(snug__csv *c) {
  const char **names = c->names.data;
  if (c->names.n == SNUG__CSV_CLASSES) {
    return snug__fail(c->ctx, SNUG_E_FORMAT,
                      "%s: column \"%.60s\" has %d different texts or more; a label has few",
                      snug__path_shown(c->path),
                      SNUG_VEC(&c->columns, snug__csv_column, c->label).name, SNUG__CSV_CLASSES);
  }
  sort(names, c->names.n);
  for (size_t i = 0; i < c->names.n; i++) {
    SNUG_TRY(snug__map_set(&c->classes, names[i], (uint32_t)i));
  }
  return SNUG_OK;
}
