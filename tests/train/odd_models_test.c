/* Models at the edges of what a plan must get right: outputs that are inputs, views, or each other;
 * values that are outputs and read in place; nothing to train; several inputs; all dtypes.  Each is
 * trained under plans that differ as much as they can, dead values poisoned, and must give the same
 * bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/type.h"
#include "model/model.h"
#include "train/data.h"
#include "train/fit.h"

enum {
  ROWS = 7,
  BATCH = 3,
  SIDE = 4,
  MAX_ARRAYS = 3,
  MAX_ELEMENTS = ROWS * 64,
  MAX_BYTES = 1 << 16
};

typedef void build_function(snug_model *m);

typedef struct odd_model {
  const char *name;
  build_function *build;
  snug_dtype dtype;
} odd_model;

/* ---- the models ---- */

static snug_tensor vector(snug_model *m, const char *name) {
  return snug_model_input(m, name, m->real, (const int64_t[]){SIDE}, 1);
}

static snug_tensor image(snug_model *m) {
  return snug_model_input(m, "image", m->real, (const int64_t[]){SIDE, SIDE, 1}, 3);
}

static snug_tensor layer(snug_model *m, const char *class_name, const char *config, snug_tensor x) {
  return snug_model_layer(m, class_name, config, &x, 1);
}

static snug_tensor join(snug_model *m, const char *class_name, snug_tensor a, snug_tensor b) {
  return snug_model_layer(m, class_name, NULL, (const snug_tensor[]){a, b}, 2);
}

static void set_outputs(snug_model *m, snug_tensor a, snug_tensor b) {
  snug_status s = snug_model_outputs(m, (const snug_tensor[]){a, b}, b == SNUG_NO_TENSOR ? 1 : 2);
  ASSERT_EQ_INT(s, SNUG_OK);
}

static void identity(snug_model *m) { set_outputs(m, vector(m, "x"), SNUG_NO_TENSOR); }
static void input_as_view(snug_model *m) { layer(m, "Flatten", NULL, image(m)); }
static void no_weights(snug_model *m) { layer(m, "ReLU", NULL, vector(m, "x")); }

static void flatten_last(snug_model *m) {
  layer(m, "Flatten", NULL, layer(m, "Conv2D", "filters=2 kernel_size=3", image(m)));
}

static void the_same_twice(snug_model *m) {
  snug_tensor d = layer(m, "Dense", "units=3 activation=tanh", vector(m, "x"));
  set_outputs(m, d, d);
}

static void input_beside_dense(snug_model *m) {
  snug_tensor x = vector(m, "x");
  set_outputs(m, x, layer(m, "Dense", "units=4", x));
}

static void view_beside_its_base(snug_model *m) {
  snug_tensor c = layer(m, "Conv2D", "filters=2 kernel_size=3", image(m));
  set_outputs(m, c, layer(m, "Flatten", NULL, c));
}

static void relu_of_an_output(snug_model *m) {
  snug_tensor d = layer(m, "Dense", "units=4", vector(m, "x"));
  set_outputs(m, d, layer(m, "ReLU", NULL, d));
}

static void relu_of_a_view_of_an_output(snug_model *m) {
  snug_tensor c = layer(m, "Conv2D", "filters=2 kernel_size=3", image(m));
  set_outputs(m, c, layer(m, "ReLU", NULL, layer(m, "Flatten", NULL, c)));
}

static void relu_of_an_input_output(snug_model *m) {
  snug_tensor x = vector(m, "x");
  set_outputs(m, x, layer(m, "ReLU", NULL, x));
}

static void dead_branch(snug_model *m) {
  snug_tensor x = vector(m, "x");
  layer(m, "Dense", "units=5 name=unused", x);
  set_outputs(m, layer(m, "Dense", "units=3", x), SNUG_NO_TENSOR);
}

