#include "keras/dataset.h"

#include <stdio.h>

#include "ops/relayout.h"

snug_status snug__dataset_path(snug_ctx *ctx, const char *group, size_t i,
                               char out[SNUG__DATASET_PATH_BYTES]) {
  int n = snprintf(out, SNUG__DATASET_PATH_BYTES, "%s%svars/%zu", group, group[0] ? "/" : "", i);
  if (n < 0 || n >= SNUG__DATASET_PATH_BYTES) {
    return snug__fail(ctx, SNUG_E_FORMAT, "the path of a group, '%.60s…', is too long", group);
  }
  return SNUG_OK;
}

snug_status snug__dataset_check(snug_ctx *ctx, snug__h5 *h5, const char *path, const char *whose,
                                const snug__variable *v) {
  snug__h5_data data;
  char there[SNUG__TYPE_TEXT_BYTES];
  char here[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(snug__h5_data_find(h5, path, &data));
  snug__type found = snug__type_of(data.dtype, data.rank, data.dim);
  if (!snug__shape_equal(&found, &v->type)) {
    return snug__fail(
        ctx, SNUG_E_SHAPE,
        "%s: %s: '%s' is %s in the file, and %s in the model is %s: these are weights "
        "of another model",
        snug__h5_file(h5), whose, path, snug__type_text(&found, there), v->name,
        snug__type_text(&v->type, here));
  }
  return SNUG_OK;
}

snug_status snug__dataset_read(snug__h5 *h5, const char *path, const snug__variables *all,
                               const snug__variable *v) {
  snug__h5_data data;
  snug__type stored = snug__variable_stored(v);
  void *plain = NULL;
  SNUG_TRY(snug__h5_data_find(h5, path, &data));
  if (v->layout == SNUG__LAYOUT_PLAIN) {
    SNUG_TRY(snug__h5_data_read(h5, &data, v->type.dtype, snug__variable_host(all, v)));
    return snug__variable_write(all, v);
  }
  SNUG_TRY(snug__h5_room(h5, (size_t)snug__type_bytes(&v->type), &plain));
  SNUG_TRY(snug__h5_data_read(h5, &data, v->type.dtype, plain));
  snug__relayout_threaded(&v->type, plain, &stored, snug__variable_host(all, v), all->ctx->threads);
  return snug__variable_write(all, v);
}

snug_status snug__dataset_write(snug__h5_writer *w, const char *path, const snug__variables *all,
                                const snug__variable *v) {
  const snug__type *t = &v->type;
  snug__type stored = snug__variable_stored(v);
  size_t bytes = (size_t)snug__type_bytes(t);
  void *plain = NULL;
  void *there = NULL;
  SNUG_TRY(snug__variable_read(all, v, &there));
  if (v->layout == SNUG__LAYOUT_PLAIN) {
    return snug__h5_write_data(w, path, t->dtype, t->rank, t->dim, there);
  }
  SNUG_TRY(snug__take(all->ctx, SNUG__MEM_SCRATCH, bytes, &plain));
  snug__relayout(&stored, there, t, plain);
  snug_status s = snug__h5_write_data(w, path, t->dtype, t->rank, t->dim, plain);
  snug__give(all->ctx, SNUG__MEM_SCRATCH, plain, bytes);
  return s;
}
