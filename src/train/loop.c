/* The loop of fit: fill, run, tell; then validation, history, callbacks once in a while. */
#include <string.h>

#include "base/size.h"
#include "train/fit.h"

/* ---- callbacks ---- */

/* Call one hook of every callback; true if all want to go on. */
#define TELL(f, hook, ...)                                             \
  do {                                                                 \
    for (int32_t i_ = 0; i_ < (f)->options.n_callbacks; i_++) {        \
      const snug_callback *c_ = &(f)->options.callbacks[i_];           \
      go_on = (!c_->hook || c_->hook(c_->user, __VA_ARGS__)) && go_on; \
    }                                                                  \
  } while (0)

/* The values so far under their plain names. */
static snug_status batch_logs(snug__fit *f, snug_logs *logs) {
  SNUG_TRY(snug__training_results(f->model, f->log_values));
  *logs = (snug_logs){f->n_metrics, f->model->training->names, f->log_values};
  return SNUG_OK;
}

/* ---- steps ---- */

static snug_status train_step(snug__fit *f, int64_t batch) {
  int64_t rows = snug__feed_rows(&f->train, batch);
  const snug__run *run = snug__session_run(&f->session, SNUG__SLOT_MAIN, rows);
  snug__feed_fill(&f->train, batch, run);
  snug__training_set_rate(f->model);
  return snug__program_run(run->program);
}

snug_status snug__test_run(snug__session *s, const snug__feed *feed, snug__slot slot,
                           int64_t steps) {
  snug__metrics_reset(&s->model->variables);
  for (int64_t batch = 0; batch < steps; batch++) {
    const snug__run *run = snug__session_run(s, slot, snug__feed_rows(feed, batch));
    snug__feed_fill(feed, batch, run);
    SNUG_TRY(snug__program_run(run->program));
  }
  return SNUG_OK;
}

/* ---- epochs ---- */

/* Where the data stand: passes over them go on across epochs when there are steps_per_epoch. */
typedef struct cursor {
  uint64_t pass;
  int64_t batch; /* next in this pass */
} cursor;

/* A fit that goes on with a later epoch shuffles as if it had never stopped; another fit of the
 * same model goes on with other shuffles. */
static cursor first_cursor(const snug__fit *f) {
  uint64_t passes = f->model->training->passes;
  uint64_t epoch = (uint64_t)f->options.initial_epoch;
  return (cursor){epoch > passes ? epoch : passes, 0};
}

static void start_pass(snug__fit *f, const cursor *at) {
  f->train.order = snug__shuffle_make((uint64_t)f->train.rows, f->model->seed, at->pass);
  f->model->training->passes = at->pass + 1; /* also if it ends early */
}

/* One epoch of training.  *go_on: whether the callbacks want more. */
static snug_status train_epoch(snug__fit *f, cursor *at, bool *wants_more) {
  int64_t batches = snug__feed_batches(&f->train);
  bool go_on = true;
  snug__metrics_reset(&f->model->variables);
  start_pass(f, at);
  for (int64_t step = 0; go_on && step < f->steps && at->batch < batches; step++) {
    SNUG_TRY(train_step(f, at->batch++));
    snug_logs logs = {0};
    SNUG_TRY(f->options.n_callbacks ? batch_logs(f, &logs) : SNUG_OK);
    TELL(f, batch_end, step, &logs);
  }
  if (at->batch >= batches) {
    *at = (cursor){at->pass + 1, 0};
  }
  *wants_more = go_on;
  return SNUG_OK;
}

/* Put the results of the metrics into the running row, under their plain names or with val_. */
static snug_status store(snug__fit *f, bool validation, snug_logs *logs) {
  const char *const *names = f->model->training->names + (validation ? f->n_metrics : 0);
  SNUG_TRY(batch_logs(f, logs));
  for (size_t i = 0; i < logs->n; i++) {
    snug__history_row(f->history)[snug__history_column(f->history, names[i])] = logs->values[i];
  }
  return SNUG_OK;
}

/* Validate; *logs gets all of the epoch's values. */
static snug_status validate(snug__fit *f, snug_logs *logs, bool *wants_more) {
  bool go_on = true;
  int64_t steps = snug__feed_batches(&f->validation);
  steps = f->options.validation_steps ? snug__min_i64(steps, f->options.validation_steps) : steps;
  TELL(f, test_begin, steps);
  SNUG_TRY(snug__test_run(&f->session, &f->validation, SNUG__SLOT_VALIDATION, steps));
  SNUG_TRY(store(f, true, logs));
  TELL(f, test_end, logs);
  *logs = (snug_logs){f->history->n, f->history->names, snug__history_row(f->history)};
  *wants_more = *wants_more && go_on;
  return SNUG_OK;
}

static snug_status run_epoch(snug__fit *f, int64_t epoch, cursor *at, bool *wants_more) {
  bool validates = f->has_validation && (epoch + 1) % f->options.validation_freq == 0;
  bool go_on = true;
  TELL(f, epoch_begin, epoch);
  SNUG_TRY(train_epoch(f, at, wants_more));
  snug_logs logs;
  SNUG_TRY(store(f, false, &logs));
  SNUG_TRY(validates ? validate(f, &logs, wants_more) : SNUG_OK);
  TELL(f, epoch_end, epoch, &logs);
  snug__history_push(f->history);
  *wants_more = *wants_more && go_on;
  return SNUG_OK;
}

snug_status snug__fit_run(snug__fit *f) {
  cursor at = first_cursor(f);
  bool go_on = true;
  TELL(f, train_begin, f->options.epochs, f->steps);
  for (int64_t epoch = f->options.initial_epoch; go_on && epoch < f->options.epochs; epoch++) {
    SNUG_TRY(run_epoch(f, epoch, &at, &go_on));
  }
  SNUG_TRY(snug__training_finish(f->model));
  snug_logs logs = snug_history_logs(f->history, f->history->epochs - 1);
  TELL(f, train_end, &logs);
  return SNUG_OK;
}
