/* Every public function with NULL for each pointer, wrong enums, negative and huge numbers, and
 * objects in the wrong state. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/attempt.h"
#include "base/ctx.h"

/* A failure with a message of its own that has `part` in it, and nothing left behind. */
#define REFUSED(ctx, expected, part, call)                                                        \
  do {                                                                                            \
    snug_memory_info before_ = SNUG_INIT(snug_memory_info), after_ = SNUG_INIT(snug_memory_info); \
    snug_memory_get((ctx), &before_);                                                             \
    (ctx)->message[0] = 0;                                                                        \
    ASSERT_STATUS((ctx), (call), (expected), (part));                                             \
    snug_memory_get((ctx), &after_);                                                              \
    ASSERT_EQ_UINT(after_.current, before_.current);                                              \
  } while (0)

enum { ROWS = 4, FEATURES = 3, CLASSES = 2 };

static float x_data[ROWS * FEATURES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
static int32_t y_data[ROWS] = {0, 1, 1, 0};

/* Data that fit `model_of`; each test spoils a copy. */
typedef struct sample {
  snug_array x, y, weight;
  snug_data data;
} sample;

static sample *sample_make(sample *s) {
  *s = (sample){.x = {x_data, SNUG_FLOAT32, 2, {ROWS, FEATURES}},
                .y = {y_data, SNUG_INT32, 1, {ROWS}},
                .weight = {x_data, SNUG_FLOAT32, 1, {ROWS}}};
  s->data = (snug_data){sizeof(snug_data), &s->x, 1, &s->y, 1, NULL};
  return s;
}

static snug_compile_options options_of(const char *const *loss) {
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.loss = loss;
  o.n_loss = 1;
  return o;
}

static snug_status compile(snug_model *m) {
  const char *const loss = "sparse_categorical_crossentropy";
  snug_compile_options o = options_of(&loss);
  return snug_model_compile(m, &o);
}

static snug_model *built_model(snug_ctx *ctx) {
  const int64_t shape[] = {FEATURES};
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 1);
  snug_model_add(m, "Dense", "units=2 activation=softmax name=d");
  ASSERT_OK(ctx, snug_model_status(m));
  return m;
}

static snug_model *compiled_model(snug_ctx *ctx) {
  snug_model *m = built_model(ctx);
  ASSERT_OK(ctx, compile(m));
  return m;
}

static char *long_text(size_t n, const char *piece) {
  char *text = malloc(n + 1);
  ASSERT_NOT_NULL(text);
  for (size_t i = 0; i < n; i++) {
    text[i] = piece[i % strlen(piece)];
  }
  text[n] = 0;
  return text;
}

/* ---- context, memory, texts ---- */

TEST(contexts) {
  snug_ctx *ctx = (snug_ctx *)&ctx;
  snug_allocator none = {NULL, NULL};
  const size_t size = sizeof(snug_options);
  const snug_options bad[] = {{.struct_size = size, .threads = -1},
                              {.struct_size = size, .threads = INT32_MAX},
                              {.struct_size = size, .threads = INT32_MIN},
                              {.struct_size = size, .allocator = &none},
                              {.struct_size = 0},
                              {.struct_size = size - 1},
                              {.struct_size = SIZE_MAX}};
  ASSERT_EQ_INT(snug_ctx_create(NULL, NULL), SNUG_E_ARGUMENT);
  for (size_t i = 0; i < SNUG_COUNT(bad); i++) {
    ASSERT_EQ_INT(snug_ctx_create(&bad[i], &ctx), SNUG_E_ARGUMENT);
    ASSERT_NULL(ctx);
  }
  ASSERT_EQ_INT(snug_ctx_create(&(snug_options){.struct_size = size, .memory_limit = 1}, &ctx),
                SNUG_E_LIMIT);
  ASSERT_NULL(ctx);
  ASSERT_EQ_TEXT(snug_message(NULL), "");
  snug_ctx_destroy(NULL);
  for (int i = -100; i < 100; i++) {
    ASSERT_TRUE(snug_status_text((snug_status)i)[0]);
    ASSERT_TRUE(snug_dtype_text((snug_dtype)(unsigned)i)[0]);
    ASSERT_TRUE(snug_dtype_bytes((snug_dtype)(unsigned)i) <= 8);
  }
}

TEST(memory) {
  snug_ctx *ctx = test_ctx();
  snug_memory_info info = {sizeof info, 1, 1, 1, 1, 1, 1};
  snug_memory_entry entry = {sizeof entry, NULL, 1, 1};
  snug_scope scope = {0};
  snug_memory_get(NULL, &info);
  ASSERT_EQ_UINT(info.current + info.peak + info.limit + info.allocations, 0);
  ASSERT_EQ_UINT(info.preallocated + info.idle, 0);
  ASSERT_EQ_UINT(snug_memory_devices(NULL), 0);
  ASSERT_EQ_TEXT(snug_memory_device_name(NULL, 0), "");
  ASSERT_EQ_TEXT(snug_memory_device_name(ctx, SIZE_MAX), "");
  ASSERT_EQ_INT(snug_memory_device_get(NULL, "cpu", &info), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_memory_device_get(ctx, "cpu", NULL), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_memory_preallocate(NULL, "cpu", 1), SNUG_E_ARGUMENT);
  REFUSED(ctx, SNUG_E_ARGUMENT, "no device \"\"", snug_memory_preallocate(ctx, NULL, 1));
  snug_memory_walk(NULL, true, NULL, NULL);
  snug_memory_get(ctx, NULL);
  snug_memory_entry_get(NULL, 0, &entry);
  ASSERT_EQ_TEXT(entry.name, "");
  snug_memory_entry_get(ctx, SIZE_MAX, &entry);
  ASSERT_EQ_TEXT(entry.name, "");
  snug_memory_entry_get(ctx, 0, NULL);
  ASSERT_TRUE(snug_memory_names(NULL) == snug_memory_names(ctx));
  snug_memory_reset_peak(NULL);
  ASSERT_EQ_INT(snug_memory_set_limit(NULL, 1), SNUG_E_ARGUMENT);
  REFUSED(ctx, SNUG_E_LIMIT, "limit", snug_memory_set_limit(ctx, 1));
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, UINT64_MAX));
  snug_scope_begin(NULL, &scope);
  snug_scope_begin(ctx, NULL);
  ASSERT_EQ_INT(snug_scope_end(NULL, &scope), SNUG_E_ARGUMENT);
  REFUSED(ctx, SNUG_E_ARGUMENT, "scope", snug_scope_end(ctx, NULL));
  REFUSED(ctx, SNUG_E_STATE, "scope", snug_scope_end(ctx, &scope));
}

static void count_bytes(void *user, const char *text, size_t n) {
  (void)text;
  *(size_t *)user += n;
}

