#include <stdio.h>
#include <string.h>

#include "lib/fault.h"
#include "support.h"

static void check_shape(const snug_model *m, size_t output, const char *name, int64_t last) {
  snug_tensor t = SNUG_VEC(&m->outputs, snug_tensor, output);
  int64_t shape[SNUG_MAX_RANK];
  int32_t rank = snug_model_shape(m, t, shape);
  ASSERT_TRUE(rank > 0);
  ASSERT_EQ_INT(shape[rank - 1], last);
  ASSERT_EQ_TEXT(SNUG_VEC(&m->tensors, snug__model_tensor, t).name, name);
}

static void check_places(const snug_model *m, const char *expected) {
  char out[4096];
  ASSERT_EQ_TEXT(config_places(m, out, sizeof out), expected);
}

/* ---- Sequential ---- */

static const char sequential[] =
    SEQUENTIAL("s", INPUT("in", "[null, 4]") "," DENSE("a", 8, "") "," LAYER(
                        "ReLU", "r", "", "") "," DENSE("b", 3, "")) END;

TEST(sequential) {
  snug_model *m = config_build(test_ctx(), sequential);
  ASSERT_EQ_UINT(snug_model_weights(m), 4);
  check_shape(m, 0, "b", 3);
  check_places(m, "=s:- layers/dense=a:a layers/re_lu=r:r layers/dense_1=b:b");
  ASSERT_EQ_TEXT(m->keras->version, "3.15.1");
  ASSERT_EQ_UINT(m->keras->config_bytes, strlen(m->keras->config));
  ASSERT_EQ_UINT(m->keras->compiles, 0);
  snug_model_destroy(m);
}

TEST(a_sequential_without_input_knows_what_it_was_built_on) {
  snug_ctx *ctx = test_ctx();
  static const char *const configs[] = {
      "{'class_name': 'Sequential', 'config': {'name': 's', 'build_input_shape': [null, 4], "
      "'layers': [" DENSE("a", 2, "") "]}}",
      "{'class_name': 'Sequential', 'build_config': {'input_shape': [null, 4]}, 'config': {'name': "
      "'s', 'layers': [" DENSE("a", 2, "") "]}}",
      "{'class_name': 'Sequential', 'config': {'name': 's', 'layers': [" LAYER(
          "Dense", "a", ", 'units': 2, 'batch_input_shape': [null, 4]", "") "]}}",
      "{'class_name': 'Sequential', 'config': [" LAYER(
          "Dense", "a", ", 'units': 2, 'batch_input_shape': [null, 4]", "") "]}"};
  for (size_t i = 0; i < SNUG_COUNT(configs); i++) {
    snug_model *m = config_build(ctx, configs[i]);
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    ASSERT_OK(ctx, snug_model_weight_info(m, 0, &w));
    ASSERT_EQ_INT(w.shape[0], 4);
    snug_model_destroy(m);
  }
  ASSERT_STATUS(ctx,
                config_refuse(ctx,
                              "{'class_name': 'Sequential', 'config': {'name': 's', 'layers': "
                              "[" DENSE("a", 2, "") "]}}"),
                SNUG_E_SHAPE, "m.keras: the model 's' was never built");
}

TEST(a_sequential_that_begins_with_a_model_has_its_input) {
  snug_model *m = config_build(
      test_ctx(),
      SEQUENTIAL(
          "s", FUNCTIONAL("f", INPUT("in", "[null, 5]") "," DENSE("d", 2, NODE(TENSOR("in", 0, 0))),
                          "['in', 0, 0]", "['d', 0, 0]") END "," DENSE("e", 1, "")) END);
  check_places(m,
               "=s:- layers/functional=f:- layers/functional/layers/input_layer=in:- "
               "layers/functional/layers/dense=d:f/d layers/dense=e:e");
  check_shape(m, 0, "e", 1);
  snug_model_destroy(m);
}

/* ---- Functional ---- */

static const char shared[] = FUNCTIONAL(
    "f",
    INPUT("x", "[null, 4]") "," INPUT("y", "[null, 4]") "," DENSE(
        "d", 4,
        NODE(TENSOR("x", 0, 0)) "," NODE(
            TENSOR("y", 0, 0))) "," LAYER("Add", "sum", "",
                                          NODE("[" TENSOR("d", 0, 0) "," TENSOR(
                                              "d", 1, 0) "]")) "," DENSE("o", 2,
                                                                         NODE(TENSOR("sum", 0, 0))),
    "[['x', 0, 0], ['y', 0, 0]]", "[['o', 0, 0], ['d', 1, 0]]") END;

