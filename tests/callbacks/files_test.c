/* Every call that writes a file of a fit fails once: the weights are on disk in a file that is
 * named, or the fit had not begun, and what was there is as it was. */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callbacks/callback.h"
#include "callbacks/file_faults.h"
#include "callbacks/lab.h"
#include "callbacks/watch.h"

enum { N_CALLBACKS = 4 };

/* What a fit writes, in a folder of its own. */
typedef struct place {
  char folder[256], model[300], csv[300], checkpoint[300], backup[300], record[300];
} place;

/* What came of one. */
typedef struct outcome {
  snug_status begun, fitted, saved;
  bool was_trained;
  char said[SNUG__MESSAGE_BYTES], where[SNUG_PATH_BYTES], *weights;
  size_t bytes;
} outcome;

static bool tell(void *user, int64_t batch, const snug_logs *logs) {
  (void)batch;
  (void)logs;
  *(bool *)user = true;
  return true;
}

/* ---- the folder ---- */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at) {
  (void)info;
  (void)kind;
  (void)at;
  return remove(path);
}

static void fresh(place *p) {
  char root[PATH_MAX];
  ASSERT_NOT_NULL(realpath(watch_root(), root));
  snprintf(p->folder, sizeof p->folder, "%.200s/run", root);
  nftw(p->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  ASSERT_EQ_INT(mkdir(p->folder, 0700), 0);
  snprintf(p->model, sizeof p->model, "%s/m.weights.h5", p->folder);
  snprintf(p->csv, sizeof p->csv, "%s/log.csv", p->folder);
  snprintf(p->checkpoint, sizeof p->checkpoint, "%s/c.keras", p->folder);
  snprintf(p->backup, sizeof p->backup, "%s/backup", p->folder);
  snprintf(p->record, sizeof p->record, "%s/r.snug", p->folder);
  watch_write(p->model, "old model");
  watch_write(p->csv, "old log");
  watch_write(p->checkpoint, "old checkpoint");
}

static void expect_untouched(const char *path, const char *content) {
  char *found = watch_read(path);
  ASSERT_EQ_TEXT(found, content);
  free(found);
}

/* ---- a fit that saves its model at the end ---- */

static char *read_file(const char *path, size_t *n) {
  struct stat info;
  FILE *file = fopen(path, "rb");
  ASSERT_TRUE(file && fstat(fileno(file), &info) == 0);
  char *bytes = malloc((size_t)info.st_size + 1);
  *n = bytes ? fread(bytes, 1, (size_t)info.st_size, file) : 0;
  fclose(file);
  return bytes;
}

static void fit(snug_ctx *ctx, snug_model *m, const lab *l, const place *p, outcome *out) {
  snug_callback list[N_CALLBACKS + 1];
  snug_fit_record record = {.struct_size = sizeof record, .model = m, .path = p->record};
  const char *const names[] = {"CSVLogger", "ModelCheckpoint", "BackupAndRestore"};
  const char *const paths[] = {p->csv, p->checkpoint, p->backup};
  const char *const configs[] = {"", "", "delete_checkpoint=false"};
  for (size_t i = 0; i < SNUG_COUNT(list); i++) {
    list[i] = (snug_callback)SNUG_INIT(snug_callback);
  }
  for (size_t i = 0; i < 3; i++) {
    const snug_callback_target target = {.struct_size = sizeof target, .path = paths[i]};
    ASSERT_OK(ctx, snug_callback_create(m, names[i], configs[i], &target, &list[i]));
  }
  snug_fit_record_callback(&record, &list[3]);
  list[4] = (snug_callback){
      .struct_size = sizeof(snug_callback), .user = &out->was_trained, .batch_end = tell};
  snug_fit_options o = lab_options(l);
  snug_history *history = NULL;
  o.epochs = 2;
  o.callbacks = list;
  o.n_callbacks = N_CALLBACKS + 1;
  out->fitted = snug_fit(m, lab_data(l), &o, &history);
  ASSERT_TRUE(!out->fitted || *snug_message(ctx));
  ASSERT_TRUE(!out->was_trained || history); /* what cannot be written ends no training */
  ASSERT_TRUE(!out->fitted ==
                  (!*snug_callback_unwritten(&list[0]) && !*snug_callback_unwritten(&list[1]) &&
                   !*snug_callback_unwritten(&list[2])) ||
              !out->was_trained);
  snug_history_destroy(history);
  for (size_t i = 0; i < 3; i++) {
    snug_callback_destroy(&list[i]);
  }
}

/* One run with the call `at` failing; returns the calls made. */
static long run(const lab *l, place *p, long at, int error, bool later, outcome *out,
                const char **failed) {
  const char *const instead[] = {watch_root()};
  snug_ctx *ctx = test_ctx();
  snug_model *m = lab_model(ctx, l);
  snug_save_file file = {
      .struct_size = sizeof file, .path = p->model, .instead = instead, .n_instead = 1};
  *out = (outcome){0};
  fresh(p);
  file_faults_begin(p->folder, at, error, later);
  out->begun = snug_save_file_begin(&file, m);
  if (!out->begun) {
    fit(ctx, m, l, p, out);
    out->saved = out->was_trained ? snug_save_file_end(&file) : SNUG_OK;
    snprintf(out->said, sizeof out->said, "%s", out->saved ? snug_message(ctx) : "");
    snug_save_file_drop(&file);
  }
  long calls = file_faults_end(failed);
  snprintf(out->where, sizeof out->where, "%s", file.saved);
  if (*out->where) {
    out->weights = read_file(out->where, &out->bytes);
    unlink(strncmp(out->where, p->folder, strlen(p->folder)) == 0 ? "" : out->where);
  }
  snug_model_destroy(m);
  test_ctx_end(ctx);
  return calls;
}

static void judge(const place *p, const outcome *whole, const outcome *o) {
  if (!o->was_trained) {
    ASSERT_TRUE(o->begun || o->fitted);
    expect_untouched(p->model, "old model");
    expect_untouched(p->csv, "old log");
    expect_untouched(p->checkpoint, "old checkpoint");
    return;
  }
  ASSERT_TRUE(*o->where);
  ASSERT_EQ_UINT(o->bytes, whole->bytes);
  ASSERT_EQ_BYTES(o->weights, whole->weights, whole->bytes);
  if (o->saved) {
    ASSERT_HAS(o->said, o->where);
  }
}

static void sweep(long stride) {
  static const struct {
    int error;
    bool later;
  } kinds[] = {{ENOSPC, false}, {ENOSPC, true}, {EIO, false}, {EROFS, true}, {EIO, true}};
  const lab *l = &all_labs[0];
  static outcome whole, o;
  place p;
  const char *failed = NULL;
  long calls = run(l, &p, 0, ENOSPC, false, &whole, &failed), n = 0, refused = 0, elsewhere = 0;
  ASSERT_TRUE(whole.was_trained && !whole.fitted && !whole.saved && whole.weights);
  ASSERT_TRUE(calls > 500);
  for (size_t i = 0; i < SNUG_COUNT(kinds); i++) {
    for (long at = 1 + (long)i % stride; at <= calls; at += stride, n++) {
      run(l, &p, at, kinds[i].error, kinds[i].later, &o, &failed);
      printf("%s %ld %s%s\n", failed, at, strerror(kinds[i].error), kinds[i].later ? " on" : "");
      judge(&p, &whole, &o);
      refused += !o.was_trained;
      elsewhere += o.saved != SNUG_OK;
      free(o.weights);
    }
  }
  free(whole.weights);
  printf("%ld calls, %ld faults: %ld refused before step 1, %ld saved elsewhere\n", calls, n,
         refused, elsewhere);
}

/* SNUG_TEST_ALL: every call, in every way; else a part of them. */
TEST(every_call_that_writes_may_fail) { sweep(getenv("SNUG_TEST_ALL") ? 1 : 23); }

/* ---- file systems without links ---- */

/* A new file in the folder; other: another process is faster. */
static snug_status make_new(const place *p, bool other, const char *lacks, int error) {
  snug_ctx *ctx = test_ctx();
  char path[512];
  snug_new_file f;
  snprintf(path, sizeof path, "%s/new", p->folder);
  file_faults_lack(p->folder, lacks, error);
  ASSERT_OK(ctx, snug_new_file_begin(&f, ctx, path));
  ASSERT_OK(ctx, snug_new_file_write(&f, "new", 3));
  if (other) {
    watch_write(path, "theirs");
  }
  snug_status s = snug_new_file_end(&f, false);
  snug_new_file_drop(&f);
  file_faults_end(NULL);
  ASSERT_HAS(s ? snug_message(ctx) : "", s ? "File exists" : "");
  char *text = watch_read(path);
  ASSERT_EQ_TEXT(text, other ? "theirs" : "new");
  free(text);
  test_ctx_end(ctx);
  return s;
}

TEST(a_new_file_needs_no_links) {
  static const int errors[] = {EPERM, EOPNOTSUPP, ENOSYS, EMLINK};
  static const char *const lacking[] = {"", "link", "link place"};
  place p;
  for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
      fresh(&p);
      ASSERT_EQ_INT(make_new(&p, false, lacking[i], errors[k]), SNUG_OK);
      fresh(&p);
      ASSERT_EQ_INT(make_new(&p, true, lacking[i], errors[k]), SNUG_E_IO);
    }
  }
}
