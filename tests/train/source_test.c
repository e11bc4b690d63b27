/* Training on rows of a source: the same as on the arrays in memory, whoever reads them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fault.h"
#include "train/nets.h"

#define ROWS 53
#define WIDTH 6

/* Rows of a toy data set, handed out one at a time. */
typedef struct rows {
  toy t;
  snug_source source;
  snug_array x, y, weight;
  snug_data data;
  int64_t bad; /* row that has a NaN; -1: none */
} rows;

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  const rows *r = user;
  (void)scratch;
  (void)pass;
  (void)why;
  if (row >= ROWS) {
    return SNUG_E_STOPPED;
  }
  memcpy(to[0], r->t.x + row * WIDTH, WIDTH * sizeof(float));
  if (row == r->bad) {
    memset(to[0], 0xFF, sizeof(float));
  }
  if (to[1]) {
    memcpy(to[1], r->t.y + row, sizeof(int32_t));
  }
  if (r->data.sample_weight) {
    memcpy(to[2], r->t.weight + row, sizeof(float));
  }
  return SNUG_OK;
}

static snug_status restart(void *user, void *scratch, uint64_t pass, char *why) {
  (void)user;
  (void)scratch;
  (void)pass;
  (void)why;
  return SNUG_OK;
}

static void rows_make(rows *r) {
  const int64_t shape[] = {WIDTH};
  *r = (rows){.bad = -1};
  toy_make(&r->t, ROWS, shape, 1, 3);
  r->x = r->t.x_array;
  r->y = r->t.y_array;
  r->weight = r->t.weight_array;
  r->x.data = r->y.data = r->weight.data = NULL;
  r->source = (snug_source){.struct_size = sizeof(snug_source),
                            .name = "rows",
                            .user = r,
                            .rows = ROWS,
                            .read = read_row};
  r->data = (snug_data){sizeof(snug_data), &r->x, 1, &r->y, 1, NULL, &r->source};
}

static snug_model *model_of(snug_ctx *ctx) {
  const int64_t shape[] = {WIDTH};
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 1);
  snug_model_add(m, "Dense", "units=5 activation=relu");
  snug_model_add(m, "Dense", "units=3 activation=softmax");
  ASSERT_OK(ctx, compile_with(m, "adam", "sparse_categorical_crossentropy"));
  return m;
}

#define MOST_WEIGHTS 256

/* Train, and give the weights and the last logs. */
static void train(const snug_data *data, const snug_fit_options *options, float *weights,
                  snug_data_report *report) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  snug_history *h = NULL;
  snug_memory_report memory = SNUG_INIT(snug_memory_report);
  size_t n = 0;
  memset(weights, 0, MOST_WEIGHTS * sizeof *weights);
  ASSERT_OK(ctx, snug_fit(m, data, options, &h));
  snug_history_memory(h, &memory);
  snug_history_data(h, report);
  ASSERT_EQ_UINT(memory.planned, memory.measured);
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    ASSERT_OK(ctx, snug_model_weight_info(m, i, &w));
    size_t count = 1;
    for (int32_t k = 0; k < w.rank; k++) {
      count *= (size_t)w.shape[k];
    }
    ASSERT_OK(ctx, snug_model_weight_get(m, w.name, weights + n, count * sizeof *weights));
    n += count;
  }
  snug_logs logs = snug_history_logs(h, snug_history_epochs(h) - 1);
  for (size_t i = 0; i < logs.n; i++) {
    weights[MOST_WEIGHTS - 1 - i] = (float)logs.values[i];
  }
  snug_history_destroy(h);
  snug_model_destroy(m);
}

static const int32_t workers[] = {-1, 1, 8};

static void expect_same_training(const snug_fit_options *options, bool weighted) {
  rows r;
  float in_memory[MOST_WEIGHTS], by_rows[MOST_WEIGHTS];
  snug_data_report report = SNUG_INIT(snug_data_report);
  rows_make(&r);
  snug_data whole = r.t.data;
  whole.sample_weight = weighted ? &r.t.weight_array : NULL;
  r.data.sample_weight = weighted ? &r.weight : NULL;
  train(&whole, options, in_memory, &report);
  ASSERT_EQ_UINT(report.batches, 0);
  for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
    r.source.workers = workers[i];
    train(&r.data, options, by_rows, &report);
    ASSERT_EQ_BYTES(in_memory, by_rows, sizeof by_rows);
    ASSERT_EQ_INT(report.n_workers, workers[i] < 0 ? 0 : workers[i]);
    ASSERT_TRUE(report.batches > 0 && report.waited > 0.0);
  }
  toy_free(&r.t);
}

