/* Batches in micro-batches give what whole batches give, up to rounding: in float64 within 1e-12.
 *
 * golden_test.c holds micro-batches against Keras's numbers; here they are held against whole
 * batches, with random layers too, whose numbers are not Keras's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "lib/fault.h"
#include "train/golden.h"

#define WEIGHT_TOLERANCE 1e-12
#define LOG_TOLERANCE 2e-6 /* metrics are added up in float32 */

enum { ROWS = 23, BATCH = 10, STEPS = 5, FEATURES = 3, MAX_WEIGHTS = 2000, MAX_LOGS = 64 };

/* One thread: the sums of one batch are compared, not those of threads. */
static snug_ctx *new_ctx(void) {
  snug_options o = SNUG_INIT(snug_options);
  o.threads = 1;
  return test_ctx_with(&o);
}

/* ---- what is trained ---- */

typedef struct layer {
  const char *class_name, *config;
} layer;

typedef struct trial {
  const char *name;
  layer layers[6];
  bool ids; /* the input is class numbers, of which 0 is padding */
  golden_kind labels;
  bool step_labels;             /* one label per step, not per sample */
  const char *loss, *optimizer; /* NULL: SCCE, SGD */
  const char *metric;
  bool sample_weight, class_weight;
} trial;

#define SCCE "sparse_categorical_crossentropy"
#define SGD "sgd(learning_rate=0.1)"
#define EMBED \
  { "Embedding", "input_dim=5 output_dim=4 mask_zero=true name=e" }
#define HIDDEN \
  { "Dense", "units=6 activation=tanh name=h" }
#define CLASSES \
  { "Dense", "units=4 activation=softmax name=o" }
#define SEQUENCE .step_labels = true, .labels = GOLDEN_CLASS, .metric = "accuracy"
#define SORTING .labels = GOLDEN_CLASS, .metric = "accuracy"

static const trial trials[] = {
    {"mean", {HIDDEN, {"Flatten", ""}, CLASSES}, SORTING},
    {"sum",
     {HIDDEN, {"Flatten", ""}, CLASSES},
     SORTING,
     .loss = "SparseCategoricalCrossentropy(reduction=sum)"},
    {"steps", {HIDDEN, CLASSES}, SEQUENCE},
    {"sample_weight", {HIDDEN, CLASSES}, SEQUENCE, .sample_weight = true},
    {"mean_with_sample_weight",
     {HIDDEN, CLASSES},
     SEQUENCE,
     .loss = "SparseCategoricalCrossentropy(reduction=mean_with_sample_weight)",
     .sample_weight = true},
    {"mean_without_sample_weight",
     {HIDDEN, CLASSES},
     SEQUENCE,
     .loss = "SparseCategoricalCrossentropy(reduction=mean_with_sample_weight)"},
    {"class_weight", {HIDDEN, {"Flatten", ""}, CLASSES}, SORTING, .class_weight = true},
    {"ignore_class",
     {HIDDEN, CLASSES},
     SEQUENCE,
     .loss = "SparseCategoricalCrossentropy(ignore_class=2)"},
    {"mask", {EMBED, HIDDEN, CLASSES}, SEQUENCE, .ids = true},
    {"mask_and_weights",
     {EMBED, HIDDEN, CLASSES},
     SEQUENCE,
     .ids = true,
     .loss = "SparseCategoricalCrossentropy(reduction=mean_with_sample_weight)",
     .sample_weight = true},
    {"mask_and_ignore_class",
     {EMBED, HIDDEN, CLASSES},
     SEQUENCE,
     .ids = true,
     .loss = "SparseCategoricalCrossentropy(ignore_class=1)"},
    {"dropout", {HIDDEN, {"Dropout", "rate=0.5 name=d"}, {"Flatten", ""}, CLASSES}, SORTING},
    {"dropout_of_all",
     {HIDDEN, {"Dropout", "rate=0.5 noise_shape=[1,-1,-1] name=d"}, {"Flatten", ""}, CLASSES},
     SORTING},
    {"spatial_dropout",
     {HIDDEN, {"SpatialDropout1D", "rate=0.5 name=d"}, {"Flatten", ""}, CLASSES},
     SORTING},
    {"gaussian_noise",
     {{"GaussianNoise", "stddev=0.3 name=n"}, HIDDEN, {"Flatten", ""}, CLASSES},
     SORTING},
    {"gaussian_dropout",
     {HIDDEN, {"GaussianDropout", "rate=0.3 name=n"}, {"Flatten", ""}, CLASSES},
     SORTING},
    {"alpha_dropout",
     {HIDDEN, {"AlphaDropout", "rate=0.3 name=n"}, {"Flatten", ""}, CLASSES},
     SORTING},
    {"regularizers",
     {{"Dense",
       "units=6 activation=tanh kernel_regularizer=\"l1_l2(0.01,0.02)\" "
       "activity_regularizer=\"l2(0.05)\" name=h"},
      {"Flatten", ""},
      CLASSES},
     SORTING},
    {"adam", {HIDDEN, {"Flatten", ""}, CLASSES}, SORTING, .optimizer = "adam(learning_rate=0.01)"},
    {"clip",
     {HIDDEN, {"Flatten", ""}, CLASSES},
     SORTING,
     .optimizer = "sgd(learning_rate=0.5, global_clipnorm=0.05)"},
    {"accumulate",
     {HIDDEN, {"Flatten", ""}, CLASSES},
     SORTING,
     .optimizer = "adamw(learning_rate=0.01, gradient_accumulation_steps=2)"},
    {"average",
     {HIDDEN, {"Flatten", ""}, CLASSES},
     SORTING,
     .optimizer = "sgd(learning_rate=0.1, momentum=0.9, use_ema=true, ema_overwrite_frequency=3)"},
    {"schedule",
     {HIDDEN, {"Flatten", ""}, CLASSES},
     SORTING,
     .optimizer = "sgd(learning_rate=CosineDecay(initial_learning_rate=0.1, decay_steps=5))"},
    {"scaled_loss",
     {HIDDEN, {"Flatten", ""}, CLASSES},
     SORTING,
     .optimizer = "sgd(learning_rate=0.1, loss_scale_factor=8)"},
    {"mse",
     {HIDDEN, {"Dense", "units=1 name=o"}},
     .labels = GOLDEN_REAL,
     .step_labels = true,
     .loss = "mse",
     .metric = "mae"},
    {"auc",
     {HIDDEN, {"Flatten", ""}, {"Dense", "units=1 activation=sigmoid name=o"}},
     .labels = GOLDEN_BITS,
     .loss = "binary_crossentropy",
     .metric = "AUC"}};

