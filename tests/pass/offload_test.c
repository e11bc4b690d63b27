/* The offload pass alone: where its nodes stand, what cannot wait, how long the step will take. */
#include "pass/offload.h"

#include <string.h>

#include "grad/grad.h"
#include "lib/test.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/spill.h"
#include "ops/support.h"
#include "plan/plan.h"

enum { DEPTH = 8, BATCH = 32, WIDTH = 64 };

/* x w0 w1 ... with a tanh behind each, as two axes and as one by turns, and all its gradients. */
static snug__graph *build(snug_ctx *ctx) {
  snug__graph *g = NULL;
  snug__id x = 0, h = 0, loss = 0, w[DEPTH], dw[DEPTH];
  snug__matmul_params plain = {false, false};
  snug__reduce_params sum;
  memset(&sum, 0, sizeof sum);
  snug__type flat = snug__type_of(SNUG_FLOAT32, 1, (int64_t[]){BATCH * WIDTH});
  snug__type wide = snug__type_of(SNUG_FLOAT32, 2, (int64_t[]){BATCH, WIDTH});
  ASSERT_OK(ctx, snug__graph_create(ctx, &g));
  ASSERT_OK(ctx, snug__graph_input(g, "x", wide, &x));
  h = x;
  for (uint32_t i = 0; i < DEPTH; i++) {
    ASSERT_OK(ctx, snug__graph_variable(g, "w", SNUG__WEIGHT, SNUG__CLASS_WEIGHTS,
                                        snug__type_of(SNUG_FLOAT32, 2, (int64_t[]){WIDTH, WIDTH}),
                                        i, &w[i]));
    ASSERT_OK(ctx, SNUG_EMIT(g, matmul, &plain, &h, h, w[i]));
    ASSERT_OK(ctx, snug__emit_reshape(g, h, &flat, &h));
    ASSERT_OK(ctx, SNUG_EMIT(g, tanh, NULL, &h, h));
    ASSERT_OK(ctx, snug__emit_reshape(g, h, &wide, &h));
  }
  ASSERT_OK(ctx, SNUG_EMIT(g, sum, &sum, &loss, h));
  ASSERT_OK(ctx, snug__grad_append(g, loss, w, DEPTH, dw));
  ASSERT_OK(ctx, snug__graph_output(g, loss));
  for (int i = 0; i < DEPTH; i++) {
    ASSERT_OK(ctx, snug__graph_output(g, dw[i]));
  }
  return g;
}

static snug__graph *offload(snug_ctx *ctx, const snug__graph *g, const snug__offload *set) {
  snug__rewrite r;
  ASSERT_OK(ctx, snug__pass_offload(g, set, &r));
  snug__graph *made = r.to;
  r.to = NULL;
  snug__rewrite_release(&r);
  return made;
}

static size_t count(const snug__graph *g, const snug__op *op) {
  size_t n = 0;
  for (snug__id id = 0; id < g->nodes.n; id++) {
    n += snug__node_at(g, id)->op == op;
  }
  return n;
}

TEST(a_graph_that_waits_can_be_printed_and_read) {
  snug_ctx *ctx = test_ctx();
  snug__graph *g = build(ctx), *read = NULL;
  snug__graph *waits = offload(ctx, g, &(snug__offload){.least = 1, .reach = 2});
  snug__text a, b;
  snug__text_init(&a, ctx, 1 << 20);
  snug__text_init(&b, ctx, 1 << 20);
  ASSERT_OK(ctx, snug__graph_print(waits, &a));
  ASSERT_OK(ctx, snug__graph_read(ctx, snug__text_get(&a), &read));
  ASSERT_OK(ctx, snug__graph_print(read, &b));
  ASSERT_EQ_TEXT(snug__text_get(&a), snug__text_get(&b));
  snug__text_release(&a);
  snug__text_release(&b);
  snug__graph_destroy(g);
  snug__graph_destroy(waits);
  snug__graph_destroy(read);
}

TEST(each_value_goes_once_and_comes_once) {
  snug_ctx *ctx = test_ctx();
  snug__graph *g = build(ctx);
  snug__graph *waits = offload(ctx, g, &(snug__offload){.least = 1, .reach = 2});
  size_t n = count(waits, &snug__op_spill_start);
  ASSERT_TRUE(n >= DEPTH - 2 && n <= DEPTH + 1);
  ASSERT_EQ_UINT(count(waits, &snug__op_spill_wait), n);
  ASSERT_EQ_UINT(count(waits, &snug__op_fetch_start), n);
  ASSERT_EQ_UINT(count(waits, &snug__op_fetch_wait), n);
  ASSERT_EQ_INT(snug__spill_bytes(waits), (int64_t)n * BATCH * WIDTH * 4);
  ASSERT_EQ_INT(snug__spill_bytes(g), 0);
  snug__graph_destroy(g);
  snug__graph_destroy(waits);
}

