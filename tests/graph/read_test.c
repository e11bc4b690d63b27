/* Texts that are read back to the same graph, and texts that are refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/samples.h"
#include "lib/test.h"

static void expect_same_graph(const snug__graph *a, const snug__graph *b) {
  ASSERT_EQ_INT(a->values.n, b->values.n);
  ASSERT_EQ_INT(a->nodes.n, b->nodes.n);
  for (snug__id i = 0; i < a->values.n; i++) {
    const snug__value *x = snug__value_at(a, i);
    const snug__value *y = snug__value_at(b, i);
    ASSERT_TRUE(snug__type_equal(&x->type, &y->type));
    ASSERT_TRUE(x->kind == y->kind && x->class_ == y->class_ && x->producer == y->producer);
    ASSERT_TRUE(x->layer == y->layer && x->variable == y->variable);
    ASSERT_TRUE(x->view_of == y->view_of && x->view_offset == y->view_offset);
    ASSERT_EQ_TEXT(x->name, y->name);
    if (x->kind == SNUG__CONSTANT) {
      ASSERT_EQ_BYTES(x->data, y->data, (size_t)snug__type_bytes(&x->type));
    }
  }
  for (snug__id i = 0; i < a->nodes.n; i++) {
    const snug__node *x = snug__node_at(a, i);
    const snug__node *y = snug__node_at(b, i);
    ASSERT_TRUE(x->op == y->op && x->n_in == y->n_in && x->n_out == y->n_out);
    ASSERT_EQ_BYTES(x->in, y->in, (size_t)x->n_in * sizeof *x->in);
    ASSERT_EQ_BYTES(x->out, y->out, (size_t)x->n_out * sizeof *x->out);
    ASSERT_EQ_INT(x->layer, y->layer);
    ASSERT_TRUE(!x->params || memcmp(x->params, y->params, x->op->params_bytes) == 0);
  }
}

/* print(read(print(g))) == print(g), and all that the text does not show. */
static void check_round_trip(const snug__graph *g) {
  snug__graph *again = NULL;
  char *text = sample_text(g);
  ASSERT_OK(g->ctx, snug__graph_read(g->ctx, text, &again));
  char *second = sample_text(again);
  ASSERT_EQ_TEXT(text, second);
  expect_same_graph(g, again);
  snug__graph_destroy(again);
  free(second);
  free(text);
}

TEST(a_step_reads_back) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, sample_step(ctx, &g));
  check_round_trip(g);
  snug__value_at(g, 12)->layer = 1; /* another than its node's */
  snug__value_at(g, 12)->name = "a \\ \"name\"\t\x7f \xc3\xa4";
  snug__value_at(g, 7)->layer = SNUG_NONE;
  check_round_trip(g);
  snug__graph_destroy(g);
}

TEST(an_empty_graph_reads_back) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, snug__graph_create(ctx, &g));
  check_round_trip(g);
  snug__graph_destroy(g);
}

TEST(constants_read_back_to_the_bit) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, snug__graph_create(ctx, &g));
  for (snug_dtype d = SNUG_NO_DTYPE + 1; d < SNUG_DTYPE_COUNT; d++) {
    uint64_t bits[300];
    snug__id id;
    test_random_bytes(bits, sizeof bits);
    bits[0] = 0;
    bits[1] = UINT64_MAX;
    bits[2] = UINT64_C(0x8000000000000000);
    bits[3] = UINT64_C(0x7FF0000000000001); /* a signalling NaN */
    bits[4] = UINT64_C(0x7F8000017C01FF81);
    bits[5] = UINT64_C(0xFFF0000000000000);
    int64_t n = (int64_t)(sizeof bits / snug_dtype_bytes(d));
    ASSERT_OK(ctx, snug__graph_constant(g, "c", snug__type_of(d, 1, &n), bits, &id));
    n = 0;
    ASSERT_OK(ctx, snug__graph_constant(g, "none", snug__type_of(d, 1, &n), NULL, &id));
  }
  check_round_trip(g);
  snug__graph_destroy(g);
}

TEST(every_half_reads_back_to_the_bit) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  const int64_t n = 65536;
  uint16_t *all = malloc(65536 * sizeof *all);
  snug__id id;
  ASSERT_NOT_NULL(all);
  for (uint32_t h = 0; h < 65536; h++) {
    all[h] = (uint16_t)h;
  }
  ASSERT_OK(ctx, snug__graph_create(ctx, &g));
  ASSERT_OK(ctx, snug__graph_constant(g, "h", snug__type_of(SNUG_FLOAT16, 1, &n), all, &id));
  ASSERT_OK(ctx, snug__graph_constant(g, "b", snug__type_of(SNUG_BFLOAT16, 1, &n), all, &id));
  check_round_trip(g);
  snug__graph_destroy(g);
  free(all);
}

