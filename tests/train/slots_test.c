/* Optimizer slots that live in a file: less memory, the same bits, and a model that can be saved,
 * trained on and loaded as any other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "lib/fault.h"
#include "lib/mallocs.h"
#include "lib/models.h"
#include "snug/callbacks.h"
#include "snug/keras.h"
#include "snug/plan.h"
#include "train/fit.h"
#include "train/nets.h"
#include "train/slots.h"
#include "train/worn.h"

#define MIB (UINT64_C(1) << 20)

/* Weights of 1 MiB, whose slots are most of what a fit holds. */
static snug_status build_fat(snug_model *m) {
  const int64_t shape[] = {512};
  snug_model_input(m, "x", m->real, shape, 1);
  for (int i = 0; i < 8; i++) {
    snug_model_add(m, "Dense", "units=512 activation=tanh");
  }
  snug_model_add(m, "Dense", "units=10 activation=softmax");
  return snug_model_status(m);
}

static const net fat = {"fat", build_fat, {512}, 1, 10, 23, 8};

static void open_job(job *j, const char *optimizer, bool disk) {
  job_open(j, &fat, optimizer);
  j->options.allow_disk = disk;
  j->options.micro_batch = fat.batch; /* micro-batches round otherwise */
}

static void set_up(void) {
  if (!test_mallocs_work()) {
    test_skip("a sanitizer's memory is not predicted");
  }
  ASSERT_EQ_INT(mkdir(test_path("cache"), 0777), 0);
  setenv("SNUG_CACHE", test_path("cache"), 1);
}

static uint64_t least_of(job *j) {
  snug_plan_destroy(job_plan(j, MIB)); /* then the heap is as it will stay */
  snug_plan *plan = job_plan(j, MIB);
  uint64_t least = snug_plan_least(plan);
  snug_plan_destroy(plan);
  return least;
}

static uint64_t least_with(const char *optimizer, bool disk) {
  job j;
  open_job(&j, optimizer, disk);
  uint64_t least = least_of(&j);
  job_close(&j);
  return least;
}

/* ---- fits ---- */

/* Train at a line, which has to take what it planned; the slots are in a file afterwards or not. */
static void train(job *j, uint64_t line, bool in_file) {
  snug_history *h = NULL;
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  j->options.memory = line;
  ASSERT_OK(j->ctx, snug_fit(j->model, &j->data.data, &j->options, &h));
  snug_history_memory(h, &r);
  ASSERT_EQ_UINT(r.planned, r.measured);
  ASSERT_EQ_UINT(r.optimizer, j->model->training->state_bytes);
  snug_history_destroy(h);
  ASSERT_EQ_INT(j->model->training->store != NULL, in_file);
}

static void expect_equal(const job *a, const job *b) {
  ASSERT_EQ_UINT(a->model->weights_bytes, b->model->weights_bytes);
  ASSERT_EQ_BYTES(snug__place_pointer(a->model->weights), snug__place_pointer(b->model->weights),
                  a->model->weights_bytes);
}

static void compare(const char *optimizer, int64_t micro) {
  job a, b;
  open_job(&a, optimizer, false);
  open_job(&b, optimizer, true);
  a.options.micro_batch = b.options.micro_batch = micro;
  train(&a, 0, false);
  train(&b, least_of(&b), true);
  expect_equal(&a, &b);
  train(&a, 0, false); /* and on, from the state that there is */
  train(&b, 0, true);
  expect_equal(&a, &b);
  job_close(&a);
  job_close(&b);
}

TEST(slots_in_a_file_save_memory) {
  set_up();
  uint64_t without = least_with("adam", false);
  ASSERT_TRUE(least_with("adam", true) + 10 * MIB < without);
  ASSERT_TRUE(least_with("sgd", true) + 10 * MIB < without); /* has none */
}

TEST(the_same_bits) {
  static const char *const optimizers[] = {"adam(amsgrad=true)",
                                           "rmsprop(centered=true, momentum=0.5)"};
  set_up();
  for (size_t i = 0; i < SNUG_COUNT(optimizers); i++) {
    compare(optimizers[i], fat.batch);
  }
}

TEST(the_same_bits_in_micro_batches) {
  set_up();
  compare("adam", 3);
}

TEST(averages_stay_in_memory) {
  set_up();
  job j;
  open_job(&j, "adam(use_ema=true)", true);
  ASSERT_FALSE(snug__slots_are_free(j.model));
  train(&j, least_of(&j), false);
  job_close(&j);
}

/* ---- saving and loading ---- */

static void save_and_load(job *j, const char *name) {
  snug_model_destroy(j->model);
  j->model = NULL;
  ASSERT_OK(j->ctx, snug_model_load(j->ctx, test_path(name), NULL, &j->model));
}

