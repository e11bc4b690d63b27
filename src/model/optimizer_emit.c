/* The step of an optimizer as nodes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/optimizer_kind.h"
#include "ops/reduce.h"
#include "ops/regularize.h"
#include "ops/relayout.h"
#include "ops/unary.h"

#define STATE_NAME_BYTES 512

/* A state: its variable and its value in the graph. */
typedef struct state {
  snug__id variable, value;
} state;

typedef struct emission {
  snug__build *b;
  const snug__optimizer *o;
  state rate, iteration, product; /* product: nadam's, else absent */
  snug__id adam_rate;             /* Muon's for what is no matrix */
  snug__id enabled;               /* SNUG_NONE: every step updates */
  snug__id scale;                 /* of all gradients, by their global norm; or SNUG_NONE */
  int64_t steps;                  /* accumulated */
  double factor;                  /* of the gradients, before clipping */
} emission;

/* One weight on its way through the step. */
typedef struct weight {
  snug__id variable, value, gradient;
  state accumulator; /* with accumulation */
} weight;

/* ---- states ---- */

static snug_status open_state(emission *e, const char *name, const char *layer, snug__type type,
                              double initial, state *out) {
  SNUG_TRY(snug__build_state(e->b, name, layer, type, initial, &out->variable));
  return snug__build_variable(e->b, out->variable, &out->value);
}

static snug_status open_slot(emission *e, const char *slot, const weight *w, double initial,
                             state *out) {
  char name[STATE_NAME_BYTES];
  const snug__variable *v = snug__variable_at(e->b->variables, w->variable);
  const char *layer = v->layer;
  snug__type type = v->type;
  snprintf(name, sizeof name, "optimizer/%s/%s", slot, v->name);
  return open_state(e, name, layer, type, initial, out);
}

static snug_status written(emission *e, state *s, snug__id value) {
  s->value = value;
  return snug__build_written(e->b, s->variable, value);
}

static snug_status open(emission *e) {
  snug__type rate = snug__scalar(snug__optimizer_rate_dtype(e->b->real));
  SNUG_TRY(open_state(e, "optimizer/iteration", "", snug__scalar(SNUG_INT64), 0.0, &e->iteration));
  SNUG_TRY(open_state(e, "optimizer/learning_rate", "", rate, e->o->o.learning_rate, &e->rate));
  if (e->o->kind->op == &snug__op_nadam) {
    SNUG_TRY(open_state(e, "optimizer/u_product", "", rate, 1.0, &e->product));
  }
  if (e->o->kind->of_matrix) {
    snug__scale_shift_params ratio = {e->o->o.adam_lr_ratio, 0.0};
    SNUG_TRY(SNUG_EMIT(e->b->g, scale_shift, &ratio, &e->adam_rate, e->rate.value));
  }
  if (e->steps > 1) {
    snug__every_params p = {e->steps};
    SNUG_TRY(SNUG_EMIT(e->b->g, every, &p, &e->enabled, e->iteration.value));
  }
  return SNUG_OK;
}

/* ---- what comes before the update ---- */

static snug_status accumulate(emission *e, weight *w) {
  snug__id sum = SNUG_NONE;
  if (e->steps <= 1) {
    return SNUG_OK;
  }
  SNUG_TRY(open_slot(e, "gradient_accumulator", w, 0.0, &w->accumulator));
  SNUG_TRY(SNUG_EMIT(e->b->g, accumulate, NULL, &sum, w->accumulator.value, w->gradient));
  w->gradient = sum;
  return written(e, &w->accumulator, sum);
}

static snug_status sum_squares(emission *e, snug__id gradient, snug__id *out) {
  snug__reduce_params p;
  memset(&p, 0, sizeof p);
  return SNUG_EMIT(e->b->g, sum_squares, &p, out, gradient);
}

static snug_status clip_scale(emission *e, snug__id squares, double norm, bool is_global,
                              snug__id *out) {
  snug__clip_scale_params p;
  memset(&p, 0, sizeof p);
  p.clipnorm = norm;
  p.factor = e->factor;
  p.is_global = is_global;
  return SNUG_EMIT(e->b->g, clip_scale, &p, out, squares);
}

