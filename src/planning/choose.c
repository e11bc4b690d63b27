/* The choice: the usual plan, the least one, and what lies between them. */
#include <string.h>

#include "base/ctx.h"
#include "base/size.h"
#include "planning/points.h"

/* Making programs shows what the process takes beside the block; that changes little from candidate
 * to candidate. */
#define MOST_ROUNDS 8

/* What a search leaves of a line for others than the account: kernels that are made, and pages that
 * come with them. */
#define SEARCH_SPARE (UINT64_C(1) << 20)

/* Programs that were made and measured. */
typedef struct measured {
  snug_plan_point point;
  snug_memory_report memory;
  uint64_t process;
} measured;

typedef struct planner {
  snug__question *q;
  snug__planned *p;
  bool is_fixed; /* the usual plan is none of the candidates */
  measured usual, least;
} planner;

static void give_choice(snug__planned *p, snug_ctx *ctx) {
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_PLAN, p->choice.policy, p->choice.n_values);
  p->choice = (snug__step_choice){0};
}

static void give_points(snug__planned *p, snug_ctx *ctx) {
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_PLAN, p->points, p->room);
  p->points = NULL;
  p->n_points = p->room = 0;
}

void snug__planned_release(snug__planned *p, snug_ctx *ctx) {
  give_choice(p, ctx);
  give_points(p, ctx);
  *p = (snug__planned){0};
}

/* ---- programs ---- */

/* By the figure, which is the same in every run, and by what was measured in this one. */
static bool is_over(const snug__question *q, const measured *m) {
  return q->line && (m->process > q->line || m->memory.process > q->line);
}

/* Make the programs of a choice, which is copied. */
static snug_status make(planner *k, const snug__step_choice *choice, measured *out) {
  const snug__question *q = k->q;
  snug__planned *p = k->p;
  snug__step_choice c = *choice;
  c.policy = NULL;
  if (choice->policy) {
    SNUG_TRY(SNUG_NEW_ARRAY(q->ctx, SNUG__MEM_PLAN, c.n_values, &c.policy));
    memcpy(c.policy, choice->policy, c.n_values);
  }
  give_choice(p, q->ctx);
  p->choice = c;
  q->target.release(q->target.user);
  SNUG_TRY(q->target.make(q->target.user, &p->choice, &p->memory, &p->process));
  out->memory = p->memory;
  out->process = p->process;
  out->point.block = p->memory.block;
  out->point.process = p->memory.process;
  return SNUG_OK;
}

static snug_status make_usual(planner *k, measured *out) {
  const snug__question *q = k->q;
  int64_t micro = q->options->micro_batch;
  const snug__step_choice usual = {.micro = micro < q->batch ? micro : 0};
  out->point.micro_batch = micro ? snug__min_i64(micro, q->batch) : q->batch;
  return make(k, &usual, out);
}

static snug_status make_candidate(planner *k, const snug__variants *w, size_t i, measured *out) {
  const snug__candidate *c = &SNUG_VEC(&w->candidates, snug__candidate, i);
  const snug__variant *y = &w->list[c->variant];
  const snug__frontier_point *point = &SNUG_VEC(&y->frontier.points, snug__frontier_point, c->at);
  const snug__step_choice choice = {.micro = y->micro,
                                    .most_scratch = y->most_scratch,
                                    .slots = c->slots,
                                    .policy = point->policy,
                                    .n_values = y->n_values};
  out->point = k->p->points[i];
  return make(k, &choice, out);
}

/* ---- the process with a point ---- */

/* What lies beside the block is as with another point, which is measured. */
static uint64_t process_beside(const snug__planned *p, const snug_plan_point *point,
                               const snug_plan_point *other) {
  uint64_t bytes = snug__planned_bytes(p, point);
  uint64_t there = snug__planned_bytes(p, other);
  uint64_t beside = other->process > there ? other->process - there : 0;
  return beside + bytes;
}

/* The process goes from one point to the other as their bytes do. */
static uint64_t process_between(const snug__planned *p, const snug_plan_point *point,
                                const snug_plan_point *large, const snug_plan_point *small) {
  double most = (double)snug__planned_bytes(p, large);
  double least = (double)snug__planned_bytes(p, small);
  double part = ((double)snug__planned_bytes(p, point) - least) / (most - least);
  return small->process + (uint64_t)(part * ((double)large->process - (double)small->process));
}

