/* A fit that goes on from its backup is the uninterrupted one, bit for bit. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "callbacks/callback.h"
#include "callbacks/lab.h"
#include "callbacks/watch.h"
#include "train/fit_memory.h"

#define N_CALLBACKS 7

/* ---- one fit with all callbacks ---- */

/* Something that ends the fit at a step, counted over all epochs. */
typedef struct breaker {
  int64_t at, seen; /* at < 0: never */
  snug_status failure;
  volatile sig_atomic_t *interrupts; /* not NULL: it is a signal, no failure */
} breaker;

static bool break_off(void *user, int64_t batch, const snug_logs *logs) {
  breaker *b = user;
  (void)batch;
  (void)logs;
  if (b->seen++ != b->at) {
    return true;
  }
  if (b->interrupts) {
    *b->interrupts = 1;
    return true;
  }
  b->failure = SNUG_E_IO;
  return false;
}

typedef struct run {
  snug_ctx *ctx;
  const lab *lab;
  const char *folder, *config, *csv;
  breaker breaker;
  volatile sig_atomic_t interrupted;
  watch said;
  void (*make_change)(snug_ctx *ctx, snug_model *m, snug_fit_options *o); /* NULL: none */
  bool replan, no_csv, no_stopping;
  const char *checkpoint; /* NULL: none */
} run;

static void make_one(run *r, snug_model *m, const char *name, const char *config, const char *path,
                     snug_callback *out) {
  const snug_callback_target plain = {
      .struct_size = sizeof plain, .sink = watch_text, .user = &r->said, .path = path};
  ASSERT_OK(r->ctx, snug_callback_create(m, name, config, &plain, out));
}

/* The backup stands first: that its place does not matter is part of the promise. */
static void make_callbacks(run *r, snug_model *m, snug_callback list[N_CALLBACKS]) {
  const bool has_schedule = strstr(r->lab->optimizer, "Decay") != NULL;
  const snug_callback_target backup = {
      .struct_size = sizeof backup, .path = r->folder, .interrupted = &r->interrupted};
  for (size_t i = 0; i < N_CALLBACKS; i++) {
    list[i] = (snug_callback)SNUG_INIT(snug_callback);
  }
  ASSERT_OK(r->ctx, snug_callback_create(m, "BackupAndRestore", r->config, &backup, &list[0]));
  if (r->checkpoint) { /* between them: no state is found by its place */
    make_one(r, m, "ModelCheckpoint", "val_loss:save_best_only", r->checkpoint, &list[1]);
  }
  if (!r->no_stopping) {
    make_one(r, m, "EarlyStopping", "val_loss:patience=2,restore-best", r->csv, &list[2]);
  }
  make_one(r, m, has_schedule ? "TerminateOnNaN" : "ReduceLROnPlateau",
           has_schedule ? "" : "loss:patience=1,min_delta=10", r->csv, &list[3]);
  if (!r->no_csv) {
    make_one(r, m, "CSVLogger", "", r->csv, &list[4]);
  }
  make_one(r, m, "TerminateOnNaN", "", r->csv, &list[5]);
  list[6] = (snug_callback){.struct_size = sizeof(snug_callback),
                            .user = &r->breaker,
                            .batch_end = break_off,
                            .failure = &r->breaker.failure};
}

/* Also a fit that went on from a backup holds what was planned, to the byte. */
static void expect_planned(const snug_history *h) {
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_history_memory(h, &r);
  ASSERT_EQ_UINT(r.planned, r.measured);
}

/* Run to the end (out gets what is left) or to the breaker; returns the status of fit. */
static snug_status go(run *r, lab_outcome *out) {
  snug_model *m = lab_model(r->ctx, r->lab);
  snug_fit_options o = lab_options(r->lab);
  snug_callback list[N_CALLBACKS];
  snug_history *h = NULL;
  if (r->make_change) {
    r->make_change(r->ctx, m, &o);
  }
  make_callbacks(r, m, list);
  o.replan = r->replan;
  o.callbacks = list;
  o.n_callbacks = N_CALLBACKS;
  snug_status s = snug_fit(m, lab_data(r->lab), &o, &h);
  expect_planned(h);
  if (!s && out) {
    lab_collect(m, h, out);
  }
  for (int i = 0; i < N_CALLBACKS; i++) {
    snug_callback_destroy(&list[i]);
  }
  snug_history_destroy(h);
  snug_model_destroy(m);
  return s;
}

