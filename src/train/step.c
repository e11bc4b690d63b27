#include "train/step.h"

#include "ops/support.h"
#include "ops/unary.h"
#include "train/step_maker.h"

typedef snug__step_maker maker;

/* What belongs to a kind of step. */
typedef struct traits {
  bool training, has_loss, is_micro_batch;
} traits;

static const traits kinds[SNUG__STEP_KIND_COUNT] = {
    [SNUG__STEP_TRAIN] = {true, true, false},
    [SNUG__STEP_TEST] = {false, true, false},
    [SNUG__STEP_PREDICT] = {false, false, false},
    [SNUG__STEP_TRAIN_MICRO_BATCH] = {true, true, true},
    [SNUG__STEP_TEST_MICRO_BATCH] = {false, true, true},
    [SNUG__STEP_UPDATE] = {true, true, false},
    [SNUG__STEP_TRAIN_DIVISORS] = {true, false, true},
    [SNUG__STEP_TEST_DIVISORS] = {false, false, true},
};

/* ---- the place of a micro-batch in its batch ---- */

static snug_status emit_place(maker *k) {
  snug__graph *g = k->b.g;
  SNUG_TRY(snug__graph_layer(g, "batch", NULL));
  SNUG_TRY(snug__graph_input(g, "offset", snug__scalar(SNUG_INT64), &k->step.offset));
  SNUG_TRY(snug__graph_input(g, "whole", snug__scalar(SNUG_FLOAT64), &k->step.whole));
  k->b.micro_batch = (snug__micro_batch){k->step.offset, k->step.whole, k->step.batch};
  return k->step.kind == SNUG__STEP_TRAIN_MICRO_BATCH
             ? snug__graph_input(g, "keep", snug__scalar(SNUG_FLOAT32), &k->step.keep)
             : SNUG_OK;
}

/* ---- forward ---- */

static snug_status emit_forward(maker *k) {
  SNUG_TRY(snug__step_ids(k, k->m->inputs.n, &k->step.x));
  SNUG_TRY(snug__step_ids(k, k->m->outputs.n, &k->step.out));
  SNUG_TRY(snug__step_ids(k, k->m->outputs.n, &k->masks));
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
  SNUG_TRY(snug__step_ids(k, k->m->outputs.n, &k->step.y));
  SNUG_TRY(snug__graph_layer(g, "labels", NULL));
  for (size_t i = 0; i < k->m->outputs.n; i++) {
    snug__type type;
    SNUG_TRY(snug__loss_target(k->m->ctx, &k->m->training->losses[i],
                               snug__type_at(g, k->step.out[i]), &type));
    SNUG_TRY(snug__graph_input(g, "y", type, &k->step.y[i]));
  }
  snug__type weights = snug__type_of(k->m->real, 1, &k->step.batch);
  return weighted ? snug__graph_input(g, "sample_weight", weights, &k->step.weight) : SNUG_OK;
}

snug_status snug__step_add(maker *k, snug__id *sum, snug__id term) {
  if (term == SNUG_NONE) {
    return SNUG_OK;
  }
  if (*sum == SNUG_NONE) {
    *sum = term;
    return SNUG_OK;
  }
  return SNUG_EMIT(k->b.g, add, NULL, sum, *sum, term);
}

snug_status snug__step_penalize(maker *k, snug__id *sum) {
  const snug__training *t = k->m->training;
  for (size_t i = 0; i < t->n_trained; i++) {
    snug__id term = SNUG_NONE;
    SNUG_TRY(snug__regularizer_emit(&k->b, t->trained[i], &term));
    SNUG_TRY(snug__step_add(k, sum, term));
  }
  return SNUG_OK;
}

static bool is_counted(const maker *k, size_t i) {
  return snug__loss_is_counted(&k->m->training->losses[i], k->step.weight != SNUG_NONE,
                               k->masks[i] != SNUG_NONE);
}

/* The loss of an output as one scalar; in a micro-batch its share in that of the batch. */
static snug_status emit_scalar(maker *k, size_t i) {
  const snug__loss *loss = &k->m->training->losses[i];
  const snug__step *s = &k->step;
  if (!snug__step_is_micro_batch(k)) {
    return snug__loss_emit(&k->b, loss, s->y[i], s->out[i], s->weight, k->masks[i], &k->losses[i]);
  }
  if (is_counted(k, i)) {
    SNUG_TRY(snug__graph_input(k->b.g, "divisor", snug__scalar(SNUG_FLOAT64), &s->divisor[i]));
  }
  return snug__loss_emit_micro_batch(&k->b, loss, s->y[i], s->out[i], s->weight, k->masks[i],
                                     s->divisor[i], &k->losses[i]);
}

static snug_status emit_output_loss(maker *k, size_t i) {
  const snug__training *t = k->m->training;
  SNUG_TRY(emit_scalar(k, i));
  snug__id weighted = k->losses[i];
  if (t->loss_weights[i] != 1.0) {
    snug__scale_shift_params p = {t->loss_weights[i], 0.0};
    SNUG_TRY(SNUG_EMIT(k->b.g, scale_shift, &p, &weighted, weighted));
  }
  return snug__step_add(k, &k->total, weighted);
}

static snug_status open_divisors(maker *k) {
  SNUG_TRY(snug__step_ids(k, k->m->outputs.n, &k->step.divisor));
  for (size_t i = 0; i < k->m->outputs.n; i++) {
    k->step.divisor[i] = SNUG_NONE;
  }
  return SNUG_OK;
}

