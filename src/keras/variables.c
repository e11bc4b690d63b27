/* Single variables of a model, for those who keep them elsewhere than in files. */
#include <math.h>
#include <string.h>

#include "base/size.h"
#include "keras/dataset.h"
#include "keras/describe.h"
#include "keras/order.h"
#include "keras/slots.h"
#include "ops/relayout.h"

#define OF_OPTIMIZER "optimizer/"

/* ---- which there are ---- */

typedef struct visiting {
  snug_model *m;
  snug_variable_visit *visit;
  void *user;
} visiting;

static snug_status tell(const visiting *x, const char *group, size_t i, const char *name,
                        const snug__type *type, double initial) {
  char path[SNUG__DATASET_PATH_BYTES];
  snug_variable_info info = {.struct_size = sizeof info,
                             .path = path,
                             .name = name,
                             .dtype = type->dtype,
                             .rank = type->rank,
                             .initial = initial};
  SNUG_TRY(snug__dataset_path(x->m->ctx, group, i, path));
  memcpy(info.shape, type->dim, sizeof info.shape);
  x->visit(x->user, &info);
  return SNUG_OK;
}

static snug_status visit_place(const visiting *x, const snug__keras_order *order,
                               const snug__keras_place *place) {
  size_t n = 0;
  const snug__id *weights = snug__keras_order_of(order, place, &n);
  for (size_t i = 0; i < n; i++) {
    const snug__variable *v = snug__variable_at(&x->m->variables, weights[i]);
    SNUG_TRY(tell(x, place->path, i, v->name, &v->type, 0.0));
  }
  return SNUG_OK;
}

static snug_status visit_weights(const visiting *x) {
  const snug__vec *places = &x->m->keras->places;
  snug__keras_order order;
  SNUG_TRY(snug__keras_order_init(&order, x->m));
  snug_status s = SNUG_OK;
  for (size_t i = 0; !s && i < places->n; i++) {
    s = visit_place(x, &order, &SNUG_VEC(places, snug__keras_place, i));
  }
  snug__keras_order_release(&order);
  return s;
}

static snug_status visit_listed(const visiting *x, snug__vec *list) {
  bool is_old = snug__keras_slots_are_old(x->m->keras->version);
  SNUG_TRY(snug__keras_slots_list(x->m, is_old, list));
  for (size_t i = 0; i < list->n; i++) {
    const snug__keras_slot *slot = &SNUG_VEC(list, snug__keras_slot, i);
    const char *name = slot->variable == SNUG_NONE
                           ? NULL
                           : snug__variable_at(&x->m->variables, slot->variable)->name;
    SNUG_TRY(tell(x, "optimizer", i, name, &slot->type, slot->initial));
  }
  return SNUG_OK;
}

static snug_status visit_optimizer(const visiting *x) {
  snug__vec list;
  if (!x->m->training) {
    return SNUG_OK;
  }
  snug__vec_init(&list, x->m->ctx, SNUG__MEM_SCRATCH, sizeof(snug__keras_slot), UINT32_MAX);
  snug_status s = visit_listed(x, &list);
  snug__vec_release(&list);
  return s;
}

snug_status snug_model_variables(snug_model *m, snug_variable_visit *visit, void *user) {
  visiting x = {m, visit, user};
  if (!m || !visit) {
    return m ? snug__fail(m->ctx, SNUG_E_ARGUMENT, "variables: there is nobody to visit them")
             : SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug__model_finish(m));
  SNUG_TRY(snug__model_commit_weights(m)); /* ends building: what is described now stays true */
  SNUG_TRY(m->keras ? SNUG_OK : snug__keras_describe(m));
  SNUG_TRY(visit_weights(&x));
  return visit_optimizer(&x);
}

/* ---- elements of one ---- */

static bool is_of_optimizer(const snug__variable *v) {
  return v->kind == SNUG__STATE && strncmp(v->name, OF_OPTIMIZER, sizeof OF_OPTIMIZER - 1) == 0;
}

static snug_status find(snug_model *m, const char *name, int64_t first, int64_t n, const void *data,
                        const snug__variable **out) {
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug__model_finish(m));
  snug__id id = name ? snug__variables_find(&m->variables, name) : SNUG_NONE;
  const snug__variable *v = id == SNUG_NONE ? NULL : snug__variable_at(&m->variables, id);
  if (!v || (v->kind != SNUG__WEIGHT && !is_of_optimizer(v))) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "there is no weight and no variable of the optimizer named '%s'",
                      name ? name : "");
  }
  int64_t count = snug__type_count(&v->type);
  if (!data || first < 0 || n < 0 || first > count || n > count - first) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "%s: elements %lld to %lld of %lld%s", name,
                      (long long)first, (long long)first + (n > 0 ? n - 1 : 0), (long long)count,
                      data ? "" : ", and the data are at NULL");
  }
  *out = v;
  SNUG_TRY(snug__model_commit_weights(m));
  return v->kind == SNUG__STATE ? snug__training_commit(m) : SNUG_OK;
}

snug_status snug_model_variable_get(snug_model *m, const char *name, int64_t first, int64_t n,
                                    void *data) {
  const snug__variable *v = NULL;
  SNUG_TRY(find(m, name, first, n, data, &v));
  void *there = NULL;
  SNUG_TRY(snug__variable_read(&m->variables, v, &there));
  snug__type stored = snug__variable_stored(v);
  snug__relayout_out(&stored, there, first, n, data);
  return SNUG_OK;
}

/* What a step computes with must be a number it can go on from. */
static snug_status check_scalar(const snug_model *m, const snug__variable *v, const void *data) {
  bool is_steps = strcmp(v->name, OF_OPTIMIZER "iteration") == 0;
  bool is_rate = strcmp(v->name, OF_OPTIMIZER "learning_rate") == 0;
  double value = is_steps || is_rate ? snug__element_get(v->type.dtype, data, 0) : 0.0;
  if (value >= 0.0 && value <= (double)(is_steps ? INT64_MAX / 2 : INT64_MAX)) {
    return SNUG_OK;
  }
  return snug__fail(m->ctx, SNUG_E_ARGUMENT, "%s is to be %g: that is no %s", v->name, value,
                    is_steps ? "number of steps" : "learning rate");
}

snug_status snug_model_variable_set(snug_model *m, const char *name, int64_t first, int64_t n,
                                    const void *data) {
  const snug__variable *v = NULL;
  SNUG_TRY(find(m, name, first, n, data, &v));
  if (n) {
    SNUG_TRY(check_scalar(m, v, data));
  }
  void *there = NULL;
  SNUG_TRY(snug__variable_read(&m->variables, v, &there));
  snug__type stored = snug__variable_stored(v);
  snug__relayout_in(&stored, there, first, n, data);
  return snug__variable_write(&m->variables, v);
}
