/* Every kernel of the processor against the op's reference: over the op's cases, larger ones of the
 * same kind and those of kernel_cases.c, in every layout, instruction set and number of threads.
 *
 * A run by hand can be restricted to one op: SNUG_TEST_OP=name, in any part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/cpu.h"
#include "device/host.h"
#include "lib/test.h"
#include "ops/kernel_cases.h"
#include "ops/oracle.h"
#include "ops/table.h"
#include "ops/trial.h"

/* ---- same bits ---- */

static char *copy_results(const trial *t, size_t *bytes) {
  char *all = NULL;
  *bytes = 0;
  for (int32_t k = 0; k < t->b->n_out; k++) {
    size_t n = (size_t)snug__type_count(&t->out[k]) * snug_dtype_bytes(t->out[k].dtype);
    all = realloc(all, *bytes + n + 1);
    ASSERT_NOT_NULL(all);
    memcpy(all + *bytes, t->result[k], n);
    *bytes += n;
  }
  return all;
}

static void expect_again(trial *t, const int32_t *share, const char *first, const char *how) {
  size_t bytes = 0;
  if (trial_run(t, 0x3C, share)) {
    test_fail(__FILE__, __LINE__, "%s: fails %s", t->what, how);
  }
  char *again = copy_results(t, &bytes);
  if (memcmp(first, again, bytes) != 0) {
    test_fail(__FILE__, __LINE__, "%s: other bits %s", t->what, how);
  }
  free(again);
}

static bool is_taken(const int32_t *share, int32_t i) {
  for (int32_t k = 0; k < SNUG__MAX_OUT; k++) {
    if (share[k] == i) {
      return true;
    }
  }
  return false;
}

/* Each output in each input that it may take over, and all of them together as a plan may do. */
static void check_in_place(trial *t, const char *first) {
  int32_t all[SNUG__MAX_OUT];
  trial_apart(t, all);
  for (int32_t k = 0; k < t->b->n_out; k++) {
    for (int32_t i = 0; i < t->b->n_in; i++) {
      int32_t one[SNUG__MAX_OUT];
      trial_apart(t, one);
      if (trial_may_share(t, k, i)) {
        one[k] = i;
        expect_again(t, one, first, "in place");
        all[k] = all[k] < 0 && !is_taken(all, i) ? i : all[k];
      }
    }
  }
  expect_again(t, all, first, "with all outputs in place");
}

/* ---- one call ---- */

/* Of the kernel that is tried. */
static struct {
  int64_t calls;
  double worst; /* error as a part of what is allowed */
} tally;

static void check_refusal(trial *t, const oracle *o) {
  int32_t apart[SNUG__MAX_OUT];
  trial_apart(t, apart);
  ASSERT_EQ_INT(trial_run(t, 0xFF, apart), o->status);
  if (!t->fault.what || strcmp(t->fault.what, o->fault.what) != 0 ||
      t->fault.index != o->fault.index || t->fault.value != o->fault.value ||
      t->fault.limit != o->fault.limit) {
    test_fail(__FILE__, __LINE__, "%s: found '%s' at %lld, must be '%s' at %lld", t->what,
              t->fault.what ? t->fault.what : "", (long long)t->fault.index, o->fault.what,
              (long long)o->fault.index);
  }
}

/* Winograd's transforms make squares of the terms grow by at most 8.2 squared (an output at a
 * corner of a tile: the sum over the 36 planes of the squares of A', G and B', over the 9 of a
 * plain sum) and 6.6 squared for the weights; device/wino_test.c has the bound for each element. */
static double growth_of(const snug__kernel *k) { return strncmp(k->name, "wino_", 5) ? 1.0 : 8.2; }

static void check_results(trial *t, const oracle *o) {
  size_t bytes = 0;
  int32_t apart[SNUG__MAX_OUT];
  trial_apart(t, apart);
  snug_status s = trial_run(t, 0xFF, apart);
  if (s) {
    test_fail(__FILE__, __LINE__, "%s: fails with %s", t->what, snug_status_text(s));
  }
  double error = oracle_compare(o, t->out, t->result, growth_of(t->choice.kernel), t->what);
  tally.worst = error > tally.worst ? error : tally.worst;
  char *first = copy_results(t, &bytes);
  expect_again(t, apart, first, "the second time");
  check_in_place(t, first);
  free(first);
}

static void check_call(op_bench *b, const oracle *o, const trial_setting *s) {
  trial t;
  if (!trial_open(&t, b, s)) {
    return;
  }
  tally.calls++;
  if (o->status) {
    check_refusal(&t, o);
  } else {
    check_results(&t, o);
  }
  trial_close(&t);
}

