#include "model/loss.h"

#include <math.h>
#include <string.h>

#include "grad/grad.h"
#include "lib/interpret.h"
#include "lib/test.h"
#include "model/train_cases.h"
#include "ops/loss.h"
#include "ops/softmax.h"

/* A graph of one batch: labels, predictions, weights. */
typedef struct batch {
  snug_ctx *ctx;
  snug__variables variables;
  snug__build b;
  snug__id t, y, w;
  test_interpreter run;
} batch;

static void open_batch(batch *x, const batch_case *c) {
  x->ctx = test_ctx();
  snug__variables_init(&x->variables, x->ctx);
  ASSERT_OK(x->ctx, snug__build_open(&x->b, x->ctx, &x->variables, true, SNUG_FLOAT32));
  test_interpret_init(&x->run, x->b.g);
  ASSERT_OK(x->ctx, snug__graph_input(x->b.g, "t", case_type_of(&c->t_type), &x->t));
  ASSERT_OK(x->ctx, snug__graph_input(x->b.g, "y", case_type_of(&c->y_type), &x->y));
  x->w = SNUG_NONE;
  if (c->w) {
    ASSERT_OK(x->ctx, snug__graph_input(x->b.g, "w", case_type_of(&c->w_type), &x->w));
  }
}

static void fill(batch *x, snug__id id, const double *values) {
  for (int64_t i = 0; id != SNUG_NONE && i < snug__type_count(snug__type_at(x->b.g, id)); i++) {
    test_interpret_set(&x->run, id, i, values[i]);
  }
}

static void close_batch(batch *x) {
  test_interpret_release(&x->run);
  snug__build_close(&x->b);
  snug__variables_release(&x->variables);
  test_ctx_end(x->ctx);
}

static void expect_near(const batch_case *c, const char *what, double got, double want) {
  if (!(fabs(got - want) <= 2e-6 * fmax(1.0, fabs(want)))) {
    test_fail(__FILE__, __LINE__, "%s%s: %s is %.9g, Keras %.9g", c->text,
              c->w ? " with weights" : "", what, got, want);
  }
}

TEST(equals_keras) {
  for (const batch_case *c = loss_cases; c->text; c++) {
    batch x;
    snug__loss l;
    snug__id loss = SNUG_NONE;
    snug__id dy = SNUG_NONE;
    open_batch(&x, c);
    ASSERT_OK(x.ctx, snug__loss_parse(x.ctx, c->text, &l));
    ASSERT_OK(x.ctx, snug__loss_emit(&x.b, &l, x.t, x.y, x.w, SNUG_NONE, &loss));
    ASSERT_OK(x.ctx, snug__grad_append(x.b.g, loss, &x.y, 1, &dy));
    fill(&x, x.t, c->t);
    fill(&x, x.y, c->y);
    fill(&x, x.w, c->w);
    ASSERT_OK(x.ctx, test_interpret_run(&x.run));
    expect_near(c, "the loss", test_interpret_get(&x.run, loss, 0), c->value);
    for (int64_t i = 0; i < snug__type_count(snug__type_at(x.b.g, x.y)); i++) {
      expect_near(c, "a gradient", test_interpret_get(&x.run, dy, i), c->gradient[i]);
    }
    close_batch(&x);
  }
}

/* The loss of `text` after an activation over logits of +-30, where clipping would show. */
static double after_activation(const char *text, bool sigmoid) {
  static const double t[] = {1, 0, 0, 1};
  static const double y[] = {-30, 30, 30, -30};
  batch_case c = {.t_type = {SNUG_FLOAT32, 2, {2, 2}}, .y_type = {SNUG_FLOAT32, 2, {2, 2}}};
  snug__softmax_params axis = {-1};
  batch x;
  snug__loss l;
  snug__id p = SNUG_NONE;
  snug__id loss = SNUG_NONE;
  open_batch(&x, &c);
  ASSERT_OK(x.ctx, snug__loss_parse(x.ctx, text, &l));
  ASSERT_OK(x.ctx, sigmoid ? SNUG_EMIT(x.b.g, sigmoid, NULL, &p, x.y)
                           : SNUG_EMIT(x.b.g, softmax, &axis, &p, x.y));
  ASSERT_OK(x.ctx, snug__loss_emit(&x.b, &l, x.t, p, SNUG_NONE, SNUG_NONE, &loss));
  fill(&x, x.t, t);
  fill(&x, x.y, y);
  ASSERT_OK(x.ctx, test_interpret_run(&x.run));
  double value = test_interpret_get(&x.run, loss, 0);
  close_batch(&x);
  return value;
}

