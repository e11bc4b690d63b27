/* Absurd losses, metrics, optimizers, schedules and initializers: each key with each value of a
 * list.  The names and keys are asked for where a user finds them: in the messages. */
#include <stdio.h>
#include <string.h>

#include "api/attempt.h"

#define TEXT_BYTES 2048

typedef enum place { OPTIMIZER, SCHEDULE, LOSS, METRIC } place;

/* A model with one output, compiled with a text in one place. */
static snug_status compile(snug_ctx *ctx, place where, const char *text, bool maps) {
  const int64_t shape[] = {4, 4, 2};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  const char *loss = where == LOSS ? text : "mse";
  snug_model *m = NULL;
  o.optimizer = where <= SCHEDULE ? text : "sgd";
  o.loss = &loss;
  o.n_loss = 1;
  o.metrics = &text;
  o.n_metrics = where == METRIC;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_tensor x = snug_model_input(m, "x", SNUG_FLOAT32, shape, maps ? 3 : 1);
  snug_tensor y = snug_model_add(
      m, maps ? "Conv2D" : "Dense",
      maps ? "filters=3 kernel_size=1 activation=softmax" : "units=3 activation=softmax");
  ASSERT_OK(ctx, snug_model_status(m));
  snug_status s = attempt_train(m, &o, &x, 1, SNUG_FLOAT32, y);
  snug_model_destroy(m);
  return s;
}

/* The next of "a, b, c" behind *at, into word; false at the end of the list. */
static bool next_word(const char **at, char word[64]) {
  *at += strspn(*at, ", ");
  size_t n = strcspn(*at, ", ");
  if (!**at || n >= 64 || strncmp(*at, "…", 3) == 0) {
    return false;
  }
  memcpy(word, *at, n);
  word[n] = 0;
  *at += n;
  return true;
}

/* The list in the message of what fails, into list. */
static void ask_known(snug_ctx *ctx, place where, const char *text, char list[TEXT_BYTES]) {
  ASSERT_TRUE(compile(ctx, where, text, false) != SNUG_OK);
  const char *known = strstr(snug_message(ctx), "known: ");
  ASSERT_NOT_NULL(known);
  snprintf(list, TEXT_BYTES, "%s", known + strlen("known: "));
}

static void write_text(char *out, place where, const char *name, const char *arguments) {
  bool nested = where == SCHEDULE;
  snprintf(out, TEXT_BYTES, "%s%s(%s)%s", nested ? "sgd(learning_rate=" : "", name, arguments,
           nested ? ")" : "");
}

/* The key that the message misses, into key; false if it misses none. */
static bool is_missing(const char *message, char key[64]) {
  const char *end = strstr(message, " must be given");
  const char *at = end;
  while (at && at > message && at[-1] != ' ') {
    at--;
  }
  snprintf(key, 64, "%.*s", end ? (int)(end - at) : 0, end ? at : "");
  return end != NULL;
}

/* Try one key with one value; what else must be given is asked for and given. */
static void attempt(snug_ctx *ctx, place where, const char *name, const char *key,
                    const char *value, bool maps) {
  static const char *const kinds[] = {"optimizer", "optimizer", "loss", "metric"};
  const char *const names[] = {name, key, kinds[where], "schedule", NULL};
  char arguments[TEXT_BYTES / 2];
  char text[TEXT_BYTES];
  char missing[64];
  snug_status s = SNUG_OK;
  size_t n = (size_t)snprintf(arguments, sizeof arguments, "%s=%s", key, value);
  do {
    write_text(text, where, name, arguments);
    attempt_begin(ctx);
    s = compile(ctx, where, text, maps);
    attempt_end(ctx, s, text, names);
    is_missing(snug_message(ctx), missing);
    n += (size_t)snprintf(arguments + n, sizeof arguments - n, " %s=2", missing);
  } while (s && missing[0] && n < sizeof arguments);
}

static void sweep_keys(snug_ctx *ctx, place where, const char *name) {
  char text[TEXT_BYTES];
  char keys[TEXT_BYTES];
  char key[64];
  write_text(text, where, name, "no_such_key=1");
  ask_known(ctx, where, text, keys);
  for (const char *at = keys; next_word(&at, key);) {
    for (const char *const *v = attempt_values; *v; v++) {
      attempt(ctx, where, name, key, *v, false);
      attempt(ctx, where, name, key, *v, true);
    }
  }
}

static void sweep(place where, const char *unknown) {
  snug_ctx *ctx = attempt_ctx();
  char things[TEXT_BYTES];
  char name[64];
  ask_known(ctx, where, unknown, things);
  for (const char *at = things; next_word(&at, name);) {
    sweep_keys(ctx, where, name);
  }
  attempt_finish();
}

TEST(absurd_optimizers) { sweep(OPTIMIZER, "no_such_thing"); }
TEST(absurd_schedules) { sweep(SCHEDULE, "sgd(learning_rate=NoSuchThing(a=1))"); }
TEST(absurd_losses) { sweep(LOSS, "no_such_thing"); }
TEST(absurd_metrics) {
  static const char *const metrics[] = {"accuracy",
                                        "binary_accuracy",
                                        "categorical_accuracy",
                                        "sparse_categorical_accuracy",
                                        "top_k_categorical_accuracy",
                                        "sparse_top_k_categorical_accuracy",
                                        "root_mean_squared_error",
                                        "cosine_similarity",
                                        "mean",
                                        "precision",
                                        "recall",
                                        "true_positives",
                                        "false_negatives",
                                        "auc",
                                        "mean_io_u",
                                        "binary_io_u",
                                        "f1_score",
                                        "fbeta_score",
                                        "r2_score",
                                        NULL};
  snug_ctx *ctx = attempt_ctx();
  for (const char *const *name = metrics; *name; name++) {
    sweep_keys(ctx, METRIC, *name);
  }
  attempt_finish();
}
