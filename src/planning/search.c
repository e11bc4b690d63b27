#include "planning/search.h"

#include <pthread.h>
#include <string.h>

#include "base/ctx.h"
#include "base/thread.h"
#include "planning/knapsack.h"
#include "planning/moves.h"

#define PATH_WORK (INT64_C(1) << 26)     /* of the longest paths */
#define QUICK_WORK (INT64_C(1) << 24)    /* of the only path, where there are many searches */
#define LITTLE_WORK (INT64_C(1) << 21)   /* of one path: then there is time for more */
#define KNAPSACK_WORK (INT64_C(1) << 26) /* of all sizes of the knapsack, twice */
#define WALKERS 2
#define MANY_NODES 512      /* from there on the search is long enough for two threads */
#define OWN_CHUNK (1 << 18) /* pages of their own: the C library has a heap for each thread */
#define OWN_POINTS (1 << 12)

/* Paths and knapsacks do not need each other.  Two walkers share them, each with a choice and
 * points of its own: what they find is the same on one thread and on two. */
typedef struct walker {
  snug__searcher s;
  snug__vec points;  /* snug__choice_point */
  snug__arena arena; /* where their choices lie */
  struct team *team;
  snug_status status;
  bool is_open;
} walker;

typedef struct team {
  const snug__problem *p;
  walker walkers[WALKERS];
  snug__knapsack sack;
  pthread_mutex_t taking; /* held while memory is taken, which is for one thread at a time */
} team;

static size_t n_values(const walker *w) { return w->s.p->g->values.n; }

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

static snug_status add_point(snug__vec *points, snug__arena *arena, const snug__outcome *outcome,
                             const snug__policy *choice, size_t n) {
  snug__choice_point point = {.outcome = *outcome};
  SNUG_TRY(snug__arena_take(arena, n, (void **)&point.policy));
  memcpy(point.policy, choice, n);
  return snug__vec_push(points, &point, 1);
}