TEST(logits_behind_an_activation_are_used) {
  ASSERT_NEAR(after_activation("categorical_crossentropy", false), 60.0, 1e-4);
  ASSERT_NEAR(after_activation("bce", true), 30.0, 1e-4);
  ASSERT_NEAR(after_activation("categorical_crossentropy", true), 16.118096, 1e-4);
  ASSERT_NEAR(after_activation("crossentropy", false), 60.0, 1e-4);
}

TEST(target_of_a_prediction) {
  snug_ctx *ctx = test_ctx();
  snug__type y = snug__type_of(SNUG_FLOAT32, 3, (int64_t[]){2, 5, 3});
  snug__type one = snug__type_of(SNUG_FLOAT32, 2, (int64_t[]){2, 1});
  snug__type t;
  snug__loss l;
  char text[SNUG__TYPE_TEXT_BYTES];
  ASSERT_OK(ctx, snug__loss_parse(ctx, "SparseCategoricalCrossentropy", &l));
  ASSERT_OK(ctx, snug__loss_target(ctx, &l, &y, &t));
  ASSERT_EQ_TEXT(snug__type_text(&t, text), "int32[2,5]");
  ASSERT_OK(ctx, snug__loss_parse(ctx, "MSE", &l));
  ASSERT_OK(ctx, snug__loss_target(ctx, &l, &y, &t));
  ASSERT_EQ_TEXT(snug__type_text(&t, text), "float32[2,5,3]");
  ASSERT_OK(ctx, snug__loss_parse(ctx, "crossentropy", &l));
  ASSERT_OK(ctx, snug__loss_target(ctx, &l, &one, &t));
  ASSERT_EQ_TEXT(snug__type_text(&t, text), "float32[2,1]");
  t = snug__scalar(SNUG_FLOAT32);
  ASSERT_STATUS(ctx, snug__loss_target(ctx, &l, &t, &t), SNUG_E_SHAPE, "must have an axis");
}

TEST(names_what_is_known) {
  snug_ctx *ctx = test_ctx();
  snug__loss l;
  ASSERT_STATUS(ctx, snug__loss_parse(ctx, "mean_error", &l), SNUG_E_ARGUMENT,
                "there is no loss 'mean_error'; known: sparse_categorical_crossentropy");
  ASSERT_STATUS(ctx, snug__loss_parse(ctx, "", &l), SNUG_E_ARGUMENT, "there is no loss ''");
  ASSERT_STATUS(ctx, snug__loss_parse(ctx, "mse(delta=1)", &l), SNUG_E_ARGUMENT, "reduction");
  ASSERT_STATUS(ctx, snug__loss_parse(ctx, "mse(reduction=most)", &l), SNUG_E_ARGUMENT,
                "sum_over_batch_size");
  ASSERT_STATUS(ctx, snug__loss_parse(ctx, "bce(label_smoothing=2)", &l), SNUG_E_ARGUMENT,
                "label_smoothing");
  ASSERT_STATUS(ctx, snug__loss_parse(ctx, "bce(axis=1)", &l), SNUG_E_UNSUPPORTED, "last axis");
}

static void add_weight(batch *x, double l1, double l2, snug__id *out) {
  snug__variable w = {.name = "w",
                      .layer = "",
                      .type = snug__type_of(SNUG_FLOAT32, 1, (int64_t[]){2}),
                      .kind = SNUG__WEIGHT,
                      .class_ = SNUG__CLASS_WEIGHTS,
                      .trainable = true,
                      .regularizer = {l1, l2}};
  ASSERT_OK(x->ctx, snug__variables_add(&x->variables, &w, out));
}

TEST(regularizer_is_a_term) {
  batch_case c = {.t_type = {SNUG_FLOAT32, 1, {1}}, .y_type = {SNUG_FLOAT32, 1, {1}}};
  batch x;
  snug__id w = SNUG_NONE;
  snug__id term = SNUG_NONE;
  snug__id value = SNUG_NONE;
  open_batch(&x, &c);
  add_weight(&x, 0.5, 0.25, &w);
  ASSERT_OK(x.ctx, snug__regularizer_emit(&x.b, w, &term));
  ASSERT_OK(x.ctx, snug__build_variable(&x.b, w, &value));
  fill(&x, value, (const double[]){-1, 2});
  ASSERT_OK(x.ctx, test_interpret_run(&x.run));
  ASSERT_NEAR(test_interpret_get(&x.run, term, 0), 2.75, 1e-6);
  snug__variable_at(&x.variables, w)->regularizer = (snug__regularizer){0.0, 0.0};
  ASSERT_OK(x.ctx, snug__regularizer_emit(&x.b, w, &term));
  ASSERT_EQ_UINT(term, SNUG_NONE);
  close_batch(&x);
}
