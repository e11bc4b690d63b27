/* fit, evaluate and predict: Keras's semantics of epochs, batches, validation, weights and
 * callbacks; bad input. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train/data.h"

#define LOSS "sparse_categorical_crossentropy"
enum { FEATURES = 6, CLASSES = 3 };

static snug_model *new_mlp(snug_ctx *ctx, const char *optimizer) {
  const int64_t shape[] = {FEATURES};
  snug_model *m = NULL;
  snug_model_options o = SNUG_INIT(snug_model_options);
  o.seed = 7;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  snug_model_input(m, "features", SNUG_FLOAT32, shape, 1);
  snug_model_add(m, "Dense", "units=8 activation=relu name=hidden");
  snug_model_add(m, "Dense", "units=3 activation=softmax name=probabilities");
  ASSERT_OK(ctx, compile_with(m, optimizer, LOSS));
  return m;
}

static void make_toy(toy *t, int64_t n) {
  const int64_t shape[] = {FEATURES};
  toy_make(t, n, shape, 1, CLASSES);
}

TEST(loss_falls_and_history_tells) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "adam(learning_rate=0.01)");
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_history *h = NULL;
  toy t;
  make_toy(&t, 50);
  o.epochs = 20;
  o.batch_size = 8; /* 50 = 6 * 8 + 2: the partial batch is trained too */
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, &h));
  ASSERT_EQ_INT(snug_history_epochs(h), 20);
  snug_logs first = snug_history_logs(h, 0);
  snug_logs last = snug_history_logs(h, 19);
  ASSERT_EQ_UINT(first.n, 2);
  ASSERT_EQ_TEXT(first.names[0], "accuracy");
  ASSERT_EQ_TEXT(first.names[1], "loss");
  ASSERT_TRUE(snug_logs_get(&last, "loss") < 0.8 * snug_logs_get(&first, "loss"));
  ASSERT_TRUE(isnan(snug_logs_get(&last, "val_loss")));
  ASSERT_EQ_UINT(snug_history_logs(h, 20).n, 0);
  snug_history_destroy(h);
  snug_model_destroy(m);
  toy_free(&t);
}

/* ---- the sequence of callbacks ---- */

typedef struct recorder {
  char text[4096];
  size_t n;
  int64_t stop_after_batch, stop_after_epoch; /* -1: never */
} recorder;

static void note(recorder *r, const char *format, ...) SNUG_PRINTF(2, 3);
#include <stdarg.h>
#include <stdio.h>
static void note(recorder *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  r->n += (size_t)vsnprintf(r->text + r->n, sizeof r->text - r->n, format, args);
  va_end(args);
}

static bool on_train_begin(void *u, int64_t epochs, int64_t steps) {
  note(u, "train %lld x %lld;", (long long)epochs, (long long)steps);
  return true;
}
static bool on_epoch_begin(void *u, int64_t e) {
  note(u, " epoch %lld:", (long long)e);
  return true;
}
static bool on_batch_end(void *u, int64_t b, const snug_logs *logs) {
  recorder *r = u;
  note(r, " %lld", (long long)b);
  ASSERT_EQ_UINT(logs->n, 2);
  return b != r->stop_after_batch;
}
static bool on_test_begin(void *u, int64_t steps) {
  note(u, " test %lld", (long long)steps);
  return true;
}
static bool on_test_batch_end(void *u, int64_t b, const snug_logs *logs) {
  ASSERT_EQ_UINT(logs->n, 2);
  note(u, " v%lld", (long long)b);
  return true;
}
static bool on_test_end(void *u, const snug_logs *logs) {
  note(u, " tested %zu", logs->n);
  return true;
}
static bool on_epoch_end(void *u, int64_t e, const snug_logs *logs) {
  recorder *r = u;
  note(r, " end %lld with %zu;", (long long)e, logs->n);
  return e != r->stop_after_epoch;
}
static bool on_train_end(void *u, const snug_logs *logs) {
  note(u, " done %zu", logs->n);
  return true;
}

static void record(recorder *r, const snug_fit_options *options, int64_t rows,
                   const char *expected) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "sgd");
  snug_fit_options o = *options;
  toy t;
  snug_callback c = {.struct_size = sizeof c,
                     .user = r,
                     .train_begin = on_train_begin,
                     .epoch_begin = on_epoch_begin,
                     .batch_end = on_batch_end,
                     .test_begin = on_test_begin,
                     .test_batch_end = on_test_batch_end,
                     .test_end = on_test_end,
                     .epoch_end = on_epoch_end,
                     .train_end = on_train_end};
  make_toy(&t, rows);
  o.callbacks = &c;
  o.n_callbacks = 1;
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, NULL));
  ASSERT_EQ_TEXT(r->text, expected);
  snug_model_destroy(m);
  toy_free(&t);
}

