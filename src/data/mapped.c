#include "data/mapped.h"

#include <string.h>

#include "base/ctx.h"
#include "base/size.h"
#include "data/arrays.h"

/* Scratch: where the inner source is to put its arrays, then its own scratch. */
static size_t table_bytes(const snug_data *d) {
  return (size_t)snug__round_up((int64_t)((size_t)snug__data_count(d) * sizeof(void *)), 64);
}

static char *inner_scratch(const snug_data *d, void *scratch) {
  return (char *)scratch + table_bytes(d);
}

static void copy_row(const snug_array *a, int64_t row, void *to) {
  size_t bytes = snug__array_row_bytes(a);
  memcpy(to, (const char *)a->data + (size_t)row * bytes, bytes);
}

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  const snug_data *d = ((const snug__mapped *)user)->data;
  const snug_source *s = d->source;
  void **table = scratch;
  for (int32_t k = 0; k < snug__data_count(d); k++) {
    const snug_array *a = snug__data_array(d, k);
    table[k] = a->data ? NULL : to[k];
    if (a->data && to[k]) {
      copy_row(a, row, to[k]);
    }
  }
  if (s) {
    SNUG_TRY(s->read(s->user, inner_scratch(d, scratch), row, pass, table, why));
  }
  return d->map(d->map_user, row, pass, to, why);
}

static snug_status restart(void *user, void *scratch, uint64_t pass, char *why) {
  const snug_data *d = ((const snug__mapped *)user)->data;
  return d->source->restart(d->source->user, inner_scratch(d, scratch), pass, why);
}

static void cancel(void *user) {
  const snug_data *d = ((const snug__mapped *)user)->data;
  if (d->source && d->source->cancel) {
    d->source->cancel(d->source->user);
  }
}

const snug_source *snug__mapped_source(snug__mapped *m, const snug_data *data) {
  const snug_source *inner = data->source;
  m->data = data;
  m->source = inner
                  ? *inner
                  : (snug_source){.struct_size = sizeof(snug_source), .rows = data->x[0].shape[0]};
  m->source.user = m;
  m->source.scratch += table_bytes(data);
  m->source.read = read_row;
  m->source.restart = inner && inner->restart ? restart : NULL;
  m->source.cancel = cancel;
  return &m->source;
}
