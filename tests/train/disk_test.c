/* A line that may have values wait in a file: it goes lower, with the same bits, and a folder that
 * cannot take them is told before step 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "device/cpu/cpu.h"
#include "lib/fault.h"
#include "lib/mallocs.h"
#include "model/model.h"
#include "planning/frontier.h"
#include "snug/plan.h"
#include "train/lower.h"
#include "train/nets.h"

/* Values of 2 MiB, much more than what the file takes in memory. */
static snug_status build_wide(snug_model *m) {
  const int64_t shape[] = {32, 32, 3};
  snug_model_input(m, "image", m->real, shape, 3);
  for (int i = 0; i < 5; i++) {
    snug_model_add(m, "Conv2D", "filters=16 kernel_size=3 padding=same activation=tanh");
  }
  snug_model_add(m, "GlobalAveragePooling2D", NULL);
  snug_model_add(m, "Dense", "units=10 activation=softmax");
  return snug_model_status(m);
}

static const net wide = {"wide", build_wide, {32, 32, 3}, 3, 10, 80, 32};

/* The same timings for all fits of a test. */
static void keep_timings(void) {
  ASSERT_EQ_INT(mkdir(test_path("cache"), 0777), 0);
  setenv("SNUG_CACHE", test_path("cache"), 1);
}

static char kernels[8192]; /* that all fits of a test run; "": that they choose */

static void open_job(job *j, bool disk) {
  job_open(j, &wide, "adam");
  j->options.micro_batch = wide.batch; /* micro-batches round otherwise */
  j->options.allow_disk = disk;
  j->options.kernels = kernels[0] ? kernels : NULL;
  j->options.recompute = "none"; /* then there is no other way, however slow the disk is */
}

/* Those of the fastest point. */
static void keep_kernels(void) {
  job j;
  open_job(&j, false);
  snug_plan *plan = job_plan(&j, UINT64_C(1) << 40);
  snprintf(kernels, sizeof kernels, "%s", snug_plan_kernels(plan));
  snug_plan_destroy(plan);
  job_close(&j);
}

static uint64_t least_with(bool disk) {
  job j;
  open_job(&j, disk);
  snug_plan_destroy(job_plan(&j, 1 << 20)); /* then the heap is as it will stay */
  snug_plan *plan = job_plan(&j, 1 << 20);
  uint64_t least = snug_plan_least(plan);
  snug_plan_destroy(plan);
  job_close(&j);
  return least;
}

static void skip_without_prediction(void) {
  if (!test_mallocs_work()) {
    test_skip("a sanitizer's memory is not predicted");
  }
}

/* ---- points ---- */

static void check_points(const snug_plan *plan) {
  snug_plan_point p = SNUG_INIT(snug_plan_point), before = SNUG_INIT(snug_plan_point);
  bool any = false;
  for (size_t i = 0; i < snug_plan_points(plan); i++) {
    snug_plan_point_at(plan, i, &p);
    ASSERT_TRUE(i == 0 || (p.process <= before.process && p.seconds >= before.seconds));
    ASSERT_TRUE(p.disk_seconds >= 0.0 && p.disk_seconds < p.seconds);
    any = any || p.on_disk > 0;
    before = p;
  }
  ASSERT_TRUE(any);
}

TEST(points_have_values_that_wait) {
  static const char *const fixed[] = {"none", "conv2d_1"};
  keep_timings();
  for (size_t i = 0; i < SNUG_COUNT(fixed); i++) {
    job j;
    open_job(&j, true);
    j.options.recompute = fixed[i];
    j.options.curve = true;
    snug_plan *plan = job_plan(&j, UINT64_C(1) << 40);
    snug_plan_point p = SNUG_INIT(snug_plan_point);
    check_points(plan);
    snug_plan_point_at(plan, snug_plan_points(plan) - 1, &p);
    ASSERT_EQ_INT(p.recomputed > 0, i == 1);
    snug_plan_destroy(plan);
    job_close(&j);
  }
}

TEST(nothing_waits_unless_it_is_allowed) {
  keep_timings();
  job j;
  open_job(&j, false);
  j.options.recompute = NULL;
  j.options.curve = true;
  snug_plan *plan = job_plan(&j, UINT64_C(1) << 40);
  for (size_t i = 0; i < snug_plan_points(plan); i++) {
    snug_plan_point p = SNUG_INIT(snug_plan_point);
    snug_plan_point_at(plan, i, &p);
    ASSERT_EQ_UINT(p.on_disk, 0);
  }
  snug_plan_destroy(plan);
  job_close(&j);
}

