/* Building models: what the calls give back, and what they refuse. */
#include <stdio.h>
#include <string.h>

#include "base/ctx.h"
#include "lib/fault.h"

static snug_model *new_model(snug_ctx *ctx) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  return m;
}

static snug_tensor vector_input(snug_model *m, const char *name, int64_t n) {
  return snug_model_input(m, name, SNUG_FLOAT32, &n, 1);
}

static void check_shape(const snug_model *m, snug_tensor t, int32_t rank, const int64_t *dim) {
  int64_t shape[SNUG_MAX_RANK];
  ASSERT_EQ_INT(snug_model_shape(m, t, shape), rank);
  for (int32_t i = 0; i < rank; i++) {
    ASSERT_EQ_INT(shape[i], dim[i]);
  }
}

/* A layer on an input [8] must be refused with this message in it. */
static void check_refused(const char *class_name, const char *config, snug_status expected,
                          const char *part) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_tensor x = vector_input(m, "x", 8);
  ASSERT_EQ_INT(snug_model_layer(m, class_name, config, &x, 1), SNUG_NO_TENSOR);
  ASSERT_STATUS(ctx, snug_model_status(m), expected, part);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

TEST(a_sequential_model) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_model_input(m, "image", SNUG_FLOAT32, (const int64_t[]){4, 4, 2}, 3);
  check_shape(m, snug_model_add(m, "Flatten", NULL), 1, (const int64_t[]){32});
  check_shape(m, snug_model_add(m, "Dense", "units=5 activation=relu"), 1, (const int64_t[]){5});
  snug_tensor out = snug_model_add(m, "Dense", "units=3 name=top");
  ASSERT_OK(ctx, snug_model_outputs(m, &out, 1));
  ASSERT_EQ_UINT(snug_model_weights(m), 4);
  snug_model_destroy(m);
}

TEST(inputs_and_outputs_are_told) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_tensor a = vector_input(m, "a", 8);
  snug_tensor b = snug_model_input(m, "b", SNUG_INT32, (const int64_t[]){8}, 1);
  snug_tensor wide = snug_model_layer(m, "Dense", "units=5 name=wide", &a, 1);
  ASSERT_EQ_INT(snug_model_output_at(m, 0), wide); /* the last one, until it is told */
  snug_tensor table = snug_model_layer(m, "Embedding", "input_dim=4 output_dim=2", &b, 1);
  ASSERT_OK(ctx, snug_model_outputs(m, (const snug_tensor[]){table, wide}, 2));
  ASSERT_EQ_INT(snug_model_input_at(m, 0), a);
  ASSERT_EQ_INT(snug_model_input_at(m, 1), b);
  ASSERT_EQ_INT(snug_model_input_at(m, 2), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_input_at(m, -1), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_output_at(m, 1), wide);
  ASSERT_EQ_INT(snug_model_output_at(m, 2), SNUG_NO_TENSOR);
  ASSERT_EQ_TEXT(snug_model_tensor_name(m, b), "b");
  ASSERT_EQ_TEXT(snug_model_tensor_name(m, wide), "wide");
  ASSERT_EQ_TEXT(snug_model_tensor_name(m, 99), "");
  ASSERT_EQ_INT(snug_model_tensor_dtype(m, b), SNUG_INT32);
  ASSERT_EQ_INT(snug_model_tensor_dtype(m, wide), SNUG_FLOAT32);
  ASSERT_EQ_INT(snug_model_tensor_dtype(m, SNUG_NO_TENSOR), SNUG_NO_DTYPE);
  snug_model_destroy(m);
}