/* What was reckoned may come out beyond a point that was measured: it is then slower and no smaller
 * than another one, or smaller than the least, and is none. */
static void drop_useless(snug__planned *p, size_t at) {
  const size_t last = p->n_points - 1;
  size_t n = 0;
  for (size_t i = 0; i <= last; i++) {
    const snug_plan_point one = p->points[i];
    bool is_measured = i == at || i == last;
    bool is_above = one.process > p->points[i < at ? at : last].process;
    if (is_measured || (is_above && (n == 0 || one.process < p->points[n - 1].process))) {
      p->chosen = i == p->chosen ? n : p->chosen;
      p->points[n++] = one;
    }
  }
  p->chosen = p->chosen > last ? n : p->chosen;
  p->n_points = n;
}

/* Some points were measured (their process is known): the others lie between them. */
static void fill_processes(snug__planned *p) {
  const size_t last = p->n_points - 1;
  const size_t at = p->chosen <= last ? p->chosen : last;
  for (size_t i = 0; i <= last; i++) {
    snug_plan_point *one = &p->points[i];
    if (!one->process) {
      one->process = i < at ? process_beside(p, one, &p->points[at])
                            : process_between(p, one, &p->points[at], &p->points[last]);
    }
  }
  drop_useless(p, at);
}

/* ---- without a search ---- */

static snug_status set_points(planner *k, const measured *first, const measured *second,
                              size_t chosen) {
  const size_t n = second ? 2 : 1;
  give_points(k->p, k->q->ctx);
  SNUG_TRY(SNUG_NEW_ARRAY(k->q->ctx, SNUG__MEM_PLAN, n, &k->p->points));
  k->p->n_points = k->p->room = n;
  k->p->points[0] = first->point;
  if (second) {
    k->p->points[1] = second->point;
  }
  k->p->chosen = chosen;
  return SNUG_OK;
}

/* The usual plan alone; it is made. */
static snug_status take_usual(planner *k, size_t chosen) {
  k->p->is_usual = chosen == 0;
  k->p->least = k->usual.memory.process;
  return set_points(k, &k->usual, NULL, chosen);
}

/* The same before anything was searched: its point was there when it was measured. */
static void keep_usual(planner *k) {
  k->p->points[0] = k->usual.point;
  k->p->least = k->usual.memory.process;
}

/* Back to the usual plan, and to what was measured of it. */
static snug_status restore_usual(planner *k) {
  measured again = k->usual;
  SNUG_TRY(make_usual(k, &again));
  k->p->memory = k->usual.memory;
  k->p->process = k->usual.process;
  return SNUG_OK;
}

/* The usual plan and the least one are all that is known. */
static snug_status take_ends(planner *k, size_t chosen) {
  return k->is_fixed ? set_points(k, &k->least, NULL, chosen > 0)
                     : set_points(k, &k->usual, &k->least, chosen);
}

/* ---- with one ---- */

/* What the line leaves for a block, reckoned from programs that were measured. */
static uint64_t room_for_block(const planner *k, const measured *m) {
  uint64_t bytes = snug__planned_bytes(k->p, &m->point);
  uint64_t beside = m->process > bytes ? m->process - bytes : 0;
  uint64_t line = k->q->line;
  return !line ? UINT64_MAX : line > beside ? line - beside : 0;
}

/* Whether the search has room beside the model: by bytes that are the same in every run. */
static bool has_room(const planner *k, const snug__variants *w) {
  uint64_t bytes = snug__planned_bytes(k->p, &k->least.point);
  uint64_t beside = k->least.process > bytes ? k->least.process - bytes : 0;
  return !k->q->line || beside + w->search_bytes + SEARCH_SPARE <= k->q->line;
}

/* Kernels may be timed in memory that any plan has. */
static int64_t timing_room(const planner *k) {
  return (int64_t)(k->least.memory.block + k->least.memory.optimizer);
}