static snug_model *new_model(snug_ctx *ctx, const trial *t) {
  const int64_t shape[] = {STEPS, FEATURES};
  const char *const metrics[] = {t->metric};
  snug_model_options o = SNUG_INIT(snug_model_options);
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  snug_model *m = NULL;
  o.dtype = SNUG_FLOAT64;
  o.seed = 11;
  const char *loss = t->loss ? t->loss : SCCE;
  how.optimizer = t->optimizer ? t->optimizer : SGD;
  how.loss = &loss;
  how.n_loss = 1;
  how.metrics = how.weighted_metrics = metrics;
  how.n_metrics = 1;
  how.n_weighted_metrics = 1;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  snug_model_input(m, "x", t->ids ? SNUG_INT32 : SNUG_FLOAT64, shape, t->ids ? 1 : 2);
  for (size_t i = 0; t->layers[i].class_name; i++) {
    snug_model_add(m, t->layers[i].class_name, t->layers[i].config);
  }
  ASSERT_OK(ctx, snug_model_compile(m, &how));
  return m;
}

static void new_data(const trial *t, golden_arrays *a) {
  bool classes = t->labels == GOLDEN_CLASS;
  golden_array x = {
      t->ids ? GOLDEN_CLASS : GOLDEN_REAL, 5, 1.0, 0.0, 3, t->ids ? 2 : 3, {ROWS, STEPS, FEATURES}};
  golden_array y = {t->labels, 4, 1.0, 0.0, 5, 1, {ROWS, STEPS, 1}};
  golden_array w = {GOLDEN_REAL, 0, 0.5, 1.0, 7, 1, {ROWS}};
  y.rank = (t->step_labels ? 2 : 1) + (classes ? 0 : 1);
  y.shape[1] = t->step_labels ? STEPS : 1;
  golden_data d = {1, 1, &x, &y, t->sample_weight ? &w : NULL};
  golden_make(a, &d, SNUG_FLOAT64);
}

/* ---- what comes of it ---- */

