/* Every layer class against a real Keras: weights, shapes and values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "grad/grad.h"
#include "lib/interpret.h"
#include "lib/test.h"
#include "model/model.h"
#include "ops/reduce.h"
#include "ops/support.h"

typedef struct layer_case {
  const char *class_name, *config;
  const char *in;      /* "float64[2,3]; positive[2]; int32<7[2]": kind and shape with batch */
  const char *weights; /* "kernel[3,4] bias[4]" */
  const char *out;     /* "[2,4]" */
  bool training;
  const double *expect; /* outputs: all, if they are few; else the first and two sums */
  const double *after;  /* the untrained weights after a training step, or NULL */
  const double *slopes; /* two sums per gradient, of real inputs and of trained weights, or NULL */
} layer_case;

static const layer_case cases[] = {
#include "model/layer_cases.inc"
};

#define MAX_INPUTS 4
#define MAX_WANTED 16
#define CONFIG_BYTES 2048
enum { FEW = 24, FIRST = 8 }; /* as tools/gen_layer_cases.py has them */
#define TOLERANCE 1e-6        /* TensorFlow computes a few of these in float32 */

/* The formula of tools/gen_layer_cases.py. */
static double noise(int64_t k, int64_t i) {
  return (double)((i * 7919 + (k + 1) * 104729) % 2003) / 1001.5 - 1.0;
}

static int32_t read_shape(const char *text, int64_t dim[SNUG_MAX_RANK]) {
  int32_t rank = 0;
  for (const char *at = text + 1; *at && *at != ']';) {
    char *end = NULL;
    dim[rank++] = strtoll(at, &end, 10);
    at = *end == ',' ? end + 1 : end;
  }
  return rank;
}

/* Element i of input k, as its kind says. */
static double input_value(const layer_case *c, int32_t k, int64_t i) {
  const char *at = c->in;
  for (int32_t skip = k; skip > 0; skip--) {
    at = strchr(at, ';') + 2;
  }
  double v = noise(k, i);
  if (at[strcspn(at, "<[")] == '<') {
    return floor((v + 1) * 0.5 * atof(strchr(at, '<') + 1));
  }
  if (strncmp(at, "above", 5) == 0) {
    return fabs(v) + 1.5;
  }
  return strncmp(at, "positive", 8) == 0 ? fabs(v) + 0.5 : v;
}

typedef struct bench {
  const layer_case *c;
  snug_ctx *ctx;
  snug_model *m;
  int32_t n_in;
  int64_t batch;
  snug__build build;
  snug__id in[MAX_INPUTS], out;
  snug__id wanted[MAX_WANTED], slope[MAX_WANTED];
  size_t n_wanted;
  test_interpreter run;
} bench;

static void add_inputs(bench *b, snug_tensor *tensors) {
  for (const char *at = b->c->in; at; at = strchr(at, ';')) {
    int64_t dim[SNUG_MAX_RANK];
    char name[8];
    at += strspn(at, "; ");
    int32_t rank = read_shape(strchr(at, '['), dim);
    snug_dtype dtype = strncmp(at, "int32", 5) == 0 ? SNUG_INT32 : SNUG_FLOAT64;
    snprintf(name, sizeof name, "in%d", b->n_in);
    b->batch = dim[0];
    tensors[b->n_in] = snug_model_input(b->m, name, dtype, dim + 1, rank - 1);
    b->n_in++;
  }
}

static void check_shape(const bench *b, snug_tensor y) {
  int64_t dim[SNUG_MAX_RANK];
  int64_t got[SNUG_MAX_RANK];
  int32_t rank = read_shape(b->c->out, dim);
  ASSERT_EQ_INT(snug_model_shape(b->m, y, got), rank - 1);
  for (int32_t i = 1; i < rank; i++) {
    ASSERT_EQ_INT(got[i - 1], dim[i]);
  }
}

static void set_weight(bench *b, size_t k, const snug_weight_info *w) {
  int64_t n = (int64_t)(w->bytes / 8); /* float64, or the int64 of a count */
  double *v = calloc((size_t)n + 1, 8);
  ASSERT_NOT_NULL(v);
  for (int64_t i = 0; w->dtype == SNUG_FLOAT64 && i < n; i++) {
    double x = noise(50 + (int64_t)k, i);
    v[i] = strstr(w->name, "variance") ? fabs(x) + 0.5 : x;
  }
  ASSERT_OK(b->ctx, snug_model_weight_set(b->m, w->name, v, w->bytes));
  free(v);
}

/* Names, shapes and order of the weights; then their values. */
static void check_weights(bench *b) {
  size_t k = 0;
  for (const char *at = b->c->weights; *at; k++) {
    char name[128];
    int64_t dim[SNUG_MAX_RANK];
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    size_t length = strcspn(at, "[");
    ASSERT_OK(b->ctx, snug_model_weight_info(b->m, k, &w));
    snprintf(name, sizeof name, "layer/%.*s", (int)length, at);
    ASSERT_EQ_TEXT(w.name, name);
    ASSERT_EQ_INT(w.rank, read_shape(at + length, dim));
    for (int32_t i = 0; i < w.rank; i++) {
      ASSERT_EQ_INT(w.shape[i], dim[i]);
    }
    set_weight(b, k, &w);
    at = strchr(at, ']') + 1;
    at += strspn(at, " ");
  }
  ASSERT_EQ_UINT(snug_model_weights(b->m), k);
}