static snug_status scale_globally(emission *e, const weight *list, size_t n) {
  snug__id total = SNUG_NONE;
  if (e->o->o.global_clipnorm == 0.0) {
    return SNUG_OK;
  }
  for (size_t i = 0; i < n; i++) {
    snug__id squares = SNUG_NONE;
    if (list[i].gradient != SNUG_NONE) {
      SNUG_TRY(sum_squares(e, list[i].gradient, &squares));
      SNUG_TRY(total == SNUG_NONE ? SNUG_OK
                                  : SNUG_EMIT(e->b->g, add, NULL, &squares, total, squares));
      total = squares;
    }
  }
  return total == SNUG_NONE ? SNUG_OK
                            : clip_scale(e, total, e->o->o.global_clipnorm, true, &e->scale);
}

static snug_status scale_of(emission *e, const weight *w, snug__id *out) {
  snug__id squares = SNUG_NONE;
  *out = e->scale;
  if (e->o->o.clipnorm == 0.0) {
    return SNUG_OK;
  }
  SNUG_TRY(sum_squares(e, w->gradient, &squares));
  return clip_scale(e, squares, e->o->o.clipnorm, false, out);
}

/* ---- the update ---- */

static snug__update_params update_params(const emission *e) {
  const snug__optimizer_options *o = &e->o->o;
  snug__update_params p;
  memset(&p, 0, sizeof p);
  p.weight_decay = o->weight_decay;
  p.clipvalue = o->clipvalue;
  p.gradient_factor = e->factor;
  p.accumulation_steps = e->steps;
  p.momentum = o->momentum;
  p.nesterov = o->nesterov;
  p.rho = o->rho;
  p.epsilon = o->epsilon;
  p.beta_1 = o->beta_1;
  p.beta_2 = o->beta_2;
  p.learning_rate_power = o->learning_rate_power;
  p.l1 = o->l1;
  p.l2 = o->l2;
  p.l2_shrinkage = o->l2_shrinkage;
  p.beta = o->beta;
  return p;
}

/* The slots of a weight, value SNUG_NONE where not used; returns how many the op takes. */
static snug_status open_slots(emission *e, const snug__optimizer_kind *kind, const weight *w,
                              state slots[SNUG__MAX_SLOTS], int32_t *n) {
  const snug__optimizer_slot *kinds = kind->slots;
  for (*n = 0; *n < SNUG__MAX_SLOTS && kinds[*n].name; ++*n) {
    const snug__optimizer_slot *k = &kinds[*n];
    slots[*n] = (state){SNUG_NONE, SNUG_NONE};
    if (!k->is_used || k->is_used(&e->o->o)) {
      double initial = k->starts_at_accumulator_value ? e->o->o.initial_accumulator_value : 0.0;
      SNUG_TRY(open_slot(e, k->name, w, initial, &slots[*n]));
    }
  }
  return SNUG_OK;
}

static snug_status add_update(emission *e, weight *w, state *slots, int32_t n, snug__id scale) {
  const snug__op *op = e->o->kind->op;
  bool is_muon = e->o->kind->of_matrix;
  snug__update_params p = update_params(e);
  snug__id in[2 + SNUG__MAX_SLOTS + 5] = {w->value, w->gradient};
  snug__id out[1 + SNUG__MAX_SLOTS];
  int32_t n_in = 2;
  int32_t n_out = 1;
  for (int32_t k = 0; k < n; k++) {
    in[n_in++] = slots[k].value;
    n_out = slots[k].value == SNUG_NONE ? n_out : 2 + k; /* up to the last that is used */
  }
  if (op == &snug__op_nadam) {
    in[n_in++] = e->product.value;
  }
  if (is_muon) { /* its decay goes by the whole rate */
    p.weight_decay = e->o->o.adam_weight_decay / e->o->o.adam_lr_ratio;
  }
  in[n_in++] = is_muon ? e->adam_rate : e->rate.value;
  in[n_in++] = e->iteration.value;
  in[n_in++] = scale;
  in[n_in++] = e->enabled;
  SNUG_TRY(snug__graph_add(e->b->g, op, &p, in, n_in, out, n_out));
  w->value = out[0];
  for (int32_t k = 0; k + 1 < n_out; k++) {
    if (slots[k].value != SNUG_NONE) {
      SNUG_TRY(written(e, &slots[k], out[1 + k]));
    }
  }
  return snug__build_written(e->b, w->variable, w->value);
}

