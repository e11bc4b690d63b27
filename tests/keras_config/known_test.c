/* What snug/tools/known.h lists is what is read and refused. */
#include "snug/tools/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keras_config/support.h"
#include "model/layer.h"

TEST(every_layer_class_is_listed_and_no_name_twice) {
  size_t layers = 0;
  snug_known known = SNUG_INIT(snug_known);
  snug_known other = SNUG_INIT(snug_known);
  for (size_t i = 0; i < snug_known_count(); i++) {
    ASSERT_TRUE(snug_known_get(i, &known));
    ASSERT_TRUE(known.name[0] && snug_known_is(i, known.name));
    bool is_class = known.sort == SNUG_KNOWN_LAYER || known.sort == SNUG_KNOWN_OPERATION;
    layers += is_class && !known.instead;
    for (size_t k = 0; k < i; k++) {
      ASSERT_TRUE(snug_known_get(k, &other));
      ASSERT_TRUE(other.sort != known.sort || strcmp(other.name, known.name) != 0);
    }
  }
  ASSERT_EQ_INT(layers, snug__layer_n_classes);
  ASSERT_TRUE(!snug_known_get(snug_known_count(), &known));
  ASSERT_EQ_TEXT(known.name, "");
}

static size_t find(snug_known_sort sort, const char *name, snug_known *out) {
  size_t i = 0;
  while (snug_known_get(i, out) && !(out->sort == sort && snug_known_is(i, name))) {
    i++;
  }
  return i;
}

TEST(names_are_found_as_they_are_written) {
  static const struct {
    snug_known_sort sort;
    const char *written, *name;
  } cases[] = {{SNUG_KNOWN_LAYER, "conv2d", "Conv2D"},
               {SNUG_KNOWN_LAYER, "keras.layers.Conv2D", "Conv2D"},
               {SNUG_KNOWN_LAYER, "MultiHeadAttention", "*Attention"},
               {SNUG_KNOWN_LAYER, "Hashing", "Hash*"},
               {SNUG_KNOWN_OPERATION, "keras.ops.take_along_axis", "take_along_axis"},
               {SNUG_KNOWN_OPERATION, "ops.TakeAlongAxis", "take_along_axis"},
               {SNUG_KNOWN_LOSS, "MeanSquaredError", "mean_squared_error"},
               {SNUG_KNOWN_LOSS, "mse", "mean_squared_error"},
               {SNUG_KNOWN_METRIC, "MeanIoU", "mean_io_u"},
               {SNUG_KNOWN_OPTIMIZER, "adamw", "AdamW"},
               {SNUG_KNOWN_CONSTRAINT, "MaxNorm", "max_norm"},
               {SNUG_KNOWN_OPERATION, "keras.ops.abs", "absolute"},
               {SNUG_KNOWN_OPERATION, "rms_normalization", "rms_normalization"},
               {SNUG_KNOWN_OPERATION, "RFFT", "rfft"},
               {SNUG_KNOWN_OPTIMIZER, "Adafactor", "Adafactor"},
               {SNUG_KNOWN_METRIC, "pearson_correlation", "PearsonCorrelation"},
               {SNUG_KNOWN_LOSS, "ctc", "CTC"}};
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    snug_known known = SNUG_INIT(snug_known);
    find(cases[i].sort, cases[i].written, &known);
    ASSERT_EQ_TEXT(known.name, cases[i].name);
  }
}

TEST(options_have_their_defaults) {
  snug_known known = SNUG_INIT(snug_known);
  snug_known_option o = SNUG_INIT(snug_known_option);
  size_t i = find(SNUG_KNOWN_LAYER, "Conv2D", &known);
  ASSERT_EQ_INT(known.least_inputs, 1);
  ASSERT_TRUE(snug_known_option_get(i, 0, &o));
  ASSERT_EQ_TEXT(o.name, "filters");
  ASSERT_TRUE(!o.initial);
  ASSERT_TRUE(snug_known_option_get(i, 3, &o));
  ASSERT_EQ_TEXT(o.name, "padding");
  ASSERT_EQ_TEXT(o.initial, "valid");
  ASSERT_EQ_TEXT(o.choices[1], "same");
  ASSERT_TRUE(!snug_known_option_get(i, known.n_options, &o));
  ASSERT_TRUE(!o.name);
}

/* A constant is one option: its shape and dtype go along with it. */
TEST(constants_of_operations_are_one_option) {
  snug_known known = SNUG_INIT(snug_known);
  snug_known_option o = SNUG_INIT(snug_known_option);
  size_t i = find(SNUG_KNOWN_OPERATION, "average", &known);
  ASSERT_EQ_INT(known.n_options, 2);
  ASSERT_TRUE(snug_known_option_get(i, 1, &o));
  ASSERT_EQ_TEXT(o.name, "weights");
}

