#include "train/pick.h"

#include <math.h>
#include <string.h>

#include "base/size.h"
#include "base/store.h"
#include "train/fit_memory.h"
#include "train/ways.h"

/* The same process differs from run to run by less than this: a line that was told is accepted. */
#define MARGIN (UINT64_C(384) << 10)

/* Making a session tells what the process takes beside the block; that changes little from way to
 * way, and the last ways are close to the least. */
#define MOST_ROUNDS 8

void snug__pick_release(snug__fit *f) {
  SNUG_GIVE_ARRAY(f->model->ctx, SNUG__MEM_PLAN, f->pick.keeping, f->pick.n_values);
  SNUG_GIVE_ARRAY(f->model->ctx, SNUG__MEM_PLAN, f->pick.points, f->pick.room);
  f->pick = (snug__pick){0};
}

uint64_t snug__pick_least(const snug__fit *f) { return f->pick.least; }

/* ---- one way ---- */

static const snug__way *way_at(const snug__ways *w, size_t i) {
  const snug__fit_way *way = &SNUG_VEC(&w->list, snug__fit_way, i);
  return &SNUG_VEC(&w->families[way->family].frontier.ways, snug__way, way->way);
}

/* Let the session be made as way i says. */
static snug_status take(snug__fit *f, const snug__ways *w, size_t i) {
  const snug__fit_way *way = &SNUG_VEC(&w->list, snug__fit_way, i);
  const snug__family *y = &w->families[way->family];
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_PLAN, f->pick.keeping, f->pick.n_values);
  f->pick.keeping = NULL;
  f->pick.n_values = y->n_values;
  f->pick.micro = y->micro;
  f->pick.most_scratch = y->most_scratch;
  f->pick.slots = way->slots;
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_PLAN, f->pick.n_values, &f->pick.keeping));
  memcpy(f->pick.keeping, way_at(w, i)->keeping, f->pick.n_values);
  return SNUG_OK;
}

static bool is_over(const snug__fit *f) {
  return f->options.memory && f->history->memory.process > f->options.memory;
}

/* ---- points ---- */

static snug_status describe(snug__ways *w, const snug__fit *f, size_t i, snug_plan_point *out) {
  const snug__fit_way *way = &SNUG_VEC(&w->list, snug__fit_way, i);
  const snug__family *y = &w->families[way->family];
  const snug__outcome *o = &way_at(w, i)->outcome;
  int64_t bytes = 0;
  SNUG_TRY(snug__ways_bytes(w, i, &bytes));
  *out = (snug_plan_point){
      .block = (uint64_t)bytes,
      .seconds = way->seconds,
      .micro_batch = y->micro ? y->micro : f->train.batch,
      .recomputed = o->n_again,
      .recompute_seconds = y->pieces * o->again,
      .direct = y->n_lean - w->families[y->plain].n_lean,
      .direct_seconds = fmax(y->pieces * (y->seconds - w->families[y->plain].seconds), 0.0),
      .on_disk = (uint64_t)o->on_disk,
      .disk_seconds = y->pieces * o->waiting};
  if (way->slots) {
    out->slots = (uint64_t)w->slots_bytes;
    out->on_disk += out->slots;
    out->disk_seconds += snug__ways_slot_seconds(w);
  }
  return SNUG_OK;
}

/* Bytes of a block, of what files take in memory, and of slots that are not in one. */
static uint64_t bytes_with(const snug__fit *f, uint64_t block, bool waits, bool slots) {
  uint64_t store = (uint64_t)snug__store_cost();
  return block + (waits ? store : 0) + (slots ? store : (uint64_t)f->pick.slots_saved);
}

static uint64_t bytes_of(const snug__fit *f, const snug_plan_point *p) {
  return bytes_with(f, p->block, p->on_disk > p->slots, p->slots > 0);
}

/* The same of the session that was measured. */
static uint64_t session_bytes(const snug__fit *f) {
  return bytes_with(f, f->history->memory.block, f->session.file_bytes > 0, f->pick.slots);
}

/* The process with another point than the one that it was measured for. */
static uint64_t process_with(const snug__fit *f, const snug_plan_point *p) {
  const snug_memory_report *r = &f->history->memory;
  uint64_t beside = r->process > session_bytes(f) ? r->process - session_bytes(f) : 0;
  return beside + bytes_of(f, p) + MARGIN;
}