static snug_status go_until(run *r, int64_t at, bool by_signal, lab_outcome *out) {
  r->ctx = test_ctx();
  r->interrupted = 0;
  r->said = (watch){0};
  r->breaker = (breaker){.at = at, .interrupts = by_signal ? &r->interrupted : NULL};
  snug_status s = go(r, out);
  test_ctx_end(r->ctx);
  return s;
}

/* ---- in one process ---- */

typedef struct whole {
  lab_outcome outcome;
  char *csv;
  char said[16384];
  int64_t steps;
} whole;

static void run_whole(run *r, whole *w) {
  ASSERT_EQ_INT(go_until(r, -1, false, &w->outcome), SNUG_OK);
  ASSERT_FALSE(watch_exists(r->folder)); /* it is gone at the end, as in Keras */
  w->csv = watch_read(r->csv);
  w->steps = r->breaker.seen;
  memcpy(w->said, r->said.text, sizeof w->said);
}

static void expect_as_whole(run *r, const whole *w, int64_t at, bool by_signal) {
  char what[128];
  lab_outcome b = {0};
  snprintf(what, sizeof what, "%s, %s, broken off at step %lld", r->lab->name, r->config,
           (long long)at);
  snug_status s = go_until(r, at, by_signal, by_signal ? &b : NULL);
  lab_free(&b);
  ASSERT_EQ_INT(s, by_signal ? SNUG_OK : SNUG_E_IO);
  ASSERT_EQ_INT(go_until(r, -1, false, &b), SNUG_OK);
  lab_expect_same(&w->outcome, &b, what);
  char *csv = watch_read(r->csv);
  ASSERT_EQ_TEXT(csv, w->csv);
  free(csv);
  lab_free(&b);
  ASSERT_FALSE(watch_exists(r->folder));
  if (by_signal && r->breaker.seen + at + 1 != w->steps) {
    test_fail(__FILE__, __LINE__, "%s: a signal costs no step, %lld and %lld make no %lld", what,
              (long long)at + 1, (long long)r->breaker.seen, (long long)w->steps);
  }
}

static void check_lab(const lab *l, const char *config, bool by_signal, int64_t stride) {
  char folder[4096], csv[4096];
  snprintf(folder, sizeof folder, "%s/%s-%s", watch_root(), l->name, "backup");
  snprintf(csv, sizeof csv, "%s.csv", folder);
  run r = {.lab = l, .folder = folder, .config = config, .csv = csv};
  whole w = {0};
  run_whole(&r, &w);
  for (int64_t at = 0; at < w.steps; at += stride) {
    expect_as_whole(&r, &w, at, by_signal);
  }
  free(w.csv);
  lab_free(&w.outcome);
}

TEST(resumed_by_epochs_is_the_same) {
  for (size_t i = 0; i < n_all_labs; i++) {
    check_lab(&all_labs[i], "", false, 3);
  }
}

TEST(resumed_by_batches_is_the_same) {
  for (size_t i = 0; i < n_all_labs; i++) {
    check_lab(&all_labs[i], "save_freq=2", false, 4);
  }
}

TEST(resumed_after_a_signal_is_the_same) {
  for (size_t i = 0; i < n_all_labs; i++) {
    check_lab(&all_labs[i], "", true, 4);
  }
}

/* ---- from another machine ---- */

/* A kernel as the first epoch left it, and as the second finds it. */
typedef struct kernels {
  snug_ctx *ctx;
  snug_model *model;
  float left[3 * 3 * 16 * 16], found[3 * 3 * 16 * 16];
} kernels;

static bool see(kernels *k, float *out) {
  ASSERT_OK(k->ctx, snug_model_weight_get(k->model, "conv2d_1/kernel", out, sizeof k->left));
  return true;
}

static bool see_end(void *user, int64_t epoch, const snug_logs *logs) {
  kernels *k = user;
  (void)logs;
  return epoch > 0 || see(k, k->left);
}

static bool see_begin(void *user, int64_t epoch) {
  kernels *k = user;
  return epoch != 1 || see(k, k->found);
}

