/* A fit that is recorded: its phases in order, its plan, its peak piece by piece. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ctx.h"
#include "lib/fault.h"
#include "record/some.h"

enum { ROWS = 20, FEATURES = 3, EPOCHS = 2, BATCH = 4, STEPS = 4 };

static float x[ROWS * FEATURES];
static int32_t y[ROWS];

static snug_status make_model(snug_ctx *ctx, snug_model **out) {
  static const int64_t shape[] = {FEATURES};
  const char *const loss[] = {"sparse_categorical_crossentropy"};
  snug_compile_options c = SNUG_INIT(snug_compile_options);
  SNUG_TRY(snug_model_create(ctx, NULL, out));
  snug_model_input(*out, "x", SNUG_FLOAT32, shape, 1);
  snug_model_add(*out, "Dense", "units=16 activation=relu name=first");
  snug_model_add(*out, "Dense", "units=3 activation=softmax name=second");
  c.loss = loss;
  c.n_loss = 1;
  return snug_model_compile(*out, &c);
}

static const snug_data *data(void) {
  static snug_array xs = {x, SNUG_FLOAT32, 2, {ROWS, FEATURES}};
  static snug_array ys = {y, SNUG_INT32, 1, {ROWS}};
  static snug_data all = {sizeof all, &xs, 1, &ys, 1, NULL};
  for (int i = 0; i < ROWS; i++) {
    y[i] = i % 3;
    x[i * FEATURES] = (float)y[i];
  }
  return &all;
}

static snug_fit_options options(const snug_callback *callbacks, int32_t n) {
  static const snug_span target = {2, 2};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = BATCH;
  o.epochs = EPOCHS;
  o.validation_split = 0.2;
  o.callbacks = callbacks;
  o.n_callbacks = n;
  o.sampling.batches = &target;
  o.sampling.n_batches = 1;
  return o;
}

static snug_status fit_recorded(snug_model *m, snug_fit_record *record, snug_history **history) {
  snug_callback recorder = SNUG_INIT(snug_callback);
  snug_fit_record_callback(record, &recorder);
  snug_fit_options o = options(&recorder, 1);
  return snug_fit(m, data(), &o, history);
}

static uint64_t number_of(const snug_recording *r, const char *name) {
  const char *text = snug_recording_fact(r, name);
  ASSERT_NOT_NULL(text);
  return strtoull(text, NULL, 10);
}

/* The moments of a kind, in order; NULL behind the last. */
static const snug_moment *find(const snug_recording *r, const char *at, size_t nth) {
  for (size_t i = 0; i < snug_recording_moments(r); i++) {
    const snug_moment *m = snug_recording_moment(r, i);
    if (strcmp(m->at, at) == 0 && nth-- == 0) {
      return m;
    }
  }
  return NULL;
}

static void check_phases(const snug_recording *r) {
  static const char *const order[] = {"epoch_begin", "target", "validation_begin", "validation_end",
                                      "epoch_end"};
  double before = 0.0;
  for (int64_t epoch = 0; epoch < EPOCHS; epoch++) {
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
      const snug_moment *m = find(r, order[i], (size_t)epoch);
      ASSERT_NOT_NULL(m);
      ASSERT_EQ_INT(m->epoch, epoch);
      ASSERT_TRUE(m->seconds >= before && m->held > 0 && m->held_peak >= m->held);
      ASSERT_TRUE(m->resident > 0 && m->peak > 0 && m->processes == 1);
      before = m->seconds;
    }
    ASSERT_EQ_INT(find(r, "target", (size_t)epoch)->batch, 2);
    ASSERT_EQ_INT(find(r, "epoch_end", (size_t)epoch)->batch, STEPS - 1);
  }
  ASSERT_NULL(find(r, "epoch_end", EPOCHS));
  ASSERT_EQ_INT(find(r, "batch_end", 0)->batch, 0);
}

