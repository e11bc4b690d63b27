/* Single variables, out of a model and in, piece by piece: what a file would bring over, they do.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "keras_state/support.h"
#include "train/training.h"

/* Prime, so that pieces end in the midst of rows and blocks. */
#define PIECE 37

typedef struct copying {
  snug_model *from, *to;
  int n, unkept;
  char path[4096]; /* of the one before */
} copying;

static int64_t count_of(const snug_variable_info *v) {
  int64_t n = 1;
  for (int32_t k = 0; k < v->rank; k++) {
    n *= v->shape[k];
  }
  return n;
}

static void copy_one(void *user, const snug_variable_info *v) {
  copying *c = user;
  char piece[PIECE * 8];
  ASSERT_TRUE(strcmp(v->path, c->path) != 0);
  snprintf(c->path, sizeof c->path, "%s", v->path);
  c->n++;
  c->unkept += !v->name;
  int64_t n = count_of(v);
  for (int64_t i = 0; v->name && i < n; i += PIECE) {
    int64_t some = n - i < PIECE ? n - i : PIECE;
    ASSERT_OK(c->from->ctx, snug_model_variable_get(c->from, v->name, i, some, piece));
    ASSERT_OK(c->to->ctx, snug_model_variable_set(c->to, v->name, i, some, piece));
  }
}

/* A model that is loaded without its weights gets those of a trained one; both then train on. */
static void goes_over(const char *optimizer, bool is_graph) {
  snug_ctx *ctx = test_ctx();
  snug_load_options bare = SNUG_INIT(snug_load_options);
  snug_model *m = state_model(ctx, is_graph);
  snug_model *twin = NULL;
  bare.no_weights = true;
  ASSERT_OK(ctx, state_compile(m, optimizer));
  ASSERT_OK(ctx, state_fit(m, 1));
  ASSERT_OK(ctx, snug_model_save(m, state_path("model.keras")));
  ASSERT_OK(ctx, snug_model_load(ctx, state_path("model.keras"), &bare, &twin));
  ASSERT_FALSE(state_is_same(m, twin));
  copying c = {.from = m, .to = twin};
  ASSERT_OK(ctx, snug_model_variables(m, copy_one, &c));
  ASSERT_EQ_INT(c.unkept, 0);
  ASSERT_OK(ctx, state_fit(m, 1)); /* settles how the weights of the other lie, too */
  ASSERT_OK(ctx, state_fit(twin, 1));
  state_assert_same(m, twin);
  snug_model_destroy(twin);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

TEST(every_optimizer_goes_over) {
  static const char *const optimizers[] = {"SGD(momentum=0.9)",
                                           "adam(amsgrad=true)",
                                           "rmsprop(momentum=0.5, centered=true)",
                                           "nadam(use_ema=true)",
                                           "ftrl",
                                           "muon",
                                           "SGD(gradient_accumulation_steps=2)"};
  for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++) {
    goes_over(optimizers[i], i % 2);
  }
}

/* Between the first step and the last nothing may be taken. */
TEST(takes_no_memory_once_all_is_there) {
  snug_ctx *ctx = test_ctx();
  snug_scope scope = {0};
  float kernel[3 * 3 * 3 * 16];
  int64_t steps = 0;
  snug_model *m = state_model(ctx, false);
  ASSERT_OK(ctx, state_compile(m, "adam"));
  ASSERT_OK(ctx, state_fit(m, 1));
  snug_scope_begin(ctx, &scope);
  ASSERT_OK(ctx, snug_model_variable_get(m, "conv2d/kernel", 0, 3 * 3 * 3 * 16, kernel));
  ASSERT_OK(ctx, snug_model_variable_set(m, "conv2d/kernel", 0, 3 * 3 * 3 * 16, kernel));
  ASSERT_OK(ctx, snug_model_variable_get(m, "optimizer/iteration", 0, 1, &steps));
  ASSERT_OK(ctx, snug_scope_end(ctx, &scope));
  ASSERT_EQ_UINT(scope.peak, scope.start);
  ASSERT_EQ_INT(steps, 3);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

TEST(what_cannot_be_is_refused) {
  snug_ctx *ctx = test_ctx();
  double data[4] = {0};
  const int64_t negative = -1;
  const float nan = NAN;
  snug_model *m = state_model(ctx, false);
  ASSERT_OK(ctx, state_compile(m, "adam"));
  ASSERT_STATUS(ctx, snug_model_variable_get(m, "none", 0, 1, data), SNUG_E_ARGUMENT, "'none'");
  ASSERT_STATUS(ctx, snug_model_variable_get(m, "accuracy/total", 0, 1, data), SNUG_E_ARGUMENT,
                "there is no weight");
  ASSERT_STATUS(ctx, snug_model_variable_get(m, "dense/bias", 1, 3, data), SNUG_E_ARGUMENT,
                "elements 1 to 3 of 3");
  ASSERT_STATUS(ctx, snug_model_variable_set(m, "dense/bias", -1, 1, data), SNUG_E_ARGUMENT,
                "of 3");
  ASSERT_STATUS(ctx, snug_model_variable_get(m, "dense/bias", 0, 1, NULL), SNUG_E_ARGUMENT, "NULL");
  ASSERT_STATUS(ctx, snug_model_variable_set(m, "optimizer/iteration", 0, 1, &negative),
                SNUG_E_ARGUMENT, "number of steps");
  ASSERT_STATUS(ctx, snug_model_variable_set(m, "optimizer/learning_rate", 0, 1, &nan),
                SNUG_E_ARGUMENT, "learning rate");
  ASSERT_STATUS(ctx, snug_model_variables(m, NULL, NULL), SNUG_E_ARGUMENT, "nobody");
  ASSERT_EQ_INT(snug_model_variables(NULL, NULL, NULL), SNUG_E_ARGUMENT);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}
