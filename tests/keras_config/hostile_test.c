/* Configs that lie, contradict themselves or are made to take for ever. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static void refuse(const char *config, snug_status expected, const char *part) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, config_refuse(ctx, config), expected, part);
  ASSERT_HAS(snug_message(ctx), "m.keras");
  test_ctx_end(ctx);
}

#define X INPUT("x", "[null, 4]")
#define ONE_INPUT(layers, outputs) FUNCTIONAL("f", X "," layers, "['x', 0, 0]", outputs) END

TEST(no_models) {
  refuse("[]", SNUG_E_FORMAT, "class_name");
  refuse("{}", SNUG_E_FORMAT, "class_name");
  refuse("{'class_name': 3, 'config': {}}", SNUG_E_FORMAT, "class_name");
  refuse("{'class_name': 'Sequential', 'config': null}", SNUG_E_FORMAT, "config");
  refuse("{'class_name': 'Sequential', 'config': {'name': 's'}}", SNUG_E_FORMAT, "no layers");
  refuse("{'class_name': 'Sequential', 'config': {'layers': {}}}", SNUG_E_FORMAT, "no layers");
  refuse("{'class_name': 'Sequential', 'config': {'layers': [3]}}", SNUG_E_FORMAT, "no class_name");
  refuse("{'class_name': 'MyModel', 'config': {'layers': []}}", SNUG_E_UNSUPPORTED, "'MyModel'");
  refuse("{'class_name': 'Functional', 'config': {'name': 'f', 'layers': [" X "]}}", SNUG_E_FORMAT,
         "no input_layers");
}

TEST(graphs_that_contradict_themselves) {
  refuse(ONE_INPUT(DENSE("a", 2, NODE(TENSOR("b", 0, 0))), "['a', 0, 0]"), SNUG_E_FORMAT,
         "uses an output of 'b', and has no such layer");
  refuse(ONE_INPUT(DENSE("a", 2, NODE(TENSOR("x", 1, 0))), "['a', 0, 0]"), SNUG_E_FORMAT,
         "call 1 of 'x', which is called 1 times");
  refuse(ONE_INPUT(DENSE("a", 2, NODE(TENSOR("x", 0, 1))), "['a', 0, 0]"), SNUG_E_FORMAT,
         "output 1 of 'x', which has 1");
  refuse(ONE_INPUT(DENSE("a", 2, NODE(TENSOR("x", -1, 0))), "['a', 0, 0]"), SNUG_E_FORMAT, "'x'");
  refuse(ONE_INPUT(DENSE("a", 2, NODE(TENSOR("x", 0, -1))), "['a', 0, 0]"), SNUG_E_FORMAT, "'x'");
  refuse(ONE_INPUT(DENSE("a", 2, NODE(TENSOR("x", 0, 0))), "['a', 1, 0]"), SNUG_E_FORMAT, "'a'");
  refuse(ONE_INPUT(DENSE("a", 2, NODE(TENSOR("x", 0, 0))), "['a', 0, 3]"), SNUG_E_FORMAT,
         "output 3 of 'a'");
  refuse(ONE_INPUT(DENSE("a", 2, NODE(TENSOR("x", 0, 0))), "[['a', 'b', 0]]"), SNUG_E_FORMAT,
         "[layer, node, index]");
  refuse(ONE_INPUT(DENSE("a", 2, NODE("3")), "['a', 0, 0]"), SNUG_E_FORMAT, "on no tensor");
  refuse(ONE_INPUT(DENSE("a", 2, "7"), "['a', 0, 0]"), SNUG_E_FORMAT, "on no tensor");
  refuse(ONE_INPUT(DENSE("a", 2, ""), "['a', 0, 0]"), SNUG_E_FORMAT, "called 0 times");
  refuse(ONE_INPUT(DENSE("a", 2, "[[3]]"), "['a', 0, 0]"), SNUG_E_FORMAT, "[layer, node, index]");
  refuse(
      ONE_INPUT(DENSE("a", 2, NODE(TENSOR("x", 0, 0))) "," DENSE("a", 2, NODE(TENSOR("x", 0, 0))),
                "['a', 0, 0]"),
      SNUG_E_FORMAT, "two layers of the model 'f' are named 'a'");
  refuse(FUNCTIONAL("f", X "," DENSE("a", 2, NODE(TENSOR("x", 0, 0))), "['a', 0, 0]", "['a', 0, 0]")
             END,
         SNUG_E_UNSUPPORTED, "no InputLayer");
}

TEST(rings) {
  refuse(ONE_INPUT(DENSE("a", 4, NODE(TENSOR("a", 0, 0))), "['a', 0, 0]"), SNUG_E_FORMAT,
         "'a' (Dense): cannot be called");
  refuse(
      ONE_INPUT(DENSE("a", 4, NODE(TENSOR("b", 0, 0))) "," DENSE("b", 4, NODE(TENSOR("a", 0, 0))),
                "['a', 0, 0]"),
      SNUG_E_FORMAT, "inputs depend on its output");
  refuse(FUNCTIONAL("f", X "," INPUT("y", "[null, 4]") "," DENSE("a", 4, NODE(TENSOR("y", 0, 0))),
                    "['x', 0, 0]", "['a', 0, 0]") END,
         SNUG_E_FORMAT, "layer 'y' (InputLayer): is used, and is not among the inputs");
}

#define SELF(nodes)                                                                             \
  FUNCTIONAL("g",                                                                               \
             INPUT("z", "[null, 4]") "," FUNCTIONAL(                                            \
                 "h", X, "['x', 0, 0]",                                                         \
                 "['x', 0, 0]") ", 'shared_object_id': 5" CALLED("h", NODE(TENSOR("z", 0, 0))), \
             "['z', 0, 0]", "['h', 0, 0]")                                                      \
  ", 'shared_object_id': 5" CALLED("g", nodes)

TEST(a_model_inside_of_itself) {
  refuse(ONE_INPUT(SELF(NODE(TENSOR("x", 0, 0))), "['g', 1, 0]"), SNUG_E_FORMAT,
         "called inside of itself");
  refuse(
      ONE_INPUT(
          DENSE("a", 4,
                NODE(TENSOR("x", 0, 0))) ","
                                         "{'class_name': 'ReLU', 'config': {'name': 'r'}, "
                                         "'shared_object_id': 9, 'name': "
                                         "'r', 'inbound_nodes': [" NODE(TENSOR(
                                             "a", 0, 0)) "]},"
                                                         "{'class_name': 'ELU', 'config': {'name': "
                                                         "'e'}, 'shared_object_id': 9, 'name': "
                                                         "'e', 'inbound_nodes': [" NODE(
                                                             TENSOR("a", 0, 0)) "]}",
          "['e', 0, 0]"),
      SNUG_E_FORMAT, "has the shared_object_id of 'r' (ReLU)");
}

TEST(models_are_called_on_as_many_tensors_as_they_have_inputs) {
  refuse(ONE_INPUT(FUNCTIONAL("g", INPUT("z", "[null, 4]"), "['z', 0, 0]", "['z', 0, 0]")
                       CALLED("g", NODE(TENSOR("x", 0, 0) "," TENSOR("x", 0, 0))),
                   "['g', 1, 0]"),
         SNUG_E_FORMAT, "called on 2 tensors and has 1");
  refuse(ONE_INPUT(SEQUENTIAL("g", DENSE("d", 2, ""))
                       CALLED("g", NODE(TENSOR("x", 0, 0) "," TENSOR("x", 0, 0))),
                   "['g', 0, 0]"),
         SNUG_E_FORMAT, "called on 2 tensors and has 1");
}

TEST(names) {
  char name[300];
  static char text[CONFIG_BYTES];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  snprintf(text, sizeof text, SEQUENTIAL("s", X "," DENSE("%s", 2, "")) END, name, name);
  refuse(text, SNUG_E_UNSUPPORTED, "at most 127 bytes");
  refuse(SEQUENTIAL("s", X "," DENSE("a\\\"b", 2, "")) END, SNUG_E_UNSUPPORTED, "no quotes");
  refuse(SEQUENTIAL("s", X "," DENSE("", 2, "")) END, SNUG_E_FORMAT, "no class_name, name");
  refuse(SEQUENTIAL("s", X "," DENSE("a", 2, "") "," DENSE("a", 2, "")) END, SNUG_E_FORMAT,
         "are named 'a'");
}

/* A text that is put together from many pieces. */
typedef struct builder {
  char *text;
  size_t n, room;
} builder;

