/* Training on images that are changed at random: the same bits whoever reads them, and the same as
 * when the caller changes them. */
#include "image/augment.h"

#include <string.h>

#include "lib/fault.h"
#include "train/data.h"

#define ROWS 21
#define HEIGHT 6
#define WIDTH 5
#define CHANNELS 3
#define PIXELS (HEIGHT * WIDTH * CHANNELS)
#define STEPS "flip=horizontal_and_vertical,rotation(factor=0.2),contrast(factor=0.5)"

typedef struct images {
  toy t;
  uint8_t bytes[ROWS * PIXELS]; /* t.x holds the same numbers */
  snug_array x;                 /* of rows or bytes */
  snug_source source;
  snug_data data;
  snug__augment augment; /* what a map does */
  uint64_t seed;
} images;

static void make(images *im) {
  const int64_t shape[] = {HEIGHT, WIDTH, CHANNELS};
  memset(im, 0, sizeof *im);
  toy_make(&im->t, ROWS, shape, 3, 2);
  for (int i = 0; i < ROWS * PIXELS; i++) {
    im->bytes[i] = (uint8_t)((im->t.x[i] + 1.0f) * 127.0f);
    im->t.x[i] = im->bytes[i];
  }
  im->x = im->t.x_array;
  im->data = im->t.data;
  im->data.x = &im->x;
}

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  const images *im = user;
  (void)scratch, (void)pass, (void)why;
  if (to[0] && im->x.dtype == SNUG_UINT8) {
    memcpy(to[0], im->bytes + row * PIXELS, PIXELS);
  } else if (to[0]) {
    memcpy(to[0], im->t.x + row * PIXELS, PIXELS * sizeof(float));
  }
  return SNUG_OK;
}

/* What a fit does by itself. */
static snug_status change(void *user, int64_t row, uint64_t pass, void *const *sample, char *why) {
  const images *im = user;
  float spare[PIXELS];
  snug__canvas c = {HEIGHT, WIDTH, CHANNELS, sample[0], spare};
  (void)why;
  if (pass != SNUG_NOT_TRAINING) {
    snug__augment_run(&im->augment, im->seed, pass, (uint64_t)row, &c);
    memmove(sample[0], c.pixels, PIXELS * sizeof(float));
  }
  return SNUG_OK;
}

static snug_status keep(void *user, int64_t row, uint64_t pass, void *const *sample, char *why) {
  (void)user, (void)row, (void)pass, (void)sample, (void)why;
  return SNUG_OK;
}

#define SEED 11

/* Two layers, and between the input and them what is given (the last NULL). */
static snug_model *model_of(snug_ctx *ctx, const char *const layers[][2]) {
  const int64_t shape[] = {HEIGHT, WIDTH, CHANNELS};
  snug_model_options o = SNUG_INIT(snug_model_options);
  snug_model *m = NULL;
  o.seed = SEED;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 3);
  for (size_t i = 0; layers && layers[i][0]; i++) {
    snug_model_add(m, layers[i][0], layers[i][1]);
  }
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dense", "units=2 activation=softmax");
  ASSERT_OK(ctx, compile_with(m, "sgd(0.0001)", "sparse_categorical_crossentropy"));
  return m;
}

static const char *const own[][2] = {{"RandomFlip", NULL},
                                     {"RandomRotation", "factor=0.2"},
                                     {"RandomContrast", "factor=0.5"},
                                     {NULL, NULL}};

#define LOGS 4

typedef struct trained {
  float weights[PIXELS * 2 + 2];
  double logs[LOGS];
  snug_data_report report;
} trained;

static void train(const char *const layers[][2], const snug_data *data, const char *augment,
                  trained *out) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx, layers);
  snug_history *h = NULL;
  snug_memory_report memory = SNUG_INIT(snug_memory_report);
  snug_fit_options o = {.struct_size = sizeof o,
                        .batch_size = 4,
                        .epochs = 3,
                        .validation_split = 0.2,
                        .augment = augment};
  memset(out, 0, sizeof *out);
  ASSERT_OK(ctx, snug_fit(m, data, &o, &h));
  snug_history_memory(h, &memory);
  out->report = (snug_data_report)SNUG_INIT(snug_data_report);
  snug_history_data(h, &out->report);
  ASSERT_EQ_UINT(memory.planned, memory.measured);
  snug_logs logs = snug_history_logs(h, 2);
  ASSERT_EQ_INT(logs.n, LOGS);
  memcpy(out->logs, logs.values, sizeof out->logs);
  ASSERT_OK(ctx,
            snug_model_weight_get(m, "dense/kernel", out->weights, PIXELS * 2 * sizeof(float)));
  ASSERT_OK(ctx,
            snug_model_weight_get(m, "dense/bias", out->weights + PIXELS * 2, 2 * sizeof(float)));
  snug_history_destroy(h);
  snug_model_destroy(m);
}

static void expect_same(const trained *a, const trained *b) {
  ASSERT_EQ_BYTES(a->weights, b->weights, sizeof a->weights);
  ASSERT_EQ_BYTES(a->logs, b->logs, sizeof a->logs);
}

