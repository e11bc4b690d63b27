/* The life of a model out of the ordinary: calls in an odd order or from inside a callback, the
 * smallest data, what happens between two fits. */
#include <math.h>
#include <string.h>

#include "train/data.h"

#define LOSS "sparse_categorical_crossentropy"
enum { FEATURES = 6, CLASSES = 3, HIDDEN = 4, KERNEL = FEATURES * HIDDEN };

static snug_model *new_model(snug_ctx *ctx, const char *optimizer, snug_tensor *out) {
  const int64_t shape[] = {FEATURES};
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 1);
  snug_model_add(m, "Dense", "units=4 name=hidden");
  snug_model_add(m, "BatchNormalization", "name=norm");
  *out = snug_model_add(m, "Dense", "units=3 activation=softmax name=head");
  if (optimizer) {
    ASSERT_OK(ctx, compile_with(m, optimizer, LOSS));
  }
  return m;
}

static void make_toy(toy *t, int64_t n) { toy_make(t, n, (const int64_t[]){FEATURES}, 1, CLASSES); }

static void get_kernel(snug_ctx *ctx, snug_model *m, float kernel[KERNEL]) {
  ASSERT_OK(ctx, snug_model_weight_get(m, "hidden/kernel", kernel, KERNEL * sizeof *kernel));
}

static double log_of(const snug_history *h, int64_t epoch, const char *name) {
  snug_logs logs = snug_history_logs(h, epoch);
  return snug_logs_get(&logs, name);
}

/* ---- too late ---- */

TEST(outputs_stay_after_compile) {
  snug_ctx *ctx = test_ctx();
  snug_tensor out = SNUG_NO_TENSOR;
  snug_model *m = new_model(ctx, "sgd", &out);
  toy t;
  make_toy(&t, 8);
  ASSERT_STATUS(ctx, snug_model_outputs(m, (const snug_tensor[]){out, out}, 2), SNUG_E_STATE,
                "compiled");
  ASSERT_OK(ctx, snug_fit(m, &t.data, NULL, NULL));
  snug_model_destroy(m);
  toy_free(&t);
}

static void mean_after_fit(bool freeze_late, float mean[HIDDEN]) {
  snug_ctx *ctx = test_ctx();
  snug_tensor out = SNUG_NO_TENSOR;
  snug_model *m = new_model(ctx, "sgd", &out);
  toy t;
  make_toy(&t, 8);
  if (freeze_late) {
    ASSERT_OK(ctx, snug_model_set_trainable(m, "*", false));
  }
  ASSERT_OK(ctx, snug_fit(m, &t.data, NULL, NULL));
  ASSERT_OK(ctx, snug_model_weight_get(m, "norm/moving_mean", mean, HIDDEN * sizeof *mean));
  snug_model_destroy(m);
  test_ctx_end(ctx);
  toy_free(&t);
}

TEST(freezing_waits_for_the_next_compile) {
  float as_compiled[HIDDEN], frozen_late[HIDDEN];
  mean_after_fit(false, as_compiled);
  mean_after_fit(true, frozen_late);
  ASSERT_EQ_BYTES(as_compiled, frozen_late, sizeof as_compiled);
}

/* ---- inside a callback ---- */

typedef struct inside {
  snug_ctx *ctx;
  snug_model *m;
  const toy *t;
  int64_t epochs;
  double val_loss;
  bool stop_at_test_begin, stop_at_test_end;
} inside;

static bool compile_inside(void *user, int64_t batch, const snug_logs *logs) {
  inside *in = user;
  (void)batch;
  (void)logs;
  ASSERT_STATUS(in->ctx, compile_with(in->m, "adam", LOSS), SNUG_E_STATE, "fit");
  return true;
}

static bool use_inside(void *user, int64_t epoch, const snug_logs *logs) {
  inside *in = user;
  float p[16][CLASSES];
  void *out[] = {p};
  double values[2];
  ASSERT_OK(in->ctx, snug_predict(in->m, &in->t->data, 5, out, 1));
  ASSERT_OK(in->ctx, snug_evaluate(in->m, &in->t->data, 16, values, 2));
  ASSERT_NEAR(values[1], snug_logs_get(logs, "val_loss"), 1e-6);
  in->epochs = epoch + 1;
  return true;
}