/* Search and plan; room: what should fit.  *chosen: a candidate of at most so many bytes. */
static snug_status line_up(planner *k, snug__variants *w, uint64_t room, size_t *chosen) {
  snug__planned *p = k->p;
  SNUG_TRY(snug__variants_search(w, timing_room(k)));
  give_points(p, k->q->ctx);
  SNUG_TRY(snug__points_open(w, p));
  p->points[w->candidates.n - 1].process = k->least.point.process;
  SNUG_TRY(snug__points_find(w, p, room, MOST_ROUNDS, chosen));
  SNUG_TRY(snug__points_find_beside(w, p, *chosen));
  SNUG_TRY(k->q->options->curve ? snug__points_spread(w, p) : SNUG_OK);
  return snug__points_keep(w, p, chosen);
}

/* What the usual plan is beside the candidates. */
static snug_plan_point usual_point(const planner *k, const snug__variants *w) {
  const snug__variant *whole = &w->list[0];
  snug_plan_point point = k->usual.point;
  point.seconds = whole->step.repeats * whole->frontier.usual.seconds;
  point.recomputed = whole->frontier.usual.n_again;
  point.recompute_seconds = whole->step.repeats * whole->frontier.usual.again;
  return point;
}

/* Put the usual plan before the points that are smaller. */
static snug_status put_usual_first(planner *k, const snug__variants *w) {
  snug__planned *p = k->p;
  const snug_plan_point usual = usual_point(k, w);
  snug_plan_point *points = NULL;
  size_t first = 0;
  while (first + 1 < p->n_points &&
         snug__planned_bytes(p, &p->points[first]) >= snug__planned_bytes(p, &usual)) {
    first++;
  }
  size_t n = p->n_points - first;
  SNUG_TRY(SNUG_NEW_ARRAY(k->q->ctx, SNUG__MEM_PLAN, n + 1, &points));
  points[0] = usual;
  memcpy(points + 1, p->points + first, n * sizeof *points);
  size_t chosen = p->chosen;
  give_points(p, k->q->ctx);
  p->points = points;
  p->n_points = p->room = n + 1;
  p->chosen = chosen < first ? 1 : chosen - first + 1;
  return SNUG_OK;
}

/* The point to go on to from one that came out over the line: a smaller one, by that much.  What
 * lies beside the block is not the same for all, so none is passed over that may fit all the same,
 * as it would under a smaller line. */
static size_t next_point(const planner *k, size_t chosen, const measured *m) {
  const snug__planned *p = k->p;
  uint64_t room = room_for_block(k, m) + (UINT64_C(384) << 10);
  size_t i = chosen + 1;
  while (i + 1 < p->n_points && snug__planned_bytes(p, &p->points[i]) > room) {
    i++;
  }
  return i;
}

/* Make one candidate after the other, until the process stays under the line.  The least one does,
 * as it did before. */
static snug_status choose_under_line(planner *k, snug__variants *w) {
  snug__planned *p = k->p;
  const measured *known = k->is_fixed ? &k->least : &k->usual;
  uint64_t room = room_for_block(k, known);
  const uint64_t most = snug__planned_bytes(p, &k->usual.point);
  size_t chosen = 0;
  measured m = {.process = 0};
  SNUG_TRY(line_up(k, w, !k->is_fixed && room >= most ? most - 1 : room, &chosen));
  const size_t last = p->n_points - 1;
  for (int i = 0; i < MOST_ROUNDS && chosen < last; i++) {
    SNUG_TRY(make_candidate(k, w, chosen, &m));
    if (!is_over(k->q, &m)) {
      p->points[chosen].process = m.point.process;
      p->chosen = chosen;
      return SNUG_OK;
    }
    chosen = next_point(k, chosen, &m);
  }
  p->chosen = last;
  return SNUG_OK;
}

/* The least plan, as it was measured before the search. */
static snug_status take_least(planner *k, const snug__step_choice *least) {
  measured again = k->least;
  SNUG_TRY(make(k, least, &again));
  k->p->memory = k->least.memory;
  k->p->process = k->least.process;
  return SNUG_OK;
}

/* A search that came to the line has found nothing: that is an answer, not a failure. */
static bool is_full(const snug__question *q, snug_status s) {
  return q->line && (s == SNUG_E_LIMIT || s == SNUG_E_MEMORY);
}

