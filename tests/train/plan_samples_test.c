/* A plan without data: so many samples stand for them. */
#include "base/ctx.h"
#include "lib/fault.h"
#include "train/nets.h"

static snug_plan *plan_with(snug_ctx *ctx, snug_model *m, int64_t samples,
                            const snug_fit_options *o) {
  snug_plan *plan = NULL;
  ASSERT_OK(ctx, snug_plan_samples(m, samples, o, &plan));
  return plan;
}

static snug_fit_options options_of(const net *n) {
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = n->batch;
  o.validation_split = 0.25;
  return o;
}

/* The step is that of the data: the same block, the same peak. */
TEST(samples_plan_as_data_do) {
  for (size_t i = 0; i < 3 && i < n_nets; i++) { /* the small ones */
    snug_ctx *ctx = test_ctx();
    snug_model *m = net_model(ctx, &nets[i], "adam");
    snug_fit_options o = options_of(&nets[i]);
    snug_memory_report with = SNUG_INIT(snug_memory_report),
                       without = SNUG_INIT(snug_memory_report);
    snug_plan *plan = NULL;
    toy t;
    net_data(&nets[i], &t);
    ASSERT_OK(ctx, snug_plan_fit(m, &t.data, &o, &plan));
    snug_plan_memory(plan, &with);
    uint64_t validation = snug_plan_validation(plan);
    snug_plan_destroy(plan);
    plan = plan_with(ctx, m, nets[i].samples, &o);
    snug_plan_memory(plan, &without);
    ASSERT_EQ_UINT(without.block, with.block);
    ASSERT_EQ_UINT(without.load, with.load);
    ASSERT_EQ_UINT(without.activations, with.activations);
    ASSERT_EQ_UINT(without.data, with.data); /* the arrays are not ours, either way */
    ASSERT_TRUE(validation > 0);
    ASSERT_EQ_UINT(snug_plan_validation(plan), validation);
    snug_plan_destroy(plan);
    snug_model_destroy(m);
    toy_free(&t);
  }
}

TEST(as_many_as_nobody_has) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, &nets[0], "sgd");
  snug_fit_options o = options_of(&nets[0]);
  snug_plan_destroy(plan_with(ctx, m, INT64_C(1) << 40, &o));
  snug_model_destroy(m);
}

TEST(a_peak_in_validation_is_told) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, &nets[0], "sgd");
  snug_fit_options o = options_of(&nets[0]);
  snug_plan_moment peak = SNUG_INIT(snug_plan_moment);
  snug_plan *plan = plan_with(ctx, m, 8000, &o);
  snug_plan_peak(plan, &peak);
  ASSERT_FALSE(peak.validation);
  snug_plan_destroy(plan);
  o.validation_batch_size = 2000;
  plan = plan_with(ctx, m, 8000, &o);
  snug_plan_peak(plan, &peak);
  ASSERT_TRUE(peak.validation && !peak.backward);
  snug_plan_destroy(plan);
  snug_model_destroy(m);
}

TEST(what_cannot_be_planned) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, &nets[0], "sgd");
  snug_plan *plan = NULL;
  ASSERT_EQ_INT(snug_plan_samples(m, 0, NULL, &plan), SNUG_E_ARGUMENT);
  ASSERT_HAS(snug_message(ctx), "0 samples");
  ASSERT_EQ_INT(snug_plan_samples(m, INT64_MAX, NULL, &plan), SNUG_E_SHAPE);
  ASSERT_EQ_INT(snug_plan_samples(m, 10, NULL, NULL), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_plan_samples(NULL, 10, NULL, &plan), SNUG_E_ARGUMENT);
  ASSERT_NULL(plan);
  snug_model_destroy(m);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){3}, 1);
  snug_model_add(m, "Dense", "units=2");
  ASSERT_EQ_INT(snug_plan_samples(m, 10, NULL, &plan), SNUG_E_STATE);
  snug_model_destroy(m);
}

static snug_status plan_small(snug_ctx *ctx, void *arg) {
  snug_model *m = NULL;
  snug_plan *plan = NULL;
  (void)arg;
  SNUG_TRY(snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){3}, 1);
  snug_model_add(m, "Dense", "units=2");
  snug_status s = compile_with(m, "adam", "mse");
  s = s ? s : snug_plan_samples(m, 10, NULL, &plan);
  snug_plan_destroy(plan);
  snug_model_destroy(m);
  return s;
}

TEST(every_allocation_may_fail) { test_fault_sweep_stride(plan_small, NULL, 7); }