static void open_bench(bench *b, const layer_case *c) {
  snug_model_options o = SNUG_INIT(snug_model_options);
  snug_tensor tensors[MAX_INPUTS];
  char config[CONFIG_BYTES];
  o.dtype = SNUG_FLOAT64;
  *b = (bench){.c = c, .ctx = test_ctx()};
  ASSERT_OK(b->ctx, snug_model_create(b->ctx, &o, &b->m));
  add_inputs(b, tensors);
  snprintf(config, sizeof config, "name=layer %s", c->config);
  snug_tensor y = snug_model_layer(b->m, c->class_name, config, tensors, b->n_in);
  ASSERT_OK(b->ctx, snug_model_status(b->m));
  check_shape(b, y);
  ASSERT_OK(b->ctx, snug_model_outputs(b->m, &y, 1));
  check_weights(b);
}

static void close_bench(bench *b) {
  test_interpret_release(&b->run);
  snug__build_close(&b->build);
  snug_model_destroy(b->m);
  test_ctx_end(b->ctx);
}

/* Inputs by the formula; weights from the model; states zero. */
static void fill_values(bench *b) {
  snug__graph *g = b->build.g;
  for (snug__id id = 0; id < g->values.n; id++) {
    const snug__value *v = snug__value_at(g, id);
    size_t bytes = (size_t)snug__type_bytes(&v->type);
    if (v->kind == SNUG__WEIGHT && v->view_of == SNUG_NONE) {
      memcpy(test_interpret_data(&b->run, id),
             snug__place_pointer(snug__variable_at(&b->m->variables, v->variable)->place), bytes);
    } else if (v->kind == SNUG__STATE) {
      memset(test_interpret_data(&b->run, id), 0, bytes);
    }
  }
  for (int32_t k = 0; k < b->n_in; k++) {
    const snug__type *t = snug__type_at(g, b->in[k]);
    for (int64_t i = 0; i < snug__type_count(t); i++) {
      test_interpret_set(&b->run, b->in[k], i, input_value(b->c, k, i));
    }
  }
}

/* The gradient of the sum of all outputs, each times a number of its own. */
static void add_backward(bench *b) {
  snug__graph *g = b->build.g;
  snug__type type = *snug__type_at(g, b->out);
  int64_t n = snug__type_count(&type);
  double *factors = calloc((size_t)n + 1, sizeof *factors);
  snug__reduce_params all = {{0, {0}}, false};
  snug__id v = SNUG_NONE;
  ASSERT_NOT_NULL(factors);
  for (int64_t i = 0; i < n; i++) {
    factors[i] = noise(100, i);
  }
  ASSERT_OK(b->ctx, snug__graph_constant(g, "factors", type, factors, &v));
  free(factors);
  ASSERT_OK(b->ctx, SNUG_EMIT(g, multiply, NULL, &v, b->out, v));
  ASSERT_OK(b->ctx, SNUG_EMIT(g, sum, &all, &v, v));
  ASSERT_OK(b->ctx, snug__grad_append(g, v, b->wanted, b->n_wanted, b->slope));
}

static void want(bench *b, snug__id value) {
  ASSERT_TRUE(b->n_wanted < MAX_WANTED);
  b->wanted[b->n_wanted++] = value;
}

static void want_all(bench *b) {
  for (int32_t k = 0; k < b->n_in; k++) {
    if (snug__dtype_is_real(snug__type_at(b->build.g, b->in[k])->dtype)) {
      want(b, b->in[k]);
    }
  }
  for (snug__id id = 0; id < b->m->variables.list.n; id++) {
    const snug__variable *v = snug__variable_at(&b->m->variables, id);
    if (v->kind == SNUG__WEIGHT && snug__model_trains(b->m, v)) {
      snug__id value = SNUG_NONE;
      ASSERT_OK(b->ctx, snug__build_variable(&b->build, id, &value));
      want(b, value);
    }
  }
}

static void run_bench(bench *b) {
  ASSERT_OK(b->ctx,
            snug__build_open(&b->build, b->ctx, &b->m->variables, b->c->training, SNUG_FLOAT64));
  ASSERT_OK(b->ctx, snug__model_emit(b->m, &b->build, b->batch, b->in, &b->out, NULL));
  if (snug__dtype_is_real(snug__type_at(b->build.g, b->out)->dtype)) {
    want_all(b);
    add_backward(b);
  }
  ASSERT_OK(b->ctx, snug__graph_verify(b->build.g));
  test_interpret_init(&b->run, b->build.g);
  fill_values(b);
  ASSERT_OK(b->ctx, test_interpret_run(&b->run));
}