static void check_peak(const snug_recording *r, const snug_memory_report *report) {
  uint64_t sum = 0;
  uint64_t of_first = 0;
  for (size_t i = 0; i < snug_recording_pieces(r, NULL); i++) {
    const snug_memory_piece *p = snug_recording_piece(r, i);
    sum += p->bytes;
    of_first += strcmp(p->layer, "first") == 0 ? p->bytes : 0;
  }
  ASSERT_EQ_UINT(sum, report->measured);
  ASSERT_TRUE(of_first >= 16 * (FEATURES + 1) * sizeof(float));
  ASSERT_NOT_NULL(find(r, "peak", 0));
}

static void check_values(const snug_recording *r, const snug_history *h) {
  ASSERT_EQ_UINT(snug_recording_epochs(r), EPOCHS);
  for (size_t i = 0; i < EPOCHS; i++) {
    int64_t epoch = -1;
    snug_logs got = snug_recording_logs(r, i, &epoch);
    snug_logs want = snug_history_logs(h, (int64_t)i);
    ASSERT_EQ_INT(epoch, i);
    ASSERT_EQ_UINT(got.n, want.n);
    ASSERT_EQ_BYTES(got.values, want.values, want.n * sizeof *want.values);
    ASSERT_EQ_TEXT(got.names[0], want.names[0]);
  }
}

static void check_facts(const snug_recording *r, const snug_memory_report *report) {
  ASSERT_EQ_TEXT(snug_recording_fact(r, "run.kind"), "fit");
  ASSERT_EQ_TEXT(snug_recording_fact(r, "run.snug"), snug_version());
  ASSERT_EQ_UINT(strlen(snug_recording_fact(r, "run.began")), strlen("2026-01-01T00:00:00Z"));
  ASSERT_TRUE(number_of(r, "machine.cores") > 0 && number_of(r, "machine.memory") > 0);
  ASSERT_HAS(snug_recording_fact(r, "machine.system"), "Linux");
  ASSERT_EQ_UINT(number_of(r, "fit.epochs"), EPOCHS);
  ASSERT_EQ_UINT(number_of(r, "fit.steps"), STEPS);
  ASSERT_EQ_UINT(number_of(r, "fit.batch_size"), BATCH);
  ASSERT_EQ_UINT(number_of(r, "plan.planned"), report->planned);
  ASSERT_EQ_UINT(number_of(r, "plan.process"), report->process);
  ASSERT_EQ_UINT(number_of(r, "plan.callbacks"), report->callbacks);
  ASSERT_EQ_UINT(number_of(r, "end.held"), report->measured);
  ASSERT_EQ_TEXT(snug_recording_fact(r, "end.verdict"), "trained to the end");
}

TEST(a_fit_is_recorded) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_history *h = NULL;
  snug_memory_report report = SNUG_INIT(snug_memory_report);
  snug_fit_record record = {.struct_size = sizeof record, .path = test_path("run.snug")};
  ASSERT_OK(ctx, make_model(ctx, &m));
  record.model = m;
  ASSERT_OK(ctx, fit_recorded(m, &record, &h));
  ASSERT_NULL(record.recorder);
  ASSERT_OK(ctx, record.failed);
  snug_history_memory(h, &report);
  ASSERT_EQ_UINT(report.planned, report.measured);
  ASSERT_TRUE(report.callbacks > 0);
  snug_recording *r = some_read(ctx, record.path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CLOSED);
  check_phases(r);
  check_peak(r, &report);
  check_values(r, h);
  check_facts(r, &report);
  snug_recording_destroy(r);
  snug_history_destroy(h);
  snug_model_destroy(m);
}

