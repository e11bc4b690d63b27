/* BackupAndRestore: a fit that was killed goes on where it stood.
 *
 * Keras's two files hold weights, optimizer and epoch, and are written for Keras.  What a fit needs
 * to go on bit for bit -- shuffles, random numbers, running metrics, history, what callbacks
 * remember -- is more; snug.backup holds all of it, variables included, and is replaced in one
 * step: so whenever the process is killed, there is one whole state, and no two files to be
 * matched. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/left_over.h"
#include "base/struct_size.h"
#include "callbacks/backup_file.h"
#include "callbacks/callback.h"
#include "keras/save.h"

static const char own_name[] = SNUG_BACKUP_FILE;
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
  bool is_open; /* the folder, whose lock keeps other runs from it */
  bool is_new;  /* it was not there before this fit */
  int folder;
  snug__save_room save_room;
  snug__backup_head head;
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
  snug_status s = snug__backup_write(path, f, &b->head);
  s = s ? s : write_for_keras(b, f);
  snug__fit_saves(f, false);
  return s;
}

/* ---- the end ---- */

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
  snug__remove_left_over(b->base.target.path);
  rmdir(b->base.target.path);
  return SNUG_OK;
}

/* ---- the folder ---- */

static snug_status fail_folder(const backup *b, const char *what) {
  char reason[128];
  int code = errno;
  return snug__fail(b->base.ctx, SNUG_E_IO, "BackupAndRestore: %.300s: %s: %s", b->base.target.path,
                    what, strerror_r(code, reason, sizeof reason));
}

static void close_folder(backup *b) {
  if (b->is_open) {
    close(b->folder);
    b->is_open = false;
  }
}

