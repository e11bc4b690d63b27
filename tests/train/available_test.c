/* What the process may hold decides where there is no line; nothing is planned differently for it.
 */
#include <stdlib.h>

#include "base/ctx.h"
#include "train/nets.h"

static const net *demo(void) { return &nets[1]; }

/* A plan as it is without anybody who judges it. */
static snug_memory_report free_report(job *j, snug_plan_point *first) {
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_memory_set_available(j->ctx, 0);
  snug_plan *plan = job_plan(j, 0);
  ASSERT_TRUE(snug_plan_fits(plan));
  snug_plan_memory(plan, &r);
  snug_plan_point_at(plan, 0, first);
  snug_plan_destroy(plan);
  return r;
}

TEST(a_fit_without_a_line_is_refused_before_step_1) {
  job j;
  job_open(&j, demo(), "adam");
  snug_plan_point first = SNUG_INIT(snug_plan_point);
  snug_memory_report r = free_report(&j, &first);
  snug_memory_set_available(j.ctx, r.process / 2);
  ASSERT_STATUS(j.ctx, snug_fit(j.model, &j.data.data, &j.options, NULL), SNUG_E_LIMIT,
                "the process may hold");
  ASSERT_HAS(snug_message(j.ctx), "the least line that would do is");
  snug_memory_set_available(j.ctx, r.process + (UINT64_C(1) << 30));
  ASSERT_OK(j.ctx, snug_fit(j.model, &j.data.data, &j.options, NULL));
  job_close(&j);
}

TEST(its_plan_is_that_of_full_speed) {
  job j;
  job_open(&j, demo(), "adam");
  snug_plan_point first = SNUG_INIT(snug_plan_point), judged = SNUG_INIT(snug_plan_point);
  snug_memory_report r = free_report(&j, &first), of_judged = SNUG_INIT(snug_memory_report);
  snug_memory_set_available(j.ctx, r.process / 2);
  snug_plan *plan = job_plan(&j, 0);
  ASSERT_FALSE(snug_plan_fits(plan));
  ASSERT_EQ_UINT(snug_plan_chosen(plan), 0);
  snug_plan_point_at(plan, 0, &judged);
  snug_plan_memory(plan, &of_judged);
  ASSERT_EQ_UINT(judged.block, first.block);
  ASSERT_EQ_UINT(of_judged.block, r.block);
  ASSERT_EQ_UINT(of_judged.line, 0);
  ASSERT_TRUE(snug_plan_least(plan) <= of_judged.process);
  snug_plan_destroy(plan);
  job_close(&j);
}

TEST(levers_that_are_set_are_judged_too) {
  job j;
  job_open(&j, demo(), "adam");
  j.options.recompute = "activations";
  snug_plan_point first = SNUG_INIT(snug_plan_point);
  snug_memory_report r = free_report(&j, &first);
  snug_memory_set_available(j.ctx, r.process / 2);
  ASSERT_STATUS(j.ctx, snug_fit(j.model, &j.data.data, &j.options, NULL), SNUG_E_LIMIT,
                "the process may hold");
  job_close(&j);
}

TEST(a_line_goes_by_itself) {
  job j;
  job_open(&j, demo(), "adam");
  snug_plan_point first = SNUG_INIT(snug_plan_point);
  snug_memory_report r = free_report(&j, &first);
  snug_memory_set_available(j.ctx, 1);
  snug_plan *plan = job_plan(&j, r.process + (UINT64_C(1) << 30));
  ASSERT_TRUE(snug_plan_fits(plan));
  snug_plan_destroy(plan);
  ASSERT_OK(j.ctx, snug_fit(j.model, &j.data.data, &j.options, NULL));
  job_close(&j);
}

#define KIB (UINT64_C(1) << 10)

/* A callback that takes what the plan still has room for, at the end of an epoch. */
typedef struct taker {
  snug_ctx *ctx;
  uint64_t process; /* as planned */
  snug_status status;
} taker;

static bool take_the_rest(void *user, int64_t epoch, const snug_logs *logs) {
  taker *t = user;
  void *p = NULL;
  (void)epoch;
  (void)logs;
  uint64_t bytes = t->process - 300 * KIB - snug__gate_held();
  t->status = snug__take(t->ctx, SNUG__MEM_CALLBACKS, bytes, &p);
  snug__give(t->ctx, SNUG__MEM_CALLBACKS, p, bytes);
  return !t->status;
}

/* The group's figure falls when all is planned. */
static bool lower_bound(void *user, const snug_plan *plan) {
  const taker *t = user;
  (void)plan;
  snug_memory_set_bound(t->ctx, t->process - 400 * KIB);
  return true;
}

/* What a control group leaves a process varies by less than a plan's reserve. */
TEST(a_bound_within_the_reserve_ends_no_planned_fit) {
#if defined(__SANITIZE_ADDRESS__)
  test_skip("the process holds what the sanitizer keeps");
#endif
  job j;
  job_open(&j, demo(), "adam");
  snug_plan_point first = SNUG_INIT(snug_plan_point);
  snug_memory_report r = free_report(&j, &first);
  taker t = {.ctx = j.ctx, .process = r.process};
  const snug_callback one = {
      .struct_size = sizeof one, .user = &t, .epoch_end = take_the_rest, .failure = &t.status};
  j.options.callbacks = &one;
  j.options.n_callbacks = 1;
  j.options.planned = lower_bound;
  j.options.planned_user = &t;
  ASSERT_TRUE(r.reserve > 448 * KIB - 1);
  ASSERT_OK(j.ctx, snug_fit(j.model, &j.data.data, &j.options, NULL));
  snug_memory_set_bound(j.ctx, 0);
  job_close(&j);
}

TEST(evaluate_and_predict_are_refused_likewise) {
  job j;
  job_open(&j, demo(), "adam");
  double values[2];
  snug_memory_process now = SNUG_INIT(snug_memory_process);
  float *out = malloc((size_t)j.data.x_array.shape[0] * (size_t)demo()->classes * sizeof *out);
  void *const outputs[] = {out};
  ASSERT_NOT_NULL(out);
  snug_memory_process_get(&now);
  snug_memory_set_available(j.ctx, now.resident / 2);
  ASSERT_STATUS(j.ctx, snug_evaluate(j.model, &j.data.data, 0, values, 2), SNUG_E_LIMIT,
                "evaluate: the process needs");
  ASSERT_STATUS(j.ctx, snug_predict(j.model, &j.data.data, 0, outputs, 1), SNUG_E_LIMIT,
                "predict: the process needs");
  snug_memory_set_available(j.ctx, now.resident + (UINT64_C(256) << 20));
  ASSERT_OK(j.ctx, snug_evaluate(j.model, &j.data.data, 0, values, 2));
  ASSERT_OK(j.ctx, snug_predict(j.model, &j.data.data, 0, outputs, 1));
  free(out);
  job_close(&j);
}