TEST(functional_with_a_shared_layer_two_inputs_and_two_outputs) {
  snug_model *m = config_build(test_ctx(), shared);
  ASSERT_EQ_UINT(m->inputs.n, 2);
  ASSERT_EQ_UINT(m->layers.n, 3);
  ASSERT_EQ_UINT(m->calls.n, 4);
  ASSERT_EQ_UINT(snug_model_weights(m), 4);
  check_shape(m, 0, "o", 2);
  check_shape(m, 1, "d", 4);
  check_places(m,
               "=f:- layers/input_layer=x:- layers/input_layer_1=y:- layers/dense=d:d "
               "layers/add=sum:sum layers/dense_1=o:o");
  snug_model_destroy(m);
}

#define CHAIN                                                                                      \
  DENSE("c", 1, NODE(TENSOR("b", 0, 0)))                                                           \
  "," DENSE("b", 2, NODE(TENSOR("a", 0, 0))) "," DENSE("a", 3, NODE(TENSOR("x", 0, 0))) "," INPUT( \
      "x", "[null, 4]")

TEST(layers_stand_in_any_order) {
  snug_model *m =
      config_build(test_ctx(), FUNCTIONAL("f", CHAIN, "['x', 0, 0]", "['c', 0, 0]") END);
  check_shape(m, 0, "c", 1);
  ASSERT_EQ_UINT(m->calls.n, 3);
  check_places(
      m, "=f:- layers/input_layer=x:- layers/dense=a:a layers/dense_1=b:b layers/dense_2=c:c");
  snug_model_destroy(m);
}

/* Of two branches the longer stands first, then they take turns; what no output needs has no place,
 * an input that none needs stands before the last layers.  As Keras 3.15 lists them. */
TEST(places_stand_in_the_order_that_keras_gives_layers) {
  snug_model *m = config_build(
      test_ctx(),
      FUNCTIONAL(
          "f",
          INPUT("x", "[null, 4]") "," FUNCTIONAL(
              "g",
              DENSE("last", 4, NODE(TENSOR("two", 0, 0))) "," INPUT("idle", "[null, 4]") "," DENSE(
                  "two", 4,
                  NODE(TENSOR("z", 0, 0))) "," INPUT("z", "[null, 4]") "," DENSE("lost", 4,
                                                                                 NODE(TENSOR("z", 0,
                                                                                             0))),
              "[['z', 0, 0], ['idle', 0, 0]]", "['last', 0, 0]")
              CALLED("g", NODE("[" TENSOR("x", 0, 0) "," TENSOR("short", 0, 0) "]")) "," DENSE(
                  "short", 4, NODE(TENSOR("x", 0, 0))),
          "['x', 0, 0]", "[['short', 0, 0], ['g', 1, 0]]") END);
  check_places(m,
               "=f:- layers/input_layer=x:- layers/dense=short:short layers/functional=g:- "
               "layers/functional/layers/input_layer=z:- layers/functional/layers/dense=two:g/two "
               "layers/functional/layers/input_layer_1=idle:- "
               "layers/functional/layers/dense_1=last:g/last");
  snug_model_destroy(m);
}

TEST(nodes_as_keras_2_wrote_them) {
  snug_model *m = config_build(
      test_ctx(),
      "{'class_name': 'Functional', 'config': {'name': 'f', 'layers': ["
      "{'class_name': 'InputLayer', 'config': {'batch_input_shape': [null, 4], 'dtype': 'float32', "
      "'sparse': false, 'ragged': false, 'name': 'x'}, 'name': 'x', 'inbound_nodes': []},"
      "{'class_name': 'Dense', 'config': {'name': 'a', 'units': 4}, 'name': 'a', 'inbound_nodes': "
      "[[['x', 0, 0, {}]]]},"
      "{'class_name': 'Add', 'config': {'name': 's'}, 'name': 's', 'inbound_nodes': "
      "[[['x', 0, 0, {}], ['a', 0, 0, {}]]]}],"
      "'input_layers': [['x', 0, 0]], 'output_layers': [['s', 0, 0]]}}");
  check_shape(m, 0, "s", 4);
  snug_model_destroy(m);
}

