/* Every group, weight and slot of a model, as Keras writes them: a group per object, also where it
 * is empty, with the object's name. */
#include <stdio.h>

#include "keras/compile_print.h"
#include "keras/dataset.h"
#include "keras/order.h"
#include "keras/slots.h"
#include "keras/state.h"

typedef struct writing {
  snug_model *m;
  snug__h5_writer *w;
  bool with_slots; /* once they are there */
  snug__keras_order order;
} writing;

/* ---- weights ---- */

static snug_status write_group(const writing *x, const char *path, const char *name) {
  char group[SNUG__DATASET_PATH_BYTES];
  int n = snprintf(group, sizeof group, "%s%svars", path, path[0] ? "/" : "");
  if (n < 0 || (size_t)n >= sizeof group) {
    return snug__fail(x->m->ctx, SNUG_E_FORMAT, "layer '%.60s': its path is too long", name);
  }
  return snug__h5_write_group(x->w, group, name);
}

static snug_status write_place(const writing *x, const snug__keras_place *place) {
  char path[SNUG__DATASET_PATH_BYTES];
  size_t n = 0;
  const snug__id *weights = snug__keras_order_of(&x->order, place, &n);
  SNUG_TRY(write_group(x, place->path, place->name));
  for (size_t i = 0; i < n; i++) {
    const snug__variable *v = snug__variable_at(&x->m->variables, weights[i]);
    SNUG_TRY(snug__dataset_path(x->m->ctx, place->path, i, path));
    SNUG_TRY(snug__dataset_write(x->w, path, &x->m->variables, v));
  }
  return SNUG_OK;
}

static snug_status write_places(const writing *x) {
  const snug__vec *places = &x->m->keras->places;
  bool has_root = false; /* Keras up to 3.5 asks for it */
  for (size_t i = 0; i < places->n; i++) {
    const snug__keras_place *place = &SNUG_VEC(places, snug__keras_place, i);
    SNUG_TRY(write_place(x, place));
    has_root = has_root || !place->path[0];
  }
  return has_root ? SNUG_OK : write_group(x, "", x->m->name);
}

/* ---- the optimizer ---- */

/* Keras keeps a rate in the dtype of its models. */
static snug_status write_rate(const writing *x, const char *path) {
  double rate = snug__keras_learning_rate(x->m);
  float single = (float)rate;
  return x->m->real == SNUG_FLOAT64
             ? snug__h5_write_data(x->w, path, SNUG_FLOAT64, 0, NULL, &rate)
             : snug__h5_write_data(x->w, path, SNUG_FLOAT32, 0, NULL, &single);
}

/* A slot of a weight that no gradient reaches, and so is not kept here. */
static snug_status write_initial(const writing *x, const char *path, const snug__keras_slot *slot) {
  const snug__type *t = &slot->type;
  size_t bytes = (size_t)snug__type_bytes(t);
  void *data = NULL;
  SNUG_TRY(snug__take(x->m->ctx, SNUG__MEM_SCRATCH, bytes, &data));
  for (int64_t i = 0; slot->initial != 0.0 && i < snug__type_count(t); i++) {
    snug__element_set(t->dtype, data, i, slot->initial);
  }
  snug_status s = snug__h5_write_data(x->w, path, t->dtype, t->rank, t->dim, data);
  snug__give(x->m->ctx, SNUG__MEM_SCRATCH, data, bytes);
  return s;
}

static snug_status write_slot(const writing *x, size_t i, const snug__keras_slot *slot) {
  char path[SNUG__DATASET_PATH_BYTES];
  int64_t none = 0;
  SNUG_TRY(snug__dataset_path(x->m->ctx, "optimizer", i, path));
  if (i == 1 && snug__keras_slots_unbuilt(x->m) == 2) {
    return write_rate(x, path);
  }
  if (i == 0 && !snug__place_is_set(x->m->training->state)) {
    return snug__h5_write_data(x->w, path, SNUG_INT64, 0, NULL, &none);
  }
  return slot->variable == SNUG_NONE
             ? write_initial(x, path, slot)
             : snug__dataset_write(x->w, path, &x->m->variables,
                                   snug__variable_at(&x->m->variables, slot->variable));
}

/* Before the first step there are no slots yet. */
static snug_status write_slots(const writing *x, snug__vec *list) {
  bool is_old = snug__keras_slots_are_old(x->m->keras->version);
  SNUG_TRY(snug__keras_slots_list(x->m, is_old, list));
  size_t n = x->with_slots ? list->n : snug__keras_slots_unbuilt(x->m);
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(write_slot(x, i, &SNUG_VEC(list, snug__keras_slot, i)));
  }
  return SNUG_OK;
}

static snug_status write_optimizer(const writing *x) {
  char class_name[SNUG__NAME_BYTES];
  char name[SNUG__NAME_BYTES];
  snug__vec list;
  if (!x->m->training) {
    return SNUG_OK;
  }
  const snug__optimizer *o = &x->m->training->optimizer;
  snug__optimizer_name(o, class_name);
  snug__layer_snake_case(class_name, name);
  SNUG_TRY(write_group(x, "optimizer", o->o.name[0] ? o->o.name : name));
  snug__vec_init(&list, x->m->ctx, SNUG__MEM_SCRATCH, sizeof(snug__keras_slot), UINT32_MAX);
  snug_status s = write_slots(x, &list);
  snug__vec_release(&list);
  return s;
}

snug_status snug__keras_write_state(snug_model *m, snug__h5_writer *w, bool with_slots) {
  writing x = {.m = m, .w = w};
  x.with_slots = with_slots && m->training && snug__place_is_set(m->training->state);
  SNUG_TRY(snug__model_commit_weights(m));
  SNUG_TRY(snug__keras_order_init(&x.order, m));
  snug_status s = write_places(&x);
  s = s ? s : write_optimizer(&x);
  snug__keras_order_release(&x.order);
  return s;
}