/* A peak of the context that is not that of the fit is not told as if it were. */
TEST(the_peak_is_that_of_the_fit) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  void *much = NULL;
  snug_fit_record record = {
      .struct_size = sizeof record, .path = test_path("run.snug"), .replace = true};
  ASSERT_OK(ctx, make_model(ctx, &m));
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_SCRATCH, 64 << 20, &much));
  snug__give(ctx, SNUG__MEM_SCRATCH, much, 64 << 20);
  record.model = m;
  for (int is_reset = 0; is_reset < 2; is_reset++) {
    ASSERT_OK(ctx, fit_recorded(m, &record, NULL));
    snug_recording *r = some_read(ctx, record.path);
    ASSERT_EQ_INT(snug_recording_pieces(r, NULL) > 0, is_reset);
    snug_recording_destroy(r);
    snug_memory_reset_peak(ctx);
  }
  snug_model_destroy(m);
}

/* Saves of other callbacks, and the caller's own. */
TEST(saves_are_phases) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_callback all[3] = {SNUG_INIT(snug_callback), SNUG_INIT(snug_callback),
                          SNUG_INIT(snug_callback)};
  snug_fit_record record = {
      .struct_size = sizeof record, .path = test_path("run.snug"), .stays_open = true};
  snug_callback_target model_file = {.struct_size = sizeof model_file,
                                     .path = test_path("m.weights.h5")};
  snug_callback_target folder = {.struct_size = sizeof folder, .path = test_path("backup")};
  ASSERT_OK(ctx, make_model(ctx, &m));
  record.model = m;
  ASSERT_OK(ctx, snug_callback_create(m, "ModelCheckpoint", "save_weights_only=true", &model_file,
                                      &all[0]));
  ASSERT_OK(ctx, snug_callback_create(m, "BackupAndRestore", NULL, &folder, &all[1]));
  snug_fit_record_callback(&record, &all[2]);
  snug_fit_options o = options(all, 3);
  ASSERT_OK(ctx, snug_fit(m, data(), &o, NULL));
  ASSERT_NOT_NULL(record.recorder);
  snug_fit_record_moment(&record, "save_begin");
  snug_fit_record_moment(&record, "save_end");
  ASSERT_OK(ctx, snug_recorder_fact(record.recorder, "end.verdict", "mine"));
  ASSERT_OK(ctx, snug_recorder_close(record.recorder));
  snug_recording *r = some_read(ctx, record.path);
  for (size_t i = 0; i < 2 * EPOCHS + 1; i++) { /* a checkpoint and a backup each; ours */
    const snug_moment *begin = find(r, "save_begin", i);
    const snug_moment *end = find(r, "save_end", i);
    ASSERT_TRUE(begin && end && end->seconds >= begin->seconds);
    ASSERT_EQ_INT(begin->epoch, i < 2 * EPOCHS ? (int64_t)i / 2 : -1);
  }
  ASSERT_NULL(find(r, "save_begin", 2 * EPOCHS + 1));
  ASSERT_EQ_TEXT(snug_recording_fact(r, "end.verdict"), "mine");
  snug_recording_destroy(r);
  snug_callback_destroy(&all[0]);
  snug_callback_destroy(&all[1]);
  snug_model_destroy(m);
}

TEST(a_plan_counts_it_and_makes_no_file) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_plan *plan = NULL;
  snug_memory_report with = SNUG_INIT(snug_memory_report);
  snug_fit_record record = {.struct_size = sizeof record, .path = test_path("run.snug")};
  ASSERT_OK(ctx, make_model(ctx, &m));
  record.model = m;
  snug_callback recorder = SNUG_INIT(snug_callback);
  snug_fit_record_callback(&record, &recorder);
  snug_fit_options o = options(&recorder, 1);
  ASSERT_OK(ctx, snug_plan_fit(m, data(), &o, &plan));
  snug_plan_memory(plan, &with);
  ASSERT_TRUE(with.callbacks > 16384);
  snug_plan_destroy(plan);
  ASSERT_TRUE(access(record.path, F_OK) != 0);
  snug_model_destroy(m);
}

/* Epochs that take less than a look at the process: all have their values, and the first their
 * moments. */
