/* Raw ops that work element by element; see raw_ops.h. */
#include "model/layers/raw_ops.h"

#include "ops/matmul.h"
#include "ops/unary.h"

/* ---- of one value, without keys ---- */

#define RAW_UNARY(name, op)                                                      \
  static snug_status call_##name(snug__layer_call *c) {                          \
    return snug__graph_add(c->b->g, &snug__op_##op, NULL, c->in, 1, &c->out, 1); \
  }                                                                              \
  RAW_CLASS(name, snug__layer_common, snug__layer_plain_fields, 1, 1, call_##name)

RAW_UNARY(Absolute, abs);
RAW_UNARY(Exp, exp);
RAW_UNARY(HardSigmoid, hard_sigmoid);
RAW_UNARY(HardSilu, hard_silu);
RAW_UNARY(HardTanh, hard_tanh);
RAW_UNARY(Log, log);
RAW_UNARY(LogSigmoid, log_sigmoid);
RAW_UNARY(Negative, negative);
RAW_UNARY(Reciprocal, reciprocal);
RAW_UNARY(Rsqrt, rsqrt);
RAW_UNARY(Selu, selu);
RAW_UNARY(Sigmoid, sigmoid);
RAW_UNARY(Sign, sign);
RAW_UNARY(Silu, silu);
RAW_UNARY(Softplus, softplus);
RAW_UNARY(Softsign, softsign);
RAW_UNARY(SparsePlus, sparse_plus);
RAW_UNARY(SparseSigmoid, sparse_sigmoid);
RAW_UNARY(Sqrt, sqrt);
RAW_UNARY(Square, square);
RAW_UNARY(Tanh, tanh);
RAW_UNARY(TanhShrink, tanh_shrink);

static snug_status identity(snug__layer_call *c) {
  c->out = c->in[0];
  return SNUG_OK;
}

RAW_CLASS(Copy, snug__layer_common, snug__layer_plain_fields, 1, 1, identity);

/* ---- with the parameters of the op as keys: a config holds them behind what is common ---- */

#define RAW_PARAMS(name, op, type, ...)                                                \
  typedef struct config_##name {                                                       \
    snug__layer_common common;                                                         \
    type params;                                                                       \
  } config_##name;                                                                     \
  static const snug__field fields_##name[] = {SNUG__LAYER_FIELDS, __VA_ARGS__, {0}};   \
  static snug_status call_##name(snug__layer_call *c) {                                \
    const config_##name *k = c->config;                                                \
    return snug__graph_add(c->b->g, &snug__op_##op, &k->params, c->in, 1, &c->out, 1); \
  }                                                                                    \
  RAW_CLASS(name, config_##name, fields_##name, 1, 1, call_##name)
#define PARAM(name, key, member, kind, initial) \
  { key, SNUG__FIELD_##kind, offsetof(config_##name, params.member), initial, NULL }

RAW_PARAMS(Celu, celu, snug__alpha_params, PARAM(Celu, "alpha", alpha, FLOAT, "1"));
RAW_PARAMS(Elu, elu, snug__alpha_params, PARAM(Elu, "alpha", alpha, FLOAT, "1"));
RAW_PARAMS(Gelu, gelu, snug__gelu_params, PARAM(Gelu, "approximate", approximate, BOOL, "true"));
RAW_PARAMS(HardShrink, hard_shrink, snug__shrink_params,
           PARAM(HardShrink, "threshold", threshold, FLOAT, "0.5"));
RAW_PARAMS(SoftShrink, soft_shrink, snug__shrink_params,
           PARAM(SoftShrink, "threshold", threshold, FLOAT, "0.5"));
RAW_PARAMS(Squareplus, squareplus, snug__squareplus_params, PARAM(Squareplus, "b", b, FLOAT, "4"));
RAW_PARAMS(Threshold, threshold, snug__threshold_params,
           PARAM(Threshold, "threshold", threshold, FLOAT, NULL),
           PARAM(Threshold, "default_value", value, FLOAT, NULL));
RAW_PARAMS(Clip, clip, snug__clip_params, PARAM(Clip, "x_min", min, FLOAT, NULL),
           PARAM(Clip, "x_max", max, FLOAT, NULL));

static snug_status relu_up_to(snug__layer_call *c, double slope, double max_value) {
  snug__relu_params p = {slope, max_value, 0.0};
  return SNUG_EMIT(c->b->g, relu, &p, &c->out, c->in[0]);
}

static snug_status relu(snug__layer_call *c) { return relu_up_to(c, 0.0, INFINITY); }
static snug_status relu6(snug__layer_call *c) { return relu_up_to(c, 0.0, 6.0); }

RAW_CLASS(Relu, snug__layer_common, snug__layer_plain_fields, 1, 1, relu);
RAW_CLASS(Relu6, snug__layer_common, snug__layer_plain_fields, 1, 1, relu6);

typedef struct leaky_config {
  snug__layer_common common;
  double negative_slope;
} leaky_config;

static const snug__field leaky_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(leaky_config, negative_slope, FLOAT, "0.2"), {0}};

static snug_status leaky_relu(snug__layer_call *c) {
  const leaky_config *k = c->config;
  return relu_up_to(c, snug__layer_rounded(k->negative_slope), INFINITY);
}

RAW_CLASS(LeakyRelu, leaky_config, leaky_fields, 1, 1, leaky_relu);

/* ---- Cast: to what the model computes in ---- */

typedef struct cast_config {
  snug__layer_common common;
  char dtype[SNUG__NAME_BYTES];
} cast_config;

static const snug__field cast_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(cast_config, dtype, TEXT, NULL), {0}};

