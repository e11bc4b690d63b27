/* Variables that live in a file. */
#include "base/store.h"
#include "model/variables.h"

static int64_t bytes_of(const snug__variable *v) {
  snug__type stored = snug__variable_stored(v);
  return snug__type_bytes(&stored);
}

static snug_status finish(const snug__variable *v, int64_t ticket) {
  return snug__store_wait(v->home.store, ticket) ? snug__store_fail(v->home.store, v->name)
                                                 : SNUG_OK;
}

snug_status snug__variable_fetch(const snug__variable *v) {
  const snug__home *h = &v->home;
  return h->store ? finish(v, snug__store_read(h->store, v->data, h->offset, bytes_of(v)))
                  : SNUG_OK;
}

snug_status snug__variable_put(const snug__variable *v) {
  const snug__home *h = &v->home;
  return h->store ? finish(v, snug__store_write(h->store, v->data, h->offset, bytes_of(v)))
                  : SNUG_OK;
}