TEST(outputs_of_a_dict_are_named_by_its_keys_and_sorted) {
  snug_model *m = config_build(
      test_ctx(),
      FUNCTIONAL("f",
                 INPUT("x", "[null, 4]") "," DENSE("p", 1, NODE(TENSOR("x", 0, 0))) "," DENSE(
                     "q", 2, NODE(TENSOR("x", 0, 0))),
                 "{'x': ['x', 0, 0]}", "{'second': ['p', 0, 0], 'first': [['q', 0, 0]]}") END);
  check_shape(m, 0, "first", 2);
  check_shape(m, 1, "second", 1);
  snug_model_destroy(m);
}

/* ---- nested models ---- */

#define INNER(nodes)                                                                       \
  FUNCTIONAL("inner",                                                                      \
             INPUT("z", "[null, 4]") "," DENSE("d", 4, NODE(TENSOR("z", 0, 0))) "," DENSE( \
                 "e", 4, NODE(TENSOR("d", 0, 0))),                                         \
             "['z', 0, 0]", "[['d', 0, 0], ['e', 0, 0]]")                                  \
  CALLED("inner", nodes)

TEST(a_nested_model_is_called_three_times_and_its_outputs_count_from_one) {
  snug_model *m = config_build(
      test_ctx(), FUNCTIONAL("f",
                             INPUT("x", "[null, 4]") "," INNER(NODE(TENSOR("x", 0, 0)) "," NODE(
                                 TENSOR("inner", 0, 1)) "," NODE(TENSOR("inner", 1, 0))),
                             "['x', 0, 0]", "[['inner', 2, 1], ['inner', 3, 0]]") END);
  ASSERT_EQ_UINT(m->layers.n, 2);
  ASSERT_EQ_UINT(m->calls.n, 6);
  ASSERT_EQ_UINT(snug_model_weights(m), 4);
  check_shape(m, 0, "inner", 4);
  const snug_tensor *out = m->outputs.data;
  ASSERT_EQ_INT(out[0], 4); /* x, d, e, then d and e of the second call */
  ASSERT_EQ_INT(out[1], 5);
  check_places(m,
               "=f:- layers/input_layer=x:- layers/functional=inner:- "
               "layers/functional/layers/input_layer=z:- layers/functional/layers/dense=d:inner/d "
               "layers/functional/layers/dense_1=e:inner/e");
  snug_model_destroy(m);
}

TEST(a_nested_sequential_does_not_count_from_one) {
  snug_model *m = config_build(
      test_ctx(), FUNCTIONAL("f",
                             INPUT("x", "[null, 4]") "," SEQUENTIAL(
                                 "s", INPUT("i", "[null, 4]") "," DENSE("d", 4, ""))
                                 CALLED("s", NODE(TENSOR("x", 0, 0)) "," NODE(TENSOR("s", 0, 0))),
                             "[['x', 0, 0]]", "['s', 1, 0]") END);
  ASSERT_EQ_UINT(m->calls.n, 2);
  ASSERT_EQ_INT(((const snug_tensor *)m->outputs.data)[0], 2);
  check_places(m,
               "=f:- layers/input_layer=x:- layers/sequential=s:- "
               "layers/sequential/layers/dense=d:s/d");
  snug_model_destroy(m);
}

#define SHARED_DENSE(nodes)                                                                      \
  "{'module': 'keras.layers', 'class_name': 'Dense', 'config': {'name': 'd', 'units': 4}, "      \
  "'registered_name': null, 'shared_object_id': 140703128616960, 'name': 'd', 'inbound_nodes': " \
  "[" nodes "]}"

TEST(a_layer_of_two_models_is_one_layer) {
  snug_model *m = config_build(
      test_ctx(),
      FUNCTIONAL("f",
                 INPUT("x", "[null, 4]") "," FUNCTIONAL(
                     "g", INPUT("z", "[null, 4]") "," SHARED_DENSE(NODE(TENSOR("z", 0, 0))),
                     "['z', 0, 0]", "['d', 0, 0]")
                     CALLED("g", NODE(TENSOR("x", 0, 0))) "," SHARED_DENSE(
                         NODE(TENSOR("g", 0, 0))) "," DENSE("e", 1, NODE(TENSOR("d", 0, 0))),
                 "['x', 0, 0]", "['e', 0, 0]") END);
  ASSERT_EQ_UINT(m->layers.n, 2);
  ASSERT_EQ_UINT(m->calls.n, 3);
  check_places(m,
               "=f:- layers/input_layer=x:- layers/functional=g:- "
               "layers/functional/layers/input_layer=z:- layers/functional/layers/dense=d:g/d "
               "layers/dense_1=e:e");
  snug_model_destroy(m);
}