TEST(texts_and_boxes) {
  char out[SNUG_BYTES_TEXT];
  char small[1] = {'?'};
  size_t n = 0;
  const snug_memory_report report = {
      .struct_size = sizeof report, .weights = UINT64_MAX, .runtime = UINT64_MAX};
  const snug_box_row rows[] = {{NULL, NULL}, {"a", NULL}, {NULL, "b"}, {"\xff\x1b", "\x80\x1b"}};
  ASSERT_EQ_TEXT(snug_bytes_text(1, NULL), "");
  ASSERT_EQ_TEXT(snug_bytes_text(UINT64_MAX, out), "16.0 EiB");
  snug_memory_text(NULL, true, out, sizeof out);
  ASSERT_EQ_TEXT(out, "");
  snug_memory_text(&report, true, NULL, 10);
  snug_memory_text(&report, true, small, 0);
  ASSERT_EQ_INT(small[0], '?');
  snug_memory_text(&report, false, small, 1);
  ASSERT_EQ_INT(small[0], 0);
  snug_box(NULL, NULL, true, 0, "title", rows, 1);
  snug_box(count_bytes, &n, true, 80, NULL, rows, SNUG_COUNT(rows));
  snug_box(count_bytes, &n, true, 1, "title", NULL, 5);
  ASSERT_TRUE(n > 0);
}

static void count_lines(void *user, const char *text, size_t n) {
  *(int *)user += n > 0 && n < 1024 && text[n - 1] == '\n';
}

/* What is cut is still lines. */
TEST(long_boxes) {
  const char *const pieces[] = {"a", "\xc3\xa4", "\xff"};
  for (size_t i = 0; i < SNUG_COUNT(pieces); i++) {
    char *text = long_text(100000, pieces[i]);
    const snug_box_row row = {text, text};
    int n = 0;
    snug_box(count_lines, &n, false, 0, text, &row, 1);
    ASSERT_EQ_INT(n, 3);
    free(text);
  }
}

TEST(progress_of_anything) {
  size_t n = 0;
  const char *const name = "loss";
  const double values[] = {NAN};
  const snug_logs logs = {1, &name, values};
  snug_callback c = SNUG_INIT(snug_callback);
  snug_progress_callback(NULL, &c);
  ASSERT_TRUE(!c.train_begin && !c.epoch_begin && !c.batch_end && !c.epoch_end);
  for (int bar = 0; bar < 4; bar++) {
    snug_progress p = {
        .struct_size = sizeof p, .sink = bar & 2 ? NULL : count_bytes, .user = &n, .bar = bar & 1};
    snug_progress_callback(&p, &c);
    const int64_t numbers[] = {0, 1, -1, INT64_MAX - 1, INT64_MIN};
    for (size_t i = 0; i < SNUG_COUNT(numbers) * SNUG_COUNT(numbers); i++) {
      const int64_t a = numbers[i % SNUG_COUNT(numbers)];
      ASSERT_TRUE(c.train_begin(c.user, a, numbers[i / SNUG_COUNT(numbers)]));
      ASSERT_TRUE(c.epoch_begin(c.user, a));
      ASSERT_TRUE(c.batch_end(c.user, a, &logs));
      ASSERT_TRUE(c.epoch_end(c.user, a, &logs));
      ASSERT_TRUE(c.epoch_end(c.user, a, NULL));
    }
  }
  ASSERT_TRUE(n > 0);
}

/* ---- packing ---- */

TEST(packing) {
  snug_ctx *ctx = test_ctx();
  snug_pack_item item = {0, 1, 8, 1, -1};
  snug_pack_result result = SNUG_INIT(snug_pack_result);
  int64_t offset = 0;
  ASSERT_EQ_INT(snug_pack(NULL, &item, 1, NULL, &offset, &result), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_pack_check(NULL, &item, 1, &offset, 8), SNUG_E_ARGUMENT);
  REFUSED(ctx, SNUG_E_ARGUMENT, "pack", snug_pack(ctx, NULL, 1, NULL, &offset, &result));
  REFUSED(ctx, SNUG_E_ARGUMENT, "pack", snug_pack(ctx, &item, 1, NULL, NULL, &result));
  REFUSED(ctx, SNUG_E_ARGUMENT, "pack", snug_pack(ctx, &item, 1, NULL, &offset, NULL));
  REFUSED(ctx, SNUG_E_OVERFLOW, "pack", snug_pack(ctx, &item, SIZE_MAX, NULL, &offset, &result));
  REFUSED(ctx, SNUG_E_ARGUMENT, "pack", snug_pack_check(ctx, NULL, 1, &offset, 8));
  REFUSED(ctx, SNUG_E_ARGUMENT, "pack", snug_pack_check(ctx, &item, 1, NULL, 8));
  REFUSED(ctx, SNUG_E_ARGUMENT, "pack", snug_pack_check(ctx, &item, SIZE_MAX, &offset, 8));
  REFUSED(ctx, SNUG_E_INTERNAL, "pack", snug_pack_check(ctx, &item, 1, &offset, INT64_MIN));
  ASSERT_OK(ctx, snug_pack(ctx, NULL, 0, NULL, NULL, &result));
  ASSERT_OK(ctx, snug_pack_check(ctx, NULL, 0, NULL, 0));
}

/* Three items of each combination of extreme numbers. */
TEST(packing_extremes) {
  snug_ctx *ctx = test_ctx();
  const int64_t numbers[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, 1 << 20, INT64_MAX / 4, INT64_MAX};
  const size_t n = SNUG_COUNT(numbers);
  const char *const names[] = {"pack", NULL};
  for (size_t i = 0; i < n * n * n * n * n; i++) {
    const snug_pack_item item = {numbers[i % n], numbers[i / n % n], numbers[i / n / n % n],
                                 numbers[i / n / n / n % n], numbers[i / n / n / n / n]};
    const snug_pack_item items[] = {item, {-5, 5, 64, 16, 32}, item};
    const snug_pack_options o = {sizeof o, item.size < 0 ? 0 : item.size, 1000, 0.0};
    snug_pack_result result = SNUG_INIT(snug_pack_result);
    int64_t offsets[3];
    attempt_begin(ctx);
    attempt_end(ctx, snug_pack(ctx, items, 3, &o, offsets, &result), "pack", names);
    snug_status s = snug_pack_check(ctx, items, 3, &items[0].lower, item.hint);
    ASSERT_TRUE(s == SNUG_OK || snug_message(ctx)[0]);
  }
  const size_t size = sizeof(snug_pack_options);
  const snug_pack_options bad[] = {{size, -1, 0, 0.0},
                                   {size, 0, INT64_MIN, 0.0},
                                   {size, 0, 0, NAN},
                                   {size, 0, 0, -1.0},
                                   {0, 0, 0, 0.0}};
  for (size_t i = 0; i < SNUG_COUNT(bad); i++) {
    snug_pack_result result = SNUG_INIT(snug_pack_result);
    REFUSED(ctx, SNUG_E_ARGUMENT, "pack", snug_pack(ctx, NULL, 0, &bad[i], NULL, &result));
  }
  attempt_finish();
}

