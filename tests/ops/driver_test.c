/* Every op of ops.def over its case table.  SNUG_TEST_OP=name restricts a run by hand to one op. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/host.h"
#include "lib/test.h"
#include "ops/bench.h"
#include "ops/table.h"

typedef void case_check(const snug__op *op, const op_case *c);

static void for_each_case(case_check *check, bool refused) {
  const char *only = getenv("SNUG_TEST_OP");
  for (int32_t i = 0; i < snug__op_count; i++) {
    const snug__op *op = snug__op_table[i];
    if (only && strcmp(only, op->name) != 0) {
      continue;
    }
    ASSERT_TRUE(snug__all_cases[i]->n > 0);
    for (size_t k = 0; k < snug__all_cases[i]->n; k++) {
      const op_case *c = &snug__all_cases[i]->cases[k];
      if ((c->fails || c->faults) == refused) {
        check(op, c);
      }
    }
  }
}

static void open_bench(op_bench *b, const snug__op *op, const op_case *c, snug_dtype real,
                       snug_dtype narrow) {
  snug_status s = bench_open(b, op, c, real, narrow);
  if (s) {
    test_fail(__FILE__, __LINE__, "%s {%s} (%s): %s", op->name, c->params, c->in,
              snug_message(b->ctx));
  }
}

static void *copy_outputs(op_bench *b, size_t *bytes) {
  char *all = malloc(1);
  *bytes = 0;
  for (int32_t k = 0; k < b->n_out; k++) {
    size_t n = (size_t)snug__type_bytes(snug__type_at(b->g, b->out[k]));
    all = realloc(all, *bytes + n + 1);
    ASSERT_NOT_NULL(all);
    memcpy(all + *bytes, bench_data(b, b->out[k]), n);
    *bytes += n;
  }
  return all;
}

static void *run_once(const snug__op *op, const op_case *c, snug_dtype real, int32_t threads,
                      int32_t in_place, size_t *bytes) {
  op_bench b;
  open_bench(&b, op, c, real, real);
  b.run.threads = threads;
  ASSERT_OK(b.ctx, bench_run(&b, in_place));
  void *result = copy_outputs(&b, bytes);
  bench_close(&b);
  return result;
}

static void expect_same(const snug__op *op, const op_case *c, void *a, size_t n, void *b,
                        const size_t *m, const char *what) {
  if (n != *m || memcmp(a, b, n) != 0) {
    test_fail(__FILE__, __LINE__, "%s {%s} (%s): other bits %s", op->name, c->params, c->in, what);
  }
  free(b);
}

static void check_repeatable(const snug__op *op, const op_case *c) {
  static const snug_dtype reals[] = {SNUG_FLOAT64, SNUG_FLOAT32};
  for (size_t r = 0; r < SNUG_COUNT(reals); r++) {
    size_t n = 0;
    size_t m = 0;
    void *first = run_once(op, c, reals[r], 1, -1, &n);
    expect_same(op, c, first, n, run_once(op, c, reals[r], 1, -1, &m), &m, "the second time");
    expect_same(op, c, first, n, run_once(op, c, reals[r], -3, -1, &m), &m, "with 3 threads");
    free(first);
  }
}

TEST(reference_repeats) { for_each_case(check_repeatable, false); }

static bool same_bytes(op_bench *b, int32_t i) {
  return b->in[i] != SNUG_NONE && snug__type_bytes(snug__type_at(b->g, b->in[i])) ==
                                      snug__type_bytes(snug__type_at(b->g, b->out[0]));
}

static void check_in_place(const snug__op *op, const op_case *c) {
  op_bench b;
  open_bench(&b, op, c, SNUG_FLOAT64, SNUG_FLOAT64);
  for (int32_t i = 0; i < b.n_in; i++) {
    if (op->in_place[0] >> i & 1 && same_bytes(&b, i)) {
      size_t n = 0;
      size_t m = 0;
      void *apart = run_once(op, c, SNUG_FLOAT64, 1, -1, &n);
      expect_same(op, c, apart, n, run_once(op, c, SNUG_FLOAT64, 1, i, &m), &m, "in place");
      expect_same(op, c, apart, n, run_once(op, c, SNUG_FLOAT64, -3, i, &m), &m,
                  "in place with 3 threads");
      free(apart);
    }
  }
  bench_close(&b);
}

TEST(in_place_equals_apart) { for_each_case(check_in_place, false); }

static void check_expected(const snug__op *op, const op_case *c) {
  op_bench b;
  if (!c->expect) {
    return;
  }
  open_bench(&b, op, c, SNUG_FLOAT64, SNUG_FLOAT64);
  ASSERT_OK(b.ctx, bench_run(&b, -1));
  const char *at = c->expect;
  for (int64_t i = 0; i < snug__type_count(snug__type_at(b.g, b.out[0])); i++) {
    char *end = NULL;
    double want = strtod(at, &end);
    double got = bench_get(&b, b.out[0], i);
    bool same = got == want || (isnan(got) && isnan(want)); /* infinities too */
    if (end == at || !(same || fabs(got - want) <= 1e-6 * fmax(1.0, fabs(want)))) {
      test_fail(__FILE__, __LINE__, "%s {%s} (%s): element %lld is %.9g, expected %.9g", op->name,
                c->params, c->in, (long long)i, got, want);
    }
    at = end;
  }
  bench_close(&b);
}

