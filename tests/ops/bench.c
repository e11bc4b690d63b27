#include "ops/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/test.h"

snug__type bench_type(const char *text, snug_dtype real) {
  int64_t dim[SNUG_MAX_RANK] = {0};
  int32_t rank = 0;
  snug_dtype dtype = SNUG_NO_DTYPE;
  size_t n = strcspn(text, "[");
  for (snug_dtype d = 1; d < SNUG_DTYPE_COUNT; d++) {
    if (strlen(snug_dtype_text(d)) == n && strncmp(snug_dtype_text(d), text, n) == 0) {
      dtype = d == SNUG_FLOAT64 ? real : d;
    }
  }
  dtype = strncmp(text, "double[", 7) == 0 ? SNUG_FLOAT64 : dtype;
  ASSERT_TRUE(dtype != SNUG_NO_DTYPE);
  for (const char *at = text + n + 1; *at && *at != ']';) {
    char *end = NULL;
    dim[rank++] = strtoll(at, &end, 10);
    at = *end == ',' ? end + 1 : end;
  }
  return snug__type_of(dtype, rank, dim);
}

/* Uniform in [-1, 1), of (case-independent) input and element: the same for every dtype and run. */
static double noise(int32_t input, int64_t i) {
  uint64_t x = (uint64_t)(input + 1) * UINT64_C(0x9E3779B97F4A7C15) +
               (uint64_t)i * UINT64_C(0xD1B54A32D192ED03);
  x ^= x >> 31;
  x *= UINT64_C(0xBF58476D1CE4E5B9);
  x ^= x >> 29;
  return (double)(x >> 11) * 0x1p-52 - 1.0;
}

static double fill_value(const char *fill, int32_t input, int64_t i, int64_t n, int64_t last) {
  double u = noise(input, i);
  if (strncmp(fill, "positive", 8) == 0) {
    return 1.1 + 0.9 * u;
  }
  if (strncmp(fill, "unit", 4) == 0) {
    return 0.5 + 0.45 * u;
  }
  if (strncmp(fill, "away", 4) == 0) {
    return u < 0 ? -0.1 + 0.9 * u : 0.1 + 0.9 * u;
  }
  if (strncmp(fill, "distinct", 8) == 0) { /* a fixed shuffle of equally spaced values */
    return -1.0 + 2.0 * (double)(i * 7919 % (n ? n : 1)) / (double)(n ? n : 1) + 1e-4 * u;
  }
  if (strncmp(fill, "labels:", 7) == 0) {
    return (double)((int64_t)((u + 1.0) * 0.5 * atof(fill + 7)));
  }
  if (strncmp(fill, "onehot", 6) == 0) {
    return i % last == (i / last * 7 + 3) % last ? 1.0 : 0.0;
  }
  if (strncmp(fill, "zero", 4) == 0) {
    return 0.0;
  }
  if (strncmp(fill, "one", 3) == 0) {
    return 1.0;
  }
  return 1.5 * u;
}

static void fill_input(op_bench *b, int32_t input, const char *fill, snug_dtype narrow) {
  snug__id id = b->in[input];
  const snug__type *t = snug__type_at(b->g, id);
  int64_t n = snug__type_count(t);
  int64_t last = t->rank && t->dim[t->rank - 1] ? t->dim[t->rank - 1] : 1;
  const char *at = fill[0] == '=' ? fill + 1 : NULL;
  for (int64_t i = 0; i < n; i++) {
    char *end = NULL;
    double v = at ? strtod(at, &end) : fill_value(fill, input, i, n, last);
    uint64_t rounded = 0;
    at = at ? end : NULL;
    if (snug__dtype_is_real(t->dtype)) {
      snug__element_set(narrow, &rounded, 0, v);
      v = snug__element_get(narrow, &rounded, 0);
    }
    bench_set(b, id, i, v);
  }
}

bool bench_writes(const snug__op *op, int32_t input) {
  for (int32_t k = 0; k < op->max_out; k++) {
    if (op->writes[k] == input + 1) {
      return true;
    }
  }
  return false;
}

static snug_status add_input(op_bench *b, const char *spec, const char **fill) {
  int32_t i = b->n_in++;
  *fill = "";
  if (spec[0] == '-') {
    b->in[i] = SNUG_NONE;
    return SNUG_OK;
  }
  snug__type t = bench_type(spec, b->real);
  const char *rest = strchr(spec, ']') + 1;
  *fill = rest + strspn(rest, " ");
  return bench_writes(b->op, i)
             ? snug__graph_variable(b->g, "s", SNUG__STATE, SNUG__CLASS_OPTIMIZER, t, 0, &b->in[i])
             : snug__graph_input(b->g, "x", t, &b->in[i]);
}

static snug_status build(op_bench *b, snug_dtype narrow) {
  const char *fills[SNUG__MAX_IN];
  char params[4096];
  memset(params, 0, sizeof params);
  ASSERT_TRUE(b->op->params_bytes <= sizeof params);
  SNUG_TRY(snug__fields_parse(b->ctx, b->op->name, b->op->fields, b->c->params, params));
  for (const char *at = b->c->in; at && *at;) {
    at += strspn(at, " ");
    SNUG_TRY(add_input(b, at, &fills[b->n_in]));
    at += strcspn(at, ";");
    at += *at == ';';
  }
  SNUG_TRY(snug__graph_add(b->g, b->op, b->op->params_bytes ? params : NULL, b->in, b->n_in, b->out,
                           b->n_out));
  for (int32_t i = 0; i < b->n_in; i++) {
    if (b->in[i] != SNUG_NONE) {
      fill_input(b, i, fills[i], narrow);
    }
  }
  return SNUG_OK;
}

snug_status bench_open(op_bench *b, const snug__op *op, const op_case *c, snug_dtype real,
                       snug_dtype narrow) {
  *b = (op_bench){.ctx = test_ctx(), .op = op, .c = c, .real = real};
  b->n_out = c->n_out ? c->n_out : op->max_out;
  SNUG_TRY(snug__graph_create(b->ctx, &b->g));
  test_interpret_init(&b->run, b->g);
  return build(b, narrow);
}

void bench_close(op_bench *b) {
  test_interpret_release(&b->run);
  snug__graph_destroy(b->g);
  test_ctx_end(b->ctx);
}

void *bench_data(op_bench *b, snug__id id) { return test_interpret_data(&b->run, id); }

double bench_get(op_bench *b, snug__id id, int64_t i) { return test_interpret_get(&b->run, id, i); }

void bench_set(op_bench *b, snug__id id, int64_t i, double value) {
  test_interpret_set(&b->run, id, i, value);
}

bool bench_is_real_input(const op_bench *b, int32_t i) {
  return b->in[i] != SNUG_NONE && snug__dtype_is_real(snug__type_at(b->g, b->in[i])->dtype);
}

snug_status bench_run(op_bench *b, int32_t in_place) {
  for (snug__id id = 0; id < b->g->nodes.n; id++) {
    SNUG_TRY(test_interpret_node(&b->run, id, id == 0 ? in_place : -1));
  }
  test_interpret_check(&b->run);
  return SNUG_OK;
}