/* ---- building ---- */

TEST(nothing_to_build_on) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = (snug_model *)&m;
  snug_tensor t = 0;
  int64_t shape[SNUG_MAX_RANK] = {1};
  snug_weight_info info = SNUG_INIT(snug_weight_info);
  char byte = 0;
  ASSERT_EQ_INT(snug_model_create(NULL, NULL, &m), SNUG_E_ARGUMENT);
  REFUSED(ctx, SNUG_E_ARGUMENT, "model", snug_model_create(ctx, NULL, NULL));
  for (int dtype = -1; dtype <= 20; dtype++) {
    const snug_model_options o = {sizeof o, NULL, (snug_dtype)(unsigned)dtype, 0};
    if (dtype < 0 || dtype > SNUG_BFLOAT16) {
      REFUSED(ctx, SNUG_E_ARGUMENT, "dtype", snug_model_create(ctx, &o, &m));
      ASSERT_NULL(m);
    }
  }
  snug_model_destroy(NULL);
  ASSERT_EQ_INT(snug_model_input(NULL, "x", SNUG_FLOAT32, shape, 1), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_layer(NULL, "Dense", "units=1", &t, 1), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_again(NULL, "d", &t, 1), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_add(NULL, "Dense", "units=1"), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_outputs(NULL, &t, 1), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_model_status(NULL), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_model_shape(NULL, 0, shape), -1);
  ASSERT_EQ_INT(snug_model_input_at(NULL, 0), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_output_at(NULL, 0), SNUG_NO_TENSOR);
  ASSERT_EQ_TEXT(snug_model_tensor_name(NULL, 0), "");
  ASSERT_EQ_INT(snug_model_tensor_dtype(NULL, 0), SNUG_NO_DTYPE);
  ASSERT_EQ_INT(snug_model_set_trainable(NULL, "*", true), SNUG_E_ARGUMENT);
  ASSERT_EQ_UINT(snug_model_weights(NULL), 0);
  ASSERT_EQ_INT(snug_model_weight_info(NULL, 0, &info), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_model_weight_get(NULL, "d/kernel", &byte, 1), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_model_weight_set(NULL, "d/kernel", &byte, 1), SNUG_E_ARGUMENT);
  ASSERT_TRUE(isnan(snug_model_learning_rate(NULL)));
  ASSERT_EQ_INT(snug_model_set_learning_rate(NULL, 0.1), SNUG_E_ARGUMENT);
  ASSERT_EQ_UINT(snug_model_metrics(NULL).n, 0);
}

/* Inputs that must fail, each in a model of its own. */
static void refuse_input(snug_ctx *ctx, const char *name, snug_dtype dtype, const int64_t *shape,
                         int32_t rank) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  ctx->message[0] = 0;
  ASSERT_EQ_INT(snug_model_input(m, name, dtype, shape, rank), SNUG_NO_TENSOR);
  ASSERT_TRUE(snug_model_status(m) != SNUG_OK);
  ASSERT_TRUE(strstr(snug_message(ctx), "input") || strstr(snug_message(ctx), "x: "));
  snug_model_destroy(m);
}

TEST(inputs) {
  snug_ctx *ctx = test_ctx();
  const int64_t ok[SNUG_MAX_RANK] = {1, 1, 1, 1, 1, 1};
  const int64_t bad[][2] = {{0, 1},         {1, 0},         {-1, 1},
                            {INT64_MIN, 1}, {INT64_MAX, 1}, {INT64_C(1) << 32, INT64_C(1) << 32}};
  char *name = long_text(10000, "n");
  refuse_input(ctx, NULL, SNUG_FLOAT32, ok, 1);
  refuse_input(ctx, "", SNUG_FLOAT32, ok, 1);
  refuse_input(ctx, name, SNUG_FLOAT32, ok, 1);
  refuse_input(ctx, "x", SNUG_NO_DTYPE, ok, 1);
  refuse_input(ctx, "x", SNUG_DTYPE_COUNT, ok, 1);
  refuse_input(ctx, "x", (snug_dtype)(unsigned)-1, ok, 1);
  refuse_input(ctx, "x", SNUG_FLOAT32, NULL, 1);
  refuse_input(ctx, "x", SNUG_FLOAT32, ok, -1);
  refuse_input(ctx, "x", SNUG_FLOAT32, ok, SNUG_MAX_RANK);
  refuse_input(ctx, "x", SNUG_FLOAT32, ok, INT32_MAX);
  refuse_input(ctx, "x", SNUG_FLOAT32, ok, INT32_MIN);
  for (size_t i = 0; i < SNUG_COUNT(bad); i++) {
    refuse_input(ctx, "x", SNUG_FLOAT32, bad[i], 2);
  }
  free(name);
}

/* A layer that must fail, with a message that has `part` in it. */
static void refuse_layer(snug_ctx *ctx, const char *class_name, const char *config,
                         const snug_tensor *in, int32_t n, const char *part) {
  snug_model *m = built_model(ctx);
  ctx->message[0] = 0;
  ASSERT_EQ_INT(snug_model_layer(m, class_name, config, in, n), SNUG_NO_TENSOR);
  ASSERT_TRUE(snug_model_status(m) != SNUG_OK);
  ASSERT_HAS(snug_message(ctx), part);
  snug_model_destroy(m);
}

TEST(layers) {
  snug_ctx *ctx = test_ctx();
  const snug_tensor x = 0;
  const snug_tensor none = SNUG_NO_TENSOR;
  const snug_tensor far = INT32_MAX;
  const char *const pieces[] = {"a",     "units=1 ", "[", "(", "\"",
                                "name=", "\xff\xc0", ",", "=", "-"};
  refuse_layer(ctx, NULL, NULL, &x, 1, "class");
  refuse_layer(ctx, "", NULL, &x, 1, "class");
  refuse_layer(ctx, "dense", NULL, &x, 1, "'dense'");
  refuse_layer(ctx, "\xff\xfe", NULL, &x, 1, "class");
  refuse_layer(ctx, "Dense", "units=1", NULL, 1, "dense");
  refuse_layer(ctx, "Dense", "units=1", &x, 0, "Dense");
  refuse_layer(ctx, "Dense", "units=1", &x, INT32_MIN, "Dense");
  refuse_layer(ctx, "Dense", "units=1", &x, INT32_MAX, "Dense");
  refuse_layer(ctx, "Dense", "units=1", &none, 1, "dense");
  refuse_layer(ctx, "Dense", "units=1", &far, 1, "dense");
  refuse_layer(ctx, "Dense", "units=1 name=d", &x, 1, "'d'");
  refuse_layer(ctx, "Dense", "units=9223372036854775807", &x, 1, "dense");
  for (size_t i = 0; i < SNUG_COUNT(pieces); i++) {
    char *text = long_text(100000, pieces[i]);
    refuse_layer(ctx, "Dense", text, &x, 1, "Dense");
    refuse_layer(ctx, text, NULL, &x, 1, "class");
    free(text);
  }
}

