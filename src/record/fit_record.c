/* A callback that records a fit. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/struct_size.h"
#include "record/fit_facts.h"
#include "record/recorder.h"

/* Reading the process takes some 30 us.  So there are so many seconds between two moments at
 * batches; and where epochs are that short, not all are told once their part of the time is spent.
 */
#define BATCH_SECONDS 0.05
#define FREE_MOMENTS 512
#define MOST_PART 0.002

/* The first failure is kept, for whoever ends the fit: a training of days is worth more than its
 * recording. */
static void note(snug_fit_record *r, snug_status s) {
  if (s && !r->failed) {
    r->failed = s;
    snprintf(r->why, sizeof r->why, "%s", r->model->ctx->message);
  }
}

static bool is_on(const snug_fit_record *r) { return r->recorder && !r->failed; }

/* ---- moments ---- */

static void tell(snug_fit_record *r, const char *at) {
  snug_ctx *ctx = r->model->ctx;
  snug__process now;
  double began = snug__now();
  snug__process_read("", &now);
  snug_moment m = {.struct_size = sizeof m,
                   .seconds = began - r->began,
                   .at = at,
                   .epoch = r->epoch,
                   .batch = r->batch,
                   .resident = now.resident,
                   .peak = now.peak,
                   .held = ctx->account.total,
                   .held_peak = r->has_scope ? r->since.peak : ctx->account.total,
                   .anonymous = now.anonymous,
                   .file = now.file,
                   .shared = now.shared,
                   .processes = 1};
  note(r, snug_recorder_moment(r->recorder, &m));
  r->process = now.peak > r->process ? now.peak : r->process;
  if (r->has_scope) {
    snug_scope_begin(ctx, &r->since);
  }
  r->spent += snug__now() - began;
  r->told++;
}

static bool may_tell_epoch(const snug_fit_record *r) {
  return r->told < FREE_MOMENTS || r->spent <= MOST_PART * (snug__now() - r->began);
}

void snug_fit_record_moment(snug_fit_record *r, const char *at) {
  if (r && is_on(r)) {
    r->batch = r->epoch = -1;
    tell(r, at);
  }
}

/* ---- the peak ---- */

/* Pieces that follow each other and are alike are one. */
typedef struct pieces {
  snug_fit_record *r;
  snug_memory_piece sum;
} pieces;

static void write_sum(pieces *p) {
  if (p->sum.bytes && is_on(p->r)) {
    note(p->r, snug_recorder_piece(p->r->recorder, &p->sum));
  }
}

static void add_piece(void *user, const snug_memory_piece *piece) {
  pieces *p = user;
  const snug_memory_piece *sum = &p->sum;
  bool is_alike = sum->bytes && strcmp(sum->layer, piece->layer) == 0 &&
                  strcmp(sum->op, piece->op) == 0 && strcmp(sum->what, piece->what) == 0;
  if (is_alike) {
    p->sum.bytes += piece->bytes;
    return;
  }
  write_sum(p);
  p->sum = *piece;
}

/* What was alive at the peak of this fit, when that has risen.  A context may have seen a higher
 * one before: then unknown. */
static void tell_peak(snug_fit_record *r) {
  const snug__account *a = &r->model->ctx->account;
  const snug__fit *f = r->model->training->fit;
  if (a->peak <= r->told_peak + r->told_peak / 1024 || f->scope.peak < a->peak) {
    return;
  }
  r->told_peak = a->peak;
  tell(r, "peak");
  note(r, snug_recorder_begin_peak(r->recorder, snug__now() - r->began));
  pieces p = {.r = r};
  snug_memory_walk(r->model, true, add_piece, &p);
  write_sum(&p);
}

/* ---- hooks ---- */

static void tell_saving(void *user, bool begins) {
  snug_fit_record *r = user;
  if (is_on(r)) {
    tell(r, begins ? "save_begin" : "save_end");
  }
}

static snug_status prepare(void *user) {
  snug_fit_record *r = user;
  SNUG_TRY(SNUG__WHOLE(r->model->ctx, snug_fit_record, r));
  r->recorder = NULL;
  r->failed = SNUG_OK;
  r->is_complete = false;
  r->told_peak = r->process = 0;
  r->why[0] = 0;
  return snug__recorder_create(r->model->ctx, &r->made);
}

