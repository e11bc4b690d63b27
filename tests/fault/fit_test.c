/* Every request for memory of a whole fit refused once: building, compiling, planning, training,
 * evaluating. */
#include "lib/fault.h"
#include "lib/test.h"

enum { ROWS = 7, FEATURES = 3 };

static float x[ROWS * FEATURES];
static int32_t y[ROWS];

static void make_data(void) {
  for (int i = 0; i < ROWS * FEATURES; i++) {
    x[i] = (float)(i % 5) * 0.25f - 0.5f;
  }
  for (int i = 0; i < ROWS; i++) {
    y[i] = i % 3;
  }
}

static snug_status compile(snug_model *m) {
  const char *const loss[] = {"sparse_categorical_crossentropy"};
  const char *const metrics[] = {"accuracy"};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = "adam(clipnorm=1.0)";
  o.loss = loss;
  o.n_loss = 1;
  o.metrics = metrics;
  o.n_metrics = 1;
  return snug_model_compile(m, &o);
}

/* A compile that fails leaves the one before in force. */
static snug_status compile_again(snug_model *m) {
  const char *const loss[] = {"mse"};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  double rate = snug_model_learning_rate(m);
  o.optimizer = "sgd(learning_rate=0.5, momentum=0.9)";
  o.loss = loss;
  o.n_loss = 1;
  snug_status s = snug_model_compile(m, &o);
  ASSERT_EQ_UINT(snug_model_metrics(m).n, s ? 2 : 1);
  ASSERT_NEAR(snug_model_learning_rate(m), s ? rate : 0.5, 1e-9);
  return s;
}

static snug_status use(snug_model *m) {
  snug_array xs = {x, SNUG_FLOAT32, 2, {ROWS, FEATURES}}, ys = {y, SNUG_INT32, 1, {ROWS}};
  snug_data data = {sizeof data, &xs, 1, &ys, 1, NULL};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_history *history = NULL;
  snug_plan *plan = NULL;
  double values[2];
  float out[ROWS][3];
  void *outs[] = {out};
  const snug_span batches = {1, 1};
  o.sampling.batches = &batches;
  o.sampling.n_batches = 1;
  o.batch_size = 2;
  o.epochs = 2;
  o.validation_split = 0.3;
  snug_status s = snug_plan_fit(m, &data, &o, &plan);
  snug_plan_destroy(plan);
  s = s ? s : snug_fit(m, &data, &o, &history);
  snug_history_destroy(history);
  s = s ? s : snug_evaluate(m, &data, 4, values, 2);
  s = s ? s : snug_predict(m, &data, 4, outs, 1);
  return s ? s : compile_again(m);
}

static snug_status whole_fit(snug_ctx *ctx, void *arg) {
  const int64_t shape[] = {FEATURES};
  snug_model *m = NULL;
  (void)arg;
  snug_status s = snug_model_create(ctx, NULL, &m);
  if (!s) {
    snug_model_input(m, "x", SNUG_FLOAT32, shape, 1);
    snug_model_add(m, "Dense",
                   "units=4 kernel_initializer=orthogonal kernel_regularizer=\"l2(0.01)\"");
    snug_model_add(m, "BatchNormalization", NULL);
    snug_model_add(m, "ReLU", NULL);
    snug_model_add(m, "Dropout", "rate=0.5");
    snug_model_add(m, "Dense", "units=3 activation=softmax");
    s = compile(m);
  }
  s = s ? s : use(m);
  snug_model_destroy(m);
  return s;
}

/* The same in memory that was preallocated. */
static snug_status preallocated_fit(snug_ctx *ctx, void *arg) {
  snug_status s = snug_memory_preallocate(ctx, "cpu", 1 << 16);
  return s ? s : whole_fit(ctx, arg);
}

TEST(every_allocation_of_a_preallocated_fit_may_fail) {
  make_data();
  test_fault_sweep(preallocated_fit, NULL);
}

TEST(every_allocation_of_a_fit_may_fail) {
  make_data();
  test_fault_sweep(whole_fit, NULL);
}

/* Masks, lists of the configuration, terms of the loss from layers: an evaluation asks for all of
 * it. */
static snug_status masked_evaluation(snug_ctx *ctx, void *arg) {
  snug_array xs = {x, SNUG_FLOAT32, 2, {ROWS, FEATURES}}, ys = {y, SNUG_INT32, 1, {ROWS}};
  snug_data data = {sizeof data, &xs, 1, &ys, 1, NULL};
  const int64_t features = FEATURES;
  snug_model *m = NULL;
  double values[2];
  (void)arg;
  snug_status s = snug_model_create(ctx, NULL, &m);
  if (!s) {
    snug_model_input(m, "x", SNUG_FLOAT32, &features, 1);
    snug_model_add(m, "ops.Maximum", "constant=0");
    snug_model_add(m, "Embedding", "input_dim=5 output_dim=3 mask_zero=true");
    snug_model_add(m, "Rescaling", "scale=[1,2,3] activity_regularizer=l2");
    snug_model_add(m, "GlobalAveragePooling1D", NULL);
    snug_model_add(m, "Dense", "units=3 activation=softmax");
    s = compile(m);
  }
  s = s ? s : snug_evaluate(m, &data, ROWS, values, 2);
  snug_model_destroy(m);
  return s;
}

TEST(every_allocation_of_a_masked_evaluation_may_fail) {
  make_data();
  test_fault_sweep(masked_evaluation, NULL);
}
