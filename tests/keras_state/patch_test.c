/* The config that was found stays byte by byte; only what changed is new. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keras/config.h"
#include "keras/describe.h"
#include "keras/span.h"
#include "keras_state/support.h"
#include "train/training.h"

/* ---- pieces of JSON ---- */

static snug__span span_of(const char *text) {
  return snug__span_value((snug__span){text, text + strlen(text)});
}

static const char *piece(snug__span s) {
  static char out[256];
  snprintf(out, sizeof out, "%.*s", s.at ? (int)(s.end - s.at) : 4, s.at ? s.at : "none");
  return out;
}

TEST(values_are_found) {
  const char *text =
      " {\"a\" : [1, {\"b\":\"}\\\"]\"}, NaN ] ,\"b\":-Infinity, \"a\\u0063\": "
      "{} , \"b\": 2.5e-3 }  ";
  snug__span root = span_of(text);
  ASSERT_EQ_TEXT(piece(snug__span_get(root, "a")), "[1, {\"b\":\"}\\\"]\"}, NaN ]");
  ASSERT_EQ_TEXT(piece(snug__span_get(root, "b")), "2.5e-3"); /* the last of two */
  ASSERT_EQ_TEXT(piece(snug__span_get(root, "ac")), "{}");
  ASSERT_EQ_TEXT(piece(snug__span_get(root, "c")), "none");
  ASSERT_EQ_TEXT(piece(snug__span_get(snug__span_get(root, "c"), "d")), "none");
  ASSERT_EQ_TEXT(piece(snug__span_get(span_of("[1]"), "a")), "none");
  ASSERT_TRUE(snug__span_is_number(snug__span_get(root, "b")));
  ASSERT_FALSE(snug__span_is_number(snug__span_get(root, "a")));
  ASSERT_TRUE(snug__span_is(span_of(" true "), "true"));
  ASSERT_FALSE(snug__span_is(span_of("truer"), "true"));
}

TEST(items_are_walked) {
  snug__span rest = snug__span_inside(span_of("[ \"a,]\" ,{}, [ ], 1 ]"));
  snug__span item;
  static const char *const expected[] = {"\"a,]\"", "{}", "[ ]", "1"};
  for (int i = 0; i < 4; i++) {
    ASSERT_TRUE(snug__span_next_item(&rest, &item));
    ASSERT_EQ_TEXT(piece(item), expected[i]);
  }
  ASSERT_FALSE(snug__span_next_item(&rest, &item));
  rest = snug__span_inside(span_of("[]"));
  ASSERT_FALSE(snug__span_next_item(&rest, &item));
}

TEST(texts_are_decoded) {
  char out[32];
  ASSERT_TRUE(
      snug__span_text(span_of("\"a\\n\\\"\\\\\\/\\u00e9\\ud83d\\udc27\""), out, sizeof out));
  ASSERT_EQ_TEXT(out, "a\n\"\\/\xc3\xa9\xf0\x9f\x90\xa7");
  ASSERT_FALSE(snug__span_text(span_of("1"), out, sizeof out));
  ASSERT_FALSE(snug__span_text(span_of("\"abc\""), out, 3));
  ASSERT_TRUE(snug__span_text(span_of("\"ab\""), out, 3));
}

/* Texts that end anywhere are read to their end at most. */
TEST(cut_texts) {
  const char *text = "{\"a\": [1, {\"b\": \"\\u00e9\\\\\"}, NaN], \"c\": {\"d\": -1}}";
  size_t n = strlen(text);
  for (size_t k = 0; k <= n; k++) {
    char *copy = malloc(k + 1); /* sanitizers see what lies behind it */
    char out[64];
    memcpy(copy, text, k);
    snug__span root = snug__span_value((snug__span){copy, copy + k});
    ASSERT_TRUE(root.end <= copy + k);
    snug__span a = snug__span_get(root, "a");
    snug__span rest = snug__span_inside(a);
    snug__span item;
    while (snug__span_next_item(&rest, &item)) {
      snug__span_text(snug__span_get(item, "b"), out, sizeof out);
    }
    free(copy);
  }
}

