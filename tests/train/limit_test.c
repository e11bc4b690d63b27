/* A limit and a fit: exactly what was planned is enough, a byte less is refused before step 1. */
#include <string.h>

#include "train/data.h"

#define KERNEL "dense/kernel"
enum { FEATURES = 5, UNITS = 7, CLASSES = 3 };

static snug_model *new_model(snug_ctx *ctx) {
  const int64_t shape[] = {FEATURES};
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "features", SNUG_FLOAT32, shape, 1);
  snug_model_add(m, "Dense", "units=7 activation=tanh");
  snug_model_add(m, "Dense", "units=3 activation=softmax");
  ASSERT_OK(ctx, compile_with(m, "adam", "sparse_categorical_crossentropy"));
  return m;
}

static uint64_t planned_bytes(snug_ctx *ctx, snug_model *m, const toy *t,
                              const snug_fit_options *o) {
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_plan *plan = NULL;
  ASSERT_OK(ctx, snug_plan_fit(m, &t->data, o, &plan));
  snug_plan_memory(plan, &r);
  snug_plan_destroy(plan);
  return r.planned;
}

/* Fit; the kernel must be as before if that fails, and only then. */
static snug_status fit_or_nothing(snug_ctx *ctx, snug_model *m, const toy *t,
                                  const snug_fit_options *o, snug_history **history) {
  float before[FEATURES * UNITS], after[FEATURES * UNITS];
  ASSERT_OK(ctx, snug_model_weight_get(m, KERNEL, before, sizeof before));
  snug_status s = snug_fit(m, &t->data, o, history);
  ASSERT_OK(ctx, snug_model_weight_get(m, KERNEL, after, sizeof after));
  ASSERT_TRUE((memcmp(before, after, sizeof before) == 0) == (s != SNUG_OK));
  return s;
}

static snug_status fit_within(int64_t missing) {
  const int64_t shape[] = {FEATURES};
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  toy t;
  o.batch_size = 8;
  o.epochs = 2;
  o.validation_split = 0.25;
  toy_make(&t, 50, shape, 1, CLASSES);
  uint64_t planned = planned_bytes(ctx, m, &t, &o);
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, planned - (uint64_t)missing));
  snug_status s = fit_or_nothing(ctx, m, &t, &o, NULL);
  if (s) {
    ASSERT_HAS(snug_message(ctx), "the limit is");
  }
  snug_model_destroy(m);
  toy_free(&t);
  return s;
}

TEST(the_plan_is_enough) { ASSERT_EQ_INT(fit_within(0), SNUG_OK); }

TEST(a_byte_less_is_refused_before_step_1) {
  ASSERT_EQ_INT(fit_within(1), SNUG_E_LIMIT);
  ASSERT_EQ_INT(fit_within(5000), SNUG_E_LIMIT);
}

/* How kernels want their weights to lie is known before these are made: there is no time at which
 * they are there in both orders.  One weight at a time may be. */
TEST(weights_are_made_once) {
  const int64_t shape[] = {16, 16, 64};
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  snug_memory_entry weights = {.struct_size = sizeof weights, .name = ""};
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "image", SNUG_FLOAT32, shape, 3);
  for (int i = 0; i < 6; i++) {
    snug_model_add(m, "Conv2D", "filters=64 kernel_size=3 activation=relu");
  }
  snug_model_add(m, "Flatten", "");
  snug_model_add(m, "Dense", "units=3 activation=softmax");
  ASSERT_OK(ctx, compile_with(m, "sgd", "sparse_categorical_crossentropy"));
  for (size_t i = 0; strcmp(weights.name, "weights") != 0; i++) {
    ASSERT_TRUE(i < snug_memory_names(ctx));
    snug_memory_entry_get(ctx, i, &weights);
  }
  snug_memory_get(ctx, &info);
  ASSERT_TRUE(weights.current > 6 * 9 * 64 * 64 * 4);
  ASSERT_TRUE(info.peak < weights.current + weights.current / 2);
  snug_model_destroy(m);
}

/* ---- the plan that a fit shows ---- */

typedef struct shown {
  uint64_t planned;
  bool wants, fits;
  int times;
} shown;

static bool look(void *user, const snug_plan *plan) {
  shown *s = user;
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_plan_memory(plan, &r);
  s->planned = r.planned;
  s->fits = snug_plan_fits(plan);
  s->times++;
  return s->wants;
}

static snug_status fit_shown(shown *s, uint64_t line, snug_history **history) {
  const int64_t shape[] = {FEATURES};
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  toy t;
  toy_make(&t, 50, shape, 1, CLASSES);
  o.planned = look;
  o.planned_user = s;
  o.memory = line;
  snug_status status = fit_or_nothing(ctx, m, &t, &o, history);
  snug_model_destroy(m);
  toy_free(&t);
  return status;
}

TEST(a_fit_shows_the_plan_that_it_keeps) {
  shown s = {.wants = true};
  snug_history *history = NULL;
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  ASSERT_EQ_INT(fit_shown(&s, 0, &history), SNUG_OK);
  snug_history_memory(history, &r);
  snug_history_destroy(history);
  ASSERT_EQ_INT(s.times, 1);
  ASSERT_TRUE(s.fits);
  ASSERT_EQ_INT(s.planned, r.measured);
}

TEST(a_plan_that_is_not_wanted_ends_the_fit_before_step_1) {
  shown s = {.wants = false};
  ASSERT_EQ_INT(fit_shown(&s, 0, NULL), SNUG_E_STOPPED);
  ASSERT_TRUE(s.fits);
}

TEST(a_plan_that_does_not_fit_is_shown_too) {
  shown s = {.wants = true};
  ASSERT_EQ_INT(fit_shown(&s, 1 << 20, NULL), SNUG_E_LIMIT);
  ASSERT_EQ_INT(s.times, 1);
  ASSERT_TRUE(!s.fits);
}
