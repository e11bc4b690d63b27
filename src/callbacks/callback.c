#include "callbacks/callback.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/struct_size.h"
#include "report/write.h"

static const snug__callback_class *const classes[] = {
    &snug__early_stopping, &snug__model_checkpoint, &snug__reduce_lr, &snug__lr_scheduler,
    &snug__csv_logger,     &snug__terminate_on_nan, &snug__backup};

/* ---- what hooks use ---- */

void snug__say(const snug__caller *c, const char *format, ...) {
  snug__line line = {.n = 0};
  char text[SNUG__LINE_BYTES];
  va_list args;
  if (!c->target.sink) {
    return;
  }
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  snug__line_add(&line, "%s", text);
  snug__line_end(&line);
  c->target.sink(c->target.user, line.text, line.n);
}

bool snug__go_on(snug__caller *c, snug_status s) {
  c->failure = s;
  return s == SNUG_OK;
}

void snug__cannot_write(snug__caller *c, snug_status s) {
  if (!s) {
    return;
  }
  snug__fit_fails_late(c->model->training->fit, s);
  if (!c->unwritten[0]) {
    snprintf(c->unwritten, sizeof c->unwritten, "%.*s", (int)sizeof c->unwritten - 1,
             c->ctx->message);
    snug__say(c, "\n%s; the training goes on", c->unwritten);
  }
}

void snug__log_names(const snug_logs *logs, char *out, size_t bytes) {
  size_t n = 0;
  out[0] = 0;
  for (size_t i = 0; i < logs->n && n + 1 < bytes; i++) {
    int wrote = snprintf(out + n, bytes - n, "%s%s", i ? "," : "", logs->names[i]);
    n += wrote < 0 ? 0 : (size_t)wrote;
  }
}

bool snug__logs_find(const snug_logs *logs, const char *name, double *out) {
  for (size_t i = 0; i < logs->n; i++) {
    if (strcmp(logs->names[i], name) == 0) {
      *out = logs->values[i];
      return true;
    }
  }
  return false;
}

snug_status snug__rate_is_free(const snug__caller *c) {
  return c->model->training->optimizer.schedule.kind
             ? snug__fail(c->ctx, SNUG_E_STATE,
                          "%s: the optimizer's learning rate follows a schedule; compile with a "
                          "number to have it set",
                          c->class_name)
             : SNUG_OK;
}

/* ---- frequency ---- */

snug_status snug__freq_parse(const snug__caller *c, const char *text, int64_t *out) {
  char *end = NULL;
  long long n = strtoll(text, &end, 10);
  bool is_epoch = strcmp(text, "epoch") == 0;
  if (!is_epoch && (end == text || *end || n < 1)) {
    return snug__fail(c->ctx, SNUG_E_ARGUMENT,
                      "%s: save_freq=%s; it must be 'epoch' or a number of batches, 1 or more",
                      c->class_name, text);
  }
  *out = is_epoch ? 0 : n;
  return SNUG_OK;
}

bool snug__freq_is_due(snug__freq *f, int64_t freq) {
  if (!freq || ++f->seen < freq) {
    return false;
  }
  f->seen = 0;
  return true;
}

/* ---- create and destroy ---- */

static void destroy(void *self) {
  const snug__caller *c = self;
  snug__give(c->ctx, SNUG__MEM_CALLBACKS, self, c->bytes);
}

const snug__caller *snug__caller_of(const snug_callback *c) {
  return c->destroy == destroy ? c->user : NULL;
}

const char *snug_callback_unwritten(const snug_callback *c) {
  snug_callback given;
  bool is_one = !SNUG__READ(NULL, snug_callback, c, &given);
  const snug__caller *one = is_one ? snug__caller_of(&given) : NULL;
  return one ? one->unwritten : "";
}

static const snug__callback_class *find_class(const char *name) {
  for (size_t i = 0; name && i < SNUG_COUNT(classes); i++) {
    if (strcmp(classes[i]->name, name) == 0) {
      return classes[i];
    }
  }
  return NULL;
}

static snug_status check_target(snug_ctx *ctx, const snug__callback_class *k, const char *path) {
  if (k->needs_path && (!path || !path[0])) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: it needs a path", k->name);
  }
  return SNUG_OK;
}

/* One piece of memory: the object, its path and its config behind it. */
static snug_status new_object(snug_model *m, const snug__callback_class *k, const char *config,
                              const snug_callback_target *target, snug__caller **out) {
  const char *path = target->path ? target->path : "";
  size_t path_bytes = strlen(path) + 1;
  size_t bytes = k->bytes + path_bytes + strlen(config) + 1;
  snug__caller *c = NULL;
  SNUG_TRY(snug__take(m->ctx, SNUG__MEM_CALLBACKS, bytes, (void **)&c));
  *c = (snug__caller){.ctx = m->ctx,
                      .model = m,
                      .class_name = k->name,
                      .target = *target,
                      .steers = k->steers,
                      .bytes = bytes};
  c->target.path = memcpy((char *)c + k->bytes, path, path_bytes);
  c->config = memcpy((char *)c + k->bytes + path_bytes, config, strlen(config) + 1);
  *out = c;
  return SNUG_OK;
}

static snug_status set_up(snug__caller *c, const snug__callback_class *k, const char *config,
                          snug_callback *out) {
  char spelled[SNUG__CONFIG_BYTES];
  if (k->fields) {
    SNUG_TRY(snug__config_spell(c->ctx, k->name, config, spelled));
    SNUG_TRY(snug__fields_parse(c->ctx, k->name, k->fields, spelled, (char *)c + k->options));
  }
  return k->create(c, config, out);
}

snug_status snug_callback_create(snug_model *m, const char *class_name, const char *config,
                                 const snug_callback_target *target, snug_callback *out) {
  static const snug_callback none = {.user = NULL};
  snug__caller *c = NULL;
  if (!m || !out) {
    return m ? snug__fail(m->ctx, SNUG_E_ARGUMENT, "a callback: there is no place for it")
             : SNUG_E_ARGUMENT;
  }
  SNUG_TRY(SNUG__CHECK(m->ctx, snug_callback, out));
  SNUG__WRITE(snug_callback, &none, out);
  const snug__callback_class *k = find_class(class_name);
  if (!k) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "there is no callback '%.60s' (known: EarlyStopping, ModelCheckpoint, "
                      "ReduceLROnPlateau, LearningRateScheduler, CSVLogger, TerminateOnNaN, "
                      "BackupAndRestore)",
                      class_name ? class_name : "");
  }
  snug_callback_target to;
  SNUG_TRY(SNUG__READ(m->ctx, snug_callback_target, target, &to));
  SNUG_TRY(check_target(m->ctx, k, to.path));
  config = config ? config : "";
  SNUG_TRY(new_object(m, k, config, &to, &c));
  snug_callback made = {
      .struct_size = sizeof made, .user = c, .failure = &c->failure, .destroy = destroy};
  snug_status s = set_up(c, k, config, &made);
  if (s) {
    destroy(c);
    return s;
  }
  SNUG__WRITE(snug_callback, &made, out);
  return SNUG_OK;
}

void snug_callback_destroy(snug_callback *c) {
  static const snug_callback none = {.user = NULL};
  snug_callback given;
  if (!SNUG__READ(NULL, snug_callback, c, &given) && given.destroy) {
    given.destroy(given.user);
  }
  SNUG__WRITE(snug_callback, &none, c);
}
