#include "planning/points.h"

#include <math.h>
#include <string.h>

#define PLANNED_NODES (1 << 16) /* in all candidates of a curve together, */
#define FEWEST 16               /* of which there are so many in any case, */
#define MANY 128                /* and no more than so many */
#define LEAST_GAP 5e-4          /* of the bytes of the next faster one */
#define BESIDE 0.05             /* of the bytes of a candidate: how far off those beside it are */

uint64_t snug__planned_bytes(const snug__planned *p, const snug_plan_point *point) {
  uint64_t store = (uint64_t)snug__store_cost();
  return point->block + (point->on_disk > point->slots ? store : 0) +
         (point->slots > 0 ? store : (uint64_t)p->slots_saved);
}

/* ---- one point ---- */

static const snug__candidate *candidate_at(const snug__variants *w, size_t i) {
  return &SNUG_VEC(&w->candidates, snug__candidate, i);
}

static snug_plan_point describe(const snug__variants *w, size_t i, uint64_t block) {
  const snug__candidate *c = candidate_at(w, i);
  const snug__variant *y = &w->list[c->variant];
  const snug__outcome *o = &SNUG_VEC(&y->frontier.points, snug__frontier_point, c->at).outcome;
  const double repeats = y->step.repeats;
  uint64_t slots = c->slots ? (uint64_t)w->q->slots_bytes : 0;
  return (snug_plan_point){
      .block = block,
      .seconds = c->seconds,
      .micro_batch = y->micro ? y->micro : w->q->batch,
      .recomputed = o->n_again,
      .recompute_seconds = repeats * o->again,
      .direct = y->n_lean - w->list[y->plain].n_lean,
      .direct_seconds = fmax(repeats * (y->seconds - w->list[y->plain].seconds), 0.0),
      .on_disk = (uint64_t)o->on_disk + slots,
      .slots = slots,
      .disk_seconds = repeats * o->waiting + (slots ? snug__variants_slot_seconds(w) : 0.0)};
}

static bool is_planned(const snug__planned *p, size_t i) { return p->points[i].block > 0; }

static snug_status plan(snug__variants *w, snug__planned *p, size_t i) {
  int64_t block = 0;
  if (!is_planned(p, i)) {
    SNUG_TRY(snug__variants_bytes(w, i, &block));
    p->points[i] = describe(w, i, (uint64_t)block);
  }
  return SNUG_OK;
}

/* ---- many ---- */

snug_status snug__points_open(snug__variants *w, snug__planned *p) {
  size_t n = w->candidates.n;
  SNUG_TRY(SNUG_NEW_ARRAY(w->q->ctx, SNUG__MEM_PLAN, n, &p->points));
  p->n_points = p->room = n;
  return plan(w, p, n - 1);
}

/* The bytes of a candidate are never fewer than its load. */
snug_status snug__points_find(snug__variants *w, snug__planned *p, uint64_t bytes, size_t n,
                              size_t *out) {
  *out = w->candidates.n - 1;
  for (size_t i = 0, found = 0; i < w->candidates.n && found <= n; i++) {
    if ((uint64_t)candidate_at(w, i)->load > bytes) {
      continue;
    }
    SNUG_TRY(plan(w, p, i));
    uint64_t got = snug__planned_bytes(p, &p->points[i]);
    if (got <= bytes) {
      *out = found++ == 0 ? i : *out;
      bytes = got - 1;
    }
  }
  return SNUG_OK;
}

/* Loads go down from candidate to candidate. */
static size_t first_under(const snug__variants *w, double load) {
  size_t i = 0;
  while (i < w->candidates.n && (double)candidate_at(w, i)->load > load) {
    i++;
  }
  return i;
}

snug_status snug__points_find_beside(snug__variants *w, snug__planned *p, size_t i) {
  double load = (double)candidate_at(w, i)->load;
  size_t smaller = first_under(w, (1.0 - BESIDE) * load);
  size_t faster = first_under(w, (1.0 + BESIDE) * load);
  SNUG_TRY(plan(w, p, 0));
  SNUG_TRY(faster > 0 ? plan(w, p, faster - 1) : SNUG_OK);
  return smaller < w->candidates.n ? plan(w, p, smaller) : SNUG_OK;
}

/* Go through the candidates that lie at least `gap` below each other, and the least. */
static size_t next_apart(const snug__variants *w, size_t i, double gap) {
  double most = (1.0 - gap) * (double)candidate_at(w, i)->load;
  size_t next = i + 1;
  while (next + 1 < w->candidates.n && (double)candidate_at(w, next)->load > most) {
    next++;
  }
  return next;
}

static size_t count_apart(const snug__variants *w, double gap) {
  size_t n = 0;
  for (size_t i = 0; i < w->candidates.n; i = next_apart(w, i, gap)) {
    n++;
  }
  return n;
}

/* The larger a graph, the longer it takes to plan a candidate of it. */
snug_status snug__points_spread(snug__variants *w, snug__planned *p) {
  size_t most = PLANNED_NODES / (w->list[0].step.graph->nodes.n + 1) + FEWEST;
  double gap = LEAST_GAP;
  most = most < MANY ? most : MANY;
  while (count_apart(w, gap) > most) {
    gap *= 2.0;
  }
  for (size_t i = 0; i < w->candidates.n; i = next_apart(w, i, gap)) {
    SNUG_TRY(plan(w, p, i));
  }
  return SNUG_OK;
}

/* Move the planned candidates and their points to the front; returns how many there are.  The least
 * one is the last of them. */
static size_t gather(snug__variants *w, snug__planned *p, size_t *chosen) {
  const size_t last = w->candidates.n - 1;
  const uint64_t least = snug__planned_bytes(p, &p->points[last]);
  size_t n = 0, at = SIZE_MAX;
  for (size_t i = 0; i <= last; i++) {
    const uint64_t bytes = is_planned(p, i) ? snug__planned_bytes(p, &p->points[i]) : UINT64_MAX;
    const bool is_smaller =
        is_planned(p, i) && (n == 0 || bytes < snug__planned_bytes(p, &p->points[n - 1]));
    if (i == last || (is_smaller && bytes > least)) {
      at = i == *chosen ? n : at;
      p->points[n] = p->points[i];
      SNUG_VEC(&w->candidates, snug__candidate, n++) = *candidate_at(w, i);
    }
  }
  *chosen = at < n ? at : n - 1;
  return n;
}

/* The plan keeps them, so they take no more room than they need. */
snug_status snug__points_keep(snug__variants *w, snug__planned *p, size_t *chosen) {
  snug_plan_point *points = NULL;
  size_t n = gather(w, p, chosen);
  SNUG_TRY(SNUG_NEW_ARRAY(w->q->ctx, SNUG__MEM_PLAN, n, &points));
  memcpy(points, p->points, n * sizeof *points);
  SNUG_GIVE_ARRAY(w->q->ctx, SNUG__MEM_PLAN, p->points, p->room);
  p->points = points;
  w->candidates.n = p->n_points = p->room = n;
  snug__variants_settle(w);
  return SNUG_OK;
}