/* A matrix moves by an orthogonal one, whose elements are made about rms_rate in size. */
static snug_status add_orthogonal(emission *e, weight *w, state *momentum, snug__id scale) {
  const snug__optimizer_options *o = &e->o->o;
  const snug__type *t = snug__type_at(e->b->g, w->value);
  double longer = (double)(t->dim[0] > t->dim[1] ? t->dim[0] : t->dim[1]);
  snug__update_params p = update_params(e);
  snug__id moved[2];
  snug__id direction = SNUG_NONE;
  const snug__id in[] = {momentum->value, w->gradient, scale, e->enabled};
  SNUG_TRY(snug__graph_add(e->b->g, &snug__op_muon_momentum, &p, in, 4, moved, 2));
  SNUG_TRY(written(e, momentum, moved[0]));
  SNUG_TRY(snug__optimizer_orthogonal(e->b->g, o, moved[1], &direction));
  p.clipvalue = 0.0;
  p.gradient_factor = o->rms_rate > 0.0 ? sqrt(longer) * o->rms_rate : 1.0;
  SNUG_TRY(SNUG_EMIT(e->b->g, sgd, &p, &w->value, w->value, direction, e->rate.value,
                     e->iteration.value, SNUG_NONE, e->enabled));
  return snug__build_written(e->b, w->variable, w->value);
}

static snug_status update(emission *e, weight *w) {
  const snug__optimizer_kind *kind =
      snug__optimizer_kind_of(e->o, snug__variable_at(e->b->variables, w->variable));
  state slots[SNUG__MAX_SLOTS];
  int32_t n = 0;
  snug__id scale = SNUG_NONE;
  snug__id cleared = SNUG_NONE;
  SNUG_TRY(scale_of(e, w, &scale));
  SNUG_TRY(open_slots(e, kind, w, slots, &n));
  SNUG_TRY(kind == e->o->kind ? add_update(e, w, slots, n, scale)
                              : add_orthogonal(e, w, &slots[0], scale));
  if (e->steps <= 1) {
    return SNUG_OK;
  }
  SNUG_TRY(SNUG_EMIT(e->b->g, clear, NULL, &cleared, w->accumulator.value, e->enabled));
  return written(e, &w->accumulator, cleared);
}

/* ---- what comes after ---- */

static snug_status average(emission *e, weight *w) {
  const snug__optimizer_options *o = &e->o->o;
  snug__ema_params p = {o->ema_momentum, e->steps, 1};
  state mean;
  snug__id new_mean = SNUG_NONE;
  if (!o->use_ema) {
    return SNUG_OK;
  }
  SNUG_TRY(open_slot(e, "average", w, 0.0, &mean));
  SNUG_TRY(SNUG_EMIT(e->b->g, ema_update, &p, &new_mean, mean.value, w->value, e->iteration.value));
  SNUG_TRY(written(e, &mean, new_mean));
  if (!o->ema_overwrite_frequency) {
    return SNUG_OK;
  }
  p.frequency = o->ema_overwrite_frequency;
  SNUG_TRY(
      SNUG_EMIT(e->b->g, ema_overwrite, &p, &w->value, w->value, new_mean, e->iteration.value));
  return snug__build_written(e->b, w->variable, w->value);
}

static snug_status constrain(emission *e, weight *w) {
  const snug__constraint *c = &snug__variable_at(e->b->variables, w->variable)->constraint;
  snug__constrain_params p;
  if (c->kind == SNUG__CONSTRAINT_NONE) {
    return SNUG_OK;
  }
  memset(&p, 0, sizeof p);
  p.kind = (int32_t)c->kind - (int32_t)SNUG__CONSTRAINT_MAX_NORM; /* the lists have one order */
  p.min_value = c->min_value;
  p.max_value = c->max_value;
  p.rate = c->rate;
  p.axes = c->axes;
  SNUG_TRY(SNUG_EMIT(e->b->g, constrain, &p, &w->value, w->value));
  return snug__build_written(e->b, w->variable, w->value);
}

