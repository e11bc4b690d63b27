#include "model/optimizer.h"

#include <math.h>
#include <string.h>

#include "lib/interpret.h"
#include "lib/test.h"
#include "model/train_cases.h"

enum { STEPS = 7, WEIGHTS = 2, ELEMENTS = 10 };
static const int64_t sizes[WEIGHTS] = {6, 4};

/* Two weights and their gradients, which are inputs. */
typedef struct training {
  snug_ctx *ctx;
  snug__variables variables;
  snug__build b;
  test_interpreter run;
  snug__id w[WEIGHTS], g[WEIGHTS], value[WEIGHTS];
} training;

static snug__constraint constraint_of(const char *name) {
  static const char *const names[] = {"none", "max_norm", "non_neg", "unit_norm", "min_max_norm"};
  snug__constraint c = {.min_value = 0.5, .max_value = 0.9, .rate = 0.7, .axes = {1, {0}}};
  for (int i = 0; i < 5; i++) {
    if (strcmp(names[i], name) == 0) {
      c.kind = (snug__constraint_kind)i;
    }
  }
  return c;
}

static void add_weight(training *x, int i, snug_dtype dtype, const char *constraint) {
  const int64_t shapes[WEIGHTS][2] = {{2, 3}, {4, 0}};
  snug__variable v = {.name = i ? "b" : "a",
                      .layer = "layer",
                      .type = snug__type_of(dtype, i ? 1 : 2, shapes[i]),
                      .kind = SNUG__WEIGHT,
                      .class_ = SNUG__CLASS_WEIGHTS,
                      .trainable = true,
                      .constraint = constraint_of(i ? "none" : constraint)};
  ASSERT_OK(x->ctx, snug__variables_add(&x->variables, &v, &x->w[i]));
  ASSERT_OK(x->ctx, snug__build_variable(&x->b, x->w[i], &x->value[i]));
  ASSERT_OK(x->ctx, snug__graph_input(x->b.g, "g", v.type, &x->g[i]));
  for (int64_t k = 0; k < sizes[i]; k++) {
    test_interpret_set(&x->run, x->value[i], k, cos(0.3 + 0.9 * (double)k + i));
  }
}

static void open_training(training *x, const char *constraint) {
  x->ctx = test_ctx();
  snug__variables_init(&x->variables, x->ctx);
  ASSERT_OK(x->ctx, snug__build_open(&x->b, x->ctx, &x->variables, true, SNUG_FLOAT32));
  test_interpret_init(&x->run, x->b.g);
  for (int i = 0; i < WEIGHTS; i++) {
    add_weight(x, i, SNUG_FLOAT32, constraint);
  }
}

static void close_training(training *x) {
  test_interpret_release(&x->run);
  snug__build_close(&x->b);
  snug__variables_release(&x->variables);
  test_ctx_end(x->ctx);
}

/* The value that holds a variable at the start of a step. */
static snug__id first_value(training *x, snug__id variable) {
  for (snug__id id = 0; id < x->b.g->values.n; id++) {
    if (snug__value_at(x->b.g, id)->variable == variable) {
      return id;
    }
  }
  return SNUG_NONE;
}

/* States start at their initial values; every variable's bytes are where the interpreter keeps
 * them.
 */
static void start(training *x) {
  for (snug__id i = 0; i < x->variables.list.n; i++) {
    snug__variable *v = snug__variable_at(&x->variables, i);
    snug__id id = first_value(x, i);
    v->place = snug__place_of_pointer(test_interpret_data(&x->run, id));
    for (int64_t k = 0; v->kind == SNUG__STATE && k < snug__type_count(&v->type); k++) {
      test_interpret_set(&x->run, id, k, v->initial.a);
    }
  }
}

static void step(training *x, const snug__optimizer *o, int t) {
  double scale = o->o.loss_scale_factor > 0.0 ? o->o.loss_scale_factor : 1.0;
  for (int i = 0; i < WEIGHTS; i++) {
    for (int64_t k = 0; k < sizes[i]; k++) {
      test_interpret_set(&x->run, x->g[i], k,
                         scale * 0.8 * sin(1.0 + 0.7 * (double)k + 1.3 * t + 2.1 * i));
    }
  }
  if (o->schedule.kind) {
    snug__id rate = snug__variables_find(&x->variables, "optimizer/learning_rate");
    *(float *)snug__place_pointer(snug__variable_at(&x->variables, rate)->place) =
        (float)snug__schedule_rate(&o->schedule, t);
  }
  ASSERT_OK(x->ctx, test_interpret_run(&x->run));
}

static void compare(training *x, const optimizer_case *c, int row, const char *when) {
  for (int e = 0; e < ELEMENTS; e++) {
    int i = e >= 6;
    double got = test_interpret_get(&x->run, x->value[i], e - 6 * i);
    double want = c->after[row * ELEMENTS + e];
    if (!(fabs(got - want) <= 5e-6)) {
      test_fail(__FILE__, __LINE__, "%s (%s) %s: element %d is %.9g, Keras %.9g", c->text,
                c->constraint, when, e, got, want);
    }
  }
}