/* Two runs must not write one backup. */
static snug_status hold_folder(backup *b) {
  b->folder = open(b->base.target.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (b->folder < 0) {
    return fail_folder(b, "cannot be opened");
  }
  b->is_open = true;
  snug_status s = snug__lock(b->base.ctx, b->folder, b->base.target.path);
  if (s) {
    close_folder(b);
  }
  return s;
}

/* There must be room for the file, and for Keras's if there is one, beside those that they take the
 * place of. */
static snug_status rehearse(const backup *b) {
  const snug__fit *f = b->base.model->training->fit;
  char path[SNUG__PATH_BYTES];
  SNUG_TRY(path_of(b, own_name, path));
  return snug__replace_rehearse(b->base.ctx, path,
                                snug__backup_bytes(f, &b->head) + b->save_room.file_bytes);
}

static snug_status open_folder(backup *b) {
  char path[SNUG__PATH_BYTES];
  SNUG_TRY(path_of(b, own_name, path));
  b->is_new = access(b->base.target.path, F_OK) != 0;
  SNUG_TRY(snug__make_folders(b->base.ctx, path));
  SNUG_TRY(hold_folder(b));
  return rehearse(b);
}

/* ---- keeping ---- */

static snug_status refuse_keras(const backup *b) {
  return snug__fail(b->base.ctx, SNUG_E_STATE,
                    "BackupAndRestore: %.300s holds a backup that Keras made, and not all that is "
                    "needed to go on bit for bit; load its weights, or remove the folder",
                    b->base.target.path);
}

/* The backup does not fit this fit.  While another run writes it, that is what the user has to
 * know: the folder is held from the first step on alone, so that plans can be made beside. */
static snug_status refuse_head(backup *b, snug_status s) {
  snug_status used = hold_folder(b);
  close_folder(b);
  return used == SNUG_E_STATE ? used : s;
}

static snug_status plan(void *user, snug__fit *f) {
  backup *b = user;
  char path[SNUG__PATH_BYTES];
  SNUG_TRY(path_of(b, own_name, path));
  SNUG_TRY(snug__settings_take(f, &b->head.settings));
  snug_status s = snug__backup_plan(path, f, &b->head);
  if (s) {
    return refuse_head(b, s);
  }
  if (f->kept.is_kept) {
    snprintf(f->model->training->note, SNUG__NOTE_BYTES,
             "the plan is that of the backup in %.200s, which the fit goes on from",
             b->base.target.path);
  }
  return SNUG_OK;
}

static snug_status resume(void *user, snug__fit *f) {
  const backup *b = user;
  char path[SNUG__PATH_BYTES];
  bool found = false;
  SNUG_TRY(path_of(b, own_name, path));
  SNUG_TRY(snug__backup_read(path, f, &b->head, &found));
  SNUG_TRY(path_of(b, metadata_name, path));
  return found || access(path, F_OK) != 0 ? SNUG_OK : refuse_keras(b);
}

static void keep(backup *b, snug__fit *f, bool is_last) {
  snug_status s = write_all(b, f);
  b->is_kept = is_last && !s;
  snug__cannot_write(&b->base, s);
}

static snug_status after_batch(void *user, snug__fit *f, bool goes_on) {
  backup *b = user;
  bool is_due = snug__freq_is_due(&b->seen, b->freq);
  bool is_last = is_interrupted(b);
  if (!b->is_kept && (is_last || (is_due && goes_on))) {
    keep(b, f, is_last);
  }
  return SNUG_OK;
}

static snug_status after_epoch(void *user, snug__fit *f) {
  backup *b = user;
  bool is_last = is_interrupted(b);
  if (!b->is_kept && (is_last || !b->freq)) {
    keep(b, f, is_last);
  }
  return SNUG_OK;
}

/* The run ends; once the data are mended, it can go on from here. */
static snug_status without_data(void *user, snug__fit *f) {
  backup *b = user;
  snug_status s = b->is_kept ? SNUG_OK : write_all(b, f);
  snug__cannot_write(&b->base, s);
  return s;
}

static snug_status finish(void *user) {
  backup *b = user;
  snug__cannot_write(&b->base, b->is_kept || !b->o.delete_checkpoint ? SNUG_OK : remove_all(b));
  return SNUG_OK;
}

/* ---- hooks ---- */

/* A folder that was made and in which nothing was kept is removed. */
static void close_all(void *user) {
  backup *b = user;
  if (b->is_open && b->is_new) {
    rmdir(b->base.target.path);
  }
  close_folder(b);
  snug__save_room_release(b->base.model, &b->save_room);
  snug__settings_give(b->base.ctx, &b->head.settings);
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
  b->head = (snug__backup_head){0};
  b->seen = (snug__freq){0};
  f->keeper = &b->keeper;
  return SNUG_OK;
}

static void *state(void *user, size_t *bytes) {
  backup *b = user;
  *bytes = sizeof b->seen;
  return &b->seen;
}

static bool train_begin(void *user, int64_t epochs, int64_t steps) {
  backup *b = user;
  (void)epochs;
  (void)steps;
  b->base.unwritten[0] = 0;
  return snug__go_on(&b->base, open_folder(b));
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
  b->keeper = (snug__keeper){b, plan, resume, after_batch, after_epoch, without_data, finish};
  out->prepare = prepare;
  out->close = close_all;
  out->state = state;
  out->train_begin = train_begin;
  out->batch_end = batch_end;
  return SNUG_OK;
}

const snug__callback_class snug__backup = {.name = "BackupAndRestore",
                                           .bytes = sizeof(backup),
                                           .fields = fields,
                                           .options = offsetof(backup, o),
                                           .needs_path = true,
                                           .create = create};

snug_status snug_backup_remove(const snug_callback *c) {
  snug_callback given;
  if (SNUG__READ(NULL, snug_callback, c, &given) || given.batch_end != batch_end) {
    return SNUG_E_ARGUMENT;
  }
  backup *b = given.user;
  snug_status s = hold_folder(b);
  s = s ? s : remove_all(b);
  close_folder(b);
  return s;
}

snug_status snug_backup_names(snug_ctx *ctx, const char *folder, const char *path, bool *out) {
  char file[SNUG__PATH_BYTES];
  if (!ctx || !folder || !path || !out) {
    return ctx ? snug__fail(ctx, SNUG_E_ARGUMENT, "a backup: a folder and a path are needed")
               : SNUG_E_ARGUMENT;
  }
  *out = false;
  int n = snprintf(file, sizeof file, "%s/%s", folder, own_name);
  return n > 0 && n < (int)sizeof file
             ? snug__backup_names(file, ctx, path, out)
             : snug__fail(ctx, SNUG_E_ARGUMENT, "the path '%.300s...' is too long", folder);
}
