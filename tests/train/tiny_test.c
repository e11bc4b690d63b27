/* Planned is measured also of models of a few weights, whose plan is larger than their step. */
#include <stdio.h>

#include "snug/plan.h"
#include "train/data.h"

typedef struct tiny {
  int64_t features, samples, batch;
  const char *layers[3][2]; /* class and configuration */
  const char *optimizer;
  double split;
} tiny;

static const tiny all[] = {
    {1, 1, 1, {{"Dense", "units=1"}}, "sgd", 0.0},
    {10, 64, 32, {{"Dense", "units=1"}}, "adam", 0.0},
    {10, 33, 32, {{"Dense", "units=1"}}, "rmsprop", 0.0},
    {4, 10, 4, {{"Dense", "units=1 use_bias=false"}}, "sgd", 0.3},
    {2, 7, 7, {{"Activation", "activation=relu"}, {"Dense", "units=1"}}, "adam", 0.0},
    {3, 9, 2, {{"Dropout", "rate=0.5"}, {"Dense", "units=1"}}, "adam", 0.5},
    {6, 12, 5, {{"Dense", "units=2 activation=tanh"}, {"Dense", "units=1"}}, "nadam", 0.0},
    {8, 20, 10, {{"BatchNormalization", ""}, {"Dense", "units=1"}}, "adam", 0.2},
    {5, 16, 16, {{"LayerNormalization", ""}, {"Dense", "units=1"}}, "adamw", 0.0},
    {9,
     8,
     8,
     {{"Reshape", "target_shape=[3, 3]"}, {"Flatten", ""}, {"Dense", "units=1"}},
     "sgd",
     0.0},
};

static bool wants(void *user, const snug_plan *plan) {
  snug_plan_memory(plan, user);
  return true;
}

static snug_model *new_model(snug_ctx *ctx, const tiny *t) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, &t->features, 1);
  for (int i = 0; i < 3 && t->layers[i][0]; i++) {
    snug_model_add(m, t->layers[i][0], t->layers[i][1]);
  }
  ASSERT_OK(ctx, compile_with(m, t->optimizer, "mse"));
  return m;
}

static void check(const tiny *t, uint64_t line, bool shows) {
  snug_memory_report planned = SNUG_INIT(snug_memory_report), shown = SNUG_INIT(snug_memory_report),
                     fitted = SNUG_INIT(snug_memory_report);
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx, t);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_history *h = NULL;
  snug_plan *plan = NULL;
  toy data;
  toy_make(&data, t->samples, &t->features, 1, 1);
  o.batch_size = t->batch;
  o.validation_split = t->split;
  o.memory = line;
  o.planned = shows ? wants : NULL;
  o.planned_user = &shown;
  o.beside = shows && !line; /* as the command plans; under a line that search is the peak */
  ASSERT_OK(ctx, snug_plan_fit(m, &data.data, &o, &plan));
  o.beside = false;
  snug_plan_memory(plan, &planned);
  snug_plan_destroy(plan);
  ASSERT_OK(ctx, snug_fit(m, &data.data, &o, &h));
  snug_history_memory(h, &fitted);
  ASSERT_EQ_UINT(fitted.planned, fitted.measured);
  if (!line) { /* how many points a line has to choose from depends on timings */
    ASSERT_EQ_UINT(planned.planned, fitted.measured);
  }
  ASSERT_EQ_UINT(shows ? shown.planned : planned.planned, fitted.measured);
  ASSERT_EQ_UINT(fitted.weights + fitted.gradients + fitted.optimizer + fitted.activations +
                     fitted.scratch + fitted.data + fitted.callbacks + fitted.runtime,
                 fitted.planned);
  ASSERT_EQ_UINT(
      fitted.planned + fitted.code + fitted.outside + fitted.tables + fitted.reserve + fitted.idle,
      fitted.process);
  snug_history_destroy(h);
  snug_model_destroy(m);
  toy_free(&data);
  test_ctx_end(ctx);
}

static void check_all(uint64_t line, bool shows) {
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    check(&all[i], line, shows);
  }
}

TEST(planned_is_measured_to_the_byte) { check_all(0, false); }

TEST(a_plan_that_is_shown_is_part_of_it) { check_all(0, true); }

TEST(so_it_is_under_a_line) { check_all(UINT64_C(1) << 30, true); }
