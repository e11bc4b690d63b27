/* Arguments of layers: which reach the core, which say nothing, which are refused. */
#include <stdio.h>
#include <string.h>

#include "model/initializer.h"
#include "support.h"

#define ALONE(layer) SEQUENTIAL("s", INPUT("x", "[null, 8, 8, 4]") "," layer) END

static snug_model *build(snug_ctx *ctx, const char *layer) {
  static char text[CONFIG_BYTES];
  snprintf(text, sizeof text, ALONE("%s"), layer);
  return config_build(ctx, text);
}

static void refuse(const char *layer, snug_status expected, const char *part) {
  static char text[CONFIG_BYTES];
  snug_ctx *ctx = test_ctx();
  snprintf(text, sizeof text, ALONE("%s"), layer);
  ASSERT_STATUS(ctx, config_refuse(ctx, text), expected, part);
  ASSERT_HAS(snug_message(ctx), "m.keras");
  test_ctx_end(ctx);
}

/* The text of a layer's options as the core understood them. */
static const char *options(const snug_model *m, size_t i, char *out, size_t bytes) {
  const snug__layer *layer = &SNUG_VEC(&m->layers, snug__layer, i);
  snug__text text;
  snug__text_init(&text, m->ctx, bytes);
  ASSERT_OK(m->ctx, snug__fields_print(layer->class_->fields, layer->config, &text));
  snprintf(out, bytes, "%s", snug__text_get(&text));
  snug__text_release(&text);
  return out;
}

static void check(const char *layer, const char *expected) {
  char out[1024];
  snug_model *m = build(test_ctx(), layer);
  ASSERT_EQ_TEXT(options(m, 0, out, sizeof out), expected);
  snug_model_destroy(m);
}

#define OBJECT(module, name, config)                                      \
  "{'module': '" module "', 'class_name': '" name "', 'config': {" config \
  "}, 'registered_name': "                                                \
  "null, 'shared_object_id': 5}"

TEST(numbers_texts_lists_and_nulls) {
  check(LAYER("Conv2D", "c",
              ", 'filters': 2, 'kernel_size': [3, 1], 'strides': [2, 2.0], 'padding': 'same', "
              "'data_format': 'channels_last', 'dilation_rate': [1, 1], 'groups': 1, 'activation': "
              "'silu', 'use_bias': false, 'bias_regularizer': null, 'activity_regularizer': null",
              ""),
        "name=\"c\", filters=2, kernel_size=[3,1], strides=[2,2], padding=same, "
        "dilation_rate=[1,1], activation=\"silu\", use_bias=false");
  check(LAYER("Dropout", "d", ", 'rate': 0.25, 'seed': 7, 'noise_shape': [null, 1, 1, 4]", ""),
        "name=\"d\", rate=0.25, noise_shape=[-1,1,1,4]");
  check(LAYER("ReLU", "r", ", 'max_value': null, 'negative_slope': 0.5, 'threshold': 0.0", ""),
        "name=\"r\", negative_slope=0.5");
  check(LAYER("ZeroPadding2D", "z", ", 'padding': [[0, 1], [2, 3]]", ""),
        "name=\"z\", padding=[0,1,2,3]");
  check(LAYER("Activation", "a", ", 'activation': null", ""), "name=\"a\", activation=\"linear\"");
}

