/* Callbacks in whole fits: logs, memory, failures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callbacks/callback.h"
#include "callbacks/lab.h"
#include "callbacks/watch.h"
#include "lib/fault.h"

#define MOST 6

/* A class, its config and its path. */
typedef struct wanted {
  const char *class_name, *config, *path;
} wanted;

/* A fit with a list of callbacks; *h may be NULL. */
static snug_status fit_with(snug_ctx *ctx, snug_model *m, const lab *l, const wanted *list,
                            int32_t n, watch *w, snug_fit_options o, snug_history **h) {
  snug_callback made[MOST] = {0};
  snug_status s = SNUG_OK;
  ASSERT_TRUE(n <= MOST);
  (void)ctx;
  for (int32_t i = 0; !s && i < n; i++) {
    made[i].struct_size = sizeof *made;
    const snug_callback_target target = {.struct_size = sizeof target,
                                         .sink = w ? watch_text : NULL,
                                         .user = w,
                                         .path = list[i].path};
    s = snug_callback_create(m, list[i].class_name, list[i].config, &target, &made[i]);
  }
  o.callbacks = made;
  o.n_callbacks = n;
  s = s ? s : snug_fit(m, lab_data(l), &o, h);
  for (int32_t i = 0; i < n; i++) {
    snug_callback_destroy(&made[i]);
  }
  return s;
}

/* ---- logs ---- */

static void expect_names(const snug_history *h, const char *expected) {
  char names[512];
  snug_logs logs = snug_history_logs(h, 0);
  snug__log_names(&logs, names, sizeof names);
  ASSERT_EQ_TEXT(names, expected);
}

static void expect_header(const char *path, const char *expected) {
  char *csv = watch_read(path);
  csv[strcspn(csv, "\r")] = 0;
  ASSERT_EQ_TEXT(csv, expected);
  free(csv);
}

/* As Keras 3.15 does it: the rate is the last of the history, sorted in in the file. */
TEST(rates_are_added_to_the_logs) {
  snug_ctx *ctx = test_ctx();
  const lab *l = &all_labs[0];
  snug_model *m = lab_model(ctx, l);
  const char *before = test_path("before.csv");
  const char *after = test_path("after.csv");
  const wanted list[] = {{"CSVLogger", "", before},
                         {"LearningRateScheduler", "0:0.5,2:0.25", NULL},
                         {"ReduceLROnPlateau", "loss:patience=1,factor=0.5,min_delta=10", NULL},
                         {"CSVLogger", "", after}};
  snug_history *h = NULL;
  ASSERT_OK(ctx, fit_with(ctx, m, l, list, 4, NULL, lab_options(l), &h));
  expect_names(h, "accuracy,loss,val_accuracy,val_loss,learning_rate");
  const double rates[] = {0.5, 0.5, 0.25, 0.25};
  for (int64_t i = 0; i < 4; i++) {
    snug_logs logs = snug_history_logs(h, i);
    ASSERT_NEAR(snug_logs_get(&logs, "learning_rate"), rates[i], 0.0);
  }
  expect_header(before, "epoch,accuracy,loss,val_accuracy,val_loss");
  expect_header(after, "epoch,accuracy,learning_rate,loss,val_accuracy,val_loss");
  snug_history_destroy(h);
  snug_model_destroy(m);
}

TEST(logs_without_validation_have_the_rate_too) {
  snug_ctx *ctx = test_ctx();
  const lab *l = &all_labs[0];
  snug_model *m = lab_model(ctx, l);
  const char *path = test_path("log.csv");
  const wanted list[] = {{"ReduceLROnPlateau", "monitor=loss", NULL}, {"CSVLogger", "", path}};
  snug_fit_options o = lab_options(l);
  snug_history *h = NULL;
  o.validation_freq = 2;
  o.epochs = 2;
  ASSERT_OK(ctx, fit_with(ctx, m, l, list, 2, NULL, o, &h));
  char *csv = watch_read(path);
  ASSERT_HAS(csv, "epoch,accuracy,learning_rate,loss,val_accuracy,val_learning_rate,val_loss\r\n");
  ASSERT_HAS(csv, ",NA,NA,NA\r\n1,");
  free(csv);
  snug_history_destroy(h);
  snug_model_destroy(m);
}

/* ---- decisions ---- */

