/* The ways of a training step: what is simulated is what is planned, no bit changes from one way to
 * another, and a line takes them in order. */
#include <stdlib.h>
#include <string.h>

#include "device/cpu/cpu.h"
#include "lib/mallocs.h"
#include "model/model.h"
#include "ops/spill.h"
#include "planning/frontier.h"
#include "planning/knapsack.h"
#include "planning/search.h"
#include "snug/plan.h"
#include "train/lower.h"
#include "train/nets.h"

/* ---- a problem ---- */

typedef struct lab {
  snug_ctx *ctx;
  snug_model *model;
  snug__graph *graph;
  snug__step step;
  double *seconds;
  snug__frontier frontier;
} lab;

static const snug__store_rate slow_disk = {2e-9, 1e-9, 2e-10};

static void open_lab(lab *l, const net *n, const snug__store_rate *disk,
                     const snug__policy *fixed) {
  *l = (lab){.ctx = test_ctx()};
  l->model = net_model(l->ctx, n, "adam");
  ASSERT_OK(l->ctx, snug__settle_layouts(l->model, SNUG__STEP_TRAIN));
  ASSERT_OK(l->ctx,
            snug__step_build(l->model, SNUG__STEP_TRAIN, n->batch, false, &l->graph, &l->step));
  ASSERT_OK(l->ctx, snug__step_assign_layouts(l->model, NULL, &l->graph, &l->step));
  l->seconds = calloc(l->graph->nodes.n, sizeof *l->seconds);
  ASSERT_NOT_NULL(l->seconds);
  for (size_t i = 0; i < l->graph->nodes.n; i++) {
    l->seconds[i] = 1e-3 * (1.0 + test_random_unit());
  }
  ASSERT_OK(l->ctx, snug__frontier_open(&l->frontier, l->graph, &snug__cpu, l->seconds, l->seconds,
                                        disk, fixed, false));
}

static void close_lab(lab *l) {
  snug__frontier_close(&l->frontier);
  snug__graph_destroy(l->graph);
  free(l->seconds);
  snug_model_destroy(l->model);
}

/* All nodes take as long, so that the disk alone makes a difference. */
#define NODE_SECONDS 1e-3

static void make_flat(lab *l) {
  snug__problem *p = &l->frontier.problem;
  p->total = 0.0;
  for (snug__id id = 0; id < l->graph->nodes.n; id++) {
    bool is_view = snug__node_at(l->graph, id)->op->flags & SNUG__OP_VIEW;
    p->seconds[id] = is_view ? 0.0 : NODE_SECONDS;
    p->total += p->seconds[id];
  }
  for (snug__id v = 0; v < l->graph->values.n; v++) {
    p->again_seconds[v] = NODE_SECONDS;
  }
}

static double flat_seconds(const lab *l, const snug__graph *g, const snug__id *order) {
  double *seconds = calloc(g->nodes.n, sizeof *seconds);
  double sum = 0.0;
  ASSERT_NOT_NULL(seconds);
  for (snug__id id = 0; id < g->nodes.n; id++) {
    bool is_free = snug__node_at(g, id)->op->flags & (SNUG__OP_VIEW | SNUG__OP_STORE);
    seconds[id] = is_free ? 0.0 : NODE_SECONDS;
  }
  ASSERT_OK(l->ctx, snug__spill_seconds(g, order, seconds, &l->frontier.problem.disk, &sum));
  free(seconds);
  return sum;
}

/* What a choice comes to as it is planned: load, seconds if they are flat, bytes of the file. */
static snug__outcome planned(lab *l, const snug__policy *policy) {
  snug__rewrite r;
  snug__plan *plan = NULL;
  ASSERT_OK(l->ctx, snug__recompute_apply(&l->frontier.problem.recipes, policy,
                                          l->frontier.problem.order, &r));
  ASSERT_OK(l->ctx, snug__graph_verify(r.to));
  snug__needs *needs = calloc(r.to->nodes.n, sizeof *needs);
  ASSERT_NOT_NULL(needs);
  ASSERT_OK(l->ctx, snug__needs_of_graph(&l->frontier.needs, r.to, needs));
  ASSERT_OK(l->ctx, snug__plan_create(r.to, needs, &snug__candidate_plan, &plan));
  snug__outcome o = {.load = plan->load,
                     .seconds = flat_seconds(l, r.to, plan->order),
                     .on_disk = snug__spill_bytes(r.to)};
  snug__plan_destroy(plan);
  free(needs);
  snug__rewrite_release(&r);
  return o;
}

