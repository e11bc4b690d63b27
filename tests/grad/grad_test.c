/* Reverse mode over whole graphs; the rules of the single ops are compared with differences in
 * tests/ops. */
#include "grad/grad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interpret.h"
#include "lib/test.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/support.h"

/* ---- small graphs ---- */

static snug__graph *new_graph(void) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, snug__graph_create(ctx, &g));
  return g;
}

static snug__id weight(snug__graph *g, const char *name, int32_t rank, int64_t a, int64_t b) {
  snug__id id = SNUG_NONE;
  snug__type t = snug__type_of(SNUG_FLOAT64, rank, (const int64_t[]){a, b});
  ASSERT_OK(g->ctx, snug__graph_variable(g, name, SNUG__WEIGHT, SNUG__CLASS_WEIGHTS, t,
                                         (snug__id)g->values.n, &id));
  return id;
}

static snug__id input(snug__graph *g, const char *name, int64_t a, int64_t b) {
  snug__id id = SNUG_NONE;
  snug__type t = snug__type_of(SNUG_FLOAT64, 2, (const int64_t[]){a, b});
  ASSERT_OK(g->ctx, snug__graph_input(g, name, t, &id));
  return id;
}

static snug__id layer(snug__graph *g, const char *name) {
  snug__id id = SNUG_NONE;
  ASSERT_OK(g->ctx, snug__graph_layer(g, name, &id));
  return id;
}

static snug__id matmul(snug__graph *g, snug__id a, snug__id b) {
  snug__matmul_params p;
  snug__id out = SNUG_NONE;
  memset(&p, 0, sizeof p);
  ASSERT_OK(g->ctx, SNUG_EMIT(g, matmul, &p, &out, a, b));
  return out;
}

static snug__id add(snug__graph *g, snug__id a, snug__id b) {
  snug__id out = SNUG_NONE;
  ASSERT_OK(g->ctx, SNUG_EMIT(g, add, NULL, &out, a, b));
  return out;
}

static snug__id sum(snug__graph *g, snug__id a) {
  snug__reduce_params p;
  snug__id out = SNUG_NONE;
  memset(&p, 0, sizeof p);
  ASSERT_OK(g->ctx, SNUG_EMIT(g, sum, &p, &out, a));
  return out;
}

static snug__id sum_squares(snug__graph *g, snug__id a) {
  snug__reduce_params p;
  snug__id out = SNUG_NONE;
  memset(&p, 0, sizeof p);
  ASSERT_OK(g->ctx, SNUG_EMIT(g, sum_squares, &p, &out, a));
  return out;
}

static void expect_text(const snug__graph *g, const char *expected) {
  snug__text text;
  snug__text_init(&text, g->ctx, 1u << 20);
  ASSERT_OK(g->ctx, snug__graph_print(g, &text));
  const char *nodes = strstr(snug__text_get(&text), "\n%4 ");
  ASSERT_NOT_NULL(nodes);
  ASSERT_EQ_TEXT(nodes + 1, expected);
  snug__text_release(&text);
}

/* ---- the order of the sums ---- */

/* x is read three times: by both sides of one sum and by a product. */
static snug__id build_fan_out(snug__graph *g, snug__id *x) {
  layer(g, "fan");
  *x = weight(g, "x", 2, 2, 2);
  snug__id w = weight(g, "w", 2, 2, 2);
  snug__id product = matmul(g, *x, w);
  snug__id twice = add(g, *x, *x);
  return sum(g, add(g, product, twice));
}

TEST(gradients_of_a_fan_out_are_added_in_this_order) {
  snug__graph *g = new_graph();
  snug__id x, dx;
  snug__id loss = build_fan_out(g, &x);
  ASSERT_OK(g->ctx, snug__grad_append(g, loss, &x, 1, &dx));
  ASSERT_OK(g->ctx, snug__graph_verify(g));
  expect_text(g,
              "%4 float64[2,2] class=activations = add(%2, %3) @0\n"
              "%5 float64[] class=activations = sum(%4) @0\n"
              "%7 float64[1,1] class=weights view=%6 = reshape(%6) {shape=[1,1]} @0 backward\n"
              "%8 float64[2,2] class=activations = broadcast_to(%7) {shape=[2,2]} @0 backward\n"
              "%9 float64[2,2] class=activations = add(%8, %8) @0 backward\n"
              "%10 float64[2,2] class=activations = matmul(%8, %1) {transpose_b=true} @0 backward\n"
              "%11 float64[2,2] class=gradients = add(%9, %10) @0 backward\n"
              "end\n");
  snug__graph_destroy(g);
}