TEST(callbacks_come_in_keras_order) {
  recorder r = {.stop_after_batch = -1, .stop_after_epoch = -1};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = 4;
  o.epochs = 3;
  o.initial_epoch = 1;
  o.validation_split = 0.25;
  o.validation_freq = 2;
  record(
      &r, &o, 12,
      "train 3 x 3; epoch 1: 0 1 2 test 1 v0 tested 2 end 1 with 4; epoch 2: 0 1 2 end 2 with 2; "
      "done 4");
}

TEST(a_callback_stops_training) {
  recorder r = {.stop_after_batch = 1, .stop_after_epoch = -1};
  recorder q = {.stop_after_batch = -1, .stop_after_epoch = 0};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = 4;
  o.epochs = 5;
  record(&r, &o, 16, "train 5 x 4; epoch 0: 0 1 end 0 with 2; done 2");
  record(&q, &o, 8, "train 5 x 2; epoch 0: 0 1 end 0 with 2; done 2");
}

/* Fails in the middle of a validation of three batches. */
static bool fail_at_second(void *u, int64_t b, const snug_logs *logs) {
  (void)logs;
  *(snug_status *)u = b == 1 ? SNUG_E_STOPPED : SNUG_OK;
  return b != 1;
}

TEST(a_validation_is_left_at_once) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "sgd");
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  recorder r = {.stop_after_batch = -1, .stop_after_epoch = -1};
  snug_status why = SNUG_OK;
  snug_history *history = NULL;
  toy t;
  snug_callback c[] = {
      {.struct_size = sizeof *c, .user = &why, .test_batch_end = fail_at_second, .failure = &why},
      {.struct_size = sizeof *c,
       .user = &r,
       .test_batch_end = on_test_batch_end,
       .epoch_end = on_epoch_end}};
  make_toy(&t, 24);
  o.batch_size = 4;
  o.epochs = 4;
  o.validation_freq = 2;
  o.validation_split = 0.5;
  o.callbacks = c;
  o.n_callbacks = 2;
  ASSERT_TRUE(snug_fit(m, &t.data, &o, &history) == SNUG_E_STOPPED);
  ASSERT_EQ_TEXT(r.text, " end 0 with 2; v0");
  ASSERT_EQ_INT(snug_history_epochs(history), 1); /* the one that was complete */
  snug_history_destroy(history);
  snug_model_destroy(m);
  toy_free(&t);
}

TEST(steps_per_epoch_go_on_in_the_data) {
  recorder r = {.stop_after_batch = -1, .stop_after_epoch = -1};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = 4;
  o.epochs = 3;
  o.steps_per_epoch = 2; /* of 3 batches: 2, then the 1 that is left, then 2 of the next pass */
  record(&r, &o, 12,
         "train 3 x 2; epoch 0: 0 1 end 0 with 2; epoch 1: 0 end 1 with 2; epoch 2: 0 1 end 2 with "
         "2; done 2");
}

/* ---- evaluate and predict ---- */

TEST(evaluate_equals_what_predictions_say) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "sgd");
  toy t;
  double values[2];
  float p[13][CLASSES];
  void *out[] = {p};
  double loss = 0.0;
  double hits = 0.0;
  make_toy(&t, 13);
  ASSERT_OK(ctx, snug_predict(m, &t.data, 5, out, 1));
  ASSERT_OK(ctx, snug_evaluate(m, &t.data, 4, values, 2));
  for (int i = 0; i < 13; i++) {
    int best = p[i][1] > p[i][0] ? 1 : 0;
    best = p[i][2] > p[i][best] ? 2 : best;
    loss -= log((double)p[i][t.y[i]]) / 13.0;
    hits += best == t.y[i] ? 1.0 / 13.0 : 0.0;
  }
  ASSERT_EQ_TEXT(snug_model_metrics(m).names[0], "accuracy");
  ASSERT_NEAR(values[0], hits, 1e-6);
  ASSERT_NEAR(values[1], loss, 1e-5);
  snug_model_destroy(m);
  toy_free(&t);
}

