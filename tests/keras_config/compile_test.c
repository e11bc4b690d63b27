#include <stdio.h>
#include <string.h>

#include "lib/fault.h"
#include "support.h"
#include "train/training.h"

#define ONE \
  "{'class_name': 'Functional', 'config': {'name': 'f', 'layers': [" INPUT("x", "[null, 4]") "," \
  DENSE("p", 3, NODE(TENSOR("x", 0, 0))) "], 'input_layers': ['x', 0, 0], 'output_layers': "     \
  "['p', 0, 0]}, 'compile_config': "
#define TWO \
  "{'class_name': 'Functional', 'config': {'name': 'f', 'layers': [" INPUT("x", "[null, 4]") "," \
  DENSE("p", 3, NODE(TENSOR("x", 0, 0))) "," DENSE("q", 1, NODE(TENSOR("x", 0, 0)))             \
  "], 'input_layers': ['x', 0, 0], 'output_layers': [['p', 0, 0], ['q', 0, 0]]}, "              \
  "'compile_config': "
#define ADAM                                                                                 \
  "{'module': 'keras.optimizers', 'class_name': 'Adam', 'config': {'name': 'adam', "         \
  "'learning_rate': 0.25, 'weight_decay': null, 'clipnorm': null, 'use_ema': false, "        \
  "'ema_momentum': 0.99, 'ema_overwrite_frequency': null, 'beta_1': 0.5, 'epsilon': 1e-07, " \
  "'amsgrad': false, 'jit_compile': true, 'is_legacy_optimizer': false}, 'registered_name': null}"
#define COMPILED(model, optimizer, loss, rest) \
  model "{'optimizer': " optimizer ", 'loss': " loss rest "}}"

/* "a, b": the names of the logs. */
static const char *names(const snug_model *m, char *out, size_t bytes) {
  snug_logs logs = snug_model_metrics(m);
  size_t used = 0;
  out[0] = 0;
  for (size_t i = 0; i < logs.n; i++) {
    used += (size_t)snprintf(out + used, bytes - used, "%s%s", i ? ", " : "", logs.names[i]);
  }
  return out;
}

static snug_model *compile(snug_ctx *ctx, const char *config) {
  snug_model *m = config_build(ctx, config);
  ASSERT_OK(ctx, snug__keras_compile(m, "m.keras"));
  return m;
}

static void check_logs(const char *config, const char *expected) {
  char out[512];
  snug_model *m = compile(test_ctx(), config);
  ASSERT_EQ_TEXT(names(m, out, sizeof out), expected);
  ASSERT_EQ_UINT(m->keras->compiles, 1);
  snug_model_destroy(m);
}

/* way: which option would do. */
static void check_refused(const char *config, const char *part, const char *way) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = config_build(ctx, config);
  ASSERT_STATUS(ctx, snug__keras_compile(m, "m.keras"), SNUG_E_UNSUPPORTED, part);
  ASSERT_HAS(snug_message(ctx), "m.keras: compile_config");
  ASSERT_HAS(snug_message(ctx), way);
  ASSERT_EQ_INT(strchr(snug_message(ctx), '\n') == strrchr(snug_message(ctx), '\n'), true);
  ASSERT_EQ_UINT(m->keras->compiles, 0);
  ASSERT_NULL(m->training);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

TEST(a_file_that_says_nothing_is_not_compiled) {
  static const char *const configs[] = {
      ONE "{}}", ONE "null}", COMPILED(ONE, "'adam'", "null", ""),
      "{'class_name': 'Functional', 'config': {'name': 'f', 'layers': [" INPUT(
          "x", "[null, 4]") "," DENSE("p", 3, NODE(TENSOR("x", 0, 0))) "], 'input_layers': ['x', 0, "
                            "0], 'output_layers': ['p', 0, 0]}}"};
  snug_ctx *ctx = test_ctx();
  for (size_t i = 0; i < SNUG_COUNT(configs); i++) {
    snug_model *m = compile(ctx, configs[i]);
    ASSERT_NULL(m->training);
    ASSERT_EQ_UINT(m->keras->compiles, 0);
    snug_model_destroy(m);
  }
}