/* ---- training ---- */

TEST(flags_say_what_is_trained) {
  snug_ctx *ctx = test_ctx();
  snug_weight_info w = SNUG_INIT(snug_weight_info);
  snug_model *m = config_build(
      ctx, SEQUENTIAL("s", INPUT("x", "[null, 4]") ","
                                                   "{'class_name': 'Dense', 'config': {'name': "
                                                   "'a', 'trainable': false, 'units': 2}}," DENSE(
                                                       "b", 2, "")) END);
  ASSERT_OK(ctx, snug_model_weight_info(m, 0, &w));
  ASSERT_FALSE(w.trainable);
  ASSERT_OK(ctx, snug_model_weight_info(m, 2, &w));
  ASSERT_TRUE(w.trainable);
  snug_model_destroy(m);
}

TEST(a_model_that_is_called_on_a_dict_has_its_tensors_by_their_keys) {
  snug_model *m = config_build(
      test_ctx(),
      FUNCTIONAL(
          "f",
          INPUT("x", "[null, 4]") "," INPUT("y", "[null, 3]") "," FUNCTIONAL(
              "g",
              INPUT("p", "[null, 3]") "," INPUT("q", "[null, 4]") "," LAYER(
                  "Concatenate", "c", "", NODE("[" TENSOR("p", 0, 0) "," TENSOR("q", 0, 0) "]")),
              "{'q': ['q', 0, 0], 'p': ['p', 0, 0]}", "['c', 0, 0]")
              CALLED("g", NODE("{'q': " TENSOR("x", 0, 0) ", 'p': " TENSOR("y", 0, 0) "}")),
          "[['x', 0, 0], ['y', 0, 0]]", "['g', 1, 0]") END);
  const snug__model_call *call = m->calls.data;
  ASSERT_EQ_INT(call->in[0], 1);
  ASSERT_EQ_INT(call->in[1], 0);
  snug_model_destroy(m);
}

/* The loss of a step that changes nothing: that of evaluate, unless something is dropped. */
static bool is_loss_of_training_that_of_evaluation(snug_ctx *ctx, const char *training) {
  static char text[CONFIG_BYTES];
  static const float rows[] = {1, 2, 3, 4, 5, 6, 7, 8};
  static const float targets[] = {1, 2};
  static const char *const loss[] = {"mse"};
  const snug_array x = {rows, SNUG_FLOAT32, 2, {2, 4}};
  const snug_array y = {targets, SNUG_FLOAT32, 2, {2, 1}};
  const snug_data data = {sizeof data, &x, 1, &y, 1, NULL};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  snug_history *history = NULL;
  double evaluated = 0.0;
  snprintf(
      text, sizeof text,
      FUNCTIONAL(
          "f",
          INPUT("x", "[null, 4]") "," LAYER(
              "Dropout", "p", ", 'rate': 0.9",
              "{'args': [" TENSOR(
                  "x", 0, 0) "], 'kwargs': {'training': %s}}") "," DENSE("d", 1,
                                                                         NODE(TENSOR("p", 0, 0))),
          "['x', 0, 0]", "['d', 0, 0]") END,
      training);
  snug_model *m = config_build(ctx, text);
  o.optimizer = "sgd(learning_rate=0)";
  o.loss = loss;
  o.n_loss = 1;
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  ASSERT_OK(ctx, snug_evaluate(m, &data, 0, &evaluated, 1));
  ASSERT_OK(ctx, snug_fit(m, &data, NULL, &history));
  snug_logs logs = snug_history_logs(history, 0);
  double trained = snug_logs_get(&logs, "loss");
  snug_history_destroy(history);
  snug_model_destroy(m);
  return trained == evaluated;
}

/* As in Keras: fit says it to all calls. */
TEST(what_a_call_says_of_training_is_not_heeded) {
  snug_ctx *ctx = test_ctx();
  ASSERT_FALSE(is_loss_of_training_that_of_evaluation(ctx, "false"));
  ASSERT_FALSE(is_loss_of_training_that_of_evaluation(ctx, "true"));
  ASSERT_FALSE(is_loss_of_training_that_of_evaluation(ctx, "null"));
}

/* ---- masks ---- */

