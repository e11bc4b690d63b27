#include "device/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "device/cpu/cpu.h"
#include "device/host.h"
#include "lib/test.h"
#include "ops/relayout.h"

#define GUARD 64

const snug__kernel *trial_kernel(const snug__signature *sig, const char *name) {
  const snug__kernel *k = NULL;
  for (int32_t i = 0; (k = snug__cpu.kernel(sig->op, sig->target, i)); i++) {
    if (strcmp(k->name, name) == 0) {
      break;
    }
  }
  ASSERT_NOT_NULL(k);
  return k;
}

/* Memory of a value between guards, aligned as in a program. */
static unsigned char *take(int64_t bytes, int fill) {
  size_t rounded = ((size_t)bytes + GUARD - 1) / GUARD * GUARD;
  unsigned char *raw = aligned_alloc(GUARD, rounded + 2 * GUARD);
  ASSERT_NOT_NULL(raw);
  memset(raw, 0x5A, rounded + 2 * GUARD);
  memset(raw + GUARD, fill, (size_t)bytes);
  return raw + GUARD;
}

static void give(unsigned char *p, int64_t bytes) {
  for (size_t i = 0; i < GUARD; i++) {
    ASSERT_EQ_INT(p[(size_t)bytes + i], 0x5A);
    ASSERT_EQ_INT(p[-1 - (ptrdiff_t)i], 0x5A);
  }
  free(p - GUARD);
}

static const void *pointers[TRIAL_VALUES];

static void run_reference(const trial *t, const void *params, float *out) {
  snug__signature sig = t->sig;
  sig.params = params;
  snug__fault fault;
  void *outs[] = {out};
  sig.in = t->plain_in;
  sig.out = &t->plain_out;
  sig.target.of[0] = 2;
  unsigned char *scratch = take(sig.op->scratch ? (int64_t)sig.op->scratch(&sig) : 0, 0);
  snug__call call = {&sig, pointers, outs, scratch, &fault};
  ASSERT_EQ_INT(sig.op->reference(&call), SNUG_OK);
  free(scratch - GUARD);
}

/* The inputs, what the reference makes of them, and of their absolute values. */
static void fill(trial *t) {
  t->expected = calloc((size_t)snug__type_count(&t->plain_out) + 1, 4);
  t->sizes = calloc((size_t)snug__type_count(&t->plain_out) + 1, 4);
  float *absolute[TRIAL_VALUES];
  for (int32_t i = 0; i < t->sig.n_in; i++) {
    size_t n = (size_t)snug__type_count(&t->plain_in[i]);
    t->data[i] = malloc(n * 4);
    absolute[i] = malloc(n * 4);
    test_random_floats(t->data[i], n, -1.0f, 1.0f);
    for (size_t k = 0; k < n; k++) {
      absolute[i][k] = fabsf(t->data[i][k]);
    }
    pointers[i] = absolute[i];
  }
  run_reference(t, t->linear ? t->linear : t->sig.params, t->sizes);
  for (int32_t i = 0; i < t->sig.n_in; i++) {
    free(absolute[i]);
    pointers[i] = t->data[i];
  }
  run_reference(t, t->sig.params, t->expected);
}

static void drop(trial *t) {
  for (int32_t i = 0; i < t->sig.n_in; i++) {
    free(t->data[i]);
  }
  free(t->expected);
  free(t->sizes);
}

/* Run the prepared kernel on the values in its layouts; returns its output. */
static unsigned char *run_kernel(const trial *t, void *state, int64_t scratch_bytes) {
  unsigned char *in[TRIAL_VALUES];
  unsigned char *out = take(snug__type_bytes(&t->out), 0xFF);
  unsigned char *scratch = take(scratch_bytes, 0xFF);
  snug__fault fault;
  for (int32_t i = 0; i < t->sig.n_in; i++) {
    in[i] = take(snug__type_bytes(&t->in[i]), 0xFF);
    snug__relayout(&t->plain_in[i], t->data[i], &t->in[i], in[i]);
    pointers[i] = in[i];
  }
  void *outs[] = {out};
  snug__call call = {&t->sig, pointers, outs, scratch, &fault};
  ASSERT_EQ_INT(t->kernel->run(state, &call), SNUG_OK);
  for (int32_t i = 0; i < t->sig.n_in; i++) {
    give(in[i], snug__type_bytes(&t->in[i]));
  }
  give(scratch, scratch_bytes);
  return out;
}

/* Roundings of a sum of n terms are as good as independent: their sum is near sqrt(n) of them, and
 * each is at most half an epsilon of what the sum of absolute values is.  swish passes on 1.1 of an
 * error, the others no more than it. */