static void add(builder *b, const char *format, ...) SNUG_PRINTF(2, 3);
static void add(builder *b, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(b->text + b->n, b->room - b->n, format, args);
  va_end(args);
  ASSERT_TRUE(n >= 0 && b->n + (size_t)n < b->room);
  for (int i = 0; i < n; i++) {
    b->text[b->n] = b->text[b->n] == '\'' ? '"' : b->text[b->n];
    b->n++;
  }
}

static builder make_builder(size_t room) {
  builder b = {test_allocator()->realloc(test_allocator()->ctx, NULL, 0, room), 0, room};
  ASSERT_NOT_NULL(b.text);
  return b;
}

static void end_builder(builder *b) {
  (void)test_allocator()->realloc(test_allocator()->ctx, b->text, b->room, 0);
}

/* Each of n models calls the one inside of it twice; all are named m. */
static void add_doubling(builder *b, int n) {
  for (int i = 0; i < n; i++) {
    add(b, "{'class_name': 'Functional', 'config': {'name': 'm', 'layers': [%s,",
        INPUT("x", "[null, 4]"));
  }
  add(b, "%s", DENSE("d", 4, NODE(TENSOR("x", 0, 0))));
  for (int i = n; i-- > 0;) {
    add(b, "], 'input_layers': ['x', 0, 0], 'output_layers': ['%s', %d, 0]}",
        i == n - 1 ? "d" : "m", i == n - 1 ? 0 : 2);
    add(b, "%s", i > 0 ? CALLED("m", NODE(TENSOR("x", 0, 0)) "," NODE(TENSOR("m", 0, 0))) : "}");
  }
}