/* ---- refusals ---- */

typedef struct bad_text {
  const char *body; /* between the header and `end` */
  snug_status status;
  const char *part; /* of the message */
} bad_text;

#define A "%0 = input float32[2,3] \"a\" class=data\n"
#define B "%1 = weight float32[3] \"b\" class=weights\n"
#define S "%0 = state int64[] \"s\" var=0 class=optimizer\n"
#define F SNUG_E_FORMAT

static const bad_text bad_texts[] = {
    {"nonsense\n", F, "line 2: expected a value, layer, output or end, not 'nonsense'"},
    {"\n", F, "line 2: expected a value, layer"},
    {"end\n", F, "line 3: there is text after the end"},
    /* layers */
    {"layer 1 \"a\"\n", F, "line 2: expected layer 0, not 1"},
    {"layer 0 \"a\"\nlayer 0 \"a\"\n", F, "line 3: expected layer 1, not 0"},
    {"layer 99999999999 \"a\"\n", F, "at most 4294967294"},
    {"layer 0 a\n", F, "expected '\"'"},
    {"layer 0 \"a\n", F, "expected a name in quotes"},
    {"layer 0 \"\\q\"\n", F, "expected a name in quotes"},
    {"layer 0 \"\\x0g\"\n", F, "expected a name in quotes"},
    {"layer 0 \"\\x00\"\n", F, "expected a name in quotes"},
    {"layer 0 \"a\" b\n", F, "expected the end of the line, found 'b'"},
    {"%0 = input float32[] class=data @0\n", F, "line 2: there is no layer 0"},
    /* ids */
    {"%1 = input float32[] class=data\n%9 = input int8[] class=data\n", F,
     "line 3: %9 is more than"},
    {"%1 = input float32[2,3] class=data\n", F, "%0 is missing: ids have no gaps"},
    {A A, F, "line 3: %0 is there already"},
    {"%4294967295 = input int8[] class=data\n", F, "at most 4294967294"},
    {"%4294967294 = input int8[] class=data\n", F, "more than a text of this length"},
    {"%18446744073709551616 = input int8[] class=data\n", F, "at most"},
    {"%-1 = input int8[] class=data\n", F, "expected the number of a value, found '-1"},
    /* values */
    {"%0 = temporary int8[] class=data\n", F, "expected input, weight, state or constant"},
    {"%0 = input int9[] class=data\n", F, "line 2: there is no dtype 'int9'"},
    {"%0 = input none[] class=data\n", F, "there is no dtype 'none'"},
    {"%0 = input int8 class=data\n", F, "expected '['"},
    {"%0 = input int8[1,1,1,1,1,1,1] class=data\n", F, "there are at most 6 axes"},
    {"%0 = input int8[-1] class=data\n", F, "expected a size"},
    {"%0 = input int8[1,] class=data\n", F, "expected a size"},
    {"%0 = input int8[1 class=data\n", F, "expected ','"},
    {"%0 = input int8[9223372036854775808] class=data\n", F, "at most 9223372036854775807"},
    {"%0 = input float32[4294967296,4294967296] class=data\n", F, "do not fit into 63 bits"},
    {"%0 = input int8[]\n", F, "expected 'class='"},
    {"%0 = input int8[] class=none\n", F, "there is no class 'none'"},
    {"%0 = input int8[] var=x class=data\n", F, "expected the number of a variable"},
    {"%0 = input int8[] class=data view=%0\n", F, "%0 is used before it is there"},
    {A "%1 = input int8[] class=data view=%0\n", F, "%1 is no view"},
    /* constants */
    {"%0 = constant int8[3] class=data\n", F, "no room for the 3 elements"},
    {"%0 = constant int8[1000000000000] class=data\n 1 2\n", F, "no room for the 1000000000000"},
    {"%0 = constant int8[2] class=data\n 1\n", F, "expected an element of int8, found 'end'"},
    {"%0 = constant int8[2] class=data\n 1 2 3\n", F, "expected the end of the line, found '3'"},
    {"%0 = constant int8[2] class=data\n 1 128\n", F, "expected an element of int8, found '128'"},
    {"%0 = constant int8[2] class=data\n 1 2x\n", F, "expected an element of int8"},
    {"%0 = constant uint8[1] class=data\n -1\n", F, "expected an element of uint8"},
    {"%0 = constant int64[1] class=data\n 9223372036854775808\n", F, "an element of int64"},
    {"%0 = constant float16[1] class=data\n 65520\n", F, "an element of float16"},
    {"%0 = constant float32[1] class=data\n 1e39\n", F, "an element of float32"},
    {"%0 = constant float64[1] class=data\n 1e999\n", F, "an element of float64"},
    {"%0 = constant float16[1] class=data\n 0x1ffff\n", F, "an element of float16"},
    {"%0 = constant float64[1] class=data\n 0x1ffffffffffffffff\n", F, "an element of float64"},
    /* nodes */
    {A B "%2 float32[2,3] class=data = addd(%0, %1)\n", F, "line 4: there is no op 'addd'"},
    {A B "%2 float32[2,3] class=data = (%0, %1)\n", F, "expected the name of an op"},
    {A B "%2 float32[2,3] class=data = add(%0)\n", SNUG_E_ARGUMENT,
     "line 4: add: takes 2 to 2 inputs, not 1"},
    {A B "%2 float32[2,3] class=data = add(%0, %1, %1)\n", F, "add takes at most 2 inputs"},
    {A B "%2 float32[2,3] class=data = add(%0, %2)\n", F, "%2 is used before it is there"},
    {A B "%2 float32[2,3] class=data = add(%0, %3)\n"
         "%3 float32[2,3] class=data = add(%0, %1)\n",
     F, "line 4: %3 is used before it is there"},
    {A B "%2 float32[2,3] class=data = add(%0, -)\n", SNUG_E_DTYPE, "line 4: add: the dtypes"},
    {A B "%2 float32[2,4] class=data = add(%0, %1)\n", F, "%2: add makes float32[2,3] here"},
    {A B "%2 float64[2,3] class=data = add(%0, %1)\n", F, "%2: add makes float32[2,3] here"},
    {A B "%1 float32[2,3] class=data = add(%0, %1)\n", F, "%1 is there already"},
    {A B "%2 float32[2,3] class=data view=%0 = add(%0, %1)\n", F, "view= is not what add makes"},
    {A B "_ = add(%0, %1)\n", F, "add cannot be without its output 0"},
    {A B "%2 float32[2,3] class=data, _ = add(%0, %1)\n", F, "add has 1 outputs"},
    {A B "_, _, _, _, _, _, _ = add(%0, %1)\n", F, "there are at most 6 outputs"},
    {A B "%2 float32[2,3] class=data = add(%0, %1) {a=1}\n", SNUG_E_ARGUMENT, "there is no 'a'"},
    {A B "%2 float32[2,3] class=data = add(%0, %1) @1\n", F, "there is no layer 1"},
    {A "%1 float32[6] class=data = reshape(%0) {shape=[6]}\n", F, "view= is not what reshape"},
    {A "%1 float32[6] class=data view=%0+4 = reshape(%0) {shape=[6]}\n", F, "view= is not what"},
    {A "%1 float32[6] class=data view=%0 = reshape(%0) {shape=[7]}\n", SNUG_E_SHAPE,
     "line 3: resh"},
    {A "%1 float32[6] class=data view=%0 = reshape(%0) {shape=[6]\n", F, "parameters up to '}'"},
    {A "%1 float32[6] class=data view=%0 = reshape(%0) {shape=x}\n", SNUG_E_ARGUMENT,
     "line 3: reshape: shape=x: expected"},
    {A "%1 float32[2] class=data = sum(%0) {axes=[1]} x\n", F, "expected the end of the line"},
    {A "%1 float32[2] class=data = sum(%0 {axes=[1]}\n", F, "expected ')'"},
    {S "%1 int64[] class=optimizer view=%0 = increment(%0)\n"
       "%2 int64[] class=optimizer view=%0 = increment(%0)\n",
     F, "not of a valid graph: node 1, increment: input 0, %0 s, was overwritten"},
    {A "output %1\n", F, "line 3: %1 is used before it is there"},
    {A "output 0\n", F, "expected '%'"},
};