static snug_status emit_loss(maker *k) {
  SNUG_TRY(snug__step_ids(k, k->m->outputs.n, &k->losses));
  SNUG_TRY(open_divisors(k));
  SNUG_TRY(snug__graph_layer(k->b.g, "loss", NULL));
  for (size_t i = 0; i < k->m->outputs.n; i++) {
    SNUG_TRY(emit_output_loss(k, i));
  }
  for (size_t i = 0; i < k->b.terms.n; i++) {
    SNUG_TRY(snug__step_add(k, &k->total, SNUG_VEC(&k->b.terms, snug__id, i)));
  }
  return snug__step_penalize(k, snug__step_is_micro_batch(k) ? &k->penalty : &k->total);
}

static snug_status emit_divisors(maker *k) {
  const snug__step *s = &k->step;
  SNUG_TRY(open_divisors(k));
  SNUG_TRY(snug__graph_layer(k->b.g, "loss", NULL));
  for (size_t i = 0; i < k->m->outputs.n; i++) {
    if (is_counted(k, i)) {
      SNUG_TRY(snug__loss_emit_divisor(&k->b, &k->m->training->losses[i], s->y[i], s->out[i],
                                       s->weight, k->masks[i], &s->divisor[i]));
      SNUG_TRY(snug__graph_output(k->b.g, s->divisor[i]));
    }
  }
  return SNUG_OK;
}

bool snug__step_counts(const snug_model *m, const snug__step *step) {
  bool counts = false;
  for (size_t i = 0; i < m->outputs.n; i++) {
    counts = counts || step->divisor[i] != SNUG_NONE;
  }
  return counts;
}

/* ---- metrics ---- */

/* A loss of the whole batch stands for all its samples, or for one batch. */
static snug_status track_whole(maker *k, const char *name, snug__id scalar) {
  return snug__metric_track(&k->b, name, scalar, SNUG_NONE,
                            k->b.habits.equal_batches ? 1.0 : (double)k->step.batch);
}

/* In a micro-batch the loss is a share of the batch's: times batch / rows it is one that may stand
 * for the rows of the micro-batch.  Regularizers are the same in all of them. */
static snug_status track_share(maker *k, const char *name, snug__id scalar, snug__id penalty) {
  snug__id factor = SNUG_NONE;
  snug__id times = SNUG_NONE;
  double rows = (double)k->step.batch;
  SNUG_TRY(snug__build_per_batch(&k->b, 1.0 / rows, false, snug__type_at(k->b.g, scalar)->dtype,
                                 &factor));
  SNUG_TRY(SNUG_EMIT(k->b.g, multiply, NULL, &scalar, scalar, factor));
  SNUG_TRY(snug__step_add(k, &scalar, penalty));
  if (k->b.habits.equal_batches) {
    SNUG_TRY(snug__build_per_batch(&k->b, rows, true, SNUG_FLOAT32, &times));
  }
  return snug__metric_track(&k->b, name, scalar, times, times == SNUG_NONE ? rows : 1.0);
}

static snug_status emit_tracked(maker *k, const snug__tracked *t) {
  if (t->output < 0 || t->of_loss) {
    snug__id scalar = t->output < 0 ? k->total : k->losses[t->output];
    return snug__step_is_micro_batch(k)
               ? track_share(k, t->name, scalar, t->output < 0 ? k->penalty : SNUG_NONE)
               : track_whole(k, t->name, scalar);
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

/* ---- the step ---- */

static snug_status emit_batch(maker *k, bool weighted) {
  SNUG_TRY(kinds[k->step.kind].is_micro_batch ? emit_place(k) : SNUG_OK);
  SNUG_TRY(emit_forward(k));
  if (k->step.kind == SNUG__STEP_PREDICT) {
    return keep_outputs(k);
  }
  SNUG_TRY(emit_labels(k, weighted));
  if (!kinds[k->step.kind].has_loss) {
    return emit_divisors(k);
  }
  SNUG_TRY(emit_loss(k));
  return emit_metrics(k);
}

static snug_status emit_all(maker *k, bool weighted) {
  if (k->step.kind == SNUG__STEP_UPDATE) {
    return snug__step_emit_late_update(k);
  }
  SNUG_TRY(emit_batch(k, weighted));
  if (k->step.kind == SNUG__STEP_TRAIN_MICRO_BATCH) {
    return snug__step_emit_sums(k);
  }
  return k->step.kind == SNUG__STEP_TRAIN ? snug__step_emit_update(k) : SNUG_OK;
}

static const snug__step no_values = {
    .weight = SNUG_NONE, .offset = SNUG_NONE, .whole = SNUG_NONE, .keep = SNUG_NONE};

snug_status snug__step_build(snug_model *m, snug__step_kind kind, int64_t batch, bool weighted,
                             snug__graph **graph, snug__step *out) {
  maker k = {.m = m, .step = no_values, .total = SNUG_NONE, .penalty = SNUG_NONE};
  *graph = NULL;
  k.step.kind = kind;
  k.step.batch = batch;
  snug_status s = snug__build_open(&k.b, m->ctx, &m->variables, kinds[kind].training, m->real);
  k.b.trains = m->training ? m->training->trains : NULL;
  k.b.habits = m->habits;
  k.b.has_loss = kinds[kind].has_loss;
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