typedef struct outcome {
  double weights[MAX_WEIGHTS], logs[MAX_LOGS];
  size_t n_weights, n_logs;
  snug_memory_report memory;
} outcome;

static void keep_weights(snug_ctx *ctx, snug_model *m, outcome *out) {
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug_weight_info info = SNUG_INIT(snug_weight_info);
    ASSERT_OK(ctx, snug_model_weight_info(m, i, &info));
    size_t n = 1;
    for (int32_t k = 0; k < info.rank; k++) {
      n *= (size_t)info.shape[k];
    }
    ASSERT_TRUE(out->n_weights + n <= MAX_WEIGHTS);
    ASSERT_OK(ctx, snug_model_weight_get(m, info.name, out->weights + out->n_weights,
                                         n * sizeof(double)));
    out->n_weights += n;
  }
}

static void keep_history(const snug_history *h, outcome *out) {
  for (int64_t e = 0; e < snug_history_epochs(h); e++) {
    snug_logs logs = snug_history_logs(h, e);
    for (size_t i = 0; i < logs.n; i++) {
      bool told = strcmp(logs.names[i], "peak_memory") != 0;
      ASSERT_TRUE(out->n_logs < MAX_LOGS);
      out->logs[out->n_logs++] = told ? logs.values[i] : 0.0;
    }
  }
  snug_history_memory(h, &out->memory);
}

static void fit(const trial *t, int64_t micro_batch, outcome *out) {
  static const double by_class[] = {0.5, 2.0, 1.0, 0.25};
  snug_ctx *ctx = new_ctx();
  snug_model *m = new_model(ctx, t);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_history *h = NULL;
  golden_arrays a;
  *out = (outcome){.memory = SNUG_INIT(snug_memory_report)};
  new_data(t, &a);
  o.batch_size = BATCH; /* 23 rows: 18 are trained on, 10 and 8 of them */
  o.epochs = 3;
  o.validation_split = 0.2;
  o.class_weight = t->class_weight ? by_class : NULL;
  o.n_class_weight = t->class_weight ? 4 : 0;
  o.micro_batch = micro_batch;
  ASSERT_OK(ctx, snug_fit(m, &a.data, &o, &h));
  keep_weights(ctx, m, out);
  keep_history(h, out);
  ASSERT_EQ_UINT(out->memory.planned, out->memory.measured);
  snug_history_destroy(h);
  snug_model_destroy(m);
  golden_free(&a);
  test_ctx_end(ctx);
}

static int count_differing(const char *name, int64_t micro, const char *what, const double *whole,
                           const double *micro_batches, size_t n, double tolerance) {
  int wrong = 0;
  for (size_t i = 0; i < n; i++) {
    bool same = fabs(whole[i] - micro_batches[i]) <= tolerance * fmax(1.0, fabs(whole[i]));
    if (!same && wrong++ < 3) {
      fprintf(stderr, "%s in pieces of %lld: %s %zu is %.17g, of the whole batch %.17g\n", name,
              (long long)micro, what, i, micro_batches[i], whole[i]);
    }
  }
  return wrong;
}

static void check_micro_batches(int64_t micro) {
  int wrong = 0;
  outcome *whole = malloc(sizeof *whole);
  outcome *micro_batches = malloc(sizeof *micro_batches);
  ASSERT_TRUE(whole && micro_batches);
  for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
    const trial *t = &trials[i];
    fit(t, 0, whole);
    fit(t, micro, micro_batches);
    ASSERT_EQ_UINT(whole->n_weights, micro_batches->n_weights);
    ASSERT_EQ_UINT(whole->n_logs, micro_batches->n_logs);
    wrong += count_differing(t->name, micro, "weight", whole->weights, micro_batches->weights,
                             whole->n_weights, WEIGHT_TOLERANCE);
    wrong += count_differing(t->name, micro, "log", whole->logs, micro_batches->logs, whole->n_logs,
                             LOG_TOLERANCE);
  }
  free(whole);
  free(micro_batches);
  ASSERT_EQ_INT(wrong, 0);
}

TEST(micro_batches_of_one) { check_micro_batches(1); }
TEST(micro_batches_of_three) { check_micro_batches(3); } /* 10 = 3 + 3 + 3 + 1, 8 = 3 + 3 + 2 */
TEST(micro_batches_of_four) { check_micro_batches(4); }  /* 10 = 4 + 4 + 2, 8 = 4 + 4 */
TEST(micro_batches_of_nine) { check_micro_batches(9); }  /* 10 = 9 + 1, 8 = 8 */