TEST(objects_become_calls) {
  check(LAYER("Dense", "d",
              ", 'units': 2, 'activation': " OBJECT(
                  "keras.layers", "LeakyReLU",
                  "'name': 'l', 'trainable': true, 'dtype': "
                  "'float32', 'negative_slope': 0.1") ", "
                                                      "'kernel_"
                                                      "initializer':"
                                                      " " OBJECT(
                                                          "ker"
                                                          "as."
                                                          "ini"
                                                          "tia"
                                                          "liz"
                                                          "er"
                                                          "s",
                                                          "Var"
                                                          "ian"
                                                          "ceS"
                                                          "cal"
                                                          "in"
                                                          "g",
                                                          "'se"
                                                          "ed'"
                                                          ": "
                                                          "3, "
                                                          "'sc"
                                                          "ale"
                                                          "': "
                                                          "2."
                                                          "0, "
                                                          "'mo"
                                                          "de'"
                                                          ": "
                                                          "'fa"
                                                          "n_"
                                                          "out"
                                                          "', "
                                                          "'di"
                                                          "str"
                                                          "ibu"
                                                          "tio"
                                                          "n':"
                                                          " '"
                                                          "uni"
                                                          "for"
                                                          "m',"
                                                          " "
                                                          "'in"
                                                          "put"
                                                          "_ax"
                                                          "es'"
                                                          ": "
                                                          "nul"
                                                          "l") ", "
                                                               "'kernel_regularizer':"
                                                               " " OBJECT(
                                                                   "keras."
                                                                   "regularizers",
                                                                   "L1L2",
                                                                   "'l1': 0.5, 'l2': "
                                                                   "0.25") ", "
                                                                           "'bias_"
                                                                           "constrain"
                                                                           "t':"
                                                                           " " OBJECT(
                                                                               "keras.constraints",
                                                                               "MaxNorm",
                                                                               "'max_value': 2, "
                                                                               "'axis': 0"),
              ""),
        "name=\"d\", units=2, activation=\"LeakyReLU(negative_slope=0.1)\", "
        "kernel_initializer=\"VarianceScaling(scale=2, mode=fan_out, distribution=uniform)\", "
        "kernel_regularizer=\"L1L2(l1=0.5, l2=0.25)\", "
        "bias_constraint=\"MaxNorm(max_value=2, axis=0)\"");
  check(LAYER("Dense", "d",
              ", 'units': 2, 'activation': {'module': 'builtins', 'class_name': 'function', "
              "'config': 'tanh', 'registered_name': 'function'}",
              ""),
        "name=\"d\", units=2, activation=\"tanh\"");
  check(LAYER("Dense", "d",
              ", 'units': 2, 'activation': " OBJECT("keras.layers", "Activation",
                                                    "'name': 'a', 'activation': 'gelu'"),
              ""),
        "name=\"d\", units=2, activation=\"gelu\"");
}

TEST(keys_that_say_nothing) {
  check(LAYER("BatchNormalization", "b",
              ", 'axis': -1, 'synchronized': false, 'renorm': false, 'renorm_clipping': null, "
              "'renorm_momentum': 0.99",
              ""),
        "name=\"b\"");
  check(LAYER("Dense", "d", ", 'units': 2, 'quantization_config': null, 'lora_rank': null", ""),
        "name=\"d\", units=2");
}

TEST(keys_that_say_something_are_refused) {
  refuse(LAYER("Dense", "d", ", 'units': 2, 'lora_rank': 4", ""), SNUG_E_UNSUPPORTED,
         "layer 'd' (Dense): argument lora_rank=4");
  refuse(LAYER("BatchNormalization", "b", ", 'renorm': true", ""), SNUG_E_UNSUPPORTED,
         "renorm=true");
  refuse(LAYER("Dense", "d", ", 'units': 2, 'wishes': 'three'", ""), SNUG_E_UNSUPPORTED,
         "wishes=\"three\"");
  refuse(
      LAYER("Conv2D", "c", ", 'filters': 2, 'kernel_size': 3, 'data_format': 'channels_first'", ""),
      SNUG_E_UNSUPPORTED, "channels_last");
  refuse(LAYER("Dense", "d", ", 'units': [2, {}]", ""), SNUG_E_UNSUPPORTED, "units=a list of 2");
  refuse(LAYER("Dense", "d", ", 'units': 2, 'activation': 'wave'", ""), SNUG_E_ARGUMENT, "wave");
  refuse(LAYER("Dense", "d", ", 'units': NaN", ""), SNUG_E_ARGUMENT, "units=nan");
  refuse(LAYER("Dense", "d", ", 'activation': 'relu'", ""), SNUG_E_ARGUMENT, "units must be given");
  refuse(LAYER("Dense", "d", ", 'units': 2, 'activation': 'sparsemax'", ""), SNUG_E_UNSUPPORTED,
         "activation=sparsemax");
  refuse(LAYER("Dense", "d", ", 'units': 2, 'activation': 'a\\\"b'", ""), SNUG_E_UNSUPPORTED,
         "activation");
  refuse(LAYER("Dense", "d",
               ", 'units': 2, 'kernel_initializer': {'class_name': 'A(b)', 'config': "
               "{}}",
               ""),
         SNUG_E_UNSUPPORTED, "kernel_initializer");
}