static void choose(const lab *l, double part, double waiting, snug__policy *out) {
  const snug__problem *p = &l->frontier.problem;
  for (snug__id v = 0; v < l->graph->values.n; v++) {
    bool can = p->recipes.of[v].op && test_random_unit() < part;
    out[v] = !can                       ? SNUG__KEPT
             : test_random_unit() < 0.5 ? SNUG__RECOMPUTED
                                        : SNUG__RECOMPUTED_IN_PASSING;
    if (p->can_wait && p->can_wait[v] && test_random_unit() < waiting) {
      out[v] = test_random_unit() < 0.5 ? SNUG__WAITING : SNUG__WAITING_BESIDE;
    }
  }
  snug__problem_close(p, out);
}

/* Chains of values in one memory are not followed here, so a plan may need a little less. */
static void compare(lab *l, double waiting) {
  snug__simulation sim;
  snug__policy *choice = calloc(l->graph->values.n, 1);
  ASSERT_NOT_NULL(choice);
  ASSERT_OK(l->ctx, snug__simulation_open(&sim, &l->frontier.problem));
  for (int k = 0; k < 4; k++) {
    choose(l, 0.25 * k, waiting, choice);
    snug__outcome o = snug__simulate(&sim, choice);
    snug__outcome p = planned(l, choice);
    if (o.load < INT64_MAX) {
      ASSERT_TRUE(p.load <= o.load);
      ASSERT_TRUE((double)p.load > 0.9 * (double)o.load);
      ASSERT_NEAR(p.seconds, o.seconds, 0.01 * o.seconds);
      ASSERT_TRUE(o.on_disk <= p.on_disk && (p.on_disk > 0) == (o.on_disk > 0));
    }
  }
  snug__simulation_release(&sim);
  free(choice);
}

TEST(a_simulated_step_takes_what_its_plan_takes) {
  for (size_t i = 0; i < n_nets; i++) {
    lab l;
    open_lab(&l, &nets[i], NULL, NULL);
    make_flat(&l);
    compare(&l, 0.0);
    close_lab(&l);
  }
}

TEST(a_simulated_step_knows_what_waits_in_a_file) {
  for (size_t i = 1; i < n_nets; i++) {
    lab l;
    open_lab(&l, &nets[i], &slow_disk, NULL);
    make_flat(&l);
    compare(&l, 0.1);
    compare(&l, 0.8);
    close_lab(&l);
  }
}

TEST(no_way_is_both_larger_and_slower_than_another) {
  lab l;
  open_lab(&l, &nets[n_nets - 1], NULL, NULL);
  size_t n = l.frontier.points.n;
  ASSERT_TRUE(n > 3);
  for (size_t i = 1; i < n; i++) {
    const snug__frontier_point *a = &SNUG_VEC(&l.frontier.points, snug__frontier_point, i - 1);
    const snug__frontier_point *b = &SNUG_VEC(&l.frontier.points, snug__frontier_point, i);
    ASSERT_TRUE(a->outcome.seconds < b->outcome.seconds && a->outcome.load > b->outcome.load);
  }
  close_lab(&l);
}