static void compare(const bench *b, const char *what, int64_t i, double got, double expected) {
  if (!(fabs(got - expected) <= TOLERANCE * fmax(1.0, fabs(expected)))) {
    test_fail(__FILE__, __LINE__, "%s(%s): %s %lld is %.12g, Keras has %.12g", b->c->class_name,
              b->c->config, what, (long long)i, got, expected);
  }
}

/* Two sums of all elements, each times a number of its own; of a value that is not there, zeros. */
static void compare_sums(bench *b, const char *what, int64_t k, snug__id value,
                         const double *expected) {
  for (int64_t s = 0; s < 2; s++) {
    double sum = 0.0;
    int64_t n = value == SNUG_NONE ? 0 : snug__type_count(snug__type_at(b->build.g, value));
    for (int64_t i = 0; i < n; i++) {
      sum += test_interpret_get(&b->run, value, i) * noise(k + 100 * s, i);
    }
    compare(b, what, k, sum, expected[s]);
  }
}

/* The untrained weights, in order, as the step left them. */
static void check_after(bench *b) {
  int64_t at = 0;
  for (snug__id id = 0; b->c->after && id < b->m->variables.list.n; id++) {
    const snug__variable *v = snug__variable_at(&b->m->variables, id);
    if (v->kind == SNUG__WEIGHT && !snug__model_trains(b->m, v)) {
      snug__id value = SNUG_NONE;
      ASSERT_OK(b->ctx, snug__build_variable(&b->build, id, &value));
      for (int64_t i = 0; i < snug__type_count(&v->type); i++, at++) {
        compare(b, "element after the step", at, test_interpret_get(&b->run, value, i),
                b->c->after[at]);
      }
    }
  }
}

static void check_case(const layer_case *c) {
  bench b;
  open_bench(&b, c);
  run_bench(&b);
  int64_t n = snug__type_count(snug__type_at(b.build.g, b.out));
  for (int64_t i = 0; i < (n <= FEW ? n : FIRST); i++) {
    compare(&b, "element", i, test_interpret_get(&b.run, b.out, i), c->expect[i]);
  }
  if (n > FEW) {
    compare_sums(&b, "sum", 200, b.out, c->expect + FIRST);
  }
  for (size_t k = 0; k < b.n_wanted; k++) {
    compare_sums(&b, "sum of gradient", 300 + 10 * (int64_t)k, b.slope[k], c->slopes + 2 * k);
  }
  check_after(&b);
  close_bench(&b);
}

TEST(layers_do_what_keras_does) {
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    check_case(&cases[i]);
  }
}

TEST(every_class_has_a_case) {
  static const char *const names[] = {
#define LAYER(name) #name,
#define RAW_OP(name) "ops." #name,
#include "model/layers.def"
#undef RAW_OP
#undef LAYER
  };
  for (size_t n = 0; n < SNUG_COUNT(names); n++) {
    bool found = false;
    for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
      found |= strcmp(cases[i].class_name, names[n]) == 0;
    }
    if (!found) {
      test_fail(__FILE__, __LINE__, "%s has no case in tools/gen_layer_cases.py", names[n]);
    }
  }
}

/* A batch of nothing goes through every layer, in training too. */
TEST(an_empty_batch_goes_through) {
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    bench b;
    open_bench(&b, &cases[i]);
    b.batch = 0;
    run_bench(&b);
    ASSERT_EQ_INT(snug__type_at(b.build.g, b.out)->dim[0], 0);
    close_bench(&b);
  }
}

/* ---- hostile numbers ---- */

static void try_config(const layer_case *c, const char *config) {
  snug_model_options o = SNUG_INIT(snug_model_options);
  snug_tensor tensors[MAX_INPUTS];
  bench b = {.c = c, .ctx = test_ctx()};
  o.dtype = SNUG_FLOAT64;
  ASSERT_OK(b.ctx, snug_model_create(b.ctx, &o, &b.m));
  add_inputs(&b, tensors);
  snug_model_layer(b.m, c->class_name, config, tensors, b.n_in);
  if (snug_model_status(b.m) && !strstr(snug_message(b.ctx), c->class_name) &&
      !strstr(snug_message(b.ctx), "hostile")) {
    test_fail(__FILE__, __LINE__, "%s(%s): the message names no layer: %s", c->class_name, config,
              snug_message(b.ctx));
  }
  snug_model_destroy(b.m);
  test_ctx_end(b.ctx);
}

/* Whatever number stands in a configuration, a layer is built or refused by name. */
TEST(hostile_numbers_are_refused_by_name) {
  static const char *const numbers[] = {
      "0", "-1", "7", "1e308", "2147483648", "9223372036854775807", "-9223372036854775808"};
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    const char *text = cases[i].config;
    for (size_t at = 0; text[at]; at++) {
      bool starts = at && strchr("0123456789", text[at]) && strchr("=[,(", text[at - 1]);
      for (size_t k = 0; starts && k < SNUG_COUNT(numbers); k++) {
        char config[CONFIG_BYTES];
        snprintf(config, sizeof config, "name=hostile %.*s%s%s", (int)at, text, numbers[k],
                 text + at + strspn(text + at, "0123456789.e-"));
        try_config(&cases[i], config);
      }
    }
  }
}