/* ---- what a call is tried with ---- */

static void check_threads(op_bench *b, oracle *o, trial_setting s) {
  static const int32_t threads[] = {1, -2, -7}; /* negative: however small the work is */
  for (size_t i = 0; i < SNUG_COUNT(threads); i++) {
    s.threads = threads[i];
    check_call(b, o, &s);
  }
}

/* Ways to run that were tried already: many kernels want the same whatever comes. */
typedef struct ways {
  snug__choice seen[SNUG__MAX_IN + 2];
  size_t n;
} ways;

static bool is_new(ways *w, op_bench *b, const trial_setting *s) {
  trial t;
  if (!trial_choose(&t, b, s)) {
    return false;
  }
  for (size_t i = 0; i < w->n; i++) {
    if (trial_same(&w->seen[i], &t.choice)) {
      return false;
    }
  }
  w->seen[w->n++] = t.choice;
  return true;
}

static void check_layout(ways *w, op_bench *b, oracle *o, const trial_setting *s) {
  bool plain_reference = s->is_reference && s->images == SNUG__LAYOUT_PLAIN;
  if (is_new(w, b, s) && !plain_reference) { /* driver_test.c has those */
    if (!o->is_open) {
      oracle_open(o, b->op, b->c);
    }
    check_threads(b, o, *s);
  }
}

/* Plain, each image alone in blocks, all of them in blocks. */
static void check_layouts(ways *w, op_bench *b, oracle *o, trial_setting s) {
  w->n = 0;
  check_layout(w, b, o, &s);
  s.images = s.isa == SNUG__ISA_AVX512 ? SNUG__LAYOUT_NCHW16C : SNUG__LAYOUT_NCHW8C;
  for (s.only = 0; s.only < b->n_in; s.only++) {
    if (b->in[s.only] != SNUG_NONE && snug__type_at(b->g, b->in[s.only])->rank == 4) {
      check_layout(w, b, o, &s);
    }
  }
  s.only = -1;
  check_layout(w, b, o, &s);
}

/* False if the op does not take it. */
static bool check_case(const snug__op *op, const op_case *c, const trial_setting *s) {
  static ways w;
  op_bench b;
  oracle o = {.is_open = false}; /* opened when there is something to compare */
  bool taken = bench_open(&b, op, c, SNUG_FLOAT32, SNUG_FLOAT32) == SNUG_OK;
  if (taken) {
    check_layouts(&w, &b, &o, *s);
    oracle_close(&o);
  }
  bench_close(&b);
  return taken;
}

/* ---- cases ---- */

/* The case with float64 values of the first one's shape given another shape; "" if it has explicit
 * values, which are only as many as they are. */
static void reshape_case(const char *in, const char *shape, char *out, size_t bytes) {
  const char *type = strstr(in, "float64[");
  size_t length = type ? strcspn(type, "]") + 1 : 0;
  size_t n = 0;
  while (type && *in && n + 40 < bytes) {
    if (strncmp(in, type, length) == 0) {
      n += (size_t)snprintf(out + n, bytes - n, "float64[%s]", shape);
      in += length;
      if (in[strspn(in, " ")] == '=') {
        n = 0;
        break;
      }
    } else {
      out[n++] = *in++;
    }
  }
  out[n] = 0;
}

/* The same op and parameters on values of other shapes, where it takes these. */
static void check_larger(const snug__op *op, const op_case *c, const trial_setting *setting) {
  static const char *const shapes[] = {"17",       "1000",      "33,70",    "7,5,31",
                                       "2,3,5,16", "1,17,3,24", "2,5,7,40", "3,9,7,15"};
  for (size_t s = 0; s < SNUG_COUNT(shapes); s++) {
    char in[1024];
    op_case larger = *c;
    reshape_case(c->in, shapes[s], in, sizeof in);
    larger.in = in;
    larger.expect = NULL;
    (void)check_case(op, &larger, setting); /* many ops take some of the shapes only */
  }
}

static bool can_grow(const op_case *c) {
  char in[1024];
  reshape_case(c->in, "1", in, sizeof in);
  return in[0] && !c->fails && !c->faults;
}

/* One case of each set of parameters is enough. */
static bool is_to_grow(const op_cases *cases, size_t k) {
  for (size_t i = 0; i < k; i++) {
    if (can_grow(&cases->cases[i]) && strcmp(cases->cases[i].params, cases->cases[k].params) == 0) {
      return false;
    }
  }
  return can_grow(&cases->cases[k]);
}

