/* A view as TensorBoard's event files, laid out and named as Keras's callback does. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "report/events.h"
#include "report/view.h"

#define NAME_BYTES 200
#define TAG_BYTES 512

typedef struct board {
  const snug_view *view;
  const char *folder;
  bool replace;
  const snug__run *run;
  char names[SNUG_VIEW_MOST][NAME_BYTES]; /* of the runs' folders so far */
  const char *name;                       /* of this run's; "" if it is the only run */
  double began;                           /* seconds since 1970; 0: not known */
} board;

/* ---- when it began ---- */

/* "+02:00" behind a time; "Z" or nothing is 0. */
static double offset_of(const char *text) {
  int64_t hours = 0, minutes = 0;
  const char *at = strpbrk(text, "+-");
  double sign = at && *at == '-' ? -1.0 : 1.0;
  if (!at || !isdigit((unsigned char)*++at) || !snug__read_int(&at, &hours)) {
    return 0.0;
  }
  at += *at == ':';
  if (!isdigit((unsigned char)*at) || !snug__read_int(&at, &minutes)) {
    minutes = 0;
  }
  return hours <= 24 && minutes < 60 ? sign * (3600.0 * (double)hours + 60.0 * (double)minutes) : 0;
}

static double began(const snug__run *run) {
  const char *text = snug__run_fact(run, "run.began");
  struct tm parts = {0};
  const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &parts) : NULL;
  return rest ? (double)timegm(&parts) - offset_of(rest) : 0.0;
}

/* ---- folders and files ---- */

/* A name that is one folder, whatever it held. */
static void clean_name(const snug__run *run, char out[NAME_BYTES]) {
  const char *name = snug__short_name(run->name);
  snprintf(out, NAME_BYTES - 8, "%s", name);
  size_t n = strlen(out);
  if (n > 5 && strcmp(out + n - 5, ".snug") == 0) {
    out[n - 5] = '\0';
  }
  for (char *c = out; *c; c++) {
    bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                    (*c >= '0' && *c <= '9') || *c == '-' || *c == '_';
    bool is_dot = *c == '.' && c != out;
    *c = is_plain || is_dot ? *c : '_';
  }
}

static bool is_taken(const board *b, size_t run) {
  for (size_t i = 0; i < run; i++) {
    if (strcmp(b->names[i], b->names[run]) == 0) {
      return true;
    }
  }
  return false;
}

/* Runs of the same name get numbers, the first that makes a name which no run before has. */
static void name_run(board *b, size_t run) {
  char *name = b->names[run];
  b->name = b->view->n == 1 ? "" : name;
  clean_name(&b->view->runs[run], name);
  size_t n = strlen(name);
  for (size_t number = 2; is_taken(b, run); number++) {
    snprintf(name + n, NAME_BYTES - n, "-%zu", number);
  }
}

static snug_status begin_file(const board *b, const char *part, snug__events *e) {
  char path[SNUG__PATH_BYTES];
  snug_ctx *ctx = b->view->ctx;
  int n = snprintf(path, sizeof path, "%s/%s%s%s/events.out.tfevents.%010lld.snug.0.0", b->folder,
                   b->name, *b->name ? "/" : "", part, (long long)b->began);
  if (n < 0 || (size_t)n >= sizeof path) {
    return snug__fail(ctx, SNUG_E_OVERFLOW, "%.300s: this name is too long", b->folder);
  }
  if (!b->replace && access(path, F_OK) == 0) {
    return snug__fail(ctx, SNUG_E_IO,
                      "%.600s exists; it can be replaced (replace of snug_view_tensorboard)", path);
  }
  return snug__events_begin(e, ctx, path, b->began);
}

/* ---- values ---- */

static double wall(const board *b, double seconds) {
  return b->began + (isfinite(seconds) ? seconds : 0.0);
}

static bool is_validation(const char *name) { return strncmp(name, "val_", 4) == 0; }

