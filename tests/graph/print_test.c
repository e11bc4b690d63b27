#include <stdlib.h>
#include <string.h>

#include "graph/samples.h"
#include "lib/test.h"

static const char step_text[] =
    "snug-graph 1\n"
    "layer 0 \"dense \\\"one\\\"\"\n"
    "layer 1 \"step\\x0a\"\n"
    "%0 = input float32[2,3] \"x\" class=data\n"
    "%1 = input int32[2] \"y\" class=data\n"
    "%2 = weight float32[3,4] \"kernel\" var=0 class=weights @0\n"
    "%3 = state float32[3,4] \"m\" var=1 class=optimizer @0\n"
    "%4 = state float32[3,4] \"v\" var=2 class=optimizer @0\n"
    "%5 = state int64[] \"count\" var=3 class=optimizer @1\n"
    "%6 = constant float32[] \"rate\" class=weights @1\n"
    "  0.10000000149011612\n"
    "%7 float32[2,4] class=activations = matmul(%0, %2) @0\n"
    "%8 float32[2,1,4] class=activations view=%7 = reshape(%7) {shape=[2,1,4]}\n"
    "%9 float32[2,4] class=activations view=%7 = reshape(%8) {shape=[2,4]}\n"
    "%10 float32[2] class=activations, %17 float32[2] class=activations = "
    "sparse_categorical_crossentropy(%1, %9) {from_logits=true, ignore_class=-1}\n"
    "%11 float32[] class=activations = loss_reduce(%10, -, %10)\n"
    "%12 float32[3,4] class=gradients = matmul(%0, %7) {transpose_a=true} @0\n"
    "%13 float32[3,4] class=weights view=%2, %14 float32[3,4] class=optimizer view=%3, %15 "
    "float32[3,4] class=optimizer view=%4, _ = adam(%2, %12, %3, %4, -, %6, %5) {beta_1=0.8, "
    "weight_decay=0.004} @0\n"
    "%16 int64[] class=optimizer view=%5 = increment(%5) @1\n"
    "output %11\n"
    "output %13\n"
    "end\n";

TEST(a_step_has_this_text) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, sample_step(ctx, &g));
  ASSERT_OK(ctx, snug__graph_verify(g));
  char *text = sample_text(g);
  ASSERT_EQ_TEXT(text, step_text);
  free(text);
  snug__graph_destroy(g);
}

TEST(an_empty_graph_has_a_text) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, snug__graph_create(ctx, &g));
  char *text = sample_text(g);
  ASSERT_EQ_TEXT(text, "snug-graph 1\nend\n");
  free(text);
  snug__graph_destroy(g);
}

/* A line that could not be read back is not printed. */
TEST(a_name_that_is_too_long_is_refused) {
  snug__graph *g = NULL;
  snug__text text;
  snug_ctx *ctx = test_ctx();
  char *name = malloc(70000);
  ASSERT_NOT_NULL(name);
  memset(name, 'a', 70000);
  name[69999] = 0;
  ASSERT_OK(ctx, snug__graph_create(ctx, &g));
  ASSERT_OK(ctx, snug__graph_layer(g, name, NULL));
  snug__text_init(&text, ctx, 1u << 20);
  ASSERT_STATUS(ctx, snug__graph_print(g, &text), SNUG_E_OVERFLOW, "there may be 65535");
  snug__text_release(&text);
  snug__graph_destroy(g);
  free(name);
}

TEST(a_text_that_may_not_grow_is_refused) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, sample_step(ctx, &g));
  for (size_t max = 1; max < sizeof step_text; max += 7) {
    snug__text text;
    snug__text_init(&text, ctx, max);
    ASSERT_STATUS(ctx, snug__graph_print(g, &text), SNUG_E_OVERFLOW, NULL);
    snug__text_release(&text);
  }
  snug__graph_destroy(g);
}
