#include "train/pick.h"

#include <math.h>
#include <string.h>

#include "base/size.h"
#include "train/fit_memory.h"
#include "train/kept.h"
#include "train/points.h"
#include "train/process_figure.h"

/* Making a session tells what the process takes beside the block; that changes little from way to
 * way, and the last ways are close to the least. */
#define MOST_ROUNDS 8

static void give_points(snug__fit *f) {
  SNUG_GIVE_ARRAY(f->model->ctx, SNUG__MEM_PLAN, f->pick.points, f->pick.room);
  f->pick.points = NULL;
}

static void give_choice(snug__fit *f) {
  snug__step_choice *c = &f->pick.choice;
  SNUG_GIVE_ARRAY(f->model->ctx, SNUG__MEM_PLAN, c->keeping, c->n_values);
  *c = (snug__step_choice){0};
}

void snug__pick_release(snug__fit *f) {
  give_choice(f);
  give_points(f);
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
  snug__step_choice *c = &f->pick.choice;
  give_choice(f);
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_PLAN, y->n_values, &c->keeping));
  memcpy(c->keeping, way_at(w, i)->keeping, y->n_values);
  c->n_values = y->n_values;
  c->micro = y->micro;
  c->most_scratch = y->most_scratch;
  c->slots = way->slots;
  return SNUG_OK;
}

/* The session that was made: by its figure, which is the same in every run, and by what was
 * measured in this one. */
static bool is_over(const snug__fit *f) {
  return f->options.memory &&
         (f->pick.process > f->options.memory || f->history->memory.process > f->options.memory);
}

/* ---- points ---- */

/* The process with a point, from one that is measured: what lies beside the block is the same. */
static uint64_t process_beside(const snug__fit *f, const snug_plan_point *p,
                               const snug_plan_point *measured) {
  uint64_t bytes = snug__point_bytes(f, p);
  uint64_t there = snug__point_bytes(f, measured);
  uint64_t less = there > bytes ? there - bytes : 0;
  return bytes > there              ? measured->process + (bytes - there)
         : less < measured->process ? measured->process - less
                                    : 0;
}

/* The process with a point between two that are measured: it goes from one to the other as their
 * bytes do. */
static uint64_t process_between(const snug__fit *f, const snug_plan_point *p,
                                const snug_plan_point *large, const snug_plan_point *small) {
  double most = (double)snug__point_bytes(f, large);
  double least = (double)snug__point_bytes(f, small);
  double part = ((double)snug__point_bytes(f, p) - least) / (most - least);
  return small->process + (uint64_t)(part * (double)(large->process - small->process));
}

/* The least line and the process are told as they were measured; of one session measured twice they
 * are the same.  Behind a session that needs no more than the least one there is nothing to gain.
 */
static void settle_least(snug__fit *f, size_t at) {
  snug__pick *k = &f->pick;
  snug_memory_report *r = &f->history->memory;
  bool fits = k->chosen < k->n_points;
  if (!fits && k->least > r->process) {
    r->reserve += k->least - r->process;
    r->process = k->least;
  }
  if (k->least && k->least >= r->process) {
    k->n_points = at + 1;
    k->chosen = fits ? at : at + 1;
  }
  k->least = k->least && at + 1 < k->n_points ? k->least : r->process;
}

/* What was reckoned may come out beyond a point that was measured: it is then slower and no smaller
 * than another one, or smaller than the least, and is none. */
static void drop_useless(snug__pick *k, size_t at) {
  const size_t last = k->n_points - 1;
  size_t n = 0;
  for (size_t i = 0; i <= last; i++) {
    const snug_plan_point p = k->points[i];
    bool is_measured = i == at || i == last;
    bool is_above = p.process > k->points[i < at ? at : last].process;
    if (is_measured || (is_above && (n == 0 || p.process < k->points[n - 1].process))) {
      k->chosen = i == k->chosen ? n : k->chosen;
      k->points[n++] = p;
    }
  }
  k->chosen = k->chosen > last ? n : k->chosen;
  k->n_points = n;
}

