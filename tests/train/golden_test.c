/* fit, evaluate and predict against whole runs of Keras (see tools/gen_fit_cases.py).
 *
 * float64: weights within 1e-7 and logs within 1e-6, relative, unless a case says otherwise.
 * SNUG_TEST_CASE=name restricts a run by hand to one case. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/golden.h"

#define PREDICT_ROWS 3
#define PREDICT_BATCH 2
#define EVALUATE_BATCH 3

/* Below this a value is compared absolutely: sums that cancel have no relative precision. */
#define SMALL 1e-2

/* What differs in one case; all of it is told before the test fails. */
typedef struct verdict {
  const golden_case *c;
  int wrong;
  size_t batch; /* how many have ended */
} verdict;

static void compare(verdict *v, const char *what, size_t i, double got, double expected,
                    double tolerance) {
  double scale = fmax(fabs(expected), SMALL);
  bool same = (isnan(got) && isnan(expected)) || fabs(got - expected) <= tolerance * scale;
  if (!same && v->wrong++ < 12) {
    fprintf(stderr, "%s: %s[%zu] is %.12g, Keras has %.12g (relative %.2g)\n", v->c->name, what, i,
            got, expected, fabs(got - expected) / scale);
  }
}

static void compare_names(verdict *v, const char *what, const char *const *got, size_t n_got,
                          const char *const *expected, size_t n) {
  for (size_t i = 0; i < n || i < n_got; i++) {
    const char *a = i < n_got ? got[i] : "(nothing)";
    const char *b = i < n ? expected[i] : "(nothing)";
    if (strcmp(a, b) != 0 && v->wrong++ < 12) {
      fprintf(stderr, "%s: %s[%zu] is named %s, in Keras %s\n", v->c->name, what, i, a, b);
    }
  }
}

static void check_history(verdict *v, const snug_history *h) {
  const golden_case *c = v->c;
  snug_logs logs = snug_history_logs(h, 0);
  ASSERT_EQ_INT(snug_history_epochs(h), c->n_epochs);
  compare_names(v, "history", logs.names, logs.n, c->logs, c->n_logs);
  for (size_t e = 0; e < c->n_epochs; e++) {
    logs = snug_history_logs(h, (int64_t)e);
    for (size_t i = 0; i < c->n_logs; i++) {
      compare(v, c->logs[i], e, snug_logs_get(&logs, c->logs[i]), c->history[e * c->n_logs + i],
              c->log_tolerance);
    }
  }
}

static void check_evaluate(verdict *v, snug_ctx *ctx, snug_model *m, const snug_data *data) {
  const golden_case *c = v->c;
  double values[32];
  snug_logs logs = snug_model_metrics(m);
  compare_names(v, "evaluate", logs.names, logs.n, c->evaluated_names, c->n_evaluated);
  ASSERT_OK(ctx, snug_evaluate(m, data, EVALUATE_BATCH, values, logs.n));
  logs.values = values;
  for (size_t i = 0; i < c->n_evaluated; i++) {
    compare(v, "evaluate", i, snug_logs_get(&logs, c->evaluated_names[i]), c->evaluated[i],
            c->log_tolerance);
  }
}

