#include "ops/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/test.h"

#define GUARD 64
#define GUARD_BYTE 0xA5
#define POISON 0xCB

static void *guarded_new(size_t bytes) {
  unsigned char *p = malloc(bytes + 2 * GUARD);
  ASSERT_NOT_NULL(p);
  memset(p, GUARD_BYTE, bytes + 2 * GUARD);
  memset(p + GUARD, POISON, bytes);
  return p + GUARD;
}

static void guarded_check(const void *data, size_t bytes, const char *what) {
  const unsigned char *p = (const unsigned char *)data - GUARD;
  for (size_t i = 0; i < GUARD; i++) {
    if (p[i] != GUARD_BYTE || p[GUARD + bytes + i] != GUARD_BYTE) {
      test_fail(__FILE__, __LINE__, "%s: wrote outside of its %zu bytes", what, bytes);
    }
  }
}

static void guarded_free(void *data) {
  if (data) {
    free((unsigned char *)data - GUARD);
  }
}

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

static bool is_written(const snug__op *op, int32_t input) {
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
  return is_written(b->op, i)
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
  *b = (op_bench){.ctx = test_ctx(), .op = op, .c = c, .real = real, .threads = 1};
  b->n_out = c->n_out ? c->n_out : op->max_out;
  SNUG_TRY(snug__graph_create(b->ctx, &b->g));
  return build(b, narrow);
}

void bench_close(op_bench *b) {
  for (size_t i = 0; i < b->n_data; i++) {
    if (b->data[i] && snug__value_base(b->g, (snug__id)i) == i) {
      guarded_free(b->data[i]);
    }
  }
  free(b->data);
  snug__graph_destroy(b->g);
  test_ctx_end(b->ctx);
}

static void make_room(op_bench *b, size_t n) {
  if (n > b->n_data) {
    b->data = realloc(b->data, n * sizeof *b->data);
    ASSERT_NOT_NULL(b->data);
    memset(b->data + b->n_data, 0, (n - b->n_data) * sizeof *b->data);
    b->n_data = n;
  }
}

void *bench_data(op_bench *b, snug__id id) {
  const snug__value *v = snug__value_at(b->g, id);
  snug__id base = snug__value_base(b->g, id);
  make_room(b, b->g->values.n);
  if (v->kind == SNUG__CONSTANT) {
    return (void *)(uintptr_t)v->data;
  }
  if (!b->data[base]) {
    b->data[base] = guarded_new((size_t)snug__type_bytes(snug__type_at(b->g, base)));
  }
  return (char *)b->data[base] + v->view_offset;
}

double bench_get(op_bench *b, snug__id id, int64_t i) {
  return snug__element_get(snug__type_at(b->g, id)->dtype, bench_data(b, id), i);
}

void bench_set(op_bench *b, snug__id id, int64_t i, double value) {
  snug__element_set(snug__type_at(b->g, id)->dtype, bench_data(b, id), i, value);
}

bool bench_is_real_input(const op_bench *b, int32_t i) {
  return b->in[i] != SNUG_NONE && snug__dtype_is_real(snug__type_at(b->g, b->in[i])->dtype);
}

static snug_status run_node(op_bench *b, snug__id id, int32_t in_place) {
  const snug__node *node = snug__node_at(b->g, id);
  const void *in[SNUG__MAX_IN] = {0};
  void *out[SNUG__MAX_OUT] = {0};
  snug__type in_types[SNUG__MAX_IN], out_types[SNUG__MAX_OUT];
  memset(in_types, 0, sizeof in_types);
  memset(out_types, 0, sizeof out_types);
  for (int32_t i = 0; i < node->n_in; i++) {
    if (node->in[i] != SNUG_NONE) {
      in_types[i] = *snug__type_at(b->g, node->in[i]);
      in[i] = bench_data(b, node->in[i]);
    }
  }
  for (int32_t k = 0; k < node->n_out; k++) {
    if (node->out[k] != SNUG_NONE) {
      out_types[k] = *snug__type_at(b->g, node->out[k]);
      out[k] =
          in_place >= 0 && k == 0 ? (void *)(uintptr_t)in[in_place] : bench_data(b, node->out[k]);
    }
  }
  snug__signature sig = {node->op, node->params, node->n_in, node->n_out,
                         in_types, out_types,    b->threads};
  size_t scratch_bytes = node->op->scratch ? node->op->scratch(&sig) : 0;
  void *scratch = guarded_new(scratch_bytes);
  snug__call call = {&sig, in, out, scratch, &b->fault};
  snug_status s = node->op->reference(&call);
  guarded_check(scratch, scratch_bytes, node->op->name);
  guarded_free(scratch);
  if (in_place >= 0) { /* hand the result over, so that it is found under the output's own id */
    memcpy(bench_data(b, node->out[0]), out[0], (size_t)snug__type_bytes(&out_types[0]));
  }
  return s;
}

snug_status bench_run(op_bench *b, int32_t in_place) {
  for (snug__id id = 0; id < b->g->nodes.n; id++) {
    SNUG_TRY(run_node(b, id, id == 0 ? in_place : -1));
  }
  for (size_t i = 0; i < b->n_data; i++) {
    if (b->data[i]) {
      guarded_check(b->data[i], (size_t)snug__type_bytes(snug__type_at(b->g, (snug__id)i)),
                    b->op->name);
    }
  }
  return SNUG_OK;
}