TEST(the_options_of_the_optimizer_are_kept) {
  snug_model *m = compile(test_ctx(), COMPILED(ONE, ADAM, "'mse'", ""));
  const snug__optimizer_options *o = &m->training->optimizer.o;
  ASSERT_NEAR(o->learning_rate, 0.25, 0.0);
  ASSERT_NEAR(o->beta_1, 0.5, 0.0);
  ASSERT_NEAR(o->beta_2, 0.999, 0.0);
  ASSERT_NEAR(o->epsilon, 1e-7, 0.0);
  snug_model_destroy(m);
}

TEST(a_schedule_rules_the_learning_rate) {
  snug_model *m = compile(
      test_ctx(),
      COMPILED(ONE,
               "{'class_name': 'SGD', 'config': {'learning_rate': {'module': "
               "'keras.optimizers.schedules', 'class_name': 'PiecewiseConstantDecay', 'config': "
               "{'boundaries': [1, 2], 'values': [0.5, 0.25, 0.125], 'name': 'PiecewiseConstant'}, "
               "'registered_name': null}, 'momentum': 0.5}}",
               "'mse'", ""));
  ASSERT_NEAR(snug_model_learning_rate(m), 0.5, 0.0);
  ASSERT_NEAR(snug__schedule_rate(&m->training->optimizer.schedule, 2), 0.25, 0.0);
  ASSERT_NEAR(m->training->optimizer.o.momentum, 0.5, 0.0);
  snug_model_destroy(m);
}

#define FTRL                                                                                       \
  "{'class_name': 'Ftrl', 'config': {'learning_rate': 0.1, 'learning_rate_power': -0.5, "          \
  "'initial_accumulator_value': 0.2, 'l1_regularization_strength': 0.5, "                          \
  "'l2_regularization_strength': 0.25, 'l2_shrinkage_regularization_strength': 0.0, 'beta': 0.0, " \
  "'gradient_accumulation_steps': 2, 'global_clipnorm': 1.0, 'use_ema': true, 'weight_decay': "    \
  "0.125}}"

TEST(every_option_has_a_place) {
  snug_model *m = compile(test_ctx(), COMPILED(ONE, FTRL, "'mse'", ""));
  const snug__optimizer_options *o = &m->training->optimizer.o;
  ASSERT_NEAR(o->l1, 0.5, 0.0);
  ASSERT_NEAR(o->l2, 0.25, 0.0);
  ASSERT_NEAR(o->weight_decay, 0.125, 0.0);
  ASSERT_NEAR(o->global_clipnorm, 1.0, 0.0);
  ASSERT_EQ_INT(o->gradient_accumulation_steps, 2);
  ASSERT_TRUE(o->use_ema);
  snug_model_destroy(m);
}

#define CE                                                                                  \
  "{'module': 'keras.losses', 'class_name': 'CategoricalCrossentropy', 'config': {'name': " \
  "'c', 'reduction': 'sum', 'from_logits': true, 'label_smoothing': 0.25, 'axis': -1}}"
#define FUNCTION(name)                                                \
  "{'module': 'builtins', 'class_name': 'function', 'config': '" name \
  "', 'registered_name': 'function'}"

#define MUON(layers)                                                                         \
  "{'class_name': 'Muon', 'config': {'name': 'muon', 'learning_rate': 0.1, 'weight_decay': " \
  "null, 'adam_beta_1': 0.875, 'exclude_layers': " layers                                    \
  ", 'adam_lr_ratio': 1, 'rms_rate': "                                                       \
  "null, 'ns_steps': 0, 'adam_weight_decay': null}}"

/* Null is no default there. */
TEST(what_null_means_to_muon) {
  snug_model *m = compile(test_ctx(), COMPILED(ONE, MUON("['out', 'head']"), "'mse'", ""));
  const snug__optimizer_options *o = &m->training->optimizer.o;
  ASSERT_NEAR(o->beta_1, 0.875, 0.0);
  ASSERT_NEAR(o->weight_decay, 0.0, 0.0);
  ASSERT_NEAR(o->adam_weight_decay, 0.0, 0.0);
  ASSERT_NEAR(o->rms_rate, 0.0, 0.0);
  ASSERT_EQ_INT(o->ns_steps, 0);
  ASSERT_EQ_TEXT(o->exclude_layers, "out,head");
  snug_model_destroy(m);
  check_logs(COMPILED(ONE, MUON("[]"), "'mse'", ""), "loss");
  check_refused(COMPILED(ONE, MUON("['out.*']"), "'mse'", ""), "expressions are not supported",
                "\ngive optimizer of snug_compile_options");
}