static void two_inputs(snug_model *m) {
  snug_tensor a = vector(m, "a");
  snug_tensor b = vector(m, "b");
  layer(m, "Dense", "units=3 activation=sigmoid", join(m, "Concatenate", a, b));
}

static void integers_beside_floats(snug_model *m) {
  snug_tensor words = snug_model_input(m, "words", SNUG_INT32, (const int64_t[]){2}, 1);
  snug_tensor x = vector(m, "x");
  snug_tensor e =
      layer(m, "Flatten", NULL, layer(m, "Embedding", "input_dim=5 output_dim=3", words));
  layer(m, "Dense", "units=2", join(m, "Concatenate", e, x));
}

static void added_to_itself(snug_model *m) {
  snug_tensor d = layer(m, "Dense", "units=4 activation=relu", vector(m, "x"));
  snug_tensor sum = join(m, "Add", d, d);
  layer(m, "Dense", "units=2", join(m, "Concatenate", sum, sum));
}

static void called_twice(snug_model *m) {
  snug_tensor x = vector(m, "x");
  snug_tensor once = layer(m, "Dense", "units=4 activation=tanh name=shared", x);
  snug_tensor twice = snug_model_again(m, "shared", &once, 1);
  set_outputs(m, once, twice);
}

static void dropout_last(snug_model *m) {
  layer(m, "Dropout", "rate=0.5", layer(m, "Dense", "units=4", vector(m, "x")));
}

static void only_dropout(snug_model *m) { layer(m, "Dropout", "rate=0.5", vector(m, "x")); }

static void normalized(snug_model *m) {
  snug_tensor n = layer(m, "BatchNormalization", NULL, vector(m, "x"));
  layer(m, "Dense", "units=3 activation=softmax", n);
}

static const odd_model models[] = {{"identity", identity, 0},
                                   {"input_as_view", input_as_view, 0},
                                   {"no_weights", no_weights, 0},
                                   {"flatten_last", flatten_last, 0},
                                   {"the_same_twice", the_same_twice, 0},
                                   {"input_beside_dense", input_beside_dense, 0},
                                   {"view_beside_its_base", view_beside_its_base, 0},
                                   {"relu_of_an_output", relu_of_an_output, 0},
                                   {"relu_of_a_view_of_an_output", relu_of_a_view_of_an_output, 0},
                                   {"relu_of_an_input_output", relu_of_an_input_output, 0},
                                   {"dead_branch", dead_branch, 0},
                                   {"two_inputs", two_inputs, 0},
                                   {"integers_beside_floats", integers_beside_floats, 0},
                                   {"added_to_itself", added_to_itself, 0},
                                   {"called_twice", called_twice, 0},
                                   {"dropout_last", dropout_last, 0},
                                   {"only_dropout", only_dropout, 0},
                                   {"normalized", normalized, 0},
                                   {"normalized", normalized, SNUG_FLOAT64},
                                   {"normalized", normalized, SNUG_FLOAT16},
                                   {"normalized", normalized, SNUG_BFLOAT16},
                                   {"flatten_last", flatten_last, SNUG_FLOAT64},
                                   {"flatten_last", flatten_last, SNUG_BFLOAT16}};

/* ---- data of the right shapes ---- */

typedef struct odd_data {
  float x[MAX_ARRAYS][MAX_ELEMENTS], y[MAX_ARRAYS][MAX_ELEMENTS];
  snug_array x_array[MAX_ARRAYS], y_array[MAX_ARRAYS];
  snug_data data;
} odd_data;

static snug_array make_array(const snug_model *m, snug_tensor t, float *values, bool whole) {
  snug_array a = {.data = values, .dtype = SNUG_FLOAT32, .shape = {ROWS}};
  int64_t n = ROWS;
  int64_t shape[SNUG_MAX_RANK];
  a.rank = snug_model_shape(m, t, shape) + 1;
  for (int32_t i = 1; i < a.rank; i++) {
    a.shape[i] = shape[i - 1];
    n *= shape[i - 1];
  }
  ASSERT_TRUE(n <= MAX_ELEMENTS);
  for (int64_t i = 0; i < n; i++) {
    values[i] = whole ? (float)(i % 5) : (float)((i * 7 + t * 3) % 11) * 0.125f - 0.5f;
  }
  return a;
}