/* The weights of the last layer after a number of epochs. */
static void top_after(const lab *l, int64_t epochs, const wanted *list, int32_t n, watch *w,
                      float top[3]) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = lab_model(ctx, l);
  snug_fit_options o = lab_options(l);
  o.epochs = epochs;
  ASSERT_OK(ctx, fit_with(ctx, m, l, list, n, w, o, NULL));
  ASSERT_OK(ctx, snug_model_weight_get(m, "top/bias", top, 3 * sizeof *top));
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

/* Nothing improves by 10, so the first epoch is the best. */
TEST(best_weights_come_back) {
  const wanted stop[] = {{"EarlyStopping", "loss:min_delta=10,patience=9,restore-best", NULL}};
  for (size_t i = 0; i < n_all_labs; i++) {
    const lab *l = &all_labs[i];
    float first[3], last[3], best[3];
    watch w = {0};
    top_after(l, 1, NULL, 0, NULL, first);
    top_after(l, 3, NULL, 0, NULL, last);
    top_after(l, 3, stop, 1, &w, best);
    ASSERT_EQ_TEXT(w.text, "Restoring model weights from the end of the best epoch: 1.\n");
    ASSERT_TRUE(memcmp(best, last, sizeof best) != 0);
    /* Averages become the weights at the end of a fit; the best ones are those of the epoch. */
    bool has_averages = strstr(l->optimizer, "ema") != NULL;
    ASSERT_TRUE((memcmp(best, first, sizeof best) == 0) != has_averages);
  }
}

TEST(a_loss_that_is_no_number_stops) {
  snug_ctx *ctx = test_ctx();
  const lab l = {"wild", false, "sgd(learning_rate=1e38)", 0};
  const wanted nan[] = {{"TerminateOnNaN", "", NULL}};
  const wanted raise[] = {{"TerminateOnNaN", "raise-error", NULL}};
  snug_model *m = lab_model(ctx, &l);
  snug_history *h = NULL;
  watch w = {0};
  ASSERT_OK(ctx, fit_with(ctx, m, &l, nan, 1, &w, lab_options(&l), &h));
  ASSERT_EQ_TEXT(w.text, "Batch 1: Invalid loss, terminating training\n");
  ASSERT_EQ_INT(snug_history_epochs(h), 1);
  snug_history_destroy(h);
  ASSERT_STATUS(ctx, fit_with(ctx, m, &l, raise, 1, NULL, lab_options(&l), &h), SNUG_E_DATA,
                "NaN or Inf loss encountered at batch 0");
  ASSERT_NULL(h);
  snug_model_destroy(m);
}

/* ---- memory ---- */

static uint64_t planned_bytes(const lab *l, const wanted *list, int32_t n) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = lab_model(ctx, l);
  snug_callback made[MOST] = {0};
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_plan *plan = NULL;
  snug_fit_options o = lab_options(l);
  for (int32_t i = 0; i < n; i++) {
    const snug_callback_target target = {.struct_size = sizeof target, .path = list[i].path};
    made[i].struct_size = sizeof *made;
    ASSERT_OK(ctx, snug_callback_create(m, list[i].class_name, list[i].config, &target, &made[i]));
  }
  o.callbacks = made;
  o.n_callbacks = n;
  ASSERT_OK(ctx, snug_plan_fit(m, lab_data(l), &o, &plan));
  snug_plan_memory(plan, &r);
  snug_plan_destroy(plan);
  for (int32_t i = 0; i < n; i++) {
    snug_callback_destroy(&made[i]);
  }
  snug_model_destroy(m);
  test_ctx_end(ctx);
  return r.planned;
}

TEST(planned_is_measured_with_callbacks) {
  watch_root(); /* files lie in memory */
  const wanted list[] = {{"EarlyStopping", "val_loss:patience=9,restore-best", NULL},
                         {"CSVLogger", "", test_path("log.csv")},
                         {"ModelCheckpoint", "loss:save-best-only", test_path("m.keras")},
                         {"BackupAndRestore", "save_freq=3", test_path("backup")},
                         {"TerminateOnNaN", "", NULL},
                         {"ReduceLROnPlateau", "loss:patience=1,min_delta=10", NULL}};
  for (size_t i = 0; i < n_all_labs; i++) {
    const lab *l = &all_labs[i];
    bool has_schedule = strstr(l->optimizer, "Decay") != NULL;
    int32_t n = has_schedule ? 5 : 6;
    uint64_t planned = planned_bytes(l, list, n);
    snug_ctx *ctx = test_ctx();
    snug_model *m = lab_model(ctx, l);
    snug_memory_report r = SNUG_INIT(snug_memory_report);
    snug_memory_info info = SNUG_INIT(snug_memory_info);
    snug_history *h = NULL;
    snug_memory_reset_peak(ctx);
    ASSERT_OK(ctx, fit_with(ctx, m, l, list, n, NULL, lab_options(l), &h));
    snug_memory_get(ctx, &info);
    snug_history_memory(h, &r);
    ASSERT_EQ_UINT(planned, info.peak);
    ASSERT_EQ_UINT(r.planned, info.peak);
    ASSERT_EQ_UINT(r.measured, info.peak);
    ASSERT_TRUE(r.callbacks > m->weights_bytes / 2);
    ASSERT_EQ_UINT(r.weights + r.gradients + r.optimizer + r.activations + r.scratch + r.data +
                       r.callbacks + r.runtime,
                   r.planned);
    snug_history_destroy(h);
    snug_model_destroy(m);
    test_ctx_end(ctx);
  }
}