/* ---- configs ---- */

#define DENSE(name, trainable)                                                           \
  "{\"module\":\"keras.layers\" , \"class_name\":\"Dense\",\"config\":{\"name\":\"" name \
  "\"," trainable                                                                        \
  " \"dtype\":\"float32\",\"units\":3, \"kernel_regularizer\": null},\n"                 \
  "\"registered_name\": null}"
#define INPUT(shape)                                                            \
  "{\"module\": \"keras.layers\", \"class_name\": \"InputLayer\", \"config\": " \
  "{\"batch_shape\": " shape                                                    \
  ", \"dtype\": \"float32\", \"name\": \"x\"}, \"registered_"                   \
  "name\": null}"
#define MODEL(name, layers)                                                                \
  "{\"module\": \"keras\", \"class_name\": \"Sequential\", \"config\": {\"name\": \"" name \
  "\", \"trainable\": true, \"dtype\": \"float32\",\t\"layers\": [" layers                 \
  "]}, \"registered_"                                                                      \
  "name\": null"

static const char compile_config[] =
    ", \"compile_config\": {\"optimizer\": {\"module\": \"keras.optimizers\", \"class_name\": "
    "\"SGD\", \"config\": {\"name\": \"SGD\", \"learning_rate\": 0.10000000149011612, \"momentum\" "
    ": 0.0}, \"registered_name\": null}, \"loss\": \"mse\", \"extra\": NaN}}";

static snug_model *build(snug_ctx *ctx, const char *config) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug__keras_build(ctx, "m.keras", config, strlen(config), "3.12.0", NULL, &m));
  ASSERT_OK(ctx, snug__keras_compile(m, "m.keras"));
  return m;
}

/* The config as it would be saved, with `from` exchanged for `to`. */
static void saves(snug_model *m, const char *config, const char *from, const char *to) {
  snug__text text;
  char expected[4096];
  const char *at = from ? strstr(config, from) : config;
  ASSERT_NOT_NULL(at);
  snprintf(expected, sizeof expected, "%.*s%s%s", (int)(at - config), config, to,
           at + (from ? strlen(from) : 0));
  snug__text_init(&text, m->ctx, 1 << 20);
  ASSERT_OK(m->ctx, snug__keras_patched(m, &text));
  ASSERT_EQ_TEXT(snug__text_get(&text), expected);
  snug__text_release(&text);
}

static void make_config(char *out, size_t bytes, const char *flag) {
  snprintf(out, bytes, " %s%s \n",
           MODEL("m", INPUT("[null, 3]") "," DENSE("a", "\"trainable\": %s,")), compile_config);
  char copy[4096];
  snprintf(copy, sizeof copy, "%s", out);
  char *at = strstr(copy, "%s");
  *at = 0;
  snprintf(out, bytes, "%s%s%s", copy, flag, at + 2);
}

TEST(nothing_changed) {
  snug_ctx *ctx = test_ctx();
  char config[4096];
  make_config(config, sizeof config, "true");
  snug_model *m = build(ctx, config);
  saves(m, config, NULL, "");
  snug_model_destroy(m);
}

TEST(the_rate_changed) {
  snug_ctx *ctx = test_ctx();
  char config[4096];
  make_config(config, sizeof config, "true");
  snug_model *m = build(ctx, config);
  ASSERT_OK(ctx, snug_model_set_learning_rate(m, 0.001));
  saves(m, config, "0.10000000149011612", "0.0010000000474974513");
  ASSERT_OK(ctx, snug_model_set_learning_rate(m, 2.0));
  saves(m, config, "0.10000000149011612", "2.0");
  ASSERT_OK(ctx, snug_model_set_learning_rate(m, 0.1));
  saves(m, config, NULL, "");
  snug_model_destroy(m);
}

