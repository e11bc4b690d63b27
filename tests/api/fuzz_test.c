/* Texts of a user's, damaged at random: configurations of layers, optimizers, losses and metrics.
 * Whatever comes of it is in order (attempt.h); the seed is printed by the runner. */
#include <stdio.h>
#include <string.h>

#include "api/attempt.h"

enum { ROUNDS = 3000, TEXT_BYTES = 512 };

static const char *const configs[][2] = {
    {"Conv2D", "filters=2 kernel_size=[3,3] strides=1 padding=same activation=relu name=l"},
    {"Dense", "units=2 kernel_regularizer=l1_l2(l1=0.1,l2=0.2) bias_constraint=\"non_neg\""},
    {"BatchNormalization", "momentum=0.9 epsilon=1e-3 center=true gamma_initializer=ones"},
    {"ZeroPadding2D", "padding=[[1,2],[3,4]] name=pad"},
    {"Dropout", "rate=0.5"},
    {"Reshape", "target_shape=[2,-1]"}};

static const char *const compiles[][3] = {
    {"sgd(learning_rate=PolynomialDecay(initial_learning_rate=0.1, decay_steps=5), momentum=0.9)",
     "categorical_crossentropy(label_smoothing=0.1, from_logits=false)",
     "top_k_categorical_accuracy(k=2)"},
    {"adam(beta_1=0.9, clipnorm=1.0, use_ema=true)", "huber(delta=2.0)", "auc(num_thresholds=9)"},
    {"adamw(weight_decay=0.1, gradient_accumulation_steps=2)", "mse",
     "d: precision(thresholds=[0.1,0.5])"}};

/* Change, insert, remove or repeat a few bytes. */
static void damage(const char *text, char out[TEXT_BYTES]) {
  static const char *const pieces[] = {"(", ")", "[", "]",          "\"",    "=",   ",",
                                       " ", "-", "0", "9999999999", "1e400", "nan", "\xff",
                                       "_", ":", ".", "\t",         "none",  "\x01"};
  snprintf(out, TEXT_BYTES, "%s", text);
  for (int64_t n = test_random_between(1, 4); n > 0; n--) {
    char rest[TEXT_BYTES];
    size_t length = strlen(out);
    size_t at = (size_t)test_random_between(0, (int64_t)length);
    size_t skip = (size_t)test_random_between(0, (int64_t)(length - at > 6 ? 6 : length - at));
    const char *piece = pieces[test_random_between(0, sizeof pieces / sizeof pieces[0] - 1)];
    snprintf(rest, sizeof rest, "%s", out + at + skip);
    if (at + strlen(piece) + strlen(rest) < TEXT_BYTES) {
      snprintf(out + at, TEXT_BYTES - at, "%s%s", piece, rest);
    }
  }
}

static snug_status try_layer(snug_ctx *ctx, const char *class_name, const char *config) {
  const int64_t shape[] = {4, 4, 2};
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 3);
  snug_model_add(m, class_name, config);
  snug_status s = snug_model_status(m);
  snug_model_destroy(m);
  return s;
}

TEST(layers) {
  snug_ctx *ctx = attempt_ctx();
  const char *const names[] = {"", NULL};
  char text[TEXT_BYTES];
  for (int i = 0; i < ROUNDS; i++) {
    const char *const *c = configs[i % (int)(sizeof configs / sizeof configs[0])];
    damage(c[1], text);
    attempt_begin(ctx);
    attempt_end(ctx, try_layer(ctx, c[0], text), text, names);
  }
  attempt_finish();
}

static snug_status try_compile(snug_ctx *ctx, const char *const texts[3]) {
  const int64_t shape[] = {3};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  snug_model *m = NULL;
  o.optimizer = texts[0];
  o.loss = &texts[1];
  o.n_loss = 1;
  o.metrics = &texts[2];
  o.n_metrics = 1;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_tensor x = snug_model_input(m, "x", SNUG_FLOAT32, shape, 1);
  snug_tensor y = snug_model_add(m, "Dense", "units=3 activation=softmax name=d");
  snug_status s = attempt_train(m, &o, &x, 1, SNUG_FLOAT32, y);
  snug_model_destroy(m);
  return s;
}

TEST(compiles) {
  snug_ctx *ctx = attempt_ctx();
  const char *const names[] = {"", NULL};
  char text[TEXT_BYTES];
  for (int i = 0; i < ROUNDS; i++) {
    const char *texts[3];
    memcpy(texts, compiles[i % 3], sizeof texts);
    damage(texts[i / 3 % 3], text);
    texts[i / 3 % 3] = text;
    attempt_begin(ctx);
    attempt_end(ctx, try_compile(ctx, texts), text, names);
  }
  attempt_finish();
}