/* Without a search: what the two plans that are known take. */
static snug_status price_ends(planner *k, snug__variants *w) {
  snug_status s =
      snug__variants_price(w, timing_room(k), &k->least.point.seconds, &k->usual.point.seconds);
  return s ? s : take_ends(k, k->is_fixed ? 0 : 1);
}

static snug_status search_under_line(planner *k, snug__variants *w) {
  snug__gate *gate = &k->q->ctx->account.gate;
  const uint64_t line = k->q->line;
  k->q->target.release(k->q->target.user);
  const uint64_t before = gate->most;
  if (line) {
    snug__gate_tighten(gate, line);
  }
  snug_status s = has_room(k, w) ? choose_under_line(k, w) : price_ends(k, w);
  snug__gate_set(gate, before);
  return s;
}

static snug_status choose_smaller(planner *k, snug__variants *w) {
  snug__planned *p = k->p;
  snug_status s = search_under_line(k, w);
  if (is_full(k->q, s)) {
    SNUG_TRY(take_ends(k, k->is_fixed ? 0 : 1));
  } else {
    SNUG_TRY(s);
    SNUG_TRY(k->is_fixed || !has_room(k, w) ? SNUG_OK : put_usual_first(k, w));
  }
  return p->chosen + 1 == p->n_points ? take_least(k, &w->choice) : SNUG_OK;
}

/* The usual plan is taken, and what is smaller is stated beside it. */
static snug_status look_beside(planner *k, snug__variants *w) {
  size_t chosen = 0;
  k->q->target.release(k->q->target.user);
  SNUG_TRY(line_up(k, w, snug__planned_bytes(k->p, &k->usual.point) - 1, &chosen));
  SNUG_TRY(put_usual_first(k, w));
  k->p->chosen = 0;
  return SNUG_OK;
}

/* ---- all of it ---- */

static bool wants_frontier(const snug__question *q) {
  return q->options->beside || q->options->curve;
}

static bool is_beyond_room(const planner *k) {
  return k->q->available && !k->q->line && k->usual.memory.process > k->q->available;
}

/* The least is known, and w has its choice. */
static snug_status choose_of_all(planner *k, snug__variants *w) {
  snug__planned *p = k->p;
  const bool is_usual = !k->is_fixed && !is_over(k->q, &k->usual);
  k->least.point = w->least_point;
  SNUG_TRY(make(k, &w->choice, &k->least));
  p->least = k->least.memory.process;
  if (!k->is_fixed && k->usual.memory.process <= p->least) {
    SNUG_TRY(take_usual(k, !is_usual));
    return restore_usual(k);
  }
  if (is_over(k->q, &k->least)) {
    return take_ends(k, k->is_fixed ? 1 : 2);
  }
  p->is_usual = is_usual;
  if (is_usual && wants_frontier(k->q)) {
    SNUG_TRY(look_beside(k, w));
    return restore_usual(k);
  }
  if (is_usual) {
    SNUG_TRY(take_ends(k, 0));
    return restore_usual(k);
  }
  return choose_smaller(k, w);
}

static snug_status choose(planner *k) {
  snug__variants w;
  SNUG_TRY(set_points(k, &k->usual, NULL, 0));
  SNUG_TRY(make_usual(k, &k->usual));
  k->p->is_usual = !k->is_fixed && !is_over(k->q, &k->usual);
  if (k->p->is_usual && !wants_frontier(k->q) && !is_beyond_room(k)) {
    keep_usual(k);
    return SNUG_OK;
  }
  k->q->target.release(k->q->target.user); /* planning takes memory as well */
  SNUG_TRY(k->q->target.look(k->q->target.user, k->q));
  k->p->slots_saved = k->q->slots_saved;
  snug_status s = snug__variants_open(&w, k->q);
  s = s ? s : choose_of_all(k, &w);
  snug__variants_close(&w); /* and what it held no longer counts */
  return s;
}

snug_status snug__planning_choose(const snug__question *q, snug__planned *out) {
  snug__question own = *q;
  planner k = {.q = &own, .p = out, .is_fixed = snug__planning_is_fixed(q->options)};
  SNUG_TRY(choose(&k));
  fill_processes(out);
  return SNUG_OK;
}
