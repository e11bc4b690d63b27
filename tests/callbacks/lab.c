#include "callbacks/lab.h"

#include <stdlib.h>
#include <string.h>

#define SIDE 6
#define WIDTH 10
#define CLASSES 3

const lab all_labs[] = {
    {"adam", false, "adam(learning_rate=0.01)", 0},
    {"averages", false, "sgd(learning_rate=0.05, momentum=0.9, use_ema=true, ema_momentum=0.8)", 0},
    {"schedule", false,
     "adam(learning_rate=CosineDecay(initial_learning_rate=0.05, decay_steps=12))", 0},
    {"accumulation", false, "adam(learning_rate=0.02, gradient_accumulation_steps=3)", 0},
    {"part_epochs", false, "rmsprop(learning_rate=0.01)", 3},
    {"images", true, "adam(learning_rate=0.01)", 0},
    {"pieces", false, "adam(learning_rate=0.02, gradient_accumulation_steps=3)", 0, 3},
};
const size_t n_all_labs = sizeof all_labs / sizeof all_labs[0];

static snug_status compile(snug_model *m, const lab *l) {
  const char *const loss[] = {"sparse_categorical_crossentropy"};
  const char *const metrics[] = {"accuracy"};
  snug_compile_options c = SNUG_INIT(snug_compile_options);
  c.optimizer = l->optimizer;
  c.loss = loss;
  c.n_loss = 1;
  c.metrics = metrics;
  c.n_metrics = 1;
  return snug_model_compile(m, &c);
}

snug_status lab_try_model(snug_ctx *ctx, const lab *l, snug_model **out) {
  const int64_t image[] = {SIDE, SIDE, 1};
  const int64_t row[] = {WIDTH};
  snug_model_options o = SNUG_INIT(snug_model_options);
  o.seed = 7;
  snug_status s = snug_model_create(ctx, &o, out);
  snug_model *m = *out;
  if (s) {
    return s;
  }
  snug_model_input(m, "x", SNUG_FLOAT32, l->images ? image : row, l->images ? 3 : 1);
  if (l->images) {
    snug_model_add(m, "Conv2D", "filters=16 kernel_size=3 activation=relu padding=same");
    snug_model_add(m, "Conv2D", "filters=16 kernel_size=3 padding=same");
    snug_model_add(m, "BatchNormalization", NULL);
    snug_model_add(m, "GlobalAveragePooling2D", NULL);
  } else {
    snug_model_add(m, "Dense", "units=12 activation=relu");
    snug_model_add(m, "BatchNormalization", NULL);
  }
  snug_model_add(m, "Dropout", "rate=0.25");
  snug_model_add(m, "Dense", "units=3 activation=softmax name=top");
  return compile(m, l);
}

snug_model *lab_model(snug_ctx *ctx, const lab *l) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, lab_try_model(ctx, l, &m));
  return m;
}

const snug_data *lab_data(const lab *l) {
  static float x[LAB_ROWS * SIDE * SIDE];
  static int32_t y[LAB_ROWS];
  static snug_array x_array, y_array;
  static snug_data data = SNUG_INIT(snug_data);
  int64_t row = l->images ? SIDE * SIDE : WIDTH;
  for (int64_t i = 0; i < LAB_ROWS * row; i++) {
    uint64_t h = (uint64_t)(i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x[i] = (float)((double)(h >> 40) * 0x1p-23 - 1.0);
  }
  for (int64_t i = 0; i < LAB_ROWS; i++) {
    y[i] = (int32_t)(i * 7 % CLASSES);
  }
  x_array = l->images ? (snug_array){x, SNUG_FLOAT32, 4, {LAB_ROWS, SIDE, SIDE, 1}}
                      : (snug_array){x, SNUG_FLOAT32, 2, {LAB_ROWS, WIDTH}};
  y_array = (snug_array){y, SNUG_INT32, 1, {LAB_ROWS}};
  data = (snug_data){sizeof(snug_data), &x_array, 1, &y_array, 1, NULL};
  return &data;
}

snug_fit_options lab_options(const lab *l) {
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = 4;
  o.epochs = 4;
  o.validation_split = 0.25;
  o.steps_per_epoch = l->steps_per_epoch;
  o.micro_batch = l->micro_batch;
  o.allow_batch_statistics = l->micro_batch > 0;
  return o;
}

static void add(lab_outcome *o, const void *bytes, size_t n) {
  o->bytes = realloc(o->bytes, o->n + n + 1);
  ASSERT_NOT_NULL(o->bytes);
  if (n) {
    memcpy(o->bytes + o->n, bytes, n);
  }
  o->n += n;
}

void lab_collect(const snug_model *m, const snug_history *h, lab_outcome *out) {
  *out = (lab_outcome){0};
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, i);
    snug__type stored = snug__variable_stored(v);
    void *bytes = NULL;
    ASSERT_OK(m->ctx, snug__variable_read(&m->variables, v, &bytes));
    add(out, bytes, (size_t)snug__type_bytes(&stored));
  }
  add(out, &m->training->passes, sizeof m->training->passes);
  add(out, &h->epochs, sizeof h->epochs);
  add(out, h->values, (size_t)h->epochs * h->n * sizeof *h->values);
}

void lab_expect_same(const lab_outcome *a, const lab_outcome *b, const char *what) {
  if (a->n != b->n || memcmp(a->bytes, b->bytes, a->n) != 0) {
    test_fail(__FILE__, __LINE__, "%s: other bits", what);
  }
}

void lab_free(lab_outcome *o) {
  free(o->bytes);
  *o = (lab_outcome){0};
}