static void expect_refusal(snug_ctx *ctx, const char *text, snug_status status, const char *part) {
  snug__graph *g = (snug__graph *)&g;
  ASSERT_STATUS(ctx, snug__graph_read(ctx, text, &g), status, part);
  ASSERT_NULL(g);
}

TEST(bad_texts_are_refused) {
  snug_ctx *ctx = test_ctx();
  for (size_t i = 0; i < sizeof bad_texts / sizeof bad_texts[0]; i++) {
    char text[1024];
    int padding = strstr(bad_texts[i].body, "%9") || strstr(bad_texts[i].body, "constant") ? 0 : 80;
    snprintf(text, sizeof text, "snug-graph 1%*s\n%send\n", padding, "", bad_texts[i].body);
    expect_refusal(ctx, text, bad_texts[i].status, bad_texts[i].part);
  }
}

TEST(bad_headers_are_refused) {
  snug_ctx *ctx = test_ctx();
  expect_refusal(ctx, "", F, "line 1: the text is cut short here");
  expect_refusal(ctx, "snug-graph 2\nend\n", F, "line 1: expected 'snug-graph 1'");
  expect_refusal(ctx, "snug-graph 12\nend\n", F, "line 1: expected the end of the line");
  expect_refusal(ctx, "snug-graph 1\n", F, "line 2: the text is cut short here");
}

