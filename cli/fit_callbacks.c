/* The callbacks of fit: Keras's as the options ask for them, the one that looks for signals in
 * front, and behind them what is shown. */
#include <string.h>
#include <unistd.h>

#include "fit.h"
#include "interrupt.h"

#define CONFIG_BYTES 512

/* ---- signals ---- */

static bool watch_train_begin(void *user, int64_t epochs, int64_t steps) {
  (void)epochs;
  (void)steps;
  ((fit_run *)user)->start = terminal_now();
  return true;
}

/* The batch is finished first, so that a backup can keep it; then the fit ends, without validating.
 */
static bool watch_batch(void *user, int64_t batch, const snug_logs *logs) {
  fit_run *r = user;
  (void)batch;
  (void)logs;
  r->steps++;
  r->interrupted = *interrupt_flag();
  return !r->interrupted;
}

static bool stop_if_interrupted(fit_run *r) {
  r->interrupted = *interrupt_flag();
  r->stopped = r->interrupted ? SNUG_E_STOPPED : SNUG_OK;
  return !r->interrupted;
}

static bool watch_test_begin(void *user, int64_t steps) {
  (void)steps;
  return stop_if_interrupted(user);
}

static bool watch_test_batch(void *user, int64_t batch, const snug_logs *logs) {
  (void)batch;
  (void)logs;
  return stop_if_interrupted(user);
}

static bool watch_test_end(void *user, const snug_logs *logs) {
  (void)logs;
  return stop_if_interrupted(user);
}

static bool watch_epoch_end(void *user, int64_t epoch, const snug_logs *logs) {
  (void)epoch;
  (void)logs;
  return stop_if_interrupted(user);
}

static snug_callback watcher(fit_run *r) {
  return (snug_callback){.struct_size = sizeof(snug_callback),
                         .user = r,
                         .train_begin = watch_train_begin,
                         .batch_end = watch_batch,
                         .test_begin = watch_test_begin,
                         .test_batch_end = watch_test_batch,
                         .test_end = watch_test_end,
                         .epoch_end = watch_epoch_end,
                         .failure = &r->stopped};
}

/* ---- messages ---- */

/* What callbacks say is kept until the progress has been drawn. */
static void keep_message(void *user, const char *text, size_t n) {
  fit_messages *m = user;
  size_t room = sizeof m->text - m->n;
  n = n < room ? n : room;
  memcpy(m->text + m->n, text, n);
  m->n += n;
}

static void say(fit_messages *m, bool at_start_of_line) {
  size_t skip = 0;
  while (at_start_of_line && skip < m->n && m->text[skip] == '\n') {
    skip++;
  }
  fwrite(m->text + skip, 1, m->n - skip, stderr);
  if (m->n > skip && m->text[m->n - 1] != '\n') {
    fputc('\n', stderr);
  }
  fflush(stderr);
  m->n = 0;
}

static bool say_after_batch(void *user, int64_t batch, const snug_logs *logs) {
  fit_run *r = user;
  (void)batch;
  (void)logs;
  if (r->messages.n) {
    say(&r->messages, r->progress != FIT_BAR);
  }
  return true;
}

static bool say_after_epoch(void *user, int64_t epoch, const snug_logs *logs) {
  fit_run *r = user;
  (void)epoch;
  (void)logs;
  say(&r->messages, true);
  return true;
}

static bool say_at_end(void *user, const snug_logs *logs) {
  fit_run *r = user;
  (void)logs;
  say(&r->messages, true);
  return true;
}

static snug_callback speaker(fit_run *r) {
  return (snug_callback){.struct_size = sizeof(snug_callback),
                         .user = r,
                         .batch_end = say_after_batch,
                         .epoch_end = say_after_epoch,
                         .train_end = say_at_end};
}

snug_callback *fit_next_callback(fit_run *r) {
  snug_callback *next = &r->callbacks[r->n_callbacks++];
  *next = (snug_callback)SNUG_INIT(snug_callback);
  return next;
}