static double at(snug_dtype dtype, const void *data, size_t i) {
  return dtype == SNUG_FLOAT64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void check_weights(verdict *v, snug_ctx *ctx, snug_model *m) {
  const golden_case *c = v->c;
  size_t width = c->dtype == SNUG_FLOAT64 ? sizeof(double) : sizeof(float);
  for (size_t k = 0; k < c->n_weights; k++) {
    const golden_weight *w = &c->weights[k];
    void *data = malloc(w->n * width);
    ASSERT_OK(ctx, snug_model_weight_get(m, w->name, data, w->n * width));
    for (size_t i = 0; i < w->n; i++) {
      compare(v, w->name, i, at(c->dtype, data, i), w->end[i], c->weight_tolerance);
    }
    free(data);
  }
}

static void check_predict(verdict *v, snug_ctx *ctx, snug_model *m, golden_arrays *a) {
  const golden_case *c = v->c;
  void *out[4] = {NULL};
  snug_array x[4];
  snug_data data = {sizeof data, x, a->data.n_x, NULL, 0, NULL};
  memcpy(x, a->x, sizeof x);
  for (int32_t i = 0; i < data.n_x; i++) {
    x[i].shape[0] = PREDICT_ROWS;
  }
  for (int32_t k = 0; k < a->data.n_y; k++) {
    out[k] = malloc(c->predicted[k].n * sizeof(double));
  }
  ASSERT_OK(ctx, snug_predict(m, &data, PREDICT_BATCH, out, a->data.n_y));
  for (int32_t k = 0; k < a->data.n_y; k++) {
    for (size_t i = 0; i < c->predicted[k].n; i++) {
      compare(v, "predict", i, at(c->dtype, out[k], i), c->predicted[k].values[i],
              c->weight_tolerance);
    }
    free(out[k]);
  }
}

/* Logs after each batch: what has come of the epoch so far. */
static bool on_batch_end(void *user, int64_t batch, const snug_logs *logs) {
  verdict *v = user;
  const golden_case *c = v->c;
  (void)batch;
  for (size_t i = 0; i < logs->n && v->batch < c->n_batches; i++) {
    compare(v, "batch", v->batch * logs->n + i, logs->values[i], c->batches[v->batch * logs->n + i],
            c->log_tolerance);
  }
  v->batch++;
  return true;
}

/* Fit as often as the case says; false if its batches cannot be run in micro-batches. */
static bool fit_all(verdict *v, snug_ctx *ctx, snug_model *m, const snug_data *data,
                    const snug_fit_options *o, snug_history **h) {
  for (int32_t i = 0; i < v->c->n_fits; i++) {
    snug_history_destroy(*h);
    v->batch = 0;
    snug_status s = snug_fit(m, data, o, h);
    if (o->micro_batch && s == SNUG_E_UNSUPPORTED) {
      ASSERT_HAS(snug_message(ctx), "cannot be run in pieces");
      return false;
    }
    ASSERT_OK(ctx, s);
  }
  return true;
}

/* Replay a case and return how much is wrong; refused: see fit_all. */
static int replay(const golden_case *c, int64_t micro_batch, bool *refused) {
  verdict v = {.c = c};
  snug_callback watch = {.struct_size = sizeof watch, .user = &v, .batch_end = on_batch_end};
  snug_ctx *ctx = test_ctx();
  snug_model *m = golden_model(ctx, c);
  golden_arrays train, validation;
  snug_fit_options o = c->fit;
  snug_history *h = NULL;
  golden_make(&train, &c->train, c->dtype);
  golden_make(&validation, &c->validation, c->dtype);
  o.validation_data = c->validation.n_x ? &validation.data : NULL;
  o.class_weight = c->class_weight;
  o.n_class_weight = c->n_class_weight;
  o.callbacks = &watch;
  o.n_callbacks = 1;
  o.micro_batch = micro_batch;
  *refused = !fit_all(&v, ctx, m, &train.data, &o, &h);
  if (!*refused) {
    ASSERT_TRUE(!c->n_batches || v.batch == c->n_batches);
    compare(&v, "learning_rate", 0, snug_model_learning_rate(m), c->learning_rate, 1e-6);
    check_history(&v, h);
    check_evaluate(&v, ctx, m, &train.data);
    check_weights(&v, ctx, m);
    check_predict(&v, ctx, m, &train);
  }
  snug_history_destroy(h);
  snug_model_destroy(m);
  golden_free(&train);
  golden_free(&validation);
  test_ctx_end(ctx);
  return v.wrong;
}

static void replay_group(const char *group) {
  const char *only = getenv("SNUG_TEST_CASE");
  int cases = 0, bad = 0;
  for (size_t i = 0; i < golden_case_count; i++) {
    const golden_case *c = &golden_cases[i];
    if (strcmp(c->group, group) == 0 && (!only || strcmp(only, c->name) == 0)) {
      bool refused = false;
      bad += replay(c, 0, &refused) > 0;
      cases++;
    }
  }
  ASSERT_TRUE(only || cases > 0);
  ASSERT_EQ_INT(bad, 0);
}

/* ---- in micro-batches: Keras's numbers all the same ---- */

/* Whether a case has a layer, loss or metric that wants all samples of a batch at once. */
static bool wants_whole_batches(const golden_case *c) {
  static const char *const losses[] = {"dice", "tversky", "hinge", "squared_hinge"};
  bool wants = false;
  for (size_t i = 0; i < c->n_layers; i++) {
    const golden_layer *l = &c->layers[i];
    wants = wants || (strcmp(l->class_name, "BatchNormalization") == 0 &&
                      !strstr(l->config, "trainable=false"));
  }
  for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
    wants = wants || strcmp(c->name, losses[i]) == 0;
  }
  return wants;
}