TEST(short_epochs_have_values) {
  enum { MANY = 600, FIRST = 100 };
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_fit_record record = {.struct_size = sizeof record, .path = test_path("run.snug")};
  ASSERT_OK(ctx, make_model(ctx, &m));
  record.model = m;
  snug_callback recorder = SNUG_INIT(snug_callback);
  snug_fit_record_callback(&record, &recorder);
  snug_fit_options o = options(&recorder, 1);
  o.epochs = MANY;
  o.steps_per_epoch = 1;
  ASSERT_OK(ctx, snug_fit(m, data(), &o, NULL));
  snug_recording *r = some_read(ctx, record.path);
  ASSERT_EQ_UINT(snug_recording_epochs(r), MANY);
  for (size_t i = 0; i < FIRST; i++) {
    const snug_moment *begin = find(r, "epoch_begin", i);
    const snug_moment *end = find(r, "epoch_end", i);
    ASSERT_TRUE(begin && end && begin->epoch == (int64_t)i && end->epoch == (int64_t)i);
  }
  snug_recording_destroy(r);
  snug_model_destroy(m);
}

/* Before the first step: the weights are as they were. */
TEST(a_file_that_is_there_ends_the_fit) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_fit_record record = {.struct_size = sizeof record, .path = test_path("run.snug")};
  some_store(record.path, (const uint8_t *)"precious", 8);
  ASSERT_OK(ctx, make_model(ctx, &m));
  record.model = m;
  ASSERT_STATUS(ctx, fit_recorded(m, &record, NULL), SNUG_E_IO, "there is such a file");
  ASSERT_NULL(record.recorder);
  record.replace = true;
  ASSERT_OK(ctx, fit_recorded(m, &record, NULL));
  snug_recording_destroy(some_read(ctx, record.path));
  snug_model_destroy(m);
}

/* Resumed: the first one's file ends in half a frame, in its end, or nowhere. */
TEST(a_recording_goes_on) {
  static const int cuts[] = {3, 8, 0};
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  ASSERT_OK(ctx, make_model(ctx, &m));
  for (size_t i = 0; i < 3; i++) {
    static uint8_t bytes[SOME_MOST];
    char name[32];
    snprintf(name, sizeof name, "%zu.snug", i);
    snug_fit_record record = {
        .struct_size = sizeof record, .model = m, .path = test_path(name), .goes_on = true};
    ASSERT_OK(ctx, fit_recorded(m, &record, NULL));
    some_store(record.path, bytes, some_load(record.path, bytes) - (size_t)cuts[i]);
    snug_recording *r = some_read(ctx, record.path);
    size_t n = snug_recording_moments(r);
    double end = snug_recording_moment(r, n - 1)->seconds;
    char began[64];
    snprintf(began, sizeof began, "%s", snug_recording_fact(r, "run.began"));
    snug_recording_destroy(r);
    ASSERT_OK(ctx, fit_recorded(m, &record, NULL));
    r = some_read(ctx, record.path);
    ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CLOSED);
    ASSERT_EQ_TEXT(snug_recording_fact(r, "run.began"), began);
    ASSERT_NOT_NULL(snug_recording_fact(r, "run.resumed"));
    ASSERT_EQ_UINT(snug_recording_epochs(r), 2 * EPOCHS);
    ASSERT_TRUE(snug_recording_moments(r) > n && snug_recording_moment(r, n)->seconds >= end);
    snug_recording_destroy(r);
  }
  snug_model_destroy(m);
}

TEST(what_is_no_recording_does_not_go_on) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_fit_record record = {
      .struct_size = sizeof record, .path = test_path("run.snug"), .goes_on = true};
  some_store(record.path, (const uint8_t *)"precious, and long enough for a head", 36);
  ASSERT_OK(ctx, make_model(ctx, &m));
  record.model = m;
  ASSERT_STATUS(ctx, fit_recorded(m, &record, NULL), SNUG_E_DATA, "not a recording");
  static uint8_t bytes[SOME_MOST];
  ASSERT_EQ_UINT(some_load(record.path, bytes), 36);
  some_store(record.path, bytes, 5);
  ASSERT_STATUS(ctx, fit_recorded(m, &record, NULL), SNUG_E_DATA, "not a recording");
  snug_model_destroy(m);
}