TEST(the_same_training) {
  expect_same_training(
      &(snug_fit_options){.struct_size = sizeof(snug_fit_options), .batch_size = 8, .epochs = 3},
      false);
}

TEST(the_same_in_their_order) {
  expect_same_training(&(snug_fit_options){.struct_size = sizeof(snug_fit_options),
                                           .batch_size = 8,
                                           .epochs = 2,
                                           .no_shuffle = true},
                       false);
}

TEST(the_same_with_validation) {
  expect_same_training(&(snug_fit_options){.struct_size = sizeof(snug_fit_options),
                                           .batch_size = 8,
                                           .epochs = 3,
                                           .validation_split = 0.3,
                                           .validation_batch_size = 5},
                       false);
}

TEST(the_same_with_weights) {
  expect_same_training(
      &(snug_fit_options){.struct_size = sizeof(snug_fit_options), .batch_size = 8, .epochs = 2},
      true);
}

TEST(the_same_with_class_weights) {
  const double by_class[] = {1.0, 3.0, 0.5};
  expect_same_training(&(snug_fit_options){.struct_size = sizeof(snug_fit_options),
                                           .batch_size = 8,
                                           .epochs = 2,
                                           .class_weight = by_class,
                                           .n_class_weight = 3},
                       false);
}

TEST(the_same_in_micro_batches) {
  expect_same_training(
      &(snug_fit_options){
          .struct_size = sizeof(snug_fit_options), .batch_size = 8, .epochs = 2, .micro_batch = 3},
      true);
}

TEST(the_same_in_steps_per_epoch) {
  expect_same_training(&(snug_fit_options){.struct_size = sizeof(snug_fit_options),
                                           .batch_size = 8,
                                           .epochs = 5,
                                           .steps_per_epoch = 3,
                                           .validation_split = 0.2},
                       false);
}

TEST(labels_in_memory_go_with_rows_of_a_source) {
  rows r;
  float in_memory[MOST_WEIGHTS], by_rows[MOST_WEIGHTS];
  snug_data_report report = SNUG_INIT(snug_data_report);
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 8, .epochs = 2};
  rows_make(&r);
  train(&r.t.data, &o, in_memory, &report);
  r.data.y = &r.t.y_array;
  train(&r.data, &o, by_rows, &report);
  ASSERT_EQ_BYTES(in_memory, by_rows, sizeof by_rows);
  toy_free(&r.t);
}

TEST(evaluate_and_predict) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  rows r;
  double a[2], b[2];
  float out_a[ROWS * 3], out_b[ROWS * 3];
  void *to_a = out_a, *to_b = out_b;
  rows_make(&r);
  ASSERT_OK(ctx, snug_evaluate(m, &r.t.data, 8, a, 2));
  ASSERT_OK(ctx, snug_evaluate(m, &r.data, 8, b, 2));
  ASSERT_EQ_BYTES(a, b, sizeof a);
  ASSERT_OK(ctx, snug_predict(m, &r.t.data, 8, &to_a, 1));
  ASSERT_OK(ctx, snug_predict(m, &r.data, 8, &to_b, 1));
  ASSERT_EQ_BYTES(out_a, out_b, sizeof out_a);
  r.data.n_y = 0;
  r.data.y = NULL;
  ASSERT_OK(ctx, snug_predict(m, &r.data, 8, &to_b, 1));
  ASSERT_EQ_BYTES(out_a, out_b, sizeof out_a);
  snug_model_destroy(m);
  toy_free(&r.t);
}

/* ---- a map ---- */

/* x becomes 2 x + 1 in training, and x + 1 elsewhere; a NaN becomes 0 before that. */
static snug_status change(void *user, int64_t row, uint64_t pass, void *const *sample, char *why) {
  float *x = sample[0];
  (void)user;
  (void)row;
  (void)why;
  for (int k = 0; k < WIDTH; k++) {
    x[k] = x[k] != x[k] ? 0.0f : x[k];
    x[k] = (pass == SNUG_NOT_TRAINING ? 1.0f : 2.0f) * x[k] + 1.0f;
  }
  return SNUG_OK;
}

