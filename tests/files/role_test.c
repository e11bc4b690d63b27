/* Which arrays feed a model. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/open.h"
#include "lib/fault.h"

static snug_model *one_by_one(snug_ctx *ctx) {
  snug_model *m = NULL;
  const int64_t shape[] = {4};
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "pixels", SNUG_FLOAT32, shape, 1);
  snug_model_add(m, "Dense", "units=3 activation=softmax name=class");
  return m;
}

static snug_model *two_by_two(snug_ctx *ctx) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_tensor in[2], out[2];
  in[0] = snug_model_input(m, "left", SNUG_FLOAT32, (const int64_t[]){4}, 1);
  in[1] = snug_model_input(m, "right", SNUG_FLOAT32, (const int64_t[]){2}, 1);
  snug_tensor both = snug_model_layer(m, "Concatenate", NULL, in, 2);
  out[0] = snug_model_layer(m, "Dense", "units=3 name=first", &both, 1);
  out[1] = snug_model_layer(m, "Dense", "units=3 name=second", &both, 1);
  ASSERT_OK(ctx, snug_model_outputs(m, out, 2));
  return m;
}

typedef struct fixture {
  snug_ctx *ctx;
  snug_model *m;
  snug_arrays *a;
  snug_data data;
} fixture;

static fixture begin(const char *file, snug_model *(*model)(snug_ctx *)) {
  fixture f = {.ctx = test_ctx(), .data = SNUG_INIT(snug_data)};
  f.m = model(f.ctx);
  ASSERT_OK(f.ctx, open_named(f.ctx, file, &f.a));
  return f;
}

static void end(fixture *f) {
  snug_model_destroy(f->m);
  snug_arrays_destroy(f->a);
}

static snug_status take(fixture *f, snug_part part, bool with_labels) {
  return snug_arrays_data(f->a, f->m, part, with_labels, &f->data);
}

/* Rows of the inputs and labels that were taken. */
static void expect_rows(fixture *f, snug_part part, int64_t rows) {
  ASSERT_OK(f->ctx, take(f, part, true));
  ASSERT_EQ_INT(f->data.n_x, 1);
  ASSERT_EQ_INT(f->data.n_y, 1);
  ASSERT_EQ_INT(f->data.x[0].shape[0], rows);
  ASSERT_EQ_INT(f->data.x[0].rank, 2);
  ASSERT_EQ_INT(f->data.y[0].shape[0], rows);
  ASSERT_EQ_INT(f->data.y[0].rank, 1);
  ASSERT_NOT_NULL(f->data.x[0].data);
  ASSERT_NOT_NULL(f->data.y[0].data);
  ASSERT_NULL(f->data.sample_weight);
}

TEST(x_and_y) {
  fixture f = begin("plain.npz", one_by_one);
  expect_rows(&f, SNUG_PART_TRAIN, 6);
  expect_rows(&f, SNUG_PART_TEST, 6);
  ASSERT_TRUE(snug_arrays_has(f.a, f.m, SNUG_PART_TRAIN));
  ASSERT_FALSE(snug_arrays_has(f.a, f.m, SNUG_PART_VALIDATION));
  ASSERT_STATUS(f.ctx, take(&f, SNUG_PART_VALIDATION, true), SNUG_E_ARGUMENT,
                "plain.npz: has: x uint8[6,4], y int64[6]; the model needs inputs: x_val (or "
                "pixels_val); labels: y_val (or class_val)");
  ASSERT_NULL(f.data.x);
  end(&f);
}

TEST(parts_by_name) {
  fixture f = begin("parts.npz", one_by_one);
  expect_rows(&f, SNUG_PART_TRAIN, 6);
  expect_rows(&f, SNUG_PART_VALIDATION, 2);
  expect_rows(&f, SNUG_PART_TEST, 3);
  end(&f);
}

TEST(parts_before_the_name) {
  fixture f = begin("medical.npz", one_by_one);
  expect_rows(&f, SNUG_PART_TRAIN, 6);
  expect_rows(&f, SNUG_PART_VALIDATION, 2);
  ASSERT_STATUS(f.ctx, take(&f, SNUG_PART_TEST, true), SNUG_E_ARGUMENT, "x_test");
  end(&f);
}

