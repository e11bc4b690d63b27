#include "keras/slots.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "model/optimizer_kind.h"

#define STATE_NAME_BYTES 512

/* The slots of each class: those of one text alternate from weight to weight. */
static const struct {
  const char *class_name, *groups[3];
} orders[] = {{"SGD", {"momentum"}},
              {"Adam", {"momentum velocity", "velocity_hat"}},
              {"AdamW", {"momentum velocity", "velocity_hat"}},
              {"RMSprop", {"velocity", "momentum", "average_gradient"}},
              {"Adagrad", {"accumulator"}},
              {"Adadelta", {"accumulated_grad accumulated_delta_var"}},
              {"Adamax", {"momentum norm"}},
              {"Nadam", {"momentum velocity"}},
              {"Lion", {"momentum"}},
              {"Ftrl", {"accumulator linear"}},
              {"Lamb", {"momentum velocity"}},
              {"Muon", {"momentum velocity"}}};

typedef struct listing {
  const snug_model *m;
  const snug__optimizer *o;
  snug__id *trained; /* in the order of the places */
  size_t n_trained;
  snug__vec *out;
} listing;

/* ---- the weights that are trained ---- */

/* Keras has slots for every weight of a layer that is trained, also for one that no output needs.
 */
static void mark_trained(const snug_model *m, bool *is_trained) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, i);
    const snug__layer *layer = snug__model_find_layer(m, v->layer);
    is_trained[i] =
        v->kind == SNUG__WEIGHT && v->trainable && layer && m->training->trains[layer->index];
  }
}

static void list_place(listing *l, const snug__keras_order *order, const snug__keras_place *place,
                       bool *is_trained) {
  size_t n = 0;
  const snug__id *weights = snug__keras_order_of(order, place, &n);
  for (size_t i = 0; i < n; i++) {
    if (is_trained[weights[i]]) { /* once: a layer may have two places */
      is_trained[weights[i]] = false;
      l->trained[l->n_trained++] = weights[i];
    }
  }
}

static snug_status list_trained(listing *l) {
  const snug_model *m = l->m;
  snug__keras_order order;
  bool *is_trained = NULL;
  SNUG_TRY(snug__keras_order_init(&order, m));
  snug_status s = SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, m->variables.list.n + 1, &is_trained);
  if (!s) {
    mark_trained(m, is_trained);
    for (size_t i = 0; i < m->keras->places.n; i++) {
      list_place(l, &order, &SNUG_VEC(&m->keras->places, snug__keras_place, i), is_trained);
    }
  }
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, is_trained, m->variables.list.n + 1);
  snug__keras_order_release(&order);
  return s;
}

/* ---- one variable ---- */

static snug_status add_single(listing *l, const char *name) {
  snug__id id = snug__variables_find(&l->m->variables, name);
  if (id == SNUG_NONE) {
    return snug__fail(l->m->ctx, SNUG_E_INTERNAL, "there is no variable '%s'", name);
  }
  snug__keras_slot slot = {id, snug__variable_at(&l->m->variables, id)->type, 0.0};
  return snug__vec_push(l->out, &slot, 1);
}

static snug_status add_slot(listing *l, snug__id weight, const char *slot_name, size_t n,
                            double initial) {
  char name[STATE_NAME_BYTES];
  const snug__variable *w = snug__variable_at(&l->m->variables, weight);
  snprintf(name, sizeof name, "optimizer/%.*s/%s", (int)n, slot_name, w->name);
  snug__keras_slot slot = {snug__variables_find(&l->m->variables, name), w->type, initial};
  return snug__vec_push(l->out, &slot, 1);
}

/* ---- groups of them ---- */

/* The kind's slot of a name that the options ask for; NULL if there is none. */
static const snug__optimizer_slot *find_slot(const snug__optimizer *o, const snug__variable *weight,
                                             const char *name, size_t n) {
  const snug__optimizer_kind *kind = snug__optimizer_kind_of(o, weight);
  for (const snug__optimizer_slot *k = kind->slots; k < kind->slots + SNUG__MAX_SLOTS && k->name;
       k++) {
    if (strlen(k->name) == n && memcmp(k->name, name, n) == 0) {
      return !k->is_used || k->is_used(&o->o) ? k : NULL;
    }
  }
  return NULL;
}