#define OP(class_name, name, keys, args)                                                        \
  "{'module': 'keras.src.ops.numpy', 'class_name': '" class_name "', 'config': {'name': '" name \
  "'" keys "}, 'registered_name': '" class_name "', 'name': '" name                             \
  "', 'inbound_nodes': [{'args': [" args "], 'kwargs': {}}]}"
#define MASKED(mask_zero)                                                                     \
  FUNCTIONAL(                                                                                 \
      "f",                                                                                    \
      INPUT("x", "[null, 5]") "," OP("NotEqual", "n", "", TENSOR("x", 0, 0) ", 0") "," LAYER( \
          "Embedding", "e", ", 'input_dim': 7, 'output_dim': 3, 'mask_zero': " mask_zero,     \
          NODE(TENSOR("x", 0, 0))) "," LAYER("GlobalAveragePooling1D", "p", "",               \
                                             "{'args': [" TENSOR(                             \
                                                 "e", 0,                                      \
                                                 0) "], 'kwargs': {'mask': " TENSOR("n", 0,   \
                                                                                    0) "}}"), \
      "['x', 0, 0]", "['p', 0, 0]")                                                           \
  END

TEST(masks_go_along_with_values_and_are_not_computed) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = config_build(ctx, MASKED("true"));
  ASSERT_EQ_UINT(m->calls.n, 2);
  check_places(m,
               "=f:- layers/input_layer=x:- layers/embedding=e:e "
               "layers/global_average_pooling1d=p:p");
  snug_model_destroy(m);
  ASSERT_STATUS(ctx, config_refuse(ctx, MASKED("false")), SNUG_E_UNSUPPORTED,
                "layer 'p' (GlobalAveragePooling1D): is called with a mask of its own");
}

/* ---- what counts is told ---- */

/* Behind an open size, or a mask, there is a layer that Snug has not. */
TEST(an_unknown_layer_is_named_before_what_hides_it) {
  snug_ctx *ctx = test_ctx();
  const char *message = "layer 'g' (GRU): recurrent layers";
  ASSERT_STATUS(
      ctx,
      config_refuse(ctx, FUNCTIONAL("f",
                                    INPUT("x", "[null, null, 4]") "," LAYER(
                                        "GRU", "g", ", 'units': 2", NODE(TENSOR("x", 0, 0))),
                                    "['x', 0, 0]", "['g', 0, 0]") END),
      SNUG_E_UNSUPPORTED, message);
  ASSERT_STATUS(
      ctx,
      config_refuse(
          ctx,
          FUNCTIONAL("f",
                     INPUT("x", "[null, 5, 4]") "," OP(
                         "NotEqual", "n", "",
                         TENSOR("x", 0,
                                0) ", 0") "," LAYER("GRU", "g", ", 'units': 2",
                                                    "{'args': [" TENSOR(
                                                        "x", 0,
                                                        0) "], 'kwargs': {'mask': " TENSOR("n", 0,
                                                                                           0) "}}"),
                     "['x', 0, 0]", "['g', 0, 0]") END),
      SNUG_E_UNSUPPORTED, message);
  ASSERT_STATUS(ctx,
                config_refuse(ctx, FUNCTIONAL("f",
                                              INPUT("x", "[null, null, 4]") "," OP(
                                                  "RFFT", "r", "", TENSOR("x", 0, 0)),
                                              "['x', 0, 0]", "['r', 0, 0]") END),
                SNUG_E_UNSUPPORTED, "keras.ops 'RFFT' is not supported");
}

#define IMAGE \
  "{'class_name': 'InputLayer', 'config': {'name': 'x', 'batch_shape': [null, 8, 8, 3]}}"

/* What a model's layers stand for in training, or why they do not. */
static const char *augmentation(snug_ctx *ctx, const char *text) {
  static char says[512];
  const char *steps = NULL;
  snug_model *m = config_build(ctx, text);
  snug_status s = snug_model_augmentation(m, &steps);
  snprintf(says, sizeof says, "%s", s ? snug_message(ctx) : steps ? steps : "none");
  snug_model_destroy(m);
  return says;
}

