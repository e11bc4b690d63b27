/* One walk over the moments of a recording. */
#include "report/run.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

#define MOST_ROWS (1u << 22)

typedef struct walk {
  snug__run *run;
  snug__stage stage, outer;             /* outer: what a save stands in */
  snug__span span[SNUG__STAGE_BETWEEN]; /* open ones, by stage */
  bool is_open[SNUG__STAGE_BETWEEN];
  uint64_t peak;             /* that the kernel told so far */
  const snug_moment *before; /* the last end of a batch */
  double steps_seconds;
  double steps;
} walk;

/* ---- questions ---- */

const snug__span *snug__run_span(const snug__run *run, size_t i) {
  return &SNUG_VEC(&run->spans, snug__span, i);
}

const snug__epoch_row *snug__run_epoch(const snug__run *run, size_t i) {
  return &SNUG_VEC(&run->epochs, snug__epoch_row, i);
}

const snug__holder *snug__run_holder(const snug__run *run, size_t i) {
  return &SNUG_VEC(&run->holders, snug__holder, i);
}

const snug__holder *snug__run_class(const snug__run *run, size_t i) {
  return &SNUG_VEC(&run->classes, snug__holder, i);
}

const char *snug__run_fact(const snug__run *run, const char *name) {
  return snug_recording_fact(run->of, name);
}

static double real_fact(const snug__run *run, const char *name) {
  const char *text = snug__run_fact(run, name);
  double value = NAN;
  return text && snug__read_float(&text, &value) && !*text ? value : NAN;
}

uint64_t snug__run_number(const snug__run *run, const char *name) {
  const char *text = snug__run_fact(run, name);
  int64_t value = 0;
  return text && snug__read_int(&text, &value) && !*text && value > 0 ? (uint64_t)value : 0;
}

const char *snug__run_kind(const snug__run *run) {
  const char *kind = snug__run_fact(run, "run.kind");
  return kind ? kind : "run";
}

const double *snug__run_find_value(const snug_logs *logs, const char *name) {
  for (size_t i = 0; i < logs->n; i++) {
    if (strcmp(logs->names[i], name) == 0) {
      return &logs->values[i];
    }
  }
  return NULL;
}