TEST(weights_are_told) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_weight_info w = SNUG_INIT(snug_weight_info);
  vector_input(m, "x", 8);
  snug_model_add(m, "Dense", "units=5");
  snug_model_add(m, "Dense", "units=3 name=top use_bias=false trainable=false");
  ASSERT_EQ_UINT(snug_model_weights(m), 3);
  ASSERT_OK(ctx, snug_model_weight_info(m, 0, &w));
  ASSERT_EQ_TEXT(w.name, "dense/kernel");
  ASSERT_EQ_TEXT(w.layer, "dense");
  ASSERT_EQ_INT(w.rank, 2);
  ASSERT_EQ_INT(w.shape[0], 8);
  ASSERT_EQ_INT(w.shape[1], 5);
  ASSERT_TRUE(w.trainable);
  ASSERT_EQ_UINT(w.bytes, 160);
  ASSERT_OK(ctx, snug_model_weight_info(m, 2, &w));
  ASSERT_EQ_TEXT(w.name, "top/kernel");
  ASSERT_FALSE(w.trainable);
  ASSERT_OK(ctx, snug_model_set_trainable(m, "top", true));
  ASSERT_OK(ctx, snug_model_weight_info(m, 2, &w));
  ASSERT_TRUE(w.trainable);
  ASSERT_OK(ctx, snug_model_set_trainable(m, "*", false));
  ASSERT_OK(ctx, snug_model_weight_info(m, 0, &w));
  ASSERT_FALSE(w.trainable);
  ASSERT_STATUS(ctx, snug_model_set_trainable(m, "none", true), SNUG_E_ARGUMENT, "'none'");
  ASSERT_STATUS(ctx, snug_model_set_trainable(m, "x", true), SNUG_E_ARGUMENT, "'x'");
  ASSERT_STATUS(ctx, snug_model_weight_info(m, 3, &w), SNUG_E_ARGUMENT, "number 3");
  snug_model_destroy(m);
}

TEST(weights_are_read_and_set) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  float kernel[6];
  const float set[6] = {1, 2, 3, 4, 5, 6};
  vector_input(m, "x", 3);
  snug_model_add(m, "Dense", "units=2 kernel_initializer=constant(0.5)");
  ASSERT_OK(ctx, snug_model_weight_get(m, "dense/kernel", kernel, sizeof kernel));
  ASSERT_NEAR(kernel[5], 0.5, 0);
  ASSERT_OK(ctx, snug_model_weight_set(m, "dense/kernel", set, sizeof set));
  ASSERT_OK(ctx, snug_model_weight_get(m, "dense/kernel", kernel, sizeof kernel));
  ASSERT_EQ_BYTES(kernel, set, sizeof set);
  ASSERT_STATUS(ctx, snug_model_weight_get(m, "dense/kernel", kernel, 4), SNUG_E_ARGUMENT,
                "dense/kernel has 24 bytes, not 4");
  ASSERT_STATUS(ctx, snug_model_weight_get(m, "dense/x", kernel, 4), SNUG_E_ARGUMENT, "dense/x");
  ASSERT_STATUS(ctx, snug_model_weight_get(m, "dense/bias", NULL, 8), SNUG_E_ARGUMENT, NULL);
  ASSERT_EQ_INT(snug_model_add(m, "Dense", "units=2"), SNUG_NO_TENSOR);
  ASSERT_STATUS(ctx, snug_model_status(m), SNUG_E_STATE, "in use");
  snug_model_destroy(m);
}

TEST(default_names_are_keras_names) {
  static const char *const classes[][2] = {{"Dense", "dense"},
                                           {"Dense", "dense_1"},
                                           {"ReLU", "re_lu"},
                                           {"PReLU", "p_re_lu"},
                                           {"LeakyReLU", "leaky_re_lu"},
                                           {"ELU", "elu"},
                                           {"Dense", "dense_2"},
                                           {"ops.LeakyRelu", "leaky_relu"},
                                           {"ops.Tanh", "tanh"},
                                           {"ops.Tanh", "tanh_1"}};
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  vector_input(m, "x", 3);
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    snug_model_add(m, classes[i][0], strcmp(classes[i][0], "Dense") == 0 ? "units=3" : NULL);
    ASSERT_OK(ctx, snug_model_status(m));
    ASSERT_OK(ctx, snug_model_set_trainable(m, classes[i][1], true));
  }
  snug_model_destroy(m);
}

TEST(default_names_step_over_given_ones) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  vector_input(m, "dense", 3);
  snug_model_add(m, "Dense", "units=3 name=dense_2");
  snug_model_add(m, "Dense", "units=3"); /* dense_1 */
  snug_model_add(m, "Dense", "units=3"); /* dense_3 */
  ASSERT_OK(ctx, snug_model_status(m));
  ASSERT_OK(ctx, snug_model_set_trainable(m, "dense_1", true));
  ASSERT_OK(ctx, snug_model_set_trainable(m, "dense_3", true));
  snug_model_destroy(m);
}

TEST(a_layer_is_called_again) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_tensor both[2];
  snug_tensor a = vector_input(m, "a", 8);
  snug_tensor b = vector_input(m, "b", 8);
  both[0] = snug_model_layer(m, "Dense", "units=4 name=shared", &a, 1);
  both[1] = snug_model_again(m, "shared", &b, 1);
  snug_tensor out = snug_model_layer(m, "Concatenate", NULL, both, 2);
  ASSERT_OK(ctx, snug_model_outputs(m, &out, 1));
  ASSERT_EQ_UINT(snug_model_weights(m), 2);
  check_shape(m, out, 1, (const int64_t[]){8});
  snug_model_destroy(m);
}