TEST(random_augmentation_is_told_as_steps_where_it_stands_first) {
  snug_ctx *ctx = test_ctx();
  ASSERT_EQ_TEXT(
      augmentation(
          ctx,
          SEQUENTIAL("s", IMAGE "," LAYER("RandomFlip", "a", ", 'mode': 'vertical'", "") "," LAYER(
                              "RandomRotation", "b", ", 'factor': [-0.1, 0.1]",
                              "") "," LAYER("RandomZoom", "c", ", 'height_factor': [-0.2, 0.1]",
                                            "") "," LAYER("Flatten", "e", "", "")) END),
      "flip=vertical,rotation(factor=0.1),zoom(height_factor=[-0.2,0.1])");
  ASSERT_HAS(augmentation(ctx, SEQUENTIAL("s", IMAGE "," LAYER("Flatten", "e", "", "") "," LAYER(
                                                   "RandomFlip", "a", "", "")) END),
             "layer 'a' (RandomFlip) augments at random behind other layers");
  ASSERT_EQ_TEXT(augmentation(ctx, SEQUENTIAL("s", IMAGE "," LAYER("Flatten", "e", "", "")) END),
                 "none");
}

/* ---- operations ---- */

#define WITH_OPS(ops, out) \
  FUNCTIONAL("f", INPUT("x", "[null, 4, 2]") "," ops, "['x', 0, 0]", "['" out "', 0, 0]") END

static void check_op(const char *config, const char *class_name, const char *expected) {
  snug_model *m = config_build(test_ctx(), config);
  const snug__layer *layer = m->layers.data;
  snug__text text;
  snug__text_init(&text, m->ctx, 1024);
  ASSERT_OK(m->ctx, snug__fields_print(layer->class_->fields, layer->config, &text));
  ASSERT_EQ_TEXT(layer->class_->name, class_name);
  ASSERT_EQ_TEXT(snug__text_get(&text), expected);
  ASSERT_EQ_UINT(m->keras->places.n, 2); /* the model and its input */
  snug__text_release(&text);
  snug_model_destroy(m);
}

TEST(operations_have_constants_and_no_place) {
  check_op(WITH_OPS(OP("Add", "a", "", TENSOR("x", 0, 0) ", 3.5"), "a"), "ops.Add",
           "name=\"a\", constant=[3.5], constant_dtype=float");
  check_op(WITH_OPS(OP("Subtract", "a", "", "2, " TENSOR("x", 0, 0)), "a"), "ops.Subtract",
           "name=\"a\", constant=[2], constant_dtype=int, constant_first=true");
  check_op(WITH_OPS(OP("Mean", "a", ", 'axis': [1], 'keepdims': true", TENSOR("x", 0, 0)), "a"),
           "ops.Mean", "name=\"a\", axis=[1], keepdims=true");
  check_op(
      WITH_OPS(
          OP("GetItem", "a", "",
             TENSOR("x", 0,
                    0) ", [{'class_name': '__slice__', 'config': {'start': "
                       "null, 'stop': null, 'step': null}}, {'class_name': '__slice__', 'config': "
                       "{'start': 1, 'stop': -1, 'step': 2}}, null, {'class_name': "
                       "'__ellipsis__', 'config': {}}, 1]"),
          "a"),
      "ops.GetItem", "name=\"a\", key=\"[:, 1:-1:2, None, ..., 1]\"");
  check_op(WITH_OPS(OP("Multiply", "a", "",
                       TENSOR("x", 0, 0) ", {'class_name': '__numpy__', 'config': {'value': [0.5, "
                                         "2], 'dtype': 'float32'}}"),
                    "a"),
           "ops.Multiply",
           "name=\"a\", constant=[0.5,2], constant_shape=[2], constant_dtype=float");
  check_op(WITH_OPS(OP("Add", "a", "",
                       "{'class_name': '__tensor__', 'config': {'value': [[[1, 2], [3, 4], "
                       "[5, 6], [7, 8]]], 'dtype': 'int32'}}, " TENSOR("x", 0, 0)),
                    "a"),
           "ops.Add",
           "name=\"a\", constant=[1,2,3,4,5,6,7,8], constant_shape=[1,4,2], "
           "constant_dtype=int32, constant_first=true");
  check_op(WITH_OPS(OP("Where", "a", "", TENSOR("x", 0, 0) ", -Infinity, true"), "a"), "ops.Where",
           "name=\"a\", x1=[-inf], x1_dtype=float, x2=[1], x2_dtype=bool");
}

