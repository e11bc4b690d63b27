#include "planning/frontier.h"

#include <string.h>

#include "base/ctx.h"
#include "pass/offload.h"

#define MOST_POINTS (1 << 16)

const snug__plan_options snug__candidate_plan = {.order = SNUG__ORDER_CREATION,
                                                 .work = INT64_C(1) << 24};

void snug__frontier_settle(snug__frontier *f) {
  snug__problem_release(&f->problem);
  snug__needs_release(&f->needs);
}

void snug__frontier_close(snug__frontier *f) {
  if (f->g) {
    snug__frontier_settle(f);
    snug__vec_release(&f->points);
    snug__arena_release(&f->arena);
  }
  *f = (snug__frontier){0};
}

/* ---- points ---- */

static snug_status add_point(snug__frontier *f, const snug__choice_point *point) {
  snug__frontier_point one = {.policy = point->policy, .outcome = point->outcome};
  return snug__vec_push(&f->points, &one, 1);
}

/* Whether a point is better than another, or as good and found earlier. */
static bool beats(const snug__choice_point *points, size_t a, size_t b) {
  const snug__outcome *x = &points[a].outcome;
  const snug__outcome *y = &points[b].outcome;
  int64_t x_bytes = snug__outcome_bytes(x);
  int64_t y_bytes = snug__outcome_bytes(y);
  bool is_equal = x->seconds == y->seconds && x_bytes == y_bytes;
  return x->seconds <= y->seconds && x_bytes <= y_bytes && (!is_equal || a < b);
}

/* Keep the points that no other one is better than, the fastest first. */
static snug_status keep_best(snug__frontier *f, const snug__vec *points) {
  const snug__choice_point *all = points->data;
  for (size_t i = 0; i < points->n; i++) {
    bool is_best = true;
    for (size_t k = 0; is_best && k < points->n; k++) {
      is_best = k == i || !beats(all, k, i);
    }
    SNUG_TRY(is_best ? add_point(f, &all[i]) : SNUG_OK);
  }
  snug__frontier_point *sorted = f->points.data;
  for (size_t i = 1; i < f->points.n; i++) { /* there are few */
    snug__frontier_point one = sorted[i];
    size_t k = i;
    for (; k > 0 && sorted[k - 1].outcome.seconds > one.outcome.seconds; k--) {
      sorted[k] = sorted[k - 1];
    }
    sorted[k] = one;
  }
  return SNUG_OK;
}

/* A choice that was made by hand, completed; the arena's. */
static snug_status complete(snug__frontier *f, const snug__policy *fixed, snug__policy **out) {
  SNUG_TRY(snug__arena_take(&f->arena, f->g->values.n, (void **)out));
  for (snug__id v = 0; v < f->g->values.n; v++) {
    (*out)[v] = f->problem.recipes.of[v].op ? fixed[v] : SNUG__KEPT;
  }
  snug__problem_close(&f->problem, *out);
  return SNUG_OK;
}

snug_status snug__frontier_add(snug__frontier *f, const snug__policy *policy, size_t *at) {
  size_t n = f->g->values.n;
  snug__simulation s;
  snug__choice_point point;
  SNUG_TRY(snug__arena_take(&f->arena, n, (void **)&point.policy));
  memcpy(point.policy, policy, n);
  SNUG_TRY(snug__simulation_open(&s, &f->problem));
  point.outcome = snug__simulate(&s, point.policy);
  snug__simulation_release(&s);
  *at = f->points.n;
  return add_point(f, &point);
}

static snug_status search(snug__frontier *f, const snug__policy *fixed, bool quick) {
  snug__vec points;
  snug__vec_init(&points, f->g->ctx, SNUG__MEM_SCRATCH, sizeof(snug__choice_point), MOST_POINTS);
  snug_status s = snug__search(&f->problem, fixed, quick, &f->arena, &points);
  s = s ? s : keep_best(f, &points);
  f->usual = s ? f->usual : SNUG_VEC(&points, snug__choice_point, 0).outcome;
  snug__vec_release(&points);
  return s;
}

static snug_status fill(snug__frontier *f, const snug__device *device, const double *seconds,
                        const double *again, const snug__store_rate *disk,
                        const snug__policy *fixed, bool quick) {
  snug__policy *start = NULL;
  SNUG_TRY(snug__needs_open(&f->needs, f->g->ctx, device));
  SNUG_TRY(snug__problem_open(&f->problem, f->g, &f->needs, seconds, again, disk));
  SNUG_TRY(fixed ? complete(f, fixed, &start) : SNUG_OK);
  return search(f, start, quick);
}

