/* The loop of fit: fill, run, tell; then validation, history, callbacks once in a while. */
#include <string.h>

#include "base/size.h"
#include "train/batch.h"
#include "train/fit.h"
#include "train/samples.h"

/* ---- callbacks ---- */

static snug_status failure_of(const snug_callback *c) { return c->failure ? *c->failure : SNUG_OK; }

/* Call one hook of every callback; go_on becomes false if one wants to stop.  Leaves the function
 * with the failure of a callback. */
#define TELL(f, hook, ...)                                           \
  do {                                                               \
    for (int32_t i_ = 0; i_ < (f)->options.n_callbacks; i_++) {      \
      const snug_callback c_ = snug__callback_at(&(f)->options, i_); \
      if (c_.hook && !c_.hook(c_.user, __VA_ARGS__)) {               \
        SNUG_TRY(failure_of(&c_));                                   \
        go_on = false;                                               \
      }                                                              \
    }                                                                \
  } while (0)

/* The end of an epoch: what a callback adds is seen by those behind it. */
static snug_status tell_epoch_end(snug__fit *f, int64_t epoch, bool *go_on) {
  for (int32_t i = 0; i < f->options.n_callbacks; i++) {
    const snug_callback c = snug__callback_at(&f->options, i);
    snug_logs logs = snug__logs_of_epoch(f);
    if (c.epoch_end && !c.epoch_end(c.user, epoch, &logs)) {
      SNUG_TRY(failure_of(&c));
      *go_on = false;
    }
    if (c.adds && c.added) {
      snug__logs_add(f, c.adds, *c.added);
    }
  }
  return SNUG_OK;
}

/* Record the memory, if this is a moment to do so. */
static snug_status sample(snug__fit *f, const char *at, int64_t batch, bool *wants_more) {
  const snug_memory_sample *taken = snug__samples_take(f, at, batch);
  bool go_on = true;
  if (taken) {
    TELL(f, memory_sample, taken);
  }
  *wants_more = *wants_more && go_on;
  return SNUG_OK;
}

/* ---- steps ---- */

/* The message of the failure stays, whatever comes of keeping. */
static snug_status keep_without_data(snug__fit *f, snug_status failure) {
  char message[SNUG__MESSAGE_BYTES];
  snug_ctx *ctx = f->model->ctx;
  memcpy(message, ctx->message, sizeof message);
  snug_status kept = f->keeper ? f->keeper->without_data(f->keeper->user, f) : SNUG_OK;
  return kept ? snug__fail_within(ctx, failure, "%.400s; and the backup could not be written",
                                  message)
              : snug__fail(ctx, failure, "%s", message);
}

static snug_status train_step(snug__fit *f) {
  snug_status s = snug__feed_take(&f->train);
  if (s) {
    return keep_without_data(f, s);
  }
  f->has_run[SNUG__PHASE_TRAINING] = true;
  SNUG_TRY(snug__training_set_rate(f->model));
  return snug__batch_run(&f->session, &f->train, SNUG__SLOT_MAIN, f->at.batch++);
}

/* The next batch of a feed through its test programs. */
static snug_status test_step(snug__session *s, snug__feed *feed, snug__slot slot, int64_t batch) {
  SNUG_TRY(snug__feed_take(feed));
  return snug__batch_run(s, feed, slot, batch);
}

snug_status snug__test_run(snug__session *s, snug__feed *feed, snug__slot slot, int64_t steps) {
  snug__metrics_reset(&s->model->variables);
  snug__feed_start(feed, s->model->seed, SNUG_NOT_TRAINING, 0);
  for (int64_t batch = 0; batch < steps; batch++) {
    SNUG_TRY(test_step(s, feed, slot, batch));
  }
  return SNUG_OK;
}

/* ---- epochs ---- */

/* A fit that goes on with a later epoch shuffles as if it had never stopped; another fit of the
 * same model goes on with other shuffles. */
static snug__position first_position(const snug__fit *f) {
  uint64_t passes = f->model->training->passes;
  uint64_t epoch = (uint64_t)f->options.initial_epoch;
  return (snug__position){.epoch = f->options.initial_epoch,
                          .pass = epoch > passes ? epoch : passes};
}

static void start_pass(snug__fit *f) {
  snug__feed_start(&f->train, f->model->seed, f->at.pass, f->at.batch);
  f->model->training->passes = f->at.pass + 1; /* also if it ends early */
}

static snug_status keep_batch(snug__fit *f, bool go_on) {
  return f->keeper ? f->keeper->after_batch(f->keeper->user, f, go_on) : SNUG_OK;
}