TEST(the_same_graph_gets_the_same_gradient) {
  char *texts[2];
  for (int i = 0; i < 2; i++) {
    snug__graph *g = new_graph();
    snug__id x, dx;
    snug__text text;
    ASSERT_OK(g->ctx, snug__grad_append(g, build_fan_out(g, &x), &x, 1, &dx));
    snug__text_init(&text, g->ctx, 1u << 20);
    ASSERT_OK(g->ctx, snug__graph_print(g, &text));
    texts[i] = strdup(snug__text_get(&text));
    snug__text_release(&text);
    snug__graph_destroy(g);
  }
  ASSERT_EQ_TEXT(texts[0], texts[1]);
  free(texts[0]);
  free(texts[1]);
}

/* ---- what is frozen costs nothing ---- */

typedef struct two_layers {
  snug__graph *g;
  snug__id x, w1, b1, w2, b2, loss;
  size_t n_nodes;
} two_layers;

static two_layers build_two_layers(void) {
  two_layers t = {.g = new_graph()};
  t.x = input(t.g, "x", 5, 3);
  layer(t.g, "first");
  t.w1 = weight(t.g, "w1", 2, 3, 4);
  t.b1 = weight(t.g, "b1", 1, 4, 0);
  snug__id h = add(t.g, matmul(t.g, t.x, t.w1), t.b1);
  layer(t.g, "second");
  t.w2 = weight(t.g, "w2", 2, 4, 2);
  t.b2 = weight(t.g, "b2", 1, 2, 0);
  t.loss = sum_squares(t.g, add(t.g, matmul(t.g, h, t.w2), t.b2));
  t.n_nodes = t.g->nodes.n;
  return t;
}

/* Nodes that the gradients of these add. */
static size_t count_added(int32_t n, const int *which) {
  two_layers t = build_two_layers();
  snug__id all[] = {t.w1, t.b1, t.w2, t.b2, t.x};
  snug__id wanted[5], out[5];
  for (int32_t i = 0; i < n; i++) {
    wanted[i] = all[which[i]];
  }
  ASSERT_OK(t.g->ctx, snug__grad_append(t.g, t.loss, wanted, (size_t)n, out));
  ASSERT_OK(t.g->ctx, snug__graph_verify(t.g));
  for (int32_t i = 0; i < n; i++) {
    ASSERT_TRUE(snug__type_equal(snug__type_at(t.g, wanted[i]), snug__type_at(t.g, out[i])));
    ASSERT_EQ_INT(snug__value_at(t.g, out[i])->class_, SNUG__CLASS_GRADIENTS);
  }
  size_t added = t.g->nodes.n - t.n_nodes;
  snug__graph_destroy(t.g);
  return added;
}

TEST(frozen_weights_add_no_nodes) {
  ASSERT_EQ_INT(count_added(0, NULL), 0);
  ASSERT_EQ_INT(count_added(1, (int[]){3}), 2);             /* of the loss, b2 */
  ASSERT_EQ_INT(count_added(1, (int[]){2}), 2);             /* of the loss, w2 */
  ASSERT_EQ_INT(count_added(2, (int[]){2, 3}), 3);          /* of the loss, w2, b2 */
  ASSERT_EQ_INT(count_added(1, (int[]){0}), 3);             /* of the loss, h, w1 */
  ASSERT_EQ_INT(count_added(4, (int[]){0, 1, 2, 3}), 6);    /* of the loss, w2, b2, h, w1, b1 */
  ASSERT_EQ_INT(count_added(5, (int[]){0, 1, 2, 3, 4}), 7); /* and x */
}

