/* The optimizer's variables in a file. */
#include <math.h>
#include <stdio.h>

#include "keras/dataset.h"
#include "keras/slots.h"
#include "keras/state.h"

#define MOST_SLOTS UINT32_MAX
#define GROUP "optimizer"

static void init_list(snug__vec *list, const snug_model *m) {
  snug__vec_init(list, m->ctx, SNUG__MEM_SCRATCH, sizeof(snug__keras_slot), MOST_SLOTS);
}

/* ---- which order the file has ---- */

/* Whether all shapes are those of the list; the failure tells the first that is not. */
static snug_status check_shapes(const snug_model *m, snug__h5 *h5, const snug__vec *list) {
  char path[SNUG__DATASET_PATH_BYTES];
  for (size_t i = 0; i < list->n; i++) {
    const snug__keras_slot *slot = &SNUG_VEC(list, snug__keras_slot, i);
    snug__variable v = {.name = "its place", .type = slot->type};
    if (slot->variable != SNUG_NONE) {
      v = *snug__variable_at(&m->variables, slot->variable);
    }
    SNUG_TRY(snug__dataset_path(m->ctx, GROUP, i, path));
    SNUG_TRY(snug__dataset_check(m->ctx, h5, path, "the optimizer's state", &v));
  }
  return SNUG_OK;
}

/* List the variables in the order of the file: the one that its version has, or the other if only
 * that one fits. */
static snug_status list_as_found(const snug_model *m, snug__h5 *h5, snug__vec *list) {
  bool is_old = snug__keras_slots_are_old(m->keras->version);
  SNUG_TRY(snug__keras_slots_list(m, is_old, list));
  snug_status s = check_shapes(m, h5, list);
  if (s != SNUG_E_SHAPE) {
    return s;
  }
  list->n = 0;
  SNUG_TRY(snug__keras_slots_list(m, !is_old, list));
  if (check_shapes(m, h5, list) == SNUG_OK) {
    return SNUG_OK;
  }
  list->n = 0; /* neither: tell of the first */
  SNUG_TRY(snug__keras_slots_list(m, is_old, list));
  return check_shapes(m, h5, list);
}

/* ---- read ---- */

static snug_status read_scalar(const snug_model *m, snug__h5 *h5, size_t i, snug_dtype as,
                               void *out) {
  char path[SNUG__DATASET_PATH_BYTES];
  snug__h5_data data;
  SNUG_TRY(snug__dataset_path(m->ctx, GROUP, i, path));
  SNUG_TRY(snug__h5_data_find(h5, path, &data));
  return snug__h5_data_read(h5, &data, as, out);
}

/* What a step computes with must be a number it can go on from. */
static snug_status check_values(const snug_model *m, snug__h5 *h5) {
  int64_t iteration = 0;
  float rate = 0.0f;
  SNUG_TRY(read_scalar(m, h5, 0, SNUG_INT64, &iteration));
  if (!m->training->optimizer.schedule.kind) {
    SNUG_TRY(read_scalar(m, h5, 1, SNUG_FLOAT32, &rate));
  }
  if (iteration < 0 || iteration > INT64_MAX / 2 || !isfinite(rate) || rate < 0.0f) {
    return snug__fail(
        m->ctx, SNUG_E_FORMAT,
        "%s: the optimizer's state has %lld steps and a learning rate of %g: the file "
        "is damaged",
        snug__h5_file(h5), (long long)iteration, (double)rate);
  }
  return SNUG_OK;
}

static snug_status read_all(snug_model *m, snug__h5 *h5, const snug__vec *list) {
  char path[SNUG__DATASET_PATH_BYTES];
  SNUG_TRY(snug__training_commit(m));
  for (size_t i = 0; i < list->n; i++) {
    snug__id id = SNUG_VEC(list, snug__keras_slot, i).variable;
    if (id != SNUG_NONE) {
      SNUG_TRY(snug__dataset_path(m->ctx, GROUP, i, path));
      SNUG_TRY(snug__dataset_read(h5, path, &m->variables, snug__variable_at(&m->variables, id)));
    }
  }
  return SNUG_OK;
}

static snug_status read_listed(snug_model *m, snug__h5 *h5, snug__vec *list) {
  SNUG_TRY(list_as_found(m, h5, list));
  SNUG_TRY(check_values(m, h5));
  return read_all(m, h5, list);
}

/* The list is that of one order; the other has as many. */
snug_status snug__keras_has_optimizer(const snug_model *m, snug__h5 *h5, bool *found) {
  snug__vec list;
  bool is_there = false;
  size_t n = 0;
  *found = false;
  if (m->training) {
    SNUG_TRY(snug__h5_has(h5, GROUP "/vars", &is_there));
  }
  if (!is_there) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__h5_count(h5, GROUP "/vars", &n));
  init_list(&list, m);
  snug_status s = snug__keras_slots_list(m, false, &list);
  *found = !s && n == list.n;
  snug__vec_release(&list);
  return s;
}

snug_status snug__keras_read_optimizer(snug_model *m, snug__h5 *h5, bool *found) {
  snug__vec list;
  SNUG_TRY(snug__keras_has_optimizer(m, h5, found));
  if (!*found) {
    return SNUG_OK;
  }
  init_list(&list, m);
  snug_status s = read_listed(m, h5, &list);
  snug__vec_release(&list);
  return s;
}