TEST(a_saved_model_has_its_slots) {
  set_up();
  job a, b;
  open_job(&a, "adam", false);
  open_job(&b, "adam", true);
  train(&a, 0, false);
  train(&b, least_of(&b), true);
  snug_memory_info before = SNUG_INIT(snug_memory_info), after = SNUG_INIT(snug_memory_info);
  snug_memory_reset_peak(b.ctx);
  snug_memory_get(b.ctx, &before);
  ASSERT_OK(a.ctx, snug_model_save(a.model, test_path("a.keras")));
  ASSERT_OK(b.ctx, snug_model_save(b.model, test_path("b.keras")));
  snug_memory_get(b.ctx, &after);
  ASSERT_TRUE(after.peak < before.current + 4 * MIB); /* one slot at a time */
  save_and_load(&a, "a.keras");
  save_and_load(&b, "b.keras");
  expect_equal(&a, &b);
  b.options.allow_disk = false;
  train(&a, 0, false);
  train(&b, 0, false);
  expect_equal(&a, &b);
  job_close(&a);
  job_close(&b);
}

/* ---- single ones ---- */

typedef struct twins {
  snug_model *a, *b;
  int n;
} twins;

/* Half of a variable at a time: it is the same, wherever it lives, and can be set there. */
static void compare_one(void *user, const snug_variable_info *v) {
  twins *t = user;
  static float a[512 * 512], b[512 * 512];
  int64_t n = v->rank == 2 ? v->shape[0] * v->shape[1] : 0;
  for (int64_t i = 0; i < n; i += n / 2) {
    ASSERT_OK(t->a->ctx, snug_model_variable_get(t->a, v->name, i, n / 2, a));
    ASSERT_OK(t->b->ctx, snug_model_variable_get(t->b, v->name, i, n / 2, b));
    ASSERT_EQ_BYTES(a, b, (size_t)n / 2 * sizeof *a);
    for (int64_t k = 0; k < n / 2; k++) {
      a[k] *= 0.5f;
    }
    ASSERT_OK(t->a->ctx, snug_model_variable_set(t->a, v->name, i, n / 2, a));
    ASSERT_OK(t->b->ctx, snug_model_variable_set(t->b, v->name, i, n / 2, a));
    t->n++;
  }
}

TEST(slots_are_read_and_set_one_by_one) {
  set_up();
  job a, b;
  open_job(&a, "adam", false);
  open_job(&b, "adam", true);
  train(&a, 0, false);
  train(&b, least_of(&b), true);
  twins t = {.a = a.model, .b = b.model};
  ASSERT_OK(a.ctx, snug_model_variables(a.model, compare_one, &t));
  ASSERT_EQ_INT(t.n, 3 * 9 * 2);
  train(&a, 0, false);
  train(&b, 0, true);
  expect_equal(&a, &b);
  job_close(&a);
  job_close(&b);
}

/* ---- backups ---- */

typedef struct breaker {
  int left; /* batches until it fails; below 0: never */
  snug_status failure;
} breaker;

static bool break_off(void *user, int64_t batch, const snug_logs *logs) {
  breaker *b = user;
  (void)batch;
  (void)logs;
  b->failure = b->left-- == 0 ? SNUG_E_IO : SNUG_OK;
  return !b->failure;
}

/* Two epochs with a backup after each, in a model of its own. */
static snug_status train_with_backup(bool disk, int batches, char *weights) {
  job j;
  breaker b = {.left = batches};
  snug_callback list[2] = {SNUG_INIT(snug_callback)};
  const snug_callback_target target = {.struct_size = sizeof target, .path = test_path("backup")};
  open_job(&j, "adam", disk);
  ASSERT_OK(j.ctx, snug_callback_create(j.model, "BackupAndRestore", "", &target, &list[0]));
  list[1] = (snug_callback){.struct_size = sizeof(snug_callback),
                            .user = &b,
                            .batch_end = break_off,
                            .failure = &b.failure};
  j.options.callbacks = list;
  j.options.n_callbacks = 2;
  j.options.epochs = 2;
  j.options.memory = disk ? least_of(&j) : 0;
  snug_status s = snug_fit(j.model, &j.data.data, &j.options, NULL);
  ASSERT_EQ_INT(j.model->training->store != NULL, disk);
  memcpy(weights, snug__place_pointer(j.model->weights), j.model->weights_bytes);
  snug_callback_destroy(&list[0]);
  job_close(&j);
  return s;
}