static void search_on(lab *l, int32_t threads, snug__arena *arena, snug__vec *points) {
  snug__arena_init(arena, l->ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(points, l->ctx, SNUG__MEM_SCRATCH, sizeof(snug__choice_point), UINT32_MAX);
  l->ctx->threads = threads;
  ASSERT_OK(l->ctx, snug__search(&l->frontier.problem, NULL, false, arena, points));
}

TEST(two_threads_find_what_one_finds) {
  lab l;
  snug__arena arena[2];
  snug__vec points[2];
  open_lab(&l, &nets[n_nets - 1], NULL, NULL);
  ASSERT_TRUE(l.graph->nodes.n >= 512); /* with fewer there are no two */
  for (int32_t i = 0; i < 2; i++) {
    search_on(&l, i + 1, &arena[i], &points[i]);
  }
  ASSERT_EQ_UINT(points[0].n, points[1].n);
  for (size_t i = 0; i < points[0].n; i++) {
    const snug__choice_point *a = &SNUG_VEC(&points[0], snug__choice_point, i);
    const snug__choice_point *b = &SNUG_VEC(&points[1], snug__choice_point, i);
    ASSERT_EQ_INT(a->outcome.load, b->outcome.load);
    ASSERT_EQ_BYTES(a->policy, b->policy, l.graph->values.n);
  }
  for (int32_t i = 0; i < 2; i++) {
    snug__vec_release(&points[i]);
    snug__arena_release(&arena[i]);
  }
  close_lab(&l);
}

static bool has_as_good(const snug__frontier *f, const snug__outcome *o) {
  for (size_t i = 0; i < f->points.n; i++) {
    const snug__outcome *way = &SNUG_VEC(&f->points, snug__frontier_point, i).outcome;
    if (way->load <= o->load && way->seconds <= o->seconds) {
      return true;
    }
  }
  return false;
}

TEST(no_knapsack_is_better_than_all_ways) {
  for (size_t i = 0; i < n_nets; i++) {
    lab l;
    snug__simulation sim;
    snug__knapsack k;
    open_lab(&l, &nets[i], NULL, NULL);
    snug__policy *choice = calloc(l.graph->values.n, 1);
    ASSERT_NOT_NULL(choice);
    ASSERT_OK(l.ctx, snug__simulation_open(&sim, &l.frontier.problem));
    ASSERT_OK(l.ctx, snug__knapsack_open(&k, &l.frontier.problem));
    for (size_t units = 1; units < SNUG__KNAPSACK_UNITS; units++) {
      snug__knapsack_choose(&k, units, choice);
      snug__outcome o = snug__simulate(&sim, choice);
      ASSERT_TRUE(has_as_good(&l.frontier, &o));
    }
    snug__knapsack_close(&k);
    snug__simulation_release(&sim);
    free(choice);
    close_lab(&l);
  }
}

/* ---- fits ---- */

/* All weights after a fit under a line, with these kernels: others round otherwise. */
static char *train_with(const net *n, uint64_t line, const char *kernels, size_t *bytes) {
  job j;
  job_open(&j, n, "adam");
  j.options.kernels = kernels;
  j.options.memory = line;
  j.options.micro_batch = n->batch; /* micro-batches round otherwise */
  ASSERT_OK(j.ctx, snug_fit(j.model, &j.data.data, &j.options, NULL));
  *bytes = j.model->weights_bytes;
  char *all = malloc(*bytes);
  ASSERT_NOT_NULL(all);
  memcpy(all, snug__place_pointer(j.model->weights), *bytes);
  job_close(&j);
  return all;
}

TEST(every_line_gives_the_same_bits) {
  if (!test_mallocs_work()) {
    test_skip("a sanitizer's memory is not predicted");
  }
  const net *n = &nets[n_nets - 1];
  size_t bytes = 0;
  job j;
  job_open(&j, n, "adam");
  j.options.micro_batch = n->batch;
  j.options.curve = true;
  snug_plan *first = job_plan(&j, UINT64_C(1) << 40);
  const char *kernels = snug_plan_kernels(first);
  char *right = train_with(n, UINT64_C(1) << 40, kernels, &bytes);
  j.options.kernels = kernels;
  snug_plan *plan = job_plan(&j, UINT64_C(1) << 40);
  size_t points = snug_plan_points(plan);
  ASSERT_TRUE(points >= 2);
  for (size_t i = 1; i < points; i += (points + 1) / 2) {
    snug_plan_point point = SNUG_INIT(snug_plan_point);
    snug_plan_point_at(plan, i, &point);
    char *got = train_with(n, point.process + (UINT64_C(8) << 20), kernels, &bytes);
    ASSERT_EQ_BYTES(got, right, bytes);
    free(got);
  }
  snug_plan_destroy(plan);
  snug_plan_destroy(first);
  job_close(&j);
  free(right);
}

TEST(a_smaller_line_never_gets_a_larger_block) {
  if (!test_mallocs_work()) {
    test_skip("a sanitizer's memory is not predicted");
  }
  job j;
  job_open(&j, &nets[1], "adam");
  snug_plan_destroy(job_plan(&j, UINT64_C(1) << 40)); /* then the heap is as it will stay */
  snug_plan *plan = job_plan(&j, UINT64_C(1) << 40);
  uint64_t least = snug_plan_least(plan);
  snug_plan_point first = SNUG_INIT(snug_plan_point), before = SNUG_INIT(snug_plan_point);
  snug_plan_point_at(plan, 0, &first);
  snug_plan_destroy(plan);
  for (uint64_t i = 0; i <= 8; i++) {
    plan = job_plan(&j, least + (first.process - least) * i / 8);
    ASSERT_TRUE(snug_plan_fits(plan));
    snug_plan_point p = SNUG_INIT(snug_plan_point);
    snug_plan_point_at(plan, snug_plan_chosen(plan), &p);
    ASSERT_TRUE(i == 0 || (p.block >= before.block && p.seconds <= before.seconds));
    before = p;
    snug_plan_destroy(plan);
  }
  job_close(&j);
}

/* Few ways are planned to find it; none of those that a curve shows is faster and fits.  How many a
 * curve shows depends on the timings: where recompute costs next to nothing, two are left. */
TEST(a_line_takes_the_fastest_point_under_it) {
  if (!test_mallocs_work()) {
    test_skip("a sanitizer's memory is not predicted");
  }
  job j;
  job_open(&j, &nets[n_nets - 1], "adam");
  j.options.curve = true;
  snug_plan_destroy(job_plan(&j, UINT64_C(1) << 40)); /* then the heap is as it will stay */
  snug_plan *curve = job_plan(&j, UINT64_C(1) << 40);
  j.options.curve = false;
  size_t n = snug_plan_points(curve);
  ASSERT_TRUE(n >= 2);
  const size_t step = n > 4 ? n / 4 : 1;
  for (size_t i = 0; i < n; i += step) {
    snug_plan_point shown = SNUG_INIT(snug_plan_point), taken = SNUG_INIT(snug_plan_point);
    snug_plan_point_at(curve, i, &shown);
    snug_plan *plan = job_plan(&j, shown.process + (UINT64_C(1) << 20));
    snug_plan_point_at(plan, snug_plan_chosen(plan), &taken);
    ASSERT_TRUE(snug_plan_fits(plan) && taken.seconds <= shown.seconds);
    snug_plan_destroy(plan);
  }
  snug_plan_destroy(curve);
  job_close(&j);
}

/* Also where the search finds a way that is smaller than what a fit does by itself, and faster. */
TEST(without_a_line_points_go_from_the_fastest_to_the_least) {
  job j;
  job_open(&j, &nets[n_nets - 1], "adam");
  j.options.curve = true;
  snug_plan *plan = job_plan(&j, 0);
  snug_plan_point before = SNUG_INIT(snug_plan_point), p = SNUG_INIT(snug_plan_point);
  snug_plan_point_at(plan, 0, &before);
  for (size_t k = 1; k < snug_plan_points(plan); k++, before = p) {
    snug_plan_point_at(plan, k, &p);
    ASSERT_TRUE(p.block < before.block);
    ASSERT_TRUE(p.seconds > before.seconds || (k == 1 && p.seconds == before.seconds));
  }
  snug_plan_destroy(plan);
  job_close(&j);
}

TEST(a_line_below_the_least_is_refused) {
  job j;
  job_open(&j, &nets[0], "adam");
  snug_plan *plan = job_plan(&j, 1 << 20);
  ASSERT_TRUE(!snug_plan_fits(plan) && snug_plan_least(plan) > 1 << 20);
  snug_plan_destroy(plan);
  ASSERT_STATUS(j.ctx, snug_fit(j.model, &j.data.data, &j.options, NULL), SNUG_E_LIMIT, "least");
  job_close(&j);
}

TEST(layers_to_recompute_are_named) {
  job j;
  job_open(&j, &nets[0], "adam");
  j.options.recompute = "dense,no_such_layer";
  ASSERT_STATUS(j.ctx, snug_fit(j.model, &j.data.data, &j.options, NULL), SNUG_E_ARGUMENT,
                "no_such_layer");
  job_close(&j);
}