static snug_status cast(snug__layer_call *c) {
  const cast_config *k = c->config;
  const char *real = snug_dtype_text(c->b->real);
  if (strcmp(k->dtype, real) != 0) {
    return snug__fail(
        c->b->ctx, SNUG_E_UNSUPPORTED,
        "%s: dtype=%s: the model computes in %s, and only a cast to that is supported",
        c->layer->name, k->dtype, real);
  }
  return snug__layer_as_real(c, c->in[0], &c->out);
}

RAW_CLASS(Cast, cast_config, cast_fields, 1, 1, cast);

/* ---- of two values, one of which may be a constant ---- */

typedef struct binary_config {
  snug__layer_common common;
  snug_numbers constant; /* empty: none */
  bool constant_first;
} binary_config;

static const snug__field binary_fields[] = {
    SNUG__LAYER_FIELDS,
    SNUG_FIELD(binary_config, constant, NUMBERS, "[]"),
    SNUG_FIELD(binary_config, constant_first, BOOL, "false"),
    {0}};

/* Values of different ranks would meet with the batch of one along another axis of the other. */
static snug_status need_one_rank(const snug__layer_call *c) {
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  const snug__type *first = snug__layer_type(c, c->in[0]);
  const snug__type *second = snug__layer_type(c, c->in[1]);
  if (first->rank != second->rank) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                      "%s: %s and %s have different numbers of axes, so that samples would be "
                      "mixed; reshape one of them",
                      c->layer->name, snug__type_batch_text(first, a),
                      snug__type_batch_text(second, b));
  }
  return SNUG_OK;
}

static snug_status constant(const snug__layer_call *c, const snug_numbers *list, snug__id *out) {
  double v = 0.0;
  if (list->n > 1) {
    return snug__layer_constant(c, list, NULL, out);
  }
  snug__numbers_read(list, &v);
  return snug__layer_number(c, v, out);
}

/* A list along the last axis must not become another axis, or make one longer. */
static snug_status check_constant(const snug__layer_call *c, const snug_numbers *list) {
  int64_t n = list->n;
  const snug__type *x = snug__layer_type(c, c->in[0]);
  char text[SNUG__TYPE_TEXT_BYTES];
  if (list->nested) {
    return snug__fail(c->b->ctx, SNUG_E_UNSUPPORTED,
                      "%s: constant: only a number, or a list of numbers along the last axis, is "
                      "supported",
                      c->layer->name);
  }
  if (n > 1 && (x->rank < 2 || x->dim[x->rank - 1] != n)) {
    return snug__fail(
        c->b->ctx, SNUG_E_SHAPE,
        "%s: constant has %lld numbers: expected 1 or the size of the last axis of %s",
        c->layer->name, (long long)n, snug__type_batch_text(x, text));
  }
  return SNUG_OK;
}

static snug_status binary(snug__layer_call *c, const snug__op *op) {
  const binary_config *k = c->config;
  snug__id pair[2] = {c->in[0], c->n_in > 1 ? c->in[1] : SNUG_NONE};
  if ((c->n_in > 1) == (k->constant.n > 0)) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: %d inputs and %lld numbers as constant: expected two inputs, or one and "
                      "a constant",
                      c->layer->name, c->n_in, (long long)k->constant.n);
  }
  if (c->n_in > 1) {
    SNUG_TRY(need_one_rank(c));
  } else {
    int at = k->constant_first ? 0 : 1;
    pair[1 - at] = c->in[0];
    SNUG_TRY(check_constant(c, &k->constant));
    SNUG_TRY(constant(c, &k->constant, &pair[at]));
  }
  return snug__graph_add(c->b->g, op, NULL, pair, 2, &c->out, 1);
}

#define RAW_BINARY(name, op)                                                                \
  static snug_status call_##name(snug__layer_call *c) { return binary(c, &snug__op_##op); } \
  RAW_CLASS(name, binary_config, binary_fields, 1, 2, call_##name)

RAW_BINARY(Add, add);
RAW_BINARY(Divide, divide);
RAW_BINARY(Maximum, maximum);
RAW_BINARY(Minimum, minimum);
RAW_BINARY(Multiply, multiply);
RAW_BINARY(Power, power);
RAW_BINARY(Subtract, subtract);
RAW_BINARY(TrueDivide, divide);

/* ---- Matmul: of the last two axes; the axes before them are a batch ---- */

/* in[i] with the axes before the last two repeated to those of the other. */
static snug_status with_leading(const snug__layer_call *c, int32_t i, snug__id *out) {
  const snug__type *t = snug__layer_type(c, c->in[i]);
  const snug__type *other = snug__layer_type(c, c->in[1 - i]);
  snug__type to = *t;
  for (int32_t k = 1; k < t->rank - 2; k++) {
    to.dim[k] = t->dim[k] == 1 ? other->dim[k] : t->dim[k];
  }
  *out = c->in[i];
  return snug__shape_equal(t, &to) ? SNUG_OK
                                   : snug__emit_broadcast(c->b->g, c->in[i], &to, 1.0, out);
}

static snug_status matmul(snug__layer_call *c) {
  snug__matmul_params p = {false, false};
  snug__id pair[2];
  SNUG_TRY(need_one_rank(c));
  if (snug__layer_type(c, c->in[0])->rank < 3) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                      "%s: the product of two values with less than 3 axes would mix samples",
                      c->layer->name);
  }
  SNUG_TRY(with_leading(c, 0, &pair[0]));
  SNUG_TRY(with_leading(c, 1, &pair[1]));
  return snug__graph_add(c->b->g, &snug__op_matmul, &p, pair, 2, &c->out, 1);
}

RAW_CLASS(Matmul, snug__layer_common, snug__layer_plain_fields, 2, 2, matmul);