static void fit_with_callback(inside *in, snug_callback c, snug_fit_options o) {
  snug_tensor out = SNUG_NO_TENSOR;
  toy t;
  make_toy(&t, 16);
  in->ctx = test_ctx();
  in->m = new_model(in->ctx, "sgd", &out);
  in->t = &t;
  c.user = in;
  o.callbacks = &c;
  o.n_callbacks = 1;
  o.batch_size = 4;
  o.validation_data = &t.data;
  ASSERT_OK(in->ctx, snug_fit(in->m, &t.data, &o, NULL));
  ASSERT_OK(in->ctx, compile_with(in->m, "adam", LOSS)); /* allowed again */
  snug_model_destroy(in->m);
  toy_free(&t);
}

TEST(a_callback_cannot_compile) {
  inside in = {0};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  fit_with_callback(
      &in, (snug_callback){.struct_size = sizeof(snug_callback), .batch_end = compile_inside}, o);
}

TEST(a_callback_can_evaluate_and_predict) {
  inside in = {0};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.epochs = 3;
  fit_with_callback(
      &in, (snug_callback){.struct_size = sizeof(snug_callback), .epoch_end = use_inside}, o);
  ASSERT_EQ_INT(in.epochs, 3);
}

static bool at_test_begin(void *user, int64_t steps) {
  (void)steps;
  return !((inside *)user)->stop_at_test_begin;
}
static bool at_test_end(void *user, const snug_logs *logs) {
  (void)logs;
  return !((inside *)user)->stop_at_test_end;
}
static bool count_epoch(void *user, int64_t epoch, const snug_logs *logs) {
  inside *in = user;
  in->epochs = epoch + 1;
  in->val_loss = snug_logs_get(logs, "val_loss");
  return true;
}

TEST(a_callback_of_validation_stops_training) {
  const snug_callback c = {.struct_size = sizeof c,
                           .test_begin = at_test_begin,
                           .test_end = at_test_end,
                           .epoch_end = count_epoch};
  inside begin = {.stop_at_test_begin = true}, end = {.stop_at_test_end = true};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.epochs = 4;
  o.validation_freq = 2;
  fit_with_callback(&begin, c, o);
  ASSERT_EQ_INT(begin.epochs, 2);
  o.validation_freq = 1;
  fit_with_callback(&end, c, o);
  ASSERT_EQ_INT(end.epochs, 1);
}

static bool stop_at_first_batch(void *user, int64_t batch, const snug_logs *logs) {
  (void)user;
  (void)logs;
  return batch > 0;
}

/* As in Keras: the epoch that was stopped is validated and is part of the history. */
TEST(an_epoch_stopped_in_the_middle_is_validated) {
  inside in = {0};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.epochs = 4;
  fit_with_callback(&in,
                    (snug_callback){.struct_size = sizeof(snug_callback),
                                    .batch_end = stop_at_first_batch,
                                    .epoch_end = count_epoch},
                    o);
  ASSERT_EQ_INT(in.epochs, 1);
  ASSERT_TRUE(isfinite(in.val_loss));
}

/* ---- between two fits ---- */

/* A fit that ends in the middle of a pass: the next one must not begin with the same samples. */
TEST(fits_of_few_steps_see_other_samples) {
  snug_ctx *ctx = test_ctx();
  snug_tensor out = SNUG_NO_TENSOR;
  snug_model *m = new_model(ctx, "sgd(learning_rate=0.0)", &out);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  double loss[2];
  toy t;
  make_toy(&t, 64);
  ASSERT_OK(ctx,
            snug_model_set_trainable(m, "*", false)); /* the loss depends on the samples only */
  ASSERT_OK(ctx, compile_with(m, "sgd", LOSS));
  o.batch_size = 4;
  o.steps_per_epoch = 1;
  for (int i = 0; i < 2; i++) {
    snug_history *h = NULL;
    ASSERT_OK(ctx, snug_fit(m, &t.data, &o, &h));
    loss[i] = log_of(h, 0, "loss");
    snug_history_destroy(h);
  }
  ASSERT_TRUE(loss[0] != loss[1]);
  snug_model_destroy(m);
  toy_free(&t);
}