TEST(again_and_outputs) {
  snug_ctx *ctx = test_ctx();
  const snug_tensor bad[] = {SNUG_NO_TENSOR, INT32_MAX, INT32_MIN, 2};
  const snug_tensor x = 0;
  snug_model *m = built_model(ctx);
  REFUSED(ctx, SNUG_E_ARGUMENT, "output", snug_model_outputs(m, NULL, 1));
  REFUSED(ctx, SNUG_E_ARGUMENT, "output", snug_model_outputs(m, &x, 0));
  REFUSED(ctx, SNUG_E_ARGUMENT, "output", snug_model_outputs(m, &x, -1));
  REFUSED(ctx, SNUG_E_ARGUMENT, "output", snug_model_outputs(m, &x, INT32_MAX));
  for (size_t i = 0; i < SNUG_COUNT(bad); i++) {
    REFUSED(ctx, SNUG_E_ARGUMENT, "output", snug_model_outputs(m, &bad[i], 1));
  }
  ASSERT_EQ_INT(snug_model_shape(m, 0, NULL), 1);
  ASSERT_EQ_INT(snug_model_shape(m, SNUG_NO_TENSOR, NULL), -1);
  ASSERT_EQ_INT(snug_model_again(m, NULL, &x, 1), SNUG_NO_TENSOR);
  ASSERT_HAS(snug_message(ctx), "layer");
  ASSERT_EQ_INT(snug_model_status(m), SNUG_E_ARGUMENT);
  snug_model_destroy(m);
}

/* A failed call leaves the outputs that were told before. */
TEST(outputs_stay) {
  snug_ctx *ctx = test_ctx();
  const int64_t shape[] = {FEATURES};
  snug_model *m = built_model(ctx);
  const snug_tensor first = 1;
  const snug_tensor unused = snug_model_input(m, "y", SNUG_FLOAT32, shape, 1);
  const snug_tensor both[] = {first, unused};
  ASSERT_OK(ctx, snug_model_outputs(m, both, 2));
  REFUSED(ctx, SNUG_E_ARGUMENT, "'y'", snug_model_outputs(m, &first, 1));
  const char *const loss = "mse";
  snug_compile_options o = options_of(&loss);
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  ASSERT_EQ_UINT(snug_model_metrics(m).n, 3); /* the loss, and that of each output */
  snug_model_destroy(m);
}

TEST(weights) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = built_model(ctx);
  float kernel[FEATURES * CLASSES];
  snug_weight_info info = SNUG_INIT(snug_weight_info);
  char *name = long_text(10000, "n");
  REFUSED(ctx, SNUG_E_ARGUMENT, "weight", snug_model_weight_info(m, 0, NULL));
  REFUSED(ctx, SNUG_E_ARGUMENT, "weight", snug_model_weight_info(m, 2, &info));
  REFUSED(ctx, SNUG_E_ARGUMENT, "weight", snug_model_weight_info(m, SIZE_MAX, &info));
  REFUSED(ctx, SNUG_E_ARGUMENT, "weight", snug_model_weight_get(m, NULL, kernel, sizeof kernel));
  REFUSED(ctx, SNUG_E_ARGUMENT, "weight", snug_model_weight_get(m, "", kernel, sizeof kernel));
  REFUSED(ctx, SNUG_E_ARGUMENT, "weight", snug_model_weight_get(m, name, kernel, sizeof kernel));
  REFUSED(ctx, SNUG_E_ARGUMENT, "d/kernel", snug_model_weight_get(m, "d/kernel", NULL, 24));
  REFUSED(ctx, SNUG_E_ARGUMENT, "d/kernel", snug_model_weight_get(m, "d/kernel", kernel, 0));
  REFUSED(ctx, SNUG_E_ARGUMENT, "d/kernel", snug_model_weight_set(m, "d/kernel", NULL, 24));
  REFUSED(ctx, SNUG_E_ARGUMENT, "d/kernel", snug_model_weight_set(m, "d/kernel", kernel, SIZE_MAX));
  REFUSED(ctx, SNUG_E_ARGUMENT, "layer", snug_model_set_trainable(m, NULL, true));
  REFUSED(ctx, SNUG_E_ARGUMENT, "layer", snug_model_set_trainable(m, name, true));
  REFUSED(ctx, SNUG_E_ARGUMENT, "layer", snug_model_set_trainable(m, "x", true));
  free(name);
  snug_model_destroy(m);
}

/* ---- states ---- */

TEST(a_broken_model_says_why) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = built_model(ctx);
  sample s;
  snug_history *history = NULL;
  snug_plan *plan = NULL;
  double value = 0;
  void *out = &value;
  snug_tensor x = 0;
  sample_make(&s);
  ASSERT_EQ_INT(snug_model_add(m, "Dense", "units=0 name=culprit"), SNUG_NO_TENSOR);
  REFUSED(ctx, SNUG_E_ARGUMENT, "model", snug_model_create(ctx, NULL, NULL)); /* another message */
  ASSERT_EQ_INT(snug_model_add(m, "Dense", "units=1"), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_input(m, "z", SNUG_FLOAT32, s.x.shape, 1), SNUG_NO_TENSOR);
  snug_status first = snug_model_status(m);
  REFUSED(ctx, first, "culprit", snug_model_outputs(m, &x, 1));
  REFUSED(ctx, first, "culprit", compile(m));
  REFUSED(ctx, first, "culprit", snug_fit(m, &s.data, NULL, &history));
  REFUSED(ctx, first, "culprit", snug_plan_fit(m, &s.data, NULL, &plan));
  REFUSED(ctx, first, "culprit", snug_evaluate(m, &s.data, 0, &value, 1));
  REFUSED(ctx, first, "culprit", snug_predict(m, &s.data, 0, &out, 1));
  REFUSED(ctx, first, "culprit", snug_model_weight_get(m, "d/kernel", &value, 24));
  REFUSED(ctx, first, "culprit", snug_model_set_learning_rate(m, 0.1));
  ASSERT_TRUE(isnan(snug_model_learning_rate(m)));
  snug_model_destroy(m);
}