TEST(validation_data_and_split_agree) {
  double seen[2] = {0, 0};
  for (int given = 0; given < 2; given++) {
    snug_ctx *ctx = test_ctx();
    snug_model *m = new_mlp(ctx, "sgd");
    snug_fit_options o = SNUG_INIT(snug_fit_options);
    snug_history *h = NULL;
    toy t;
    make_toy(&t, 20);
    snug_array x = t.x_array, y = t.y_array, vx = t.x_array, vy = t.y_array;
    x.shape[0] = y.shape[0] = 15;
    vx.shape[0] = vy.shape[0] = 5;
    vx.data = t.x + 15 * FEATURES;
    vy.data = t.y + 15;
    snug_data train = {sizeof train, &x, 1, &y, 1, NULL}, val = {sizeof val, &vx, 1, &vy, 1, NULL};
    o.batch_size = 4;
    o.validation_data = given ? &val : NULL;
    o.validation_split = given ? 0.0 : 0.25;
    ASSERT_OK(ctx, snug_fit(m, given ? &train : &t.data, &o, &h));
    snug_logs logs = snug_history_logs(h, 0);
    seen[given] = snug_logs_get(&logs, "val_loss");
    snug_history_destroy(h);
    snug_model_destroy(m);
    test_ctx_end(ctx);
    toy_free(&t);
  }
  ASSERT_TRUE(seen[0] == seen[1]);
}

/* Two samples of weight 2 are as good as four of weight 1; a class weight is a sample weight. */
TEST(class_weights_are_sample_weights) {
  float kernels[2][FEATURES * 8];
  for (int by_class = 0; by_class < 2; by_class++) {
    snug_ctx *ctx = test_ctx();
    snug_model *m = new_mlp(ctx, "sgd(learning_rate=0.1)");
    snug_fit_options o = SNUG_INIT(snug_fit_options);
    const double class_weight[CLASSES] = {0.5, 2.0, 1.0};
    toy t;
    make_toy(&t, 12);
    for (int i = 0; i < 12; i++) {
      t.weight[i] = (float)class_weight[t.y[i]];
    }
    o.no_shuffle = true;
    o.batch_size = 5;
    o.class_weight = by_class ? class_weight : NULL;
    o.n_class_weight = by_class ? CLASSES : 0;
    t.data.sample_weight = by_class ? NULL : &t.weight_array;
    ASSERT_OK(ctx, snug_fit(m, &t.data, &o, NULL));
    ASSERT_OK(ctx, snug_model_weight_get(m, "hidden/kernel", kernels[by_class], sizeof kernels[0]));
    snug_model_destroy(m);
    test_ctx_end(ctx);
    toy_free(&t);
  }
  ASSERT_EQ_BYTES(kernels[0], kernels[1], sizeof kernels[0]);
}

/* ---- freezing, compiling again, learning rate ---- */

TEST(frozen_layers_stay) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "adam");
  float before[FEATURES * 8], after[FEATURES * 8], head[2][24];
  toy t;
  make_toy(&t, 16);
  ASSERT_OK(ctx, snug_model_set_trainable(m, "hidden", false));
  ASSERT_OK(ctx, compile_with(m, "adam", LOSS));
  ASSERT_OK(ctx, snug_model_weight_get(m, "hidden/kernel", before, sizeof before));
  ASSERT_OK(ctx, snug_model_weight_get(m, "probabilities/kernel", head[0], sizeof head[0]));
  ASSERT_OK(ctx, snug_fit(m, &t.data, NULL, NULL));
  ASSERT_OK(ctx, snug_model_weight_get(m, "hidden/kernel", after, sizeof after));
  ASSERT_OK(ctx, snug_model_weight_get(m, "probabilities/kernel", head[1], sizeof head[1]));
  ASSERT_EQ_BYTES(before, after, sizeof before);
  ASSERT_TRUE(memcmp(head[0], head[1], sizeof head[0]) != 0);
  ASSERT_STATUS(ctx, snug_model_set_trainable(m, "nobody", false), SNUG_E_ARGUMENT, "nobody");
  snug_model_destroy(m);
  toy_free(&t);
}

