/* Several sources as one: the arrays of files side by side. */
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "data/arrays_file.h"

typedef struct joined {
  snug_source source;
  snug__array_entry *const *entries;
  int32_t n;
  int32_t n_fields; /* of the source that has most */
  char name[SNUG_WHY_BYTES / 2];
} joined;

static bool is_by_rows(const snug__array_entry *e) { return e->source && !e->array.data; }

/* Whether an entry is the first of its source that is read by its rows. */
static bool is_first(const joined *j, int32_t i) {
  for (int32_t k = 0; k < i; k++) {
    if (is_by_rows(j->entries[k]) && j->entries[k]->source == j->entries[i]->source) {
      return false;
    }
  }
  return is_by_rows(j->entries[i]);
}

/* Scratch: the places of one source's fields, then the scratch of each source. */
static size_t table_bytes(const joined *j) {
  return (size_t)snug__round_up((int64_t)((size_t)j->n_fields * sizeof(void *)), 64);
}

static size_t scratch_of(const snug_source *s) {
  return (size_t)snug__round_up((int64_t)s->scratch, 64);
}

static void fill_table(const joined *j, const snug_source *s, void *const *to, void **table) {
  memset(table, 0, (size_t)j->n_fields * sizeof *table);
  for (int32_t k = 0; k < j->n; k++) {
    if (j->entries[k]->source == s && to[k]) {
      table[j->entries[k]->field] = to[k];
    }
  }
}

static snug_status read_all(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  const joined *j = user;
  char *at = (char *)scratch + table_bytes(j);
  for (int32_t i = 0; i < j->n; i++) {
    const snug_source *s = j->entries[i]->source;
    if (is_first(j, i)) {
      fill_table(j, s, to, scratch);
      SNUG_TRY(s->read(s->user, at, row, pass, scratch, why));
      at += scratch_of(s);
    }
  }
  return SNUG_OK;
}

static snug_status restart_all(void *user, void *scratch, uint64_t pass, char *why) {
  const joined *j = user;
  char *at = (char *)scratch + table_bytes(j);
  for (int32_t i = 0; i < j->n; i++) {
    const snug_source *s = j->entries[i]->source;
    if (is_first(j, i)) {
      if (s->restart) {
        SNUG_TRY(s->restart(s->user, at, pass, why));
      }
      at += scratch_of(s);
    }
  }
  return SNUG_OK;
}

static void cancel_all(void *user) {
  const joined *j = user;
  for (int32_t i = 0; i < j->n; i++) {
    const snug_source *s = j->entries[i]->source;
    if (is_first(j, i) && s->cancel) {
      s->cancel(s->user);
    }
  }
}

/* "x.npy, y.npy": the files, each once; images name themselves. */
static void name_files(joined *j) {
  size_t used = 0;
  for (int32_t i = 0; i < j->n && used < sizeof j->name; i++) {
    bool is_new = !j->entries[i]->is_live;
    for (int32_t k = 0; k < i; k++) {
      is_new = is_new && strcmp(j->entries[k]->path, j->entries[i]->path) != 0;
    }
    used += is_new ? (size_t)snprintf(j->name + used, sizeof j->name - used, "%s%s",
                                      used ? ", " : "", snug__path_shown(j->entries[i]->path))
                   : 0;
  }
}

static snug_status add(snug_arrays *a, joined *j, const snug__array_entry *e) {
  snug_source *all = &j->source;
  all->struct_size = sizeof *all;
  if (j->n_fields && all->rows != e->source->rows) {
    return snug__fail(a->ctx, SNUG_E_SHAPE, "%s: %s has %lld samples, the first array has %lld",
                      snug__path_shown(e->path), e->name, (long long)e->source->rows,
                      (long long)all->rows);
  }
  all->rows = e->source->rows;
  all->in_order = all->in_order || e->source->in_order;
  all->scratch += scratch_of(e->source);
  all->restart = e->source->restart ? restart_all : all->restart;
  j->n_fields = j->n_fields > e->n_fields ? j->n_fields : e->n_fields;
  return SNUG_OK;
}

static bool any_by_rows(snug__array_entry *const *entries, int32_t n) {
  bool any = false;
  for (int32_t i = 0; i < n; i++) {
    any = any || is_by_rows(entries[i]);
  }
  return any;
}

snug_status snug__arrays_join(snug_arrays *a, snug__array_entry *const *entries, int32_t n,
                              const snug_source **out) {
  void *taken = NULL;
  *out = NULL;
  if (!any_by_rows(entries, n)) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__arena_take(&a->arena, sizeof(joined), &taken));
  joined *j = taken;
  j->entries = entries;
  j->n = n;
  for (int32_t i = 0; i < n; i++) {
    if (is_first(j, i)) {
      SNUG_TRY(add(a, j, entries[i]));
    }
  }
  name_files(j);
  j->source.name = j->name[0] ? j->name : NULL;
  j->source.user = j;
  j->source.read = read_all;
  j->source.cancel = cancel_all;
  j->source.scratch += table_bytes(j);
  *out = &j->source;
  return SNUG_OK;
}