static snug_status add_of_weight(listing *l, snug__id weight, const char *names) {
  for (const char *at = names; *at;) {
    size_t n = strcspn(at, " ");
    const snug__optimizer_slot *k =
        find_slot(l->o, snug__variable_at(&l->m->variables, weight), at, n);
    if (k) {
      double initial = k->starts_at_accumulator_value ? l->o->o.initial_accumulator_value : 0.0;
      SNUG_TRY(add_slot(l, weight, at, n, initial));
    }
    at += n + (at[n] == ' ');
  }
  return SNUG_OK;
}

static snug_status add_groups(listing *l) {
  char name[SNUG__NAME_BYTES];
  size_t k = 0;
  snug__optimizer_name(l->o, name);
  while (k < SNUG_COUNT(orders) && strcmp(orders[k].class_name, name) != 0) {
    k++;
  }
  if (k == SNUG_COUNT(orders)) {
    return snug__fail(l->m->ctx, SNUG_E_UNSUPPORTED,
                      "the state of the optimizer %s cannot be kept in a file of Keras", name);
  }
  for (size_t g = 0; g < SNUG_COUNT(orders[k].groups) && orders[k].groups[g]; g++) {
    for (size_t i = 0; i < l->n_trained; i++) {
      SNUG_TRY(add_of_weight(l, l->trained[i], orders[k].groups[g]));
    }
  }
  return SNUG_OK;
}

static snug_status add_for_all(listing *l, bool average, bool accumulator) {
  for (size_t i = 0; i < l->n_trained; i++) {
    static const char mean[] = "average";
    static const char sum[] = "gradient_accumulator";
    if (average) {
      SNUG_TRY(add_slot(l, l->trained[i], mean, sizeof mean - 1, 0.0));
    }
    if (accumulator) {
      SNUG_TRY(add_slot(l, l->trained[i], sum, sizeof sum - 1, 0.0));
    }
  }
  return SNUG_OK;
}

static snug_status add_all(listing *l, bool is_old) {
  bool averages = l->o->o.use_ema;
  bool sums = l->o->o.gradient_accumulation_steps > 1;
  bool is_nadam = l->o->kind->op == &snug__op_nadam;
  SNUG_TRY(list_trained(l));
  SNUG_TRY(add_single(l, "optimizer/iteration"));
  SNUG_TRY(l->o->schedule.kind ? SNUG_OK : add_single(l, "optimizer/learning_rate"));
  SNUG_TRY(add_for_all(l, averages, is_old && averages && sums));
  SNUG_TRY(add_for_all(l, false, sums && !(is_old && averages)));
  if (is_nadam && is_old) {
    SNUG_TRY(add_single(l, "optimizer/u_product"));
  }
  SNUG_TRY(add_groups(l));
  return is_nadam && !is_old ? add_single(l, "optimizer/u_product") : SNUG_OK;
}

snug_status snug__keras_slots_list(const snug_model *m, bool is_old, snug__vec *out) {
  listing l = {.m = m, .o = &m->training->optimizer, .out = out};
  size_t n = m->variables.list.n;
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, n + 1, &l.trained));
  snug_status s = add_all(&l, is_old);
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, l.trained, n + 1);
  return s;
}

bool snug__keras_slots_are_old(const char *version) {
  int64_t major = 0;
  int64_t minor = 0;
  const char *at = version;
  if (!snug__read_int(&at, &major) || *at++ != '.' || !snug__read_int(&at, &minor)) {
    return false;
  }
  return major < 3 || (major == 3 && minor < 10);
}

size_t snug__keras_slots_unbuilt(const snug_model *m) {
  return m->training->optimizer.schedule.kind ? 1 : 2;
}