static snug_status describe_all(snug__ways *w, snug__fit *f) {
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_PLAN, w->list.n, &f->pick.points));
  f->pick.n_points = f->pick.room = w->list.n;
  for (size_t i = 0; i < w->list.n; i++) {
    SNUG_TRY(describe(w, f, i, &f->pick.points[i]));
  }
  snug__ways_settle(w);
  return SNUG_OK;
}

static void fill_processes(snug__fit *f) {
  for (size_t i = 0; i < f->pick.n_points; i++) {
    f->pick.points[i].process = process_with(f, &f->pick.points[i]);
  }
}

/* ---- choosing ---- */

/* The fastest point of at most so many bytes, or the number of points. */
static size_t pick(const snug__fit *f, uint64_t bytes) {
  size_t i = 0;
  while (i < f->pick.n_points && bytes_of(f, &f->pick.points[i]) > bytes) {
    i++;
  }
  return i;
}

static snug_status smallest(snug__ways *w, const snug__fit *f, size_t *out) {
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < w->list.n; i++) {
    int64_t bytes = 0;
    SNUG_TRY(snug__ways_bytes(w, i, &bytes));
    bytes = (int64_t)bytes_with(f, (uint64_t)bytes, way_at(w, i)->outcome.on_disk > 0,
                                SNUG_VEC(&w->list, snug__fit_way, i).slots);
    *out = bytes < least ? i : *out;
    least = snug__min_i64(bytes, least);
  }
  return SNUG_OK;
}

static void forget_session(snug__fit *f) {
  snug__session_release(&f->session);
  snug__fit_forget(f->model);
}

static snug_status make_way(snug__ways *w, snug__fit *f, size_t i,
                            snug_status (*make)(snug__fit *f)) {
  SNUG_TRY(take(f, w, i));
  forget_session(f);
  return make(f);
}

/* What lies beside the block is not the same for all ways, and validation may want more of it than
 * a small step does: the least line is that of a session that was made. */
static snug_status measure_least(snug__ways *w, snug__fit *f, snug_status (*make)(snug__fit *f)) {
  size_t i = 0;
  SNUG_TRY(smallest(w, f, &i));
  SNUG_TRY(make_way(w, f, i, make));
  f->pick.least = f->history->memory.process + MARGIN;
  f->pick.chosen = is_over(f) ? f->pick.n_points : i;
  return SNUG_OK;
}

/* The point to go to from one that came out over the line.  From the first one it is reckoned.
 * What lies beside the block is not the same for all, so that one may be over all the same; then
 * it is the next, and none is passed over that a smaller line would have got. */
static size_t next_point(const snug__fit *f) {
  uint64_t over = f->history->memory.process - f->options.memory;
  if (f->pick.chosen > 0) {
    return f->pick.chosen + 1;
  }
  return pick(f, session_bytes(f) > over ? session_bytes(f) - over : 0);
}

/* Make the session of one way after the other, until the process stays under the line.  What a
 * smaller way will come to is reckoned from a larger one, and can be a little too much: where none
 * seems to fit, the least one is made all the same. */
static snug_status choose(snug__ways *w, snug__fit *f, snug_status (*make)(snug__fit *f)) {
  f->pick.chosen = 0;
  for (int round = 0; round < MOST_ROUNDS && f->pick.chosen < f->pick.n_points; round++) {
    SNUG_TRY(make_way(w, f, f->pick.chosen, make));
    if (!is_over(f)) {
      return SNUG_OK;
    }
    f->pick.chosen = next_point(f);
  }
  return measure_least(w, f, make);
}

/* Without a choice there is one point: the session as ever. */
static snug_status take_only(snug__fit *f, snug_status (*make)(snug__fit *f)) {
  f->pick.micro = f->options.levers.micro_batch;
  SNUG_TRY(SNUG_NEW_ARRAY(f->model->ctx, SNUG__MEM_PLAN, 1, &f->pick.points));
  f->pick.n_points = f->pick.room = 1;
  SNUG_TRY(make(f)); /* after that nothing is taken: it has been counted */
  f->pick.points[0] = (snug_plan_point){
      .block = f->history->memory.block,
      .micro_batch = f->pick.micro ? snug__min_i64(f->pick.micro, f->train.batch) : f->train.batch};
  return SNUG_OK;
}

