#include "ops/oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "device/host.h"
#include "lib/test.h"

#define PROBES 4
#define STEP 0x1p-24         /* of a probe: small enough that the reference is straight there */
#define ROUNDINGS 4.0        /* of the value itself, e.g. in exp or a square root */
#define LEAST 1e-3           /* values below this are zero with noise, see driver_test.c */
#define MOST_OF_LARGEST 1e-3 /* no error may be more, however badly the sum is conditioned */

static double *new_doubles(int64_t n) {
  double *p = calloc((size_t)n + 1, sizeof *p);
  ASSERT_NOT_NULL(p);
  return p;
}

/* Uniform in [-1, 1), by probe, input and element. */
static double noise(int32_t probe, int32_t input, int64_t i) {
  uint64_t x = (uint64_t)(probe * SNUG__MAX_IN + input + 1) * UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (uint64_t)i) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ x >> 31) * UINT64_C(0x94D049BB133111EB);
  return (double)((x ^ x >> 29) >> 11) * 0x1p-52 - 1.0;
}

/* Inputs that the case has in float64 are moved; scalars of settings, in float32, are not. */
static bool is_moved(const op_bench *w, int32_t i) {
  return w->in[i] != SNUG_NONE && snug__type_at(w->g, w->in[i])->dtype == SNUG_FLOAT64;
}

static void move_inputs(op_bench *w, double **was, int32_t probe) {
  for (int32_t i = 0; i < w->n_in; i++) {
    for (int64_t e = 0; is_moved(w, i) && e < snug__type_count(snug__type_at(w->g, w->in[i]));
         e++) {
      bench_set(w, w->in[i], e, was[i][e] * (1.0 + STEP * noise(probe, i, e)));
    }
  }
}

static void keep_inputs(op_bench *w, double **was) {
  for (int32_t i = 0; i < w->n_in; i++) {
    int64_t n = is_moved(w, i) ? snug__type_count(snug__type_at(w->g, w->in[i])) : 0;
    was[i] = new_doubles(n);
    for (int64_t e = 0; e < n; e++) {
      was[i][e] = bench_get(w, w->in[i], e);
    }
  }
}

/* allowed: sum of squares of what the probe moved, in units of the step. */
static void add_probe(oracle *o, op_bench *w) {
  for (int32_t k = 0; k < o->n_out; k++) {
    for (int64_t e = 0; e < o->n[k]; e++) {
      double moved = (bench_get(w, w->out[k], e) - o->value[k][e]) / STEP;
      o->allowed[k][e] += isfinite(moved) ? moved * moved : 0.0;
    }
  }
}

/* The length of the sums that output k is made of: FLOPs per element of it. */
static double terms(op_bench *w, int32_t output) {
  snug__type in[SNUG__MAX_IN] = {{0}};
  snug__type out[SNUG__MAX_OUT] = {{0}};
  double n = fmax(1.0, (double)snug__type_count(snug__type_at(w->g, w->out[output])));
  for (int32_t i = 0; i < w->n_in; i++) {
    in[i] = w->in[i] == SNUG_NONE ? in[i] : *snug__type_at(w->g, w->in[i]);
  }
  for (int32_t k = 0; k < w->n_out; k++) {
    out[k] = *snug__type_at(w->g, w->out[k]);
  }
  snug__signature sig = {w->op, snug__node_at(w->g, 0)->params,      w->n_in, w->n_out, in,
                         out,   snug__host_target(1, SNUG__ISA_BASE)};
  return fmax(1.0, snug__op_cost(&sig).flops / n);
}

static void allow(oracle *o, int32_t k, bool real, double n_terms, const op_case *c) {
  double factor = c->dtype_factor > 0 ? c->dtype_factor : 1.0;
  double least = fmax(LEAST, c->cancels);
  double largest = 0.0;
  for (int64_t e = 0; e < o->n[k]; e++) {
    largest = fmax(largest, isfinite(o->value[k][e]) ? fabs(o->value[k][e]) : 0.0);
  }
  for (int64_t e = 0; e < o->n[k]; e++) {
    double moved = sqrt(o->allowed[k][e] / PROBES * 3.0); /* 3: of uniform numbers */
    double own = ROUNDINGS * factor * fmax(fabs(o->value[k][e]), least);
    double most = MOST_OF_LARGEST * fmax(largest, LEAST);
    o->allowed[k][e] =
        real ? fmin((double)FLT_EPSILON * (own + 2.0 * sqrt(n_terms) * moved), most) : 0.0;
  }
}

static void probe(oracle *o, op_bench *w, double **was) {
  for (int32_t p = 0; p < PROBES; p++) {
    move_inputs(w, was, p);
    ASSERT_OK(w->ctx, bench_run(w, -1));
    add_probe(o, w);
  }
}

static void take_values(oracle *o, op_bench *w) {
  o->n_out = w->n_out;
  for (int32_t k = 0; k < o->n_out; k++) {
    o->n[k] = snug__type_count(snug__type_at(w->g, w->out[k]));
    o->value[k] = new_doubles(o->n[k]);
    o->allowed[k] = new_doubles(o->n[k]);
    for (int64_t e = 0; e < o->n[k]; e++) {
      o->value[k][e] = bench_get(w, w->out[k], e);
    }
  }
}

void oracle_open(oracle *o, const snug__op *op, const op_case *c) {
  op_bench w;
  double *was[SNUG__MAX_IN]; /* an op may write its inputs */
  *o = (oracle){.is_open = true};
  ASSERT_EQ_INT(bench_open(&w, op, c, SNUG_FLOAT64, SNUG_FLOAT32), SNUG_OK);
  keep_inputs(&w, was);
  o->status = bench_run(&w, -1);
  o->fault = w.run.fault;
  if (!o->status) {
    take_values(o, &w);
    probe(o, &w, was);
    for (int32_t k = 0; k < o->n_out; k++) {
      allow(o, k, snug__dtype_is_real(snug__type_at(w.g, w.out[k])->dtype), terms(&w, k), c);
    }
  }
  for (int32_t i = 0; i < w.n_in; i++) {
    free(was[i]);
  }
  bench_close(&w);
}

void oracle_close(oracle *o) {
  for (int32_t k = 0; k < o->n_out; k++) {
    free(o->value[k]);
    free(o->allowed[k]);
  }
}

static bool is_same(double got, double want) {
  return got == want || got == (double)(float)want || (isnan(got) && isnan(want));
}

double oracle_compare(const oracle *o, const snug__type *types, void *const *outputs, double growth,
                      const char *what) {
  double worst = 0.0;
  for (int32_t k = 0; k < o->n_out; k++) {
    for (int64_t e = 0; e < o->n[k]; e++) {
      double want = o->value[k][e];
      double got = snug__element_get(types[k].dtype, outputs[k], e);
      double error = is_same(got, want) ? 0.0 : fabs(got - want);
      double allowed = growth * o->allowed[k][e];
      if (!(error <= allowed)) {
        test_fail(__FILE__, __LINE__,
                  "%s: output %d [%lld] is %.9g, in float64 %.9g; an error of %.3g is allowed",
                  what, k, (long long)e, got, want, allowed);
      }
      worst = error > 0.0 ? fmax(worst, error / allowed) : worst;
    }
  }
  return worst;
}