TEST(before_compile) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = built_model(ctx);
  sample s;
  snug_history *history = (snug_history *)&s;
  snug_plan *plan = (snug_plan *)&s;
  double value = 0;
  sample_make(&s);
  REFUSED(ctx, SNUG_E_STATE, "compile", snug_fit(m, &s.data, NULL, &history));
  ASSERT_NULL(history);
  REFUSED(ctx, SNUG_E_STATE, "compile", snug_plan_fit(m, &s.data, NULL, &plan));
  ASSERT_NULL(plan);
  REFUSED(ctx, SNUG_E_STATE, "compile", snug_evaluate(m, &s.data, 0, &value, 1));
  REFUSED(ctx, SNUG_E_STATE, "compile", snug_model_set_learning_rate(m, 0.1));
  snug_model_destroy(m);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  REFUSED(ctx, SNUG_E_ARGUMENT, "empty", compile(m));
  ASSERT_EQ_INT(snug_model_add(m, NULL, NULL), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_status(m), SNUG_E_STATE);
  snug_model_destroy(m);
}

TEST(after_compile) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = compiled_model(ctx);
  const snug_tensor both[] = {1, 1};
  sample s;
  REFUSED(ctx, SNUG_E_STATE, "compile", snug_model_outputs(m, both, 2));
  ASSERT_OK(ctx, snug_fit(m, &sample_make(&s)->data, NULL, NULL));
  ASSERT_EQ_INT(snug_model_add(m, "Dense", "units=1"), SNUG_NO_TENSOR);
  ASSERT_HAS(snug_message(ctx), "in use");
  snug_model_destroy(m);
}

/* A callback may use the model, but not compile it under the fit that called it. */
static bool use_model(void *user, int64_t batch, const snug_logs *logs) {
  sample s;
  double value = 0;
  (void)batch;
  (void)logs;
  return compile(user) == SNUG_E_STATE &&
         snug_evaluate(user, &sample_make(&s)->data, 0, &value, 1) == SNUG_OK &&
         snug_fit(user, &s.data, NULL, NULL) == SNUG_OK && compile(user) == SNUG_E_STATE;
}

TEST(within_a_fit) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = compiled_model(ctx);
  sample s;
  const snug_callback callback = {
      .struct_size = sizeof callback, .user = m, .batch_end = use_model};
  snug_history *history = NULL;
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.epochs = 2;
  o.callbacks = &callback;
  o.n_callbacks = 1;
  ASSERT_OK(ctx, snug_fit(m, &sample_make(&s)->data, &o, &history));
  ASSERT_EQ_INT(snug_history_epochs(history), 2); /* the callback found all in order */
  ASSERT_OK(ctx, compile(m));
  snug_history_destroy(history);
  snug_model_destroy(m);
}

TEST(histories_and_plans_outlive_the_model) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = compiled_model(ctx);
  snug_history *history = NULL;
  snug_plan *plan = NULL;
  snug_memory_report report = SNUG_INIT(snug_memory_report);
  snug_layer_memory layer = SNUG_INIT(snug_layer_memory);
  sample s;
  ASSERT_OK(ctx, snug_plan_fit(m, &sample_make(&s)->data, NULL, &plan));
  ASSERT_OK(ctx, snug_fit(m, &s.data, NULL, &history));
  snug_model_destroy(m);
  ASSERT_EQ_INT(snug_history_epochs(history), 1);
  snug_logs logs = snug_history_logs(history, 0);
  ASSERT_TRUE(snug_logs_get(&logs, "loss") > 0);
  ASSERT_TRUE(isnan(snug_logs_get(&logs, NULL)));
  ASSERT_TRUE(isnan(snug_logs_get(NULL, "loss")));
  ASSERT_EQ_UINT(snug_history_logs(history, -1).n, 0);
  ASSERT_EQ_UINT(snug_history_logs(history, INT64_MAX).n, 0);
  snug_history_memory(history, NULL);
  snug_plan_memory(plan, NULL);
  snug_plan_layer(plan, 0, NULL);
  snug_plan_layer(plan, 0, &layer);
  ASSERT_TRUE(layer.layer[0]);
  snug_plan_layer(plan, SIZE_MAX, &layer);
  ASSERT_EQ_TEXT(layer.layer, "");
  snug_memory_sample taken = SNUG_INIT(snug_memory_sample);
  snug_history_sample(history, 0, NULL);
  snug_history_sample(history, SIZE_MAX, &taken);
  ASSERT_EQ_TEXT(taken.at, "");
  snug_history_sample(NULL, 0, &taken);
  ASSERT_EQ_UINT(snug_history_samples(history) + snug_history_samples(NULL), 0);
  snug_history_destroy(history);
  snug_plan_destroy(plan);
  snug_history_memory(NULL, &report);
  ASSERT_EQ_UINT(report.planned, 0);
  snug_plan_memory(NULL, &report);
  ASSERT_EQ_UINT(report.planned, 0);
  ASSERT_EQ_UINT(snug_plan_layers(NULL) + (size_t)snug_history_epochs(NULL), 0);
  snug_plan_layer(NULL, 0, &layer);
  snug_plan_destroy(NULL);
  snug_history_destroy(NULL);
}

TEST(names_without_values) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = compiled_model(ctx);
  const snug_logs logs = snug_model_metrics(m);
  ASSERT_EQ_UINT(logs.n, 1);
  ASSERT_TRUE(isnan(snug_logs_get(&logs, "loss")));
  snug_model_destroy(m);
}

/* ---- compile ---- */

TEST(compiling) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = built_model(ctx);
  char *text = long_text(100000, "a(");
  const char *const bad[] = {"", " ", "(", ")", "no_such", "mse(", "mse)", "mse(=)", "\xff", text};
  const char *const mse = "mse";
  const char *const null = NULL;
  const double nan_weight = NAN;
  snug_compile_options o = options_of(&mse);
  REFUSED(ctx, SNUG_E_ARGUMENT, "compile", snug_model_compile(m, NULL));
  ASSERT_EQ_INT(snug_model_compile(NULL, &o), SNUG_E_ARGUMENT);
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  for (int32_t n = -1; n <= 2; n++) {
    o.n_loss = n;
    if (n != 1) {
      REFUSED(ctx, SNUG_E_ARGUMENT, "loss", snug_model_compile(m, &o));
    }
  }
  o = options_of(&null);
  REFUSED(ctx, SNUG_E_ARGUMENT, "loss", snug_model_compile(m, &o));
  o = options_of(NULL);
  REFUSED(ctx, SNUG_E_ARGUMENT, "loss", snug_model_compile(m, &o));
  o = options_of(&mse);
  o.loss_weights = &nan_weight;
  REFUSED(ctx, SNUG_E_ARGUMENT, "weight", snug_model_compile(m, &o));
  o.loss_weights = NULL;
  o.n_metrics = 1;
  REFUSED(ctx, SNUG_E_ARGUMENT, "metric", snug_model_compile(m, &o));
  o.n_metrics = INT32_MIN;
  REFUSED(ctx, SNUG_E_ARGUMENT, "metrics", snug_model_compile(m, &o));
  o.n_metrics = 0;
  o.n_weighted_metrics = -1;
  REFUSED(ctx, SNUG_E_ARGUMENT, "metrics", snug_model_compile(m, &o));
  for (size_t i = 0; i < SNUG_COUNT(bad); i++) {
    o = options_of(&bad[i]);
    REFUSED(ctx, SNUG_E_ARGUMENT, "loss", snug_model_compile(m, &o));
    o = options_of(&mse);
    o.metrics = &bad[i];
    o.n_metrics = 1;
    REFUSED(ctx, SNUG_E_ARGUMENT, "metric", snug_model_compile(m, &o));
    o.n_metrics = 0;
    o.optimizer = bad[i];
    REFUSED(ctx, SNUG_E_ARGUMENT, "optimizer", snug_model_compile(m, &o));
  }
  const double rates[] = {NAN, INFINITY, -1.0, 1e308};
  for (size_t i = 0; i < SNUG_COUNT(rates); i++) {
    REFUSED(ctx, SNUG_E_ARGUMENT, "learning rate", snug_model_set_learning_rate(m, rates[i]));
  }
  free(text);
  snug_model_destroy(m);
}