static void check_cases(const snug__op *op, const op_cases *cases, const trial_setting *s) {
  for (size_t k = 0; k < cases->n; k++) {
    const op_case *c = &cases->cases[k];
    ASSERT_TRUE(c->fails || check_case(op, c, s));
    if (is_to_grow(cases, k)) {
      check_larger(op, c, s);
    }
  }
  for (size_t k = 0; k < kernel_cases_count; k++) {
    ASSERT_TRUE(kernel_cases[k].op != op || check_case(op, &kernel_cases[k].c, s));
  }
}

/* Loops have to run on each instruction set, kernels of libraries on the largest, where they are in
 * the build. */
static bool must_run(const snug__op *op, const trial_setting *s, int32_t i) {
  snug__isa best = snug__isa_best();
  bool is_there = SNUG_HAS_ONEDNN || strncmp(s->k->name, "dnn_", 4) != 0;
  return is_there && !s->is_reference &&
         (s->isa == best || snug__cpu.kernel(op, snug__host_target(1, best), i) != s->k);
}

/* The reference stands behind the kernels and is tried as well: it runs on blocked values too. */
static void check_op(const snug__op *op, const op_cases *cases, snug__isa isa) {
  const snug__kernel *k = NULL;
  for (int32_t i = 0; (k = snug__cpu.kernel(op, snug__host_target(1, isa), i)); i++) {
    bool is_last = !snug__cpu.kernel(op, snug__host_target(1, isa), i + 1);
    trial_setting s = {isa, 1, .only = -1, .k = k, .is_reference = is_last};
    memset(&tally, 0, sizeof tally);
    check_cases(op, cases, &s);
    printf("%s: %lld calls of %s, errors up to %.2g of what is allowed\n", op->name,
           (long long)tally.calls, k->name, tally.worst);
    if (!tally.calls && must_run(op, &s, i)) {
      test_fail(__FILE__, __LINE__, "no case of %s is one for its kernel %s", op->name, k->name);
    }
  }
}

/* Ops that have more than their reference to run. */
static bool has_kernels(const snug__op *op, snug__isa isa) {
  return !(op->flags & SNUG__OP_VIEW) &&
         (op->unblock || snug__cpu.kernel(op, snug__host_target(1, isa), 1));
}

/* One part of many, so that parts can run side by side. */
static void check_part(snug__isa isa, int32_t part, int32_t parts) {
  const char *only = getenv("SNUG_TEST_OP");
  if (isa > snug__isa_best()) {
    test_skip("this processor has not that instruction set");
  }
  for (int32_t i = 0, n = 0; i < snug__op_count; i++) {
    const snug__op *op = snug__op_table[i];
    if (only ? strcmp(only, op->name) == 0 : has_kernels(op, isa) && n++ % parts == part) {
      check_op(op, snug__all_cases[i], isa);
    }
  }
}

TEST(base_1) { check_part(SNUG__ISA_BASE, 0, 4); }
TEST(base_2) { check_part(SNUG__ISA_BASE, 1, 4); }
TEST(base_3) { check_part(SNUG__ISA_BASE, 2, 4); }
TEST(base_4) { check_part(SNUG__ISA_BASE, 3, 4); }

#if defined(__x86_64__)
TEST(avx2_1) { check_part(SNUG__ISA_AVX2, 0, 4); }
TEST(avx2_2) { check_part(SNUG__ISA_AVX2, 1, 4); }
TEST(avx2_3) { check_part(SNUG__ISA_AVX2, 2, 4); }
TEST(avx2_4) { check_part(SNUG__ISA_AVX2, 3, 4); }

TEST(avx512_1) { check_part(SNUG__ISA_AVX512, 0, 4); }
TEST(avx512_2) { check_part(SNUG__ISA_AVX512, 1, 4); }
TEST(avx512_3) { check_part(SNUG__ISA_AVX512, 2, 4); }
TEST(avx512_4) { check_part(SNUG__ISA_AVX512, 3, 4); }
#endif

TEST(cases_are_taken) {
  for (size_t k = 0; k < kernel_cases_count; k++) {
    const kernel_case *e = &kernel_cases[k];
    op_bench b;
    if (bench_open(&b, e->op, &e->c, SNUG_FLOAT32, SNUG_FLOAT32)) {
      test_fail(__FILE__, __LINE__, "%s", snug_message(b.ctx));
    }
    bench_close(&b);
  }
}