/* A node of the backward belongs to the layer whose backward it is. */
TEST(nodes_belong_to_the_layer_of_their_forward) {
  two_layers t = build_two_layers();
  snug__id wanted[] = {t.w1, t.w2};
  snug__id out[2];
  ASSERT_OK(t.g->ctx, snug__grad_append(t.g, t.loss, wanted, 2, out));
  ASSERT_EQ_INT(snug__value_at(t.g, out[0])->layer, 0);
  ASSERT_EQ_INT(snug__value_at(t.g, out[1])->layer, 1);
  snug__graph_destroy(t.g);
}

TEST(the_builder_finds_its_layer_and_class_again) {
  two_layers t = build_two_layers();
  snug__id d;
  t.g->layer = SNUG_NONE;
  t.g->class_ = SNUG__CLASS_DATA;
  size_t n = t.g->values.n;
  ASSERT_OK(t.g->ctx, snug__grad_append(t.g, t.loss, &t.w1, 1, &d));
  ASSERT_EQ_INT(t.g->layer, SNUG_NONE);
  ASSERT_EQ_INT(t.g->class_, SNUG__CLASS_DATA);
  for (size_t i = n; i < t.g->values.n; i++) {
    const snug__value *v = snug__value_at(t.g, (snug__id)i);
    ASSERT_TRUE(v->kind == SNUG__CONSTANT || v->class_ == SNUG__CLASS_GRADIENTS ||
                v->class_ == SNUG__CLASS_ACTIVATIONS);
  }
  snug__graph_destroy(t.g);
}

/* Where the gradient is a view, the memory behind it is what counts. */
TEST(the_memory_of_a_gradient_is_counted_as_one) {
  snug__graph *g = new_graph();
  snug__id x = weight(g, "x", 2, 2, 3);
  snug__id flat, dx;
  snug__reshape_params p;
  memset(&p, 0, sizeof p);
  p.shape = (snug_ints){.n = 1, .v = {6}};
  ASSERT_OK(g->ctx, SNUG_EMIT(g, reshape, &p, &flat, x));
  ASSERT_OK(g->ctx, snug__grad_append(g, sum_squares(g, flat), &x, 1, &dx));
  snug__id base = snug__value_base(g, dx);
  ASSERT_TRUE(base != dx);
  ASSERT_EQ_INT(snug__value_at(g, dx)->class_, SNUG__CLASS_GRADIENTS);
  ASSERT_EQ_INT(snug__value_at(g, base)->class_, SNUG__CLASS_GRADIENTS);
  snug__graph_destroy(g);
}

/* ---- what has no gradient ---- */

TEST(a_loss_that_does_not_depend_on_a_value_gives_none) {
  two_layers t = build_two_layers();
  snug__id stranger = weight(t.g, "stranger", 1, 3, 0);
  snug__id wanted[] = {stranger, t.b2};
  snug__id out[2];
  snug__id beside = sum(t.g, stranger); /* read, but not by the loss */
  ASSERT_OK(t.g->ctx, snug__graph_output(t.g, beside));
  ASSERT_OK(t.g->ctx, snug__grad_append(t.g, t.loss, wanted, 2, out));
  ASSERT_EQ_INT(out[0], SNUG_NONE);
  ASSERT_TRUE(out[1] != SNUG_NONE);
  snug__graph_destroy(t.g);
}

TEST(the_gradient_of_the_loss_itself_is_one) {
  two_layers t = build_two_layers();
  snug__id d;
  ASSERT_OK(t.g->ctx, snug__grad_append(t.g, t.loss, &t.loss, 1, &d));
  ASSERT_EQ_INT(t.g->nodes.n, t.n_nodes);
  ASSERT_EQ_INT(snug__value_at(t.g, d)->kind, SNUG__CONSTANT);
  ASSERT_NEAR(snug__element_get(SNUG_FLOAT64, snug__value_at(t.g, d)->data, 0), 1.0, 0.0);
  snug__graph_destroy(t.g);
}