/* Two epochs, or one that fails at its end, with the kernels and layouts of an instruction set. */
static snug_status two_epochs(snug__isa isa, const char *folder, int64_t at, kernels *k) {
  const lab *l = &all_labs[5];
  snug_ctx *ctx = test_ctx();
  ctx->isa = isa;
  k->ctx = ctx;
  k->model = lab_model(ctx, l);
  breaker b = {.at = at};
  snug_callback list[] = {
      SNUG_INIT(snug_callback),
      {.struct_size = sizeof *list, .user = k, .epoch_begin = see_begin, .epoch_end = see_end},
      {.struct_size = sizeof *list, .user = &b, .batch_end = break_off, .failure = &b.failure},
  };
  const snug_callback_target target = {.struct_size = sizeof target, .path = folder};
  ASSERT_OK(ctx, snug_callback_create(k->model, "BackupAndRestore", "", &target, &list[0]));
  snug_fit_options o = lab_options(l);
  o.epochs = 2;
  o.replan = at < 0; /* with the kernels of this one */
  o.callbacks = list;
  o.n_callbacks = 3;
  snug_history *h = NULL;
  snug_status s = snug_fit(k->model, lab_data(l), &o, &h);
  expect_planned(h);
  snug_history_destroy(h);
  snug_callback_destroy(&list[0]);
  snug_model_destroy(k->model);
  test_ctx_end(ctx);
  return s;
}

TEST(layouts_of_another_machine_are_read) {
  static kernels k;
  char folder[4096];
  for (int isa = 0; isa <= (int)snug__isa_best(); isa++) {
    snprintf(folder, sizeof folder, "%s/isa-%d", watch_root(), isa);
    memset(k.found, 0, sizeof k.found);
    ASSERT_EQ_INT(two_epochs((snug__isa)isa, folder, 6, &k), SNUG_E_IO);
    ASSERT_EQ_INT(two_epochs(snug__isa_best(), folder, -1, &k), SNUG_OK);
    ASSERT_EQ_BYTES(k.left, k.found, sizeof k.left);
  }
}

/* ---- killed ---- */

/* In a process of its own; returns what the whole run leaves in a file. */
static void child(run *r, const char *result) {
  lab_outcome out = {0};
  r->ctx = test_ctx();
  r->breaker = (breaker){.at = -1};
  bool good = go(r, &out) == SNUG_OK;
  FILE *f = good ? fopen(result, "wb") : NULL;
  good = f && fwrite(out.bytes, 1, out.n, f) == out.n && fclose(f) == 0;
  _exit(good ? 0 : 1);
}