TEST(a_loss_is_an_object_a_function_a_list_or_a_dict) {
  snug_model *m = compile(test_ctx(), COMPILED(ONE, "'sgd'", CE, ""));
  ASSERT_NEAR(m->training->losses[0].o.label_smoothing, 0.25, 0.0);
  ASSERT_TRUE(m->training->losses[0].o.from_logits);
  ASSERT_EQ_INT(m->training->losses[0].o.reduction, 1);
  snug_model_destroy(m);
  check_logs(COMPILED(ONE, "'sgd'", FUNCTION("mean_squared_error"), ""), "loss");
  check_logs(COMPILED(ONE, "'sgd'", "['mse']", ""), "loss");
  check_logs(COMPILED(ONE, "'sgd'",
                      "{'class_name': 'MeanSquaredError', 'config': {'reduction': 'mean'}}", ""),
             "loss");
  check_logs(COMPILED(ONE, "'sgd'", "{'p': 'mse'}", ""), "loss");
  check_logs(COMPILED(TWO, "'sgd'", "'mae'", ""), "loss, p_loss, q_loss");
}

TEST(losses_and_their_weights_by_output) {
  char name[SNUG__NAME_BYTES];
  snug_model *m = compile(test_ctx(), COMPILED(TWO, "'sgd'", "{'q': 'mae', 'p': " CE "}",
                                               ", 'loss_weights': {'q': 0.5, 'p': 2}"));
  snug__loss_name(&m->training->losses[0], name);
  ASSERT_EQ_TEXT(name, "categorical_crossentropy");
  ASSERT_NEAR(m->training->loss_weights[0], 2.0, 0.0);
  ASSERT_NEAR(m->training->loss_weights[1], 0.5, 0.0);
  snug_model_destroy(m);
  m = compile(test_ctx(), COMPILED(TWO, "'sgd'", "['mse', 'mae']", ", 'loss_weights': [1, 3.0]"));
  ASSERT_NEAR(m->training->loss_weights[1], 3.0, 0.0);
  snug_model_destroy(m);
}

#define AUC                                                                                 \
  "{'module': 'keras.metrics', 'class_name': 'AUC', 'config': {'name': 'my auc', 'dtype': " \
  "'float32', 'num_thresholds': 50, 'curve': 'PR', 'summation_method': 'interpolation', "   \
  "'multi_label': false, 'num_labels': null, 'label_weights': null, 'from_logits': false}}"

TEST(metrics_in_all_their_forms) {
  check_logs(COMPILED(ONE, "'sgd'", "'mse'",
                      ", 'metrics': ['mae', [" AUC "], " FUNCTION("mean_squared_error") "]"),
             "loss, mae, mean_squared_error, my auc");
  check_logs(COMPILED(ONE, "'sgd'", "'mse'", ", 'metrics': {'p': 'mae'}"), "loss, mae");
  check_logs(COMPILED(TWO, "'sgd'", "'mse'", ", 'metrics': [['mae', 'mse'], null]"),
             "loss, p_loss, p_mae, p_mse, q_loss");
  check_logs(COMPILED(TWO, "'sgd'", "'mse'", ", 'metrics': {'q': ['mae'], 'p': " AUC "}"),
             "loss, p_loss, p_my auc, q_loss, q_mae");
  check_logs(COMPILED(ONE, "'sgd'", "'mse'", ", 'metrics': ['mae'], 'weighted_metrics': ['mae']"),
             "loss, mae, weighted_mae");
}

