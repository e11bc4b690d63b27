/* BackupAndRestore: a fit that was killed goes on where it stood.
 *
 * Keras's two files hold weights, optimizer and epoch, and are written for Keras.  What a fit needs
 * to go on bit for bit -- shuffles, random numbers, running metrics, history, what callbacks
 * remember -- is more; snug.backup holds all of it, variables included, and is replaced in one
 * step: so whenever the process is killed, there is one whole state, and no two files to be
 * matched. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "callbacks/backup_file.h"
#include "callbacks/callback.h"
#include "keras/save.h"

static const char own_name[] = "snug.backup";
static const char weights_name[] = "latest.weights.h5";
static const char metadata_name[] = "training_metadata.json";

typedef struct options {
  char save_freq[SNUG__NAME_BYTES];
  bool delete_checkpoint;
} options;

typedef struct backup {
  snug__caller base;
  options o;
  int64_t freq; /* batches; 0: epochs */
  snug__freq seen;
  bool is_kept; /* interrupted: what is in the folder stays as it is */
  snug__save_room save_room;
  snug__keeper keeper;
} backup;

static const snug__field fields[] = {SNUG_FIELD(options, save_freq, TEXT, "epoch"),
                                     SNUG_FIELD(options, delete_checkpoint, BOOL, "true"),
                                     {0}};

static bool is_interrupted(const backup *b) {
  return b->base.target.interrupted && *b->base.target.interrupted;
}

/* ---- writing ---- */

static snug_status path_of(const backup *b, const char *name, char out[SNUG__PATH_BYTES]) {
  int n = snprintf(out, SNUG__PATH_BYTES, "%s/%s", b->base.target.path, name);
  return n > 0 && n < SNUG__PATH_BYTES ? SNUG_OK
                                       : snug__fail(b->base.ctx, SNUG_E_ARGUMENT,
                                                    "BackupAndRestore: the path '%.300s...' is "
                                                    "too long",
                                                    b->base.target.path);
}

static snug_status write_metadata(const backup *b, const snug__fit *f) {
  char path[SNUG__PATH_BYTES];
  char text[128];
  snug__replace r;
  int64_t batch = f->at.step > 0 ? f->at.step - 1 : 0; /* Keras tells the last one made */
  int n = snprintf(text, sizeof text, "{\"epoch\": %lld, \"batch\": %lld}", (long long)f->at.epoch,
                   (long long)batch);
  SNUG_TRY(path_of(b, metadata_name, path));
  SNUG_TRY(snug__replace_begin(&r, b->base.ctx, path));
  snug_status s = snug__replace_write(&r, text, (size_t)n);
  if (s) {
    snug__replace_abandon(&r);
    return s;
  }
  return snug__replace_commit(&r);
}

/* A model that Keras could not load has no files of Keras's: the fit can go on without them. */
static snug_status write_for_keras(backup *b, const snug__fit *f) {
  char path[SNUG__PATH_BYTES];
  SNUG_TRY(path_of(b, weights_name, path));
  snug_status s = snug__save_in_room(b->base.model, path, &b->save_room);
  if (s == SNUG_E_UNSUPPORTED) {
    return SNUG_OK;
  }
  return s ? s : write_metadata(b, f);
}

static snug_status write_all(backup *b, snug__fit *f) {
  char path[SNUG__PATH_BYTES];
  SNUG_TRY(path_of(b, own_name, path));
  SNUG_TRY(snug__make_folders(b->base.ctx, path));
  snug__fit_saves(f, true);
  snug_status s = snug__backup_write(path, f);
  s = s ? s : write_for_keras(b, f);
  snug__fit_saves(f, false);
  return s;
}

/* ---- the end ---- */

static bool is_temporary(const char *name) {
  size_t n = strlen(name);
  return strncmp(name, ".snug-", 6) == 0 && n > 4 && strcmp(name + n - 4, ".tmp") == 0;
}

/* What a process that was killed while it wrote left behind. */
static void remove_temporary(const backup *b) {
  char path[SNUG__PATH_BYTES];
  DIR *folder = opendir(b->base.target.path);
  for (struct dirent *e = NULL; folder && (e = readdir(folder));) {
    if (is_temporary(e->d_name) && !path_of(b, e->d_name, path)) {
      unlink(path);
    }
  }
  if (folder) {
    closedir(folder);
  }
}

