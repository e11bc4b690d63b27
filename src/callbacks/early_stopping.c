/* EarlyStopping: stop when a value gets no better, and go back to the best weights. */
#include <string.h>

#include "base/size.h"
#include "callbacks/callback.h"
#include "ops/relayout.h"

typedef struct options {
  snug__monitor watch;
  int64_t patience, start_from_epoch;
  snug_floats baseline; /* none or one */
  bool restore_best_weights;
} options;

/* What a backup keeps; the best weights lie behind it, in their plain layouts. */
typedef struct memory {
  snug__best best;
  int64_t wait, stopped_epoch, best_epoch;
  int64_t has_weights;
} memory;

typedef struct early_stopping {
  snug__caller base;
  options o;
  memory *m; /* from prepare to close */
  size_t memory_bytes;
} early_stopping;

static const snug__field fields[] = {SNUG__MONITOR_FIELDS(options, watch, "0"),
                                     SNUG_FIELD(options, patience, INT, "0"),
                                     SNUG_FIELD(options, start_from_epoch, INT, "0"),
                                     SNUG_FIELD(options, baseline, FLOATS, "none"),
                                     SNUG_FIELD(options, restore_best_weights, BOOL, "false"),
                                     {0}};

/* ---- the best weights ---- */

typedef enum direction { INTO_COPY, FROM_COPY, COUNT_ONLY } direction;

/* Walk over all weights and their places in the copy; returns the bytes of the copy.  Weights never
 * live in a file, so reading and writing them cannot fail. */
static size_t copy_weights(const snug_model *m, void *copy, direction d) {
  const snug__variables *all = &m->variables;
  size_t offset = 0;
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(all, i);
    snug__type stored = snug__variable_stored(v);
    if (v->kind != SNUG__WEIGHT) {
      continue;
    }
    if (d == INTO_COPY) {
      void *there = NULL;
      snug_status read = snug__variable_read(all, v, &there);
      (void)read;
      snug__relayout(&stored, there, &v->type, (char *)copy + offset);
    } else if (d == FROM_COPY) {
      snug__relayout(&v->type, (const char *)copy + offset, &stored, snug__variable_host(all, v));
      snug_status written = snug__variable_write(all, v);
      (void)written;
    }
    offset += (size_t)snug__type_bytes(&v->type);
    offset += (sizeof(double) - offset % sizeof(double)) % sizeof(double);
  }
  return offset;
}

static void keep_weights(early_stopping *e) {
  copy_weights(e->base.model, e->m + 1, INTO_COPY);
  e->m->has_weights = true;
}

/* ---- hooks ---- */

static snug_status prepare(void *user) {
  early_stopping *e = user;
  SNUG_TRY(snug__monitor_settle(&e->base, &e->o.watch));
  e->memory_bytes = sizeof *e->m +
                    (e->o.restore_best_weights ? copy_weights(e->base.model, NULL, COUNT_ONLY) : 0);
  return snug__take(e->base.ctx, SNUG__MEM_CALLBACKS, e->memory_bytes, (void **)&e->m);
}

static void close_all(void *user) {
  early_stopping *e = user;
  snug__give(e->base.ctx, SNUG__MEM_CALLBACKS, e->m, e->memory_bytes);
  e->m = NULL;
}

static void *state(void *user, size_t *bytes) {
  const early_stopping *e = user;
  *bytes = e->memory_bytes;
  return e->m;
}

static bool train_begin(void *user, int64_t epochs, int64_t steps) {
  early_stopping *e = user;
  (void)epochs;
  (void)steps;
  *e->m = (memory){0};
  return true;
}

static void note_best(early_stopping *e, int64_t epoch, double value) {
  const snug__best baseline = {e->o.baseline.v[0], e->o.baseline.n > 0};
  e->m->best = (snug__best){value, true};
  e->m->best_epoch = epoch;
  if (e->o.restore_best_weights) {
    keep_weights(e);
  }
  if (snug__monitor_improves(&e->o.watch, value, baseline)) {
    e->m->wait = 0;
  }
}

static void warn_missing(const early_stopping *e, const snug_logs *logs) {
  char names[512];
  snug__log_names(logs, names, sizeof names);
  snug__say(&e->base,
            "Early stopping conditioned on metric `%s` which is not available. Available metrics "
            "are: %s",
            e->o.watch.monitor, names);
}

static bool epoch_end(void *user, int64_t epoch, const snug_logs *logs) {
  early_stopping *e = user;
  double value = 0.0;
  if (!snug__logs_find(logs, e->o.watch.monitor, &value)) {
    warn_missing(e, logs);
    return true;
  }
  if (epoch < e->o.start_from_epoch) {
    return true;
  }
  if (e->o.restore_best_weights && !e->m->has_weights) {
    keep_weights(e);
    e->m->best_epoch = epoch;
  }
  e->m->wait++;
  if (snug__monitor_improves(&e->o.watch, value, e->m->best)) {
    note_best(e, epoch, value);
    return true;
  }
  if (e->m->wait >= e->o.patience && epoch > 0) {
    e->m->stopped_epoch = epoch;
    return false;
  }
  return true;
}

static bool train_end(void *user, const snug_logs *logs) {
  const early_stopping *e = user;
  (void)logs;
  if (e->m->stopped_epoch > 0) {
    snug__say(&e->base, "Epoch %lld: early stopping", (long long)e->m->stopped_epoch + 1);
  }
  if (e->m->has_weights) {
    snug__say(&e->base, "Restoring model weights from the end of the best epoch: %lld.",
              (long long)e->m->best_epoch + 1);
    copy_weights(e->base.model, e->m + 1, FROM_COPY);
  }
  return true;
}

static snug_status create(void *self, const char *config, snug_callback *out) {
  const early_stopping *e = self;
  (void)config;
  if (e->o.patience < 0 || e->o.start_from_epoch < 0 || e->o.baseline.n > 1) {
    return snug__fail(e->base.ctx, SNUG_E_ARGUMENT,
                      "EarlyStopping: patience and start_from_epoch must be 0 or more, and "
                      "baseline one number");
  }
  out->prepare = prepare;
  out->close = close_all;
  out->state = state;
  out->train_begin = train_begin;
  out->epoch_end = epoch_end;
  out->train_end = train_end;
  return SNUG_OK;
}

const snug__callback_class snug__early_stopping = {.name = "EarlyStopping",
                                                   .steers = true,
                                                   .bytes = sizeof(early_stopping),
                                                   .fields = fields,
                                                   .options = offsetof(early_stopping, o),
                                                   .create = create};
