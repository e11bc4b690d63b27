#include "budget/search.h"

#include <string.h>

#include "base/ctx.h"
#include "budget/knapsack.h"
#include "budget/moves.h"

#define PATH_WORK (INT64_C(1) << 26)     /* of the longest paths */
#define QUICK_WORK (INT64_C(1) << 24)    /* of the only path, where there are many searches */
#define LITTLE_WORK (INT64_C(1) << 21)   /* of one path: then there is time for more */
#define KNAPSACK_WORK (INT64_C(1) << 26) /* of all sizes of the knapsack, twice */

static size_t n_values(const snug__searcher *s) { return s->p->g->values.n; }

/* Whether there is a point that is as good or better. */
static bool is_beaten(const snug__vec *points, const snug__outcome *o) {
  for (size_t i = 0; i < points->n; i++) {
    const snug__outcome *other = &SNUG_VEC(points, snug__choice_point, i).outcome;
    if (other->seconds <= o->seconds && snug__outcome_bytes(other) <= snug__outcome_bytes(o)) {
      return true;
    }
  }
  return false;
}

static snug_status record(const snug__searcher *s, snug__arena *arena, snug__vec *points) {
  snug__choice_point point = {.outcome = s->at};
  if (is_beaten(points, &s->at)) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__arena_take(arena, n_values(s), (void **)&point.keeping));
  memcpy(point.keeping, s->choice, n_values(s));
  return snug__vec_push(points, &point, 1);
}

/* ---- paths ---- */

static bool reach_level(snug__searcher *s) {
  while (s->at.load > s->level && !snug__searcher_is_spent(s)) {
    if (!snug__searcher_move(s)) {
      return false;
    }
  }
  return s->at.load <= s->level;
}

/* One path down from a choice. */
static snug_status walk(snug__searcher *s, const snug__keeping *from, int64_t work,
                        snug__arena *arena, snug__vec *points) {
  snug__searcher_start(s, work);
  snug__searcher_go(s, from);
  SNUG_TRY(record(s, arena, points));
  for (bool reached = !s->is_fixed || s->may_wait; reached;) {
    s->level = (int64_t)((double)s->at.load * s->step);
    reached = reach_level(s);
    if (reached) {
      snug__searcher_prune(s);
      SNUG_TRY(record(s, arena, points));
    }
  }
  return SNUG_OK;
}

/* Where a path begins, from what part of the best score on other moves are made with the best, and
 * how far down the next level is.  A steep path comes to the end with little work.  Careful ones
 * and bold ones come by other places, and none is the best everywhere. */
typedef struct start {
  bool cheap; /* where what costs next to nothing is made again; else where nothing is */
  double nearly;
  double step; /* the load of a level, as part of the one before */
  int64_t work;
} start;

static snug_status walk_from(snug__searcher *s, const start *from, snug__arena *arena,
                             snug__vec *points) {
  for (size_t v = 0; v < n_values(s); v++) {
    s->tried[v] = from->cheap && s->p->cheap[v] ? SNUG__REMADE : SNUG__KEPT;
  }
  s->nearly = from->nearly;
  s->step = from->step;
  return walk(s, s->tried, from->work, arena, points);
}

static snug_status walk_all(snug__searcher *s, snug__arena *arena, snug__vec *points) {
  static const start starts[] = {{true, 0.1, 0.85, PATH_WORK},
                                 {true, 0.7, 0.955, PATH_WORK},
                                 {true, 0.1, 0.955, PATH_WORK / 2},
                                 {false, 0.2, 0.955, PATH_WORK / 2}};
  for (size_t i = 0; i < SNUG_COUNT(starts); i++) {
    SNUG_TRY(walk_from(s, &starts[i], arena, points));
  }
  return SNUG_OK;
}

/* ---- knapsacks ---- */

/* The choice in s->tried, if it is worth anything; pruned: with what can be kept besides. */
static snug_status add_tried(snug__searcher *s, bool pruned, snug__arena *arena,
                             snug__vec *points) {
  snug__searcher_go(s, s->tried);
  if (pruned && !is_beaten(points, &s->at)) {
    s->level = s->at.load;
    snug__searcher_prune(s);
  }
  return record(s, arena, points);
}

/* As the knapsack says, and with what costs next to nothing made again in any case. */
static snug_status add_size(snug__searcher *s, const snug__knapsack *k, size_t units, bool pruned,
                            snug__arena *arena, snug__vec *points) {
  snug__knapsack_choose(k, units, s->tried);
  SNUG_TRY(add_tried(s, pruned, arena, points));
  snug__knapsack_choose(k, units, s->tried);
  for (snug__id v = 0; v < n_values(s); v++) {
    s->tried[v] = s->p->cheap[v] ? SNUG__REMADE : s->tried[v];
  }
  snug__problem_close(s->p, s->tried);
  return add_tried(s, pruned, arena, points);
}

/* Halves, then quarters, eighths, ... of all that could be kept, as far as the work allows. */
static snug_status add_sizes(snug__searcher *s, const snug__knapsack *k, bool pruned,
                             snug__arena *arena, snug__vec *points) {
  snug__searcher_start(s, KNAPSACK_WORK);
  for (size_t step = SNUG__KNAPSACK_UNITS / 2; step > 0; step /= 2) {
    for (size_t u = step; u < SNUG__KNAPSACK_UNITS && !snug__searcher_is_spent(s); u += 2 * step) {
      SNUG_TRY(add_size(s, k, u, pruned, arena, points));
    }
  }
  return SNUG_OK;
}

static snug_status add_knapsacks(snug__searcher *s, snug__arena *arena, snug__vec *points) {
  snug__knapsack k;
  snug_status status = snug__knapsack_open(&k, s->p);
  status = status ? status : add_sizes(s, &k, true, arena, points);
  status = status ? status : add_sizes(s, &k, false, arena, points);
  snug__knapsack_close(&k);
  return status;
}

/* ---- all of them ---- */

/* Where there are many searches, one bold path; that it took little work tells that there is time
 * for more. */
static snug_status search(snug__searcher *s, const snug__keeping *fixed, bool quick,
                          snug__arena *arena, snug__vec *points) {
  static const start bold = {true, 0.3, 0.955, QUICK_WORK};
  if (fixed) {
    s->nearly = bold.nearly;
    s->step = bold.step;
    return walk(s, fixed, PATH_WORK, arena, points);
  }
  if (quick) {
    SNUG_TRY(walk_from(s, &bold, arena, points));
    if (snug__searcher_work(s) > LITTLE_WORK) {
      return SNUG_OK;
    }
  }
  SNUG_TRY(walk_all(s, arena, points));
  return s->may_wait ? SNUG_OK : add_knapsacks(s, arena, points);
}

snug_status snug__search(const snug__problem *p, const snug__keeping *fixed, bool quick,
                         snug__arena *arena, snug__vec *points) {
  snug__searcher s;
  snug_status status = snug__searcher_init(&s, p);
  s.is_fixed = fixed != NULL;
  status = status ? status : search(&s, fixed, quick, arena, points);
  s.may_wait = p->can_wait != NULL;
  status = status || !s.may_wait ? status : search(&s, fixed, quick, arena, points);
  snug__searcher_release(&s);
  return status;
}
