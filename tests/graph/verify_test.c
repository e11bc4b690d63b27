/* Each rule of the verifier is broken once, by editing a valid graph. */
#include <string.h>

#include "graph/samples.h"
#include "lib/test.h"
#include "ops/support.h"

/* Ids of the sample (see print_test.c for its text). */
enum { X = 0, Y = 1, W = 2, M = 3, COUNT = 5, RATE = 6, LOGITS = 7, ROWS = 8, LOSS = 11, DW = 12 };
enum { NEW_W = 13, LATE = 17 };
enum { N_MATMUL, N_RESHAPE, N_RESHAPE_2, N_LOSSES, N_REDUCE, N_DW, N_ADAM, N_INCREMENT };

static snug__value *value(snug__graph *g, snug__id id) { return snug__value_at(g, id); }
static snug__node *node(snug__graph *g, snug__id id) { return snug__node_at(g, id); }

typedef void breakage(snug__graph *g);

static void expect_found(breakage *spoil, const char *part) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, sample_step(ctx, &g));
  ASSERT_OK(ctx, snug__graph_verify(g));
  spoil(g);
  ASSERT_STATUS(ctx, snug__graph_verify(g), SNUG_E_INTERNAL, part);
  snug__graph_destroy(g);
  test_ctx_end(ctx);
}

#define BREAKS(name, part)                                             \
  static void spoil_##name(snug__graph *g);                            \
  static void check_##name(void) { expect_found(spoil_##name, part); } \
  static void spoil_##name(snug__graph *g)

/* ---- order and producers ---- */

BREAKS(use_before_definition, "node 0, matmul of dense \"one\": input 0, %12, is made later") {
  node(g, N_MATMUL)->in[0] = DW;
}
BREAKS(own_output, "node 4, loss_reduce: input 0, %11, is made later or never") {
  node(g, N_REDUCE)->in[0] = LOSS;
}
BREAKS(swapped_nodes, "node 3, loss_reduce: input 0, %10, is made later") {
  snug__node first = *node(g, N_LOSSES);
  *node(g, N_LOSSES) = *node(g, N_REDUCE);
  *node(g, N_REDUCE) = first;
}
BREAKS(no_such_input, "input 1, %99, does not exist") { node(g, N_MATMUL)->in[1] = 99; }
BREAKS(no_such_output, "output 0, %99, does not exist") { node(g, N_MATMUL)->out[0] = 99; }
BREAKS(wrong_producer, "node 0, matmul of dense \"one\": output 0, %7, has another producer") {
  value(g, LOGITS)->producer = N_DW;
}
BREAKS(two_producers, "output 0, %7, has another producer") { node(g, N_DW)->out[0] = LOGITS; }
BREAKS(made_by_none, "temporary %17: its producer does not make it") {
  node(g, N_LOSSES)->out[1] = SNUG_NONE;
}
BREAKS(temporary_without_producer, "temporary %12 of dense \"one\": has no producer") {
  value(g, DW)->producer = SNUG_NONE;
}
BREAKS(input_with_producer, "input %0 x: must not have a producer") { value(g, X)->producer = 0; }
BREAKS(needed_output, "node 0, matmul of dense \"one\": is without its output 0") {
  node(g, N_MATMUL)->out[0] = SNUG_NONE;
}

/* ---- types and numbers ---- */

BREAKS(other_type, "output 0, %12, is float32[3,5] and should be float32[3,4]") {
  value(g, DW)->type.dim[1] = 5;
}
BREAKS(refused, "node 0 is refused by its op: dense \"one\" (matmul): the inner sizes") {
  value(g, X)->type.dim[1] = 4;
}
BREAKS(impossible_type, "input %0 x: has a type that is not possible") {
  value(g, X)->type.dim[1] = -4;
}
BREAKS(too_few_inputs, "has 1 inputs and 1 outputs") { node(g, N_MATMUL)->n_in = 1; }
BREAKS(wrong_outputs, "has 2 inputs and 0 outputs") { node(g, N_MATMUL)->n_out = 0; }
BREAKS(no_params, "node 0, matmul of dense \"one\": has no parameters") {
  node(g, N_MATMUL)->params = NULL;
}
BREAKS(no_op, "node 0, no op of dense") { node(g, N_MATMUL)->op = NULL; }
BREAKS(no_layer, "has an op or layer that does not exist") { node(g, N_MATMUL)->layer = 7; }
BREAKS(no_layer_of_value, "a name, kind, class or layer that does not exist") {
  value(g, X)->layer = 7;
}
BREAKS(no_name, "a name, kind, class or layer that does not exist") { value(g, X)->name = NULL; }
BREAKS(no_data, "constant %6 rate of step") { value(g, RATE)->data = NULL; }
BREAKS(data, "input %0 x: must not have data") { value(g, X)->data = g; }

/* ---- views ---- */

BREAKS(view_of_nothing, "is a view of what is no memory of its own") {
  value(g, ROWS)->view_of = 99;
}
BREAKS(view_of_view, "is a view of what is no memory of its own") {
  value(g, ROWS + 1)->view_of = ROWS;
}
BREAKS(view_past_end, "temporary %8: reaches past the end of the memory") {
  value(g, ROWS)->view_offset = 4;
}
BREAKS(view_before_start, "reaches past the end") { value(g, ROWS)->view_offset = -4; }
BREAKS(view_far_away, "reaches past the end") { value(g, ROWS)->view_offset = INT64_MAX; }
BREAKS(offset_without_view, "has an offset, but is no view") { value(g, DW)->view_offset = 4; }
BREAKS(view_forgotten, "node 1, reshape: output 0, %8, does not share the memory") {
  value(g, ROWS)->view_of = SNUG_NONE;
}
BREAKS(view_invented, "output 0, %12, does not share the memory that it should") {
  value(g, DW)->view_of = W;
}
BREAKS(input_as_view, "is a view, but no node makes it") { value(g, M)->view_of = W; }

