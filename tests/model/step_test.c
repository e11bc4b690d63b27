/* A whole training step (loss, penalty, gradients, updates, metrics) under several plans: whatever
 * the order in which nodes run and however they share memory, no bit of the variables changes. */
#include <stdlib.h>
#include <string.h>

#include "device/cpu/cpu.h"
#include "exec/program.h"
#include "grad/grad.h"
#include "lib/test.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "ops/matmul.h"
#include "ops/softmax.h"
#include "ops/support.h"

enum { BATCH = 4, WIDTH = 5, HIDDEN = 6, CLASSES = 3, STEPS = 5 };

typedef struct training {
  snug_ctx *ctx;
  snug__variables variables;
  snug__build b;
  snug__id x, t, w[2], dw[2];
} training;

static void add_weight(training *n, int i, int64_t rows, int64_t columns) {
  const int64_t shape[] = {rows, columns};
  snug__variable v = {
      .name = i ? "b" : "a",
      .layer = "",
      .type = snug__type_of(SNUG_FLOAT32, 2, shape),
      .kind = SNUG__WEIGHT,
      .class_ = SNUG__CLASS_WEIGHTS,
      .trainable = true,
      .regularizer = {0.01, i ? 0.0 : 0.1},
      .constraint = {.kind = SNUG__CONSTRAINT_MAX_NORM, .max_value = 0.8, .axes = {1, {0}}}};
  ASSERT_OK(n->ctx, snug__variables_add(&n->variables, &v, &n->w[i]));
}

/* softmax(tanh(x a) b) against classes; the penalties of both weights are part of the loss. */
static void emit_forward(training *n, snug__id *y, snug__id *loss) {
  snug__matmul_params plain = {false, false};
  snug__softmax_params last = {-1};
  snug__loss l;
  snug__id h = n->x;
  for (int i = 0; i < 2; i++) {
    snug__id w = SNUG_NONE;
    ASSERT_OK(n->ctx, snug__build_variable(&n->b, n->w[i], &w));
    ASSERT_OK(n->ctx, SNUG_EMIT(n->b.g, matmul, &plain, &h, h, w));
    ASSERT_OK(n->ctx,
              i ? SNUG_EMIT(n->b.g, softmax, &last, y, h) : SNUG_EMIT(n->b.g, tanh, NULL, &h, h));
  }
  ASSERT_OK(n->ctx, snug__loss_parse(n->ctx, "sparse_categorical_crossentropy", &l));
  ASSERT_OK(n->ctx, snug__loss_emit(&n->b, &l, n->t, *y, SNUG_NONE, SNUG_NONE, loss));
  for (int i = 0; i < 2; i++) {
    snug__id term = SNUG_NONE;
    ASSERT_OK(n->ctx, snug__regularizer_emit(&n->b, n->w[i], &term));
    ASSERT_OK(n->ctx, SNUG_EMIT(n->b.g, add, NULL, loss, *loss, term));
  }
}

static void emit_metrics(training *n, snug__id y, snug__id loss) {
  static const char *const texts[] = {"accuracy", "SparseTopKCategoricalAccuracy(k=2)"};
  for (size_t i = 0; i < SNUG_COUNT(texts); i++) {
    snug__metric m;
    ASSERT_OK(n->ctx, snug__metric_parse(n->ctx, texts[i], &m));
    ASSERT_OK(n->ctx, snug__metric_emit(&n->b, &m, m.name, n->t, y, SNUG_NONE, SNUG_NONE));
  }
  ASSERT_OK(n->ctx, snug__metric_track(&n->b, "loss", loss, SNUG_NONE, BATCH));
}

static void build(training *n, const char *optimizer) {
  const int64_t x[] = {BATCH, WIDTH};
  const int64_t t[] = {BATCH};
  snug__optimizer o;
  snug__id y = SNUG_NONE;
  snug__id loss = SNUG_NONE;
  snug__id scaled = SNUG_NONE;
  snug__id w[2];
  n->ctx = test_ctx();
  snug__variables_init(&n->variables, n->ctx);
  ASSERT_OK(n->ctx, snug__build_open(&n->b, n->ctx, &n->variables, true, SNUG_FLOAT32));
  add_weight(n, 0, WIDTH, HIDDEN);
  add_weight(n, 1, HIDDEN, CLASSES);
  ASSERT_OK(n->ctx, snug__graph_input(n->b.g, "x", snug__type_of(SNUG_FLOAT32, 2, x), &n->x));
  ASSERT_OK(n->ctx, snug__graph_input(n->b.g, "t", snug__type_of(SNUG_INT32, 1, t), &n->t));
  emit_forward(n, &y, &loss);
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(n->ctx, snug__build_variable(&n->b, n->w[i], &w[i]));
  }
  ASSERT_OK(n->ctx, snug__optimizer_parse(n->ctx, optimizer, &o));
  ASSERT_OK(n->ctx, snug__optimizer_scale_loss(&n->b, &o, loss, &scaled));
  ASSERT_OK(n->ctx, snug__grad_append(n->b.g, scaled, w, 2, n->dw));
  ASSERT_OK(n->ctx, snug__optimizer_emit(&n->b, &o, n->w, n->dw, 2));
  emit_metrics(n, y, loss);
  ASSERT_OK(n->ctx, snug__graph_verify(n->b.g));
}