TEST(layers_and_options_do_what_a_map_would) {
  snug_ctx *ctx = test_ctx();
  images im;
  trained plain, expected, got;
  make(&im);
  im.seed = SEED;
  ASSERT_OK(ctx, snug__augment_parse(ctx, STEPS, &im.augment));
  train(NULL, &im.data, NULL, &plain);
  im.data.map = change;
  im.data.map_user = &im;
  train(NULL, &im.data, NULL, &expected);
  ASSERT_TRUE(memcmp(plain.weights, expected.weights, sizeof plain.weights) != 0);
  im.data.map = NULL;
  train(NULL, &im.data, STEPS, &got); /* arrays in memory stay as they are */
  expect_same(&expected, &got);
  train(own, &im.data, NULL, &got);
  expect_same(&expected, &got);
  train(own, &im.data, STEPS, &got); /* once */
  expect_same(&expected, &got);
  im.data.map = keep;
  train(own, &im.data, NULL, &got);
  expect_same(&expected, &got);
  toy_free(&im.t);
}

TEST(the_same_of_bytes_and_of_rows_by_any_number_of_workers) {
  static const int32_t workers[] = {-1, 1, 8};
  images im;
  trained expected, got;
  make(&im);
  train(own, &im.data, NULL, &expected);
  im.x.dtype = SNUG_UINT8;
  im.x.data = im.bytes;
  train(own, &im.data, NULL, &got);
  expect_same(&expected, &got);
  im.x.data = NULL;
  im.source = (snug_source){.struct_size = sizeof(snug_source),
                            .name = "rows",
                            .user = &im,
                            .rows = ROWS,
                            .read = read_row};
  im.data.source = &im.source;
  for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
    for (int k = 0; k < 2; k++) {
      im.x.dtype = k ? SNUG_UINT8 : SNUG_FLOAT32;
      im.source.workers = workers[i];
      train(own, &im.data, NULL, &got); /* labels stay in memory */
      expect_same(&expected, &got);
      ASSERT_EQ_INT(got.report.n_workers, workers[i] < 0 ? 0 : workers[i]);
    }
  }
  toy_free(&im.t);
}

TEST(a_plan_counts_it) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx, own);
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 4};
  images im;
  snug_plan *with_data = NULL, *without = NULL;
  snug_data_report of_data = SNUG_INIT(snug_data_report), of_samples = SNUG_INIT(snug_data_report);
  make(&im);
  ASSERT_OK(ctx, snug_plan_fit(m, &im.data, &o, &with_data));
  ASSERT_OK(ctx, snug_plan_samples(m, ROWS, &o, &without));
  snug_plan_data(with_data, &of_data);
  snug_plan_data(without, &of_samples);
  ASSERT_TRUE(of_data.batches > 0);
  ASSERT_EQ_UINT(of_data.batches, of_samples.batches);
  ASSERT_EQ_UINT(of_data.workers, of_samples.workers);
  snug_plan_destroy(with_data);
  snug_plan_destroy(without);
  snug_model_destroy(m);
  toy_free(&im.t);
}

TEST(what_comes_augmented_is_left_alone) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx, own);
  images im;
  snug_plan *p = NULL;
  snug_data_report report = SNUG_INIT(snug_data_report);
  make(&im);
  snug_model_set_augmented(m);
  ASSERT_OK(ctx, snug_plan_fit(m, &im.data, NULL, &p));
  snug_plan_data(p, &report);
  ASSERT_EQ_UINT(report.batches, 0);
  snug_plan_destroy(p);
  snug_model_destroy(m);
  toy_free(&im.t);
}

/* ---- what is refused ---- */

static void refused(snug_dtype dtype, int64_t channels, const char *augment, const char *says) {
  snug_ctx *ctx = test_ctx();
  const int64_t shape[] = {HEIGHT, WIDTH, channels};
  snug_model *m = NULL;
  snug_plan *p = NULL;
  snug_fit_options o = {.struct_size = sizeof o, .augment = augment};
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", dtype, shape, 3);
  snug_model_add(m, "Rescaling", "scale=1");
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dense", "units=2 activation=softmax");
  ASSERT_OK(ctx, compile_with(m, "sgd", "sparse_categorical_crossentropy"));
  ASSERT_STATUS(ctx, snug_plan_samples(m, ROWS, &o, &p),
                strstr(says, "'spin'") ? SNUG_E_ARGUMENT : SNUG_E_UNSUPPORTED, says);
  ASSERT_TRUE(p == NULL);
  snug_model_destroy(m);
}

TEST(what_is_no_image_is_refused) {
  refused(SNUG_FLOAT32, 2, "flip", "augment: is for images of floats, [height, width, channels]");
  refused(SNUG_INT32, 3, "flip", "the input of this model is int32[batch,6,5,3]");
  refused(SNUG_FLOAT32, 3, "flip,crop=3x3",
          "crop=3x3 is for images that are read from their files");
  refused(SNUG_FLOAT32, 3, "spin", "there is no 'spin'");
}

static snug_status fit_once(snug_ctx *ctx, void *user) {
  images *im = user;
  const int64_t shape[] = {HEIGHT, WIDTH, CHANNELS};
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 8, .augment = STEPS};
  snug_model *m = NULL;
  SNUG_TRY(snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 3);
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dense", "units=2 activation=softmax");
  snug_status s = compile_with(m, "sgd", "sparse_categorical_crossentropy");
  s = s ? s : snug_fit(m, &im->data, &o, NULL);
  snug_model_destroy(m);
  return s;
}

TEST(every_allocation_may_fail) {
  images im;
  make(&im);
  im.x.dtype = SNUG_UINT8;
  im.x.data = im.bytes;
  test_fault_sweep_stride(fit_once, &im, 7);
  toy_free(&im.t);
}
