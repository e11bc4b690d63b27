/* A model that goes into a file comes back with all its bits, and trains on as if nothing had
 * happened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keras/archive.h"
#include "keras_state/support.h"
#include "train/training.h"

/* Save after an epoch; the copy and the original then make another one each. */
static void goes_on(const char *optimizer, bool is_graph) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = state_model(ctx, is_graph);
  ASSERT_OK(ctx, state_compile(m, optimizer));
  ASSERT_OK(ctx, state_fit(m, 1));
  snug_model *back = state_saved(ctx, m, state_path("model.keras"));
  state_assert_same(m, back);
  ASSERT_EQ_INT((int64_t)(1e9 * snug_model_learning_rate(m)),
                (int64_t)(1e9 * snug_model_learning_rate(back)));
  ASSERT_OK(ctx, state_fit(m, 1));
  ASSERT_OK(ctx, state_fit(back, 1));
  state_assert_same(m, back);
  snug_model_destroy(back);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

TEST(every_optimizer_goes_on) {
  static const char *const optimizers[] = {"SGD",
                                           "SGD(momentum=0.9, nesterov=true)",
                                           "adam",
                                           "adam(amsgrad=true)",
                                           "adamw",
                                           "rmsprop",
                                           "rmsprop(momentum=0.5)",
                                           "rmsprop(centered=true)",
                                           "rmsprop(momentum=0.5, centered=true)",
                                           "adagrad",
                                           "adadelta",
                                           "adamax",
                                           "nadam",
                                           "lion",
                                           "ftrl",
                                           "lamb",
                                           "muon",
                                           "muon(exclude_layers='dense, norm', rms_rate=0)"};
  for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++) {
    goes_on(optimizers[i], i % 2);
  }
}

TEST(averages_go_on) {
  static const char *const optimizers[] = {
      "SGD(use_ema=true)", "adam(use_ema=true, ema_overwrite_frequency=2)", "nadam(use_ema=true)",
      "rmsprop(momentum=0.5, centered=true, use_ema=true)"};
  for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++) {
    goes_on(optimizers[i], i % 2);
  }
}

TEST(accumulation_goes_on) {
  static const char *const optimizers[] = {"SGD(gradient_accumulation_steps=2)",
                                           "adam(amsgrad=true, gradient_accumulation_steps=2)",
                                           "nadam(use_ema=true, gradient_accumulation_steps=2)",
                                           "ftrl(use_ema=true, gradient_accumulation_steps=2)",
                                           "muon(use_ema=true, gradient_accumulation_steps=2)"};
  for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++) {
    goes_on(optimizers[i], i % 2);
  }
}

TEST(schedules_go_on) {
  static const char *const optimizers[] = {
      "adam(learning_rate=ExponentialDecay(0.1, 2, 0.5, staircase=true))",
      "SGD(learning_rate=InverseTimeDecay(0.1, 2, 0.5), momentum=0.9)",
      ("nadam(learning_rate=PolynomialDecay(0.1, 4, power=2, cycle=true), use_ema=true, "
       "gradient_accumulation_steps=2)"),
      "adam(learning_rate=PiecewiseConstantDecay([2], [0.1, 0.01]))",
      "adam(learning_rate=CosineDecay(0.1, 10, warmup_target=0.3, warmup_steps=2))",
      "adam(learning_rate=CosineDecayRestarts(0.1, 3, t_mul=1.5))"};
  for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++) {
    goes_on(optimizers[i], i % 2);
  }
}

TEST(models_that_were_not_trained_come_back) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = state_model(ctx, true);
  snug_model *back = state_saved(ctx, m, state_path("built.keras"));
  ASSERT_NULL(back->training);
  state_assert_same(m, back);
  snug_model_destroy(back);
  ASSERT_OK(ctx, state_compile(m, "adam(learning_rate=0.25)"));
  back = state_saved(ctx, m, state_path("compiled.keras"));
  ASSERT_NOT_NULL(back->training);
  ASSERT_FALSE(snug__place_is_set(back->training->state)); /* there is nothing to go on from */
  ASSERT_NEAR(snug_model_learning_rate(back), 0.25, 0.0);
  snug_model_destroy(back);
  snug_model_destroy(m);
}

static int compare_members(snug_ctx *ctx, const char *a, const char *b, const char *member) {
  size_t n[2];
  char *bytes[2] = {state_member(ctx, a, member, &n[0]), state_member(ctx, b, member, &n[1])};
  int differs = n[0] != n[1] || memcmp(bytes[0], bytes[1], n[0]) != 0;
  free(bytes[0]);
  free(bytes[1]);
  return differs;
}