static void start_variables(training *n) {
  for (snug__id i = 0; i < n->variables.list.n; i++) {
    snug__variable *v = snug__variable_at(&n->variables, i);
    v->place = snug__place_of_pointer(malloc((size_t)snug__type_bytes(&v->type)));
    ASSERT_TRUE(snug__place_is_set(v->place));
    for (int64_t k = 0; k < snug__type_count(&v->type); k++) {
      double start = v->kind == SNUG__STATE ? v->initial.a : 0.05 * (double)(k * 7 % 11) - 0.2;
      snug__element_set(v->type.dtype, snug__place_pointer(v->place), k, start);
    }
  }
}

static snug__place locate(void *arg, snug__id variable) {
  return snug__variable_at(arg, variable)->place;
}

static void run_steps(training *n, snug__program *p) {
  for (int step = 0; step < STEPS; step++) {
    float *x = snug__program_data(p, n->x);
    int32_t *t = snug__program_data(p, n->t);
    for (int i = 0; i < BATCH * WIDTH; i++) {
      x[i] = 0.1f * (float)((i * 5 + step * 3) % 13) - 0.5f;
    }
    for (int i = 0; i < BATCH; i++) {
      t[i] = (i + step) % CLASSES;
    }
    ASSERT_OK(n->ctx, snug__program_run(p));
  }
}

/* All variables after the steps, one after the other. */
static void train(const char *optimizer, const snug__plan_options *plan, char *out, size_t room,
                  size_t *bytes) {
  training n;
  snug__program *p = NULL;
  snug__block block;
  build(&n, optimizer);
  ASSERT_OK(n.ctx, snug__program_create(n.b.g, &snug__cpu, plan, &p));
  n.b.g = NULL; /* the program's now */
  start_variables(&n);
  ASSERT_OK(n.ctx, snug__block_take(&n.ctx->queue, snug__program_height(p), &block));
  p->poison = true;
  ASSERT_OK(n.ctx, snug__program_bind(p, &(snug__bound){.block = block.at}, locate, &n.variables));
  run_steps(&n, p);
  *bytes = 0;
  for (snug__id i = 0; i < n.variables.list.n; i++) {
    snug__variable *v = snug__variable_at(&n.variables, i);
    size_t size = (size_t)snug__type_bytes(&v->type);
    ASSERT_TRUE(*bytes + size <= room);
    memcpy(out + *bytes, snug__place_pointer(v->place), size);
    *bytes += size;
    free(snug__place_pointer(v->place));
  }
  snug__block_give(&n.ctx->queue, &block);
  snug__program_destroy(p);
  snug__build_close(&n.b);
  snug__variables_release(&n.variables);
  test_ctx_end(n.ctx);
}

TEST(plans_change_no_bit) {
  static const char *const optimizers[] = {
      "sgd(learning_rate=0.1)", "adam(learning_rate=0.1, use_ema=true, ema_overwrite_frequency=2)",
      "nadam(learning_rate=0.1, global_clipnorm=0.1, gradient_accumulation_steps=2)",
      "rmsprop(learning_rate=0.1, centered=true, clipnorm=0.1, use_ema=true)"};
  static const snug__plan_options plans[] = {{SNUG__ORDER_PEAK, false, false},
                                             {SNUG__ORDER_CREATION, false, false},
                                             {SNUG__ORDER_REVERSED, false, false},
                                             {SNUG__ORDER_REVERSED, true, true}};
  static char first[8192], other[8192];
  for (size_t o = 0; o < SNUG_COUNT(optimizers); o++) {
    size_t n = 0;
    size_t m = 0;
    train(optimizers[o], &plans[3], first, sizeof first, &n);
    for (size_t i = 0; i < SNUG_COUNT(plans); i++) {
      train(optimizers[o], &plans[i], other, sizeof other, &m);
      ASSERT_EQ_UINT(n, m);
      ASSERT_EQ_BYTES(first, other, n);
    }
  }
}

/* A power of two changes exponents only. */
TEST(loss_scale_changes_no_bit) {
  static char plain[8192], scaled[8192];
  size_t n = 0;
  size_t m = 0;
  train("adam(learning_rate=0.1)", NULL, plain, sizeof plain, &n);
  train("adam(learning_rate=0.1, loss_scale_factor=1024)", NULL, scaled, sizeof scaled, &m);
  ASSERT_EQ_UINT(n, m);
  ASSERT_EQ_BYTES(plain, scaled, n);
}
