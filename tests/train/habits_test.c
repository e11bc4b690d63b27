/* What older versions of Keras do otherwise: activity regularizers and masks in metrics. */
#include <math.h>

#include "keras/keras.h"
#include "lib/test.h"
#include "model/model.h"
#include "snug/train.h"

#define ROWS 6
#define STEPS 5

/* The loss and the metric of a fresh model, weights by the seed: embedding, dense, a class per
 * step. */
static void evaluate(const snug__habits *habits, const char *embedding, const char *dense,
                     double out[2]) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  const int64_t steps = STEPS;
  int32_t x[ROWS * STEPS];
  int32_t y[ROWS * STEPS];
  const char *loss = "sparse_categorical_crossentropy";
  const char *metric = "accuracy";
  snug_compile_options o = SNUG_COMPILE_OPTIONS_DEFAULT;
  snug_array in = {.data = x, .dtype = SNUG_INT32, .rank = 2, .shape = {ROWS, STEPS}};
  snug_array labels = {.data = y, .dtype = SNUG_INT32, .rank = 2, .shape = {ROWS, STEPS}};
  snug_data data = {&in, 1, &labels, 1, NULL};
  for (int i = 0; i < ROWS * STEPS; i++) {
    x[i] = (i * 7 + i / 4) % 4;
    y[i] = (i * 5 + i / 3) % 3;
  }
  o.loss = &loss;
  o.n_loss = 1;
  o.metrics = &metric;
  o.n_metrics = 1;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  m->habits = *habits;
  snug_model_input(m, "x", SNUG_INT32, &steps, 1);
  snug_model_add(m, "Embedding", embedding);
  snug_model_add(m, "Dense", dense);
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  double values[2];
  snug_logs logs = snug_model_metrics(m);
  ASSERT_OK(ctx, snug_evaluate(m, &data, ROWS, values, 2));
  logs.values = values;
  out[0] = snug_logs_get(&logs, "loss");
  out[1] = snug_logs_get(&logs, "accuracy");
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

#define PLAIN "input_dim=4 output_dim=3"
#define MASKED PLAIN " mask_zero=true"
#define DENSE "units=3 activation=softmax"
#define REGULARIZED DENSE " activity_regularizer=l2(0.5)"

TEST(activity_was_not_divided_by_the_batch) {
  const snug__habits new_ = {0};
  const snug__habits old = {.whole_activity = true};
  double plain[2], divided[2], whole[2];
  evaluate(&new_, PLAIN, DENSE, plain);
  evaluate(&new_, PLAIN, REGULARIZED, divided);
  evaluate(&old, PLAIN, REGULARIZED, whole);
  ASSERT_TRUE(divided[0] - plain[0] > 0.1);
  ASSERT_NEAR((whole[0] - plain[0]) / (divided[0] - plain[0]), ROWS, 1e-4);
}

TEST(plain_metrics_saw_no_masks) {
  const snug__habits new_ = {0};
  const snug__habits old = {.unmasked_metrics = true};
  double plain[2], masked[2], unmasked[2];
  evaluate(&new_, PLAIN, DENSE, plain);
  evaluate(&new_, MASKED, DENSE, masked);
  evaluate(&old, MASKED, DENSE, unmasked);
  ASSERT_TRUE(fabs(masked[1] - plain[1]) > 1e-3);
  ASSERT_NEAR(unmasked[1], plain[1], 1e-7);
  ASSERT_NEAR(unmasked[0], masked[0], 1e-7);
}

static snug__habits habits_of(const char *version) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  ASSERT_OK(ctx, snug__keras_create(m, "{}", 2, version));
  snug__habits habits = m->habits;
  snug_model_destroy(m);
  test_ctx_end(ctx);
  return habits;
}

TEST(a_file_tells_the_habits) {
  static const char *const newest[] = {"", "3.14.0", "3.15.1", "4.0.0", "nightly", "3."};
  for (size_t i = 0; i < SNUG_COUNT(newest); i++) {
    snug__habits h = habits_of(newest[i]);
    ASSERT_FALSE(h.whole_activity || h.unmasked_metrics);
  }
  ASSERT_TRUE(habits_of("3.13.2").whole_activity);
  ASSERT_FALSE(habits_of("3.12.0").unmasked_metrics);
  ASSERT_TRUE(habits_of("3.11.3").unmasked_metrics);
  ASSERT_TRUE(habits_of("3.0.5").unmasked_metrics && habits_of("3.0.5").whole_activity);
}