static void check(const trial *t, const unsigned char *out) {
  int64_t n = snug__type_count(&t->plain_out);
  float *plain = malloc((size_t)n * 4);
  unsigned char *again = take(snug__type_bytes(&t->out), 0xFF);
  snug__relayout(&t->out, out, &t->plain_out, plain);
  snug__relayout(&t->plain_out, plain, &t->out, again);
  ASSERT_EQ_BYTES(out, again, (size_t)snug__type_bytes(&t->out)); /* what was added is zero */
  for (int64_t i = 0; i < n; i++) {
    double allowed = 1.1 * (4.0 + 4.0 * sqrt(t->terms)) * 0x1p-24 * (double)t->sizes[i];
    if (!(fabs((double)plain[i] - (double)t->expected[i]) <= allowed)) {
      test_fail(__FILE__, __LINE__,
                "%s: element %lld is %.9g and not %.9g (off by %.3g, allowed %.3g)",
                t->kernel->name, (long long)i, (double)plain[i], (double)t->expected[i],
                fabs((double)plain[i] - (double)t->expected[i]), allowed);
    }
  }
  give(again, snug__type_bytes(&t->out));
  free(plain);
}

/* Layouts as the kernel wants them; it must want the same again when they come. */
static void assign_layouts(trial *t) {
  snug__layouts want = {0}, again = {0};
  t->sig.in = t->plain_in;
  t->sig.out = &t->plain_out;
  if (!t->kernel->fits(&t->sig, &want)) {
    char a[SNUG__TYPE_TEXT_BYTES], b[SNUG__TYPE_TEXT_BYTES];
    test_fail(__FILE__, __LINE__, "%s does not fit %s and %s on %s", t->kernel->name,
              snug__type_text(&t->plain_in[0], a), snug__type_text(&t->plain_in[1], b),
              snug__isa_text(snug__isa_of(t->sig.target)));
  }
  for (int32_t i = 0; i < t->sig.n_in; i++) {
    t->in[i] = snug__type_in(t->plain_in[i], want.in[i]);
  }
  t->out = snug__type_in(t->plain_out, want.out[0]);
  t->sig.in = t->in;
  t->sig.out = &t->out;
  ASSERT_TRUE(t->kernel->fits(&t->sig, &again));
  ASSERT_EQ_BYTES(&want, &again, sizeof want);
}

static void try_threads(trial *t, int32_t threads) {
  snug_ctx *ctx = test_ctx();
  snug__needs needs = {0};
  void *state = NULL;
  t->sig.target.of[0] = threads;
  assign_layouts(t);
  ASSERT_OK(ctx, t->kernel->prepare(ctx, &t->sig, &needs, &state));
  unsigned char *first = run_kernel(t, state, needs.scratch_bytes);
  unsigned char *second = run_kernel(t, state, needs.scratch_bytes);
  check(t, first);
  ASSERT_EQ_BYTES(first, second, (size_t)snug__type_bytes(&t->out));
  give(first, snug__type_bytes(&t->out));
  give(second, snug__type_bytes(&t->out));
  if (t->kernel->release) {
    t->kernel->release(ctx, state);
  }
  test_ctx_end(ctx);
}

/* A build without oneDNN has its kernels in the table, and none of them fits anything. */
static bool is_expected(const trial *t, snug__isa isa) {
  bool is_there = SNUG_HAS_ONEDNN || strncmp(t->name, "dnn_", 4) != 0;
  return is_there && !(isa == SNUG__ISA_AVX2 && t->not_on_avx2);
}

static void check_does_not_fit(trial *t, snug__isa isa) {
  snug__layouts want = {0};
  t->sig.target.of[1] = (int32_t)isa;
  t->sig.target.of[0] = 1;
  t->sig.in = t->plain_in;
  t->sig.out = &t->plain_out;
  ASSERT_FALSE(t->kernel->fits(&t->sig, &want));
}

void trial_run(trial *t) {
  static const int32_t threads[] = {1, 2, 7};
  fill(t);
  for (snug__isa isa = t->on_base ? SNUG__ISA_BASE : SNUG__ISA_AVX2; isa <= snug__isa_best();
       isa++) {
    t->sig.target.of[1] = (int32_t)isa;
    t->kernel = trial_kernel(&t->sig, t->name);
    if (!is_expected(t, isa)) {
      check_does_not_fit(t, isa);
      continue;
    }
    for (size_t i = 0; i < SNUG_COUNT(threads); i++) {
      t->sig.target.of[1] = (int32_t)isa;
      try_threads(t, threads[i]);
    }
  }
  drop(t);
}