/* ---- micro-batches as large as the batch ---- */

TEST(a_micro_batch_that_holds_the_batch_is_the_batch) {
  outcome *whole = malloc(sizeof *whole);
  outcome *micro_batches = malloc(sizeof *micro_batches);
  ASSERT_TRUE(whole && micro_batches);
  fit(&trials[0], 0, whole);
  for (int64_t micro = BATCH; micro < BATCH + 2; micro++) {
    fit(&trials[0], micro, micro_batches);
    ASSERT_EQ_BYTES(whole->weights, micro_batches->weights, whole->n_weights * sizeof(double));
    ASSERT_EQ_UINT(whole->memory.block, micro_batches->memory.block);
  }
  free(whole);
  free(micro_batches);
}

/* ---- what wants the whole batch ---- */

static snug_model *new_images(snug_ctx *ctx, const char *norm, const char *loss) {
  const int64_t shape[] = {8, 8, 3};
  snug_model_options o = SNUG_INIT(snug_model_options);
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  snug_model *m = NULL;
  o.seed = 3;
  how.optimizer = "sgd(learning_rate=0.05, momentum=0.9)";
  how.loss = &loss;
  how.n_loss = 1;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 3);
  snug_model_add(m, "Conv2D", "filters=16 kernel_size=3 padding=same name=c1");
  if (norm) {
    snug_model_add(m, "BatchNormalization", norm);
  }
  snug_model_add(m, "ReLU", "");
  snug_model_add(m, "Conv2D", "filters=20 kernel_size=3 strides=2 activation=relu name=c2");
  snug_model_add(m, "DepthwiseConv2D", "kernel_size=3 padding=same name=dw");
  snug_model_add(m, "GlobalAveragePooling2D", "");
  snug_model_add(m, "Dense", "units=4 activation=softmax name=o");
  ASSERT_OK(ctx, snug_model_compile(m, &how));
  return m;
}

static void image_data(golden_arrays *a, bool onehot) {
  golden_array x = {GOLDEN_REAL, 0, 1.0, 0.0, 3, 4, {13, 8, 8, 3}};
  golden_array y = {onehot ? GOLDEN_ONEHOT : GOLDEN_CLASS, 4, 1.0, 0.0, 5, onehot ? 2 : 1, {13, 4}};
  golden_data d = {1, 1, &x, &y, NULL};
  golden_make(a, &d, SNUG_FLOAT32);
}

/* Fit with batches of 8; the weights of the last layer go to kernel (20 x 4). */
static snug_status fit_images(snug_ctx *ctx, const char *norm, const char *loss,
                              int64_t micro_batch, bool allowed, float kernel[80]) {
  snug_model *m = new_images(ctx, norm, loss);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  golden_arrays a;
  image_data(&a, strcmp(loss, SCCE) != 0);
  o.batch_size = 8;
  o.micro_batch = micro_batch;
  o.allow_batch_statistics = allowed;
  snug_status s = snug_fit(m, &a.data, &o, NULL);
  ASSERT_OK(ctx, snug_model_weight_get(m, "o/kernel", kernel, 80 * sizeof *kernel));
  snug_model_destroy(m);
  golden_free(&a);
  return s;
}

static void expect_refused(const char *norm, const char *loss, bool allowed, const char *part) {
  snug_ctx *ctx = new_ctx();
  float before[80], after[80];
  snug_model *m = new_images(ctx, norm, loss);
  ASSERT_OK(ctx, snug_model_weight_get(m, "o/kernel", before, sizeof before));
  snug_model_destroy(m);
  snug_status s = fit_images(ctx, norm, loss, 3, allowed, after);
  ASSERT_EQ_INT(s, SNUG_E_UNSUPPORTED);
  ASSERT_HAS(snug_message(ctx), "cannot be run in pieces");
  ASSERT_HAS(snug_message(ctx), part);
  ASSERT_EQ_BYTES(before, after, sizeof before);
  test_ctx_end(ctx);
}

TEST(what_wants_the_whole_batch_is_named) {
  expect_refused("name=norm", SCCE, false, "norm");
  expect_refused(NULL, "dice", false, "overlap_loss");
  expect_refused(NULL, "hinge", true, "hinge");
  expect_refused(NULL, "CosineSimilarity(axis=0)", true, "axis of the samples");
}