TEST(classes_that_are_not_there_are_refused_by_name) {
  static const struct {
    const char *class_name, *part;
  } cases[] = {{"LSTM", "recurrent"},
               {"Bidirectional", "recurrent"},
               {"ConvLSTM2D", "recurrent"},
               {"MultiHeadAttention", "attention"},
               {"Conv3D", "volumes"},
               {"RandomShear", "augmentation"},
               {"StringLookup", "Embedding"},
               {"TextVectorization", "Embedding"},
               {"Lambda", "keras.ops"},
               {"TimeDistributed", "wrappers"},
               {"Denze", "Dense"}};
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    char layer[512];
    snprintf(layer, sizeof layer, LAYER("%s", "odd", "", ""), cases[i].class_name);
    refuse(layer, SNUG_E_UNSUPPORTED, cases[i].part);
    refuse(layer, SNUG_E_UNSUPPORTED, cases[i].class_name);
    refuse(layer, SNUG_E_UNSUPPORTED, "layer 'odd'");
  }
}

TEST(classes_of_the_user_are_refused_even_if_their_name_is_known) {
  refuse(
      "{'module': 'mine', 'class_name': 'Dense', 'config': {'name': 'd', 'units': 2}, "
      "'registered_name': 'pack>Dense'}",
      SNUG_E_UNSUPPORTED, "class of your own (mine)");
  refuse(
      "{'module': null, 'class_name': 'Dense', 'config': {'name': 'd', 'units': 2}, "
      "'registered_name': 'Dense'}",
      SNUG_E_UNSUPPORTED, "class of your own (__main__)");
  refuse(
      "{'module': 'keras_hub.layers', 'class_name': 'Dense', 'config': {'name': 'd', 'units': "
      "2}, 'registered_name': null}",
      SNUG_E_UNSUPPORTED, "class of your own (keras_hub.layers)");
  refuse(
      "{'module': 'keras.layers', 'class_name': 'Dense', 'config': {'name': 'd', 'units': 2}, "
      "'registered_name': 'Custom>Dense'}",
      SNUG_E_UNSUPPORTED, "class of your own");
  refuse("{'module': 'keras.layers', 'class_name': 'ops.Add', 'config': {'name': 'd'}}",
         SNUG_E_UNSUPPORTED, "ops.Add");
}

/* ---- dtypes ---- */

#define POLICY(name) \
  "{'module': 'keras', 'class_name': 'DTypePolicy', 'config': {'name': '" name "'}}"
#define OF_DTYPE(name, dtype) \
  "{'class_name': 'Dense', 'config': {'name': '" name "', 'units': 2, 'dtype': " dtype "}}"

TEST(the_layers_say_what_the_model_computes_in) {
  snug_model *m =
      build(test_ctx(), OF_DTYPE("a", POLICY("float64")) "," OF_DTYPE("b", "'float64'"));
  ASSERT_EQ_INT(m->real, SNUG_FLOAT64);
  snug_model_destroy(m);
  refuse(OF_DTYPE("a", POLICY("float64")) "," OF_DTYPE("b", "'float32'"), SNUG_E_UNSUPPORTED,
         "'b' (Dense): computes in float32 and 'a' in float64");
  refuse(OF_DTYPE("a", POLICY("mixed_float16")), SNUG_E_UNSUPPORTED, "mixed_float16");
  refuse(OF_DTYPE("a", "'bfloat16'"), SNUG_E_UNSUPPORTED, "bfloat16");
  refuse(OF_DTYPE("a",
                  "{'class_name': 'QuantizedDTypePolicy', 'config': {'name': "
                  "'int8_from_float32'}}"),
         SNUG_E_UNSUPPORTED, "QuantizedDTypePolicy");
}