/* The points that were measured, and from these the others. */
static void fill_processes(snug__fit *f) {
  snug__pick *k = &f->pick;
  bool knows_least = k->least != 0;
  size_t at = k->chosen < k->n_points ? k->chosen : k->n_points - 1;
  settle_least(f, at);
  snug_plan_point *last = &k->points[k->n_points - 1];
  last->process = k->least;
  k->points[at].process = f->history->memory.process;
  for (size_t i = 0; i < k->n_points; i++) {
    snug_plan_point *p = &k->points[i];
    if (p->process) {
      continue; /* it was measured */
    }
    if (i < at || !knows_least) {
      p->process = process_beside(f, p, &k->points[at]);
    } else {
      p->process = process_between(f, p, &k->points[at], last);
    }
  }
  drop_useless(k, at);
}

/* ---- choosing ---- */

static void forget_session(snug__fit *f) {
  snug__session_release(&f->session);
  snug__fit_forget(f->model);
}

static snug_status make_way(snug__ways *w, snug__fit *f, size_t i) {
  SNUG_TRY(take(f, w, i));
  forget_session(f);
  SNUG_TRY(snug__fit_make_session(f));
  return snug__process_figure(f);
}

/* What lies beside the block is not the same for all ways, and validation may want more of it than
 * a small step does: the least line is that of a session that was made.  The last way is the
 * least. */
static snug_status measure_least(snug__ways *w, snug__fit *f) {
  size_t least = w->list.n - 1;
  SNUG_TRY(make_way(w, f, least));
  f->pick.least = f->history->memory.process;
  f->pick.chosen = is_over(f) ? f->pick.n_points : least;
  return SNUG_OK;
}

/* What the line leaves for a block, reckoned from the session that was measured. */
static uint64_t room_for_block(const snug__fit *f) {
  uint64_t session = snug__session_bytes(f);
  uint64_t beside = f->pick.process > session ? f->pick.process - session : 0;
  if (!f->options.memory) {
    return UINT64_MAX;
  }
  return f->options.memory > beside ? f->options.memory - beside : 0;
}

/* Plan the way that should fit, those that may have to, and what a plan shows beside them. */
static snug_status line_up(snug__ways *w, snug__fit *f, uint64_t room) {
  SNUG_TRY(snug__points_find(w, f, room, MOST_ROUNDS, &f->pick.chosen));
  size_t at = f->pick.chosen < w->list.n ? f->pick.chosen : w->list.n - 1;
  SNUG_TRY(snug__points_find_beside(w, f, at));
  SNUG_TRY(snug__points_find_least(w, f));
  SNUG_TRY(f->options.levers.curve ? snug__points_spread(w, f) : SNUG_OK);
  return snug__points_keep(w, f, &f->pick.chosen);
}

static bool tells_least(const snug__fit *f) {
  return f->options.levers.beside || f->options.levers.curve;
}

/* The least line is told, whatever was chosen. */
static snug_status measure_end(snug__ways *w, snug__fit *f) {
  size_t chosen = f->pick.chosen;
  SNUG_TRY(measure_least(w, f));
  f->pick.chosen = chosen;
  return SNUG_OK;
}

/* The point to go on to from one that came out over the line: a smaller one, that much.  What lies
 * beside the block is not the same for all, so none is passed over that may fit all the same, as
 * it would under a smaller line. */
static size_t next_point(const snug__fit *f) {
  uint64_t room = snug__session_bytes(f) + SNUG__MARGIN_BYTES + f->options.memory;
  room = room > f->pick.process ? room - f->pick.process : 0;
  size_t i = f->pick.chosen + 1;
  while (i < f->pick.n_points && snug__point_bytes(f, &f->pick.points[i]) > room) {
    i++;
  }
  return i;
}

/* Make the session of one way after the other, until the process stays under the line; `room` says
 * which is to fit.  Where none seems to, the least one is made all the same. */