/* ---- fits ---- */

/* All weights after a fit, which takes what it planned. */
static char *train_with(uint64_t line, bool disk, size_t *bytes) {
  job j;
  snug_history *h = NULL;
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  open_job(&j, disk);
  j.options.memory = line;
  ASSERT_OK(j.ctx, snug_fit(j.model, &j.data.data, &j.options, &h));
  snug_history_memory(h, &r);
  ASSERT_EQ_UINT(r.planned, r.measured);
  snug_history_destroy(h);
  *bytes = j.model->weights_bytes;
  char *all = malloc(*bytes);
  ASSERT_NOT_NULL(all);
  memcpy(all, snug__place_pointer(j.model->weights), *bytes);
  job_close(&j);
  return all;
}

TEST(the_disk_goes_lower_with_the_same_bits) {
  skip_without_prediction();
  keep_timings();
  keep_kernels();
  size_t bytes = 0;
  uint64_t without = least_with(false);
  uint64_t with = least_with(true);
  ASSERT_TRUE(with + (UINT64_C(1) << 20) < without);
  char *right = train_with(0, false, &bytes);
  char *got = train_with(with, true, &bytes);
  ASSERT_EQ_BYTES(got, right, bytes);
  free(got);
  free(right);
}

/* ---- folders ---- */

static void refuse(job *j, const char *folder, const char *message) {
  snug_plan *plan = NULL;
  j->options.disk_folder = folder;
  ASSERT_STATUS(j->ctx, snug_fit(j->model, &j->data.data, &j->options, NULL), SNUG_E_IO, message);
  ASSERT_STATUS(j->ctx, snug_plan_fit(j->model, &j->data.data, &j->options, &plan), SNUG_E_IO,
                message);
  ASSERT_NULL(plan);
}

TEST(a_folder_that_cannot_be_used_is_told_before_step_1) {
  skip_without_prediction();
  keep_timings();
  job j;
  uint64_t least = least_with(true);
  struct rlimit before;
  open_job(&j, true);
  j.options.memory = least;
  ASSERT_EQ_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &(struct rlimit){65536, before.rlim_max}), 0);
  refuse(&j, NULL, "has no room for a file of");
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  refuse(&j, "/nowhere/at/all", "/nowhere/at/all: no file");
  refuse(&j, "/dev/shm", "/dev/shm lies in memory");
  job_close(&j);
}

/* ---- memory fails ---- */

static snug_status choose_all(const snug__graph *g, snug__frontier *f) {
  snug__policy *choice = NULL;
  snug__rewrite r;
  snug_status s = SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->values.n, &choice);
  for (snug__id v = 0; !s && v < g->values.n; v++) {
    choice[v] = f->problem.can_wait[v] ? SNUG__WAITING : SNUG__KEPT;
  }
  s = s ? s : snug__recompute_apply(&f->problem.recipes, choice, f->problem.order, &r);
  if (!s) {
    snug__rewrite_release(&r);
  }
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, choice, g->values.n);
  return s;
}

static snug_status search_graph(snug_model *m, snug__graph **g) {
  static const snug__store_rate disk = {1e-9, 1e-9, 1e-10};
  snug__step step;
  snug__frontier f;
  double *seconds = NULL;
  SNUG_TRY(snug__settle_layouts(m, SNUG__STEP_TRAIN));
  SNUG_TRY(snug__step_build(m, SNUG__STEP_TRAIN, 4, false, g, &step));
  SNUG_TRY(snug__step_assign_layouts(m, NULL, g, &step));
  size_t n = (*g)->nodes.n;
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, n, &seconds));
  snug_status s = snug__frontier_open(&f, *g, &snug__cpu, seconds, seconds, &disk, NULL, false);
  if (!s) {
    s = choose_all(*g, &f);
    snug__frontier_close(&f);
  }
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, seconds, n);
  return s;
}

static snug_status search_once(snug_ctx *ctx, void *arg) {
  snug_model *m = NULL;
  snug__graph *g = NULL;
  (void)arg;
  snug_status s = snug_model_create(ctx, NULL, &m);
  s = s ? s : nets[0].build(m);
  s = s ? s : compile_with(m, "sgd", "sparse_categorical_crossentropy");
  s = s ? s : search_graph(m, &g);
  snug__graph_destroy(g);
  snug_model_destroy(m);
  return s;
}

TEST(every_request_for_memory_may_fail) { test_fault_sweep(search_once, NULL); }
