/* ModelCheckpoint: save the model every so often, or whenever it is better than before. */
#include <string.h>

#include "base/file.h"
#include "base/size.h"
#include "base/text.h"
#include "callbacks/callback.h"
#include "callbacks/written.h"
#include "keras/save.h"

#define MOST_NAMES 1024     /* of values in the logs */
#define MOST_REHEARSED 1000 /* epochs whose paths are looked at before the first */
#define MOST_WRITTEN 1000   /* files that are known again */

typedef struct options {
  snug__monitor watch;
  bool save_best_only, save_weights_only;
  char save_freq[SNUG__NAME_BYTES];
  snug_floats initial_value_threshold; /* none or one */
} options;

typedef struct memory {
  snug__best best; /* goes on from fit to fit */
  snug__freq freq;
} memory;

typedef struct checkpoint {
  snug__caller base;
  options o;
  int64_t freq;  /* batches; 0: epochs */
  int64_t epoch; /* that is running */
  snug__save_room room;
  snug__written written;
  memory m;
} checkpoint;

static const snug__field fields[] = {
    {"monitor", SNUG__FIELD_TEXT, offsetof(options, watch.monitor), "val_loss", NULL},
    {"mode", SNUG__FIELD_CHOICE, offsetof(options, watch.mode), "auto", snug__modes},
    SNUG_FIELD(options, save_best_only, BOOL, "false"),
    SNUG_FIELD(options, save_weights_only, BOOL, "false"),
    SNUG_FIELD(options, save_freq, TEXT, "epoch"),
    SNUG_FIELD(options, initial_value_threshold, FLOATS, "none"),
    {0}};

/* ---- saving ---- */

static const char *best_text(const checkpoint *c, char *out, size_t bytes) {
  snprintf(out, bytes, c->m.best.is_set ? "%.5f" : "None", c->m.best.value);
  return out;
}

/* Whether this is a moment to save; says why or why not.  *best: what is the best then. */
static bool should_save(const checkpoint *c, const snug_logs *logs, const char *path,
                        snug__best *found) {
  long long epoch = (long long)c->epoch + 1;
  const char *monitor = c->o.watch.monitor;
  char best[64];
  double value = 0.0;
  if (!c->o.save_best_only) {
    snug__say(&c->base, "\nEpoch %lld: saving model to %s", epoch, path);
    return true;
  }
  if (!snug__logs_find(logs, monitor, &value)) {
    snug__say(&c->base, "Can save best model only with %s available.", monitor);
    return true;
  }
  best_text(c, best, sizeof best);
  if (!snug__monitor_improves(&c->o.watch, value, c->m.best)) {
    snug__say(&c->base, "\nEpoch %lld: %s did not improve from %s", epoch, monitor, best);
    return false;
  }
  snug__say(&c->base, "\nEpoch %lld: %s improved from %s to %.5f, saving model to %s", epoch,
            monitor, best, value, path);
  *found = (snug__best){value, true};
  return true;
}

/* What must not be replaced is the caller's to say; what this fit wrote itself may be. */
static snug_status check_target(const checkpoint *c, const char *path) {
  const snug_callback_target *t = &c->base.target;
  bool asks = t->refuses && !snug__written_has(&c->written, path);
  const char *why = asks ? t->refuses(t->user_of_refuses, path) : NULL;
  return why ? snug__fail(c->base.ctx, SNUG_E_IO, "ModelCheckpoint: %.300s %.300s", path, why)
             : SNUG_OK;
}

static snug_status write_model(checkpoint *c, const char *path) {
  const snug__fit *f = c->base.model->training->fit;
  SNUG_TRY(check_target(c, path));
  SNUG_TRY(snug__make_folders(c->base.ctx, path));
  snug__fit_saves(f, true);
  snug_status s = snug__save_in_room(c->base.model, path, &c->room);
  snug__fit_saves(f, false);
  if (!s) {
    snug__written_add(&c->written, path);
  }
  return s;
}

/* What could not be saved is not the best one there is. */
static snug_status save(checkpoint *c, int64_t batch, const snug_logs *logs) {
  const snug__template_values v = {.epoch = c->epoch + 1, .batch = batch, .logs = logs};
  snug__best best = c->m.best;
  char path[SNUG__PATH_BYTES];
  SNUG_TRY(snug__template_fill(c->base.ctx, c->base.target.path, &v, path, sizeof path));
  if (!should_save(c, logs, path, &best)) {
    return SNUG_OK;
  }
  SNUG_TRY(write_model(c, path));
  c->m.best = best;
  snug__say(&c->base, "\nEpoch %lld: finished saving model to %s", (long long)c->epoch + 1, path);
  return SNUG_OK;
}

/* ---- before step 1 ---- */

