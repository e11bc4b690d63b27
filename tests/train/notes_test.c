/* What a fit tells and fails nothing: options that have no effect, or another than it seems. */
#include <stdio.h>
#include <string.h>

#include "train/nets.h"

#define WIDTH 4
#define ROWS 200

/* All that was told. */
typedef struct told {
  char text[2048];
  int n;
} told;

static void keep(void *user, const char *text) {
  told *t = user;
  size_t at = strlen(t->text);
  snprintf(t->text + at, sizeof t->text - at, "%s\n", text);
  t->n++;
}

/* Labels are 0 to 2. */
typedef struct rows {
  toy t;
  snug_source source;
  snug_array x, y;
  snug_data data;
} rows;

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  const rows *r = user;
  (void)scratch, (void)pass, (void)why;
  memcpy(to[0], r->t.x + row * WIDTH, WIDTH * sizeof(float));
  if (to[1]) {
    memcpy(to[1], r->t.y + row, sizeof(int32_t));
  }
  return SNUG_OK;
}

/* The same samples, whose labels are not there before they are read. */
static void rows_make(rows *r) {
  const int64_t shape[] = {WIDTH};
  *r = (rows){.x = {.data = NULL}};
  toy_make(&r->t, ROWS, shape, 1, 3);
  r->x = r->t.x_array;
  r->y = r->t.y_array;
  r->x.data = r->y.data = NULL;
  r->source = (snug_source){.struct_size = sizeof(snug_source),
                            .name = "rows",
                            .user = r,
                            .rows = ROWS,
                            .read = read_row};
  r->data = (snug_data){sizeof(snug_data), &r->x, 1, &r->y, 1, NULL, &r->source};
}

/* Train a model of 5 classes, and hold what was planned against what was measured. */
static void fit(const snug_data *data, const snug_fit_options *options, told *t) {
  snug_ctx *ctx = test_ctx_with(
      &(snug_options){.struct_size = sizeof(snug_options), .note = keep, .note_user = t});
  const int64_t shape[] = {WIDTH};
  snug_model *m = NULL;
  snug_history *h = NULL;
  snug_memory_report memory = SNUG_INIT(snug_memory_report);
  *t = (told){.n = 0}; /* without what was told of threads */
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 1);
  snug_model_add(m, "Dense", "units=5 activation=softmax");
  ASSERT_OK(ctx, compile_with(m, "sgd", "sparse_categorical_crossentropy"));
  ASSERT_OK(ctx, snug_fit(m, data, options, &h));
  snug_history_memory(h, &memory);
  ASSERT_EQ_UINT(memory.measured, memory.planned);
  snug_history_destroy(h);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

static void expect(const snug_data *data, const snug_fit_options *options, const char *text) {
  told t;
  fit(data, options, &t);
  ASSERT_EQ_TEXT(t.text, text);
}

TEST(epochs_that_end_with_the_data) {
  const int64_t shape[] = {WIDTH};
  toy t;
  toy_make(&t, ROWS, shape, 1, 3);
  snug_fit_options o = {.struct_size = sizeof o, .epochs = 3, .steps_per_epoch = 1000000};
  expect(&t.data, &o,
         "steps_per_epoch is 1000000, and the data have 7 batches of 32: every epoch from 1 ends "
         "after 7, where they do\n");
  o.steps_per_epoch = 5;
  expect(&t.data, &o,
         "steps_per_epoch is 5, and the data have 7 batches of 32: epoch 2 ends after 2, where "
         "they do\n");
  o.initial_epoch = 2;
  expect(&t.data, &o, ""); /* one epoch: it goes well */
  o.initial_epoch = 0;
  o.steps_per_epoch = 7;
  expect(&t.data, &o, "");
  o.steps_per_epoch = 0;
  expect(&t.data, &o, "");
  toy_free(&t);
}

TEST(validation_without_data) {
  const int64_t shape[] = {WIDTH};
  toy t;
  toy_make(&t, ROWS, shape, 1, 3);
  snug_fit_options o = {.struct_size = sizeof o, .validation_steps = 3};
  expect(&t.data, &o,
         "validation_steps is 3, and there are no data to validate with: nothing is validated\n");
  o.validation_split = 0.5;
  expect(&t.data, &o, "");
  o.validation_steps = 5;
  expect(&t.data, &o,
         "validation_steps is 5, and the validation data have 4 batches: it ends with them\n");
  toy_free(&t);
}

TEST(weights_of_classes_that_are_not_there) {
  const double weights[] = {1, 2, 3, 4, 1, 5, 6};
  const int64_t shape[] = {WIDTH};
  toy t;
  toy_make(&t, ROWS, shape, 1, 3);
  snug_fit_options o = {.struct_size = sizeof o, .class_weight = weights, .n_class_weight = 3};
  expect(&t.data, &o, "");
  o.n_class_weight = 5;
  expect(&t.data, &o,
         "class_weight has a weight for class 3, and no sample that is trained on has that label: "
         "it has no effect\n");
  o.n_class_weight = 7;
  expect(&t.data, &o,
         "class_weight has a weight for classes 5, 6, and the model's output has the classes 0 to "
         "4: they have no effect\n"
         "class_weight has a weight for class 3, and no sample that is trained on has that label: "
         "it has no effect\n");
  toy_free(&t);
}

/* Labels that are read as they are needed are known after the first pass, and that is told once. */
TEST(classes_of_rows_that_are_read) {
  const double weights[] = {1, 2, 3, 4};
  rows r;
  rows_make(&r);
  snug_fit_options o = {
      .struct_size = sizeof o, .epochs = 3, .class_weight = weights, .n_class_weight = 3};
  expect(&r.data, &o, "");
  o.n_class_weight = 4;
  expect(&r.data, &o,
         "class_weight has a weight for class 3, and no sample that is trained on has that label: "
         "it has no effect\n");
  o.epochs = 1;
  o.steps_per_epoch = 3;
  expect(&r.data, &o, ""); /* nobody knows it of samples that were not read */
  toy_free(&r.t);
}

/* Who does not ask is told nothing, and nothing is held for it. */
TEST(nobody_needs_to_listen) {
  const double weights[] = {1, 2, 3, 4};
  const int64_t shape[] = {WIDTH};
  toy t;
  toy_make(&t, ROWS, shape, 1, 3);
  snug_fit_options o = {.struct_size = sizeof o,
                        .steps_per_epoch = 100,
                        .validation_steps = 1,
                        .class_weight = weights,
                        .n_class_weight = 4};
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 1);
  snug_model_add(m, "Dense", "units=5 activation=softmax");
  ASSERT_OK(ctx, compile_with(m, "sgd", "sparse_categorical_crossentropy"));
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, NULL));
  snug_model_destroy(m);
  toy_free(&t);
}