TEST(a_map_is_applied_to_every_sample) {
  rows r, changed;
  float expected[MOST_WEIGHTS], got[MOST_WEIGHTS];
  snug_data_report report = SNUG_INIT(snug_data_report);
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 8, .epochs = 2};
  rows_make(&r);
  rows_make(&changed);
  for (int i = 0; i < ROWS * WIDTH; i++) {
    changed.t.x[i] = 2.0f * changed.t.x[i] + 1.0f;
  }
  train(&changed.t.data, &o, expected, &report);
  r.t.data.map = r.data.map = change;
  train(&r.t.data, &o, got, &report); /* arrays in memory stay as they are */
  ASSERT_EQ_BYTES(expected, got, sizeof got);
  ASSERT_TRUE(report.batches > 0);
  train(&r.t.data, &o, got, &report);
  ASSERT_EQ_BYTES(expected, got, sizeof got);
  train(&r.data, &o, got, &report);
  ASSERT_EQ_BYTES(expected, got, sizeof got);
  r.data.y = &r.t.y_array; /* part in memory, part of a source */
  train(&r.data, &o, got, &report);
  ASSERT_EQ_BYTES(expected, got, sizeof got);
  toy_free(&r.t);
  toy_free(&changed.t);
}

TEST(a_map_may_mend_samples) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  rows r;
  double values[2];
  rows_make(&r);
  r.t.x[3] = NAN;
  ASSERT_STATUS(ctx, snug_evaluate(m, &r.t.data, 8, values, 2), SNUG_E_DATA, "is");
  r.t.data.map = change;
  ASSERT_OK(ctx, snug_evaluate(m, &r.t.data, 8, values, 2));
  snug_model_destroy(m);
  toy_free(&r.t);
}

/* ---- streams ---- */

static void make_stream(rows *r, int64_t n) {
  rows_make(r);
  r->source.in_order = true;
  r->source.rows = n;
  r->source.restart = restart;
}

TEST(a_generator_of_unknown_length_needs_steps) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  rows r;
  make_stream(&r, SNUG_ROWS_UNKNOWN);
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 8, .epochs = 3};
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, &o, NULL), SNUG_E_ARGUMENT,
                "rows: its number of samples is unknown; set with steps_per_epoch");
  o.steps_per_epoch = 5;
  ASSERT_OK(ctx, snug_fit(m, &r.data, &o, NULL));
  o.validation_data = &r.data;
  rows v;
  make_stream(&v, SNUG_ROWS_UNKNOWN);
  o.validation_data = &v.data;
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, &o, NULL), SNUG_E_ARGUMENT, "validation_steps");
  o.validation_steps = 2;
  ASSERT_OK(ctx, snug_fit(m, &r.data, &o, NULL));
  double values[2];
  ASSERT_STATUS(ctx, snug_evaluate(m, &r.data, 8, values, 2), SNUG_E_ARGUMENT,
                "rows: its number of samples is unknown");
  snug_model_destroy(m);
  toy_free(&r.t);
  toy_free(&v.t);
}

TEST(a_stream_cannot_be_split) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  rows r;
  make_stream(&r, ROWS);
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 8, .validation_split = 0.2};
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, &o, NULL), SNUG_E_ARGUMENT, "cannot share it");
  o.validation_split = 0.0;
  o.validation_data = &r.data;
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, &o, NULL), SNUG_E_ARGUMENT, "cannot share it");
  snug_model_destroy(m);
  toy_free(&r.t);
}

TEST(rows_of_a_stream_cannot_be_skipped) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  rows r;
  make_stream(&r, ROWS);
  r.source.skip_bad = true;
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, NULL, NULL), SNUG_E_ARGUMENT, "cannot be skipped");
  snug_model_destroy(m);
  toy_free(&r.t);
}

TEST(what_can_be_read_once_trains_once) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  rows r;
  make_stream(&r, ROWS);
  r.source.restart = NULL;
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 8, .epochs = 2};
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, &o, NULL), SNUG_E_ARGUMENT,
                "rows: can be read once and has 7 batches; 2 epochs of 7 are asked for");
  o.steps_per_epoch = 3;
  ASSERT_OK(ctx, snug_fit(m, &r.data, &o, NULL));
  snug_model_destroy(m);
  toy_free(&r.t);
}