/* Files of this process may not grow beyond a length. */
static bool fill_disk(void *path, int64_t epoch, const snug_logs *logs) {
  struct stat file;
  struct rlimit limit;
  (void)logs;
  ASSERT_EQ_INT(stat(path, &file), 0);
  ASSERT_EQ_INT(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = epoch == 0 ? (rlim_t)file.st_size + 3 : limit.rlim_max;
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
  return true;
}

TEST(a_full_disk_does_not_end_the_training) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_history *h = NULL;
  snug_fit_record record = {.struct_size = sizeof record, .path = test_path("run.snug")};
  signal(SIGXFSZ, SIG_IGN);
  ASSERT_OK(ctx, make_model(ctx, &m));
  record.model = m;
  snug_callback all[] = {
      SNUG_INIT(snug_callback),
      {.struct_size = sizeof *all, .user = (void *)record.path, .epoch_end = fill_disk}};
  snug_fit_record_callback(&record, &all[0]);
  snug_fit_options o = options(all, 2);
  ASSERT_OK(ctx, snug_fit(m, data(), &o, &h));
  ASSERT_EQ_INT(snug_history_epochs(h), EPOCHS);
  ASSERT_EQ_INT(record.failed, SNUG_E_IO);
  ASSERT_HAS(record.why, "writing failed");
  snug_recording *r = some_read(ctx, record.path);
  ASSERT_EQ_UINT(snug_recording_epochs(r), 1);
  snug_recording_destroy(r);
  snug_history_destroy(h);
  snug_model_destroy(m);
}

static bool refuse(void *user, int64_t epoch) {
  (void)user;
  return epoch == 0;
}

/* A callback that fails: what was recorded is closed, and says so. */
TEST(a_fit_that_fails_is_recorded_up_to_there) {
  static const snug_status failure = SNUG_E_STOPPED;
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_fit_record record = {.struct_size = sizeof record, .path = test_path("run.snug")};
  ASSERT_OK(ctx, make_model(ctx, &m));
  record.model = m;
  snug_callback all[] = {SNUG_INIT(snug_callback),
                         {.struct_size = sizeof *all, .epoch_begin = refuse, .failure = &failure}};
  snug_fit_record_callback(&record, &all[0]);
  snug_fit_options o = options(all, 2);
  ASSERT_EQ_INT(snug_fit(m, data(), &o, NULL), SNUG_E_STOPPED);
  snug_recording *r = some_read(ctx, record.path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CLOSED);
  ASSERT_EQ_TEXT(snug_recording_fact(r, "end.verdict"), "stopped before the end");
  ASSERT_EQ_UINT(snug_recording_epochs(r), 1);
  snug_recording_destroy(r);
  snug_model_destroy(m);
}

TEST(nothing_records_nothing) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_fit_record without_model = {.struct_size = sizeof without_model, .path = "run.snug"};
  snug_callback all[] = {SNUG_INIT(snug_callback), SNUG_INIT(snug_callback)};
  snug_fit_record_callback(NULL, &all[0]);
  snug_fit_record_callback(&without_model, &all[1]);
  snug_fit_record_moment(NULL, "sample");
  snug_fit_record_moment(&without_model, "sample");
  ASSERT_OK(ctx, make_model(ctx, &m));
  snug_fit_options o = options(all, 2);
  ASSERT_OK(ctx, snug_fit(m, data(), &o, NULL));
  snug_model_destroy(m);
}

static snug_status scenario(snug_ctx *ctx, void *path) {
  snug_model *m = NULL;
  snug_status s = make_model(ctx, &m);
  snug_fit_record record = {
      .struct_size = sizeof record, .model = m, .path = path, .replace = true};
  s = s ? s : fit_recorded(m, &record, NULL);
  snug_model_destroy(m);
  return s;
}

TEST(any_request_may_fail) { test_fault_sweep_stride(scenario, (void *)test_path("run.snug"), 7); }
