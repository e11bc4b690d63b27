/* Activations with Keras's formulas and defaults.  A gradient reads the output where that is
 * enough, so that the input need not be kept. */
#include "ops/support.h"
#include "ops/unary.h"

#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_ALPHA 1.6732632423543772848170429916717
/* As float32 has it: so does Keras, also where values are float64. */
#define SQRT_HALF ((double)0.70710678118654752440f)
#define SQRT_2_BY_PI 0.79788456080286535588
#define INV_SQRT_PI 0.56418958354775628695
#define GELU_CUBIC 0.044715

static double logistic(double x) { return 1.0 / (1.0 + exp(-x)); }
static double softplus(double x) { return fmax(x, 0.0) + log1p(exp(-fabs(x))); }
static double relu6(double x) { return x < 0.0 ? 0.0 : x > 6.0 ? 6.0 : x; }

/* infer of the ops whose one parameter must not be negative: then y tells on which side x was. */
static snug_status infer_from_zero(snug__infer *q, const char *name, double value) {
  if (!(value >= 0.0) || isinf(value)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: %s=%g must be a number from 0 on", q->where,
                      name, value);
  }
  return snug__infer_same(q);
}

/* ---- logistic and its kin ---- */

UNARY_AT(sigmoid, logistic(x))
UNARY_SLOPE(sigmoid, (dy * v * (1.0 - v)))
UNARY_PAIR(sigmoid, "1 / (1 + e^-x)", out, snug__unary_cost);

UNARY_AT(tanh, tanh(x))
UNARY_SLOPE(tanh, (dy * (1.0 - v * v)))
UNARY_PAIR(tanh, "hyperbolic tangent of x", out, snug__unary_cost);

/* y = log(1 + e^x), so sigmoid(x) = 1 - e^-y. */
UNARY_AT(softplus, softplus(x))
UNARY_SLOPE(softplus, dy * -expm1(-v))
UNARY_PAIR(softplus, "log(1 + e^x)", out, snug__unary_cost);

/* y = -log(1 + e^-x), so sigmoid(-x) = 1 - e^y. */
UNARY_AT(log_sigmoid, -softplus(-x))
UNARY_SLOPE(log_sigmoid, dy * -expm1(v))
UNARY_PAIR(log_sigmoid, "log(sigmoid(x))", out, snug__unary_cost);

UNARY_AT(softsign, x / (1.0 + fabs(x)))
UNARY_SLOPE(softsign, (dy * (1.0 - fabs(v)) * (1.0 - fabs(v))))
UNARY_PAIR(softsign, "x / (1 + |x|)", out, NULL);

/* ---- gated by the input ---- */

UNARY_AT(silu, (x * logistic(x)))
static double silu_slope(double dy, double v, const void *p) {
  double s = logistic(v);
  (void)p;
  return dy * s * (1.0 + v * (1.0 - s));
}
UNARY_PAIR(silu, "x sigmoid(x)", in, snug__unary_cost);

UNARY_AT(mish, (x * tanh(softplus(x))))
static double mish_slope(double dy, double v, const void *p) {
  double t = tanh(softplus(v));
  (void)p;
  return dy * (t + v * (1.0 - t * t) * logistic(v));
}
UNARY_PAIR(mish, "x tanh(softplus(x))", in, snug__unary_cost);

UNARY_AT(tanh_shrink, x - tanh(x))
UNARY_SLOPE(tanh_shrink, (dy * tanh(v) * tanh(v)))
UNARY_PAIR(tanh_shrink, "x - tanh(x)", in, snug__unary_cost);

static const snug__field gelu_fields[] = {SNUG_FIELD(snug__gelu_params, approximate, BOOL, "false"),
                                          {0}};

/* 1 + erf as erfc of the other sign: exact far to the left too. */
static double gelu_at(double x, const void *p) {
  const snug__gelu_params *g = p;
  double t = tanh(SQRT_2_BY_PI * (x + GELU_CUBIC * x * x * x));
  return g->approximate ? 0.5 * x * (1.0 + t) : 0.5 * x * erfc(-x * SQRT_HALF);
}