/* The folder says whose value it is, so its tag does not. */
static snug_status put_value(const board *b, snug__events *e, const snug__epoch_row *epoch,
                             size_t i, bool validation) {
  const char *name = epoch->logs.names[i];
  char tag[TAG_BYTES];
  bool is_memory = strcmp(name, SNUG_PEAK_MEMORY) == 0;
  if (is_memory || is_validation(name) != validation || isnan(epoch->logs.values[i])) {
    return SNUG_OK;
  }
  snprintf(tag, sizeof tag, "epoch_%s", validation ? name + 4 : name);
  return snug__events_scalar(e, tag, epoch->epoch, wall(b, epoch->end), epoch->logs.values[i]);
}

static snug_status put_epoch(const board *b, snug__events *e, const snug__epoch_row *epoch,
                             bool validation) {
  for (size_t i = 0; i < epoch->logs.n; i++) {
    SNUG_TRY(put_value(b, e, epoch, i, validation));
  }
  double end = wall(b, epoch->end);
  if (validation || !epoch->peak) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__events_scalar(e, "epoch_peak_memory", epoch->epoch, end, (double)epoch->peak));
  return epoch->device ? snug__events_scalar(e, "epoch_peak_gpu_memory", epoch->epoch, end,
                                             (double)epoch->device)
                       : SNUG_OK;
}

static snug_status put_epochs(const board *b, snug__events *e, bool validation) {
  for (size_t i = 0; i < b->run->epochs.n; i++) {
    SNUG_TRY(put_epoch(b, e, snug__run_epoch(b->run, i), validation));
  }
  return SNUG_OK;
}

/* ---- batches ---- */

/* The step of a batch counts those of the epochs before it.  A run without epochs has
 * milliseconds. */
static snug_status put_moment(const board *b, snug__events *e, const snug_moment *m,
                              uint64_t before) {
  bool is_batch = strcmp(m->at, "batch_end") == 0 && m->batch >= 0;
  bool is_sample = m->epoch < 0 && b->run->epochs.n == 0;
  if (!m->resident || (!is_batch && !is_sample)) {
    return SNUG_OK;
  }
  int64_t step =
      is_batch ? (int64_t)(before + (uint64_t)m->batch) : (int64_t)llround(m->seconds * 1e3);
  return snug__events_scalar(e, is_batch ? "batch_memory" : "memory", step, wall(b, m->seconds),
                             (double)m->resident);
}

static snug_status put_moments(const board *b, snug__events *e) {
  for (size_t i = 0; i < snug_recording_moments(b->run->of); i++) {
    const snug_moment *m = snug_recording_moment(b->run->of, i);
    const snug__epoch_row *row = snug__run_find_epoch(b->run, m->epoch);
    SNUG_TRY(put_moment(b, e, m, row ? row->batches_before : 0));
  }
  return SNUG_OK;
}

/* ---- files ---- */

static snug_status write_part(const board *b, bool validation) {
  snug__events e;
  SNUG_TRY(begin_file(b, validation ? "validation" : "train", &e));
  snug_status s = put_epochs(b, &e, validation);
  s = s || validation ? s : put_moments(b, &e);
  if (s) {
    snug__events_abandon(&e);
    return s;
  }
  return snug__events_end(&e);
}

static bool was_validated(const snug__run *run) {
  for (size_t i = 0; i < run->epochs.n; i++) {
    const snug_logs *logs = &snug__run_epoch(run, i)->logs;
    for (size_t k = 0; k < logs->n; k++) {
      if (is_validation(logs->names[k])) {
        return true;
      }
    }
  }
  return false;
}

snug_status snug_view_tensorboard(const snug_view *v, const char *folder, bool replace) {
  if (!v) {
    return SNUG_E_ARGUMENT;
  }
  if (!folder || !*folder) {
    return snug__fail(v->ctx, SNUG_E_ARGUMENT, "event files need a folder");
  }
  board b = {.view = v, .folder = folder, .replace = replace};
  for (size_t i = 0; i < v->n; i++) {
    b.run = &v->runs[i];
    b.began = began(b.run);
    name_run(&b, i);
    SNUG_TRY(write_part(&b, false));
    if (was_validated(b.run)) {
      SNUG_TRY(write_part(&b, true));
    }
  }
  return SNUG_OK;
}