TEST(a_layer_called_again_must_fit) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_tensor a = vector_input(m, "a", 8);
  snug_tensor b = vector_input(m, "b", 7);
  snug_model_layer(m, "Dense", "units=4 name=shared", &a, 1);
  ASSERT_EQ_INT(snug_model_again(m, "shared", &b, 1), SNUG_NO_TENSOR);
  ASSERT_STATUS(ctx, snug_model_status(m), SNUG_E_SHAPE, "shared: the layer's kernel is");
  snug_model_destroy(m);
}

TEST(again_needs_a_layer) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_tensor a = vector_input(m, "a", 8);
  ASSERT_EQ_INT(snug_model_again(m, "a", &a, 1), SNUG_NO_TENSOR);
  ASSERT_STATUS(ctx, snug_model_status(m), SNUG_E_ARGUMENT, "no layer named 'a'");
  snug_model_destroy(m);
}

TEST(the_first_failure_stays) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_tensor x = vector_input(m, "x", 8);
  snug_tensor bad = snug_model_layer(m, "Denser", NULL, &x, 1);
  ASSERT_EQ_INT(bad, SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_layer(m, "Dense", "units=2", &x, 1), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_add(m, "Dense", "units=2"), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_again(m, "dense", &x, 1), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(vector_input(m, "y", 1), SNUG_NO_TENSOR);
  ASSERT_STATUS(ctx, snug_model_outputs(m, &x, 1), SNUG_E_UNSUPPORTED, "layer class 'Denser'");
  char byte;
  ASSERT_STATUS(ctx, snug_model_weight_get(m, "w", &byte, 1), SNUG_E_UNSUPPORTED, NULL);
  snug_model_destroy(m);
}

TEST(nothing_is_nothing) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_weight_info w = SNUG_INIT(snug_weight_info);
  int64_t shape[SNUG_MAX_RANK];
  snug_tensor x = vector_input(m, "x", 8);
  ASSERT_TRUE(snug_model_create(NULL, NULL, &m) == SNUG_E_ARGUMENT);
  ASSERT_TRUE(snug_model_create(ctx, NULL, NULL) == SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_model_input(NULL, "x", SNUG_FLOAT32, NULL, 0), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_layer(NULL, "Dense", NULL, &x, 1), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_again(NULL, "Dense", &x, 1), SNUG_NO_TENSOR);
  ASSERT_EQ_INT(snug_model_add(NULL, "Dense", NULL), SNUG_NO_TENSOR);
  ASSERT_TRUE(snug_model_outputs(NULL, &x, 1) == SNUG_E_ARGUMENT);
  ASSERT_TRUE(snug_model_status(NULL) == SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_model_shape(NULL, x, shape), -1);
  ASSERT_EQ_INT(snug_model_shape(m, 7, shape), -1);
  ASSERT_EQ_INT(snug_model_shape(m, SNUG_NO_TENSOR, shape), -1);
  ASSERT_TRUE(snug_model_set_trainable(NULL, "*", true) == SNUG_E_ARGUMENT);
  ASSERT_STATUS(ctx, snug_model_set_trainable(m, NULL, true), SNUG_E_ARGUMENT, NULL);
  ASSERT_EQ_UINT(snug_model_weights(NULL), 0);
  ASSERT_TRUE(snug_model_weight_info(NULL, 0, &w) == SNUG_E_ARGUMENT);
  ASSERT_STATUS(ctx, snug_model_weight_info(m, 0, NULL), SNUG_E_ARGUMENT, NULL);
  ASSERT_TRUE(snug_model_weight_get(NULL, "a", shape, 1) == SNUG_E_ARGUMENT);
  ASSERT_STATUS(ctx, snug_model_weight_set(m, NULL, shape, 1), SNUG_E_ARGUMENT, NULL);
  snug_model_destroy(NULL);
  snug_model_destroy(m);
}