static double gelu_slope(double dy, double v, const void *p) {
  const snug__gelu_params *g = p;
  if (!g->approximate) {
    double z = v * SQRT_HALF;
    return dy * (0.5 * erfc(-z) + z * INV_SQRT_PI * exp(-z * z));
  }
  double t = tanh(SQRT_2_BY_PI * (v + GELU_CUBIC * v * v * v));
  double inner = SQRT_2_BY_PI * (1.0 + 3.0 * GELU_CUBIC * v * v);
  return dy * 0.5 * (1.0 + t + v * (1.0 - t * t) * inner);
}
UNARY_PAIR_WITH(gelu, "x times the normal distribution's P(X <= x)", in, snug__unary_cost,
                snug__gelu_params, gelu_fields, snug__infer_same);

/* ---- exponential linear units ---- */

static const snug__field alpha_fields[] = {SNUG_FIELD(snug__alpha_params, alpha, FLOAT, "1"), {0}};

static snug_status elu_infer(snug__infer *q) {
  return infer_from_zero(q, "alpha", ((const snug__alpha_params *)q->params)->alpha);
}

static double elu_at(double x, const void *p) {
  return x > 0.0 ? x : ((const snug__alpha_params *)p)->alpha * expm1(x);
}
static double elu_slope(double dy, double v, const void *p) {
  return v > 0.0 ? dy : dy * (v + ((const snug__alpha_params *)p)->alpha);
}
UNARY_PAIR_WITH(elu, "x, below 0 alpha (e^x - 1)", out, snug__unary_cost, snug__alpha_params,
                alpha_fields, elu_infer);

static snug_status celu_infer(snug__infer *q) {
  double alpha = ((const snug__alpha_params *)q->params)->alpha;
  if (alpha == 0.0) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: alpha must be above 0", q->where);
  }
  return infer_from_zero(q, "alpha", alpha);
}

static double celu_at(double x, const void *p) {
  double alpha = ((const snug__alpha_params *)p)->alpha;
  return x > 0.0 ? x : alpha * expm1(x / alpha);
}
static double celu_slope(double dy, double v, const void *p) {
  return v > 0.0 ? dy : dy * (v / ((const snug__alpha_params *)p)->alpha + 1.0);
}
UNARY_PAIR_WITH(celu, "x, below 0 alpha (e^(x/alpha) - 1)", out, snug__unary_cost,
                snug__alpha_params, alpha_fields, celu_infer);

UNARY_AT(selu, SELU_SCALE *(x > 0.0 ? x : SELU_ALPHA * expm1(x)))
UNARY_SLOPE(selu, (dy * (v > 0.0 ? SELU_SCALE : v + SELU_SCALE * SELU_ALPHA)))
UNARY_PAIR(selu, "scaled elu with the self-normalizing constants", out, snug__unary_cost);

/* ---- squareplus: y (y - x) = b / 4, so the slope y / (2 y - x) is y^2 / (y^2 + b/4) ---- */

static const snug__field squareplus_fields[] = {SNUG_FIELD(snug__squareplus_params, b, FLOAT, "4"),
                                                {0}};

static snug_status squareplus_infer(snug__infer *q) {
  return infer_from_zero(q, "b", ((const snug__squareplus_params *)q->params)->b);
}

/* Left of 0 the difference of two near numbers is avoided. */
static double squareplus_at(double x, const void *p) {
  double b = ((const snug__squareplus_params *)p)->b;
  double root = sqrt(x * x + b);
  return x >= 0.0 ? 0.5 * (x + root) : 0.5 * b / (root - x);
}
static double squareplus_slope(double dy, double v, const void *p) {
  double b = ((const snug__squareplus_params *)p)->b;
  return v > 0.0 ? dy * v * v / (v * v + 0.25 * b) : 0.0;
}
UNARY_PAIR_WITH(squareplus, "(x + sqrt(x^2 + b)) / 2", out, NULL, snug__squareplus_params,
                squareplus_fields, squareplus_infer);