/* Every option that must keep its default is told with the value and the words of the refusal. */
TEST(limits_of_layers_are_what_is_refused) {
  size_t n = 0;
  for (size_t i = 0; i < snug__layer_n_classes; i++) {
    const snug__layer_class *class_ = snug__layer_classes[i];
    for (const snug__field *f = class_->fields; f->name; f++) {
      snug_ctx *ctx = test_ctx();
      snug_model *m = NULL;
      snug_known known = SNUG_INIT(snug_known);
      snug_known_limit limit = SNUG_INIT(snug_known_limit);
      char config[256];
      if (f->kind != SNUG__FIELD_FIXED) {
        test_ctx_end(ctx);
        continue;
      }
      bool is_op = strncmp(class_->name, "ops.", 4) == 0;
      size_t at = find(is_op ? SNUG_KNOWN_OPERATION : SNUG_KNOWN_LAYER, class_->name, &known);
      ASSERT_TRUE(snug_known_limit_get(at, 0, &limit));
      for (size_t k = 1; strcmp(limit.option, f->name) != 0; k++) {
        ASSERT_TRUE(snug_known_limit_get(at, k, &limit) && limit.option);
      }
      ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
      snug_tensor x = snug_model_input(m, "in", SNUG_FLOAT32, (const int64_t[]){6, 6, 4}, 3);
      snprintf(config, sizeof config, "%s=other", f->name);
      ASSERT_EQ_INT(snug_model_layer(m, class_->name, config, &x, 1), SNUG_NO_TENSOR);
      ASSERT_STATUS(ctx, snug_model_status(m), SNUG_E_UNSUPPORTED, limit.says);
      snug_model_destroy(m);
      test_ctx_end(ctx);
      n++;
    }
  }
  ASSERT_TRUE(n > 20);
}

/* What is not supported is refused by the text that is told. */
TEST(refused_classes_are_told_as_they_are_refused) {
  char layer[512];
  char *config = malloc(CONFIG_BYTES);
  snug_known known = SNUG_INIT(snug_known);
  for (size_t i = 0; snug_known_get(i, &known); i++) {
    snug_ctx *ctx = test_ctx();
    if (!known.instead || known.sort != SNUG_KNOWN_LAYER) {
      test_ctx_end(ctx);
      continue;
    }
    const char *star = strchr(known.name, '*');
    snprintf(layer, sizeof layer, "%s%.*s%s", star == known.name ? "Some" : "",
             (int)strcspn(known.name + (star == known.name), "*"),
             known.name + (star == known.name), star && star != known.name ? "Thing" : "");
    ASSERT_STATUS(ctx,
                  config_refuse(ctx, config_text(config,
                                                 SEQUENTIAL("s", INPUT("x", "[null, 4]") "," LAYER(
                                                                     "%s", "odd", "", "")) END,
                                                 layer)),
                  SNUG_E_UNSUPPORTED, known.instead);
    test_ctx_end(ctx);
  }
  free(config);
}

TEST(refused_operations_are_told_as_they_are_refused) {
  char *config = malloc(CONFIG_BYTES);
  snug_known known = SNUG_INIT(snug_known);
  size_t n = 0;
  for (size_t i = 0; snug_known_get(i, &known); i++) {
    if (!known.instead || known.sort != SNUG_KNOWN_OPERATION) {
      continue;
    }
    snug_ctx *ctx = test_ctx();
    ASSERT_STATUS(
        ctx,
        config_refuse(
            ctx, config_text(config,
                             FUNCTIONAL("f",
                                        INPUT("x", "[null, 4]") ", {'module': "
                                                                "'keras.src.ops.numpy', "
                                                                "'class_name': '%s', 'config': "
                                                                "{'name': 'a'}" CALLED(
                                                                    "a", NODE(TENSOR("x", 0, 0))),
                                        "['x', 0, 0]", "['a', 0, 0]") END,
                             known.name)),
        SNUG_E_UNSUPPORTED, known.instead);
    test_ctx_end(ctx);
    n++;
  }
  ASSERT_TRUE(n > 50);
  free(config);
}

/* What is told not to be there is not: no name of it is taken. */
TEST(refused_things_are_not_there) {
  snug_known refused = SNUG_INIT(snug_known);
  for (size_t i = 0; snug_known_get(i, &refused); i++) {
    snug_known other = SNUG_INIT(snug_known);
    for (size_t k = 0; refused.instead && snug_known_get(k, &other); k++) {
      ASSERT_TRUE(other.instead || other.sort != refused.sort || !snug_known_is(k, refused.name));
    }
  }
}

TEST(rules_are_sentences_without_an_end) {
  size_t n = 0;
  for (; snug_known_rule(n); n++) {
    size_t length = strlen(snug_known_rule(n));
    ASSERT_TRUE(length > 10 && snug_known_rule(n)[length - 1] != '.');
  }
  ASSERT_TRUE(n > 5);
  ASSERT_EQ_TEXT(snug_known_sort_text(SNUG_KNOWN_SORTS), "");
}