static snug_status choose(snug__ways *w, snug__fit *f, uint64_t room) {
  SNUG_TRY(line_up(w, f, room));
  SNUG_TRY(tells_least(f) ? measure_end(w, f) : SNUG_OK);
  for (int i = 0; i < MOST_ROUNDS && f->pick.chosen < f->pick.n_points; i++) {
    SNUG_TRY(make_way(w, f, f->pick.chosen));
    if (!is_over(f)) {
      return SNUG_OK;
    }
    f->pick.chosen = next_point(f);
  }
  return measure_least(w, f);
}

/* Samples of a micro-batch as they are fixed.  Micro-batches of a batch and more are none, for
 * validation neither: so it is under a line. */
static int64_t fixed_micro(const snug__fit *f) {
  int64_t micro = f->options.levers.micro_batch;
  return micro < f->train.batch ? micro : 0;
}

/* The session as it is without a line: one point, and nothing is searched. */
static snug_status take_usual(snug__fit *f) {
  f->pick.choice.micro = fixed_micro(f);
  SNUG_TRY(SNUG_NEW_ARRAY(f->model->ctx, SNUG__MEM_PLAN, 1, &f->pick.points));
  f->pick.n_points = f->pick.room = 1;
  SNUG_TRY(snug__fit_make_session(f)); /* after that nothing is taken: it has been counted */
  f->pick.points[0] = (snug_plan_point){
      .block = f->history->memory.block,
      .micro_batch = f->pick.choice.micro ? snug__min_i64(f->pick.choice.micro, f->train.batch)
                                          : f->train.batch};
  return SNUG_OK;
}

/* What the session is that a fit makes by itself; p: what is known of it without the ways. */
static snug_plan_point usual_point(const snug__ways *w, snug_plan_point p) {
  const snug__family *whole = &w->families[0];
  p.seconds = whole->micro_batches * whole->frontier.usual.seconds;
  p.recomputed = whole->frontier.usual.n_again;
  p.recompute_seconds = whole->micro_batches * whole->frontier.usual.again;
  return p;
}

/* Put the usual session before the points that are smaller; the chosen one is, if any is. */
static snug_status put_usual_first(snug__fit *f, const snug_plan_point *usual) {
  snug__pick *k = &f->pick;
  snug_plan_point *points = NULL;
  size_t first = 0;
  while (first < k->n_points &&
         snug__point_bytes(f, &k->points[first]) >= snug__point_bytes(f, usual)) {
    first++;
  }
  size_t n = k->n_points - first;
  SNUG_TRY(SNUG_NEW_ARRAY(f->model->ctx, SNUG__MEM_PLAN, n + 1, &points));
  points[0] = *usual;
  memcpy(points + 1, k->points + first, n * sizeof *points);
  give_points(f);
  k->points = points;
  k->n_points = k->room = n + 1;
  k->chosen = k->chosen - first + 1;
  return SNUG_OK;
}

/* Nothing of it is counted: a fit does not do it. */
static snug_status look_beside(snug__ways *w, snug__fit *f, const snug_plan_point *usual) {
  SNUG_TRY(snug__points_open(w, f));
  return line_up(w, f, snug__point_bytes(f, usual) - 1);
}

/* Back to the session that was there, and to what was measured of it. */
static snug_status restore(snug__fit *f, const snug_memory_report *report) {
  give_choice(f);
  f->pick.choice.micro = fixed_micro(f);
  f->pick.process = 0;
  snug__session_release(&f->session);
  SNUG_TRY(snug__fit_make_session(f));
  f->history->memory = *report;
  return SNUG_OK;
}

static snug_status open_ways(snug__ways *w, snug__fit *f) {
  SNUG_TRY(snug__ways_open(w, f));
  f->pick.slots_saved = w->slots_saved;
  return SNUG_OK;
}