/* ---- data and options of a fit ---- */

/* The data must be refused by all that read them. */
static void refuse_data(snug_ctx *ctx, snug_model *m, const snug_data *data, const char *part) {
  snug_history *history = NULL;
  snug_plan *plan = NULL;
  double value = 0;
  sample s;
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_memory_info before = SNUG_INIT(snug_memory_info);
  snug_memory_info after = SNUG_INIT(snug_memory_info);
  snug_memory_get(ctx, &before);
  ctx->message[0] = 0;
  ASSERT_TRUE(snug_fit(m, data, NULL, &history) != SNUG_OK);
  ASSERT_NULL(history);
  ASSERT_HAS(snug_message(ctx), part);
  ctx->message[0] = 0;
  ASSERT_TRUE(snug_plan_fit(m, data, NULL, &plan) != SNUG_OK);
  ASSERT_NULL(plan);
  ASSERT_HAS(snug_message(ctx), part);
  ctx->message[0] = 0;
  ASSERT_TRUE(snug_evaluate(m, data, 0, &value, 1) != SNUG_OK);
  ASSERT_HAS(snug_message(ctx), part);
  o.validation_data = data;
  if (data) {
    ctx->message[0] = 0;
    ASSERT_TRUE(snug_fit(m, &sample_make(&s)->data, &o, NULL) != SNUG_OK);
    ASSERT_HAS(snug_message(ctx), part);
  }
  snug_memory_get(ctx, &after);
  ASSERT_EQ_UINT(after.current, before.current);
}

/* Everything that can be wrong with one array. */
static void refuse_array(snug_ctx *ctx, snug_model *m, const snug_data *data, snug_array *a,
                         const char *part) {
  const snug_array good = *a;
  const unsigned dtypes[] = {SNUG_NO_DTYPE, SNUG_DTYPE_COUNT, 99, UINT_MAX};
  const int32_t ranks[] = {0, -1, 7, INT32_MAX, INT32_MIN};
  const int64_t sizes[] = {0, -1, INT64_MIN, INT64_MAX, 2, 5};
  a->data = NULL;
  refuse_data(ctx, m, data, part);
  *a = good;
  for (size_t i = 0; i < SNUG_COUNT(dtypes); i++) {
    a->dtype = (snug_dtype)dtypes[i];
    refuse_data(ctx, m, data, part);
  }
  *a = good;
  for (size_t i = 0; i < SNUG_COUNT(ranks); i++) {
    a->rank = ranks[i];
    refuse_data(ctx, m, data, part);
  }
  for (size_t i = 0; i < SNUG_COUNT(sizes); i++) {
    *a = good;
    a->shape[a->rank - 1] = sizes[i];
    refuse_data(ctx, m, data, part);
  }
  *a = good;
}

TEST(bad_data) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = compiled_model(ctx);
  sample s;
  const int32_t counts[] = {0, -1, 2, INT32_MAX, INT32_MIN};
  refuse_data(ctx, m, NULL, "x");
  refuse_array(ctx, m, &sample_make(&s)->data, &s.x, "x[0]");
  refuse_array(ctx, m, &sample_make(&s)->data, &s.y, "y[0]");
  sample_make(&s)->data.sample_weight = &s.weight;
  refuse_array(ctx, m, &s.data, &s.weight, "sample_weight");
  for (size_t i = 0; i < SNUG_COUNT(counts); i++) {
    sample_make(&s)->data.n_x = counts[i];
    refuse_data(ctx, m, &s.data, "x");
    sample_make(&s)->data.n_y = counts[i];
    refuse_data(ctx, m, &s.data, "y");
  }
  sample_make(&s)->data.x = NULL;
  refuse_data(ctx, m, &s.data, "x");
  sample_make(&s)->data.y = NULL;
  refuse_data(ctx, m, &s.data, "y");
  const float spoiled[ROWS * FEATURES] = {0, 0, 0, 0, NAN};
  sample_make(&s)->x.data = spoiled;
  refuse_data(ctx, m, &s.data, "sample 1");
  const int32_t labels[ROWS] = {0, 1, INT32_MIN, INT32_MAX};
  sample_make(&s)->y.data = labels;
  refuse_data(ctx, m, &s.data, "sample 2");
  snug_model_destroy(m);
}

/* One option of a fit that must be refused. */
static void refuse_option(snug_ctx *ctx, snug_model *m, const snug_fit_options *o,
                          const char *part) {
  sample s;
  snug_plan *plan = NULL;
  snug_memory_info before = SNUG_INIT(snug_memory_info);
  snug_memory_info after = SNUG_INIT(snug_memory_info);
  snug_memory_get(ctx, &before);
  ctx->message[0] = 0;
  ASSERT_TRUE(snug_fit(m, &sample_make(&s)->data, o, NULL) != SNUG_OK);
  ASSERT_HAS(snug_message(ctx), part);
  ctx->message[0] = 0;
  ASSERT_TRUE(snug_plan_fit(m, &s.data, o, &plan) != SNUG_OK);
  ASSERT_HAS(snug_message(ctx), part);
  snug_memory_get(ctx, &after);
  ASSERT_EQ_UINT(after.current, before.current);
}