TEST(a_flag_changed) {
  snug_ctx *ctx = test_ctx();
  char config[4096];
  make_config(config, sizeof config, "true");
  snug_model *m = build(ctx, config);
  ASSERT_OK(ctx, snug_model_set_trainable(m, "a", false));
  saves(m, config, "\"a\",\"trainable\": true", "\"a\",\"trainable\": false");
  ASSERT_OK(ctx, snug_model_set_trainable(m, "a", true));
  saves(m, config, NULL, "");
  snug_model_destroy(m);
  make_config(config, sizeof config, "false");
  m = build(ctx, config);
  saves(m, config, NULL, "");
  ASSERT_OK(ctx, snug_model_set_trainable(m, "a", true));
  saves(m, config, "\"trainable\": false", "\"trainable\": true");
  snug_model_destroy(m);
}

/* A layer in a model in the model, whose config does not have the flag; outside there is one of the
 * same name. */
TEST(a_flag_that_was_not_there) {
  static const char config[] =
      MODEL("m", INPUT("[null, 3]") "," DENSE("a", "") "," MODEL(
                     "inner", INPUT("[null, 3]") "," DENSE("a", "")) "}") "}";
  snug_ctx *ctx = test_ctx();
  snug_model *m = build(ctx, config);
  char expected[4096];
  snug__text text;
  saves(m, config, NULL, "");
  ASSERT_OK(ctx, snug_model_set_trainable(m, "inner/a", false));
  const char *inner = strstr(strstr(config, "inner"), "{\"name\":\"a\"");
  snprintf(expected, sizeof expected, "%.*s{\"trainable\": false, %s", (int)(inner - config),
           config, inner + 1);
  snug__text_init(&text, ctx, 1 << 20);
  ASSERT_OK(ctx, snug__keras_patched(m, &text));
  ASSERT_EQ_TEXT(snug__text_get(&text), expected);
  snug__text_release(&text);
  snug_model_destroy(m);
}

TEST(compiled_anew) {
  static const char *const loss = "mae";
  snug_ctx *ctx = test_ctx();
  char config[4096];
  make_config(config, sizeof config, "true");
  snug_model *m = build(ctx, config);
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = "SGD(momentum=0.5)";
  o.loss = &loss;
  o.n_loss = 1;
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  char *old = strdup(strstr(config, "{\"optimizer\""));
  *(strstr(old, "NaN}") + 4) = 0;
  saves(m, config, old,
        "{\"optimizer\": {\"module\": \"keras.optimizers\", \"class_name\": \"SGD\", \"config\": "
        "{\"learning_rate\": 0.009999999776482582, \"momentum\": 0.5, \"nesterov\": false, "
        "\"weight_decay\": null, \"clipnorm\": null, \"clipvalue\": null, \"global_clipnorm\": "
        "null, \"use_ema\": false, \"ema_momentum\": 0.99, \"loss_scale_factor\": null, \"name\": "
        "\"sgd\"}, \"registered_name\": null}, \"loss\": \"mean_absolute_error\", "
        "\"loss_weights\": null, \"metrics\": null, \"weighted_metrics\": null, \"run_eagerly\": "
        "false, \"steps_per_execution\": 1, \"jit_compile\": false}");
  free(old);
  snug_model_destroy(m);
}

TEST(compiled_at_last) {
  static const char *const loss = "mae";
  static const char config[] = MODEL("m", INPUT("[null, 3]") "," DENSE("a", "")) " } ";
  snug_ctx *ctx = test_ctx();
  snug_model *m = build(ctx, config);
  snug__text text;
  ASSERT_NULL(m->training);
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.loss = &loss;
  o.n_loss = 1;
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  snug__text_init(&text, ctx, 1 << 20);
  ASSERT_OK(ctx, snug__keras_patched(m, &text));
  ASSERT_HAS(snug__text_get(&text), "\"registered_name\": null , \"compile_config\": {\"optimizer");
  ASSERT_HAS(snug__text_get(&text), "\"jit_compile\": false}} ");
  snug__text_release(&text);
  snug_model_destroy(m);
}