/* ---- failures ---- */

TEST(a_failure_reaches_the_caller) {
  snug_ctx *ctx = test_ctx();
  const lab *l = &all_labs[0];
  snug_model *m = lab_model(ctx, l);
  snug_history *h = NULL;
  const wanted full[] = {{"CSVLogger", "", "/dev/full"}};
  ASSERT_STATUS(ctx, fit_with(ctx, m, l, full, 1, NULL, lab_options(l), &h), SNUG_E_IO,
                "/dev/full: writing failed: No space left on device");
  ASSERT_EQ_INT(snug_history_epochs(h), lab_options(l).epochs); /* the training went on */
  snug_history_destroy(h);
  const wanted nowhere[] = {{"ModelCheckpoint", "", "/proc/there/m.keras"}};
  ASSERT_STATUS(ctx, fit_with(ctx, m, l, nowhere, 1, NULL, lab_options(l), NULL), SNUG_E_IO,
                "/proc/there: the folder cannot be made");
  const wanted backup[] = {{"BackupAndRestore", "", "/proc/there"}};
  ASSERT_STATUS(ctx, fit_with(ctx, m, l, backup, 1, NULL, lab_options(l), NULL), SNUG_E_IO,
                "/proc/there: the folder cannot be made");
  ASSERT_OK(ctx, fit_with(ctx, m, l, NULL, 0, NULL, lab_options(l), NULL)); /* and all goes on */
  snug_model_destroy(m);
}

typedef struct refused {
  wanted what;
  snug_status status;
  const char *part;
} refused;