TEST(bad_options) {
  snug_ctx *ctx = attempt_ctx();
  snug_model *m = compiled_model(ctx);
  const double splits[] = {NAN, INFINITY, -0.1, 1.0, 1e308, 0.9999};
  const double weights[] = {NAN, 1.0};
  const int64_t numbers[] = {-1, INT64_MIN};
#define REFUSE_OPTION(member, value, part)                                         \
  do {                                                                             \
    snug_fit_options o_ = SNUG_INIT(snug_fit_options);                             \
    o_.class_weight = strcmp(#member, "n_class_weight") == 0 ? &weights[1] : NULL; \
    o_.member = (value);                                                           \
    refuse_option(ctx, m, &o_, (part));                                            \
  } while (0)
  for (size_t i = 0; i < SNUG_COUNT(numbers); i++) {
    REFUSE_OPTION(batch_size, numbers[i], "batch_size");
    REFUSE_OPTION(epochs, numbers[i], "epochs");
    REFUSE_OPTION(initial_epoch, numbers[i], "initial_epoch");
    REFUSE_OPTION(steps_per_epoch, numbers[i], "steps_per_epoch");
    REFUSE_OPTION(validation_batch_size, numbers[i], "validation_batch_size");
    REFUSE_OPTION(validation_steps, numbers[i], "validation_steps");
    REFUSE_OPTION(validation_freq, numbers[i], "validation_freq");
    REFUSE_OPTION(n_class_weight, numbers[i], "class");
    REFUSE_OPTION(n_callbacks, (int32_t)numbers[i] - 1, "callbacks");
  }
  REFUSE_OPTION(epochs, INT64_MAX, "epochs");
  REFUSE_OPTION(epochs, INT64_MAX / 64, "");
  REFUSE_OPTION(n_callbacks, 1, "callbacks");
  for (size_t i = 0; i < SNUG_COUNT(splits); i++) {
    REFUSE_OPTION(validation_split, splits[i], "validation_split");
  }
  const snug_span far = {0, INT64_MAX}, never = {INT64_MAX, INT64_MIN};
  REFUSE_OPTION(sampling, ((snug_sampling){&never, 1, NULL, 0}), "sampling");
  REFUSE_OPTION(sampling, ((snug_sampling){NULL, 0, &never, 1}), "sampling");
  REFUSE_OPTION(sampling, ((snug_sampling){NULL, 1, NULL, 0}), "sampling");
  REFUSE_OPTION(sampling, ((snug_sampling){&far, INT32_MIN, NULL, 0}), "sampling");
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.steps_per_epoch = INT64_MAX;
  o.sampling = (snug_sampling){NULL, 0, &far, 1};
  refuse_option(ctx, m, &o, "");
  o = (snug_fit_options)SNUG_INIT(snug_fit_options);
  o.class_weight = weights;
  o.n_class_weight = 2;
  refuse_option(ctx, m, &o, "class_weight");
  snug_model_destroy(m);
}

TEST(huge_options) {
  snug_ctx *ctx = attempt_ctx();
  snug_model *m = compiled_model(ctx);
  sample s;
  double value = 0;
  float out[ROWS * CLASSES];
  void *outs[] = {out};
  snug_history *history = NULL;
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = o.validation_batch_size = o.validation_steps = o.validation_freq = INT64_MAX;
  o.steps_per_epoch = 1;
  o.validation_split = 0.5;
  ASSERT_OK(ctx, snug_fit(m, &sample_make(&s)->data, &o, &history));
  snug_history_destroy(history);
  o.epochs = o.initial_epoch = INT64_MAX;
  ASSERT_OK(ctx, snug_fit(m, &s.data, &o, &history));
  ASSERT_EQ_INT(snug_history_epochs(history), 0);
  snug_history_destroy(history);
  o.initial_epoch = INT64_MAX - 2;
  ASSERT_OK(ctx, snug_fit(m, &s.data, &o, &history));
  ASSERT_EQ_INT(snug_history_epochs(history), 2);
  snug_history_destroy(history);
  ASSERT_OK(ctx, snug_evaluate(m, &s.data, INT64_MAX, &value, 1));
  ASSERT_OK(ctx, snug_predict(m, &s.data, INT64_MAX, outs, 1));
  snug_model_destroy(m);
}

TEST(no_place_for_results) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = compiled_model(ctx);
  sample s;
  double value = 0;
  float out[ROWS * CLASSES];
  void *outs[] = {out};
  void *null = NULL;
  sample_make(&s);
  ASSERT_EQ_INT(snug_fit(NULL, &s.data, NULL, NULL), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_plan_fit(NULL, &s.data, NULL, NULL), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_evaluate(NULL, &s.data, 0, &value, 1), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_predict(NULL, &s.data, 0, outs, 1), SNUG_E_ARGUMENT);
  REFUSED(ctx, SNUG_E_ARGUMENT, "plan", snug_plan_fit(m, &s.data, NULL, NULL));
  REFUSED(ctx, SNUG_E_ARGUMENT, "evaluate", snug_evaluate(m, &s.data, 0, NULL, 1));
  REFUSED(ctx, SNUG_E_ARGUMENT, "evaluate", snug_evaluate(m, &s.data, 0, &value, 0));
  REFUSED(ctx, SNUG_E_ARGUMENT, "evaluate", snug_evaluate(m, &s.data, 0, &value, SIZE_MAX));
  REFUSED(ctx, SNUG_E_ARGUMENT, "batch_size", snug_evaluate(m, &s.data, -1, &value, 1));
  REFUSED(ctx, SNUG_E_ARGUMENT, "predict", snug_predict(m, &s.data, 0, NULL, 1));
  REFUSED(ctx, SNUG_E_ARGUMENT, "predict", snug_predict(m, &s.data, 0, &null, 1));
  REFUSED(ctx, SNUG_E_ARGUMENT, "predict", snug_predict(m, &s.data, 0, outs, 0));
  REFUSED(ctx, SNUG_E_ARGUMENT, "predict", snug_predict(m, &s.data, 0, outs, INT32_MAX));
  REFUSED(ctx, SNUG_E_ARGUMENT, "predict", snug_predict(m, &s.data, 0, outs, INT32_MIN));
  REFUSED(ctx, SNUG_E_ARGUMENT, "batch_size", snug_predict(m, &s.data, INT64_MIN, outs, 1));
  REFUSED(ctx, SNUG_E_ARGUMENT, "x", snug_predict(m, NULL, 0, outs, 1));
  snug_model_destroy(m);
}

/* Shapes that are possible, but not here: nothing is asked of the allocator before it is known. */
TEST(models_beyond_memory) {
  snug_ctx *ctx = attempt_ctx();
  const int64_t shapes[] = {INT64_C(1) << 33, INT64_C(1) << 45, INT64_C(1) << 60};
  const char *const layers[] = {"Dense", "BatchNormalization", "Dropout", "PReLU"};
  const char *const configs[] = {"units=2", NULL, "rate=0.5", NULL};
  const char *const mse = "mse";
  const char *const names[] = {"", NULL};
  for (size_t i = 0; i < 12; i++) {
    snug_model *m = NULL;
    snug_compile_options o = options_of(&mse);
    float value = 0;
    snug_array x = {&value, SNUG_FLOAT32, 2, {1, shapes[i / 4]}};
    attempt_begin(ctx);
    ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
    snug_model_input(m, "x", SNUG_FLOAT32, &x.shape[1], 1);
    snug_model_add(m, layers[i % 4], configs[i % 4]);
    attempt_end(ctx, snug_model_compile(m, &o), layers[i % 4], names);
    snug_model_destroy(m);
  }
  attempt_finish();
}

