/* Raw ops that work element by element; see raw_ops.h. */
#include "model/layers/raw_values.h"
#include "ops/function.h"
#include "ops/unary.h"

/* ---- of one value, without keys ---- */

#define RAW_UNARY(name, op)                             \
  static snug_status call_##name(snug__layer_call *c) { \
    return snug__raw_apply(c, &snug__op_##op, NULL);    \
  }                                                     \
  RAW_CLASS(name, snug__layer_common, snug__layer_plain_fields, 1, 1, call_##name)

RAW_UNARY(Exp, exp);
RAW_UNARY(HardSigmoid, hard_sigmoid);
RAW_UNARY(HardSilu, hard_silu);
RAW_UNARY(HardTanh, hard_tanh);
RAW_UNARY(Log, log);
RAW_UNARY(LogSigmoid, log_sigmoid);
RAW_UNARY(Reciprocal, reciprocal);
RAW_UNARY(Rsqrt, rsqrt);
RAW_UNARY(Selu, selu);
RAW_UNARY(Sigmoid, sigmoid);
RAW_UNARY(Silu, silu);
RAW_UNARY(Softplus, softplus);
RAW_UNARY(Softsign, softsign);
RAW_UNARY(SparsePlus, sparse_plus);
RAW_UNARY(SparseSigmoid, sparse_sigmoid);
RAW_UNARY(Sqrt, sqrt);
RAW_UNARY(Tanh, tanh);
RAW_UNARY(TanhShrink, tanh_shrink);

/* Integers stay integers. */
#define RAW_UNARY_ANY(name, op)                                                       \
  static snug_status call_##name(snug__layer_call *c) {                               \
    snug_dtype dtype = snug__layer_type(c, c->in[0])->dtype;                          \
    SNUG_TRY(snug__raw_cast(c, c->in[0], snug__raw_work(dtype), &c->out));            \
    SNUG_TRY(snug__graph_add(c->b->g, &snug__op_##op, NULL, &c->out, 1, &c->out, 1)); \
    return snug__raw_cast(c, c->out, dtype, &c->out);                                 \
  }                                                                                   \
  RAW_CLASS(name, snug__layer_common, snug__layer_plain_fields, 1, 1, call_##name)

RAW_UNARY_ANY(Absolute, abs);
RAW_UNARY_ANY(Fabs, abs);
RAW_UNARY_ANY(Negative, negative);
RAW_UNARY_ANY(Sign, sign);
RAW_UNARY_ANY(Square, square);
RAW_UNARY(StopGradient, stop_gradient);

#define RAW_KIND(name, op, type)                        \
  static snug_status call_##name(snug__layer_call *c) { \
    snug__function_params p = {type};                   \
    return snug__raw_apply(c, &snug__op_##op, &p);      \
  }                                                     \
  RAW_CLASS(name, snug__layer_common, snug__layer_plain_fields, 1, 1, call_##name)
#define RAW_FUNCTION(name, kind) RAW_KIND(name, function, SNUG__FUNCTION_##kind)
#define RAW_ROUNDING(name, kind) RAW_KIND(name, rounding, SNUG__ROUNDING_##kind)

RAW_FUNCTION(Arccos, arccos);
RAW_FUNCTION(Arccosh, arccosh);
RAW_FUNCTION(Arcsin, arcsin);
RAW_FUNCTION(Arcsinh, arcsinh);
RAW_FUNCTION(Arctan, arctan);
RAW_FUNCTION(Arctanh, arctanh);
RAW_FUNCTION(Cos, cos);
RAW_FUNCTION(Cosh, cosh);
RAW_FUNCTION(Erf, erf);
RAW_FUNCTION(Exp2, exp2);
RAW_FUNCTION(Expm1, expm1);
RAW_FUNCTION(Log10, log10);
RAW_FUNCTION(Log1p, log1p);
RAW_FUNCTION(Log2, log2);
RAW_FUNCTION(Sin, sin);
RAW_FUNCTION(Sinh, sinh);
RAW_FUNCTION(Tan, tan);
RAW_ROUNDING(Ceil, ceil);
RAW_ROUNDING(Floor, floor);
RAW_ROUNDING(Trunc, trunc);

typedef struct round_config {
  snug__layer_common common;
  int64_t decimals;
} round_config;

static const snug__field round_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(round_config, decimals, INT, "0"), {0}};

static snug_status call_round(snug__layer_call *c) {
  snug__function_params p = {SNUG__ROUNDING_rint};
  int64_t decimals = ((const round_config *)c->config)->decimals;
  snug__scale_shift_params up = {pow(10.0, (double)decimals), 0.0};
  snug__id factor = SNUG_NONE;
  SNUG_TRY(snug__layer_as_real(c, c->in[0], &c->out));
  if (decimals) {
    SNUG_TRY(SNUG_EMIT(c->b->g, scale_shift, &up, &c->out, c->out));
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, rounding, &p, &c->out, c->out));
  if (decimals) {
    SNUG_TRY(snug__layer_number(c, up.scale, &factor));
  }
  return decimals ? SNUG_EMIT(c->b->g, divide, NULL, &c->out, c->out, factor) : SNUG_OK;
}

RAW_CLASS(Round, round_config, round_fields, 1, 1, call_round);

static snug_status identity(snug__layer_call *c) {
  c->out = c->in[0];
  return SNUG_OK;
}

RAW_CLASS(Array, snug__layer_common, snug__layer_plain_fields, 1, 1, identity);
RAW_CLASS(Conjugate, snug__layer_common, snug__layer_plain_fields, 1, 1, identity);
RAW_CLASS(Copy, snug__layer_common, snug__layer_plain_fields, 1, 1, identity);
RAW_CLASS(Real, snug__layer_common, snug__layer_plain_fields, 1, 1, identity);

#define RAW_SCALE(name, scale)                            \
  static snug_status call_##name(snug__layer_call *c) {   \
    snug__scale_shift_params p = {scale, 0.0};            \
    return snug__raw_apply(c, &snug__op_scale_shift, &p); \
  }                                                       \
  RAW_CLASS(name, snug__layer_common, snug__layer_plain_fields, 1, 1, call_##name)

RAW_SCALE(Deg2rad, M_PI / 180.0);
RAW_SCALE(Rad2deg, 180.0 / M_PI);

static snug_status erfc_(snug__layer_call *c) {
  snug__function_params p = {SNUG__FUNCTION_erf};
  snug__scale_shift_params rest = {-1.0, 1.0};
  SNUG_TRY(snug__raw_apply(c, &snug__op_function, &p));
  return SNUG_EMIT(c->b->g, scale_shift, &rest, &c->out, c->out);
}

RAW_CLASS(Erfc, snug__layer_common, snug__layer_plain_fields, 1, 1, erfc_);

/* ---- with the parameters of the op as keys: a config holds them behind what is common ---- */

#define RAW_PARAMS(name, op, type, ...)                                              \
  typedef struct config_##name {                                                     \
    snug__layer_common common;                                                       \
    type params;                                                                     \
  } config_##name;                                                                   \
  static const snug__field fields_##name[] = {SNUG__LAYER_FIELDS, __VA_ARGS__, {0}}; \
  static snug_status call_##name(snug__layer_call *c) {                              \
    const config_##name *k = c->config;                                              \
    return snug__raw_apply(c, &snug__op_##op, &k->params);                           \
  }                                                                                  \
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