TEST(classes_and_keys_must_be_known) {
  check_refused(NULL, NULL, SNUG_E_UNSUPPORTED, "layer class ''");
  check_refused("dense", NULL, SNUG_E_UNSUPPORTED,
                "layer class 'dense'; with that letter there are: Dense, ");
  check_refused("!", NULL, SNUG_E_UNSUPPORTED, "layer class '!'");
  check_refused("Dense", NULL, SNUG_E_ARGUMENT, "Dense (layer 0): units must be given");
  check_refused("Dense", "unit=1", SNUG_E_ARGUMENT, "there is no 'unit' here; known: name");
  check_refused("Dense", "units=a", SNUG_E_ARGUMENT, "units=a: expected a whole number");
  check_refused("Dense", "units=0", SNUG_E_ARGUMENT, "dense: units=0: expected 1 or more");
  check_refused("Dense", "units=-3", SNUG_E_ARGUMENT, "dense: units=-3: expected 1 or more");
  check_refused("Dense", "units=2 activation=rellu", SNUG_E_ARGUMENT,
                "dense: there is no activation 'rellu'; known: relu, relu6");
  check_refused("Dense", "units=2 kernel_initializer=glorot", SNUG_E_ARGUMENT,
                "dense/kernel: there is no initializer 'glorot'; known: zeros");
  check_refused("Dense", "units=2 kernel_regularizer=l3", SNUG_E_ARGUMENT,
                "dense/kernel: there is no regularizer 'l3'; known: l1, l2, l1_l2");
  check_refused("Dense", "units=2 bias_constraint=tight", SNUG_E_ARGUMENT,
                "dense/bias: there is no constraint 'tight'; known: max_norm");
  check_refused("Dense", "units=9000000000000000000", SNUG_E_SHAPE, "dense");
  check_refused("Add", "axis=1", SNUG_E_ARGUMENT, "there is no 'axis' here");
}

TEST(tensors_must_be_of_the_model) {
  snug_ctx *ctx = test_ctx();
  const snug_tensor bad[] = {SNUG_NO_TENSOR, 5};
  for (size_t i = 0; i < 2; i++) {
    snug_model *m = new_model(ctx);
    vector_input(m, "x", 8);
    ASSERT_EQ_INT(snug_model_layer(m, "Dense", "units=2", &bad[i], 1), SNUG_NO_TENSOR);
    ASSERT_STATUS(ctx, snug_model_status(m), SNUG_E_ARGUMENT, "tensor 0 is not one of this model");
    snug_model_destroy(m);
  }
  snug_model *m = new_model(ctx);
  vector_input(m, "x", 8);
  ASSERT_EQ_INT(snug_model_layer(m, "Dense", "units=2", NULL, 1), SNUG_NO_TENSOR);
  snug_model_destroy(m);
}

TEST(the_number_of_inputs_is_checked) {
  snug_ctx *ctx = test_ctx();
  static const struct {
    const char *class_name, *config;
    int32_t n;
  } cases[] = {{"Dense", "units=2", 2}, {"Dense", "units=2", 0}, {"Subtract", NULL, 1},
               {"Add", NULL, 65},       {"Add", NULL, -1},       {"Add", NULL, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    snug_model *m = new_model(ctx);
    snug_tensor in[65];
    snug_tensor x = vector_input(m, "x", 8);
    for (int32_t k = 0; k < 65; k++) {
      in[k] = x;
    }
    ASSERT_EQ_INT(snug_model_layer(m, cases[i].class_name, cases[i].config, in, cases[i].n),
                  SNUG_NO_TENSOR);
    ASSERT_STATUS(ctx, snug_model_status(m), SNUG_E_ARGUMENT, "inputs, not");
    snug_model_destroy(m);
  }
}

static void check_input_refused(const char *name, snug_dtype dtype, const int64_t *shape,
                                int32_t rank, snug_status expected, const char *part) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  vector_input(m, "taken", 1);
  ASSERT_EQ_INT(snug_model_input(m, name, dtype, shape, rank), SNUG_NO_TENSOR);
  ASSERT_STATUS(ctx, snug_model_status(m), expected, part);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

TEST(inputs_are_checked) {
  const int64_t good[SNUG_MAX_RANK] = {1, 2, 3, 4, 5, 6};
  const int64_t zero[2] = {3, 0};
  const int64_t negative[2] = {-1, 3};
  const int64_t huge[3] = {INT64_MAX / 2, 4, 4};
  char long_name[129] = "";
  memset(long_name, 'n', sizeof long_name - 1);
  check_input_refused(NULL, SNUG_FLOAT32, good, 2, SNUG_E_ARGUMENT, "needs a name");
  check_input_refused("", SNUG_FLOAT32, good, 2, SNUG_E_ARGUMENT, "1 to 127 characters, not 0");
  check_input_refused(long_name, SNUG_FLOAT32, good, 2, SNUG_E_ARGUMENT, "not 128");
  check_input_refused("taken", SNUG_FLOAT32, good, 2, SNUG_E_ARGUMENT, "named 'taken' already");
  check_input_refused("x", SNUG_FLOAT32, NULL, 2, SNUG_E_ARGUMENT, "shape");
  check_input_refused("x", SNUG_FLOAT32, good, -1, SNUG_E_ARGUMENT, "0 to 5 axes");
  check_input_refused("x", SNUG_FLOAT32, good, 6, SNUG_E_ARGUMENT, "0 to 5 axes");
  check_input_refused("x", SNUG_NO_DTYPE, good, 2, SNUG_E_ARGUMENT, "not a dtype");
  check_input_refused("x", (snug_dtype)99, good, 2, SNUG_E_ARGUMENT, "99 is not a dtype");
  check_input_refused("x", SNUG_FLOAT32, zero, 2, SNUG_E_SHAPE, "axis 1 has size 0");
  check_input_refused("x", SNUG_FLOAT32, negative, 2, SNUG_E_SHAPE, "axis 0 has size -1");
  check_input_refused("x", SNUG_FLOAT32, huge, 3, SNUG_E_SHAPE, "x");
}

TEST(names_are_unique) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  vector_input(m, "x", 8);
  snug_model_add(m, "Dense", "units=2 name=a");
  snug_model_add(m, "Dense", "units=2 name=a");
  ASSERT_STATUS(ctx, snug_model_status(m), SNUG_E_ARGUMENT,
                "Dense (layer 1): there is a layer or input named 'a' already");
  snug_model_destroy(m);
}