double snug__run_value(const snug__run *run, const char *name) {
  for (size_t i = run->epochs.n; i > 0; i--) {
    const double *value = snug__run_find_value(&snug__run_epoch(run, i - 1)->logs, name);
    if (value) {
      return *value;
    }
  }
  return NAN;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

uint64_t snug__run_level(const snug__run *run, size_t i) {
  const snug_moment *m = snug_recording_moment(run->of, i);
  const snug_moment *before = i ? snug_recording_moment(run->of, i - 1) : NULL;
  bool rose = m->peak > (before ? before->peak : 0);
  return rose ? larger(m->peak, m->resident) : m->resident;
}

/* ---- spans and stages ---- */

static bool is_at(const snug_moment *m, const char *at) { return strcmp(m->at, at) == 0; }

static snug_status end_span(walk *w, snug__stage stage, double seconds, bool is_open) {
  if (!w->is_open[stage]) {
    return SNUG_OK;
  }
  w->is_open[stage] = false;
  w->span[stage].end = seconds;
  w->span[stage].is_open = is_open;
  return snug__vec_push(&w->run->spans, &w->span[stage], 1);
}

static snug_status begin_span(walk *w, snug__stage stage, const snug_moment *m) {
  SNUG_TRY(end_span(w, stage, m->seconds, false));
  w->span[stage] = (snug__span){stage, m->epoch, m->seconds, m->seconds, false};
  w->is_open[stage] = true;
  return SNUG_OK;
}

static snug_status begin(walk *w, snug__stage stage, const snug_moment *m) {
  w->outer = stage == SNUG__STAGE_SAVE && w->stage != SNUG__STAGE_SAVE ? w->stage : w->outer;
  w->stage = stage;
  return begin_span(w, stage, m);
}

static snug_status end(walk *w, snug__stage stage, snug__stage then, const snug_moment *m) {
  w->stage = then;
  return end_span(w, stage, m->seconds, false);
}

static snug_status follow(walk *w, const snug_moment *m) {
  if (is_at(m, "epoch_begin")) {
    return begin(w, SNUG__STAGE_TRAINING, m);
  }
  if (is_at(m, "validation_begin")) {
    return begin(w, SNUG__STAGE_VALIDATION, m);
  }
  if (is_at(m, "save_begin")) {
    return begin(w, SNUG__STAGE_SAVE, m);
  }
  if (is_at(m, "save_end")) {
    return end(w, SNUG__STAGE_SAVE, w->outer, m);
  }
  if (is_at(m, "validation_end")) {
    return end(w, SNUG__STAGE_VALIDATION, SNUG__STAGE_TRAINING, m);
  }
  return is_at(m, "epoch_end") ? end(w, SNUG__STAGE_TRAINING, SNUG__STAGE_BETWEEN, m) : SNUG_OK;
}

/* ---- epochs ---- */

static snug__epoch_row *last_epoch(snug__run *run) {
  return run->epochs.n ? &SNUG_VEC(&run->epochs, snug__epoch_row, run->epochs.n - 1) : NULL;
}

/* Its row, or a fresh one; rows of one epoch are brought together at the end. */
static snug_status row_of(snug__run *run, int64_t epoch, double seconds, snug__epoch_row **out) {
  const snug__epoch_row *last = last_epoch(run);
  if (!last || last->epoch != epoch) {
    const snug__epoch_row fresh = {.epoch = epoch, .begin = seconds, .end = NAN};
    SNUG_TRY(snug__vec_push(&run->epochs, &fresh, 1));
  }
  *out = last_epoch(run);
  return SNUG_OK;
}

/* What rose up to the beginning of an epoch belongs to the time before it. */
static snug_status count_epoch(walk *w, const snug_moment *m, uint64_t level) {
  snug__epoch_row *e = NULL;
  if (m->epoch < 0) {
    return SNUG_OK;
  }
  bool begins = is_at(m, "epoch_begin");
  SNUG_TRY(row_of(w->run, m->epoch, m->seconds, &e));
  e->peak = larger(e->peak, begins ? m->resident : level);
  e->held = larger(e->held, begins ? m->held : larger(m->held, m->held_peak));
  e->device = larger(e->device, m->device);
  e->batches = m->batch >= e->batches ? snug__ordinal(m->batch) : e->batches;
  if (is_at(m, "epoch_end")) {
    e->end = m->seconds;
    e->is_whole = true;
  }
  return SNUG_OK;
}

/* ---- the walk ---- */

/* Samples are thinned, so batches are counted by their numbers and not by their moments. */
static void count_steps(walk *w, const snug_moment *m) {
  if (!is_at(m, "batch_end")) {
    w->before = is_at(m, "epoch_end") ? NULL : w->before;
    return;
  }
  if (w->before && w->before->epoch == m->epoch && m->batch > w->before->batch) {
    w->steps += (double)m->batch - (double)w->before->batch;
    w->steps_seconds += m->seconds - w->before->seconds;
  }
  w->before = m;
}

static void count_peak(walk *w, const snug_moment *m, size_t i, uint64_t level) {
  snug__run *run = w->run;
  if (level > run->peak) {
    run->peak = level;
    run->peak_at = i;
    run->peak_stage = w->stage;
  }
  run->held = larger(run->held, larger(m->held, m->held_peak));
  run->device = larger(run->device, larger(m->device, m->device_peak));
}

static snug_status walk_moments(walk *w) {
  snug__run *run = w->run;
  for (size_t i = 0; i < snug_recording_moments(run->of); i++) {
    const snug_moment *m = snug_recording_moment(run->of, i);
    uint64_t level = snug__run_level(run, i);
    count_peak(w, m, i, level);
    count_steps(w, m);
    SNUG_TRY(count_epoch(w, m, level));
    SNUG_TRY(follow(w, m));
    run->seconds = m->seconds > run->seconds ? m->seconds : run->seconds;
  }
  for (int stage = 0; stage < SNUG__STAGE_BETWEEN; stage++) {
    SNUG_TRY(end_span(w, (snug__stage)stage, run->seconds, run->end != SNUG_RECORDING_CLOSED));
  }
  run->last_stage = w->stage;
  run->step = w->steps > 0.0 ? w->steps_seconds / w->steps : NAN;
  return SNUG_OK;
}

static bool has_epochs(const snug_recording *of) {
  for (size_t i = 0; i < snug_recording_moments(of); i++) {
    if (snug_recording_moment(of, i)->epoch >= 0) {
      return true;
    }
  }
  return false;
}

static snug_status digest(snug__run *run, snug_ctx *ctx) {
  walk w = {.run = run, .stage = has_epochs(run->of) ? SNUG__STAGE_BEFORE : SNUG__STAGE_NONE};
  SNUG_TRY(walk_moments(&w));
  SNUG_TRY(snug__run_settle_epochs(run, ctx));
  return snug__run_hold(run, ctx);
}

/* Of two limits the lower one rules. */
static uint64_t limit_of(const snug__run *run) {
  uint64_t maximum = snug__run_number(run, "run.maximum");
  uint64_t group = snug__run_number(run, "result.group_limit");
  uint64_t lower = maximum && (!group || maximum < group) ? maximum : group;
  return run->line ? run->line : lower;
}

snug_status snug__run_init(snug__run *run, snug_ctx *ctx, const snug_recording *of,
                           const char *name) {
  *run = (snug__run){.of = of, .name = name, .shown = name, .peak_at = SNUG__NONE, .step = NAN};
  run->end = snug_recording_ended(of, &run->end_byte);
  run->line = snug__run_number(run, "plan.line");
  run->limit = limit_of(run);
  run->planned = snug__run_number(run, "plan.process");
  run->snug_planned = snug__run_number(run, "plan.planned");
  run->planned_step = real_fact(run, "plan.step_seconds");
  snug__vec_init(&run->spans, ctx, SNUG__MEM_SCRATCH, sizeof(snug__span), MOST_ROWS);
  snug__vec_init(&run->epochs, ctx, SNUG__MEM_SCRATCH, sizeof(snug__epoch_row), MOST_ROWS);
  snug__vec_init(&run->holders, ctx, SNUG__MEM_SCRATCH, sizeof(snug__holder), MOST_ROWS);
  snug__vec_init(&run->classes, ctx, SNUG__MEM_SCRATCH, sizeof(snug__holder), MOST_ROWS);
  snug_status s = digest(run, ctx);
  if (s) {
    snug__run_release(run);
  }
  return s;
}

void snug__run_release(snug__run *run) {
  snug__vec_release(&run->spans);
  snug__vec_release(&run->epochs);
  snug__vec_release(&run->holders);
  snug__vec_release(&run->classes);
}