static void run_case(const optimizer_case *c) {
  training x;
  snug__optimizer o;
  open_training(&x, c->constraint);
  ASSERT_OK(x.ctx, snug__optimizer_parse(x.ctx, c->text, &o));
  ASSERT_OK(x.ctx, snug__optimizer_emit(&x.b, &o, x.w, x.g, WEIGHTS));
  start(&x);
  for (int t = 0; t < STEPS; t++) {
    step(&x, &o, t);
    if (t == 2) {
      compare(&x, c, 0, "after 3 steps");
    }
  }
  compare(&x, c, 1, "after 7 steps");
  ASSERT_OK(x.ctx, snug__optimizer_finalize(&o, &x.variables, x.w, WEIGHTS));
  compare(&x, c, 2, "at the end");
  snug__id iteration = snug__variables_find(&x.variables, "optimizer/iteration");
  ASSERT_EQ_INT(*(int64_t *)snug__place_pointer(snug__variable_at(&x.variables, iteration)->place),
                STEPS);
  close_training(&x);
}

TEST(equals_keras) {
  for (const optimizer_case *c = optimizer_cases; c->text; c++) {
    run_case(c);
  }
}

TEST(states_are_named) {
  training x;
  snug__optimizer o;
  open_training(&x, "none");
  ASSERT_OK(x.ctx, snug__optimizer_parse(x.ctx, "adam(amsgrad=true, use_ema=true)", &o));
  ASSERT_OK(x.ctx, snug__optimizer_emit(&x.b, &o, x.w, x.g, WEIGHTS));
  ASSERT_TRUE(snug__variables_find(&x.variables, "optimizer/momentum/a") != SNUG_NONE);
  ASSERT_TRUE(snug__variables_find(&x.variables, "optimizer/velocity/b") != SNUG_NONE);
  ASSERT_TRUE(snug__variables_find(&x.variables, "optimizer/velocity_hat/b") != SNUG_NONE);
  ASSERT_TRUE(snug__variables_find(&x.variables, "optimizer/average/a") != SNUG_NONE);
  ASSERT_EQ_UINT(x.variables.list.n, 2 + 2 + 8);
  ASSERT_OK(x.ctx, snug__graph_verify(x.b.g));
  close_training(&x);
}

TEST(weights_without_gradient_are_left_alone) {
  training x;
  snug__optimizer o;
  open_training(&x, "max_norm");
  ASSERT_OK(x.ctx, snug__optimizer_parse(x.ctx, "SGD(momentum=0.9, global_clipnorm=1)", &o));
  x.g[0] = SNUG_NONE;
  const snug__id gradients[] = {SNUG_NONE, x.g[1]};
  ASSERT_OK(x.ctx, snug__optimizer_emit(&x.b, &o, x.w, gradients, WEIGHTS));
  ASSERT_EQ_UINT(snug__variables_find(&x.variables, "optimizer/momentum/a"), SNUG_NONE);
  ASSERT_TRUE(snug__variables_find(&x.variables, "optimizer/momentum/b") != SNUG_NONE);
  close_training(&x);
}

/* As Keras orders them: a number first is the learning rate, never a beta. */
TEST(arguments_by_place) {
  snug_ctx *ctx = test_ctx();
  snug__optimizer o;
  ASSERT_OK(ctx, snug__optimizer_parse(ctx, "SGD(0.5, 0.25, true)", &o));
  ASSERT_TRUE(o.o.learning_rate == 0.5 && o.o.momentum == 0.25 && o.o.nesterov);
  ASSERT_OK(ctx, snug__optimizer_parse(ctx, "Adam(0.5, 0.25, 0.125)", &o));
  ASSERT_TRUE(o.o.learning_rate == 0.5 && o.o.beta_1 == 0.25 && o.o.beta_2 == 0.125);
  ASSERT_OK(ctx, snug__optimizer_parse(ctx, "AdamW(0.5, 0.25)", &o));
  ASSERT_TRUE(o.o.learning_rate == 0.5 && o.o.weight_decay == 0.25);
  ASSERT_OK(ctx, snug__optimizer_parse(ctx, "adam(CosineDecay(0.5, 10), beta_1=0.25)", &o));
  ASSERT_TRUE(o.schedule.kind && o.o.learning_rate == 0.5 && o.o.beta_1 == 0.25);
}

TEST(names_what_is_known) {
  snug_ctx *ctx = test_ctx();
  snug__optimizer o;
  char name[SNUG__NAME_BYTES];
  ASSERT_STATUS(ctx, snug__optimizer_parse(ctx, "adamish", &o), SNUG_E_ARGUMENT,
                "there is no optimizer 'adamish'; known: SGD, Adam, AdamW");
  ASSERT_STATUS(ctx, snug__optimizer_parse(ctx, "adam(momentum=1)", &o), SNUG_E_ARGUMENT, "beta_1");
  ASSERT_STATUS(ctx, snug__optimizer_parse(ctx, "adam(clipnorm=1, clipvalue=1)", &o),
                SNUG_E_ARGUMENT, "at most one");
  ASSERT_STATUS(ctx, snug__optimizer_parse(ctx, "sgd(learning_rate=-1)", &o), SNUG_E_ARGUMENT,
                "learning_rate");
  ASSERT_STATUS(ctx, snug__optimizer_parse(ctx, "sgd(momentum=2)", &o), SNUG_E_ARGUMENT,
                "momentum");
  ASSERT_STATUS(ctx, snug__optimizer_parse(ctx, "sgd(learning_rate=Step(a=1))", &o),
                SNUG_E_ARGUMENT, "there is no schedule");
  ASSERT_STATUS(ctx, snug__optimizer_parse(ctx, "sgd(learning_rate=Step(1", &o), SNUG_E_ARGUMENT,
                "parentheses");
  ASSERT_OK(ctx, snug__optimizer_parse(ctx, "adamw", &o));
  ASSERT_NEAR(o.o.weight_decay, 0.004, 1e-12);
  snug__optimizer_name(&o, name);
  ASSERT_EQ_TEXT(name, "AdamW");
}