TEST(arrays_without_names_by_their_order) {
  fixture f = begin("unnamed.npz", one_by_one);
  expect_rows(&f, SNUG_PART_TRAIN, 6);
  expect_rows(&f, SNUG_PART_TEST, 6);
  ASSERT_FALSE(snug_arrays_has(f.a, f.m, SNUG_PART_VALIDATION));
  ASSERT_STATUS(f.ctx, take(&f, SNUG_PART_VALIDATION, true), SNUG_E_ARGUMENT, "arr_0");
  end(&f);
}

static void expect_two(fixture *f) {
  ASSERT_OK(f->ctx, take(f, SNUG_PART_TRAIN, true));
  ASSERT_EQ_INT(f->data.n_x, 2);
  ASSERT_EQ_INT(f->data.n_y, 2);
  ASSERT_EQ_INT(f->data.x[0].shape[1], 4);
  ASSERT_EQ_INT(f->data.x[1].shape[1], 2);
}

TEST(several_by_number) {
  fixture f = begin("several.npz", two_by_two);
  expect_two(&f);
  ASSERT_EQ_INT(f.data.sample_weight->shape[0], 6);
  ASSERT_NOT_NULL(f.data.sample_weight->data);
  ASSERT_OK(f.ctx, take(&f, SNUG_PART_TRAIN, false));
  ASSERT_NULL(f.data.y);
  ASSERT_NULL(f.data.sample_weight);
  end(&f);
}

TEST(several_by_their_own_names) {
  fixture f = begin("named.npz", two_by_two);
  expect_two(&f);
  end(&f);
}

TEST(what_is_missing_is_told) {
  fixture f = begin("plain.npz", two_by_two);
  ASSERT_STATUS(f.ctx, take(&f, SNUG_PART_TRAIN, false), SNUG_E_ARGUMENT,
                "the model needs inputs: x_0 (or left), x_1 (or right)");
  end(&f);
  f = begin("u1.npy", one_by_one);
  ASSERT_OK(f.ctx, take(&f, SNUG_PART_TEST, false));
  ASSERT_STATUS(f.ctx, take(&f, SNUG_PART_TRAIN, true), SNUG_E_ARGUMENT, "labels: y (or class)");
  end(&f);
  f = begin("mixed.npz", one_by_one);
  ASSERT_STATUS(f.ctx, take(&f, SNUG_PART_TRAIN, true), SNUG_E_UNSUPPORTED, "mixed.npz: y");
  end(&f);
}

/* Four files for two inputs and two outputs; two for the inputs alone. */
TEST(files_by_their_order) {
  fixture f = {.ctx = test_ctx(), .data = SNUG_INIT(snug_data)};
  char paths[4][512];
  const char *list[4];
  for (int i = 0; i < 4; i++) {
    snprintf(paths[i], sizeof paths[i], "%s", data_path(i % 2 ? "i4.npy" : "images.idx.gz"));
    list[i] = paths[i];
  }
  f.m = two_by_two(f.ctx);
  ASSERT_OK(f.ctx, snug_arrays_open(f.ctx, list, 4, &f.a));
  ASSERT_OK(f.ctx, take(&f, SNUG_PART_TRAIN, true));
  ASSERT_EQ_INT(f.data.x[0].dtype, SNUG_UINT8);
  ASSERT_EQ_INT(f.data.x[1].dtype, SNUG_INT32);
  ASSERT_EQ_INT(f.data.y[0].dtype, SNUG_UINT8);
  ASSERT_EQ_INT(f.data.y[1].dtype, SNUG_INT32);
  snug_arrays_destroy(f.a);
  ASSERT_OK(f.ctx, snug_arrays_open(f.ctx, list, 2, &f.a));
  ASSERT_OK(f.ctx, take(&f, SNUG_PART_TEST, false));
  ASSERT_EQ_INT(f.data.x[1].dtype, SNUG_INT32);
  ASSERT_STATUS(f.ctx, take(&f, SNUG_PART_TRAIN, true), SNUG_E_ARGUMENT, "x uint8[5,2,2], y int32");
  end(&f);
}