TEST(weights_set_between_fits_are_where_the_next_begins) {
  snug_ctx *ctx = test_ctx();
  snug_tensor out = SNUG_NO_TENSOR;
  snug_model *m = new_model(ctx, "sgd(learning_rate=0.1)", &out);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  float start[KERNEL], a[KERNEL], b[KERNEL];
  toy t;
  make_toy(&t, 8);
  o.no_shuffle = true;
  ASSERT_OK(ctx, snug_model_set_trainable(m, "norm", false));
  ASSERT_OK(ctx, snug_model_set_trainable(m, "head", false));
  ASSERT_OK(ctx, compile_with(m, "sgd(learning_rate=0.1)", LOSS));
  ASSERT_OK(ctx, snug_model_weight_set(m, "hidden/bias", (float[HIDDEN]){0}, HIDDEN * 4));
  get_kernel(ctx, m, start);
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, NULL));
  get_kernel(ctx, m, a);
  ASSERT_TRUE(memcmp(start, a, sizeof a) != 0);
  ASSERT_OK(ctx, snug_model_weight_set(m, "hidden/kernel", start, sizeof start));
  ASSERT_OK(ctx, snug_model_weight_set(m, "hidden/bias", (float[HIDDEN]){0}, HIDDEN * 4));
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, NULL));
  get_kernel(ctx, m, b);
  ASSERT_EQ_BYTES(a, b, sizeof a);
  snug_model_destroy(m);
  toy_free(&t);
}

TEST(compiling_with_another_optimizer_starts_it_anew) {
  snug_ctx *ctx = test_ctx();
  snug_tensor out = SNUG_NO_TENSOR;
  snug_model *m = new_model(ctx, "adam", &out);
  static const char *const optimizers[] = {"sgd(learning_rate=0.5, momentum=0.9)", "nadam", "adam"};
  static const double rates[] = {0.5, 0.001, 0.001};
  toy t;
  make_toy(&t, 8);
  ASSERT_OK(ctx, snug_fit(m, &t.data, NULL, NULL));
  for (int i = 0; i < 3; i++) {
    float before[KERNEL], after[KERNEL];
    get_kernel(ctx, m, before);
    ASSERT_OK(ctx, compile_with(m, optimizers[i], LOSS));
    get_kernel(ctx, m, after);
    ASSERT_EQ_BYTES(before, after, sizeof before);
    ASSERT_NEAR(snug_model_learning_rate(m), rates[i], 1e-8);
    ASSERT_OK(ctx, snug_fit(m, &t.data, NULL, NULL));
  }
  snug_model_destroy(m);
  toy_free(&t);
}

/* ---- little data ---- */

TEST(one_sample_is_enough) {
  snug_ctx *ctx = test_ctx();
  snug_tensor out = SNUG_NO_TENSOR;
  snug_model *m = new_model(ctx, "adam", &out);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_history *h = NULL;
  double values[2];
  toy t;
  make_toy(&t, 1);
  ASSERT_OK(ctx, snug_evaluate(m, &t.data, 1, values, 2)); /* before any fit */
  o.validation_data = &t.data;
  o.epochs = 2;
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, &h));
  ASSERT_TRUE(isfinite(log_of(h, 1, "loss")) && isfinite(log_of(h, 1, "val_loss")));
  snug_history_destroy(h);
  o.validation_data = NULL;
  o.validation_split = 0.5;
  ASSERT_STATUS(ctx, snug_fit(m, &t.data, &o, &h), SNUG_E_DATA, "none of the 1 samples");
  snug_model_destroy(m);
  toy_free(&t);
}

/* Class weights are of the training alone. */
TEST(class_weights_leave_validation_alone) {
  snug_ctx *ctx = test_ctx();
  snug_tensor out = SNUG_NO_TENSOR;
  snug_model *m = new_model(ctx, "sgd", &out);
  const double weights[CLASSES] = {5.0, 0.25, 3.0};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_history *h = NULL;
  double values[2];
  toy t;
  make_toy(&t, 9);
  o.batch_size = 2;
  o.validation_data = &t.data;
  o.validation_batch_size = 100;
  o.class_weight = weights;
  o.n_class_weight = CLASSES;
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, &h));
  ASSERT_OK(ctx, snug_evaluate(m, &t.data, 9, values, 2));
  ASSERT_NEAR(log_of(h, 0, "val_accuracy"), values[0], 1e-7);
  ASSERT_NEAR(log_of(h, 0, "val_loss"), values[1], 1e-6);
  snug_history_destroy(h);
  snug_model_destroy(m);
  toy_free(&t);
}

/* ---- names ---- */

static bool has_plain_logs(void *user, int64_t epoch, const snug_logs *logs) {
  (void)user;
  (void)epoch;
  ASSERT_EQ_UINT(logs->n, 3);
  ASSERT_TRUE(isfinite(snug_logs_get(logs, "val_a_loss")));
  return true;
}