static void make_data(const snug_model *m, odd_data *d) {
  for (size_t i = 0; i < m->inputs.n; i++) {
    snug_tensor t = SNUG_VEC(&m->inputs, snug__model_input, i).tensor;
    bool whole = SNUG_VEC(&m->tensors, snug__model_tensor, t).type.dtype == SNUG_INT32;
    d->x_array[i] = make_array(m, t, d->x[i], whole);
  }
  for (size_t i = 0; i < m->outputs.n; i++) {
    d->y_array[i] = make_array(m, SNUG_VEC(&m->outputs, snug_tensor, i), d->y[i], false);
  }
  d->data = (snug_data){sizeof(snug_data),     d->x_array, (int32_t)m->inputs.n, d->y_array,
                        (int32_t)m->outputs.n, NULL};
}

/* ---- one life of a model ---- */

typedef struct outcome {
  double logs[32];
  size_t n_logs;
  unsigned char bytes[MAX_BYTES]; /* predictions before and after, then the weights */
  size_t n_bytes;
} outcome;

static void keep(outcome *o, const void *data, size_t bytes) {
  ASSERT_TRUE(o->n_bytes + bytes <= sizeof o->bytes);
  memcpy(o->bytes + o->n_bytes, data, bytes);
  o->n_bytes += bytes;
}

static void predict_into(snug_ctx *ctx, snug_model *m, const odd_data *d, outcome *o) {
  static double room[MAX_ARRAYS][MAX_ELEMENTS];
  void *out[] = {room[0], room[1], room[2]};
  memset(room, 0, sizeof room);
  ASSERT_OK(ctx, snug_predict(m, &d->data, BATCH, out, d->data.n_y));
  keep(o, room, sizeof room);
}

static void compile_mse(snug_ctx *ctx, snug_model *m) {
  const char *const loss[] = {"mse"};
  const char *const metrics[] = {"mae"};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = "adam";
  o.loss = loss;
  o.n_loss = 1;
  o.metrics = metrics;
  o.n_metrics = 1;
  ASSERT_OK(ctx, snug_model_compile(m, &o));
}

static void fit_into(snug_ctx *ctx, snug_model *m, const odd_data *d, bool poison, outcome *o) {
  snug_fit_options options = SNUG_INIT(snug_fit_options);
  snug__fit f;
  options.batch_size = BATCH;
  options.epochs = 2;
  options.validation_split = 0.3;
  options.validation_batch_size = 2 * BATCH;
  ASSERT_OK(ctx, snug__fit_open(&f, m, &d->data, &options));
  ASSERT_OK(ctx, snug__session_commit(&f.session));
  for (int i = 0; poison && i < SNUG__SLOT_COUNT; i++) {
    if (f.session.runs[i].program) {
      f.session.runs[i].program->poison = true;
    }
  }
  ASSERT_OK(ctx, snug__fit_run(&f));
  snug_logs logs = snug_history_logs(f.history, 1);
  for (o->n_logs = 0; o->n_logs < logs.n; o->n_logs++) {
    o->logs[o->n_logs] = logs.values[o->n_logs];
  }
  snug__fit_close(&f, SNUG_OK, NULL);
}