static void expect_inputs(const char *file, snug_part part, int32_t n, int64_t rows) {
  fixture f = begin(file, one_by_one);
  const snug_array *x = NULL;
  int32_t found = -1;
  ASSERT_OK(f.ctx, snug_arrays_inputs(f.a, part, &x, &found));
  ASSERT_EQ_INT(found, n);
  ASSERT_TRUE((x != NULL) == (n > 0));
  if (n) {
    ASSERT_EQ_INT(x[0].shape[0], rows);
    ASSERT_NULL(x[0].data);
  }
  end(&f);
}

TEST(inputs_without_a_model) {
  expect_inputs("plain.npz", SNUG_PART_TRAIN, 1, 6);
  expect_inputs("parts.npz", SNUG_PART_TEST, 1, 3);
  expect_inputs("several.npz", SNUG_PART_TRAIN, 2, 6);
  expect_inputs("named.npz", SNUG_PART_TRAIN, 0, 0);
  expect_inputs("unnamed.npz", SNUG_PART_TRAIN, 1, 6);
  expect_inputs("plain.npz", SNUG_PART_VALIDATION, 0, 0);
  expect_inputs("u1.npy", SNUG_PART_TEST, 1, 3);
}

/* The data of a file train a model, and bytes stay bytes in memory. */
TEST(a_model_is_trained_from_a_file) {
  fixture f = begin("plain.npz", one_by_one);
  const char *loss = "sparse_categorical_crossentropy";
  snug_compile_options options = SNUG_INIT(snug_compile_options);
  options.loss = &loss;
  options.n_loss = 1;
  ASSERT_OK(f.ctx, snug_model_compile(f.m, &options));
  ASSERT_OK(f.ctx, take(&f, SNUG_PART_TRAIN, true));
  ASSERT_EQ_INT(f.data.x[0].dtype, SNUG_UINT8);
  ASSERT_OK(f.ctx, snug_fit(f.m, &f.data, NULL, NULL));
  end(&f);
}

static snug_status scenario(snug_ctx *ctx, void *arg) {
  snug_model *m = arg;
  snug_arrays *a = NULL;
  snug_data data = SNUG_INIT(snug_data);
  snug_status s = open_named(ctx, "several.npz", &a);
  s = s ? s : snug_arrays_data(a, m, SNUG_PART_TRAIN, true, &data);
  snug_arrays_destroy(a);
  return s;
}

TEST(taking_data_without_memory) {
  snug_model *m = two_by_two(test_ctx());
  test_fault_sweep(scenario, m);
  snug_model_destroy(m);
}

#define FASHION "/usr/share/datasets/fashion-mnist/"

TEST(fashion_mnist) {
  snug_ctx *ctx = test_ctx();
  const char *paths[] = {FASHION "t10k-images-idx3-ubyte.gz", FASHION "t10k-labels-idx1-ubyte.gz"};
  snug_arrays *a = NULL;
  const snug_array *x = NULL, *y = NULL;
  if (access(paths[0], R_OK) != 0) {
    test_skip("dataset-fashion-mnist is not installed");
  }
  ASSERT_OK(ctx, snug_arrays_open(ctx, paths, 2, &a));
  ASSERT_OK(ctx, snug_arrays_get(a, "x", &x));
  ASSERT_OK(ctx, snug_arrays_get(a, "y", &y));
  ASSERT_TRUE(x->rank == 3 && x->shape[0] == 10000 && x->shape[1] == 28 && x->shape[2] == 28);
  ASSERT_TRUE(y->rank == 1 && y->shape[0] == 10000);
  int64_t of_class[10] = {0};
  for (int64_t i = 0; i < 10000; i++) {
    of_class[((const uint8_t *)y->data)[i] % 10]++;
  }
  for (int i = 0; i < 10; i++) {
    ASSERT_EQ_INT(of_class[i], 1000);
  }
  snug_arrays_destroy(a);
}
