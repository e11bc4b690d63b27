#include "model/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interpret.h"
#include "lib/test.h"
#include "model/train_cases.h"

typedef struct batch {
  snug_ctx *ctx;
  snug__variables variables;
  snug__build b;
  test_interpreter run;
} batch;

static void open_batch(batch *x) {
  x->ctx = test_ctx();
  snug__variables_init(&x->variables, x->ctx);
  ASSERT_OK(x->ctx, snug__build_open(&x->b, x->ctx, &x->variables, false, SNUG_FLOAT32));
  test_interpret_init(&x->run, x->b.g);
}

static void close_batch(batch *x) {
  test_interpret_release(&x->run);
  snug__build_close(&x->b);
  snug__variables_release(&x->variables);
  test_ctx_end(x->ctx);
}

static snug__id add_input(batch *x, const case_type *type, const double *values) {
  snug__id id = SNUG_NONE;
  if (values) {
    ASSERT_OK(x->ctx, snug__graph_input(x->b.g, "x", case_type_of(type), &id));
    for (int64_t i = 0; i < snug__type_count(snug__type_at(x->b.g, id)); i++) {
      test_interpret_set(&x->run, id, i, values[i]);
    }
  }
  return id;
}

/* Give every variable of the graph the memory in which the interpreter keeps it. */
static void bind(batch *x) {
  for (snug__id id = 0; id < x->b.g->values.n; id++) {
    const snug__value *v = snug__value_at(x->b.g, id);
    if (v->variable != SNUG_NONE) {
      snug__variable_at(&x->variables, v->variable)->place =
          snug__place_of_pointer(test_interpret_data(&x->run, id));
    }
  }
}

static double result_of(batch *x, const snug__metric *m, int batches) {
  double result = NAN;
  bind(x);
  snug__metrics_reset(&x->variables);
  for (int i = 0; i < batches; i++) {
    ASSERT_OK(x->ctx, test_interpret_run(&x->run));
  }
  ASSERT_OK(x->ctx, snug__metric_result(m, &x->variables, "m", &result));
  return result;
}

TEST(equals_keras) {
  for (const batch_case *c = metric_cases; c->text; c++) {
    batch x;
    snug__metric m;
    open_batch(&x);
    ASSERT_OK(x.ctx, snug__metric_parse(x.ctx, c->text, &m));
    snug__id t = add_input(&x, &c->t_type, c->t);
    snug__id y = add_input(&x, &c->y_type, c->y);
    snug__id w = add_input(&x, &c->w_type, c->w);
    ASSERT_OK(x.ctx, snug__metric_emit(&x.b, &m, "m", t, y, w, SNUG_NONE));
    double got = result_of(&x, &m, 2);
    if (!(fabs(got - c->value) <= 2e-6 * fmax(1.0, fabs(c->value)))) {
      test_fail(__FILE__, __LINE__, "%s%s: %.9g, Keras %.9g", c->text, c->w ? " with weights" : "",
                got, c->value);
    }
    close_batch(&x);
  }
}

/* The accuracy that "accuracy" becomes for labels and predictions of these types. */
static double accuracy(const case_type *tt, const double *t, const case_type *ty, const double *y) {
  batch x;
  snug__metric m;
  open_batch(&x);
  ASSERT_OK(x.ctx, snug__metric_parse(x.ctx, "acc", &m));
  ASSERT_EQ_TEXT(m.name, "acc");
  ASSERT_OK(x.ctx, snug__metric_emit(&x.b, &m, "m", add_input(&x, tt, t), add_input(&x, ty, y),
                                     SNUG_NONE, SNUG_NONE));
  double got = result_of(&x, &m, 1);
  close_batch(&x);
  return got;
}

TEST(accuracy_is_chosen_by_shapes) {
  const case_type column = {SNUG_FLOAT32, 2, {3, 1}};
  const case_type classes = {SNUG_INT32, 1, {3}};
  const case_type wide = {SNUG_FLOAT32, 2, {3, 2}};
  const case_type class_column = {SNUG_INT32, 2, {3, 1}};
  static const double p[] = {0.9, 0.2, 0.4};
  static const double t[] = {1, 0, 1};
  static const double q[] = {0.9, 0.2, 0.4, 0.6, 0.7, 0.3};
  static const double onehot[] = {1, 0, 1, 0, 1, 0};
  ASSERT_NEAR(accuracy(&column, t, &column, p), 2.0 / 3, 1e-6);
  ASSERT_NEAR(accuracy(&classes, t, &column, p), 2.0 / 3, 1e-6);
  ASSERT_NEAR(accuracy(&classes, t, &wide, q), 0.0, 1e-6);
  ASSERT_NEAR(accuracy(&class_column, t, &wide, q), 0.0, 1e-6);
  ASSERT_NEAR(accuracy(&wide, onehot, &wide, q), 2.0 / 3, 1e-6);
}

