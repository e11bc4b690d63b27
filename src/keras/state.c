/* The weights in a file of Keras 3: group by group, as the model's places say.
 *
 * The first walk checks all that the file says of itself, the second reads. */
#include "keras/state.h"

#include <stdio.h>
#include <string.h>

#include "keras/dataset.h"
#include "keras/order.h"

#define WHOSE_BYTES 256

typedef struct reading {
  snug_model *m;
  snug__h5 *h5;
  snug__keras_order order;
  bool is_old; /* Keras 2.13 to 2.15 call the layers of a model otherwise */
} reading;

static const char new_layers[] = "layers/";
static const char old_layers[] = "_layer_checkpoint_dependencies/";

/* ---- where a place's group is ---- */

/* Copy a path, with every part "layers" as older files call it. */
static bool old_path(const char *path, char *out, size_t bytes) {
  size_t used = 0;
  for (const char *at = path; *at;) {
    bool is_part = at == path || at[-1] == '/';
    bool is_layers = is_part && strncmp(at, new_layers, sizeof new_layers - 1) == 0;
    const char *piece = is_layers ? old_layers : at;
    size_t n = is_layers ? sizeof old_layers - 1 : 1;
    if (used + n >= bytes) {
      return false;
    }
    memcpy(out + used, piece, n);
    used += n;
    at += is_layers ? sizeof new_layers - 1 : 1;
  }
  out[used] = 0;
  return true;
}

static snug_status group_of(const reading *r, const snug__keras_place *place, char *out,
                            size_t bytes) {
  bool fits = r->is_old ? old_path(place->path, out, bytes)
                        : snprintf(out, bytes, "%s", place->path) < (int)bytes;
  return fits ? SNUG_OK
              : snug__fail(r->m->ctx, SNUG_E_FORMAT, "%s: layer '%.60s': its path is too long",
                           snug__h5_file(r->h5), place->name);
}

/* ---- check ---- */

static snug_status fail_count(const reading *r, const snug__keras_place *place, const char *group,
                              size_t there, size_t here) {
  return snug__fail(r->m->ctx, SNUG_E_SHAPE,
                    "%s: layer '%s' has %zu weights in the model, and the file has %zu for it (in "
                    "'%s'): these are weights of another model",
                    snug__h5_file(r->h5), place->name, here, there, group);
}

/* How many datasets a place has; none if its group is not there. */
static snug_status count_datasets(const reading *r, const char *group, size_t *n) {
  char vars[SNUG__DATASET_PATH_BYTES];
  *n = 0;
  snprintf(vars, sizeof vars, "%s%svars", group, group[0] ? "/" : "");
  bool found = false;
  SNUG_TRY(snug__h5_has(r->h5, vars, &found));
  return found ? snug__h5_count(r->h5, vars, n) : SNUG_OK;
}

static snug_status check_place(const reading *r, const snug__keras_place *place) {
  char group[SNUG__DATASET_PATH_BYTES - 32];
  char path[SNUG__DATASET_PATH_BYTES];
  char whose[WHOSE_BYTES];
  size_t here = 0;
  size_t there = 0;
  const snug__id *weights = snug__keras_order_of(&r->order, place, &here);
  SNUG_TRY(group_of(r, place, group, sizeof group));
  SNUG_TRY(count_datasets(r, group, &there));
  if (here != there) {
    return fail_count(r, place, group, there, here);
  }
  snprintf(whose, sizeof whose, "layer '%s'", place->name);
  for (size_t i = 0; i < here; i++) {
    const snug__variable *v = snug__variable_at(&r->m->variables, weights[i]);
    SNUG_TRY(snug__dataset_path(r->m->ctx, group, i, path));
    SNUG_TRY(snug__dataset_check(r->m->ctx, r->h5, path, whose, v));
  }
  return SNUG_OK;
}

/* ---- read ---- */

static snug_status read_place(const reading *r, const snug__keras_place *place) {
  char group[SNUG__DATASET_PATH_BYTES - 32];
  char path[SNUG__DATASET_PATH_BYTES];
  size_t n = 0;
  const snug__id *weights = snug__keras_order_of(&r->order, place, &n);
  SNUG_TRY(group_of(r, place, group, sizeof group));
  for (size_t i = 0; i < n; i++) {
    const snug__variable *v = snug__variable_at(&r->m->variables, weights[i]);
    SNUG_TRY(snug__dataset_path(r->m->ctx, group, i, path));
    SNUG_TRY(snug__dataset_read(r->h5, path, &r->m->variables, v));
  }
  return SNUG_OK;
}

static snug_status for_places(const reading *r,
                              snug_status (*visit)(const reading *, const snug__keras_place *)) {
  const snug__vec *places = &r->m->keras->places;
  for (size_t i = 0; i < places->n; i++) {
    SNUG_TRY(visit(r, &SNUG_VEC(places, snug__keras_place, i)));
  }
  return SNUG_OK;
}

static snug_status check_kind(reading *r) {
  bool has_layers = false;
  bool has_vars = false;
  SNUG_TRY(snug__h5_has(r->h5, "layers", &has_layers));
  SNUG_TRY(snug__h5_has(r->h5, "_layer_checkpoint_dependencies", &r->is_old));
  SNUG_TRY(snug__h5_has(r->h5, "vars", &has_vars));
  r->is_old = r->is_old && !has_layers;
  if (!has_layers && !r->is_old && !has_vars) {
    return snug__fail(r->m->ctx, SNUG_E_FORMAT,
                      "%s: it holds no weights of a Keras model (there is neither a group 'layers' "
                      "nor an attribute 'layer_names'); save them with model.save_weights or "
                      "model.save",
                      snug__h5_file(r->h5));
  }
  return SNUG_OK;
}

snug_status snug__keras_read_weights(snug_model *m, snug__h5 *h5) {
  reading r = {.m = m, .h5 = h5};
  SNUG_TRY(check_kind(&r));
  SNUG_TRY(snug__keras_order_init(&r.order, m));
  snug_status s = for_places(&r, check_place);
  s = s ? s : snug__model_commit_weights(m);
  s = s ? s : for_places(&r, read_place);
  snug__keras_order_release(&r.order);
  return s;
}