/* Start it, and kill it after so many microseconds (0: let it end).  Whether it ended well. */
static bool start_and_kill(run *r, const char *result, useconds_t after) {
  int status = 0;
  pid_t pid = fork();
  ASSERT_TRUE(pid >= 0);
  if (pid == 0) {
    child(r, result);
  }
  if (after) {
    usleep(after);
    kill(pid, SIGKILL);
  }
  ASSERT_EQ_INT(waitpid(pid, &status, 0), pid);
  bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  ASSERT_TRUE(was_killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
  return !was_killed;
}

static lab_outcome read_outcome(const char *path) {
  struct stat info;
  lab_outcome o = {0};
  ASSERT_EQ_INT(stat(path, &info), 0);
  o.n = (size_t)info.st_size;
  o.bytes = malloc(o.n);
  FILE *f = fopen(path, "rb");
  ASSERT_TRUE(f && o.bytes && fread(o.bytes, 1, o.n, f) == o.n);
  fclose(f);
  return o;
}

static int64_t microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

TEST(killed_at_any_moment_it_goes_on) {
  char folder[4096], csv[4096], result[4096];
  snprintf(folder, sizeof folder, "%s/killed", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  snprintf(result, sizeof result, "%s.result", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "save_freq=1", .csv = csv};
  int64_t start = microseconds();
  ASSERT_TRUE(start_and_kill(&r, result, 0));
  int64_t whole_run = microseconds() - start;
  lab_outcome all = read_outcome(result);
  int64_t kills = 0;
  for (int64_t i = 0; i < 12; i++) {
    for (int64_t k = 0; k < 3; k++) {
      kills += !start_and_kill(&r, result, (useconds_t)test_random_between(1, whole_run));
    }
    ASSERT_TRUE(start_and_kill(&r, result, 0));
    lab_outcome b = read_outcome(result);
    lab_expect_same(&all, &b, "killed and resumed");
    lab_free(&b);
    ASSERT_FALSE(watch_exists(folder));
  }
  printf("%lld kills\n", (long long)kills);
  ASSERT_TRUE(kills > 0);
  lab_free(&all);
}

/* ---- files that will not do ---- */

static void break_off_once(run *r) { ASSERT_EQ_INT(go_until(r, 9, false, NULL), SNUG_E_IO); }

static void expect_refusal(run *r, snug_status expected, const char *part) {
  r->ctx = test_ctx();
  r->breaker = (breaker){.at = -1};
  ASSERT_STATUS(r->ctx, go(r, NULL), expected, part);
  test_ctx_end(r->ctx);
}

TEST(keras_finds_its_files) {
  char path[4096], folder[4096], csv[4096];
  snprintf(folder, sizeof folder, "%s/keras", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "", .csv = csv};
  break_off_once(&r); /* in the second epoch, of 5 steps each */
  snprintf(path, sizeof path, "%s/training_metadata.json", folder);
  char *json = watch_read(path);
  ASSERT_EQ_TEXT(json, "{\"epoch\": 1, \"batch\": 0}");
  free(json);
  snprintf(path, sizeof path, "%s/latest.weights.h5", folder);
  ASSERT_TRUE(watch_exists(path));
  snprintf(path, sizeof path, "%s/snug.backup", folder);
  ASSERT_EQ_INT(unlink(path), 0);
  expect_refusal(&r, SNUG_E_STATE, "a backup that Keras made");
}

TEST(another_fit_is_refused) {
  char folder[4096], csv[4096];
  snprintf(folder, sizeof folder, "%s/other", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "", .csv = csv};
  break_off_once(&r);
  r.lab = &all_labs[4]; /* 3 steps per epoch */
  expect_refusal(&r, SNUG_E_STATE, "the number of steps is 5 there and 3 here");
  r.lab = &all_labs[1]; /* another optimizer */
  expect_refusal(&r, SNUG_E_STATE, "optimizer is ");
  r.replan = true; /* what it keeps is not what this one has */
  expect_refusal(&r, SNUG_E_STATE, "remove the folder");
}

/* ---- what may be other, and what may not ---- */

/* A change of what the result depends on, and how it is named. */
typedef struct change {
  void (*make)(snug_ctx *ctx, snug_model *m, snug_fit_options *o);
  const char *named;
} change;

static void change_seed(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  (void)ctx;
  (void)o;
  m->seed = 77;
}

static void change_threads(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  (void)m;
  (void)o;
  ctx->threads++;
}

static void change_batch(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  (void)ctx;
  (void)m;
  o->batch_size = 5;
}

static void change_shuffle(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  (void)ctx;
  (void)m;
  o->no_shuffle = true;
}

static void change_rate(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  (void)o;
  ASSERT_OK(ctx, snug_model_set_learning_rate(m, 0.25));
}

static void change_pieces(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  (void)ctx;
  (void)m;
  o->micro_batch = 2;
  o->allow_batch_statistics = true;
}

static void change_weights_of_classes(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  static const double weights[] = {1.0, 2.0, 3.0};
  (void)ctx;
  (void)m;
  o->class_weight = weights;
  o->n_class_weight = 3;
}

static void change_setting(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  static const snug_setting settings[] = {{"--augment", "flip"}};
  (void)ctx;
  (void)m;
  o->settings = settings;
  o->n_settings = 1;
}

static void change_epochs(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  (void)ctx;
  (void)m;
  o->epochs++;
  o->memory = UINT64_C(4) << 30;
}

static const change changes[] = {
    {change_seed, "seed is 7 there and 77 here"},
    {change_threads, "threads is "},
    {change_batch, "batch_size is 4 there and 5 here"},
    {change_shuffle, "shuffle is yes there and no here"},
    {change_rate, "learning_rate is "},
    {change_pieces, "micro_batch is 0 there and 2 here"},
    {change_weights_of_classes, "class_weight is none there and 3 "},
    {change_setting, "--augment is not given there and flip here"},
};

TEST(changed_options_are_named) {
  char folder[4096], csv[4096];
  snprintf(folder, sizeof folder, "%s/changed", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "", .csv = csv};
  for (size_t i = 0; i < SNUG_COUNT(changes); i++) {
    r.make_change = NULL;
    r.replan = false;
    break_off_once(&r);
    r.make_change = changes[i].make;
    expect_refusal(&r, SNUG_E_STATE, changes[i].named);
    expect_refusal(&r, SNUG_E_STATE, "replan of snug_fit_options");
    r.replan = true;
    lab_outcome out = {0};
    ASSERT_EQ_INT(go_until(&r, -1, false, &out), SNUG_OK);
    lab_free(&out);
    ASSERT_FALSE(watch_exists(folder));
  }
}

TEST(more_epochs_and_another_line_are_no_other_fit) {
  char folder[4096], csv[4096];
  snprintf(folder, sizeof folder, "%s/more", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "", .csv = csv};
  break_off_once(&r);
  r.make_change = change_epochs;
  lab_outcome out = {0};
  ASSERT_EQ_INT(go_until(&r, -1, false, &out), SNUG_OK);
  lab_free(&out);
}

/* What a callback remembers belongs to it, wherever it stands; what writes no result may come and
 * go. */
TEST(callbacks_that_write_may_come_and_go) {
  static const struct {
    bool before, after; /* a log */
    bool keeps, goes_on_keeping;
  } cases[] = {{true, false, false, true},
               {false, true, true, false},
               {true, true, true, true},
               {false, false, true, true},
               {true, true, false, true}};
  char folder[4096], csv[4096], best[4096];
  snprintf(folder, sizeof folder, "%s/come", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  snprintf(best, sizeof best, "%s.keras", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "", .csv = csv};
  whole w = {0};
  run_whole(&r, &w);
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    lab_outcome b = {0};
    unlink(csv);
    r.no_csv = !cases[i].before;
    r.checkpoint = cases[i].keeps ? best : NULL;
    break_off_once(&r);
    r.no_csv = !cases[i].after;
    r.checkpoint = cases[i].goes_on_keeping ? best : NULL;
    ASSERT_EQ_INT(go_until(&r, -1, false, &b), SNUG_OK);
    lab_expect_same(&w.outcome, &b, "with other files");
    lab_free(&b);
    if (cases[i].before && cases[i].after) {
      char *log = watch_read(csv);
      ASSERT_EQ_TEXT(log, w.csv);
      free(log);
    }
  }
  free(w.csv);
  lab_free(&w.outcome);
}

TEST(a_callback_that_steers_may_not) {
  char folder[4096], csv[4096];
  snprintf(folder, sizeof folder, "%s/steer", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "", .csv = csv};
  break_off_once(&r);
  r.no_stopping = true;
  expect_refusal(&r, SNUG_E_STATE, "EarlyStopping is val_loss:patience=2,restore-best there");
  r.no_stopping = false;
  break_off_once(&r);
  r.no_stopping = r.replan = true;
  lab_outcome out = {0};
  ASSERT_EQ_INT(go_until(&r, -1, false, &out), SNUG_OK);
  lab_free(&out);
  r.replan = false;
  break_off_once(&r);
  r.no_stopping = false;
  expect_refusal(&r, SNUG_E_STATE, "EarlyStopping is not given there");
}

/* ---- outputs ---- */

static void name_outputs(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  static const char *const outputs[] = {"/of/mine.csv", "/of/mine.{epoch}.keras"};
  (void)ctx;
  (void)m;
  o->outputs = outputs;
  o->n_outputs = 2;
}

static bool has_output(const char *folder, const char *path) {
  snug_ctx *ctx = test_ctx();
  bool found = true;
  ASSERT_OK(ctx, snug_backup_names(ctx, folder, path, &found));
  test_ctx_end(ctx);
  return found;
}

TEST(outputs_are_kept_and_not_compared) {
  static const char *const others[] = {"/of/mine.cs", "/of/mine.csvs", "", "mine.csv",
                                       "/of/mine.{epoch}"};
  char folder[4096], csv[4096];
  snprintf(folder, sizeof folder, "%s/outputs", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "", .csv = csv};
  ASSERT_FALSE(has_output(folder, "/of/mine.csv"));
  r.make_change = name_outputs;
  break_off_once(&r);
  ASSERT_TRUE(has_output(folder, "/of/mine.csv"));
  ASSERT_TRUE(has_output(folder, "/of/mine.{epoch}.keras"));
  for (size_t i = 0; i < SNUG_COUNT(others); i++) {
    ASSERT_FALSE(has_output(folder, others[i]));
  }
  r.make_change = NULL;
  lab_outcome out = {0};
  ASSERT_EQ_INT(go_until(&r, -1, false, &out), SNUG_OK);
  lab_free(&out);
}

/* The log of a backup that goes on is what its header says, or it is left alone. */
TEST(a_file_in_the_place_of_the_log_is_not_cut) {
  char folder[4096], csv[4096];
  snprintf(folder, sizeof folder, "%s/mine", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "", .csv = csv};
  break_off_once(&r);
  char *log = watch_read(csv);
  for (size_t bytes = 1; bytes < 20000; bytes = bytes * 3 + 1) { /* shorter and longer than it */
    FILE *f = fopen(csv, "wb");
    ASSERT_NOT_NULL(f);
    for (size_t i = 0; i < bytes; i++) {
      fputc('x', f);
    }
    ASSERT_EQ_INT(fclose(f), 0);
    expect_refusal(&r, SNUG_E_STATE, "is not the log that the backup goes on with");
    char *left = watch_read(csv);
    ASSERT_EQ_UINT(strlen(left), bytes);
    free(left);
  }
  FILE *f = fopen(csv, "wb");
  ASSERT_TRUE(f && fputs(log, f) >= 0 && fclose(f) == 0);
  free(log);
  lab_outcome out = {0};
  ASSERT_EQ_INT(go_until(&r, -1, false, &out), SNUG_OK);
  lab_free(&out);
}

/* ---- heads that lie ---- */

/* Where the head of a file has what: 8 bytes each behind its name and version. */
enum {
  HEAD_VERSION = 8 + 11,
  HEAD_OUTPUTS = HEAD_VERSION + 8, /* there are none */
  HEAD_SETTINGS = HEAD_OUTPUTS + 8
};

static int64_t number_at(const lab_outcome *file, size_t at) {
  int64_t n = 0;
  memcpy(&n, file->bytes + at, sizeof n);
  return n;
}

/* The sum that makes a head whole again. */
static uint64_t sum_of(const unsigned char *bytes, size_t n) {
  uint64_t sum = SNUG__KEY_START;
  return snug__key_add(sum, bytes, n);
}

/* Where the choices of the plan begin and end; behind them is the sum of the head. */
enum { CHOICES_SLOTS = 16, CHOICES_WINDOW = 24, CHOICES_VALUES = 32, CHOICES_KERNELS = 40 };
enum { CHOICES_LINE = 48, CHOICES_BYTES = 56 };

static size_t choices_of(const lab_outcome *file) {
  return HEAD_SETTINGS + 8 + (size_t)number_at(file, HEAD_SETTINGS);
}

static size_t head_end(const lab_outcome *file) {
  size_t choices = choices_of(file);
  return choices + CHOICES_BYTES + (size_t)number_at(file, choices + CHOICES_VALUES);
}

/* Write a file with another number in its head, all sums set right. */
static void write_changed(const lab_outcome *file, const char *path, size_t at, int64_t value) {
  lab_outcome other = {malloc(file->n), file->n};
  size_t end = head_end(file);
  ASSERT_NOT_NULL(other.bytes);
  memcpy(other.bytes, file->bytes, file->n);
  memcpy(other.bytes + at, &value, sizeof value);
  uint64_t sum = sum_of(other.bytes, end);
  memcpy(other.bytes + end, &sum, sizeof sum);
  sum = sum_of(other.bytes, other.n - sizeof sum);
  memcpy(other.bytes + other.n - sizeof sum, &sum, sizeof sum);
  FILE *f = fopen(path, "wb");
  ASSERT_TRUE(f && fwrite(other.bytes, 1, other.n, f) == other.n && fclose(f) == 0);
  lab_free(&other);
}

/* Put a number into the head, and try to go on. */
static void expect_head_refused(run *r, const lab_outcome *file, const char *path, size_t at,
                                int64_t value) {
  write_changed(file, path, at, value);
  r->ctx = test_ctx();
  r->breaker = (breaker){.at = -1};
  snug_status s = go(r, NULL);
  ASSERT_TRUE(s == SNUG_E_FORMAT || s == SNUG_E_STATE);
  ASSERT_HAS(snug_message(r->ctx), "remove the folder");
  test_ctx_end(r->ctx);
}

/* ---- room ---- */

/* A model that Keras could not load: one epoch of it, with a backup of so many weights. */
static snug_status fit_unsaved(snug_ctx *ctx, const char *folder) {
  static float x[8 * 4];
  static int32_t y[8];
  const int64_t shape[] = {2, 2};
  const snug_array x_array = {x, SNUG_FLOAT32, 3, {8, 2, 2}};
  const snug_array y_array = {y, SNUG_INT32, 1, {8}};
  const snug_data data = {sizeof data, &x_array, 1, &y_array, 1, NULL};
  const char *const loss[] = {"sparse_categorical_crossentropy"};
  const snug_compile_options how = {
      .struct_size = sizeof how, .optimizer = "adam", .loss = loss, .n_loss = 1};
  const snug_callback_target to = {.struct_size = sizeof to, .path = folder};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_callback c = SNUG_INIT(snug_callback);
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, shape, 2);
  snug_model_add(m, "Normalization", "axis=[1,2] mean=[0,0,0,0] variance=[1,1,1,1]");
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dense", "units=2000 activation=relu");
  snug_model_add(m, "Dense", "units=3 activation=softmax");
  ASSERT_OK(ctx, snug_model_compile(m, &how));
  ASSERT_OK(ctx, snug_callback_create(m, "BackupAndRestore", NULL, &to, &c));
  o.callbacks = &c;
  o.n_callbacks = 1;
  snug_status s = snug_fit(m, &data, &o, NULL);
  snug_callback_destroy(&c);
  snug_model_destroy(m);
  return s;
}

/* Weights and slots of 13003 numbers each, of 4 bytes. */
TEST(room_for_a_backup_is_looked_for_without_files_of_keras) {
  const struct rlimit before = {RLIM_INFINITY, RLIM_INFINITY};
  const struct rlimit less = {3 * 13003 * 4, RLIM_INFINITY};
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/unsaved", watch_root());
  snug_ctx *ctx = test_ctx();
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &less), 0);
  ASSERT_STATUS(ctx, fit_unsaved(ctx, folder), SNUG_E_IO, "there is no room for");
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(watch_exists(folder)); /* it had not begun */
  ASSERT_OK(ctx, fit_unsaved(ctx, folder));
  test_ctx_end(ctx);
}