TEST(a_loss_is_tracked_with_the_batch_size) {
  batch x;
  snug__metric m;
  const case_type scalar = {SNUG_FLOAT32, 0, {0}};
  open_batch(&x);
  ASSERT_OK(x.ctx, snug__metric_parse(x.ctx, "mean", &m));
  ASSERT_OK(x.ctx, snug__metric_track(&x.b, "m", add_input(&x, &scalar, (const double[]){2}),
                                      SNUG_NONE, 3.0));
  ASSERT_OK(x.ctx, snug__metric_track(&x.b, "m", add_input(&x, &scalar, (const double[]){6}),
                                      SNUG_NONE, 1.0));
  ASSERT_NEAR(result_of(&x, &m, 2), 3.0, 1e-6);
  ASSERT_NEAR(result_of(&x, &m, 0), 0.0, 0.0); /* reset, and nothing counted */
  close_batch(&x);
}

TEST(names_are_kept) {
  snug_ctx *ctx = test_ctx();
  snug__metric m;
  ASSERT_OK(ctx, snug__metric_parse(ctx, "mse", &m));
  ASSERT_EQ_TEXT(m.name, "mse");
  ASSERT_OK(ctx, snug__metric_parse(ctx, "MeanSquaredError", &m));
  ASSERT_EQ_TEXT(m.name, "MeanSquaredError"); /* Keras keeps a text as it was written */
  ASSERT_OK(ctx, snug__metric_parse(ctx, "MeanSquaredError()", &m));
  ASSERT_EQ_TEXT(m.name, "mean_squared_error");
  ASSERT_OK(ctx, snug__metric_parse(ctx, "AUC(name=area)", &m));
  ASSERT_EQ_TEXT(m.name, "area");
  ASSERT_OK(ctx, snug__metric_parse(ctx, "Precision()", &m));
  ASSERT_EQ_TEXT(m.name, "precision");
}

TEST(names_what_is_wrong) {
  snug_ctx *ctx = test_ctx();
  snug__metric m;
  ASSERT_STATUS(ctx, snug__metric_parse(ctx, "exactness", &m), SNUG_E_ARGUMENT,
                "there is no metric 'exactness'");
  ASSERT_STATUS(ctx, snug__metric_parse(ctx, "auc(num_thresholds=1)", &m), SNUG_E_ARGUMENT,
                "num_thresholds");
  ASSERT_STATUS(ctx, snug__metric_parse(ctx, "MeanIoU", &m), SNUG_E_ARGUMENT,
                "num_classes must be given");
  ASSERT_STATUS(ctx, snug__metric_parse(ctx, "TopKCategoricalAccuracy(k=0)", &m), SNUG_E_ARGUMENT,
                "k must be above 0");
  ASSERT_STATUS(ctx, snug__metric_parse(ctx, "BinaryIoU(target_class_ids=[0,2])", &m),
                SNUG_E_ARGUMENT, "2 is not one of 2 classes");
  ASSERT_STATUS(ctx, snug__metric_parse(ctx, "IoU(3)", &m), SNUG_E_ARGUMENT,
                "target_class_ids must be given");
  ASSERT_STATUS(ctx, snug__metric_parse(ctx, "F1Score(threshold=1.5)", &m), SNUG_E_ARGUMENT,
                "threshold above 0");
  ASSERT_STATUS(ctx, snug__metric_parse(ctx, "FBetaScore(beta=0)", &m), SNUG_E_ARGUMENT,
                "beta must be above 0");
  ASSERT_STATUS(ctx, snug__metric_parse(ctx, "R2Score(num_regressors=-1)", &m), SNUG_E_ARGUMENT,
                "num_regressors");
}

TEST(result_without_states_fails) {
  batch x;
  snug__metric m;
  double result = 0.0;
  open_batch(&x);
  ASSERT_OK(x.ctx, snug__metric_parse(x.ctx, "accuracy", &m));
  ASSERT_STATUS(x.ctx, snug__metric_result(&m, &x.variables, "m", &result), SNUG_E_STATE,
                "no state 'total'");
  close_batch(&x);
}