static double farthest(const float *a, const float *b, size_t n) {
  double most = 0.0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs((double)a[i] - (double)b[i]));
  }
  return most;
}

/* In float32, with the kernels and layouts of real networks; a frozen normalization is none. */
TEST(convolutions_in_micro_batches) {
  snug_ctx *ctx = new_ctx();
  float whole[80], micro_batches[80];
  const char *const norms[] = {NULL, "trainable=false name=norm"};
  for (size_t i = 0; i < 2; i++) {
    ASSERT_OK(ctx, fit_images(ctx, norms[i], SCCE, 0, false, whole));
    for (int64_t micro = 3; micro < 8; micro += 2) {
      ASSERT_OK(ctx, fit_images(ctx, norms[i], SCCE, micro, false, micro_batches));
      ASSERT_TRUE(farthest(whole, micro_batches, 80) < 2e-6);
    }
  }
  test_ctx_end(ctx);
}

TEST(statistics_of_micro_batches_are_allowed_by_word_and_differ) {
  snug_ctx *ctx = new_ctx();
  float whole[80], micro_batches[80];
  ASSERT_OK(ctx, fit_images(ctx, "name=norm", SCCE, 0, false, whole));
  ASSERT_OK(ctx, fit_images(ctx, "name=norm", SCCE, 3, true, micro_batches));
  ASSERT_TRUE(farthest(whole, micro_batches, 80) > 1e-5);
  test_ctx_end(ctx);
}

TEST(a_negative_size_is_refused) {
  snug_ctx *ctx = new_ctx();
  float kernel[80];
  ASSERT_STATUS(ctx, fit_images(ctx, NULL, SCCE, -1, false, kernel), SNUG_E_ARGUMENT,
                "micro_batch=-1");
  test_ctx_end(ctx);
}

/* ---- memory ---- */

/* Micro-batches need less, and the sums of the gradients are counted. */
TEST(a_plan_of_micro_batches_holds_less) {
  snug_ctx *ctx = new_ctx();
  snug_model *m = new_images(ctx, NULL, SCCE);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_plan *plan = NULL;
  snug_memory_report whole = SNUG_INIT(snug_memory_report),
                     micro_batches = SNUG_INIT(snug_memory_report);
  snug_plan_point point = SNUG_INIT(snug_plan_point);
  golden_arrays a;
  image_data(&a, false);
  o.batch_size = 13;
  ASSERT_OK(ctx, snug_plan_fit(m, &a.data, &o, &plan));
  snug_plan_memory(plan, &whole);
  snug_plan_destroy(plan);
  o.micro_batch = 4;
  ASSERT_OK(ctx, snug_plan_fit(m, &a.data, &o, &plan));
  snug_plan_memory(plan, &micro_batches);
  snug_plan_point_at(plan, snug_plan_chosen(plan), &point);
  ASSERT_EQ_INT(point.micro_batch, 4);
  ASSERT_TRUE(micro_batches.block < whole.block);
  ASSERT_TRUE(micro_batches.gradients >= micro_batches.weights);
  ASSERT_TRUE(micro_batches.load <= micro_batches.block);
  snug_plan_destroy(plan);
  snug_model_destroy(m);
  golden_free(&a);
  test_ctx_end(ctx);
}

static snug_status sweep_fit(snug_ctx *ctx, void *arg) {
  const trial *t = arg;
  const int64_t shape[] = {STEPS};
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_model *m = NULL;
  golden_arrays a;
  how.loss = &t->loss;
  how.n_loss = 1;
  o.batch_size = 4;
  o.micro_batch = 3;
  o.steps_per_epoch = 1;
  SNUG_TRY(snug_model_create(ctx, NULL, &m));
  new_data(t, &a);
  snug_model_input(m, "x", SNUG_INT32, shape, 1);
  for (size_t i = 0; t->layers[i].class_name; i++) {
    snug_model_add(m, t->layers[i].class_name, t->layers[i].config);
  }
  snug_status s = snug_model_compile(m, &how);
  s = s ? s : snug_fit(m, &a.data, &o, NULL);
  snug_model_destroy(m);
  golden_free(&a);
  return s;
}

TEST(every_request_for_memory_may_fail) {
  trial t = {"mask", {EMBED, CLASSES}, SEQUENCE, .ids = true, .loss = SCCE};
  test_fault_sweep_stride(sweep_fit, &t, 31);
}