TEST(a_failed_compile_changes_nothing) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "sgd(learning_rate=0.25)");
  double values[2];
  toy t;
  make_toy(&t, 8);
  ASSERT_STATUS(ctx, compile_with(m, "adam(speed=3)", LOSS), SNUG_E_ARGUMENT, "speed");
  ASSERT_STATUS(ctx, compile_with(m, "adam", "no_such_loss"), SNUG_E_ARGUMENT, "no_such_loss");
  ASSERT_NEAR(snug_model_learning_rate(m), 0.25, 1e-9);
  ASSERT_OK(ctx, snug_fit(m, &t.data, NULL, NULL));
  ASSERT_OK(ctx, snug_evaluate(m, &t.data, 0, values, 2));
  ASSERT_OK(ctx, snug_model_set_learning_rate(m, 0.125));
  ASSERT_NEAR(snug_model_learning_rate(m), 0.125, 1e-9);
  ASSERT_STATUS(ctx, snug_model_set_learning_rate(m, NAN), SNUG_E_ARGUMENT, "learning rate");
  ASSERT_STATUS(ctx, compile_with(m, "nadam", "mse(reduction=nothing)"), SNUG_E_ARGUMENT,
                "reduction");
  ASSERT_NEAR(snug_model_learning_rate(m), 0.125, 1e-9);
  snug_model_destroy(m);
  toy_free(&t);
}

/* ---- bad input ---- */

static void expect_refusal(snug_ctx *ctx, snug_model *m, const toy *t, snug_fit_options o,
                           snug_status status, const char *part) {
  snug_history *h = NULL;
  ASSERT_STATUS(ctx, snug_fit(m, &t->data, &o, &h), status, part);
  ASSERT_NULL(h);
}

TEST(bad_data_is_refused_before_step_1) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "sgd");
  const snug_fit_options o = SNUG_INIT(snug_fit_options);
  float before[48], after[48];
  toy t;
  make_toy(&t, 10);
  ASSERT_OK(ctx, snug_model_weight_get(m, "hidden/kernel", before, sizeof before));
  t.y[7] = 3;
  expect_refusal(ctx, m, &t, o, SNUG_E_DATA, "sample 7 has the label 3");
  t.y[7] = -1;
  expect_refusal(ctx, m, &t, o, SNUG_E_DATA, "labels are 0 to 2");
  t.y[7] = 0;
  t.x[9 * FEATURES + 2] = NAN;
  expect_refusal(ctx, m, &t, o, SNUG_E_DATA, "sample 9, element 2");
  t.x[9 * FEATURES + 2] = INFINITY;
  expect_refusal(ctx, m, &t, o, SNUG_E_DATA, "inf");
  t.x[9 * FEATURES + 2] = 0.0f;
  t.x_array.shape[0] = t.y_array.shape[0] = 0;
  expect_refusal(ctx, m, &t, o, SNUG_E_DATA, "empty");
  t.x_array.shape[0] = 10;
  t.y_array.shape[0] = 9;
  expect_refusal(ctx, m, &t, o, SNUG_E_SHAPE, "9 samples");
  t.y_array.shape[0] = 10;
  t.x_array.shape[1] = 5;
  expect_refusal(ctx, m, &t, o, SNUG_E_SHAPE, "the model takes");
  t.x_array.shape[1] = FEATURES;
  t.x_array.data = NULL;
  expect_refusal(ctx, m, &t, o, SNUG_E_ARGUMENT, "x[0]");
  t.x_array.data = t.x;
  t.y_array = (snug_array){t.x, SNUG_FLOAT32, 2, {10, CLASSES}};
  expect_refusal(ctx, m, &t, o, SNUG_E_SHAPE, "int32[batch]; one-hot labels go with");
  t.data.n_y = 0;
  expect_refusal(ctx, m, &t, o, SNUG_E_ARGUMENT, "1 outputs");
  ASSERT_OK(ctx, snug_model_weight_get(m, "hidden/kernel", after, sizeof after));
  ASSERT_EQ_BYTES(before, after, sizeof before);
  snug_model_destroy(m);
  toy_free(&t);
}

TEST(bad_options_are_refused) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "sgd");
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  toy t;
  make_toy(&t, 10);
  o.batch_size = -3;
  expect_refusal(ctx, m, &t, o, SNUG_E_ARGUMENT, "batch_size=-3");
  o.batch_size = 0;
  o.validation_split = 1.0;
  expect_refusal(ctx, m, &t, o, SNUG_E_ARGUMENT, "validation_split=1");
  o.validation_split = NAN;
  expect_refusal(ctx, m, &t, o, SNUG_E_ARGUMENT, "validation_split");
  o.validation_split = 0.99999;
  expect_refusal(ctx, m, &t, o, SNUG_E_DATA, "leaves none");
  o.validation_split = 0.0;
  o.n_class_weight = 2;
  expect_refusal(ctx, m, &t, o, SNUG_E_ARGUMENT, "class weights");
  o.n_class_weight = 0;
  o.epochs = INT64_MAX / 2;
  expect_refusal(ctx, m, &t, o, SNUG_E_OVERFLOW, "history");
  ASSERT_EQ_INT(snug_fit(NULL, &t.data, NULL, NULL), SNUG_E_ARGUMENT);
  ASSERT_STATUS(ctx, snug_fit(m, NULL, NULL, NULL), SNUG_E_ARGUMENT, "inputs");
  ASSERT_STATUS(ctx, snug_evaluate(m, &t.data, 4, NULL, 0), SNUG_E_ARGUMENT, "2 values");
  ASSERT_STATUS(ctx, snug_predict(m, &t.data, 4, NULL, 1), SNUG_E_ARGUMENT, "no room");
  snug_model_destroy(m);
  toy_free(&t);
}