static void replay_in_micro_batches(int64_t rows) {
  const char *only = getenv("SNUG_TEST_CASE");
  int bad = 0;
  for (size_t i = 0; i < golden_case_count; i++) {
    const golden_case *c = &golden_cases[i];
    bool refused = false;
    if (!only || strcmp(only, c->name) == 0) {
      bad += replay(c, rows, &refused) > 0;
      ASSERT_EQ_INT(refused, wants_whole_batches(c));
    }
  }
  ASSERT_EQ_INT(bad, 0);
}

TEST(in_micro_batches_of_one) { replay_in_micro_batches(1); }
TEST(in_micro_batches_of_three) { replay_in_micro_batches(3); }

/* ---- without Keras's numbers: a relation between two cases ---- */

static const golden_case *find_case(const char *name) {
  size_t i = 0;
  while (i < golden_case_count && strcmp(golden_cases[i].name, name) != 0) {
    i++;
  }
  ASSERT_TRUE(i < golden_case_count);
  return &golden_cases[i];
}

/* Fit a case and give one of its weights (float64). */
static void weight_after(const char *name, const char *weight, double *out, size_t n) {
  const golden_case *c = find_case(name);
  snug_ctx *ctx = test_ctx();
  snug_model *m = golden_model(ctx, c);
  golden_arrays train;
  golden_make(&train, &c->train, c->dtype);
  ASSERT_OK(ctx, snug_fit(m, &train.data, &c->fit, NULL));
  ASSERT_OK(ctx, snug_model_weight_get(m, weight, out, n * sizeof *out));
  snug_model_destroy(m);
  golden_free(&train);
  test_ctx_end(ctx);
}

TEST(two_accumulated_steps_are_one_of_the_double_batch) {
  double halves[16], whole[16];
  weight_after("accumulate", "hidden/kernel", halves, 16);
  weight_after("accumulate_as_one", "hidden/kernel", whole, 16);
  for (int i = 0; i < 16; i++) {
    ASSERT_NEAR(halves[i], whole[i], 1e-13);
  }
}

/* ---- the cases ---- */

TEST(dense) { replay_group("dense"); }
TEST(optimizers) { replay_group("optimizers"); }
TEST(penalties) { replay_group("penalties"); }
TEST(options_of_fit) { replay_group("fit"); }
TEST(metrics) { replay_group("metrics"); }
TEST(functional) { replay_group("functional"); }
TEST(networks) { replay_group("networks"); }
TEST(edges) { replay_group("edges"); }
TEST(maps) { replay_group("maps"); }
TEST(activations) { replay_group("activations"); }
TEST(masks) { replay_group("masks"); }
TEST(activity_regularizers) { replay_group("activity"); }