/* The one failure that ends the fit: nothing was trained yet. */
static bool train_begin(void *user, int64_t epochs, int64_t steps) {
  snug_fit_record *r = user;
  snug__fit *f = r->model->training->fit;
  (void)epochs;
  (void)steps;
  double before = 0.0;
  r->failed = r->goes_on ? snug__recorder_resume(r->made, r->path, &before)
                         : snug__recorder_begin(r->made, r->path, r->replace);
  if (r->failed) {
    return false;
  }
  r->recorder = r->made;
  r->began = snug__now() - before;
  r->last_batch = -1.0;
  r->spent = 0.0;
  r->told = 0;
  r->epoch = r->batch = -1;
  snug_scope_begin(r->model->ctx, &r->since);
  r->has_scope = true;
  f->saving = (snug__saving){r, tell_saving};
  note(r, snug__record_fit(r->recorder, f, before > 0.0));
  if (is_on(r)) {
    tell(r, "sample");
  }
  return true;
}

static bool epoch_begin(void *user, int64_t epoch) {
  snug_fit_record *r = user;
  r->epoch = epoch;
  r->batch = -1;
  r->tells_epoch = may_tell_epoch(r);
  if (is_on(r) && r->tells_epoch) {
    tell(r, "epoch_begin");
  }
  return true;
}

static bool batch_end(void *user, int64_t batch, const snug_logs *logs) {
  snug_fit_record *r = user;
  (void)logs;
  r->batch = batch;
  if (!is_on(r)) {
    return true;
  }
  double now = snug__now() - r->began;
  if (r->last_batch < 0.0 || now - r->last_batch >= BATCH_SECONDS) {
    r->last_batch = now;
    tell(r, "batch_end");
  }
  tell_peak(r);
  return true;
}

/* The batches that were asked for; ends of epochs are told anyway. */
static bool memory_sample(void *user, const snug_memory_sample *s) {
  snug_fit_record *r = user;
  if (!is_on(r) || strcmp(s->at, "batch_end") != 0) {
    return true;
  }
  snug_moment m = {.struct_size = sizeof m,
                   .seconds = snug__now() - r->began,
                   .at = "target",
                   .epoch = s->epoch,
                   .batch = s->batch,
                   .resident = s->resident,
                   .peak = s->process_peak,
                   .held = s->current,
                   .held_peak = s->peak,
                   .processes = 1};
  note(r, snug_recorder_moment(r->recorder, &m));
  return true;
}

static bool test_begin(void *user, int64_t steps) {
  snug_fit_record *r = user;
  (void)steps;
  if (is_on(r) && r->tells_epoch) {
    tell(r, "validation_begin");
  }
  return true;
}

static bool test_end(void *user, const snug_logs *logs) {
  snug_fit_record *r = user;
  (void)logs;
  if (is_on(r)) {
    tell_peak(r);
  }
  if (is_on(r) && r->tells_epoch) {
    tell(r, "validation_end");
  }
  return true;
}

static bool epoch_end(void *user, int64_t epoch, const snug_logs *logs) {
  snug_fit_record *r = user;
  if (is_on(r)) {
    note(r, snug_recorder_logs(r->recorder, epoch, logs));
  }
  if (is_on(r) && r->tells_epoch) {
    tell(r, "epoch_end");
  }
  return true;
}

static bool train_end(void *user, const snug_logs *logs) {
  snug_fit_record *r = user;
  (void)logs;
  r->is_complete = true;
  return true;
}

/* ---- the end ---- */

static snug_status tell_end(snug_fit_record *r) {
  const snug__fit *f = r->model->training->fit;
  SNUG_TRY(snug_recorder_fact(r->recorder, "end.verdict",
                              r->is_complete ? "trained to the end" : "stopped before the end"));
  SNUG_TRY(snug__recorder_number(r->recorder, "end.held", f->scope.peak));
  return snug__recorder_real(r->recorder, "end.seconds", snug__now() - r->began);
}

static void close_all(void *user) {
  snug_fit_record *r = user;
  if (is_on(r)) {
    tell_peak(r);
    r->epoch = r->batch = -1;
    tell(r, "sample");
    note(r, tell_end(r));
  }
  if (r->has_scope && snug_scope_end(r->model->ctx, &r->since) == SNUG_OK) {
    r->has_scope = false;
  }
  if (!r->recorder || !r->stays_open) {
    note(r, snug_recorder_close(r->made));
    r->recorder = NULL;
  }
  r->made = NULL;
}

void snug_fit_record_callback(snug_fit_record *r, snug_callback *out) {
  snug_callback made = {.user = NULL};
  if (r && r->model) {
    made = (snug_callback){.user = r,
                           .train_begin = train_begin,
                           .epoch_begin = epoch_begin,
                           .batch_end = batch_end,
                           .test_begin = test_begin,
                           .test_end = test_end,
                           .epoch_end = epoch_end,
                           .train_end = train_end,
                           .failure = &r->failed,
                           .prepare = prepare,
                           .close = close_all,
                           .memory_sample = memory_sample};
  }
  SNUG__WRITE(snug_callback, &made, out);
}