TEST(one_model_gives_the_same_bytes) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = state_model(ctx, true);
  char first[512];
  ASSERT_OK(ctx, state_compile(m, "adam"));
  ASSERT_OK(ctx, state_fit(m, 1));
  snprintf(first, sizeof first, "%s", state_path("first.keras"));
  snug_model *back = state_saved(ctx, m, first);
  ASSERT_OK(ctx, snug_model_save(m, state_path("second.keras")));
  ASSERT_OK(ctx, snug_model_save(back, state_path("third.keras")));
  for (int i = 0; i < 2; i++) {
    const char *other = state_path(i ? "second.keras" : "third.keras");
    ASSERT_EQ_INT(compare_members(ctx, first, other, "config.json"), 0);
    ASSERT_EQ_INT(compare_members(ctx, first, other, "model.weights.h5"), 0);
  }
  snug_model_destroy(back);
  snug_model_destroy(m);
}

TEST(weights_alone_come_back) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = state_model(ctx, true);
  snug_model *other = NULL;
  ASSERT_OK(ctx, state_build(ctx, true, 77, &other));
  ASSERT_OK(ctx, state_compile(other, "SGD"));
  ASSERT_OK(ctx, snug_model_save(m, state_path("model.weights.h5")));
  ASSERT_FALSE(state_is_same(m, other));
  ASSERT_OK(ctx, snug_model_load_weights(other, state_path("model.weights.h5")));
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    static char bytes[2][1 << 16];
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    ASSERT_OK(ctx, snug_model_weight_info(m, i, &w));
    ASSERT_OK(ctx, snug_model_weight_get(m, w.name, bytes[0], w.bytes));
    ASSERT_OK(ctx, snug_model_weight_get(other, w.name, bytes[1], w.bytes));
    ASSERT_EQ_BYTES(bytes[0], bytes[1], w.bytes);
  }
  snug_model_destroy(other);
  snug_model_destroy(m);
}

/* Two inputs, two outputs, a layer that is called three times, layers of all shapes. */
static snug_model *make_graph(snug_ctx *ctx) {
  snug_model *m = NULL;
  snug_model_options o = SNUG_INIT(snug_model_options);
  o.name = "graph \xc3\xa9\xf0\x9f\x90\xa7 \"q\"";
  o.dtype = SNUG_FLOAT64;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  snug_tensor a = snug_model_input(m, "a", SNUG_FLOAT64, (const int64_t[]){6}, 1);
  snug_tensor b = snug_model_input(m, "b", SNUG_INT32, (const int64_t[]){5}, 1);
  b = snug_model_layer(m, "Embedding", "input_dim=9 output_dim=6 name=table", &b, 1);
  b = snug_model_layer(m, "Conv1D", "filters=6 kernel_size=2 padding=causal use_bias=false", &b, 1);
  b = snug_model_layer(m, "GlobalMaxPooling1D", NULL, &b, 1);
  snug_tensor c = snug_model_layer(
      m, "Dense",
      "name=shared units=6 kernel_constraint=\"max_norm(2, axis=0)\" activation=swish "
      "kernel_initializer=\"variance_scaling(scale=2, mode=fan_out)\"",
      &a, 1);
  snug_tensor d = snug_model_again(m, "shared", &b, 1);
  d = snug_model_layer(m, "LayerNormalization", "epsilon=0.01", &d, 1);
  snug_tensor e = snug_model_layer(m, "Concatenate", "axis=1", (const snug_tensor[]){c, d, a}, 3);
  e = snug_model_layer(m, "Reshape", "target_shape=[3,6]", &e, 1);
  e = snug_model_layer(m, "Permute", "dims=[2,1]", &e, 1);
  e = snug_model_layer(m, "Flatten", NULL, &e, 1);
  snug_tensor f = snug_model_again(m, "shared", &d, 1);
  snug_tensor out[2] = {snug_model_layer(m, "Dense", "name=one units=2", &e, 1),
                        snug_model_layer(m, "PReLU", "name=two", &f, 1)};
  ASSERT_OK(ctx, snug_model_outputs(m, out, 2));
  return m;
}

TEST(graphs_come_back) {
  static const char *const losses[] = {"mse", "Huber(delta=0.5)"};
  static const char *const metrics[] = {"one: mae", "two: RootMeanSquaredError(name=\"r\")"};
  const double weights[] = {0.25, 2.0};
  snug_ctx *ctx = test_ctx();
  snug_model *m = make_graph(ctx);
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = "adamw(weight_decay=0)";
  o.loss = losses;
  o.n_loss = 2;
  o.loss_weights = weights;
  o.metrics = metrics;
  o.n_metrics = 2;
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  ASSERT_OK(ctx, snug_model_set_learning_rate(m, 0.125)); /* makes the state */
  snug_model *back = state_saved(ctx, m, state_path("graph.keras"));
  state_assert_same(m, back);
  ASSERT_EQ_TEXT(m->name, back->name);
  ASSERT_NEAR(back->training->loss_weights[0], 0.25, 0.0);
  ASSERT_NEAR(back->training->losses[1].o.delta, 0.5, 0.0);
  snug_logs a = snug_model_metrics(m);
  snug_logs b = snug_model_metrics(back);
  ASSERT_EQ_UINT(a.n, b.n);
  for (size_t i = 0; i < a.n; i++) {
    ASSERT_EQ_TEXT(a.names[i], b.names[i]);
  }
  snug_model_destroy(back);
  snug_model_destroy(m);
}