/* ---- a line that took the plan before ---- */

#define KIB (UINT64_C(1) << 10)

static uint64_t line_of_test;

static void set_line(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  (void)ctx;
  (void)m;
  o->memory = line_of_test;
}

/* What the process needs to go on, without the margin: as a line is held against it. */
static uint64_t need_to_go_on(run *r) {
  snug_callback list[N_CALLBACKS];
  snug_memory_report report = SNUG_INIT(snug_memory_report);
  snug_plan *plan = NULL;
  r->ctx = test_ctx();
  snug_model *m = lab_model(r->ctx, r->lab);
  snug_fit_options o = lab_options(r->lab);
  make_callbacks(r, m, list);
  o.memory = line_of_test;
  o.callbacks = list;
  o.n_callbacks = N_CALLBACKS;
  ASSERT_OK(r->ctx, snug_plan_fit(m, lab_data(r->lab), &o, &plan));
  snug_plan_memory(plan, &report);
  snug_plan_destroy(plan);
  for (int i = 0; i < N_CALLBACKS; i++) {
    snug_callback_destroy(&list[i]);
  }
  snug_model_destroy(m);
  test_ctx_end(r->ctx);
  return snug__fit_bare_process(&report);
}

/* Go on under a line so many bytes below what is needed, where `took` took the plan before. */
static snug_status go_on_below(run *r, const lab_outcome *file, uint64_t below, uint64_t more) {
  char path[4200];
  snprintf(path, sizeof path, "%s/snug.backup", r->folder);
  write_changed(file, path, choices_of(file) + CHOICES_LINE, INT64_C(1) << 40);
  line_of_test = UINT64_C(1) << 41;
  uint64_t need = need_to_go_on(r);
  line_of_test = need - below;
  write_changed(file, path, choices_of(file) + CHOICES_LINE, (int64_t)(line_of_test + more));
  lab_outcome out = {0};
  snug_status s = go_until(r, -1, false, &out);
  lab_free(&out);
  return s;
}

