#include "train/training.h"

#include <math.h>
#include <string.h>

#include "base/store.h"

snug_status snug__training_need(const snug_model *m) {
  SNUG_TRY(snug__model_check(m));
  if (!m->training && m->uncompiled) {
    return snug__fail(m->ctx, SNUG_E_UNSUPPORTED, "%s", m->uncompiled);
  }
  return m->training
             ? SNUG_OK
             : snug__fail(m->ctx, SNUG_E_STATE,
                          "the model '%s' is not compiled: call snug_model_compile first", m->name);
}

void snug__training_destroy(snug_model *m) {
  snug__training *t = m->training;
  if (t) {
    snug__store_close(t->store);
    snug__give(t->ctx, SNUG__MEM_OPTIMIZER, t->state, t->state_bytes);
    snug__vec_release(&t->tracked);
    snug__arena_release(&t->arena);
    snug__give(t->ctx, SNUG__MEM_MODEL, t, sizeof *t);
    m->training = NULL;
  }
}

int64_t snug__training_cost(const snug_model *m) {
  const snug__training *t = m->training;
  return t && !t->state ? (int64_t)t->state_bytes + (t->slots_bytes ? snug__store_cost() : 0) : 0;
}

/* The seed of random layers is the model's; the table of variables starts it at 0, doubles being
 * too short for it. */
static void set_seed(snug_model *m) {
  snug__id id = snug__variables_find(&m->variables, "random/seed");
  if (id != SNUG_NONE) {
    memcpy(snug__variable_at(&m->variables, id)->data, &m->seed, sizeof m->seed);
  }
}

static snug_status open_slots(snug_model *m) {
  snug__training *t = m->training;
  snug__store_options o = {.folder = t->slots_folder, .bytes = t->slots_bytes};
  SNUG_TRY(t->slots_bytes ? snug__store_open(t->ctx, &o, &t->store) : SNUG_OK);
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    snug__home *h = &snug__variable_at(&m->variables, i)->home;
    h->store = h->is_file ? t->store : NULL;
  }
  return SNUG_OK;
}

/* In a block that is all zero; a window is what the slots before left in it. */
static snug_status reset_state(snug_model *m) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, i);
    if (v->kind == SNUG__STATE && (v->home.is_file || !snug__variable_starts_at_zero(v))) {
      SNUG_TRY(snug__variables_reset(&m->variables, i, m->seed));
      SNUG_TRY(snug__variable_put(v));
    }
  }
  set_seed(m);
  return SNUG_OK;
}

/* Back to where no state is there. */
static void forget_state(snug_model *m) {
  snug__training *t = m->training;
  snug__store_close(t->store);
  snug__give(t->ctx, SNUG__MEM_OPTIMIZER, t->state, t->state_bytes);
  t->store = NULL;
  t->state = NULL;
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    snug__variable *v = snug__variable_at(&m->variables, i);
    v->data = v->kind == SNUG__STATE ? NULL : v->data;
    v->home.store = NULL;
  }
}

snug_status snug__training_commit(snug_model *m) {
  snug__training *t = m->training;
  if (!t || t->state) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__take(t->ctx, SNUG__MEM_OPTIMIZER, t->state_bytes, &t->state));
  snug__variables_place(&m->variables, SNUG__STATE, t->state);
  snug_status s = open_slots(m);
  s = s ? s : reset_state(m);
  if (s) {
    forget_state(m);
  }
  return s;
}

void *snug__training_locate(void *model, snug__id variable) {
  return snug__variable_at(&((snug_model *)model)->variables, variable)->data;
}

snug_status snug__training_results(const snug_model *m, double *values) {
  const snug__training *t = m->training;
  for (size_t i = 0; i < t->tracked.n; i++) {
    const snug__tracked *x = &SNUG_VEC(&t->tracked, snug__tracked, t->by_name[i]);
    SNUG_TRY(snug__metric_result(&x->metric, &m->variables, x->name, &values[i]));
  }
  return SNUG_OK;
}

snug_logs snug_model_metrics(const snug_model *m) {
  return m && m->training ? (snug_logs){m->training->tracked.n, m->training->names, NULL}
                          : (snug_logs){0};
}

/* The bytes of a state of the optimizer; NULL if it is not there or has none yet. */
static void *optimizer_state(const snug_model *m, const char *name) {
  snug__id id = snug__variables_find(&m->variables, name);
  return id == SNUG_NONE ? NULL : snug__variable_at(&m->variables, id)->data;
}

/* The rate of a schedule for the next step; schedules follow the steps that were made, also where
 * several are accumulated for one update. */
static double scheduled_rate(const snug_model *m) {
  const int64_t *iteration = optimizer_state(m, "optimizer/iteration");
  return snug__schedule_rate(&m->training->optimizer.schedule, iteration ? *iteration : 0);
}

static void set_rate(const snug_model *m, double rate) {
  snug__element_set(snug__optimizer_rate_dtype(m->real),
                    optimizer_state(m, "optimizer/learning_rate"), 0, rate);
}

void snug__training_set_rate(snug_model *m) {
  if (m->training->optimizer.schedule.kind) {
    set_rate(m, scheduled_rate(m));
  }
}

snug_status snug__training_finish(snug_model *m) {
  snug__training *t = m->training;
  return snug__optimizer_finalize(&t->optimizer, &m->variables, t->trained, t->n_trained);
}

double snug_model_learning_rate(const snug_model *m) {
  if (!m || !m->training) {
    return (double)NAN;
  }
  if (m->training->optimizer.schedule.kind) {
    return scheduled_rate(m);
  }
  snug_dtype dtype = snug__optimizer_rate_dtype(m->real);
  const void *rate = optimizer_state(m, "optimizer/learning_rate");
  double initial[1];
  snug__element_set(dtype, initial, 0, m->training->optimizer.o.learning_rate);
  return snug__element_get(dtype, rate ? rate : initial, 0);
}

snug_status snug_model_set_learning_rate(snug_model *m, double rate) {
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug__training_need(m));
  if (!isfinite((float)rate) || rate < 0.0) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "a learning rate of %g; it must be 0 or more and finite as float32", rate);
  }
  if (m->training->optimizer.schedule.kind) {
    return snug__fail(m->ctx, SNUG_E_STATE,
                      "the learning rate follows a schedule; compile with a number to set it");
  }
  SNUG_TRY(snug__training_commit(m));
  set_rate(m, rate);
  return SNUG_OK;
}
