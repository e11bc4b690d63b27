#include "train/step.h"

#include "grad/grad.h"
#include "ops/optimizer.h"
#include "ops/support.h"
#include "ops/unary.h"

/* A step in the making. */
typedef struct maker {
  snug_model *m;
  snug__build b;
  snug__step_kind kind;
  snug__step step;
  snug__id *masks;  /* per output: its mask, or SNUG_NONE */
  snug__id *losses; /* per output: its scalar */
  snug__id total;   /* what is minimized */
} maker;

static snug_status take_ids(maker *k, size_t n, snug__id **out) {
  return snug__arena_take(&k->b.g->arena, n * sizeof **out, (void **)out);
}

/* ---- forward ---- */

static snug_status emit_forward(maker *k) {
  SNUG_TRY(take_ids(k, k->m->inputs.n, &k->step.x));
  SNUG_TRY(take_ids(k, k->m->outputs.n, &k->step.out));
  SNUG_TRY(take_ids(k, k->m->outputs.n, &k->masks));
  return snug__model_emit(k->m, &k->b, k->step.batch, k->step.x, k->step.out, k->masks);
}

static snug_status keep_outputs(maker *k) {
  for (size_t i = 0; i < k->m->outputs.n; i++) {
    SNUG_TRY(snug__graph_output(k->b.g, k->step.out[i]));
  }
  return SNUG_OK;
}

/* ---- labels and losses ---- */

static snug_status emit_labels(maker *k, bool weighted) {
  snug__graph *g = k->b.g;
  SNUG_TRY(take_ids(k, k->m->outputs.n, &k->step.y));
  SNUG_TRY(snug__graph_layer(g, "labels", NULL));
  for (size_t i = 0; i < k->m->outputs.n; i++) {
    snug__type type;
    SNUG_TRY(snug__loss_target(k->m->ctx, &k->m->training->losses[i],
                               snug__type_at(g, k->step.out[i]), &type));
    SNUG_TRY(snug__graph_input(g, "y", type, &k->step.y[i]));
  }
  k->step.weight = SNUG_NONE;
  snug__type weights = snug__type_of(k->m->real, 1, &k->step.batch);
  return weighted ? snug__graph_input(g, "sample_weight", weights, &k->step.weight) : SNUG_OK;
}

/* total += term, either of which may be missing. */
static snug_status add_term(maker *k, snug__id term) {
  if (term == SNUG_NONE) {
    return SNUG_OK;
  }
  if (k->total == SNUG_NONE) {
    k->total = term;
    return SNUG_OK;
  }
  return SNUG_EMIT(k->b.g, add, NULL, &k->total, k->total, term);
}

static snug_status emit_output_loss(maker *k, size_t i) {
  const snug__training *t = k->m->training;
  snug__id weighted = SNUG_NONE;
  SNUG_TRY(snug__loss_emit(&k->b, &t->losses[i], k->step.y[i], k->step.out[i], k->step.weight,
                           k->masks[i], &k->losses[i]));
  weighted = k->losses[i];
  if (t->loss_weights[i] != 1.0) {
    snug__scale_shift_params p = {t->loss_weights[i], 0.0};
    SNUG_TRY(SNUG_EMIT(k->b.g, scale_shift, &p, &weighted, weighted));
  }
  return add_term(k, weighted);
}

static snug_status emit_loss(maker *k) {
  SNUG_TRY(take_ids(k, k->m->outputs.n, &k->losses));
  SNUG_TRY(snug__graph_layer(k->b.g, "loss", NULL));
  k->total = SNUG_NONE;
  for (size_t i = 0; i < k->m->outputs.n; i++) {
    SNUG_TRY(emit_output_loss(k, i));
  }
  for (size_t i = 0; i < k->b.terms.n; i++) {
    SNUG_TRY(add_term(k, SNUG_VEC(&k->b.terms, snug__id, i)));
  }
  for (size_t i = 0; i < k->m->training->n_trained; i++) {
    snug__id term = SNUG_NONE;
    SNUG_TRY(snug__regularizer_emit(&k->b, k->m->training->trained[i], &term));
    SNUG_TRY(add_term(k, term));
  }
  return SNUG_OK;
}