/* The steps of an epoch that are left.  *go_on: whether the callbacks want more. */
static snug_status train_epoch(snug__fit *f, bool *wants_more) {
  int64_t batches = snug__feed_batches(&f->train);
  bool go_on = true;
  start_pass(f);
  while (go_on && f->at.step < f->steps && f->at.batch < batches) {
    SNUG_TRY(train_step(f));
    snug_logs logs = {0};
    SNUG_TRY(f->options.n_callbacks ? snug__logs_of_batch(f, &logs) : SNUG_OK);
    TELL(f, batch_end, f->at.step, &logs);
    SNUG_TRY(sample(f, SNUG__AT_BATCH_END, f->at.step, &go_on));
    f->at.step++;
    SNUG_TRY(keep_batch(f, go_on));
  }
  *wants_more = go_on;
  return SNUG_OK;
}

/* Put the results of the metrics into the running row, under their plain names or with val_. */
static snug_status store(snug__fit *f, bool validation, snug_logs *logs) {
  const char *const *names = f->model->training->names + (validation ? f->n_metrics : 0);
  SNUG_TRY(snug__logs_of_batch(f, logs));
  for (size_t i = 0; i < logs->n; i++) {
    snug__history_row(f->history)[snug__history_column(f->history, names[i])] = logs->values[i];
  }
  return SNUG_OK;
}

static snug_status validate(snug__fit *f, bool *wants_more) {
  bool go_on = true;
  snug_logs logs = {0};
  int64_t steps = snug__feed_batches(&f->validation);
  steps = f->options.validation_steps ? snug__min_i64(steps, f->options.validation_steps) : steps;
  TELL(f, test_begin, steps);
  snug__metrics_reset(&f->model->variables);
  f->has_run[SNUG__PHASE_VALIDATION] = true;
  snug__feed_start(&f->validation, f->model->seed, SNUG_NOT_TRAINING, 0);
  for (int64_t batch = 0; batch < steps; batch++) {
    SNUG_TRY(test_step(&f->session, &f->validation, SNUG__SLOT_VALIDATION, batch));
    SNUG_TRY(f->options.n_callbacks ? snug__logs_of_batch(f, &logs) : SNUG_OK);
    TELL(f, test_batch_end, batch, &logs);
  }
  SNUG_TRY(store(f, true, &logs));
  TELL(f, test_end, &logs);
  *wants_more = *wants_more && go_on;
  return SNUG_OK;
}

/* The position behind an epoch. */
static snug__position next_epoch(const snug__fit *f, bool stopped) {
  bool is_through = f->at.batch >= snug__feed_batches(&f->train);
  return (snug__position){.epoch = f->at.epoch + 1,
                          .pass = f->at.pass + is_through,
                          .batch = is_through ? 0 : f->at.batch,
                          .stopped = stopped};
}

static snug_status run_epoch(snug__fit *f) {
  int64_t epoch = f->at.epoch;
  bool validates = f->has_validation && (epoch + 1) % f->options.validation_freq == 0;
  bool go_on = true;
  bool trains_on = true;
  snug_logs logs;
  TELL(f, epoch_begin, epoch);
  SNUG_TRY(sample(f, SNUG__AT_EPOCH_BEGIN, f->at.step - 1, &go_on));
  if (f->at.step == 0) { /* an epoch that is resumed goes on counting */
    snug__metrics_reset(&f->model->variables);
  }
  SNUG_TRY(train_epoch(f, &trains_on));
  snug__fit_note_classes(f);
  SNUG_TRY(store(f, false, &logs));
  SNUG_TRY(validates ? validate(f, &trains_on) : SNUG_OK);
  snug__logs_start_epoch(f, validates);
  SNUG_TRY(tell_epoch_end(f, epoch, &trains_on));
  SNUG_TRY(sample(f, SNUG__AT_EPOCH_END, f->at.step - 1, &trains_on));
  snug__history_push(f->history);
  f->at = next_epoch(f, !(go_on && trains_on));
  return f->keeper ? f->keeper->after_epoch(f->keeper->user, f) : SNUG_OK;
}

void snug__fit_fails_late(snug__fit *f, snug_status s) {
  if (!f->late) {
    f->late = s;
    memcpy(f->late_message, f->model->ctx->message, sizeof f->late_message);
  }
}

static snug_status run_all(snug__fit *f) {
  bool go_on = true;
  f->at = first_position(f);
  TELL(f, train_begin, f->options.epochs, f->steps);
  SNUG_TRY(f->keeper ? f->keeper->resume(f->keeper->user, f) : SNUG_OK);
  if (f->at.batch) { /* labels before that will not be seen */
    snug__fit_forget_classes(f);
  }
  while (go_on && !f->at.stopped && f->at.epoch < f->options.epochs) {
    SNUG_TRY(run_epoch(f));
  }
  SNUG_TRY(snug__training_finish(f->model));
  snug_logs logs = snug_history_logs(f->history, f->history->epochs - 1);
  TELL(f, train_end, &logs);
  return f->keeper ? f->keeper->finish(f->keeper->user) : SNUG_OK;
}

snug_status snug__fit_run(snug__fit *f) {
  SNUG_TRY(run_all(f));
  f->is_through = true;
  return f->late ? snug__fail(f->model->ctx, f->late, "%s", f->late_message) : SNUG_OK;
}