TEST(adding_needs_an_input) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  ASSERT_EQ_INT(snug_model_add(m, "Dense", "units=2"), SNUG_NO_TENSOR);
  ASSERT_STATUS(ctx, snug_model_status(m), SNUG_E_STATE, "Dense: add an input first");
  snug_model_destroy(m);
}

TEST(an_unused_input_is_named) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  vector_input(m, "idle", 8);
  snug_tensor x = vector_input(m, "x", 8);
  snug_tensor y = snug_model_layer(m, "Dense", "units=2", &x, 1);
  const snug_tensor bad = 17;
  ASSERT_STATUS(ctx, snug_model_outputs(m, &y, 1), SNUG_E_ARGUMENT, "input 'idle' is not used");
  ASSERT_STATUS(ctx, snug_model_outputs(m, &y, 0), SNUG_E_ARGUMENT, "at least one output");
  ASSERT_STATUS(ctx, snug_model_outputs(m, NULL, 1), SNUG_E_ARGUMENT, "outputs: tensor 0");
  ASSERT_STATUS(ctx, snug_model_outputs(m, &bad, 1), SNUG_E_ARGUMENT, "outputs: tensor 0");
  snug_model_destroy(m);
}

TEST(a_dtype_must_be_a_float) {
  snug_ctx *ctx = test_ctx();
  snug_model_options o = SNUG_INIT(snug_model_options);
  snug_model *m = NULL;
  o.dtype = SNUG_INT32;
  ASSERT_STATUS(ctx, snug_model_create(ctx, &o, &m), SNUG_E_ARGUMENT, "must be a float, not int32");
  ASSERT_NULL(m);
}

static snug_status small_model(snug_ctx *ctx, void *arg) {
  snug_model *m = NULL;
  float kernel[48];
  (void)arg;
  SNUG_TRY(snug_model_create(ctx, NULL, &m));
  snug_tensor x = vector_input(m, "x", 8);
  snug_tensor y = snug_model_layer(m, "Dense", "units=6 kernel_initializer=orthogonal", &x, 1);
  snug_tensor z = snug_model_again(m, "dense", &x, 1);
  y = snug_model_layer(m, "Add", NULL, (const snug_tensor[]){y, z}, 2);
  y = snug_model_layer(m, "Activation", "activation=silu", &y, 1);
  snug_status s = snug_model_outputs(m, &y, 1);
  s = s ? s : snug_model_weight_get(m, "dense/kernel", kernel, sizeof kernel);
  snug_model_destroy(m);
  return s;
}

TEST(memory_may_fail_anywhere) { test_fault_sweep(small_model, NULL); }

TEST(thousands_of_layers_are_quick) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  vector_input(m, "x", 4);
  for (int i = 0; i < 6000; i++) {
    snug_model_add(m, "Dense", "units=4 activation=relu");
  }
  ASSERT_OK(ctx, snug_model_status(m));
  ASSERT_EQ_UINT(snug_model_weights(m), 12000);
  snug_model_destroy(m);
}