/* What is measured of a process varies by some pages, which its plan has a reserve for. */
TEST(a_line_that_took_the_plan_takes_it_again) {
#if defined(__SANITIZE_ADDRESS__)
  test_skip("the process holds what the sanitizer keeps");
#endif
  char folder[4096], csv[4096], path[4200];
  snprintf(folder, sizeof folder, "%s/line", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  snprintf(path, sizeof path, "%s/snug.backup", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "", .csv = csv};
  r.make_change = set_line;
  line_of_test = UINT64_C(4) << 30;
  break_off_once(&r);
  lab_outcome file = read_outcome(path);
  ASSERT_EQ_INT(number_at(&file, choices_of(&file) + CHOICES_LINE), INT64_C(4) << 30);
  ASSERT_EQ_INT(go_on_below(&r, &file, 600 * KIB, 0), SNUG_E_LIMIT); /* no noise */
  ASSERT_EQ_INT(go_on_below(&r, &file, 200 * KIB, 1), SNUG_E_LIMIT); /* another line */
  ASSERT_EQ_INT(go_on_below(&r, &file, 200 * KIB, 0), SNUG_OK);
  ASSERT_FALSE(watch_exists(folder));
  lab_free(&file);
}

/* A line, so that the plan has values that are recomputed. */
static void add_line(snug_ctx *ctx, snug_model *m, snug_fit_options *o) {
  (void)ctx;
  (void)m;
  o->recompute = "full";
}

TEST(heads_that_lie_are_refused) {
  static const int64_t values[] = {-1, 5, INT64_C(1) << 40, INT64_MAX, INT64_MIN};
  char path[4096], folder[4096], csv[4096];
  snprintf(folder, sizeof folder, "%s/lies", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  snprintf(path, sizeof path, "%s/snug.backup", folder);
  run r = {
      .lab = &all_labs[0], .folder = folder, .config = "", .csv = csv, .make_change = add_line};
  break_off_once(&r);
  lab_outcome file = read_outcome(path);
  ASSERT_EQ_INT(number_at(&file, HEAD_VERSION), 3);
  size_t choices = choices_of(&file);
  ASSERT_TRUE(number_at(&file, choices + CHOICES_VALUES) > 0);
  expect_head_refused(&r, &file, path, HEAD_VERSION, 2);
  for (size_t i = 0; i < SNUG_COUNT(values); i++) {
    expect_head_refused(&r, &file, path, HEAD_OUTPUTS, values[i]);
    expect_head_refused(&r, &file, path, HEAD_SETTINGS, values[i]);
    expect_head_refused(&r, &file, path, choices + CHOICES_SLOTS, values[i]);
    expect_head_refused(&r, &file, path, choices + CHOICES_WINDOW, values[i]);
    expect_head_refused(&r, &file, path, choices + CHOICES_VALUES, values[i]);
    expect_head_refused(&r, &file, path, choices + CHOICES_KERNELS, values[i]);
  }
  /* No value of the step may wait on a disk that is not allowed, or be what there is not. */
  expect_head_refused(&r, &file, path, choices + CHOICES_BYTES, INT64_C(0x0303030303030303));
  expect_head_refused(&r, &file, path, choices + CHOICES_BYTES, INT64_C(0x7f7f7f7f7f7f7f7f));
  expect_head_refused(&r, &file, path, choices + CHOICES_BYTES,
                      INT64_C(0x0101010101010101)); /* an input */
  lab_free(&file);
}

/* Every byte changed and every length: a status, never a crash; nothing is set. */
TEST(damaged_files_are_refused) {
  char path[4096], folder[4096], csv[4096];
  snprintf(folder, sizeof folder, "%s/damaged", watch_root());
  snprintf(csv, sizeof csv, "%s.csv", folder);
  snprintf(path, sizeof path, "%s/snug.backup", folder);
  run r = {.lab = &all_labs[0], .folder = folder, .config = "", .csv = csv};
  break_off_once(&r);
  lab_outcome file = read_outcome(path);
  for (int64_t i = 0; i < 60; i++) {
    bool cut = i % 2 == 0;
    size_t at = i < 40 ? (size_t)test_random_between(0, (int64_t)file.n - 1) : (size_t)i * 11 - 440;
    FILE *f = fopen(path, "wb");
    ASSERT_NOT_NULL(f);
    file.bytes[at] ^= 0x55;
    ASSERT_TRUE(fwrite(file.bytes, 1, cut ? at : file.n, f) == (cut ? at : file.n));
    fclose(f);
    file.bytes[at] ^= 0x55;
    r.ctx = test_ctx();
    r.breaker = (breaker){.at = -1};
    snug_status s = go(&r, NULL);
    ASSERT_TRUE(s == SNUG_E_FORMAT || s == SNUG_E_STATE);
    ASSERT_HAS(snug_message(r.ctx), "remove the folder");
    test_ctx_end(r.ctx);
  }
  lab_free(&file);
}
