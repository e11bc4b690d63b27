#include "train/training.h"

#include <math.h>
#include <string.h>

#include "base/store.h"
#include "device/device.h"

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

static void give_state(snug__training *t) {
  snug__queue *q = &t->ctx->queue;
  snug__store_close(t->store);
  if (snug__place_is_set(t->state)) {
    q->device->give(q, SNUG__MEM_OPTIMIZER, t->state, (int64_t)t->state_bytes);
  }
  t->store = NULL;
  t->state = SNUG__NOWHERE;
}

void snug__training_destroy(snug_model *m) {
  snug__training *t = m->training;
  if (t) {
    give_state(t);
    snug__vec_release(&t->tracked);
    snug__arena_release(&t->arena);
    snug__give(t->ctx, SNUG__MEM_MODEL, t, sizeof *t);
    m->training = NULL;
  }
}

int64_t snug__training_cost(const snug_model *m) {
  const snug__training *t = m->training;
  return t && !snug__place_is_set(t->state)
             ? (int64_t)t->state_bytes + (t->slots_bytes ? snug__store_cost() : 0) +
                   snug__variables_stage_cost(&m->variables)
             : 0;
}

/* The seed of random layers is the model's; the table of variables starts it at 0, doubles being
 * too short for it. */
static snug_status set_seed(snug_model *m) {
  snug__id id = snug__variables_find(&m->variables, "random/seed");
  if (id == SNUG_NONE) {
    return SNUG_OK;
  }
  const snug__variable *v = snug__variable_at(&m->variables, id);
  memcpy(snug__variable_host(&m->variables, v), &m->seed, sizeof m->seed);
  return snug__variable_write(&m->variables, v);
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
    }
  }
  return set_seed(m);
}

/* Back to where no state is there. */
static void forget_state(snug_model *m) {
  give_state(m->training);
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    snug__variable *v = snug__variable_at(&m->variables, i);
    v->place = v->kind == SNUG__STATE ? SNUG__NOWHERE : v->place;
    v->home.store = NULL;
  }
}

snug_status snug__training_commit(snug_model *m) {
  snug__training *t = m->training;
  if (!t || snug__place_is_set(t->state)) {
    return SNUG_OK;
  }
  snug__queue *q = &t->ctx->queue;
  SNUG_TRY(snug__variables_stage(&m->variables));
  SNUG_TRY(q->device->take(q, SNUG__MEM_OPTIMIZER, (int64_t)t->state_bytes, &t->state));
  snug__variables_place(&m->variables, SNUG__STATE, t->state);
  snug_status s = open_slots(m);
  s = s ? s : reset_state(m);
  if (s) {
    forget_state(m);
  }
  return s;
}

snug__place snug__training_locate(void *model, snug__id variable) {
  return snug__variable_at(&((snug_model *)model)->variables, variable)->place;
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

/* A state of the optimizer; NULL if it is not there or has no bytes yet. */
static const snug__variable *optimizer_state(const snug_model *m, const char *name) {
  snug__id id = snug__variables_find(&m->variables, name);
  const snug__variable *v = id == SNUG_NONE ? NULL : snug__variable_at(&m->variables, id);
  return v && snug__place_is_set(v->place) ? v : NULL;
}

/* The number that a state of the optimizer has now, or another. */
static double state_or(const snug_model *m, const char *name, double other) {
  const snug__variable *v = optimizer_state(m, name);
  void *bytes = NULL;
  return v && !snug__variable_read(&m->variables, v, &bytes)
             ? snug__element_get(v->type.dtype, bytes, 0)
             : other;
}

/* The rate of a schedule for the next step; schedules follow the steps that were made, also where
 * several are accumulated for one update. */
static double scheduled_rate(const snug_model *m) {
  return snug__schedule_rate(&m->training->optimizer.schedule,
                             (int64_t)state_or(m, "optimizer/iteration", 0.0));
}

static snug_status set_rate(const snug_model *m, double rate) {
  const snug__variable *v = optimizer_state(m, "optimizer/learning_rate");
  snug__element_set(v->type.dtype, snug__variable_host(&m->variables, v), 0, rate);
  return snug__variable_write(&m->variables, v);
}

snug_status snug__training_set_rate(snug_model *m) {
  return m->training->optimizer.schedule.kind ? set_rate(m, scheduled_rate(m)) : SNUG_OK;
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
  double initial[1];
  snug_dtype dtype = snug__optimizer_rate_dtype(m->real);
  snug__element_set(dtype, initial, 0, m->training->optimizer.o.learning_rate);
  return state_or(m, "optimizer/learning_rate", snug__element_get(dtype, initial, 0));
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
  return set_rate(m, rate);
}