TEST(known_values) { for_each_case(check_expected, false); }

/* ---- the gradient rule against central differences of Σ c·out0 ---- */

static double weight_of(int64_t i) { return 0.3 + 0.7 * sin(1.0 + 1.7 * (double)i); }

static double weighted_output(op_bench *b) {
  double sum = 0.0;
  ASSERT_OK(b->ctx, bench_run(b, -1));
  for (int64_t i = 0; i < snug__type_count(snug__type_at(b->g, b->out[0])); i++) {
    sum += weight_of(i) * bench_get(b, b->out[0], i);
  }
  return sum;
}

/* Apply the rule; the gradients' ids go to din. */
static void apply_rule(op_bench *b, snug__id din[SNUG__MAX_IN]) {
  snug__id dout[SNUG__MAX_OUT];
  bool wants[SNUG__MAX_IN] = {false};
  snug__type t = *snug__type_at(b->g, b->out[0]);
  memset(dout, 0xFF, sizeof dout);
  for (int32_t i = 0; i < b->n_in; i++) {
    din[i] = SNUG_NONE;
    wants[i] = bench_is_real_input(b, i);
  }
  ASSERT_OK(b->ctx, snug__graph_input(b->g, "dy", t, &dout[0]));
  for (int64_t i = 0; i < snug__type_count(&t); i++) {
    bench_set(b, dout[0], i, weight_of(i));
  }
  snug__grad rule = {b->g, 0,     b->in, b->out, b->n_in, snug__node_at(b->g, 0)->params,
                     dout, wants, din};
  ASSERT_OK(b->ctx, b->op->grad(&rule));
  ASSERT_OK(b->ctx, bench_run(b, -1));
}

static double numeric(op_bench *b, int32_t input, int64_t i) {
  double x = bench_get(b, b->in[input], i);
  double h = 1e-5 * fmax(1.0, fabs(x));
  bench_set(b, b->in[input], i, x + h);
  double up = weighted_output(b);
  bench_set(b, b->in[input], i, x - h);
  double down = weighted_output(b);
  bench_set(b, b->in[input], i, x);
  return (up - down) / (2.0 * h);
}

static void check_gradient(const snug__op *op, const op_case *c) {
  op_bench rule, plain;
  snug__id din[SNUG__MAX_IN];
  double tolerance = c->tolerance > 0 ? c->tolerance : 1e-6;
  if (!op->grad || c->no_gradient) {
    return;
  }
  open_bench(&rule, op, c, SNUG_FLOAT64, SNUG_FLOAT64);
  open_bench(&plain, op, c, SNUG_FLOAT64, SNUG_FLOAT64);
  apply_rule(&rule, din);
  for (int32_t k = 0; k < rule.n_in; k++) {
    if (!bench_is_real_input(&plain, k) || din[k] == SNUG_NONE) {
      continue;
    }
    ASSERT_TRUE(snug__type_equal(snug__type_at(rule.g, din[k]), snug__type_at(rule.g, rule.in[k])));
    for (int64_t i = 0; i < snug__type_count(snug__type_at(plain.g, plain.in[k])); i++) {
      double want = numeric(&plain, k, i);
      double got = bench_get(&rule, din[k], i);
      if (!(fabs(got - want) <= tolerance * fmax(1.0, fabs(want)))) {
        test_fail(__FILE__, __LINE__,
                  "%s {%s} (%s): d input %d [%lld] is %.9g, differences say %.9g", op->name,
                  c->params, c->in, k, (long long)i, got, want);
      }
    }
  }
  bench_close(&rule);
  bench_close(&plain);
}

TEST(gradient_equals_differences) { for_each_case(check_gradient, false); }

/* ---- narrow dtypes: the inputs rounded to the dtype, computed in it and in float64 ---- */

