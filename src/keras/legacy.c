/* Weights in a legacy `.h5` file: of keras.applications, of Keras 2, of save("x.h5").
 *
 * Nothing is found by name there: the k-th layer that has weights in the file is the k-th that has
 * weights in the model, where a nested model counts as one layer.  Its weights are the trainable
 * ones of all its layers, as they are frozen or not at this moment, then the others. */
#include <stdio.h>
#include <string.h>

#include "keras/dataset.h"
#include "keras/order.h"
#include "keras/state.h"

#define NAME_BYTES 1024

/* A layer of the outermost model: its places and its weights. */
typedef struct outer_layer {
  const char *name;
  size_t first, n; /* in `weights` */
} outer_layer;

typedef struct legacy {
  snug_model *m;
  snug__h5 *h5;
  const char *root; /* the group that has layer_names */
  snug__keras_order order;
  snug__vec weights; /* snug__id */
  snug__vec layers;  /* outer_layer: those with weights */
} legacy;

typedef snug_status visitor(const legacy *l, const outer_layer *layer, const char *group,
                            size_t n_there);

/* ---- the model's side ---- */

/* "layers/functional" stands for itself; "layers/functional/layers/dense" for something in it. */
static bool is_outer(const snug__keras_place *place) {
  const char *slash = strchr(place->path, '/');
  return place->path[0] && !(slash && strchr(slash + 1, '/'));
}

static snug_status add_weights(legacy *l, const snug__keras_place *place, bool trained) {
  size_t n = 0;
  const snug__id *weights = snug__keras_order_of(&l->order, place, &n);
  for (size_t i = 0; i < n; i++) {
    const snug__variable *v = snug__variable_at(&l->m->variables, weights[i]);
    if (snug__model_trains(l->m, v) == trained) {
      SNUG_TRY(snug__vec_push(&l->weights, &weights[i], 1));
    }
  }
  return SNUG_OK;
}

/* The outer layer whose place is the i-th; returns the place behind its last. */
static snug_status add_layer(legacy *l, size_t i, size_t *behind) {
  const snug__vec *places = &l->m->keras->places;
  outer_layer layer = {SNUG_VEC(places, snug__keras_place, i).name, l->weights.n, 0};
  size_t end = i + 1;
  while (end < places->n && !is_outer(&SNUG_VEC(places, snug__keras_place, end))) {
    end++;
  }
  for (size_t k = i; k < end; k++) {
    SNUG_TRY(add_weights(l, &SNUG_VEC(places, snug__keras_place, k), true));
  }
  for (size_t k = i; k < end; k++) {
    SNUG_TRY(add_weights(l, &SNUG_VEC(places, snug__keras_place, k), false));
  }
  layer.n = l->weights.n - layer.first;
  *behind = end;
  return layer.n ? snug__vec_push(&l->layers, &layer, 1) : SNUG_OK;
}

static snug_status list_layers(legacy *l) {
  const snug__vec *places = &l->m->keras->places;
  for (size_t i = 0; i < places->n;) {
    if (is_outer(&SNUG_VEC(places, snug__keras_place, i))) {
      SNUG_TRY(add_layer(l, i, &i));
    } else {
      i++; /* the model itself */
    }
  }
  return SNUG_OK;
}

/* ---- the file's side ---- */

static snug_status join(const legacy *l, const char *group, const char *name, char *out,
                        size_t bytes) {
  int n = snprintf(out, bytes, "%s%s%s", group, group[0] ? "/" : "", name);
  return n >= 0 && (size_t)n < bytes ? SNUG_OK
                                     : snug__fail(l->m->ctx, SNUG_E_FORMAT,
                                                  "%s: the name of a group, '%.60s…', is too long",
                                                  snug__h5_file(l->h5), name);
}

/* Whether the i-th layer of the file has weights; its group goes to out. */
static snug_status saved_layer(const legacy *l, size_t i, char *out, size_t bytes, size_t *n) {
  char name[NAME_BYTES];
  SNUG_TRY(snug__h5_text(l->h5, l->root, "layer_names", i, name, sizeof name));
  SNUG_TRY(join(l, l->root, name, out, bytes));
  bool found = false;
  SNUG_TRY(snug__h5_has(l->h5, out, &found));
  if (!found) {
    return snug__fail(l->m->ctx, SNUG_E_FORMAT,
                      "%s: there is no group '%s', which layer_names tells of: the file is damaged",
                      snug__h5_file(l->h5), out);
  }
  return snug__h5_texts(l->h5, out, "weight_names", n);
}