static void live(const odd_model *odd, const snug__plan_options *plan, bool poison, outcome *o) {
  static odd_data d;
  snug_ctx *ctx = test_ctx();
  snug_model_options options = {sizeof options, NULL, odd->dtype, 3};
  snug_model *m = NULL;
  memset(o, 0, sizeof *o);
  ASSERT_OK(ctx, snug_model_create(ctx, &options, &m));
  odd->build(m);
  ASSERT_OK(ctx, snug__model_finish(m));
  make_data(m, &d);
  m->plan = plan;
  predict_into(ctx, m, &d, o); /* before compile */
  compile_mse(ctx, m);
  fit_into(ctx, m, &d, poison, o);
  predict_into(ctx, m, &d, o);
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    unsigned char bytes[4096];
    ASSERT_OK(ctx, snug_model_weight_info(m, i, &w));
    ASSERT_TRUE(w.bytes <= sizeof bytes);
    ASSERT_OK(ctx, snug_model_weight_get(m, w.name, bytes, w.bytes));
    keep(o, bytes, w.bytes);
  }
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

static void expect_same(const odd_model *odd, const outcome *a, const snug__plan_options *plan,
                        bool poison, const char *what) {
  static outcome b;
  live(odd, plan, poison, &b);
  if (a->n_bytes != b.n_bytes || memcmp(a->bytes, b.bytes, a->n_bytes) != 0 ||
      a->n_logs != b.n_logs || memcmp(a->logs, b.logs, sizeof a->logs) != 0) {
    test_fail(__FILE__, __LINE__, "%s: other bits with %s", odd->name, what);
  }
}

TEST(odd_models_train_alike_under_all_plans) {
  static const snug__plan_options reversed = {SNUG__ORDER_REVERSED, false, false};
  static const snug__plan_options apart = {SNUG__ORDER_CREATION, true, true};
  static outcome a;
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    live(&models[i], NULL, false, &a);
    for (size_t k = 0; k < a.n_logs; k++) {
      if (!isfinite(a.logs[k])) {
        test_fail(__FILE__, __LINE__, "%s: log %zu is %g", models[i].name, k, a.logs[k]);
      }
    }
    expect_same(&models[i], &a, NULL, true, "dead values poisoned");
    expect_same(&models[i], &a, &reversed, true, "the reversed order, poisoned");
    expect_same(&models[i], &a, &apart, false, "nothing shared");
  }
}

/* ---- models at random ---- */

static uint64_t random_state; /* of the model in the making: each of its lives is built alike */

static int32_t below(int32_t n) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int32_t)((random_state >> 33) % (uint64_t)n);
}

static snug_tensor next_tensor(snug_model *m, const snug_tensor *known, int32_t n, int32_t step) {
  static const char *const joins[] = {"Add", "Subtract", "Multiply", "Maximum", "Average"};
  static const char *const maps[][2] = {
      {"ReLU", NULL},           {"Activation", "activation=tanh"},   {"Softmax", NULL},
      {"Dropout", "rate=0.25"}, {"BatchNormalization", NULL},        {"LayerNormalization", NULL},
      {"Dense", "units=4"},     {"Dense", "units=4 activation=relu"}};
  snug_tensor a = known[below(n)];
  snug_tensor b = known[below(n)];
  switch (below(5)) {
    case 0:
      return join(m, joins[below(5)], a, b);
    case 1:
      return layer(m, "Dense", "units=4", join(m, "Concatenate", a, b));
    case 2:
      return layer(m, "Flatten", NULL, layer(m, "Reshape", "target_shape=[2,2]", a));
    case 3:
      return step ? snug_model_again(m, "first", &a, 1) : a;
    default: {
      const char *const *map = maps[below(8)];
      return layer(m, map[0], map[1], a);
    }
  }
}

static void at_random(snug_model *m) {
  snug_tensor known[16] = {vector(m, "x")};
  int32_t n = 2;
  known[1] = layer(m, "Dense", "units=4 activation=sigmoid name=first", known[0]);
  for (; n < 12; n++) {
    known[n] = next_tensor(m, known, n, n - 1);
  }
  snug_tensor out[MAX_ARRAYS];
  int32_t n_out = 1 + below(MAX_ARRAYS);
  for (int32_t i = 0; i < n_out; i++) {
    out[i] = known[n - 1 - below(i ? n : 4)];
  }
  ASSERT_EQ_INT(snug_model_outputs(m, out, n_out), SNUG_OK);
}