/* ---- in pieces; where a piece is flat no gradient flows, not at its ends either ---- */

UNARY_AT(hard_sigmoid, relu6(x + 3.0) / 6.0)
UNARY_SLOPE(hard_sigmoid, v > 0.0 && v < 1.0 ? dy / 6.0 : 0.0)
UNARY_PAIR(hard_sigmoid, "relu6(x + 3) / 6", out, NULL);

UNARY_AT(hard_silu, (x * relu6(x + 3.0) / 6.0))
UNARY_SLOPE(hard_silu, v <= -3.0 ? 0.0 : v >= 3.0 ? dy : dy * (2.0 * v + 3.0) / 6.0)
UNARY_PAIR(hard_silu, "x hard_sigmoid(x)", in, NULL);

UNARY_AT(hard_tanh, x<-1.0 ? -1.0 : x> 1.0 ? 1.0 : x)
UNARY_SLOPE(hard_tanh, v > -1.0 && v < 1.0 ? dy : 0.0)
UNARY_PAIR(hard_tanh, "x held between -1 and 1", out, NULL);

UNARY_AT(sparse_plus, x <= -1.0 ? 0.0 : x < 1.0 ? 0.25 * (x + 1.0) * (x + 1.0) : x)
UNARY_SLOPE(sparse_plus, v <= 0.0 ? 0.0 : v < 1.0 ? dy * sqrt(v) : dy)
UNARY_PAIR(sparse_plus, "0, (x + 1)^2 / 4 between -1 and 1, x", out, NULL);

UNARY_AT(sparse_sigmoid, x <= -1.0 ? 0.0 : x < 1.0 ? 0.5 * (x + 1.0) : 1.0)
UNARY_SLOPE(sparse_sigmoid, v > 0.0 && v < 1.0 ? 0.5 * dy : 0.0)
UNARY_PAIR(sparse_sigmoid, "0, (x + 1) / 2 between -1 and 1, 1", out, NULL);

static const snug__field shrink_fields[] = {
    SNUG_FIELD(snug__shrink_params, threshold, FLOAT, "0.5"), {0}};

static snug_status shrink_infer(snug__infer *q) {
  return infer_from_zero(q, "threshold", ((const snug__shrink_params *)q->params)->threshold);
}

static double hard_shrink_at(double x, const void *p) {
  return fabs(x) <= ((const snug__shrink_params *)p)->threshold ? 0.0 : x;
}
UNARY_SLOPE(hard_shrink, v != 0.0 ? dy : 0.0)
UNARY_PAIR_WITH(hard_shrink, "x, 0 where |x| <= threshold", out, NULL, snug__shrink_params,
                shrink_fields, shrink_infer);

static double soft_shrink_at(double x, const void *p) {
  double t = ((const snug__shrink_params *)p)->threshold;
  return x > t ? x - t : x < -t ? x + t : isnan(x) ? x : 0.0;
}
UNARY_SLOPE(soft_shrink, v != 0.0 ? dy : 0.0)
UNARY_PAIR_WITH(soft_shrink, "x moved towards 0 by threshold", out, NULL, snug__shrink_params,
                shrink_fields, shrink_infer);

static const snug__field threshold_fields[] = {
    SNUG_FIELD(snug__threshold_params, threshold, FLOAT, NULL),
    SNUG_FIELD(snug__threshold_params, value, FLOAT, NULL),
    {0}};

static double threshold_at(double x, const void *p) {
  const snug__threshold_params *t = p;
  return x <= t->threshold ? t->value : x;
}
static double threshold_slope(double dy, double v, const void *p) {
  return v > ((const snug__threshold_params *)p)->threshold ? dy : 0.0;
}
UNARY_PAIR_WITH(threshold, "x, value where x <= threshold", in, NULL, snug__threshold_params,
                threshold_fields, snug__infer_same);