/* ---- metrics ---- */

static snug_status emit_tracked(maker *k, const snug__tracked *t) {
  if (t->output < 0 || t->of_loss) {
    snug__id scalar = t->output < 0 ? k->total : k->losses[t->output];
    return snug__metric_track(&k->b, t->name, scalar,
                              k->b.habits.equal_batches ? 1.0 : (double)k->step.batch);
  }
  snug__id weights = t->weighted ? k->step.weight : SNUG_NONE;
  bool masked = weights != SNUG_NONE || !k->b.habits.unmasked_metrics;
  return snug__metric_emit(&k->b, &t->metric, t->name, k->step.y[t->output], k->step.out[t->output],
                           weights, masked ? k->masks[t->output] : SNUG_NONE);
}

static snug_status emit_metrics(maker *k) {
  const snug__training *t = k->m->training;
  SNUG_TRY(snug__graph_layer(k->b.g, "metrics", NULL));
  for (size_t i = 0; i < t->tracked.n; i++) {
    SNUG_TRY(emit_tracked(k, &SNUG_VEC(&t->tracked, snug__tracked, i)));
  }
  return SNUG_OK;
}

/* ---- backward and update ---- */

static snug_status emit_step_count(maker *k) {
  snug__id variable = snug__variables_find(&k->m->variables, "random/step");
  snug__id value = SNUG_NONE;
  snug__increment_params one = {1};
  if (variable == SNUG_NONE) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__build_variable(&k->b, variable, &value));
  SNUG_TRY(SNUG_EMIT(k->b.g, increment, &one, &value, value));
  return snug__build_written(&k->b, variable, value);
}

static snug_status emit_update(maker *k) {
  const snug__training *t = k->m->training;
  snug__id *values = NULL;
  snug__id *gradients = NULL;
  snug__id scaled = SNUG_NONE;
  SNUG_TRY(take_ids(k, t->n_trained, &values));
  SNUG_TRY(take_ids(k, t->n_trained, &gradients));
  for (size_t i = 0; i < t->n_trained; i++) {
    SNUG_TRY(snug__build_variable(&k->b, t->trained[i], &values[i]));
  }
  SNUG_TRY(snug__optimizer_scale_loss(&k->b, &t->optimizer, k->total, &scaled));
  SNUG_TRY(snug__grad_append(k->b.g, scaled, values, t->n_trained, gradients));
  SNUG_TRY(snug__graph_layer(k->b.g, "optimizer", NULL));
  SNUG_TRY(snug__optimizer_emit(&k->b, &t->optimizer, t->trained, gradients, t->n_trained));
  return emit_step_count(k);
}

static snug_status emit_all(maker *k, bool weighted) {
  SNUG_TRY(emit_forward(k));
  if (k->kind == SNUG__STEP_PREDICT) {
    return keep_outputs(k);
  }
  SNUG_TRY(emit_labels(k, weighted));
  SNUG_TRY(emit_loss(k));
  SNUG_TRY(emit_metrics(k));
  return k->kind == SNUG__STEP_TRAIN ? emit_update(k) : SNUG_OK;
}

snug_status snug__step_build(snug_model *m, snug__step_kind kind, int64_t batch, bool weighted,
                             snug__graph **graph, snug__step *out) {
  maker k = {.m = m, .kind = kind, .step = {.weight = SNUG_NONE, .batch = batch}};
  *graph = NULL;
  snug_status s = snug__build_open(&k.b, m->ctx, &m->variables, kind == SNUG__STEP_TRAIN, m->real);
  k.b.trains = m->training ? m->training->trains : NULL;
  k.b.habits = m->habits;
  k.b.has_loss = kind != SNUG__STEP_PREDICT;
  s = s ? s : emit_all(&k, weighted);
  s = s ? s : snug__graph_verify(k.b.g);
  if (!s) {
    *graph = k.b.g;
    *out = k.step;
    k.b.g = NULL;
  }
  snug__build_close(&k.b);
  return s;
}