static snug_status build(snug_ctx *ctx, const builder *b, snug_model **out) {
  return snug__keras_build(ctx, "m.keras", b->text, b->n, "", NULL, out);
}

TEST(calls_that_double_with_every_level) {
  snug_ctx *ctx = test_ctx();
  builder b = make_builder((size_t)1 << 20);
  snug_model *m = NULL;
  add_doubling(&b, 4);
  ASSERT_OK(ctx, build(ctx, &b, &m));
  ASSERT_EQ_UINT(m->calls.n, 8);
  snug_model_destroy(m);
  b.n = 0;
  add_doubling(&b, 40);
  ASSERT_STATUS(ctx, build(ctx, &b, &m), SNUG_E_FORMAT, "call each other more than");
  b.n = 0;
  add_doubling(&b, 80);
  ASSERT_STATUS(ctx, build(ctx, &b, &m), SNUG_E_UNSUPPORTED, "at most 127 bytes");
  end_builder(&b);
}

/* A chain of layers, listed from its end. */
static void add_chain(builder *b, int n) {
  add(b, "{'class_name': 'Functional', 'config': {'name': 'f', 'layers': [");
  for (int i = n; i-- > 0;) {
    add(b,
        "{'class_name': 'ReLU', 'config': {'name': 'r%d'}, 'name': 'r%d', 'inbound_nodes': "
        "[{'args': [{'class_name': '__keras_tensor__', 'config': {'keras_history': ['%s%.0d', 0, "
        "0]}}], 'kwargs': {}}]},",
        i + 1, i + 1, i ? "r" : "x", i);
  }
  add(b, "%s], 'input_layers': ['x', 0, 0], 'output_layers': ['r%d', 0, 0]}}",
      INPUT("x", "[null, 4]"), n);
}

TEST(many_layers_in_the_worst_order_take_no_time) {
  snug_ctx *ctx = test_ctx();
  builder b = make_builder((size_t)8 << 20);
  snug_model *m = NULL;
  enum { N = 20000 };
  add_chain(&b, N);
  ASSERT_OK(ctx, build(ctx, &b, &m));
  ASSERT_EQ_UINT(m->calls.n, N);
  ASSERT_EQ_UINT(m->keras->places.n, N + 2);
  snug_model_destroy(m);
  end_builder(&b);
}