/* ---- writes ---- */

BREAKS(late_reader, "node 8, matmul of step") {
  snug__id out;
  const bool params[2] = {false, false};
  ASSERT_OK(g->ctx, SNUG_EMIT(g, matmul, params, &out, X, W));
}
BREAKS(late_writer, "node 8, increment of step\n: input 0, %5 count, was overwritten before") {
  snug__id out;
  const int64_t by = 1;
  ASSERT_OK(g->ctx, SNUG_EMIT(g, increment, &by, &out, COUNT));
}
BREAKS(late_view, "input 0, %18 , was overwritten before") {
  snug__id view, out;
  snug_ints shape = {.n = 1, .v = {12}};
  snug__id in = W;
  ASSERT_OK(g->ctx, snug__graph_add(g, &snug__op_reshape, &shape, &in, 1, &view, 1));
  snug__node moved = *node(g, N_INCREMENT + 1); /* the view is made before adam writes ... */
  memmove(node(g, 1), node(g, 0), (N_INCREMENT + 1) * sizeof moved);
  *node(g, 0) = moved;
  for (snug__id id = 0; id < g->values.n; id++) {
    value(g, id)->producer += value(g, id)->producer != SNUG_NONE;
  }
  value(g, view)->producer = 0;
  ASSERT_OK(g->ctx, SNUG_EMIT(g, add, NULL, &out, view, view)); /* ... and read after it */
}
BREAKS(written_input, "writes input 0, %5, which is input and neither weight nor state") {
  value(g, COUNT)->kind = SNUG__INPUT;
}
BREAKS(two_writes_of_one, "writes input 2, %3, and has its memory as another input too") {
  node(g, N_ADAM)->in[3] = M;
  value(g, NEW_W + 2)->view_of = M;
}
BREAKS(reads_what_it_writes, "writes input 0, %2, and has its memory as another input too") {
  node(g, N_ADAM)->in[1] = W;
}

/* ---- outputs ---- */

BREAKS(no_such_result, "the output %99 does not exist") {
  ASSERT_OK(g->ctx, snug__graph_output(g, 99));
}
BREAKS(overwritten_result, "weight %2 kernel of dense \"one\": is an output, but is overwritten") {
  ASSERT_OK(g->ctx, snug__graph_output(g, W));
}

TEST(order_and_producers) {
  check_use_before_definition();
  check_own_output();
  check_swapped_nodes();
  check_no_such_input();
  check_no_such_output();
  check_wrong_producer();
  check_two_producers();
  check_made_by_none();
  check_temporary_without_producer();
  check_input_with_producer();
  check_needed_output();
}

TEST(types_and_numbers) {
  check_other_type();
  check_refused();
  check_impossible_type();
  check_too_few_inputs();
  check_wrong_outputs();
  check_no_params();
  check_no_op();
  check_no_layer();
  check_no_layer_of_value();
  check_no_name();
  check_no_data();
  check_data();
}

TEST(views) {
  check_view_of_nothing();
  check_view_of_view();
  check_view_past_end();
  check_view_before_start();
  check_view_far_away();
  check_offset_without_view();
  check_view_forgotten();
  check_view_invented();
  check_input_as_view();
}

TEST(writes) {
  check_late_reader();
  check_late_writer();
  check_late_view();
  check_written_input();
  check_two_writes_of_one();
  check_reads_what_it_writes();
}

TEST(outputs) {
  check_no_such_result();
  check_overwritten_result();
}

/* The new content may be written again and read, and a node may read what the next one writes. */
TEST(a_chain_of_writes_is_valid) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  snug__id at = COUNT;
  const int64_t by = 1;
  ASSERT_OK(ctx, sample_step(ctx, &g));
  g->nodes.n--; /* the increment of the sample goes, with its value: it is the last but one */
  g->values.n = NEW_W + 3;
  node(g, N_LOSSES)->out[1] = SNUG_NONE;
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(ctx, SNUG_EMIT(g, increment, &by, &at, at));
  }
  ASSERT_OK(ctx, snug__graph_output(g, at));
  ASSERT_OK(ctx, snug__graph_verify(g));
  snug__graph_destroy(g);
}

TEST(an_input_that_nobody_reads_is_told) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  snug__id id;
  ASSERT_OK(ctx, sample_step(ctx, &g));
  ASSERT_EQ_INT(snug__graph_unused_input(g), SNUG_NONE);
  ASSERT_OK(ctx, snug__graph_input(g, "z", snug__scalar(SNUG_FLOAT32), &id));
  ASSERT_OK(ctx, snug__graph_verify(g));
  ASSERT_EQ_INT(snug__graph_unused_input(g), id);
  ASSERT_OK(ctx, snug__graph_output(g, id));
  ASSERT_EQ_INT(snug__graph_unused_input(g), SNUG_NONE);
  snug__graph_destroy(g);
}