/* Our own file goes last: until then the fit could be resumed.  What others put into the folder
 * stays, and the folder with it. */
static snug_status remove_all(const backup *b) {
  const char *const names[] = {metadata_name, weights_name, own_name};
  char path[SNUG__PATH_BYTES];
  char reason[128];
  for (size_t i = 0; i < SNUG_COUNT(names); i++) {
    SNUG_TRY(path_of(b, names[i], path));
    if (unlink(path) != 0 && errno != ENOENT) {
      return snug__fail(b->base.ctx, SNUG_E_IO, "%.300s: cannot be removed: %s", path,
                        strerror_r(errno, reason, sizeof reason));
    }
  }
  remove_temporary(b);
  rmdir(b->base.target.path);
  return SNUG_OK;
}

/* ---- keeping ---- */

static snug_status refuse_keras(const backup *b) {
  return snug__fail(b->base.ctx, SNUG_E_STATE,
                    "BackupAndRestore: %.300s holds a backup that Keras made, and not all that is "
                    "needed to go on bit for bit; load its weights, or remove the folder",
                    b->base.target.path);
}

static snug_status resume(void *user, snug__fit *f) {
  const backup *b = user;
  char path[SNUG__PATH_BYTES];
  bool found = false;
  SNUG_TRY(path_of(b, own_name, path));
  SNUG_TRY(snug__make_folders(b->base.ctx, path));
  SNUG_TRY(snug__backup_read(path, f, &found));
  SNUG_TRY(path_of(b, metadata_name, path));
  return found || access(path, F_OK) != 0 ? SNUG_OK : refuse_keras(b);
}

static snug_status after_batch(void *user, snug__fit *f, bool goes_on) {
  backup *b = user;
  bool is_due = snug__freq_is_due(&b->seen, b->freq);
  bool is_last = is_interrupted(b);
  if (b->is_kept || (!is_last && !(is_due && goes_on))) {
    return SNUG_OK;
  }
  b->is_kept = is_last;
  return write_all(b, f);
}

static snug_status after_epoch(void *user, snug__fit *f) {
  backup *b = user;
  bool is_last = is_interrupted(b);
  if (b->is_kept || (!is_last && b->freq)) {
    return SNUG_OK;
  }
  b->is_kept = is_last;
  return write_all(b, f);
}

/* The run ends; once the data are mended, it can go on from here. */
static snug_status without_data(void *user, snug__fit *f) {
  backup *b = user;
  return b->is_kept ? SNUG_OK : write_all(b, f);
}

static snug_status finish(void *user) {
  const backup *b = user;
  return b->is_kept || !b->o.delete_checkpoint ? SNUG_OK : remove_all(b);
}

/* ---- hooks ---- */

static void close_all(void *user) {
  backup *b = user;
  snug__save_room_release(b->base.model, &b->save_room);
}

static snug_status prepare(void *user) {
  backup *b = user;
  snug__fit *f = b->base.model->training->fit;
  if (f->keeper) {
    return snug__fail(b->base.ctx, SNUG_E_ARGUMENT,
                      "BackupAndRestore: there is another one in this fit");
  }
  snug_status s = snug__save_room_take(b->base.model, &b->save_room);
  if (s && s != SNUG_E_UNSUPPORTED) {
    close_all(b);
    return s;
  }
  b->is_kept = false;
  b->seen = (snug__freq){0};
  f->keeper = &b->keeper;
  return SNUG_OK;
}

static void *state(void *user, size_t *bytes) {
  backup *b = user;
  *bytes = sizeof b->seen;
  return &b->seen;
}

static bool batch_end(void *user, int64_t batch, const snug_logs *logs) {
  (void)batch;
  (void)logs;
  return !is_interrupted(user);
}

static snug_status create(void *self, const char *config, snug_callback *out) {
  backup *b = self;
  (void)config;
  SNUG_TRY(snug__freq_parse(&b->base, b->o.save_freq, &b->freq));
  b->keeper = (snug__keeper){b, resume, after_batch, after_epoch, without_data, finish};
  out->prepare = prepare;
  out->close = close_all;
  out->state = state;
  out->batch_end = batch_end;
  return SNUG_OK;
}

const snug__callback_class snug__backup = {.name = "BackupAndRestore",
                                           .bytes = sizeof(backup),
                                           .fields = fields,
                                           .options = offsetof(backup, o),
                                           .needs_path = true,
                                           .create = create};