TEST(operations_alone_compute_in_what_they_are_fed_with) {
  snug_model *m = config_build(
      test_ctx(),
      "{'class_name': 'Functional', 'config': {'name': 'f', 'layers': [{'class_name': "
      "'InputLayer', 'config': {'batch_shape': [null, 4], 'dtype': 'float64', 'name': 'x'}, "
      "'name': "
      "'x', 'inbound_nodes': []}, {'module': 'keras.src.ops.numpy', 'class_name': 'Exp', 'config': "
      "{'name': 'e'}, 'name': 'e', 'inbound_nodes': [" NODE(
          TENSOR("x", 0, 0)) "]}], 'input_layers': ['x', 0, 0], 'output_layers': ['e', 0, 0]}}");
  ASSERT_EQ_INT(m->real, SNUG_FLOAT64);
  snug_model_destroy(m);
}

/* ---- inputs ---- */

#define OPEN(shape, dtype)                                                          \
  "{'class_name': 'Sequential', 'config': {'name': 's', 'layers': [{'class_name': " \
  "'InputLayer', 'config': {'batch_shape': " shape ", 'dtype': '" dtype             \
  "', 'name': 'x'}}," LAYER("Flatten", "f", "", "") "]}}"

static snug_status load(snug_ctx *ctx, const char *config, const snug_array *x, int32_t n,
                        snug_model **out) {
  static char json[CONFIG_BYTES];
  snug_load_options o = SNUG_INIT(snug_load_options);
  o.x = x;
  o.n_x = n;
  config_text(json, "%s", config);
  return snug__keras_build(ctx, "m.keras", json, strlen(json), "", &o, out);
}

TEST(open_sizes_come_from_the_data) {
  snug_ctx *ctx = test_ctx();
  snug_array x = {NULL, SNUG_FLOAT32, 4, {10, 5, 6, 3}};
  int64_t shape[SNUG_MAX_RANK];
  snug_model *m = NULL;
  ASSERT_OK(ctx, load(ctx, OPEN("[32, null, null, 3]", "float32"), &x, 1, &m));
  ASSERT_EQ_INT(snug_model_shape(m, 0, shape), 3);
  ASSERT_EQ_INT(shape[0] * 100 + shape[1] * 10 + shape[2], 563);
  snug_model_destroy(m);
  ASSERT_STATUS(ctx, load(ctx, OPEN("[null, null, null, 3]", "float32"), NULL, 0, &m), SNUG_E_SHAPE,
                "input 0 ('x') leaves the size of axis 1 open");
  x.rank = 3;
  ASSERT_STATUS(ctx, load(ctx, OPEN("[null, null, null, 3]", "float32"), &x, 1, &m), SNUG_E_SHAPE,
                "an array of 4 axes");
  ASSERT_NULL(m);
}

TEST(dtypes_of_inputs) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  ASSERT_OK(ctx, load(ctx, OPEN("[null, 3, 2]", "uint8"), NULL, 0, &m));
  ASSERT_EQ_INT(SNUG_VEC(&m->tensors, snug__model_tensor, 0).type.dtype, SNUG_UINT8);
  snug_model_destroy(m);
  ASSERT_OK(ctx, load(ctx, OPEN("[null, 3, 2]", "float16"), NULL, 0, &m));
  ASSERT_EQ_INT(SNUG_VEC(&m->tensors, snug__model_tensor, 0).type.dtype, SNUG_FLOAT32);
  snug_model_destroy(m);
  ASSERT_STATUS(ctx, load(ctx, OPEN("[null, 3, 2]", "string"), NULL, 0, &m), SNUG_E_UNSUPPORTED,
                "dtype string");
  ASSERT_STATUS(ctx, load(ctx, OPEN("[null, 0]", "float32"), NULL, 0, &m), SNUG_E_FORMAT,
                "input 'x'");
  ASSERT_STATUS(ctx, load(ctx, OPEN("[null, 1, 1, 1, 1, 1, 1]", "float32"), NULL, 0, &m),
                SNUG_E_FORMAT, "input 'x'");
  ASSERT_STATUS(ctx, load(ctx, OPEN("'wide'", "float32"), NULL, 0, &m), SNUG_E_FORMAT, "input 'x'");
}
