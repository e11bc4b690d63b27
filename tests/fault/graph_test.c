/* Graphs under the fault sweep: built, differentiated, printed, read, verified. */
#include <string.h>

#include "grad/grad.h"
#include "lib/fault.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/support.h"

/* A graph by reading, for scenarios that begin after that. */
static const char step[] =
    "snug-graph 1\n"
    "layer 0 \"dense\"\n"
    "%0 = input float32[2,3] \"x\" class=data\n"
    "%1 = weight float32[3,4] \"w\" var=0 class=weights @0\n"
    "%3 = constant float64[12] \"c\" class=weights\n"
    "  1 2 3 4 5 6 7 8\n"
    "  9 10 11 12\n"
    "%5 = state int64[] \"n\" var=1 class=optimizer\n"
    "%2 float32[2,4] class=activations = matmul(%0, %1) @0\n"
    "%4 float32[8] class=activations view=%2 = reshape(%2) {shape=[8]} @0\n"
    "%6 float32[] class=activations = sum(%4)\n"
    "%7 int64[] class=optimizer view=%5 = increment(%5) {by=2}\n"
    "output %6\n"
    "end\n";

static snug_status add_chain(snug__graph *g, snug__id x, snug__id *loss) {
  snug__id d = SNUG_NONE;
  snug__reduce_params all;
  memset(&all, 0, sizeof all);
  for (int i = 0; i < 40; i++) {
    SNUG_TRY(snug__graph_layer(g, "a layer with a name that fills the arena", NULL));
    SNUG_TRY(SNUG_EMIT(g, add, NULL, &d, x, x));
    x = d;
  }
  SNUG_TRY(SNUG_EMIT(g, sum, &all, loss, x));
  return snug__graph_output(g, *loss);
}

static snug_status build(snug__graph *g) {
  const int64_t shape[] = {3, 4};
  const float data[12] = {0};
  snug__type type = snug__type_of(SNUG_FLOAT32, 2, shape);
  snug__id x, c, loss, d, sum;
  SNUG_TRY(snug__graph_variable(g, "x", SNUG__WEIGHT, SNUG__CLASS_WEIGHTS, type, 0, &x));
  SNUG_TRY(snug__graph_constant(g, "c", type, data, &c));
  SNUG_TRY(SNUG_EMIT(g, add, NULL, &sum, x, c));
  SNUG_TRY(add_chain(g, sum, &loss));
  SNUG_TRY(snug__grad_append(g, loss, &x, 1, &d));
  SNUG_TRY(snug__graph_output(g, d));
  return snug__graph_verify(g);
}

static snug_status build_scenario(snug_ctx *ctx, void *arg) {
  snug__graph *g = NULL;
  (void)arg;
  SNUG_TRY(snug__graph_create(ctx, &g));
  snug_status s = build(g);
  snug__graph_destroy(g);
  return s;
}

TEST(building_and_differentiating) { test_fault_sweep(build_scenario, NULL); }

static snug_status read_scenario(snug_ctx *ctx, void *arg) {
  snug__graph *g = NULL;
  snug_status s = snug__graph_read(ctx, arg, &g);
  if (s && g) {
    return SNUG_E_INTERNAL;
  }
  snug__graph_destroy(g);
  return s;
}

TEST(reading) {
  char text[sizeof step];
  memcpy(text, step, sizeof step);
  test_fault_sweep(read_scenario, text);
}

static snug_status print_scenario(snug_ctx *ctx, void *arg) {
  snug__graph *g = NULL;
  snug__text text;
  (void)arg;
  SNUG_TRY(snug__graph_read(ctx, step, &g));
  snug__text_init(&text, ctx, 1u << 20);
  snug_status s = snug__graph_print(g, &text);
  if (!s && strcmp(snug__text_get(&text), step) != 0) {
    s = SNUG_E_INTERNAL;
  }
  snug__text_release(&text);
  snug__graph_destroy(g);
  return s;
}

TEST(printing) { test_fault_sweep(print_scenario, NULL); }

/* A node that finds no memory is not added: the graph can be used on. */
static snug_status unchanged_scenario(snug_ctx *ctx, void *arg) {
  snug__graph *g = NULL;
  snug__id out = SNUG_NONE;
  (void)arg;
  SNUG_TRY(snug__graph_read(ctx, step, &g));
  snug_status s = SNUG_OK;
  for (int i = 0; i < 100 && !s; i++) {
    size_t values = g->values.n;
    size_t nodes = g->nodes.n;
    s = SNUG_EMIT(g, add, NULL, &out, 2, 2);
    if (s && (g->values.n != values || g->nodes.n != nodes)) {
      s = SNUG_E_INTERNAL;
    }
  }
  snug__graph_destroy(g);
  return s;
}

TEST(a_node_without_memory_is_not_added) { test_fault_sweep(unchanged_scenario, NULL); }