TEST(what_cannot_be_is_told_before_step_1) {
  snug_ctx *ctx = test_ctx();
  const refused all[] = {
      {{"Checkpoint", "", NULL}, SNUG_E_ARGUMENT, "known: EarlyStopping"},
      {{NULL, "", NULL}, SNUG_E_ARGUMENT, "there is no callback"},
      {{"EarlyStopping", "val_loss:patients=3", NULL}, SNUG_E_ARGUMENT, "patients"},
      {{"EarlyStopping", "patience=-1", NULL}, SNUG_E_ARGUMENT, "patience"},
      {{"EarlyStopping", "mode=up", NULL}, SNUG_E_ARGUMENT, "mode"},
      {{"EarlyStopping", "val_f1:patience=3", NULL}, SNUG_E_ARGUMENT, "mode=max or mode=min"},
      {{"EarlyStopping", "baseline=[1,2]", NULL}, SNUG_E_ARGUMENT, "baseline"},
      {{"ReduceLROnPlateau", "factor=1", NULL}, SNUG_E_ARGUMENT, "below 1"},
      {{"LearningRateScheduler", "", NULL}, SNUG_E_ARGUMENT, "is no table"},
      {{"LearningRateScheduler", "3:0.1,2:0.1", NULL}, SNUG_E_ARGUMENT, "rising"},
      {{"LearningRateScheduler", "0:-1", NULL}, SNUG_E_ARGUMENT, "is no table"},
      {{"LearningRateScheduler", "0:0.1;", NULL}, SNUG_E_ARGUMENT, "is no table"},
      {{"LearningRateScheduler", "Decay(1)", NULL}, SNUG_E_ARGUMENT, "Decay"},
      {{"CSVLogger", "", NULL}, SNUG_E_ARGUMENT, "needs a path"},
      {{"CSVLogger", "separator='::'", "x.csv"}, SNUG_E_ARGUMENT, "one character"},
      {{"ModelCheckpoint", "", "m.h5"}, SNUG_E_ARGUMENT, "`.keras`"},
      {{"ModelCheckpoint", "save-weights-only", "m.keras"}, SNUG_E_ARGUMENT, "`.weights.h5`"},
      {{"ModelCheckpoint", "save_freq=0", "m.keras"}, SNUG_E_ARGUMENT, "save_freq=0"},
      {{"ModelCheckpoint", "", "{epoch.keras"}, SNUG_E_ARGUMENT, "Failed to format"},
      {{"ModelCheckpoint", "", "{epoch:x}.keras"}, SNUG_E_ARGUMENT, "no format that is known"},
      {{"ModelCheckpoint", "", "{loss:02d}.keras"}, SNUG_E_ARGUMENT, "is no count"},
      {{"ModelCheckpoint", "", "{loss:.3}.keras"}, SNUG_E_ARGUMENT, "no format that is known"},
      {{"ModelCheckpoint", "", "a}.keras"}, SNUG_E_ARGUMENT, "stands alone"},
      {{"ModelCheckpoint", "", "{f1:.2f}.keras"}, SNUG_E_ARGUMENT, "'f1' is not among the logs"},
      {{"ModelCheckpoint", "", "{batch}.keras"}, SNUG_E_ARGUMENT, "'batch' is not among the logs"},
      {{"ModelCheckpoint", "save_freq=2", "{val_loss:.1f}.keras"}, SNUG_E_ARGUMENT, "val_loss"},
      {{"BackupAndRestore", "save_freq=often", "b"}, SNUG_E_ARGUMENT, "save_freq=often"}};
  snug_model *m = lab_model(ctx, &all_labs[0]);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    printf("%s %s\n", all[i].what.class_name ? all[i].what.class_name : "", all[i].what.config);
    ASSERT_STATUS(
        ctx, fit_with(ctx, m, &all_labs[0], &all[i].what, 1, NULL, lab_options(all_labs), NULL),
        all[i].status, all[i].part);
  }
  snug_model_destroy(m);
  const lab *scheduled = &all_labs[2];
  const wanted reduce[] = {{"ReduceLROnPlateau", "", NULL}};
  m = lab_model(ctx, scheduled);
  ASSERT_STATUS(ctx, fit_with(ctx, m, scheduled, reduce, 1, NULL, lab_options(scheduled), NULL),
                SNUG_E_STATE, "follows a schedule");
  snug_model_destroy(m);
  snug_callback c = SNUG_INIT(snug_callback);
  ASSERT_EQ_INT(snug_callback_create(NULL, "TerminateOnNaN", NULL, NULL, &c), SNUG_E_ARGUMENT);
  snug_callback_destroy(NULL);
}

/* ---- checkpoints by batches ---- */

TEST(checkpoints_by_batches_count_across_epochs) {
  snug_ctx *ctx = test_ctx();
  const lab *l = &all_labs[0]; /* 5 steps */
  snug_model *m = lab_model(ctx, l);
  char path[4096];
  snprintf(path, sizeof path, "%s/deep/er/m-{epoch}-{batch:02d}.weights.h5", watch_root());
  const wanted list[] = {{"ModelCheckpoint", "save_freq=4,save_weights_only", path}};
  snug_fit_options o = lab_options(l);
  o.epochs = 2;
  ASSERT_OK(ctx, fit_with(ctx, m, l, list, 1, NULL, o, NULL));
  const char *const expected[] = {"m-1-04.weights.h5", "m-2-03.weights.h5"};
  for (size_t i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/deep/er/%s", watch_root(), expected[i]);
    ASSERT_TRUE(watch_exists(path));
  }
  snug_model_destroy(m);
}

/* ---- files of others ---- */

static const char *refuse_all(void *user, const char *path) {
  (void)user;
  return access(path, F_OK) == 0 ? "is there" : NULL;
}

/* What another process does after the second epoch. */
typedef struct meddler {
  void (*meddle)(const char *folder);
  const char *folder;
} meddler;

static bool meddle_once(void *user, int64_t epoch, const snug_logs *logs) {
  const meddler *m = user;
  (void)logs;
  if (epoch == 1 && m->meddle) {
    m->meddle(m->folder);
  }
  return true;
}

static const char *in(const char *folder, const char *name, char path[4200]) {
  snprintf(path, 4200, "%s/%s", folder, name);
  return path;
}

static void write_mine(const char *folder, const char *name) {
  char path[4200];
  FILE *f = fopen(in(folder, name, path), "w");
  ASSERT_TRUE(f && fputs("mine", f) >= 0 && fclose(f) == 0);
}

static void write_in_place(const char *folder) { write_mine(folder, "m.keras"); }