TEST(a_line_that_is_too_long_is_refused) {
  snug_ctx *ctx = test_ctx();
  size_t n = 200000;
  char *text = malloc(n + 1);
  ASSERT_NOT_NULL(text);
  memset(text, ' ', n);
  memcpy(text, "snug-graph 1\n", 13);
  memcpy(text + n - 5, "\nend\n", 6);
  expect_refusal(ctx, text, F, "line 2: is longer than 65535 characters");
  text[14] = '\n';
  expect_refusal(ctx, text, F, NULL);
  free(text);
}

/* ---- damaged texts: whatever happens, nothing is leaked and nothing crashes ---- */

TEST(every_shorter_text_is_refused) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, sample_step(ctx, &g));
  char *text = sample_text(g);
  snug__graph_destroy(g);
  for (size_t n = strlen(text); n-- > 0;) {
    text[n] = 0;
    expect_refusal(ctx, text, F, "line ");
  }
  free(text);
}

/* A text with one byte changed may still be one: then it must print and read back. */
static void try_damaged(snug_ctx *ctx, const char *text) {
  snug__graph *g = NULL;
  snug_status s = snug__graph_read(ctx, text, &g);
  ASSERT_TRUE((s == SNUG_OK) == (g != NULL));
  if (!s) {
    check_round_trip(g);
    snug__graph_destroy(g);
  }
}

TEST(changed_bytes_do_no_harm) {
  static const char others[] = "\x01\n 0%\"{}=[]-_9a\xff";
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, sample_step(ctx, &g));
  char *text = sample_text(g);
  snug__graph_destroy(g);
  for (size_t i = 0; text[i]; i++) {
    char old = text[i];
    for (const char *c = others; *c; c++) {
      text[i] = *c;
      try_damaged(ctx, text);
    }
    text[i] = (char)test_random_between(1, 255);
    try_damaged(ctx, text);
    text[i] = old;
  }
  free(text);
}

TEST(removed_and_repeated_pieces_do_no_harm) {
  snug__graph *g = NULL;
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, sample_step(ctx, &g));
  char *text = sample_text(g);
  snug__graph_destroy(g);
  size_t n = strlen(text);
  char *other = malloc(2 * n + 1);
  ASSERT_NOT_NULL(other);
  for (int round = 0; round < 3000; round++) {
    size_t from = (size_t)test_random_between(0, (int64_t)n);
    size_t to = (size_t)test_random_between(0, (int64_t)n);
    memcpy(other, text, from); /* text[0, from) and then text[to, n): a gap or a repetition */
    memcpy(other + from, text + to, n - to + 1);
    try_damaged(ctx, other);
  }
  free(other);
  free(text);
}

/* Memory is bounded by the text: no number in it makes the reader take more. */
TEST(memory_is_bounded_by_the_length_of_the_text) {
  static const char *const texts[] = {
      "snug-graph 1\n%4000000000 = input int8[] class=data\nend\n",
      "snug-graph 1\n%16777215 = input int8[] class=data\nend\n",
      "snug-graph 1\n%0 = constant float64[1000000000] class=data\n 1\nend\n",
      "snug-graph 1\n%0 = input int8[9000000000000000000] class=data\nend\n"};
  snug_options options = SNUG_INIT(snug_options);
  options.memory_limit = 256u << 10;
  snug_ctx *ctx = test_ctx_with(&options);
  for (size_t i = 0; i < 3; i++) {
    expect_refusal(ctx, texts[i], F, "line 2");
  }
  try_damaged(ctx, texts[3]);
}