/* ---- files and summaries ---- */

TEST(arrays_of_nothing) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_model *m = built_model(ctx);
  const snug_array *array = NULL;
  snug_data data = SNUG_INIT(snug_data);
  int32_t n = 0;
  const char *const path = test_path("x.npy");
  sample s;
  sample_make(&s);
  ASSERT_TRUE(snug_arrays_open(NULL, &path, 1, &a) == SNUG_E_ARGUMENT);
  REFUSED(ctx, SNUG_E_ARGUMENT, "no place", snug_arrays_open(ctx, &path, 1, NULL));
  REFUSED(ctx, SNUG_E_ARGUMENT, "no file", snug_arrays_open(ctx, NULL, 1, &a));
  REFUSED(ctx, SNUG_E_ARGUMENT, "no file", snug_arrays_open(ctx, &path, -1, &a));
  REFUSED(ctx, SNUG_E_IO, "x.npy", snug_arrays_open(ctx, &path, 1, &a));
  ASSERT_TRUE(snug_arrays_count(NULL) == 0 && !snug_arrays_name(NULL, 0));
  ASSERT_TRUE(!snug_arrays_find(NULL, "x") && !snug_arrays_has(NULL, m, SNUG_PART_TRAIN));
  ASSERT_TRUE(snug_arrays_get(NULL, "x", &array) == SNUG_E_ARGUMENT);
  ASSERT_TRUE(snug_arrays_data(NULL, m, SNUG_PART_TRAIN, true, &data) == SNUG_E_ARGUMENT);
  ASSERT_TRUE(snug_arrays_inputs(NULL, SNUG_PART_TRAIN, &array, &n) == SNUG_E_ARGUMENT);
  ASSERT_TRUE(snug_arrays_all(NULL, &data) == SNUG_E_ARGUMENT && !snug_arrays_class(NULL, 0));
  ASSERT_TRUE(snug_arrays_stages(NULL, NULL, 1) == 0);
  ASSERT_TRUE(snug_arrays_open_with(NULL, &path, 1, NULL, &a) == SNUG_E_ARGUMENT);
  snug_arrays_destroy(NULL);
  ASSERT_TRUE(snug_npy_save(NULL, path, &s.x) == SNUG_E_ARGUMENT);
  ASSERT_TRUE(snug_npz_save(NULL, path, &path, &s.x, 1) == SNUG_E_ARGUMENT);
  REFUSED(ctx, SNUG_E_ARGUMENT, "no file", snug_npy_save(ctx, NULL, &s.x));
  REFUSED(ctx, SNUG_E_ARGUMENT, "no file", snug_npz_save(ctx, NULL, &path, &s.x, 1));
  REFUSED(ctx, SNUG_E_ARGUMENT, "no arrays", snug_npz_save(ctx, path, NULL, &s.x, 1));
  REFUSED(ctx, SNUG_E_ARGUMENT, "no arrays", snug_npz_save(ctx, path, &path, NULL, 1));
  snug_model_destroy(m);
}

TEST(arrays_for_nothing) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_model *m = built_model(ctx);
  const snug_array *array = NULL;
  snug_data data = SNUG_INIT(snug_data);
  int32_t n = 0;
  const char *const path = test_path("x.npy");
  sample s;
  sample_make(&s);
  ASSERT_OK(ctx, snug_npy_save(ctx, path, &s.x));
  ASSERT_OK(ctx, snug_arrays_open(ctx, &path, 1, &a));
  ASSERT_TRUE(!snug_arrays_name(a, 1) && !snug_arrays_find(a, NULL));
  ASSERT_FALSE(snug_arrays_has(a, NULL, SNUG_PART_TRAIN));
  ASSERT_FALSE(snug_arrays_has(a, m, (snug_part)77));
  REFUSED(ctx, SNUG_E_ARGUMENT, "NULL", snug_arrays_get(a, NULL, &array));
  REFUSED(ctx, SNUG_E_ARGUMENT, "NULL", snug_arrays_get(a, "x", NULL));
  REFUSED(ctx, SNUG_E_ARGUMENT, "model", snug_arrays_data(a, NULL, SNUG_PART_TEST, true, &data));
  REFUSED(ctx, SNUG_E_ARGUMENT, "place", snug_arrays_data(a, m, SNUG_PART_TEST, true, NULL));
  REFUSED(ctx, SNUG_E_ARGUMENT, "part", snug_arrays_data(a, m, (snug_part)-1, true, &data));
  REFUSED(ctx, SNUG_E_ARGUMENT, "place", snug_arrays_all(a, NULL));
  ASSERT_TRUE(!snug_arrays_class(a, 0) && !snug_arrays_class(a, -1));
  REFUSED(ctx, SNUG_E_ARGUMENT, "place", snug_arrays_inputs(a, SNUG_PART_TEST, NULL, &n));
  REFUSED(ctx, SNUG_E_ARGUMENT, "place", snug_arrays_inputs(a, SNUG_PART_TEST, &array, NULL));
  REFUSED(ctx, SNUG_E_ARGUMENT, "part", snug_arrays_inputs(a, (snug_part)3, &array, &n));
  snug_arrays_destroy(a);
  snug_model_destroy(m);
}

TEST(summaries_of_nothing) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = built_model(ctx);
  snug_summary *s = NULL;
  snug_summary_row row = {.struct_size = sizeof row, .name = NULL};
  snug_summary_totals totals = {.struct_size = sizeof totals, .batch = 5};
  ASSERT_TRUE(snug_summary_create(NULL, 1, &s) == SNUG_E_ARGUMENT);
  REFUSED(ctx, SNUG_E_ARGUMENT, "NULL", snug_summary_create(m, 1, NULL));
  REFUSED(ctx, SNUG_E_ARGUMENT, "-5", snug_summary_create(m, -5, &s));
  snug_summary_destroy(NULL);
  ASSERT_EQ_UINT(snug_summary_rows(NULL), 0);
  snug_summary_row_get(NULL, 0, &row);
  ASSERT_EQ_TEXT(row.name, "");
  snug_summary_totals_get(NULL, &totals);
  ASSERT_EQ_INT(totals.batch, 0);
  snug_summary_print(NULL, NULL, NULL, true, 80);
  ASSERT_OK(ctx, snug_summary_create(m, 1, &s));
  snug_summary_row_get(s, SIZE_MAX, &row);
  ASSERT_EQ_TEXT(row.name, "");
  snug_summary_row_get(s, 0, NULL);
  snug_summary_totals_get(s, NULL);
  snug_summary_print(s, NULL, NULL, true, INT32_MIN);
  snug_summary_destroy(s);
  snug_model_destroy(m);
}
