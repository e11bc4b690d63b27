#include "train/batch.h"

#include <string.h>

#include "base/size.h"

/* A batch under way. */
typedef struct whole {
  snug__session *s;
  snug__feed *feed;
  snug__slot slot;
  int64_t batch, rows;
} whole;

/* Fill a scalar of a run, if it has that one. */
static void set(const snug__run *run, snug__id value, double to) {
  if (value != SNUG_NONE) {
    snug__element_set(snug__type_at(run->program->graph, value)->dtype,
                      snug__program_data(run->program, value), 0, to);
  }
}

static void fill(const whole *w, int64_t first, const snug__run *run) {
  snug__feed_fill(w->feed, w->batch, first, run);
  set(run, run->step.offset, (double)first);
  set(run, run->step.whole, (double)w->rows);
  set(run, run->step.keep, first ? 1.0 : 0.0);
}

/* Add a micro-batch's part to the divisors. */
static snug_status count_micro_batch(const whole *w, int64_t first, const snug__run *micro_batch) {
  const snug__run *run = &w->s->counts[micro_batch - w->s->runs];
  fill(w, first, run);
  SNUG_TRY(snug__program_run(run->program));
  for (size_t i = 0; i < w->s->model->outputs.n; i++) {
    if (run->step.divisor[i] != SNUG_NONE) {
      w->s->divisors[i] += *(const double *)snug__program_data(run->program, run->step.divisor[i]);
    }
  }
  return SNUG_OK;
}

static snug_status run_micro_batch(const whole *w, int64_t first, const snug__run *run) {
  fill(w, first, run);
  for (size_t i = 0; i < w->s->model->outputs.n; i++) {
    set(run, run->step.divisor[i], w->s->divisors[i]);
  }
  return snug__program_run(run->program);
}

typedef snug_status visitor(const whole *w, int64_t first, const snug__run *run);

static snug_status each_micro_batch(const whole *w, visitor *visit) {
  int64_t most = w->s->runs[w->slot].step.batch;
  for (int64_t first = 0; first < w->rows; first += most) {
    int64_t rows = snug__min_i64(most, w->rows - first);
    SNUG_TRY(visit(w, first, snug__session_run(w->s, w->slot, rows)));
  }
  return SNUG_OK;
}

static snug_status run_micro_batches(const whole *w) {
  const snug__session *s = w->s;
  memset(s->divisors, 0, s->model->outputs.n * sizeof *s->divisors);
  SNUG_TRY(s->counts[w->slot].program ? each_micro_batch(w, count_micro_batch) : SNUG_OK);
  SNUG_TRY(each_micro_batch(w, run_micro_batch));
  return s->runs[w->slot].step.kind == SNUG__STEP_TRAIN_MICRO_BATCH
             ? snug__program_run(s->update.program)
             : SNUG_OK;
}

/* What was taken is given back as soon as it is copied: others may fill it while this runs. */
static snug_status run_whole(const whole *w) {
  const snug__run *run = snug__session_run(w->s, w->slot, w->rows);
  snug__feed_fill(w->feed, w->batch, 0, run);
  snug__feed_give(w->feed);
  return snug__program_run(run->program);
}

snug_status snug__batch_run(snug__session *s, snug__feed *feed, snug__slot slot, int64_t batch) {
  whole w = {s, feed, slot, batch, snug__feed_rows(feed, batch)};
  if (!snug__session_in_micro_batches(s, slot)) {
    return run_whole(&w);
  }
  snug_status status = run_micro_batches(&w);
  snug__feed_give(feed);
  return status;
}