snug_status snug__frontier_open(snug__frontier *f, const snug__graph *g, const snug__device *device,
                                const double *seconds, const double *again,
                                const snug__store_rate *disk, const snug__policy *fixed,
                                bool quick) {
  *f = (snug__frontier){.g = g};
  snug__arena_init(&f->arena, g->ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&f->points, g->ctx, SNUG__MEM_SCRATCH, sizeof(snug__frontier_point), MOST_POINTS);
  snug_status s = fill(f, device, seconds, again, disk, fixed, quick);
  if (s) {
    snug__frontier_close(f);
  }
  return s;
}

/* ---- applying ---- */

static snug_status recompute(const snug__recipes *recipes, const snug__policy *policy,
                             const snug__id *order, snug__rewrite *out) {
  snug_ctx *ctx = recipes->g->ctx;
  size_t n = recipes->g->values.n;
  bool *flags = NULL; /* what is recomputed, and what of it in passing */
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * n, &flags));
  for (size_t v = 0; v < n; v++) {
    flags[v] = snug__is_recomputed(policy[v]);
    flags[n + v] = policy[v] == SNUG__RECOMPUTED_IN_PASSING;
  }
  snug__recomputing what = {.remade = flags, .in_passing = flags + n, .order = order};
  snug_status s = snug__pass_recompute(recipes, &what, out);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, flags, 2 * n);
  return s;
}

/* Let r lead to where `then` leads from there; that one is released. */
static void follow(snug__rewrite *r, snug__rewrite *then) {
  snug__graph *between = r->to;
  for (size_t v = 0; v < r->from->values.n; v++) {
    r->map[v] = snug__rewritten(then, r->map[v]);
  }
  r->to = then->to;
  then->to = NULL;
  snug__rewrite_release(then);
  snug__graph_destroy(between);
}

/* flags: two for each value of the graph that r made. */
static snug_status offload_chosen(const snug__policy *policy, bool *flags, snug__rewrite *r) {
  size_t n = r->to->values.n;
  snug__offload set = {.waits = flags, .at_once = flags + n, .reach = SNUG__REACH};
  snug__rewrite then;
  for (snug__id v = 0; v < r->from->values.n; v++) {
    snug__id to = snug__rewritten(r, v);
    if (to != SNUG_NONE && snug__is_waiting(policy[v])) {
      flags[to] = true;
      flags[n + to] = policy[v] == SNUG__WAITING;
    }
  }
  SNUG_TRY(snug__pass_offload(r->to, &set, &then));
  follow(r, &then);
  return SNUG_OK;
}

static snug_status offload(const snug__policy *policy, snug__rewrite *r) {
  snug_ctx *ctx = r->from->ctx;
  size_t n = 2 * r->to->values.n;
  bool *flags = NULL;
  snug_status s = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &flags);
  s = s ? s : offload_chosen(policy, flags, r);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, flags, n);
  if (s) {
    snug__rewrite_release(r);
  }
  return s;
}

static bool any_waits(const snug__policy *policy, size_t n) {
  size_t v = 0;
  while (v < n && !snug__is_waiting(policy[v])) {
    v++;
  }
  return v < n;
}

snug_status snug__recompute_apply(const snug__recipes *recipes, const snug__policy *policy,
                                  const snug__id *order, snug__rewrite *out) {
  SNUG_TRY(recompute(recipes, policy, order, out));
  return any_waits(policy, recipes->g->values.n) ? offload(policy, out) : SNUG_OK;
}

static snug_status plan(snug__frontier *f, const snug__graph *g, int64_t *height) {
  snug__needs *needs = NULL;
  snug__plan *plan = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->nodes.n, &needs));
  snug_status s = snug__needs_of_graph(&f->needs, g, needs);
  s = s ? s : snug__plan_create(g, needs, &snug__candidate_plan, &plan);
  *height = s ? 0 : plan->height;
  snug__plan_destroy(plan);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, needs, g->nodes.n);
  return s;
}

snug_status snug__frontier_height(snug__frontier *f, size_t i, int64_t *out) {
  snug__frontier_point *one = &SNUG_VEC(&f->points, snug__frontier_point, i);
  snug__rewrite r;
  if (!one->height) {
    SNUG_TRY(snug__recompute_apply(&f->problem.recipes, one->policy, f->problem.order, &r));
    snug_status s = plan(f, r.to, &one->height);
    snug__rewrite_release(&r);
    SNUG_TRY(s);
  }
  *out = one->height;
  return SNUG_OK;
}
