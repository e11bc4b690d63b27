/* Every op in the text of a graph: each case alone, and random graphs made of many. */
#include <stdlib.h>
#include <string.h>

#include "lib/test.h"
#include "ops/bench.h"
#include "ops/table.h"

static char *text_of(const snug__graph *g) {
  snug__text text;
  snug__text_init(&text, g->ctx, 1u << 24);
  ASSERT_OK(g->ctx, snug__graph_print(g, &text));
  char *copy = strdup(snug__text_get(&text));
  ASSERT_NOT_NULL(copy);
  snug__text_release(&text);
  return copy;
}

static void expect_same_params(const snug__graph *a, const snug__graph *b) {
  for (snug__id i = 0; i < a->nodes.n; i++) {
    const snug__node *x = snug__node_at(a, i);
    const snug__node *y = snug__node_at(b, i);
    if (x->params && memcmp(x->params, y->params, x->op->params_bytes) != 0) {
      test_fail(__FILE__, __LINE__, "%s: the parameters do not read back", x->op->name);
    }
  }
}

static void check_round_trip(const snug__graph *g) {
  snug__graph *again = NULL;
  char *text = text_of(g);
  ASSERT_OK(g->ctx, snug__graph_verify(g));
  ASSERT_OK(g->ctx, snug__graph_read(g->ctx, text, &again));
  char *second = text_of(again);
  ASSERT_EQ_TEXT(text, second);
  expect_same_params(g, again);
  snug__graph_destroy(again);
  free(second);
  free(text);
}

TEST(every_case_reads_back) {
  for (int32_t i = 0; i < snug__op_count; i++) {
    for (size_t k = 0; k < snug__all_cases[i]->n; k++) {
      const op_case *c = &snug__all_cases[i]->cases[k];
      op_bench b;
      if (!c->fails) {
        snug_status s = bench_open(&b, snug__op_table[i], c, SNUG_FLOAT32, SNUG_FLOAT32);
        ASSERT_OK(b.ctx, s);
        check_round_trip(b.g);
        bench_close(&b);
      }
    }
  }
}

/* Put a number where the text has one: what a hostile text says about sizes and parameters. */
static void replace_number(const char *text, size_t at, const char *number, char *out) {
  size_t n = strspn(text + at, "0123456789.");
  memcpy(out, text, at);
  memcpy(out + at, number, strlen(number));
  memcpy(out + at + strlen(number), text + at + n, strlen(text + at + n) + 1);
}

static void check_hostile(snug_ctx *ctx, const char *text) {
  static const char *const numbers[] = {"0",
                                        "-1",
                                        "7",
                                        "65",
                                        "2147483648",
                                        "4294967297",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "1e308"};
  char *other = malloc(strlen(text) + 32);
  ASSERT_NOT_NULL(other);
  for (size_t i = 13; text[i]; i++) { /* after the header */
    bool starts = strchr("0123456789", text[i]) && !strchr("0123456789%", text[i - 1]);
    for (size_t k = 0; starts && k < SNUG_COUNT(numbers); k++) {
      snug__graph *g = NULL;
      replace_number(text, i, numbers[k], other);
      if (snug__graph_read(ctx, other, &g) == SNUG_OK) {
        snug__graph_destroy(g);
      }
      ASSERT_TRUE(*snug_message(ctx) || g);
    }
  }
  free(other);
}

/* Shape inference of every op against sizes and parameters that nobody would choose; what must not
 * happen is for the sanitizers to see. */
TEST(hostile_numbers_do_no_harm) {
  for (int32_t i = 0; i < snug__op_count; i++) {
    for (size_t k = 0; k < snug__all_cases[i]->n; k++) {
      const op_case *c = &snug__all_cases[i]->cases[k];
      op_bench b;
      if (!c->fails) {
        snug_status s = bench_open(&b, snug__op_table[i], c, SNUG_FLOAT32, SNUG_FLOAT32);
        ASSERT_OK(b.ctx, s);
        char *text = text_of(b.g);
        check_hostile(b.ctx, text);
        free(text);
        bench_close(&b);
      }
    }
  }
}