TEST(what_the_core_has_not_is_refused_by_name) {
  check_refused(
      COMPILED(ONE, "{'class_name': 'Adafactor', 'config': {'learning_rate': 0.1}}", "'mse'", ""),
      "m.keras: compile_config: there is no optimizer 'Adafactor'\n",
      "'\ngive optimizer of snug_compile_options");
  check_refused(
      COMPILED(ONE, "{'class_name': 'LossScaleOptimizer', 'config': {'inner_optimizer': " ADAM "}}",
               "'mse'", ""),
      "LossScaleOptimizer", "\ngive optimizer of snug_compile_options");
  check_refused(COMPILED(ONE, "'sgd'", "{'class_name': 'Circle', 'config': {'gamma': 80.0}}", ""),
                "m.keras: compile_config: there is no loss 'Circle'\n",
                "'\ngive loss of snug_compile_options");
  check_refused(COMPILED(ONE, "'sgd'", FUNCTION("my_loss"), ""), "there is no loss 'my_loss'\n",
                "'\ngive loss of snug_compile_options");
  check_refused(COMPILED(ONE, "'sgd'",
                         "{'class_name': 'MeanSquaredError', 'config': {'reduction': "
                         "null}}",
                         ""),
                "not reduced", "\ngive loss of snug_compile_options");
  check_refused(COMPILED(TWO, "'sgd'", "['mse', null]", ""), "'q' has no loss",
                "\ngive loss of snug_compile_options");
  check_refused(COMPILED(TWO, "'sgd'", "{'p': 'mse'}", ""), "1 losses for 2 outputs",
                "\ngive loss of snug_compile_options");
  check_refused(COMPILED(TWO, "'sgd'", "'mse'", ", 'metrics': ['mae']"), "1 entries of metrics",
                "\ngive metrics of snug_compile_options");
  check_refused(COMPILED(ONE, "'sgd'", "'mse'", ", 'loss_weights': 'a'"), "loss weight",
                "\ngive loss_weights of snug_compile_options");
  check_refused(COMPILED(ONE,
                         "{'class_name': 'Adam', 'config': {'learning_rate': {'class_name': "
                         "'MySchedule', 'config': {}}}}",
                         "'mse'", ""),
                "MySchedule", "\ngive optimizer of snug_compile_options");
}

/* Metrics that there are not, in all forms: the rest is compiled. */
TEST(a_metric_that_is_not_there_is_left_out) {
  static char json[CONFIG_BYTES];
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  config_text(json, "%s",
              COMPILED(ONE, "'sgd'", "'mse'",
                       ", 'metrics': ['mae', " FUNCTION(
                           "my_metric") ", {'class_name': 'Accuracy', 'config': "
                                        "{'name': 'plain'}}, {'class_name': 'Precision', "
                                        "'config': {'name': 'p', 'top_k': 3}}, 'strange']"));
  ASSERT_OK(ctx, snug__keras_build(ctx, "m.keras", json, strlen(json), "", NULL, &m));
  ASSERT_OK(ctx, snug__keras_compile(m, "m.keras"));
  ASSERT_EQ_TEXT(snug_model_left_out(m), "my_metric, plain, p, strange");
  ASSERT_EQ_UINT(snug_model_metrics(m).n, 2); /* loss and mae */
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

/* A loss that is not there: only what needs it says so, by its name; another may take its place. */
TEST(a_loss_that_is_not_there_stops_training_alone) {
  static char json[CONFIG_BYTES];
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_compile_options other = SNUG_INIT(snug_compile_options);
  const char *const mse = "mse";
  config_text(json, "%s", COMPILED(ONE, "'sgd'", FUNCTION("my_loss"), ""));
  ASSERT_OK(ctx, snug__keras_build(ctx, "m.keras", json, strlen(json), "", NULL, &m));
  ASSERT_OK(ctx, snug__keras_try_compile(m, "m.keras"));
  ASSERT_STATUS(ctx, snug__training_need(m), SNUG_E_UNSUPPORTED, "my_loss");
  ASSERT_STATUS(ctx, snug__training_need(m), SNUG_E_UNSUPPORTED,
                "'\ngive loss of snug_compile_options");
  other.loss = &mse;
  other.n_loss = 1;
  ASSERT_OK(ctx, snug_model_recompile(m, &other));
  ASSERT_OK(ctx, snug__training_need(m));
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

static snug_status scenario(snug_ctx *ctx, void *arg) {
  static char json[CONFIG_BYTES];
  snug_model *m = NULL;
  config_text(json, "%s", (const char *)arg);
  snug_status s = snug__keras_build(ctx, "m.keras", json, strlen(json), "", NULL, &m);
  s = s ? s : snug__keras_compile(m, "m.keras");
  snug_model_destroy(m);
  return s;
}

TEST(every_failure_of_memory) {
  char text[] = COMPILED(TWO, ADAM, "['mse', 'mae']", ", 'metrics': [null, ['mae']]");
  test_fault_sweep_stride(scenario, text, 7);
}