static snug_status fail_layers(const legacy *l, const char *more) {
  return snug__fail(l->m->ctx, SNUG_E_SHAPE,
                    "%s: the model has %zu layers with weights and the file has %s: these are "
                    "weights of another model (of keras.applications: with or without its top)",
                    snug__h5_file(l->h5), l->layers.n, more);
}

/* Visit the layers with weights, of the file and of the model side by side. */
static snug_status for_layers(const legacy *l, visitor *visit) {
  char group[SNUG__DATASET_PATH_BYTES];
  size_t n_saved = 0;
  size_t k = 0;
  SNUG_TRY(snug__h5_texts(l->h5, l->root, "layer_names", &n_saved));
  for (size_t i = 0; i < n_saved; i++) {
    size_t n = 0;
    SNUG_TRY(saved_layer(l, i, group, sizeof group, &n));
    if (n && k == l->layers.n) {
      return fail_layers(l, "more");
    }
    if (n) {
      SNUG_TRY(visit(l, &SNUG_VEC(&l->layers, outer_layer, k), group, n));
      k++;
    }
  }
  return k == l->layers.n ? SNUG_OK : fail_layers(l, "fewer");
}

static snug_status weight_path(const legacy *l, const char *group, size_t i, char *out,
                               size_t bytes) {
  char name[NAME_BYTES];
  SNUG_TRY(snug__h5_text(l->h5, group, "weight_names", i, name, sizeof name));
  return join(l, group, name, out, bytes);
}

static const snug__variable *weight_of(const legacy *l, const outer_layer *layer, size_t i) {
  return snug__variable_at(&l->m->variables, SNUG_VEC(&l->weights, snug__id, layer->first + i));
}

static snug_status check_layer(const legacy *l, const outer_layer *layer, const char *group,
                               size_t n) {
  char path[SNUG__DATASET_PATH_BYTES];
  char whose[NAME_BYTES];
  if (n != layer->n) {
    return snug__fail(
        l->m->ctx, SNUG_E_SHAPE,
        "%s: layer '%s' has %zu weights in the model, and the file has %zu for it (in "
        "'%s'): these are weights of another model",
        snug__h5_file(l->h5), layer->name, layer->n, n, group);
  }
  snprintf(whose, sizeof whose, "layer '%s'", layer->name);
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(weight_path(l, group, i, path, sizeof path));
    SNUG_TRY(snug__dataset_check(l->m->ctx, l->h5, path, whose, weight_of(l, layer, i)));
  }
  return SNUG_OK;
}

static snug_status read_layer(const legacy *l, const outer_layer *layer, const char *group,
                              size_t n) {
  char path[SNUG__DATASET_PATH_BYTES];
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(weight_path(l, group, i, path, sizeof path));
    SNUG_TRY(snug__dataset_read(l->h5, path, &l->m->variables, weight_of(l, layer, i)));
  }
  return SNUG_OK;
}

static snug_status read_all(legacy *l) {
  SNUG_TRY(list_layers(l));
  SNUG_TRY(for_layers(l, check_layer));
  SNUG_TRY(snug__model_commit_weights(l->m));
  return for_layers(l, read_layer);
}

snug_status snug__keras_read_legacy(snug_model *m, snug__h5 *h5) {
  bool is_whole = false; /* a whole model, not weights alone */
  SNUG_TRY(snug__h5_has(h5, "model_weights", &is_whole));
  legacy l = {.m = m, .h5 = h5, .root = is_whole ? "model_weights" : ""};
  snug__vec_init(&l.weights, m->ctx, SNUG__MEM_SCRATCH, sizeof(snug__id), UINT32_MAX);
  snug__vec_init(&l.layers, m->ctx, SNUG__MEM_SCRATCH, sizeof(outer_layer), UINT32_MAX);
  SNUG_TRY(snug__keras_order_init(&l.order, m));
  snug_status s = read_all(&l);
  snug__vec_release(&l.layers);
  snug__vec_release(&l.weights);
  snug__keras_order_release(&l.order);
  return s;
}