TEST(a_loss_that_is_no_float_scalar_is_refused) {
  two_layers t = build_two_layers();
  snug__id count, d;
  size_t n = t.g->values.n;
  ASSERT_STATUS(t.g->ctx, snug__grad_append(t.g, t.w1, &t.w1, 1, &d), SNUG_E_SHAPE, "float64[3,4]");
  ASSERT_EQ_INT(t.g->values.n, n);
  ASSERT_OK(t.g->ctx, snug__graph_input(t.g, "n", snug__scalar(SNUG_INT64), &count));
  ASSERT_STATUS(t.g->ctx, snug__grad_append(t.g, count, &t.w1, 1, &d), SNUG_E_SHAPE, "int64[]");
  snug__graph_destroy(t.g);
}

/* The gradient of a gradient: sum_squares_grad has no rule of its own. */
static snug__id build_without_rule(snug__graph *g, snug__id x) {
  snug__reduce_params p;
  snug__id out = SNUG_NONE;
  snug__id one = input(g, "one", 1, 1);
  memset(&p, 0, sizeof p);
  layer(g, "outer");
  ASSERT_NULL(snug__op_sum_squares_grad.grad);
  ASSERT_OK(g->ctx, SNUG_EMIT(g, sum_squares_grad, &p, &out, sum(g, one), x));
  return sum(g, out);
}

TEST(an_op_without_a_rule_on_the_path_is_refused) {
  snug__graph *g = new_graph();
  snug__id x = weight(g, "x", 2, 2, 3);
  snug__id d;
  ASSERT_STATUS(g->ctx, snug__grad_append(g, build_without_rule(g, x), &x, 1, &d),
                SNUG_E_UNSUPPORTED, "outer (sum_squares_grad)");
  ASSERT_OK(g->ctx, snug__graph_verify(g));
  snug__graph_destroy(g);
}

TEST(an_op_without_a_rule_beside_the_path_is_no_matter) {
  snug__graph *g = new_graph();
  snug__id x = weight(g, "x", 2, 2, 3);
  snug__id w = weight(g, "w", 2, 2, 3);
  snug__id d;
  snug__id loss = add(g, build_without_rule(g, x), sum(g, w));
  ASSERT_OK(g->ctx, snug__grad_append(g, loss, &w, 1, &d));
  ASSERT_TRUE(d != SNUG_NONE);
  snug__graph_destroy(g);
}

/* ---- numbers ---- */

static double value_of(int64_t i) { return sin(1.0 + 2.3 * (double)i); }

static double loss_of(test_interpreter *run, snug__id loss) {
  ASSERT_OK(run->g->ctx, test_interpret_run(run));
  return test_interpret_get(run, loss, 0);
}

static void check_element(test_interpreter *run, const two_layers *t, snug__id value, int64_t i,
                          double got) {
  const double h = 1e-5;
  double x = test_interpret_get(run, value, i);
  test_interpret_set(run, value, i, x + h);
  double up = loss_of(run, t->loss);
  test_interpret_set(run, value, i, x - h);
  double down = loss_of(run, t->loss);
  test_interpret_set(run, value, i, x);
  ASSERT_NEAR(got, (up - down) / (2 * h), 1e-6);
}

TEST(gradients_of_two_layers_equal_differences) {
  two_layers t = build_two_layers();
  test_interpreter run;
  snug__id wanted[] = {t.x, t.w1, t.b1, t.w2, t.b2};
  snug__id out[5];
  ASSERT_OK(t.g->ctx, snug__grad_append(t.g, t.loss, wanted, 5, out));
  test_interpret_init(&run, t.g);
  for (int k = 0; k < 5; k++) {
    for (int64_t i = 0; i < snug__type_count(snug__type_at(t.g, wanted[k])); i++) {
      test_interpret_set(&run, wanted[k], i, value_of(10 * k + i));
    }
  }
  for (int k = 0; k < 5; k++) {
    for (int64_t i = 0; i < snug__type_count(snug__type_at(t.g, wanted[k])); i++) {
      loss_of(&run, t.loss);
      check_element(&run, &t, wanted[k], i, test_interpret_get(&run, out[k], i));
    }
  }
  test_interpret_release(&run);
  snug__graph_destroy(t.g);
}
