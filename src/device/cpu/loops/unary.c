/* Functions of one value and their gradients.  What is exact in the reference is exact here; what
 * computes is within a few units of the last place, see math.h. */
#include "ops/unary.h"

#include "device/cpu/each.h"
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/math.h"
#include "ops/support.h"

/* FORWARD(op, y of x and p), BACKWARD(op, dx of d (that is dy), v (x or y) and p). */
#define FORWARD_FITS(op, fits, cost, ...)                                            \
  static void op##_range(const snug__each *e, const snug__call *call, int64_t begin, \
                         int64_t end) {                                              \
    const float *in = call->in[0];                                                   \
    float *out = call->out[0];                                                       \
    const float p0 = e->p[0], p1 = e->p[1], p2 = e->p[2];                            \
    SNUG_SIMD for (int64_t i = begin; i < end; i++) {                                \
      float x = in[i];                                                               \
      out[i] = (__VA_ARGS__);                                                        \
    }                                                                                \
    (void)p0, (void)p1, (void)p2;                                                    \
  }                                                                                  \
  SNUG__EACH_KERNEL(op, fits, op##_range, cost)

#define BACKWARD_FITS(op, fits, cost, ...)                                           \
  static void op##_range(const snug__each *e, const snug__call *call, int64_t begin, \
                         int64_t end) {                                              \
    const float *dy = call->in[0], *kept = call->in[1];                              \
    float *out = call->out[0];                                                       \
    const float p0 = e->p[0], p1 = e->p[1], p2 = e->p[2];                            \
    SNUG_SIMD for (int64_t i = begin; i < end; i++) {                                \
      float d = dy[i], v = kept[i];                                                  \
      out[i] = (__VA_ARGS__);                                                        \
    }                                                                                \
    (void)p0, (void)p1, (void)p2;                                                    \
  }                                                                                  \
  SNUG__EACH_KERNEL(op, fits, op##_range, cost)

#define COPY SNUG__EACH_COPIES
#define COMPUTE SNUG__EACH_COMPUTES
#define FORWARD(op, cost, ...) FORWARD_FITS(op, snug__is_float32, cost, __VA_ARGS__)
#define BACKWARD(op, cost, ...) BACKWARD_FITS(op, snug__is_float32, cost, __VA_ARGS__)

/* ---- simple ---- */

FORWARD(negative, COPY, -x);
FORWARD(scale_shift, COPY, x *p0 + p1);
FORWARD(square, COPY, x *x);
BACKWARD(square_grad, COPY, 2.0f * v * d);
FORWARD(sqrt, COPY, sqrtf(x));
BACKWARD(sqrt_grad, COPY, 0.5f * d / v);
FORWARD(rsqrt, COPY, 1.0f / sqrtf(x));
BACKWARD(rsqrt_grad, COPY, -0.5f * v * v * v * d);
FORWARD(reciprocal, COPY, 1.0f / x);
BACKWARD(reciprocal_grad, COPY, -v *v *d);
FORWARD(exp, COMPUTE, snug_exp(x));
BACKWARD(exp_grad, COPY, d *v);
FORWARD(log, COMPUTE, snug_log(x));
BACKWARD(log_grad, COPY, d / v);
FORWARD(abs, COPY, fabsf(x));
BACKWARD(abs_grad, COPY, v > 0.0f ? d : v < 0.0f ? -d : 0.0f);
FORWARD(sign, COPY, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x);
FORWARD(clip, COPY, x<p0 ? p0 : x> p1 ? p1 : x);
BACKWARD(clip_grad, COPY, v > p0 && v < p1 ? d : 0.0f);

/* ---- the rectifier: negative slope p0, ceiling p1, threshold p2 ---- */

static bool relu_is_plain(const snug__signature *sig, snug__layouts *want) {
  const snug__relu_params *p = sig->params;
  return snug__is_float32(sig, want) && p->negative_slope == 0.0 && p->threshold == 0.0 &&
         isinf(p->max_value);
}

FORWARD_FITS(relu_plain, relu_is_plain, COPY, x <= 0.0f ? 0.0f : x);
BACKWARD_FITS(relu_plain_grad, relu_is_plain, COPY, v > 0.0f ? d : 0.0f);
FORWARD(relu, COPY, x <= p2 ? (p0 == 0.0f ? 0.0f : p0 * (x - p2)) : x > p1 ? p1 : x);
BACKWARD(relu_grad, COPY, d *(v >= p1 && v < INFINITY ? 0.0f : v > 0.0f ? 1.0f : p0));

/* ---- logistic and its kin ---- */

FORWARD(sigmoid, COMPUTE, snug_sigmoid(x));
BACKWARD(sigmoid_grad, COPY, d *v *(1.0f - v));
FORWARD(tanh, COMPUTE, snug_tanh(x));
BACKWARD(tanh_grad, COPY, d *(1.0f - v * v));
FORWARD(softplus, COMPUTE, snug_softplus(x));
BACKWARD(softplus_grad, COMPUTE, d * -snug_expm1(-v));
FORWARD(log_sigmoid, COMPUTE, -snug_softplus(-x));
BACKWARD(log_sigmoid_grad, COMPUTE, d * -snug_expm1(v));
FORWARD(softsign, COPY, x / (1.0f + fabsf(x)));
BACKWARD(softsign_grad, COPY, d *(1.0f - fabsf(v)) * (1.0f - fabsf(v)));

/* ---- gated by the input ---- */

SNUG_MATH float silu_slope(float v) {
  float s = snug_sigmoid(v);
  return s * (1.0f + v * (1.0f - s));
}

FORWARD(silu, COMPUTE, x *snug_sigmoid(x));
BACKWARD(silu_grad, COMPUTE, d *silu_slope(v));

/* tanh(softplus(x)) is n / m with e = e^-|x|:  right of 0 n = 1 + 2e and m = n + 2e^2, left of it
 * n = e^2 + 2e and m = n + 2. */
SNUG_MATH float mish_at(float x) {
  float e = snug_exp(-fabsf(x));
  float n = x > 0.0f ? 1.0f + 2.0f * e : e * e + 2.0f * e;
  float rest = x > 0.0f ? 2.0f * e * e : 2.0f;
  return x * n / (n + rest);
}

/* The slope's 1 - t^2 is (m - n)(m + n) / m^2, without a difference of near numbers. */
SNUG_MATH float mish_slope(float x) {
  float e = snug_exp(-fabsf(x));
  float n = x > 0.0f ? 1.0f + 2.0f * e : e * e + 2.0f * e;
  float rest = x > 0.0f ? 2.0f * e * e : 2.0f;
  float m = n + rest;
  float sigmoid = (x < 0.0f ? e : 1.0f) / (1.0f + e);
  return n / m + x * sigmoid * (rest / m) * ((m + n) / m);
}

FORWARD(mish, COMPUTE, mish_at(x));
BACKWARD(mish_grad, COMPUTE, d *mish_slope(v));

static bool gelu_is_exact(const snug__signature *sig, snug__layouts *want) {
  const snug__gelu_params *p = sig->params;
  return !p->approximate && snug__is_float32(sig, want);
}

static bool gelu_is_tanh(const snug__signature *sig, snug__layouts *want) {
  const snug__gelu_params *p = sig->params;
  return p->approximate && snug__is_float32(sig, want);
}

#define SQRT_2_BY_PI 0.797884561f
#define INV_SQRT_2PI 0.398942280f
#define GELU_CUBIC 0.044715f

SNUG_MATH float gelu_slope(float v) {
  float bell = snug_bell(v);
  return snug_normal(v, bell) + v * INV_SQRT_2PI * bell;
}

/* 1 + tanh(u) is 2 sigmoid(2 u), which is exact far to the left too. */
SNUG_MATH float gelu_tanh_at(float x) {
  float u = SQRT_2_BY_PI * (x + GELU_CUBIC * x * x * x);
  return x * snug_sigmoid(2.0f * u);
}

SNUG_MATH float gelu_tanh_slope(float v) {
  float s = snug_sigmoid(2.0f * SQRT_2_BY_PI * (v + GELU_CUBIC * v * v * v));
  float inner = SQRT_2_BY_PI * (1.0f + 3.0f * GELU_CUBIC * v * v);
  return s + 2.0f * v * s * (1.0f - s) * inner;
}

FORWARD_FITS(gelu, gelu_is_exact, COMPUTE, x *snug_normal(x, snug_bell(x)));
BACKWARD_FITS(gelu_grad, gelu_is_exact, COMPUTE, d *gelu_slope(v));
FORWARD_FITS(gelu_tanh, gelu_is_tanh, COMPUTE, gelu_tanh_at(x));
BACKWARD_FITS(gelu_tanh_grad, gelu_is_tanh, COMPUTE, d *gelu_tanh_slope(v));

/* ---- exponential linear units ---- */

#define SELU_SCALE 1.05070099f
#define SELU_ALPHA 1.67326324f
#define BELOW(x) ((x) > 0.0f ? 0.0f : (x)) /* and NaN */

FORWARD(elu, COMPUTE, x > 0.0f ? x : p0 * snug_expm1(BELOW(x)));
BACKWARD(elu_grad, COPY, v > 0.0f ? d : d * (v + p0));
FORWARD(celu, COMPUTE, x > 0.0f ? x : p0 * snug_expm1(BELOW(x) / p0));
BACKWARD(celu_grad, COPY, v > 0.0f ? d : d * (v / p0 + 1.0f));
FORWARD(selu, COMPUTE, SELU_SCALE *(x > 0.0f ? x : SELU_ALPHA * snug_expm1(BELOW(x))));
BACKWARD(selu_grad, COPY, d *(v > 0.0f ? SELU_SCALE : v + SELU_SCALE * SELU_ALPHA));

/* ---- in pieces ---- */

#define RELU6(x) ((x) < 0.0f ? 0.0f : (x) > 6.0f ? 6.0f : (x))

FORWARD(hard_sigmoid, COPY, RELU6(x + 3.0f) / 6.0f);
BACKWARD(hard_sigmoid_grad, COPY, v > 0.0f && v < 1.0f ? d / 6.0f : 0.0f);
FORWARD(hard_silu, COPY, x *(RELU6(x + 3.0f) / 6.0f));
BACKWARD(hard_silu_grad, COPY, v <= -3.0f ? 0.0f : v >= 3.0f ? d : d * (2.0f * v + 3.0f) / 6.0f);
FORWARD(hard_tanh, COPY, x<-1.0f ? -1.0f : x> 1.0f ? 1.0f : x);
BACKWARD(hard_tanh_grad, COPY, v > -1.0f && v < 1.0f ? d : 0.0f);