/* An array of sizes that differ, one that would stand beside the samples, and what is no array. */
TEST(constants_that_do_not_fit) {
  static const char *const cases[][2] = {
      {"[[1, 2], [3]]", "the 3 numbers of a constant do not fill"},
      {"[[[1, 2]], [[3, 4]]]", "without mixing samples"},
      {"[['a', 'b']]", "is called with an array of=\"a\""},
      {"[[[[[[[1]]]]]]]", "is called with an array of="}};
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    char config[2048];
    snug_ctx *ctx = test_ctx();
    snprintf(config, sizeof config,
             WITH_OPS(OP("Add", "a", "",
                         TENSOR("x", 0, 0) ", {'class_name': '__numpy__', 'config': {'value': %s, "
                                           "'dtype': 'float32'}}"),
                      "a"),
             cases[i][0]);
    ASSERT_STATUS(ctx, config_refuse(ctx, config),
                  i == 0 || i == 1 ? SNUG_E_SHAPE : SNUG_E_UNSUPPORTED, cases[i][1]);
  }
}

/* What stands beside tensors in a list is a value too, which must not be passed over. */
TEST(constants_in_a_list_of_tensors) {
  static const char *const lists[] = {
      "[" TENSOR("x", 0, 0) ", {'class_name': '__numpy__', 'config': {'value': [[1]], 'dtype': "
                            "'float32'}}]",
      "[2.5, " TENSOR("x", 0, 0) "]", "[[" TENSOR("x", 0, 0) ", 1], [" TENSOR("x", 0, 0) "]]"};
  snug_ctx *ctx = test_ctx();
  for (size_t i = 0; i < SNUG_COUNT(lists); i++) {
    char config[4096];
    snprintf(config, sizeof config, WITH_OPS(OP("Concatenate", "a", ", 'axis': -1", "%s"), "a"),
             lists[i]);
    ASSERT_STATUS(ctx, config_refuse(ctx, config), SNUG_E_UNSUPPORTED,
                  "layer 'a' (Concatenate): is called with a constant in a list of tensors");
    snprintf(config, sizeof config,
             WITH_OPS(LAYER("Add", "a", "", "{'args': [], 'kwargs': {'inputs': %s}}"), "a"),
             lists[i]);
    ASSERT_STATUS(ctx, config_refuse(ctx, config), SNUG_E_UNSUPPORTED,
                  "layer 'a' (Add): is called with a constant in a list of tensors");
  }
}

/* Each result that is read is a layer. */
TEST(an_operation_with_several_results) {
  snug_model *m = config_build(
      test_ctx(),
      WITH_OPS(OP("Split", "s", ", 'indices_or_sections': 2, 'axis': 1", TENSOR("x", 0, 0)) "," OP(
                   "Add", "a", "", TENSOR("s", 0, 1) ", " TENSOR("s", 0, 0)),
               "a"));
  const snug__layer *layers = m->layers.data;
  ASSERT_EQ_UINT(m->layers.n, 3);
  ASSERT_EQ_TEXT(layers[0].name, "s");
  ASSERT_EQ_TEXT(layers[1].name, "s[1]");
  ASSERT_EQ_TEXT(layers[2].name, "a");
  snug_model_destroy(m);
}

TEST(operations_that_are_not_there) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, config_refuse(ctx, WITH_OPS(OP("Fft", "a", "", TENSOR("x", 0, 0)), "a")),
                SNUG_E_UNSUPPORTED, "keras.ops 'Fft' is not supported");
  ASSERT_STATUS(ctx, config_refuse(ctx, WITH_OPS(OP("Exp", "a", "", TENSOR("x", 0, 0) ", 2"), "a")),
                SNUG_E_UNSUPPORTED, "layer 'a' (Exp): is called with a constant=2");
  ASSERT_STATUS(
      ctx, config_refuse(ctx, WITH_OPS(OP("GetItem", "a", "", TENSOR("x", 0, 0) ", 'b'"), "a")),
      SNUG_E_UNSUPPORTED, "key=\"b\"");
}

/* ---- failures ---- */

static snug_status scenario(snug_ctx *ctx, void *arg) {
  static char json[CONFIG_BYTES];
  snug_model *m = NULL;
  config_text(json, "%s", (const char *)arg);
  snug_status s = snug__keras_build(ctx, "m.keras", json, strlen(json), "3.15.1", NULL, &m);
  snug_model_destroy(m);
  return s;
}

TEST(every_failure_of_memory) {
  char text[sizeof shared];
  memcpy(text, shared, sizeof shared);
  test_fault_sweep(scenario, text);
}