static snug_status move_on(emission *e) {
  snug__increment_params by = {1};
  snug__id next = SNUG_NONE;
  if (e->o->kind->op == &snug__op_nadam) {
    snug__nadam_product_params p = {e->o->o.beta_1, e->steps};
    SNUG_TRY(SNUG_EMIT(e->b->g, nadam_product, &p, &next, e->product.value, e->iteration.value,
                       e->enabled));
    SNUG_TRY(written(e, &e->product, next));
  }
  SNUG_TRY(SNUG_EMIT(e->b->g, increment, &by, &next, e->iteration.value));
  return written(e, &e->iteration, next);
}

/* ---- the step ---- */

static snug_status step_one(emission *e, weight *w) {
  snug__id layer = e->b->g->layer;
  e->b->g->layer = snug__value_at(e->b->g, w->value)->layer;
  snug_status s = SNUG_OK;
  if (w->gradient != SNUG_NONE) {
    s = e->o->o.global_clipnorm == 0.0 ? accumulate(e, w) : SNUG_OK;
    s = s ? s : update(e, w);
  }
  s = s ? s : average(e, w);
  if (w->gradient != SNUG_NONE) {
    s = s ? s : constrain(e, w);
  }
  e->b->g->layer = layer;
  return s;
}

static snug_status step_all(emission *e, weight *list, size_t n) {
  if (e->o->o.global_clipnorm != 0.0) { /* all gradients must be there before the first update */
    for (size_t i = 0; i < n; i++) {
      SNUG_TRY(list[i].gradient == SNUG_NONE ? SNUG_OK : accumulate(e, &list[i]));
    }
    SNUG_TRY(scale_globally(e, list, n));
  }
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(step_one(e, &list[i]));
  }
  return move_on(e);
}

static snug_status emit_all(emission *e, const snug__id *variables, const snug__id *gradients,
                            snug__vec *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    weight w = {variables[i], SNUG_NONE, gradients[i], {SNUG_NONE, SNUG_NONE}};
    SNUG_TRY(snug__build_variable(e->b, w.variable, &w.value));
    SNUG_TRY(snug__vec_push(list, &w, 1));
  }
  SNUG_TRY(open(e));
  return step_all(e, list->data, n);
}

snug_status snug__optimizer_scale_loss(snug__build *b, const snug__optimizer *o, snug__id loss,
                                       snug__id *out) {
  snug__scale_shift_params p = {o->o.loss_scale_factor, 0.0};
  *out = loss;
  return p.scale > 0.0 ? SNUG_EMIT(b->g, scale_shift, &p, out, loss) : SNUG_OK;
}

snug_status snug__optimizer_emit(snug__build *b, const snug__optimizer *o,
                                 const snug__id *variables, const snug__id *gradients, size_t n) {
  const snug__optimizer_options *p = &o->o;
  int64_t steps = p->gradient_accumulation_steps > 1 ? p->gradient_accumulation_steps : 1;
  emission e = {
      .b = b,
      .o = o,
      .enabled = SNUG_NONE,
      .scale = SNUG_NONE,
      .steps = steps,
      .factor = 1.0 / (double)steps / (p->loss_scale_factor > 0.0 ? p->loss_scale_factor : 1.0)};
  snug__vec list;
  snug__vec_init(&list, b->ctx, SNUG__MEM_SCRATCH, sizeof(weight), SIZE_MAX / sizeof(weight));
  snug_status s = emit_all(&e, variables, gradients, &list, n);
  snug__vec_release(&list);
  return s;
}

snug_status snug__optimizer_finalize(const snug__optimizer *o, const snug__variables *variables,
                                     const snug__id *trained, size_t n) {
  for (size_t i = 0; o->o.use_ema && i < n; i++) {
    char name[STATE_NAME_BYTES];
    const snug__variable *w = snug__variable_at(variables, trained[i]);
    snprintf(name, sizeof name, "optimizer/average/%s", w->name);
    snug__id id = snug__variables_find(variables, name);
    const snug__variable *mean = id == SNUG_NONE ? NULL : snug__variable_at(variables, id);
    if (!mean || !snug__place_is_set(mean->place) || !snug__place_is_set(w->place)) {
      return snug__fail(variables->ctx, SNUG_E_STATE, "%s: there is no average of it yet", w->name);
    }
    SNUG_TRY(snug__variable_copy(variables, w, mean));
  }
  return SNUG_OK;
}
