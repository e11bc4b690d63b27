/* Scores made of sums per class: F scores and R2. */
#include <math.h>
#include <string.h>

#include "model/labels.h"
#include "model/metric_kind.h"
#include "ops/metric.h"
#include "ops/support.h"

#define EPSILON 1e-7 /* keras.config.epsilon(), in divisors */

const char *const snug__f_score_averages[] = {"none", "micro", "macro", "weighted", NULL};
enum { NO_AVERAGE, MICRO, MACRO, WEIGHTED };

const char *const snug__r2_aggregations[] = {"none", "uniform_average", "variance_weighted_average",
                                             NULL};
enum { NO_AGGREGATION, UNIFORM, BY_VARIANCE };

/* The state of so many sums per class; one that does not fit is the op's to complain of. */
static snug_status open_sums(snug__build *b, const char *name, int64_t rows, snug__id y,
                             snug__metric_slot *out) {
  const snug__type *t = snug__type_at(b->g, y);
  const int64_t shape[] = {rows, t->rank ? t->dim[t->rank - 1] : 0};
  return snug__metric_state(b, name, "sums", snug__type_of(SNUG_FLOAT64, 2, shape), out);
}

/* ---- F scores ---- */

snug_status snug__emit_f_score(snug__build *b, const snug__metric *m, const char *name, snug__id t,
                               snug__id y, snug__id weights) {
  snug__f_score_update_params p = {m->o.threshold};
  snug__metric_slot sums;
  snug__id out = SNUG_NONE;
  SNUG_TRY(open_sums(b, name, 3, y, &sums));
  SNUG_TRY(snug__fit_labels(b, &t, &y));
  SNUG_TRY(snug__fit_weights(b, &weights, y));
  SNUG_TRY(SNUG_EMIT(b->g, f_score_update, &p, &out, sums.value, t, y, weights));
  return snug__build_written(b, sums.variable, out);
}

static double f_score(double beta, double hits, double false_alarms, double misses) {
  double precision = hits / (hits + false_alarms + EPSILON);
  double recall = hits / (hits + misses + EPSILON);
  double squared = beta * beta;
  return (1.0 + squared) * precision * recall / (squared * precision + recall + EPSILON);
}

/* Without an average, Keras shows the mean of the classes, too. */
snug_status snug__f_score_result(const snug__metric *m, const snug__variables *v, const char *name,
                                 double *out) {
  const snug__variable *state = NULL;
  double all[3] = {0.0, 0.0, 0.0};
  double sum = 0.0;
  double weighted = 0.0;
  double support = 0.0;
  const void *sums = NULL;
  SNUG_TRY(snug__metric_data(v, name, "sums", &state, &sums));
  int64_t n = state->type.dim[1];
  const double *hits = sums, *false_alarms = hits + n, *misses = false_alarms + n;
  for (int64_t c = 0; c < n; c++) {
    double score = f_score(m->o.beta, hits[c], false_alarms[c], misses[c]);
    all[0] += hits[c];
    all[1] += false_alarms[c];
    all[2] += misses[c];
    sum += score;
    weighted += score * (hits[c] + misses[c]);
    support += hits[c] + misses[c];
  }
  *out = m->o.average == MICRO      ? f_score(m->o.beta, all[0], all[1], all[2])
         : m->o.average == WEIGHTED ? weighted / (support + EPSILON)
         : n                        ? sum / (double)n
                                    : 0.0;
  return SNUG_OK;
}

/* ---- R2 ---- */

snug_status snug__emit_r2(snug__build *b, const snug__metric *m, const char *name, snug__id t,
                          snug__id y, snug__id weights) {
  snug__metric_slot sums, numbers;
  snug__id out[2];
  (void)m;
  SNUG_TRY(snug__fit_labels(b, &t, &y));
  SNUG_TRY(snug__fit_weights(b, &weights, y));
  SNUG_TRY(open_sums(b, name, 4, y, &sums));
  SNUG_TRY(snug__metric_state(b, name, "num_samples", snug__scalar(SNUG_FLOAT64), &numbers));
  const snug__id in[] = {sums.value, numbers.value, t, y, weights};
  SNUG_TRY(snug__graph_add(b->g, &snug__op_r2_update, NULL, in, 5, out, 2));
  SNUG_TRY(snug__build_written(b, sums.variable, out[0]));
  return snug__build_written(b, numbers.variable, out[1]);
}

/* Less for every number that the prediction was made of; Keras counts all labels of a sample. */
static double adjusted(double r2, double n, double regressors) {
  return regressors > 0.0 && regressors < n - 1.0
             ? 1.0 - (1.0 - r2) * (n - 1.0) / (n - regressors - 1.0)
             : r2;
}

snug_status snug__r2_result(const snug__metric *m, const snug__variables *v, const char *name,
                            double *out) {
  const snug__variable *state = NULL;
  const snug__variable *numbers_state = NULL;
  const void *sums = NULL;
  const void *numbers = NULL;
  double scores = 0.0;
  double weighted = 0.0;
  double variances = 0.0;
  SNUG_TRY(snug__metric_data(v, name, "sums", &state, &sums));
  SNUG_TRY(snug__metric_data(v, name, "num_samples", &numbers_state, &numbers));
  int64_t n = state->type.dim[1];
  const double *sum = sums, *squares = sum + n, *residual = squares + n;
  const double *count = residual + n;
  for (int64_t c = 0; c < n; c++) {
    double variance = squares[c] - sum[c] * (sum[c] / count[c]);
    double score = 1.0 - residual[c] / variance;
    score = isinf(score) ? 0.0 : score;
    scores += score;
    weighted += variance * score;
    variances += variance;
  }
  double r2 = m->o.class_aggregation == BY_VARIANCE ? weighted / variances : scores / (double)n;
  *out = adjusted(r2, *(const double *)numbers, (double)m->o.num_regressors);
  return SNUG_OK;
}