static snug_status record(walker *w) {
  if (is_beaten(&w->points, &w->s.at)) {
    return SNUG_OK;
  }
  pthread_mutex_lock(&w->team->taking);
  snug_status status = add_point(&w->points, &w->arena, &w->s.at, w->s.choice, n_values(w));
  pthread_mutex_unlock(&w->team->taking);
  return status;
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

/* Where a path begins, from what part of the best score on other moves are made with the best, and
 * how far down the next level is.  A steep path comes to the end with little work.  Careful ones
 * and bold ones come by other places, and none is the best everywhere. */
typedef struct start {
  bool cheap; /* where what costs next to nothing is recomputed; else where nothing is */
  double nearly;
  double step; /* the load of a level, as part of the one before */
  int64_t work;
} start;

/* One path down from the choice in s->tried. */
static snug_status walk(walker *w, const start *from) {
  snug__searcher *s = &w->s;
  s->nearly = from->nearly;
  s->step = from->step;
  snug__searcher_start(s, from->work);
  snug__searcher_go(s, s->tried);
  SNUG_TRY(record(w));
  for (bool reached = !s->is_fixed || s->may_wait; reached;) {
    s->level = (int64_t)((double)s->at.load * s->step);
    reached = reach_level(s);
    if (reached) {
      snug__searcher_prune(s);
      SNUG_TRY(record(w));
    }
  }
  return SNUG_OK;
}

static snug_status walk_from(walker *w, const start *from) {
  for (size_t v = 0; v < n_values(w); v++) {
    w->s.tried[v] = from->cheap && w->s.p->cheap[v] ? SNUG__RECOMPUTED : SNUG__KEPT;
  }
  return walk(w, from);
}

/* ---- knapsacks ---- */

/* The choice in s->tried, if it is worth anything; pruned: with what can be kept besides. */
static snug_status add_tried(walker *w, bool pruned) {
  snug__searcher_go(&w->s, w->s.tried);
  if (pruned && !is_beaten(&w->points, &w->s.at)) {
    w->s.level = w->s.at.load;
    snug__searcher_prune(&w->s);
  }
  return record(w);
}

/* As the knapsack says, and with what costs next to nothing recomputed in any case. */
static snug_status add_size(walker *w, size_t units, bool pruned) {
  const snug__problem *p = w->s.p;
  snug__knapsack_choose(&w->team->sack, units, w->s.tried);
  SNUG_TRY(add_tried(w, pruned));
  snug__knapsack_choose(&w->team->sack, units, w->s.tried);
  for (snug__id v = 0; v < n_values(w); v++) {
    w->s.tried[v] = p->cheap[v] ? SNUG__RECOMPUTED : w->s.tried[v];
  }
  snug__problem_close(p, w->s.tried);
  return add_tried(w, pruned);
}

/* Halves, then quarters, eighths, ... of all that could be kept, as far as the work allows. */
static snug_status add_sizes(walker *w, bool pruned) {
  snug__searcher_start(&w->s, KNAPSACK_WORK);
  for (size_t step = SNUG__KNAPSACK_UNITS / 2; step > 0; step /= 2) {
    for (size_t u = step; u < SNUG__KNAPSACK_UNITS && !snug__searcher_is_spent(&w->s);
         u += 2 * step) {
      SNUG_TRY(add_size(w, u, pruned));
    }
  }
  return SNUG_OK;
}

/* ---- all of them ---- */

static bool is_for_two(const team *t) {
  return t->p->g->ctx->threads > 1 && t->p->g->nodes.n >= MANY_NODES;
}

static snug_status open_walker(team *t, walker *w) {
  snug_ctx *ctx = t->p->g->ctx;
  if (w->is_open) {
    return SNUG_OK;
  }
  w->team = t;
  w->is_open = true;
  snug__arena_init(&w->arena, ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&w->points, ctx, SNUG__MEM_SCRATCH, sizeof(snug__choice_point), UINT32_MAX);
  SNUG_TRY(snug__searcher_init(&w->s, t->p));
  if (w == t->walkers || !is_for_two(t)) {
    return SNUG_OK;
  }
  w->arena.least_chunk = OWN_CHUNK;
  return snug__vec_reserve(&w->points, OWN_POINTS);
}

static void close_team(team *t) {
  for (int i = 0; i < WALKERS; i++) {
    if (t->walkers[i].is_open) {
      snug__searcher_release(&t->walkers[i].s);
      snug__vec_release(&t->walkers[i].points);
      snug__arena_release(&t->walkers[i].arena);
    }
  }
  pthread_mutex_destroy(&t->taking);
}

/* The share of one walker: a long path, a shorter one, and the knapsacks in one of two ways, but
 * for values that may wait, which these know nothing of. */
static snug_status walk_share(walker *w, bool is_first) {
  static const start longer[] = {{true, 0.1, 0.85, PATH_WORK}, {true, 0.7, 0.955, PATH_WORK}};
  static const start shorter[] = {{true, 0.1, 0.955, PATH_WORK / 2},
                                  {false, 0.2, 0.955, PATH_WORK / 2}};
  SNUG_TRY(walk_from(w, &longer[is_first ? 0 : 1]));
  SNUG_TRY(walk_from(w, &shorter[is_first ? 0 : 1]));
  return w->s.may_wait ? SNUG_OK : add_sizes(w, is_first);
}

static void walk_one(void *arg, int64_t i) {
  team *t = arg;
  t->walkers[i].status = walk_share(&t->walkers[i], i == 0);
}

static snug_status walk_both(team *t) {
  snug__parallel_for(is_for_two(t) ? WALKERS : 1, WALKERS, walk_one, t);
  return t->walkers[0].status ? t->walkers[0].status : t->walkers[1].status;
}

static snug_status walk_all(team *t) {
  SNUG_TRY(open_walker(t, &t->walkers[1]));
  t->walkers[1].s.may_wait = t->walkers[0].s.may_wait;
  if (t->walkers[0].s.may_wait) {
    return walk_both(t);
  }
  snug_status status = snug__knapsack_open(&t->sack, t->p);
  status = status ? status : walk_both(t);
  snug__knapsack_close(&t->sack);
  return status;
}

/* Where there are many searches, one bold path; that it took little work tells that there is time
 * for more. */
static snug_status search(team *t, const snug__policy *fixed, bool quick) {
  static const start bold = {true, 0.3, 0.955, QUICK_WORK};
  static const start only = {true, 0.3, 0.955, PATH_WORK};
  walker *w = &t->walkers[0];
  if (fixed) {
    memcpy(w->s.tried, fixed, n_values(w));
    return walk(w, &only);
  }
  if (quick) {
    SNUG_TRY(walk_from(w, &bold));
    if (snug__searcher_work(&w->s) > LITTLE_WORK) {
      return SNUG_OK;
    }
  }
  return walk_all(t);
}

static snug_status search_twice(team *t, const snug__policy *fixed, bool quick) {
  snug__searcher *s = &t->walkers[0].s;
  SNUG_TRY(open_walker(t, &t->walkers[0]));
  s->is_fixed = fixed != NULL;
  SNUG_TRY(search(t, fixed, quick));
  s->may_wait = t->p->can_wait != NULL;
  return s->may_wait ? search(t, fixed, quick) : SNUG_OK;
}

static snug_status take_points(const walker *w, snug__arena *arena, snug__vec *points) {
  for (size_t i = 0; i < w->points.n; i++) {
    const snug__choice_point *p = &SNUG_VEC(&w->points, snug__choice_point, i);
    if (!is_beaten(points, &p->outcome)) {
      SNUG_TRY(add_point(points, arena, &p->outcome, p->policy, n_values(w)));
    }
  }
  return SNUG_OK;
}

snug_status snug__search(const snug__problem *p, const snug__policy *fixed, bool quick,
                         snug__arena *arena, snug__vec *points) {
  team t = {.p = p, .taking = PTHREAD_MUTEX_INITIALIZER};
  snug_status status = search_twice(&t, fixed, quick);
  for (int i = 0; i < WALKERS && !status && t.walkers[i].is_open; i++) {
    status = take_points(&t.walkers[i], arena, points);
  }
  close_team(&t);
  return status;
}
