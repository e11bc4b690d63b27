/* The second half of a training step: gradients, and what becomes of them. */
#include "grad/grad.h"
#include "ops/optimizer.h"
#include "ops/support.h"
#include "train/step_maker.h"

typedef snug__step_maker maker;

/* Weights and their gradients, one per trained variable. */
typedef struct gradients {
  snug__id *weight, *gradient; /* SNUG_NONE: the loss does not depend on it */
} gradients;

static snug_status open(maker *k, gradients *g) {
  const snug__training *t = k->m->training;
  SNUG_TRY(snug__step_ids(k, t->n_trained, &g->weight));
  SNUG_TRY(snug__step_ids(k, t->n_trained, &g->gradient));
  for (size_t i = 0; i < t->n_trained; i++) {
    g->gradient[i] = SNUG_NONE;
    SNUG_TRY(snug__build_variable(&k->b, t->trained[i], &g->weight[i]));
  }
  return SNUG_OK;
}

static snug_status differentiate(maker *k, snug__id loss, gradients *g) {
  const snug__training *t = k->m->training;
  snug__id scaled = SNUG_NONE;
  SNUG_TRY(snug__optimizer_scale_loss(&k->b, &t->optimizer, loss, &scaled));
  return snug__grad_append(k->b.g, scaled, g->weight, t->n_trained, g->gradient);
}

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

static snug_status emit_optimizer(maker *k, const gradients *g) {
  const snug__training *t = k->m->training;
  SNUG_TRY(snug__graph_layer(k->b.g, "optimizer", NULL));
  SNUG_TRY(snug__optimizer_emit(&k->b, &t->optimizer, t->trained, g->gradient, t->n_trained));
  return emit_step_count(k);
}

snug_status snug__step_emit_update(maker *k) {
  gradients g;
  SNUG_TRY(open(k, &g));
  SNUG_TRY(differentiate(k, k->total, &g));
  return emit_optimizer(k, &g);
}

/* ---- sums over micro-batches ---- */

/* The sum of a weight's gradients, which is the weight's layer's. */
static snug_status open_sum(maker *k, size_t i, snug__id weight, snug__id *out) {
  const snug__variable *v = snug__variable_at(&k->m->variables, k->m->training->trained[i]);
  k->b.g->layer = snug__value_at(k->b.g, weight)->layer;
  return snug__graph_variable(k->b.g, v->name, SNUG__STATE, SNUG__CLASS_GRADIENTS, v->type,
                              (snug__id)(k->m->variables.list.n + i), out);
}

snug_status snug__step_emit_sums(maker *k) {
  const snug__training *t = k->m->training;
  gradients g;
  SNUG_TRY(open(k, &g));
  SNUG_TRY(differentiate(k, k->total, &g));
  for (size_t i = 0; i < t->n_trained; i++) {
    snug__id sum = SNUG_NONE;
    t->summed[i] = g.gradient[i] != SNUG_NONE;
    if (t->summed[i]) {
      SNUG_TRY(open_sum(k, i, g.weight[i], &sum));
      SNUG_TRY(SNUG_EMIT(k->b.g, accumulate, NULL, &sum, sum, g.gradient[i], k->step.keep));
    }
  }
  return SNUG_OK;
}

/* The gradient of a whole batch: what its micro-batches added up, and the regularizer's. */
static snug_status join(maker *k, size_t i, gradients *g) {
  snug__id sum = SNUG_NONE;
  if (!k->m->training->summed[i]) {
    return SNUG_OK;
  }
  SNUG_TRY(open_sum(k, i, g->weight[i], &sum));
  if (g->gradient[i] != SNUG_NONE) {
    SNUG_TRY(SNUG_EMIT(k->b.g, accumulate, NULL, &sum, sum, g->gradient[i]));
  }
  g->gradient[i] = sum;
  return SNUG_OK;
}

snug_status snug__step_emit_late_update(maker *k) {
  gradients g;
  SNUG_TRY(open(k, &g));
  SNUG_TRY(snug__graph_layer(k->b.g, "loss", NULL));
  SNUG_TRY(snug__step_penalize(k, &k->penalty));
  SNUG_TRY(k->penalty == SNUG_NONE ? SNUG_OK : differentiate(k, k->penalty, &g));
  for (size_t i = 0; i < k->m->training->n_trained; i++) {
    SNUG_TRY(join(k, i, &g));
  }
  return emit_optimizer(k, &g);
}