TEST(only_what_is_chosen_waits) {
  snug_ctx *ctx = test_ctx();
  snug__graph *g = build(ctx);
  bool can[512] = {false}, one[512] = {false};
  ASSERT_TRUE(g->values.n < SNUG_COUNT(can));
  ASSERT_OK(ctx, snug__offload_can(g, can));
  snug__id v = 0;
  while (!can[v]) {
    v++;
  }
  one[v] = true;
  snug__graph *waits = offload(ctx, g, &(snug__offload){.waits = one, .reach = 1});
  ASSERT_EQ_UINT(count(waits, &snug__op_spill_start), 1);
  for (v = 0; v < g->values.n; v++) { /* weights, outputs, views, values of the backward */
    const snug__value *x = snug__value_at(g, v);
    bool late = x->producer != SNUG_NONE && snug__node_at(g, x->producer)->backward;
    ASSERT_FALSE(can[v] && (x->kind == SNUG__WEIGHT || x->view_of != SNUG_NONE || late));
  }
  snug__graph_destroy(g);
  snug__graph_destroy(waits);
}

static size_t position_of(const snug__graph *g, const snug__id *order, snug__id node) {
  size_t p = 0;
  while (order[p] != node) {
    ASSERT_TRUE(++p < g->nodes.n);
  }
  return p;
}

/* Nodes that do something between the begin and the end of a transfer, in an order. */
static int between(const snug__graph *g, const snug__id *order, snug__id ticket, snug__id wait) {
  int n = 0;
  size_t begin = position_of(g, order, snug__value_at(g, ticket)->producer);
  for (size_t p = begin + 1; p < position_of(g, order, wait); p++) {
    n += !(snug__node_at(g, order[p])->op->flags & (SNUG__OP_VIEW | SNUG__OP_STORE));
  }
  return n;
}

/* Transfers of a graph, and those that have fewer nodes beside them than they should. */
static void count_transfers(const snug__graph *g, const snug__id *order, int32_t reach, int *all,
                            int *hurried) {
  *all = *hurried = 0;
  for (snug__id id = 0; id < g->nodes.n; id++) {
    const snug__node *node = snug__node_at(g, id);
    if (node->op == &snug__op_spill_wait || node->op == &snug__op_fetch_wait) {
      int n = between(g, order, node->in[1], id);
      ASSERT_TRUE(n <= reach + 2);
      *hurried += n < reach;
      *all += 1;
    }
  }
}

/* The best order keeps the distances that the pass gave, but where it exchanges two nodes. */
TEST(the_order_keeps_work_between_begin_and_end) {
  snug_ctx *ctx = test_ctx();
  snug__graph *g = build(ctx);
  for (int32_t reach = 0; reach < 5; reach++) {
    snug__id order[512];
    int all = 0, hurried = 0;
    ASSERT_OK(ctx, snug__plan_order(g, SNUG__ORDER_PEAK, order));
    snug__graph *waits =
        offload(ctx, g, &(snug__offload){.least = 1, .reach = reach, .order = order});
    ASSERT_TRUE(waits->nodes.n < SNUG_COUNT(order));
    ASSERT_OK(ctx, snug__plan_order(waits, SNUG__ORDER_PEAK, order));
    count_transfers(waits, order, reach, &all, &hurried);
    ASSERT_TRUE(all >= 10 && hurried <= 2);
    snug__graph_destroy(waits);
  }
  snug__graph_destroy(g);
}

/* ---- time ---- */

static double time_of(snug_ctx *ctx, const snug__graph *g, double per_node, double per_byte,
                      double busy) {
  snug__store_rate rate = {per_byte, per_byte, busy};
  snug__id order[512];
  double seconds[512], out = 0.0;
  ASSERT_TRUE(g->nodes.n < SNUG_COUNT(order));
  for (snug__id id = 0; id < g->nodes.n; id++) {
    order[id] = id;
    bool idle = snug__node_at(g, id)->op->flags & (SNUG__OP_STORE | SNUG__OP_VIEW);
    seconds[id] = idle ? 0.0 : per_node;
  }
  ASSERT_OK(ctx, snug__spill_seconds(g, order, seconds, &rate, &out));
  return out;
}

TEST(time_is_that_of_the_slower_one) {
  snug_ctx *ctx = test_ctx();
  snug__graph *g = build(ctx);
  snug__graph *waits = offload(ctx, g, &(snug__offload){.least = 1, .reach = 2});
  double alone = time_of(ctx, g, 1.0, 0.0, 0.0);
  double bytes = 2.0 * (double)snug__spill_bytes(waits);
  ASSERT_NEAR(time_of(ctx, waits, 1.0, 1e-9, 0.0), alone, 1e-9); /* all of it goes on beside */
  ASSERT_NEAR(time_of(ctx, waits, 0.0, 1.0, 0.0), bytes, 1e-9);
  ASSERT_NEAR(time_of(ctx, waits, 1.0, 1e-9, 1e-10), alone + 1e-10 * bytes, 1e-9);
  double both = time_of(ctx, waits, 1.0, 10.0 * alone / bytes, 0.0);
  ASSERT_TRUE(both > 10.0 * alone && both < 11.0 * alone);
  snug__graph_destroy(g);
  snug__graph_destroy(waits);
}