/* ---- Keras's ---- */

static int add_keras(fit_run *r, const char *class_name, const char *config, const char *path) {
  snug_callback_target target = {.struct_size = sizeof target,
                                 .sink = r->progress == FIT_SILENT ? NULL : keep_message,
                                 .user = &r->messages,
                                 .path = path,
                                 .interrupted = interrupt_flag(),
                                 .refuses = fit_refuses,
                                 .user_of_refuses = r};
  snug_callback *next = fit_next_callback(r);
  snug_status s = snug_callback_create(r->job.model, class_name, config, &target, next);
  return s ? cli_fail(CLI_USAGE, "fit: %s", cli_message(r->job.ctx)) : CLI_OK;
}

/* One that writes a file. */
static int add_writer(fit_run *r, const char *class_name, const char *config, const char *path,
                      const snug_callback **out) {
  int code = add_keras(r, class_name, config, path);
  *out = code ? NULL : &r->callbacks[r->n_callbacks - 1];
  return code;
}

static int add_checkpoint(fit_run *r) {
  const fit_options *o = r->options;
  char config[CONFIG_BYTES];
  snprintf(config, sizeof config, "%s%s%s%s%s%s%s", o->monitor ? "monitor=" : "",
           o->monitor ? o->monitor : "", o->monitor ? "," : "",
           o->save_best_only ? "save_best_only," : "",
           o->save_weights_only ? "save_weights_only," : "", o->save_freq ? "save_freq=" : "",
           o->save_freq ? o->save_freq : "");
  return add_writer(r, "ModelCheckpoint", config, o->checkpoint, &r->checkpoint);
}

/* Those that change the learning rate come first: the others see what they did. */
static int add_all_keras(fit_run *r) {
  const fit_options *o = r->options;
  int code = CLI_OK;
  if (o->lr_schedule) {
    code = add_keras(r, "LearningRateScheduler", o->lr_schedule, NULL);
  }
  if (!code && o->reduce_lr) {
    code = add_keras(r, "ReduceLROnPlateau", o->reduce_lr, NULL);
  }
  if (!code && o->terminate_on_nan) {
    code = add_keras(r, "TerminateOnNaN", NULL, NULL);
  }
  if (!code && o->csv_log) {
    code = add_writer(r, "CSVLogger", NULL, o->csv_log, &r->csv_log);
  }
  if (!code && o->checkpoint) {
    code = add_checkpoint(r);
  }
  if (!code && o->early_stopping) {
    code = add_keras(r, "EarlyStopping", o->early_stopping, NULL);
  }
  if (!code && o->backup) {
    code = add_writer(r, "BackupAndRestore", "delete_checkpoint=false", o->backup, &r->backup);
  }
  return code;
}

static void add_progress(fit_run *r) {
  r->bar = (snug_progress){.struct_size = sizeof(snug_progress),
                           .sink = terminal_sink,
                           .user = stderr,
                           .bar = r->progress == FIT_BAR,
                           .colour = r->err.colour,
                           .ascii = r->err.ascii,
                           .columns = r->err.width,
                           .memory = true};
  snug_progress_callback(&r->bar, fit_next_callback(r));
  *fit_next_callback(r) = speaker(r);
}

int fit_add_callbacks(fit_run *r) {
  *fit_next_callback(r) = watcher(r);
  snug_peak_memory_callback(&r->peak_memory, fit_next_callback(r));
  int code = add_all_keras(r);
  if (!code && r->options->memory_log) {
    *fit_next_callback(r) = samples_callback(r);
  }
  if (!code && r->options->record) {
    record_add_callbacks(r);
  }
  if (!code && r->progress != FIT_SILENT) {
    add_progress(r);
  }
  r->fit.callbacks = r->callbacks;
  r->fit.n_callbacks = r->n_callbacks;
  return code;
}

void fit_end_callbacks(fit_run *r) {
  while (r->n_callbacks > 0) {
    snug_callback_destroy(&r->callbacks[--r->n_callbacks]);
  }
}