static snug_status explore(snug__fit *f) {
  const snug_memory_report report = f->history->memory;
  snug_plan_point usual = f->pick.points[0];
  snug__ways w;
  forget_session(f); /* as under a line, where there is none yet */
  give_points(f);
  snug_status s = open_ways(&w, f);
  usual = s ? usual : usual_point(&w, usual);
  s = s ? s : look_beside(&w, f, &usual);
  s = s ? s : measure_least(&w, f);
  s = s ? s : put_usual_first(f, &usual);
  f->pick.chosen = 0; /* the session that was there */
  snug__ways_close(&w);
  return s ? s : restore(f, &report);
}

/* Choose for the line and the levers; usual: the session that is there, if it may stand among the
 * points, or NULL.  From that session it is reckoned what a line leaves for a block. */
static snug_status choose_of_all(snug__fit *f, snug_plan_point *usual) {
  uint64_t room = room_for_block(f);
  snug__ways w;
  if (usual && room >= snug__point_bytes(f, usual)) {
    room = snug__point_bytes(f, usual) - 1;
  }
  forget_session(f); /* planning takes memory as well */
  give_points(f);
  snug_status s = open_ways(&w, f);
  s = s ? s : snug__points_open(&w, f);
  s = s ? s : choose(&w, f, room);
  if (!s && usual) {
    *usual = usual_point(&w, *usual);
    s = put_usual_first(f, usual);
  }
  snug__ways_close(&w); /* and what it held no longer counts */
  return s;
}

/* What is told is that of the session as it stands. */
static snug_status measure_chosen(snug__fit *f) {
  SNUG_TRY(f->keeper ? snug__fit_kernels_key(f, &f->pick.kernels) : SNUG_OK);
  SNUG_TRY(snug__fit_memory(f, &f->history->memory));
  snug__process_figure_tell(f);
  return SNUG_OK;
}

/* The usual session is over the line.  What the search for another holds counts too, so of a small
 * network it may be the least all the same. */
static snug_status choose_smaller(snug__fit *f) {
  const snug_memory_report report = f->history->memory;
  snug_plan_point usual = f->pick.points[0];
  usual.process = report.process;
  SNUG_TRY(choose_of_all(f, &usual));
  if (f->pick.chosen < f->pick.n_points || f->history->memory.process < report.process) {
    return measure_chosen(f);
  }
  f->pick.n_points = f->pick.chosen = 1;
  return restore(f, &report);
}

static snug_status pick(snug__fit *f) {
  if (f->pick.is_kept) {
    SNUG_TRY(snug__kept_take(f));
    SNUG_TRY(measure_chosen(f));
    snug__kept_judge(f);
    return SNUG_OK;
  }
  SNUG_TRY(take_usual(f));
  SNUG_TRY(f->options.memory ? snug__process_figure(f) : SNUG_OK);
  if (snug__ways_fixed(&f->options.levers)) {
    SNUG_TRY(choose_of_all(f, NULL));
    return measure_chosen(f);
  }
  f->pick.is_usual = !is_over(f);
  if (!f->pick.is_usual) {
    return choose_smaller(f);
  }
  SNUG_TRY(f->keeper || f->options.memory ? measure_chosen(f) : SNUG_OK);
  return tells_least(f) ? explore(f) : SNUG_OK;
}

bool snug__pick_exceeds(const snug__fit *f) {
  uint64_t available = f->model->ctx->available;
  return available && !f->options.memory && f->history->memory.process > available;
}

/* What is refused is told the least that would do, whether that was asked for or not. */
static snug_status find_least(snug__fit *f) {
  f->options.levers.beside = true;
  return f->pick.is_usual ? explore(f) : choose_of_all(f, NULL);
}

snug_status snug__pick_way(snug__fit *f) {
  SNUG_TRY(f->keeper ? f->keeper->plan(f->keeper->user, f) : SNUG_OK);
  SNUG_TRY(pick(f));
  if (snug__pick_exceeds(f) && !tells_least(f) && !f->pick.is_kept) {
    SNUG_TRY(find_least(f));
  }
  fill_processes(f);
  return SNUG_OK;
}
