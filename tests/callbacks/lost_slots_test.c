/* Optimizer slots in a file on a disk that fails: the weights are saved without them, and the
 * message says what is missing and why. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callbacks/file_faults.h"
#include "keras/save.h"
#include "lib/test.h"
#include "train/fit.h"
#include "train/slots.h"

enum { INPUTS = 512, UNITS = 128, ROWS = 24 }; /* a weight whose slots are worth a file */

/* Where a fit keeps its slots, and where it saves. */
typedef struct place {
  char disk[300], model[300], instead[300];
} place;

static snug_model *compiled(snug_ctx *ctx) {
  const char *const loss[] = {"mse"};
  snug_model *m = NULL;
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){INPUTS}, 1);
  snug_model_add(m, "Dense", "units=128 activation=tanh");
  snug_model_add(m, "Dense", "units=2");
  o.optimizer = "adam";
  o.loss = loss;
  o.n_loss = 1;
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  return m;
}

/* Make the optimizer's state, with the slots in a file. */
static snug_status put_slots_on_disk(snug_model *m, const char *folder) {
  snug__session_spec spec = {
      .main_kind = SNUG__STEP_TRAIN, .choice = {.slots = true}, .disk_folder = folder};
  snug__session session = {.model = m};
  spec.batch[SNUG__SLOT_MAIN] = 8;
  SNUG_TRY(snug__session_init(&session, m, &spec));
  snug_status s = snug__session_commit(&session);
  snug__session_release(&session);
  ASSERT_TRUE(s || m->training->store);
  return s;
}

static snug_status train(snug_model *m) {
  static float x[ROWS * INPUTS], y[ROWS * 2];
  for (int i = 0; i < ROWS * INPUTS; i++) {
    x[i] = (float)(i * 7919 % 1000) / 1000.0f;
  }
  snug_array xs = {x, SNUG_FLOAT32, 2, {ROWS, INPUTS}}, ys = {y, SNUG_FLOAT32, 2, {ROWS, 2}};
  snug_data data = {sizeof data, &xs, 1, &ys, 1, NULL};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = 8;
  return snug_fit(m, &data, &o, NULL);
}

/* Load a saved model, or its weights alone into a new one. */
static snug_model *load(snug_ctx *ctx, const char *path) {
  snug_model *m = NULL;
  if (strstr(path, ".keras")) {
    ASSERT_OK(ctx, snug_model_load(ctx, path, NULL, &m));
    return m;
  }
  m = compiled(ctx);
  ASSERT_OK(ctx, snug_model_load_weights(m, path));
  return m;
}

/* Whether a file has the model's weights; *has_slots: and the optimizer's state. */
static bool holds(const snug_model *m, const char *path, bool *has_slots) {
  struct stat info;
  snug_model *found = load(m->ctx, path);
  ASSERT_EQ_INT(stat(path, &info), 0);
  ASSERT_EQ_UINT(found->weights_bytes, m->weights_bytes);
  bool same = memcmp(snug__place_pointer(found->weights), snug__place_pointer(m->weights),
                     m->weights_bytes) == 0;
  *has_slots = info.st_size > 2 * (int64_t)m->weights_bytes;
  snug_model_destroy(found);
  return same;
}

typedef struct outcome {
  bool was_trained, is_whole;
} outcome;

static void judge(const snug_model *m, const snug_save_file *f, snug_status saved, outcome *out) {
  ASSERT_TRUE(*f->saved);
  ASSERT_TRUE(holds(m, f->saved, &out->is_whole));
  ASSERT_EQ_INT(out->is_whole, saved == SNUG_OK);
  if (saved) {
    ASSERT_EQ_INT(saved, SNUG_E_IO);
    ASSERT_HAS(snug_message(m->ctx), "failed: Input/output error; the model is in ");
    ASSERT_HAS(snug_message(m->ctx), f->saved);
    ASSERT_HAS(snug_message(m->ctx), " without the optimizer's state");
  }
}

/* One run, in which a call on the file of the slots fails; returns the calls on it. */
static long run(const place *p, bool has_path, long at, bool later, outcome *out) {
  const char *const folders[] = {p->instead};
  snug_ctx *ctx = test_ctx();
  snug_model *m = compiled(ctx);
  snug_save_file f = {.struct_size = sizeof f,
                      .path = has_path ? p->model : NULL,
                      .instead = folders,
                      .n_instead = 1};
  *out = (outcome){0};
  file_faults_begin(p->disk, at, EIO, later);
  ASSERT_OK(ctx, snug_save_file_begin(&f, m));
  snug_status s = put_slots_on_disk(m, p->disk);
  snug_status fitted = s ? s : train(m);
  out->was_trained = !s;
  snug_status saved = s ? SNUG_OK : snug_save_file_end(&f);
  long calls = file_faults_end(NULL);
  ASSERT_TRUE(!fitted || fitted == SNUG_E_IO);
  if (out->was_trained) {
    judge(m, &f, saved, out);
    ASSERT_TRUE(!has_path || strcmp(f.saved, f.path) == 0);
    unlink(f.saved);
  }
  snug_save_file_drop(&f);
  snug_model_destroy(m);
  test_ctx_end(ctx);
  return calls;
}

static void make_place(place *p, const char *name) {
  snprintf(p->disk, sizeof p->disk, "%.280s", test_path("disk"));
  snprintf(p->instead, sizeof p->instead, "%.280s", test_path("instead"));
  snprintf(p->model, sizeof p->model, "%.280s", test_path(name));
  ASSERT_TRUE(mkdir(p->disk, 0700) == 0 && mkdir(p->instead, 0700) == 0);
}

static void sweep(const char *name, bool has_path) {
  place p;
  outcome o;
  long partial = 0;
  make_place(&p, name);
  long calls = run(&p, has_path, 0, false, &o);
  ASSERT_TRUE(o.was_trained && o.is_whole && calls > 15);
  for (int later = 0; later < 2; later++) {
    for (long at = 1; at <= calls; at++) {
      run(&p, has_path, at, later, &o);
      partial += o.was_trained && !o.is_whole;
    }
  }
  printf("%ld calls, %ld saved without the optimizer's state\n", calls, partial);
  ASSERT_TRUE(partial > calls);
}

TEST(the_weights_are_saved_without_slots_that_are_lost) { sweep("m.keras", true); }

TEST(so_are_they_as_weights_alone) { sweep("m.weights.h5", true); }

TEST(and_where_no_path_was_given) { sweep("none", false); }

/* A save of the user's own fails as a whole: it never leaves something out by itself. */
TEST(a_save_that_was_not_begun_is_whole_or_none) {
  place p;
  snug_ctx *ctx = test_ctx();
  snug_model *m = compiled(ctx);
  make_place(&p, "m.keras");
  ASSERT_OK(ctx, put_slots_on_disk(m, p.disk));
  ASSERT_OK(ctx, train(m));
  file_faults_begin(p.disk, 1, EIO, false);
  ASSERT_STATUS(ctx, snug_model_save(m, p.model), SNUG_E_IO, "Input/output error");
  file_faults_end(NULL);
  ASSERT_TRUE(access(p.model, F_OK) != 0);
  snug_model_destroy(m);
}