static void write_ahead(const char *folder) { write_mine(folder, "m.4.keras"); }

static void put_in_place(const char *folder) {
  char from[4200], to[4200];
  write_mine(folder, "other");
  ASSERT_EQ_INT(rename(in(folder, "other", from), in(folder, "m.keras", to)), 0);
}

static void link_and_protect(const char *folder) {
  char from[4200], to[4200];
  ASSERT_EQ_INT(link(in(folder, "m.keras", from), in(folder, "kept.keras", to)), 0);
  ASSERT_EQ_INT(chmod(from, 0640), 0);
}

static void check_meddling(int number, const char *name, void (*meddle)(const char *),
                           const char *others) {
  char folder[4096], path[4200];
  snprintf(folder, sizeof folder, "%s/meddled-%d", watch_root(), number);
  ASSERT_EQ_INT(mkdir(folder, 0777), 0);
  snug_ctx *ctx = test_ctx();
  snug_model *m = lab_model(ctx, &all_labs[0]);
  const snug_callback_target to = {
      .struct_size = sizeof to, .path = in(folder, name, path), .refuses = refuse_all};
  meddler other = {meddle, folder};
  snug_callback list[] = {SNUG_INIT(snug_callback),
                          {.struct_size = sizeof *list, .user = &other, .epoch_end = meddle_once}};
  ASSERT_OK(ctx, snug_callback_create(m, "ModelCheckpoint", "", &to, &list[0]));
  snug_fit_options o = lab_options(&all_labs[0]);
  o.callbacks = list;
  o.n_callbacks = 2;
  snug_history *h = NULL;
  snug_status s = snug_fit(m, lab_data(&all_labs[0]), &o, &h);
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_history_memory(h, &r);
  ASSERT_EQ_UINT(r.planned, r.measured);
  ASSERT_EQ_INT(s, others ? SNUG_E_IO : SNUG_OK);
  ASSERT_HAS(snug_callback_unwritten(&list[0]), others ? "is there" : "");
  if (others) {
    char *left = watch_read(in(folder, others, path));
    ASSERT_EQ_TEXT(left, "mine");
    free(left);
  }
  snug_history_destroy(h);
  snug_callback_destroy(&list[0]);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

TEST(a_checkpoint_replaces_what_it_wrote_alone) {
  check_meddling(0, "m.keras", NULL, NULL);
  check_meddling(1, "m.{epoch}.keras", NULL, NULL);
  check_meddling(2, "m.keras", write_in_place, "m.keras");
  check_meddling(3, "m.keras", put_in_place, "m.keras");
  check_meddling(4, "m.{epoch}.keras", write_ahead, "m.4.keras");
  check_meddling(5, "m.keras", link_and_protect, NULL); /* it is the same file */
}

/* ---- every allocation may fail ---- */

typedef struct scene {
  char csv[4096], checkpoint[4096], backup[4096];
} scene;

static void remove_backup(const scene *sc) {
  const char *const names[] = {"snug.backup", "latest.weights.h5", "training_metadata.json"};
  char path[8192];
  for (size_t i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", sc->backup, names[i]);
    unlink(path);
  }
}

static snug_status whole_scene(snug_ctx *ctx, void *arg) {
  const scene *sc = arg;
  const lab l = {"small", false, "sgd", 2};
  const wanted list[] = {{"EarlyStopping", "loss:patience=9,restore-best", NULL},
                         {"CSVLogger", "", sc->csv},
                         {"ModelCheckpoint", "loss:save-best-only", sc->checkpoint},
                         {"LearningRateScheduler", "0:0.1,1:0.01", NULL},
                         {"BackupAndRestore", "", sc->backup}};
  snug_fit_options o = lab_options(&l);
  snug_model *m = NULL;
  o.epochs = 2;
  o.validation_split = 0.0;
  remove_backup(sc);
  snug_status s = lab_try_model(ctx, &l, &m);
  s = s ? s : fit_with(ctx, m, &l, list, 5, NULL, o, NULL);
  snug_model_destroy(m);
  return s;
}

TEST(every_allocation_may_fail) {
  scene sc;
  snprintf(sc.csv, sizeof sc.csv, "%s/l.csv", watch_root());
  snprintf(sc.checkpoint, sizeof sc.checkpoint, "%s/m.keras", watch_root());
  snprintf(sc.backup, sizeof sc.backup, "%s/backup", watch_root());
  test_fault_sweep_stride(whole_scene, &sc, 5);
}