TEST(models_at_random_train_alike_under_all_plans) {
  static const snug__plan_options reversed = {SNUG__ORDER_REVERSED, false, false};
  static const snug__plan_options apart = {SNUG__ORDER_CREATION, true, true};
  static outcome a;
  for (int i = 0; i < 60; i++) {
    const odd_model odd = {"at random", at_random, i % 4 == 3 ? SNUG_FLOAT64 : 0};
    uint64_t seed = test_random_u64();
    random_state = seed;
    live(&odd, &apart, false, &a);
    random_state = seed;
    expect_same(&odd, &a, NULL, true, "dead values poisoned");
    random_state = seed;
    expect_same(&odd, &a, &reversed, true, "the reversed order, poisoned");
  }
}

/* ---- what no output needs ---- */

/* A model with its output in the middle: what comes behind it is not part of any step. */
TEST(what_no_output_needs_costs_nothing) {
  static odd_data d;
  float mean[SIDE];
  double values[2][2];
  uint64_t step[2];
  for (int behind = 0; behind < 2; behind++) {
    snug_ctx *ctx = test_ctx();
    snug_model *m = NULL;
    snug_history *h = NULL;
    snug_memory_report r = SNUG_INIT(snug_memory_report);
    ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
    snug_tensor out = layer(m, "Dense", "units=4", vector(m, "x"));
    if (behind) {
      snug_tensor wide = layer(m, "Dense", "units=64 kernel_regularizer=\"l2(0.5)\"", out);
      layer(m, "Dense", "units=4", wide);
      layer(m, "BatchNormalization", "name=norm", out);
    }
    set_outputs(m, out, SNUG_NO_TENSOR);
    make_data(m, &d);
    compile_mse(ctx, m);
    ASSERT_OK(ctx, snug_fit(m, &d.data, NULL, &h));
    ASSERT_OK(ctx, snug_evaluate(m, &d.data, 0, values[behind], 2));
    snug_history_memory(h, &r);
    step[behind] = r.block;
    if (behind) {
      ASSERT_OK(ctx, snug_model_weight_get(m, "norm/moving_mean", mean, sizeof mean));
      ASSERT_TRUE(mean[0] == 0.0f && mean[3] == 0.0f);
    }
    snug_history_destroy(h);
    snug_model_destroy(m);
    test_ctx_end(ctx);
  }
  ASSERT_EQ_UINT(step[1], step[0]);
  ASSERT_TRUE(values[1][0] == values[0][0] && values[1][1] == values[0][1]);
}

/* ---- what the predictions are ---- */

TEST(an_identity_model_predicts_its_input) {
  static odd_data d;
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  float out[ROWS * SIDE];
  void *outs[] = {out};
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  identity(m);
  make_data(m, &d);
  ASSERT_OK(ctx, snug_predict(m, &d.data, BATCH, outs, 1));
  ASSERT_EQ_BYTES(out, d.x[0], sizeof out);
  snug_model_destroy(m);
}

TEST(an_output_and_its_relu_are_both_right) {
  static odd_data d;
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  float sum[ROWS * SIDE], relu[ROWS * SIDE];
  void *outs[] = {sum, relu};
  size_t negative = 0;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  relu_of_an_output(m);
  make_data(m, &d);
  ASSERT_OK(ctx, snug_predict(m, &d.data, BATCH, outs, 2));
  for (int i = 0; i < ROWS * SIDE; i++) {
    negative += sum[i] < 0.0f;
    ASSERT_TRUE(relu[i] == (sum[i] > 0.0f ? sum[i] : 0.0f));
  }
  ASSERT_TRUE(negative > 0);
  snug_model_destroy(m);
}