/* Timings are not sure enough to call another way faster than the session that a fit makes by
 * itself: it is there for its bytes alone.  Of those as fast the smallest remains. */
static size_t add_point(const snug__fit *f, size_t n, snug_plan_point p) {
  snug_plan_point *points = f->pick.points;
  p.seconds = fmax(p.seconds, points[0].seconds);
  if (bytes_of(f, &p) >= bytes_of(f, &points[n - 1])) {
    return n;
  }
  n -= n > 1 && p.seconds == points[n - 1].seconds;
  points[n] = p;
  return n + 1;
}

/* Add the points that are smaller than the one of the session.  Nothing of it is counted: a fit
 * does not do it. */
static snug_status add_smaller(snug__ways *w, snug__fit *f) {
  snug_plan_point *points = NULL;
  size_t n = 1;
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_PLAN, w->list.n + 1, &points));
  const snug__family *whole = &w->families[0];
  points[0] = f->pick.points[0];
  points[0].seconds = whole->pieces * whole->frontier.usual.seconds;
  points[0].recomputed = whole->frontier.usual.n_again;
  points[0].recompute_seconds = whole->pieces * whole->frontier.usual.again;
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_PLAN, f->pick.points, f->pick.room);
  f->pick.points = points;
  f->pick.room = w->list.n + 1;
  for (size_t i = 0; i < w->list.n; i++) {
    snug_plan_point p;
    SNUG_TRY(describe(w, f, i, &p));
    n = add_point(f, n, p);
  }
  f->pick.n_points = n;
  snug__ways_settle(w);
  return SNUG_OK;
}

/* Back to the session that was there, and to what was measured of it. */
static snug_status restore(snug__fit *f, const snug_memory_report *report,
                           snug_status (*make)(snug__fit *f)) {
  SNUG_GIVE_ARRAY(f->model->ctx, SNUG__MEM_PLAN, f->pick.keeping, f->pick.n_values);
  f->pick.keeping = NULL;
  f->pick.n_values = 0;
  f->pick.micro = f->options.levers.micro_batch;
  f->pick.most_scratch = 0;
  f->pick.slots = false;
  snug__session_release(&f->session);
  SNUG_TRY(make(f));
  f->history->memory = *report;
  return SNUG_OK;
}

static snug_status open_ways(snug__ways *w, snug__fit *f) {
  SNUG_TRY(snug__ways_open(w, f));
  f->pick.slots_saved = w->slots_saved;
  return SNUG_OK;
}

static snug_status explore(snug__fit *f, snug_status (*make)(snug__fit *f)) {
  const snug_memory_report report = f->history->memory;
  snug__ways w;
  forget_session(f); /* as under a line, where there is none yet */
  snug_status s = open_ways(&w, f);
  s = s ? s : add_smaller(&w, f);
  s = s ? s : measure_least(&w, f, make);
  f->pick.chosen = 0; /* the session that was there */
  snug__ways_close(&w);
  return s ? s : restore(f, &report, make);
}

static snug_status choose_of_all(snug__fit *f, snug_status (*make)(snug__fit *f)) {
  snug__ways w;
  snug_status s = open_ways(&w, f);
  s = s ? s : describe_all(&w, f);
  s = s || !f->options.levers.curve ? s : measure_least(&w, f, make);
  s = s ? s : choose(&w, f, make);
  snug__ways_close(&w); /* and what it held no longer counts */
  return s ? s : snug__fit_memory(f, &f->history->memory);
}

snug_status snug__pick_way(snug__fit *f, snug_status (*make)(snug__fit *f)) {
  SNUG_TRY(snug__ways_matter(&f->options) ? choose_of_all(f, make) : take_only(f, make));
  if (!snug__ways_matter(&f->options) && f->options.levers.curve) {
    SNUG_TRY(explore(f, make));
  }
  f->pick.least = f->pick.least ? f->pick.least : f->history->memory.process + MARGIN;
  fill_processes(f);
  return SNUG_OK;
}