/* ---- while training ---- */

typedef struct saver {
  snug_model *m;
  const char *path;
  int saves;
  snug_status status;
} saver;

static bool save_now(void *user, int64_t batch, const snug_logs *logs) {
  saver *s = user;
  (void)batch;
  (void)logs;
  s->saves++;
  s->status = snug_model_save(s->m, s->path);
  return !s->status;
}

TEST(a_callback_saves) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = state_model(ctx, false);
  snug_model *back = NULL;
  saver s = {m, state_path("in_fit.keras"), 0, SNUG_OK};
  float x[4 * 8 * 8 * 3] = {0.5f};
  int32_t y[4] = {0, 1, 2, 0};
  const snug_array xs = {.data = x, .dtype = SNUG_FLOAT32, .rank = 4, .shape = {4, 8, 8, 3}};
  const snug_array ys = {.data = y, .dtype = SNUG_INT32, .rank = 1, .shape = {4}};
  const snug_data data = {.struct_size = sizeof data, .x = &xs, .n_x = 1, .y = &ys, .n_y = 1};
  const snug_callback callback = {
      .struct_size = sizeof callback, .batch_end = save_now, .user = &s, .failure = &s.status};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = 2;
  o.callbacks = &callback;
  o.n_callbacks = 1;
  ASSERT_OK(ctx, state_compile(m, "adam"));
  ASSERT_OK(ctx, snug_fit(m, &data, &o, NULL));
  ASSERT_EQ_INT(s.saves, 2);
  ASSERT_OK(ctx, snug_model_load(ctx, s.path, NULL, &back));
  state_assert_same(m, back); /* the last one was saved behind the last step */
  snug_model_destroy(back);
  snug_model_destroy(m);
}

/* ---- memory ---- */

/* With the planned bytes as the limit, a fit saves after every step. */
TEST(saves_while_training_are_planned) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = state_model(ctx, true);
  snug_plan *plan = NULL;
  snug_memory_report report = SNUG_INIT(snug_memory_report);
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  static float x[8 * 8 * 8 * 3];
  static int32_t y[8];
  const snug_array xs = {.data = x, .dtype = SNUG_FLOAT32, .rank = 4, .shape = {8, 8, 8, 3}};
  const snug_array ys = {.data = y, .dtype = SNUG_INT32, .rank = 1, .shape = {8}};
  const snug_data data = {.struct_size = sizeof data, .x = &xs, .n_x = 1, .y = &ys, .n_y = 1};
  const snug_callback_target target = {.struct_size = sizeof target,
                                       .path = state_path("checkpoint.keras")};
  snug_callback callback = SNUG_INIT(snug_callback);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = 4;
  o.callbacks = &callback;
  o.n_callbacks = 1;
  ASSERT_OK(ctx, state_compile(m, "adam(use_ema=true, amsgrad=true)"));
  ASSERT_OK(ctx, snug_callback_create(m, "ModelCheckpoint", "save_freq=1", &target, &callback));
  ASSERT_OK(ctx, snug_plan_fit(m, &data, &o, &plan));
  snug_plan_memory(plan, &report);
  snug_plan_destroy(plan);
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, report.planned));
  snug_memory_reset_peak(ctx);
  ASSERT_OK(ctx, snug_fit(m, &data, &o, NULL));
  snug_memory_get(ctx, &info);
  ASSERT_EQ_UINT(info.peak, report.planned);
  snug_callback_destroy(&callback);
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, 0));
  snug_model *back = NULL;
  ASSERT_OK(ctx, snug_model_load(ctx, target.path, NULL, &back));
  snug_model_destroy(back);
  snug_model_destroy(m);
}

TEST(memory_is_that_of_the_largest_weight) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_memory_info before = SNUG_INIT(snug_memory_info), after = SNUG_INIT(snug_memory_info);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_tensor x = snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){512}, 1);
  for (int i = 0; i < 6; i++) {
    x = snug_model_layer(m, "Dense", "units=512", &x, 1);
  }
  ASSERT_OK(ctx, state_compile(m, "SGD"));
  const uint64_t largest = 512 * 512 * 4;
  snug_memory_get(ctx, &before);
  snug_memory_reset_peak(ctx);
  ASSERT_OK(ctx, snug_model_save(m, state_path("large.keras")));
  snug_memory_get(ctx, &after);
  ASSERT_TRUE(after.peak <= before.current + largest + (256 << 10));
  snug_memory_reset_peak(ctx);
  ASSERT_OK(ctx, snug_model_load_weights(m, state_path("large.keras")));
  snug_memory_get(ctx, &after);
  ASSERT_TRUE(after.peak <= before.current + largest + (256 << 10));
  snug_model_destroy(m);
}