/* ---- bad rows ---- */

TEST(a_bad_row_ends_the_fit_with_its_name) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  rows r;
  rows_make(&r);
  r.bad = 21;
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 8, .epochs = 2};
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, &o, NULL), SNUG_E_DATA,
                "rows: x[0] 'x': sample 21, element 0 is");
  r.source.skip_bad = true;
  snug_history *h = NULL;
  snug_data_report report = SNUG_INIT(snug_data_report);
  ASSERT_OK(ctx, snug_fit(m, &r.data, &o, &h));
  snug_history_data(h, &report);
  ASSERT_EQ_INT(report.skipped, 2);
  ASSERT_HAS(report.first_skipped, "sample 21");
  snug_history_destroy(h);
  snug_model_destroy(m);
  toy_free(&r.t);
}

TEST(a_source_that_reads_nothing_is_refused) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  rows r;
  rows_make(&r);
  r.source.read = NULL;
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, NULL, NULL), SNUG_E_ARGUMENT, "rows: the source has no");
  r.source.read = read_row;
  r.source.rows = SNUG_ROWS_UNKNOWN;
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, NULL, NULL), SNUG_E_ARGUMENT, "is read in order");
  r.source.rows = 0;
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, NULL, NULL), SNUG_E_DATA, "is empty");
  r.source.rows = ROWS;
  r.source.scratch = SIZE_MAX / 128;
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, NULL, NULL), SNUG_E_OVERFLOW, "more than can be held");
  r.source.scratch = 0;
  r.x.shape[1] = WIDTH + 1;
  ASSERT_STATUS(ctx, snug_fit(m, &r.data, NULL, NULL), SNUG_E_SHAPE, "x[0]");
  snug_model_destroy(m);
  toy_free(&r.t);
}

/* ---- memory ---- */

TEST(a_plan_has_the_bytes_of_each_stage) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  snug_plan *plan = NULL;
  snug_data_report planned = SNUG_INIT(snug_data_report), done = SNUG_INIT(snug_data_report);
  snug_memory_report memory = SNUG_INIT(snug_memory_report);
  snug_history *h = NULL;
  rows r;
  make_stream(&r, ROWS);
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 8, .epochs = 2};
  ASSERT_OK(ctx, snug_plan_fit(m, &r.data, &o, &plan));
  snug_plan_data(plan, &planned);
  snug_plan_memory(plan, &memory);
  snug_plan_destroy(plan);
  ASSERT_TRUE(planned.batches >= 2 * 8 * (WIDTH * 4 + 4));
  ASSERT_TRUE(planned.window >= ROWS * (WIDTH * 4 + 4));
  ASSERT_TRUE(planned.workers >= 128 << 10);
  ASSERT_TRUE(memory.data >= planned.batches + planned.window + planned.workers + planned.held);
  ASSERT_OK(ctx, snug_fit(m, &r.data, &o, &h));
  snug_history_data(h, &done);
  ASSERT_EQ_UINT(done.batches, planned.batches);
  ASSERT_EQ_UINT(done.window, planned.window);
  ASSERT_EQ_UINT(done.workers, planned.workers);
  snug_history_destroy(h);
  snug_model_destroy(m);
  toy_free(&r.t);
}

static snug_status fit_once(snug_ctx *ctx, void *arg) {
  rows *r = arg;
  const int64_t shape[] = {WIDTH};
  snug_model *m = NULL;
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 8, .validation_split = 0.2};
  snug_status s = snug_model_create(ctx, NULL, &m);
  if (!s) {
    snug_model_input(m, "x", SNUG_FLOAT32, shape, 1);
    snug_model_add(m, "Dense", "units=3 activation=softmax");
  }
  s = s ? s : compile_with(m, "sgd", "sparse_categorical_crossentropy");
  s = s ? s : snug_fit(m, &r->data, &o, NULL);
  snug_model_destroy(m);
  return s;
}

TEST(without_memory) {
  rows r;
  rows_make(&r);
  test_fault_sweep_stride(fit_once, &r, 7);
  toy_free(&r.t);
}
