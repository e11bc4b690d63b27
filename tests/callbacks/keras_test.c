/* Each callback against what Keras's own said, wrote and decided: see tools/gen_callback_cases.py.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks/callback.h"
#include "callbacks/watch.h"

#define MOST_EPOCHS 16
#define MOST_NAMES 4
#define MISSING -12345.0f

typedef struct recorded {
  const char *name, *class_name, *config, *path;
  size_t n_names;
  const char *names[MOST_NAMES];
  int64_t n_epochs;
  float values[MOST_EPOCHS][MOST_NAMES];
  int64_t stopped;
  double weight;
  float rates[MOST_EPOCHS];
  size_t n_files;
  const char *files[MOST_EPOCHS];
  const char *content, *messages;
} recorded;

static const recorded cases[] = {
#include "callbacks/cases.inc"
};

/* ---- driving a callback by hand ---- */

/* The logs of an epoch, those left out that are missing. */
static snug_logs logs_of(const recorded *c, int64_t epoch, const char **names, double *values) {
  size_t n = 0;
  for (size_t i = 0; i < c->n_names; i++) {
    if (c->values[epoch][i] != MISSING) {
      names[n] = c->names[i];
      values[n++] = (double)c->values[epoch][i];
    }
  }
  return (snug_logs){n, names, values};
}

static snug_model *one_weight(snug_ctx *ctx) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_tensor x = snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){1}, 1);
  x = snug_model_layer(m, "Dense", "units=1 use_bias=false name=d", &x, 1);
  const char *loss[] = {"mse"};
  const char *metrics[] = {"accuracy", "mean_absolute_error"};
  const snug_compile_options o = {.struct_size = sizeof o,
                                  .optimizer = "sgd(learning_rate=0.1)",
                                  .loss = loss,
                                  .n_loss = 1,
                                  .metrics = metrics,
                                  .n_metrics = 2};
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  return m;
}

/* A fit that is open as far as callbacks look at it: the names of the case are its history. */
static void open_fake(snug_ctx *ctx, snug_model *m, const recorded *c, snug__fit *f) {
  *f = (snug__fit){.model = m};
  ASSERT_OK(ctx,
            snug__history_create(ctx, c->n_epochs, c->names, c->n_names, c->n_names, &f->history));
  m->training->fit = f;
}

static void close_fake(snug__fit *f) {
  f->model->training->fit = NULL;
  snug_history_destroy(f->history);
}

static void run_epochs(const recorded *c, snug_ctx *ctx, snug_model *m, const snug_callback *cb) {
  int64_t stopped = -1;
  for (int64_t epoch = 0; epoch < c->n_epochs && stopped < 0; epoch++) {
    const char *names[MOST_NAMES];
    double values[MOST_NAMES];
    const float weight = (float)epoch;
    snug_logs logs = logs_of(c, epoch, names, values);
    ASSERT_OK(ctx, snug_model_weight_set(m, "d/kernel", &weight, sizeof weight));
    ASSERT_TRUE(!cb->epoch_begin || cb->epoch_begin(cb->user, epoch));
    stopped = cb->epoch_end(cb->user, epoch, &logs) ? -1 : epoch;
    ASSERT_OK(ctx, *cb->failure);
    ASSERT_NEAR(snug_model_learning_rate(m), c->rates[epoch], 0.0);
  }
  ASSERT_EQ_INT(stopped, c->stopped);
}

/* ---- what it left ---- */

static size_t count_files(const char *folder) {
  size_t n = 0;
  DIR *d = opendir(folder);
  ASSERT_NOT_NULL(d);
  for (struct dirent *e = NULL; (e = readdir(d));) {
    n += e->d_name[0] != '.';
  }
  closedir(d);
  return n;
}

static void check_files(const recorded *c, const char *folder) {
  char path[4096];
  ASSERT_EQ_UINT(count_files(folder), c->n_files);
  for (size_t i = 0; i < c->n_files; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, c->files[i]);
    FILE *f = fopen(path, "rb");
    if (!f) {
      test_fail(__FILE__, __LINE__, "%s: there is no %s", c->name, path);
    }
    fclose(f);
  }
}

static void check_case(const recorded *c) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = one_weight(ctx);
  char folder[4096], path[4096];
  float weight = 0.0f;
  snug__fit fake;
  snug_callback cb = SNUG_INIT(snug_callback);
  snprintf(folder, sizeof folder, "%s", watch_folder(c->name));
  snprintf(path, sizeof path, "%s/%s", folder, c->path);
  watch w = {.folder = folder};
  const snug_callback_target target = {
      .struct_size = sizeof target, .sink = watch_text, .user = &w, .path = path};
  printf("%s\n", c->name);
  if (strcmp(c->name, "csv_append") == 0) {
    watch_write(path, "epoch,loss\r\n0,1.0\r\n");
  }
  ASSERT_OK(ctx, snug_callback_create(m, c->class_name, c->config, &target, &cb));
  open_fake(ctx, m, c, &fake);
  ASSERT_OK(ctx, cb.prepare ? cb.prepare(cb.user) : SNUG_OK);
  ASSERT_TRUE(!cb.train_begin || cb.train_begin(cb.user, c->n_epochs, 1));
  run_epochs(c, ctx, m, &cb);
  ASSERT_TRUE(!cb.train_end || cb.train_end(cb.user, &(snug_logs){0}));
  if (cb.close) {
    cb.close(cb.user);
  }
  close_fake(&fake);
  snug_callback_destroy(&cb);
  ASSERT_EQ_TEXT(w.text, c->messages);
  ASSERT_OK(ctx, snug_model_weight_get(m, "d/kernel", &weight, sizeof weight));
  ASSERT_NEAR(weight, c->weight, 0.0);
  check_files(c, folder);
  if (c->content[0]) {
    char *content = watch_read(path);
    ASSERT_EQ_TEXT(content, c->content);
    free(content);
  }
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

static void check_class(const char *class_name) {
  size_t n = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    if (strcmp(cases[i].class_name, class_name) == 0) {
      check_case(&cases[i]);
      n++;
    }
  }
  ASSERT_TRUE(n > 0);
}

TEST(early_stopping_is_as_in_keras) { check_class("EarlyStopping"); }
TEST(reduce_lr_is_as_in_keras) { check_class("ReduceLROnPlateau"); }
TEST(lr_scheduler_is_as_in_keras) { check_class("LearningRateScheduler"); }
TEST(csv_logger_is_as_in_keras) { check_class("CSVLogger"); }
TEST(checkpoint_is_as_in_keras) { check_class("ModelCheckpoint"); }
