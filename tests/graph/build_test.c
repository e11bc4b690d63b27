/* Building by hand: what the builder refuses leaves the graph as it was. */
#include "graph/samples.h"
#include "lib/test.h"
#include "ops/support.h"

static void expect_unchanged(const snug__graph *g, size_t values, size_t nodes) {
  ASSERT_EQ_INT(g->values.n, values);
  ASSERT_EQ_INT(g->nodes.n, nodes);
}

TEST(what_an_op_refuses_is_not_added) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  snug__id a, b, out[2];
  const int64_t two = 2;
  const int64_t three = 3;
  ASSERT_OK(ctx, snug__graph_create(ctx, &g));
  ASSERT_OK(ctx, snug__graph_layer(g, "sum", NULL));
  ASSERT_OK(ctx, snug__graph_input(g, "a", snug__type_of(SNUG_FLOAT32, 1, &two), &a));
  ASSERT_OK(ctx, snug__graph_input(g, "b", snug__type_of(SNUG_FLOAT32, 1, &three), &b));
  ASSERT_STATUS(ctx, SNUG_EMIT(g, add, NULL, out, a, b), SNUG_E_SHAPE, "sum (add)");
  ASSERT_STATUS(ctx, SNUG_EMIT(g, add, NULL, out, a), SNUG_E_ARGUMENT, "takes 2 to 2 inputs");
  ASSERT_STATUS(ctx, snug__graph_add(g, &snug__op_add, NULL, (snug__id[]){a, a}, 2, out, 2),
                SNUG_E_ARGUMENT, "makes 1 to 1 outputs, not 2");
  ASSERT_STATUS(ctx, snug__graph_add(g, &snug__op_add, NULL, (snug__id[]){a, a}, 2, out, 0),
                SNUG_E_ARGUMENT, "makes 1 to 1 outputs, not 0");
  expect_unchanged(g, 2, 0);
  snug__graph_destroy(g);
}

TEST(impossible_types_are_refused) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  snug__id id;
  const int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
  const int64_t negative = -1;
  ASSERT_OK(ctx, snug__graph_create(ctx, &g));
  ASSERT_STATUS(ctx, snug__graph_input(g, "a", snug__type_of(SNUG_INT8, 2, huge), &id),
                SNUG_E_SHAPE, "a: int8[1099511627776,1099511627776] is not a possible shape");
  ASSERT_STATUS(ctx, snug__graph_constant(g, "", snug__type_of(SNUG_INT8, 1, &negative), huge, &id),
                SNUG_E_SHAPE, "value: int8[-1]");
  ASSERT_STATUS(ctx, snug__graph_input(g, "n", snug__scalar(SNUG_NO_DTYPE), &id), SNUG_E_SHAPE,
                "n: none[]");
  expect_unchanged(g, 0, 0);
  snug__graph_destroy(g);
}

TEST(a_late_output_belongs_to_its_node) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  snug__id again = SNUG_NONE;
  ASSERT_OK(ctx, sample_step(ctx, &g));
  size_t n = g->values.n;
  snug__id late = snug__node_at(g, 3)->out[1];
  ASSERT_EQ_INT(late, n - 1);
  ASSERT_EQ_INT(snug__value_at(g, late)->producer, 3);
  ASSERT_EQ_INT(snug__value_at(g, late)->class_, SNUG__CLASS_ACTIVATIONS);
  ASSERT_EQ_INT(snug__value_at(g, late)->layer, SNUG_NONE);
  ASSERT_OK(ctx, snug__graph_want_output(g, 3, 1, &again));
  ASSERT_EQ_INT(again, late);
  ASSERT_STATUS(ctx, snug__graph_want_output(g, 3, 2, &again), SNUG_E_ARGUMENT, "no output 2");
  ASSERT_STATUS(ctx, snug__graph_want_output(g, 3, -1, &again), SNUG_E_ARGUMENT, "no output -1");
  expect_unchanged(g, n, 8);
  snug__graph_destroy(g);
}

TEST(names_of_classes_and_kinds) {
  ASSERT_EQ_TEXT(snug__class_text(SNUG__CLASS_DATA), "data");
  ASSERT_EQ_TEXT(snug__class_text(SNUG__CLASS_COUNT), "");
  ASSERT_EQ_TEXT(snug__kind_text(SNUG__TEMPORARY), "temporary");
  ASSERT_EQ_TEXT(snug__kind_text(SNUG__TEMPORARY + 1), "");
}
