/* A save that is rehearsed before a training, and that finds another place behind it. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/store_file.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "keras/save.h"
#include "train/slots.h"

#define MOST_TRIES 1000

static snug__replace *replacement_of(snug_save_file *f) {
  _Static_assert(sizeof(snug__replace) <= sizeof f->room, "room for it");
  _Static_assert(SNUG_PATH_BYTES == SNUG__PATH_BYTES, "the same paths");
  return (snug__replace *)(void *)f->room;
}

/* ---- the beginning ---- */

static snug_status begin(snug_save_file *f) {
  snug__replace *r = replacement_of(f);
  int64_t bytes = 0;
  SNUG_TRY(snug__save_check(f->model->ctx, f->path));
  SNUG_TRY(snug__save_bytes(f->model, &bytes));
  SNUG_TRY(snug__replace_begin(r, f->model->ctx, f->path));
  snug_status s = snug__replace_reserve(r, bytes);
  if (s) {
    snug__replace_abandon(r);
  }
  f->is_begun = !s;
  return s;
}

snug_status snug_save_file_begin(snug_save_file *f, snug_model *m) {
  if (!f || !m) {
    return m ? snug__fail(m->ctx, SNUG_E_ARGUMENT, "a file to save to: there is no place for it")
             : SNUG_E_ARGUMENT;
  }
  SNUG_TRY(SNUG__WHOLE(m->ctx, snug_save_file, f));
  f->model = m;
  f->saved[0] = 0;
  f->is_begun = false;
  SNUG_TRY(snug__save_ready(m));
  return f->path ? begin(f) : SNUG_OK;
}

void snug_save_file_drop(snug_save_file *f) {
  if (f && f->is_begun) {
    snug__replace_abandon(replacement_of(f));
    f->is_begun = false;
  }
}

/* ---- writing ---- */

/* A save at the end of a training. */
typedef struct ending {
  snug_save_file *f;
  snug_status failed;            /* the first failure; SNUG_OK: none */
  char why[SNUG__MESSAGE_BYTES]; /* the messages of all that matter */
  bool is_partial;               /* the optimizer's slots are lost, and left out */
} ending;

static void note(ending *e, snug_status s) {
  size_t n = strlen(e->why);
  snprintf(e->why + n, sizeof e->why - n, "%s%.480s", n ? "; " : "", e->f->model->ctx->message);
  e->failed = e->failed ? e->failed : s;
}

/* Slots that live in a file may be lost with it; the rest is in memory. */
static snug_status write_into(ending *e, const char *path, snug__replace *r) {
  snug_model *m = e->f->model;
  snug_status s = snug__save_into(m, path, r, !e->is_partial);
  if (!s || e->is_partial || !snug__slots_are_lost(m)) {
    return s;
  }
  note(e, s);
  e->is_partial = true;
  snug__replace_restart(r);
  return snug__save_into(m, path, r, false);
}

static snug_status save_at_path(ending *e) {
  snug_save_file *f = e->f;
  snug__replace *r = replacement_of(f);
  if (!f->is_begun) {
    return snug__fail(f->model->ctx, SNUG_E_STATE, "%s: the save was not begun", f->path);
  }
  f->is_begun = false;
  SNUG_TRY(snug__replace_end(r, write_into(e, f->path, r)));
  snprintf(f->saved, sizeof f->saved, "%s", f->path);
  return SNUG_OK;
}

/* ---- another place ---- */

/* A free name in a folder. */
static bool find_name(const snug_save_file *f, const char *folder, char *out) {
  const char *end = f->path && snug__ends_in(f->path, ".weights.h5") ? "weights.h5" : "keras";
  struct stat there;
  for (int i = 0; i < MOST_TRIES; i++) {
    int n =
        snprintf(out, SNUG__PATH_BYTES, "%s/snug-model-%ld-%d.%s", folder, (long)getpid(), i, end);
    if (n < 0 || n >= SNUG__PATH_BYTES) {
      return false;
    }
    if (lstat(out, &there) != 0) {
      return true;
    }
  }
  return false;
}

static bool save_in(ending *e, const char *folder) {
  char path[SNUG__PATH_BYTES];
  snug__replace r;
  if (!folder || !folder[0] || !find_name(e->f, folder, path) ||
      snug__replace_begin(&r, e->f->model->ctx, path) ||
      snug__replace_end(&r, write_into(e, path, &r))) {
    return false;
  }
  memcpy(e->f->saved, path, sizeof e->f->saved);
  return true;
}

static bool save_anywhere(ending *e) {
  const snug_save_file *f = e->f;
  char folder[SNUG__PATH_BYTES];
  bool found = f->path && save_in(e, snug__folder_of(f->path, folder));
  for (int32_t i = 0; i < f->n_instead && !found; i++) {
    found = save_in(e, f->instead[i]);
  }
  return found || save_in(e, snug__store_folder(NULL)) || save_in(e, "/tmp") || save_in(e, ".");
}

/* ---- the end ---- */

static snug_status conclude(const ending *e, bool is_saved) {
  snug_ctx *ctx = e->f->model->ctx;
  const char *saved = e->f->saved;
  if (!is_saved) {
    return e->failed ? snug__fail_within(ctx, e->failed,
                                         "%.500s; and no other place takes the model", e->why)
                     : snug__fail_within(ctx, SNUG_E_IO, "no place takes the model");
  }
  if (e->is_partial) {
    return snug__fail(ctx, e->failed,
                      "%.500s; the model is in %.400s without the optimizer's state", e->why,
                      saved);
  }
  return e->failed
             ? snug__fail(ctx, e->failed, "%.500s; the model is in %.400s instead", e->why, saved)
             : SNUG_OK;
}

snug_status snug_save_file_end(snug_save_file *f) {
  if (!f || !f->model) {
    return SNUG_E_ARGUMENT;
  }
  ending e = {.f = f};
  f->saved[0] = 0;
  snug_status s = f->path ? save_at_path(&e) : SNUG_OK;
  if (s) {
    note(&e, s);
  }
  return conclude(&e, (f->path && !s) || save_anywhere(&e));
}