/* Every path that epochs alone make, and one in the place of those that take values. */
static snug_status rehearse(checkpoint *c, int64_t epochs) {
  static const double none[MOST_NAMES];
  const snug__fit *f = c->base.model->training->fit;
  const snug_history *h = f->history;
  const snug_logs logs = {h->n < MOST_NAMES ? h->n : MOST_NAMES, h->names, none};
  const bool by_epoch = !c->freq && snug__template_is_by_epoch(c->base.target.path);
  char path[SNUG__PATH_BYTES];
  for (int64_t epoch = f->options.initial_epoch; epoch < epochs; epoch++) {
    const snug__template_values v = {.epoch = epoch + 1, .batch = c->freq ? 1 : 0, .logs = &logs};
    SNUG_TRY(snug__template_fill(c->base.ctx, c->base.target.path, &v, path, sizeof path));
    if (by_epoch) {
      SNUG_TRY(check_target(c, path));
    }
    if (!by_epoch || epoch - f->options.initial_epoch >= MOST_REHEARSED) {
      break;
    }
  }
  SNUG_TRY(snug__make_folders(c->base.ctx, path));
  return snug__replace_rehearse(c->base.ctx, path, c->room.file_bytes);
}

/* ---- hooks ---- */

static snug_status take_rooms(checkpoint *c) {
  const snug_fit_options *o = &c->base.model->training->fit->options;
  int64_t saves = c->freq ? MOST_WRITTEN : snug__max_i64(1, o->epochs - o->initial_epoch);
  SNUG_TRY(snug__save_room_take(c->base.model, &c->room));
  snug_status s =
      snug__written_take(&c->written, c->base.ctx, (size_t)snug__min_i64(saves, MOST_WRITTEN));
  if (s) {
    snug__save_room_release(c->base.model, &c->room);
  }
  return s;
}

/* A name in the path that no logs will have is told now, not after the first epoch. */
static snug_status prepare(void *user) {
  checkpoint *c = user;
  const snug__fit *f = c->base.model->training->fit;
  const snug_logs of_epochs = {f->history->n, f->history->names, NULL};
  const snug_logs of_batches = snug_model_metrics(c->base.model);
  SNUG_TRY(snug__template_check(c->base.ctx, c->base.target.path,
                                c->freq ? &of_batches : &of_epochs, c->freq > 0));
  SNUG_TRY(snug__monitor_settle(&c->base, &c->o.watch));
  return take_rooms(c);
}

static void close_all(void *user) {
  checkpoint *c = user;
  snug__written_give(&c->written, c->base.ctx);
  snug__save_room_release(c->base.model, &c->room);
}

static void *state(void *user, size_t *bytes) {
  checkpoint *c = user;
  *bytes = sizeof c->m;
  return &c->m;
}

static bool train_begin(void *user, int64_t epochs, int64_t steps) {
  checkpoint *c = user;
  (void)steps;
  c->base.unwritten[0] = 0;
  return snug__go_on(&c->base, rehearse(c, epochs));
}

static bool epoch_begin(void *user, int64_t epoch) {
  checkpoint *c = user;
  c->epoch = epoch;
  return true;
}

static bool batch_end(void *user, int64_t batch, const snug_logs *logs) {
  checkpoint *c = user;
  bool is_due = snug__freq_is_due(&c->m.freq, c->freq);
  snug__cannot_write(&c->base, is_due ? save(c, batch + 1, logs) : SNUG_OK);
  return true;
}

static bool epoch_end(void *user, int64_t epoch, const snug_logs *logs) {
  checkpoint *c = user;
  (void)epoch;
  snug__cannot_write(&c->base, c->freq ? SNUG_OK : save(c, 0, logs));
  return true;
}

static snug_status check_path(const checkpoint *c) {
  const char *path = c->base.target.path;
  const char *ending = c->o.save_weights_only ? ".weights.h5" : ".keras";
  if (!snug__ends_in(path, ending)) {
    return snug__fail(c->base.ctx, SNUG_E_ARGUMENT,
                      "ModelCheckpoint: the path must end in `%s`%s, which '%.300s' does not",
                      ending, c->o.save_weights_only ? " with save_weights_only" : "", path);
  }
  return snug__template_check(c->base.ctx, path, NULL, true);
}

static snug_status create(void *self, const char *config, snug_callback *out) {
  checkpoint *c = self;
  (void)config;
  SNUG_TRY(check_path(c));
  SNUG_TRY(snug__freq_parse(&c->base, c->o.save_freq, &c->freq));
  if (c->o.initial_value_threshold.n > 1) {
    return snug__fail(c->base.ctx, SNUG_E_ARGUMENT,
                      "ModelCheckpoint: initial_value_threshold is one number");
  }
  c->m.best = (snug__best){c->o.initial_value_threshold.v[0], c->o.initial_value_threshold.n > 0};
  out->prepare = prepare;
  out->close = close_all;
  out->state = state;
  out->train_begin = train_begin;
  out->epoch_begin = epoch_begin;
  out->batch_end = batch_end;
  out->epoch_end = epoch_end;
  return SNUG_OK;
}

const snug__callback_class snug__model_checkpoint = {.name = "ModelCheckpoint",
                                                     .bytes = sizeof(checkpoint),
                                                     .fields = fields,
                                                     .options = offsetof(checkpoint, o),
                                                     .needs_path = true,
                                                     .create = create};