/* ---- random graphs ---- */

/* A value of the type that may still be read, or SNUG_NONE. */
static snug__id find_value(const snug__graph *g, const snug__type *t, const bool *is_gone) {
  snug__id start = g->values.n ? (snug__id)test_random_between(0, (int64_t)g->values.n - 1) : 0;
  for (size_t i = 0; i < g->values.n; i++) {
    snug__id id = (snug__id)((start + i) % g->values.n);
    if (snug__type_equal(snug__type_at(g, id), t) && !is_gone[id]) {
      return id;
    }
  }
  return SNUG_NONE;
}

static snug__id new_leaf(snug__graph *g, snug__type t, bool is_written) {
  snug__id id = SNUG_NONE;
  uint64_t zeros[512] = {0};
  int64_t pick = test_random_between(0, 2);
  if (is_written) {
    ASSERT_OK(g->ctx, snug__graph_variable(g, "s", SNUG__STATE, SNUG__CLASS_OPTIMIZER, t,
                                           (snug__id)g->values.n, &id));
  } else if (pick == 0 && (size_t)snug__type_bytes(&t) <= sizeof zeros) {
    test_random_bytes(zeros, sizeof zeros);
    ASSERT_OK(g->ctx, snug__graph_constant(g, "c", t, zeros, &id));
  } else if (pick == 1) {
    ASSERT_OK(g->ctx, snug__graph_variable(g, "w", SNUG__WEIGHT, SNUG__CLASS_WEIGHTS, t, 7, &id));
  } else {
    ASSERT_OK(g->ctx, snug__graph_input(g, "x", t, &id));
  }
  return id;
}

static void add_case(snug__graph *g, const snug__op *op, const op_case *c, bool *is_gone) {
  uint64_t params[512] = {0};
  snug__id in[SNUG__MAX_IN], out[SNUG__MAX_OUT];
  int32_t n_in = 0;
  ASSERT_OK(g->ctx, snug__fields_parse(g->ctx, op->name, op->fields, c->params, params));
  for (const char *at = c->in; at && *at; at += strcspn(at, ";"), at += *at == ';') {
    at += strspn(at, " ");
    in[n_in] = SNUG_NONE;
    if (*at != '-') {
      snug__type t = bench_type(at, SNUG_FLOAT32);
      bool is_written = bench_writes(op, n_in);
      snug__id old = is_written ? SNUG_NONE : find_value(g, &t, is_gone);
      in[n_in] = old == SNUG_NONE ? new_leaf(g, t, is_written) : old;
      is_gone[in[n_in]] = is_written;
    }
    n_in++;
  }
  int32_t n_out = c->n_out ? c->n_out : op->max_out;
  ASSERT_OK(g->ctx, snug__graph_add(g, op, params, in, n_in, out, n_out));
}

TEST(random_graphs_read_back) {
  static bool is_gone[4096];
  snug_ctx *ctx = test_ctx();
  for (int round = 0; round < 200; round++) {
    snug__graph *g = NULL;
    ASSERT_OK(ctx, snug__graph_create(ctx, &g));
    memset(is_gone, 0, sizeof is_gone);
    for (int64_t n = test_random_between(1, 60); n > 0; n--) {
      int64_t i = test_random_between(0, snug__op_count - 1);
      const op_cases *cases = snug__all_cases[i];
      const op_case *c = &cases->cases[test_random_between(0, (int64_t)cases->n - 1)];
      g->class_ = (snug__class)test_random_between(0, SNUG__CLASS_COUNT - 1);
      if (test_random_between(0, 3) == 0) {
        ASSERT_OK(ctx, snug__graph_layer(g, c->in, NULL));
      }
      if (!c->fails) {
        add_case(g, snug__op_table[i], c, is_gone);
      }
    }
    check_round_trip(g);
    snug__graph_destroy(g);
  }
}
