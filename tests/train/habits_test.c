/* What older versions of Keras do otherwise: activity regularizers and masks in metrics. */
#include <math.h>

#include "keras/describe.h"
#include "lib/test.h"
#include "model/model.h"
#include "snug/train.h"

#define ROWS 6
#define STEPS 5

/* The loss and the metric of a fresh model, weights by the seed: embedding, dense, a class per
 * step. */
static void evaluate_rows(const snug__habits *habits, const char *embedding, const char *dense,
                          int64_t begin, int64_t rows, int64_t batch, double out[2]) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  const int64_t steps = STEPS;
  int32_t x[ROWS * STEPS];
  int32_t y[ROWS * STEPS];
  const char *loss = "sparse_categorical_crossentropy";
  const char *metric = "accuracy";
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  snug_array in = {.dtype = SNUG_INT32, .rank = 2, .shape = {rows, STEPS}};
  snug_array labels = in;
  snug_data data = {sizeof data, &in, 1, &labels, 1, NULL};
  in.data = x + begin * STEPS;
  labels.data = y + begin * STEPS;
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
  ASSERT_OK(ctx, snug_evaluate(m, &data, batch, values, 2));
  logs.values = values;
  out[0] = snug_logs_get(&logs, "loss");
  out[1] = snug_logs_get(&logs, "accuracy");
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

static void evaluate(const snug__habits *habits, const char *embedding, const char *dense,
                     double out[2]) {
  evaluate_rows(habits, embedding, dense, 0, ROWS, ROWS, out);
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

/* The loss of the mean of two added texts. */
static double merged_loss(const snug__habits *habits, const char *embedding, int32_t *a,
                          int32_t *b) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  const int64_t steps = STEPS;
  int32_t y[ROWS] = {0, 1, 2, 2, 1, 0};
  const char *loss = "sparse_categorical_crossentropy";
  double value = 0.0;
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  snug_array in[] = {{.data = a, .dtype = SNUG_INT32, .rank = 2, .shape = {ROWS, STEPS}},
                     {.data = b, .dtype = SNUG_INT32, .rank = 2, .shape = {ROWS, STEPS}}};
  snug_array labels = {.data = y, .dtype = SNUG_INT32, .rank = 1, .shape = {ROWS}};
  snug_data data = {sizeof data, in, 2, &labels, 1, NULL};
  o.loss = &loss;
  o.n_loss = 1;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  m->habits = *habits;
  snug_tensor x[] = {snug_model_input(m, "a", SNUG_INT32, &steps, 1),
                     snug_model_input(m, "b", SNUG_INT32, &steps, 1)};
  x[0] = snug_model_layer(m, "Embedding", embedding, &x[0], 1);
  x[1] = snug_model_layer(m, "Embedding", embedding, &x[1], 1);
  snug_model_layer(m, "Add", NULL, x, 2);
  snug_model_add(m, "GlobalAveragePooling1D", NULL);
  snug_model_add(m, "Dense", DENSE);
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  ASSERT_OK(ctx, snug_evaluate(m, &data, ROWS, &value, 1));
  snug_model_destroy(m);
  test_ctx_end(ctx);
  return value;
}

TEST(merges_ended_masks) {
  const snug__habits new_ = {0};
  const snug__habits old = {.merges_unmask = true};
  int32_t a[ROWS * STEPS];
  int32_t b[ROWS * STEPS];
  for (int i = 0; i < ROWS * STEPS; i++) {
    a[i] = (i * 7 + i / 4) % 4;
    b[i] = (i * 5 + i / 3) % 3;
  }
  double unmasked = merged_loss(&new_, PLAIN, a, b);
  ASSERT_NEAR(merged_loss(&old, MASKED, a, b), unmasked, 1e-7);
  ASSERT_TRUE(fabs(merged_loss(&new_, MASKED, a, b) - unmasked) > 1e-5);
}

/* Two batches, of 4 rows and of 2. */
TEST(batches_counted_the_same) {
  const snug__habits new_ = {0};
  const snug__habits old = {.equal_batches = true};
  double all[2], first[2], second[2], mean[2];
  evaluate_rows(&new_, PLAIN, DENSE, 0, ROWS, 4, all);
  evaluate_rows(&new_, PLAIN, DENSE, 0, 4, 4, first);
  evaluate_rows(&new_, PLAIN, DENSE, 4, 2, 4, second);
  evaluate_rows(&old, PLAIN, DENSE, 0, ROWS, 4, mean);
  ASSERT_NEAR(all[0], (first[0] * 4 + second[0] * 2) / 6, 1e-6);
  ASSERT_NEAR(mean[0], (first[0] + second[0]) / 2, 1e-6);
  ASSERT_TRUE(fabs(mean[0] - all[0]) > 1e-5);
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
  static const char *const newest[] = {"", SNUG__KERAS_VERSION, "3.15.1", "4.0.0", "nightly", "3."};
  for (size_t i = 0; i < SNUG_COUNT(newest); i++) {
    snug__habits h = habits_of(newest[i]);
    ASSERT_FALSE(h.whole_activity || h.unmasked_metrics || h.merges_unmask || h.equal_batches);
  }
  ASSERT_TRUE(habits_of("3.13.2").whole_activity);
  ASSERT_FALSE(habits_of("3.12.0").unmasked_metrics);
  ASSERT_TRUE(habits_of("3.11.3").unmasked_metrics);
  ASSERT_TRUE(habits_of("3.3.3").merges_unmask);
  ASSERT_FALSE(habits_of("3.4.1").merges_unmask);
  ASSERT_TRUE(habits_of("3.1.1").equal_batches);
  ASSERT_FALSE(habits_of("3.2.0").equal_batches);
  ASSERT_TRUE(habits_of("3.0.5").unmasked_metrics && habits_of("3.0.5").whole_activity);
}