/* An output may be called what validation calls its values. */
TEST(an_output_named_val_is_in_the_logs) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  const char *const loss[] = {LOSS};
  snug_compile_options c = SNUG_INIT(snug_compile_options);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  const snug_callback callback = {.struct_size = sizeof callback, .epoch_end = has_plain_logs};
  toy t;
  make_toy(&t, 8);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_tensor x = snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){FEATURES}, 1);
  snug_tensor a = snug_model_layer(m, "Dense", "units=3 activation=softmax name=val_a", &x, 1);
  snug_tensor b = snug_model_layer(m, "Dense", "units=3 activation=softmax name=b", &x, 1);
  ASSERT_OK(ctx, snug_model_outputs(m, (const snug_tensor[]){a, b}, 2));
  c.loss = loss;
  c.n_loss = 1;
  ASSERT_OK(ctx, snug_model_compile(m, &c));
  const snug_array y[] = {t.y_array, t.y_array};
  snug_data data = {sizeof data, &t.x_array, 1, y, 2, NULL};
  o.callbacks = &callback;
  o.n_callbacks = 1;
  ASSERT_OK(ctx, snug_fit(m, &data, &o, NULL));
  snug_model_destroy(m);
  toy_free(&t);
}

/* ---- bad values ---- */

TEST(loss_weights_must_be_numbers) {
  snug_ctx *ctx = test_ctx();
  snug_tensor out = SNUG_NO_TENSOR;
  snug_model *m = new_model(ctx, NULL, &out);
  const char *const loss[] = {LOSS};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.loss = loss;
  o.n_loss = 1;
  o.loss_weights = (const double[]){NAN};
  ASSERT_STATUS(ctx, snug_model_compile(m, &o), SNUG_E_ARGUMENT, "'head' has the weight");
  snug_model_destroy(m);
}

/* What would become infinite in a model of a small dtype is refused. */
TEST(values_too_large_for_the_model_are_refused) {
  snug_ctx *ctx = test_ctx();
  const snug_model_options o = {.struct_size = sizeof o, .dtype = SNUG_FLOAT16};
  const float large[] = {1.0f, 7e4f};
  const int32_t whole[] = {65504, 70000};
  uint16_t out[2];
  void *outs[] = {out};
  snug_array x = {large, SNUG_FLOAT32, 1, {2}};
  snug_data data = {sizeof data, &x, 1, NULL, 0, NULL};
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  snug_model_input(m, "x", SNUG_FLOAT16, NULL, 0);
  snug_model_add(m, "ReLU", NULL);
  ASSERT_STATUS(ctx, snug_predict(m, &data, 0, outs, 1), SNUG_E_DATA,
                "sample 1, element 0 is 70000, which is not possible as float16");
  x = (snug_array){whole, SNUG_INT32, 1, {2}};
  ASSERT_STATUS(ctx, snug_predict(m, &data, 0, outs, 1), SNUG_E_DATA, "sample 1");
  x.shape[0] = 1;
  ASSERT_OK(ctx, snug_predict(m, &data, 0, outs, 1));
  snug_model_destroy(m);
}

static snug_status predict_words(snug_ctx *ctx, snug_dtype dtype, const void *words) {
  snug_model *m = NULL;
  float out[2][2];
  void *outs[] = {out};
  snug_array x = {words, dtype, 1, {2}};
  snug_data data = {sizeof data, &x, 1, NULL, 0, NULL};
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "words", SNUG_INT32, NULL, 0);
  snug_model_add(m, "Embedding", "input_dim=5 output_dim=2");
  snug_status s = snug_predict(m, &data, 0, outs, 1);
  snug_model_destroy(m);
  return s;
}

/* What an integer input cannot hold is refused, not cut. */
TEST(integer_inputs_take_whole_numbers_that_fit) {
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, predict_words(ctx, SNUG_FLOAT32, (const float[]){4.0f, 0.0f}));
  ASSERT_OK(ctx, predict_words(ctx, SNUG_INT64, (const int64_t[]){4, 0}));
  ASSERT_STATUS(ctx, predict_words(ctx, SNUG_FLOAT32, (const float[]){1.0f, 2.5f}), SNUG_E_DATA,
                "x[0] 'words': sample 1, element 0 is 2.5");
  ASSERT_STATUS(ctx, predict_words(ctx, SNUG_INT64, (const int64_t[]){1, INT64_C(1) << 40}),
                SNUG_E_DATA, "sample 1");
  ASSERT_STATUS(ctx, predict_words(ctx, SNUG_INT32, (const int32_t[]){1, 5}), SNUG_E_DATA,
                "embedding");
}