TEST(a_fit_goes_on_from_its_backup) {
  set_up();
  job j;
  open_job(&j, "adam", false);
  size_t bytes = j.model->weights_bytes;
  job_close(&j);
  char *right = calloc(bytes, 1);
  char *got = calloc(bytes, 1);
  ASSERT_TRUE(right && got);
  ASSERT_EQ_INT(train_with_backup(false, -1, right), SNUG_OK);
  ASSERT_EQ_INT(train_with_backup(true, 4, got), SNUG_E_IO); /* in the second epoch */
  ASSERT_TRUE(memcmp(got, right, bytes) != 0);
  ASSERT_EQ_INT(train_with_backup(true, -1, got), SNUG_OK);
  ASSERT_EQ_BYTES(got, right, bytes);
  free(right);
  free(got);
}

/* ---- plans leave no trace ---- */

TEST(a_plan_decides_nothing) {
  set_up();
  job j;
  open_job(&j, "adam", true);
  size_t state = j.model->training->state_bytes;
  least_of(&j);
  ASSERT_EQ_UINT(j.model->training->state_bytes, state);
  ASSERT_EQ_INT(j.model->training->slots_bytes, 0);
  job_close(&j);
}

/* ---- the disk fails ---- */

TEST(a_full_disk_is_told_and_leaves_no_state) {
  set_up();
  job j;
  struct rlimit before;
  snug__fit f;
  open_job(&j, "adam", true);
  j.options.memory = least_of(&j);
  ASSERT_EQ_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &(struct rlimit){65536, before.rlim_max}), 0);
  ASSERT_STATUS(j.ctx, snug_fit(j.model, &j.data.data, &j.options, NULL), SNUG_E_IO, "no room");
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_OK(j.ctx, snug__fit_open(&f, j.model, &j.data.data, &j.options)); /* filled since then */
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &(struct rlimit){65536, before.rlim_max}), 0);
  ASSERT_STATUS(j.ctx, snug__session_commit(&f.session), SNUG_E_IO, "no room");
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  snug__fit_close(&f, SNUG_E_IO, NULL);
  ASSERT_FALSE(snug__place_is_set(j.model->training->state));
  train(&j, 0, false);
  job_close(&j);
}

/* Give a fit another file for its slots, on a disk that fails at call number n. */
static void wear_out(snug__fit *f, int n) {
  snug__training *t = f->model->training;
  snug__store_close(t->store);
  worn_after(n);
  ASSERT_OK(t->ctx,
            snug__store_open(t->ctx, &(snug__store_options){NULL, t->slots_bytes, &worn_disk},
                             &t->store));
  for (snug__id i = 0; i < f->model->variables.list.n; i++) {
    snug__home *h = &snug__variable_at(&f->model->variables, i)->home;
    h->store = h->is_file ? t->store : NULL;
  }
  f->session.runs[SNUG__SLOT_MAIN].program->home = t->store;
}

TEST(a_failing_disk_ends_the_fit) {
  set_up();
  for (int n = 0; n < 40; n += 13) {
    job j;
    snug__fit f;
    open_job(&j, "adam", true);
    j.options.memory = least_of(&j);
    ASSERT_OK(j.ctx, snug__fit_open(&f, j.model, &j.data.data, &j.options));
    ASSERT_OK(j.ctx, snug__session_commit(&f.session));
    wear_out(&f, n);
    ASSERT_STATUS(j.ctx, snug__fit_run(&f), SNUG_E_IO, strerror(EIO));
    snug__fit_close(&f, SNUG_E_IO, NULL);
    ASSERT_STATUS(j.ctx, snug_model_save(j.model, test_path("worn.keras")), SNUG_E_IO,
                  strerror(EIO));
    job_close(&j);
  }
}

/* ---- memory fails ---- */

static snug_status build_small(snug_model *m) {
  const int64_t shape[] = {512};
  snug_model_input(m, "x", m->real, shape, 1);
  snug_model_add(m, "Dense", "units=128");
  return snug_model_status(m);
}

static snug_status make_session(snug_model *m) {
  snug__session_spec spec = {.main_kind = SNUG__STEP_TRAIN, .choice = {.slots = true}};
  snug__session session = {.model = m};
  spec.batch[SNUG__SLOT_MAIN] = 2;
  SNUG_TRY(snug__session_init(&session, m, &spec));
  snug_status s = snug__session_commit(&session);
  snug__session_release(&session);
  return s ? s : m->training->store ? SNUG_OK : SNUG_E_INTERNAL;
}

static snug_status commit_once(snug_ctx *ctx, void *arg) {
  snug_model *m = NULL;
  (void)arg;
  snug_status s = snug_model_create(ctx, NULL, &m);
  s = s ? s : build_small(m);
  s = s ? s : compile_with(m, "adam", "mse");
  s = s ? s : make_session(m);
  snug_model_destroy(m);
  return s;
}

TEST(every_request_for_memory_may_fail) { test_fault_sweep(commit_once, NULL); }