static double epsilon_of(snug_dtype d) {
  return d == SNUG_FLOAT32 ? (double)FLT_EPSILON : d == SNUG_FLOAT16 ? 0x1p-10 : 0x1p-7;
}

static void compare_narrow(op_bench *n, op_bench *w, const op_case *c, snug_dtype narrow) {
  double factor = c->dtype_factor > 0 ? c->dtype_factor : 1.0;
  double eps = epsilon_of(narrow);
  for (int32_t k = 0; k < n->n_out; k++) {
    bool real = snug__dtype_is_real(snug__type_at(n->g, n->out[k])->dtype);
    for (int64_t i = 0; i < snug__type_count(snug__type_at(n->g, n->out[k])); i++) {
      double want = bench_get(w, w->out[k], i);
      double got = bench_get(n, n->out[k], i);
      double allowed = real ? eps * factor * fmax(fabs(want), 1e-3) : 0.0;
      bool too_large = narrow == SNUG_FLOAT16 && fabs(want) > 65000.0;
      if (!too_large && got != want && !(fabs(got - want) <= allowed) &&
          !(isnan(got) && isnan(want))) {
        test_fail(__FILE__, __LINE__,
                  "%s {%s} (%s) in %s: output %d [%lld] is %.9g, in float64 %.9g", n->op->name,
                  c->params, c->in, snug_dtype_text(narrow), k, (long long)i, got, want);
      }
    }
  }
}

static void check_dtypes(const snug__op *op, const op_case *c) {
  static const snug_dtype narrow[] = {SNUG_FLOAT32, SNUG_FLOAT16, SNUG_BFLOAT16};
  for (size_t d = 0; d < SNUG_COUNT(narrow); d++) {
    op_bench n, w;
    open_bench(&n, op, c, narrow[d], narrow[d]);
    open_bench(&w, op, c, SNUG_FLOAT64, narrow[d]);
    ASSERT_OK(n.ctx, bench_run(&n, -1));
    ASSERT_OK(w.ctx, bench_run(&w, -1));
    compare_narrow(&n, &w, c, narrow[d]);
    bench_close(&n);
    bench_close(&w);
  }
}

TEST(narrow_dtypes_agree) { for_each_case(check_dtypes, false); }

/* ---- refusals ---- */

static void check_refused(const snug__op *op, const op_case *c) {
  op_bench b;
  snug_status s = bench_open(&b, op, c, SNUG_FLOAT64, SNUG_FLOAT64);
  if (c->fails) {
    ASSERT_TRUE(s != SNUG_OK);
    if (!strstr(snug_message(b.ctx), c->fails)) {
      test_fail(__FILE__, __LINE__, "%s {%s} (%s): says '%s', expected '%s'", op->name, c->params,
                c->in, snug_message(b.ctx), c->fails);
    }
  } else {
    ASSERT_OK(b.ctx, s);
    ASSERT_EQ_INT(bench_run(&b, -1), SNUG_E_DATA);
    ASSERT_HAS(b.run.fault.what, c->faults);
  }
  bench_close(&b);
}

TEST(bad_input_is_refused) { for_each_case(check_refused, true); }

static void check_cost(const snug__op *op, const op_case *c) {
  op_bench b;
  snug__type in[SNUG__MAX_IN], out[SNUG__MAX_OUT];
  memset(in, 0, sizeof in);
  memset(out, 0, sizeof out);
  open_bench(&b, op, c, SNUG_FLOAT64, SNUG_FLOAT64);
  for (int32_t i = 0; i < b.n_in; i++) {
    in[i] = b.in[i] == SNUG_NONE ? in[i] : *snug__type_at(b.g, b.in[i]);
  }
  for (int32_t k = 0; k < b.n_out; k++) {
    out[k] = *snug__type_at(b.g, b.out[k]);
  }
  snug__signature sig = {op,  snug__node_at(b.g, 0)->params,       b.n_in, b.n_out, in,
                         out, snug__host_target(1, SNUG__ISA_BASE)};
  snug__cost cost = snug__op_cost(&sig);
  ASSERT_TRUE(cost.flops >= 0 && cost.bytes >= 0 && isfinite(cost.flops) && isfinite(cost.bytes));
  bench_close(&b);
}

TEST(cost_is_told) { for_each_case(check_cost, false); }

TEST(every_op_is_documented) {
  for (int32_t i = 0; i < snug__op_count; i++) {
    ASSERT_NOT_NULL(snug__op_table[i]->doc);
    ASSERT_TRUE(snug__op_find(snug__op_table[i]->name) == snug__op_table[i]);
  }
}