/* As in Keras, a batch larger than the data is one batch of all of them. */
TEST(a_batch_larger_than_the_data_is_all_of_it) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "sgd");
  recorder r = {.stop_after_batch = -1, .stop_after_epoch = -1};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = 1000;
  record(&r, &o, 3, "train 1 x 1; epoch 0: 0 end 0 with 2; done 2");
  snug_model_destroy(m);
}

TEST(an_empty_model_is_said) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  ASSERT_STATUS(ctx, compile_with(m, "adam", LOSS), SNUG_E_ARGUMENT,
                "'model' is empty: add an input");
  snug_model_destroy(m);
}

TEST(not_compiled_is_said) {
  snug_ctx *ctx = test_ctx();
  const int64_t shape[] = {FEATURES};
  snug_model *m = NULL;
  toy t;
  make_toy(&t, 4);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 1);
  snug_model_add(m, "Dense", "units=3");
  ASSERT_STATUS(ctx, snug_fit(m, &t.data, NULL, NULL), SNUG_E_STATE, "snug_model_compile");
  ASSERT_TRUE(isnan(snug_model_learning_rate(m)));
  snug_model_destroy(m);
  toy_free(&t);
}

/* ---- limits ---- */

TEST(a_fit_that_does_not_fit_is_refused_before_step_1) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "adam");
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_history *h = NULL;
  snug_plan *plan = NULL;
  float before[48], after[48];
  toy t;
  make_toy(&t, 4000);
  o.batch_size = 4000; /* the step is more than what planning it takes */
  ASSERT_OK(ctx, snug_model_weight_get(m, "hidden/kernel", before, sizeof before));
  ASSERT_OK(ctx, snug_plan_fit(m, &t.data, &o, &plan));
  snug_plan_memory(plan, &r);
  snug_plan_destroy(plan);
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, r.planned - 1));
  ASSERT_STATUS(ctx, snug_fit(m, &t.data, &o, &h), SNUG_E_LIMIT, "batch");
  ASSERT_OK(ctx, snug_model_weight_get(m, "hidden/kernel", after, sizeof after));
  ASSERT_EQ_BYTES(before, after, sizeof before);
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, r.planned));
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, &h));
  snug_history_destroy(h);
  snug_model_destroy(m);
  toy_free(&t);
}

TEST(predict_takes_no_state_of_training) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "adam");
  float p[8][CLASSES];
  void *out[] = {p};
  toy t;
  make_toy(&t, 8);
  ASSERT_OK(ctx, snug_predict(m, &t.data, 4, out, 1));
  for (size_t i = 0; i < snug_memory_names(ctx); i++) {
    snug_memory_entry e = SNUG_INIT(snug_memory_entry);
    snug_memory_entry_get(ctx, i, &e);
    ASSERT_TRUE(strcmp(e.name, "optimizer") != 0 || (e.current == 0 && e.at_peak == 0));
  }
  snug_model_destroy(m);
  toy_free(&t);
}

/* Weights after an epoch of SGD in shuffled order; `fits` fits of one epoch each, the last from
 * `initial`. */
static void shuffled_kernel(int fits, int64_t epochs, float kernel[48]) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_mlp(ctx, "sgd(learning_rate=0.5)");
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  toy t;
  make_toy(&t, 12);
  o.batch_size = 2;
  o.epochs = epochs;
  for (int i = 0; i < fits; i++) {
    ASSERT_OK(ctx, snug_fit(m, &t.data, &o, NULL));
  }
  ASSERT_OK(ctx, snug_model_weight_get(m, "hidden/kernel", kernel, 48 * sizeof *kernel));
  snug_model_destroy(m);
  test_ctx_end(ctx);
  toy_free(&t);
}

TEST(two_fits_of_one_epoch_are_one_fit_of_two) {
  float a[48], b[48];
  shuffled_kernel(2, 1, a);
  shuffled_kernel(1, 2, b);
  ASSERT_EQ_BYTES(a, b, sizeof a);
}
