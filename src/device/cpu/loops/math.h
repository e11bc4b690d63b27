/* Functions of one float that compilers turn into vector code: no branches, no tables, no calls.
 *
 * Errors are against the exact value, in units of the last place of the result, over all floats;
 * tests/device/math_test.c holds them to that.  Infinities and NaN go through as they should, and
 * results below the smallest normal number are denormal.  Polynomials are minimax fits of our own.
 */
#ifndef SNUG_DEVICE_CPU_LOOPS_MATH_H
#define SNUG_DEVICE_CPU_LOOPS_MATH_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#define SNUG_MATH static inline __attribute__((always_inline))

typedef union snug_float_bits {
  float f;
  uint32_t u;
} snug_float_bits;

SNUG_MATH uint32_t snug_bits_of(float f) { return (snug_float_bits){.f = f}.u; }
SNUG_MATH float snug_float_of(uint32_t u) { return (snug_float_bits){.u = u}.f; }

/* 2^k for k from -126 to 127; something for others. */
SNUG_MATH float snug_power_of_2(int32_t k) { return snug_float_of((uint32_t)(k + 127) << 23); }

/* x = k ln 2 + r with |r| below 0.35: the sum with ROUNDER leaves k in the low bits.  k LN2_HIGH is
 * exact.  Small numbers only, or NaN. */
#define SNUG_ROUNDER 12582912.0f /* 1.5 * 2^23 */
#define SNUG_LN2_HIGH 0x1.62e4p-1f
#define SNUG_LN2_LOW 0x1.7f7d1cp-20f

SNUG_MATH float snug_split(float x, int32_t *k) {
  float t = x * 1.44269504f + SNUG_ROUNDER;
  float n = t - SNUG_ROUNDER;
  *k = (int32_t)(snug_bits_of(t) - snug_bits_of(SNUG_ROUNDER));
  return (x - n * SNUG_LN2_HIGH) - n * SNUG_LN2_LOW;
}

/* e^r - 1 - r for |r| <= 0.4. */
SNUG_MATH float snug_exp_rest(float r) {
  float p = 0.000199384027f;
  p = p * r + 0.00139583193f;
  p = p * r + 0.00833322667f;
  p = p * r + 0.0416661128f;
  p = p * r + 0.166666672f;
  p = p * r + 0.5f;
  return r * r * p;
}

/* e^(x + low), |low| <= 0.05: as precise as x + low is when that is not rounded.  Within 1.5. */
SNUG_MATH float snug_exp_of_sum(float x, float low) {
  int32_t k;
  x = x < -104.0f ? -104.0f : x;
  x = x > 89.0f ? 89.0f : x;
  float r = snug_split(x, &k) + low;
  float e = 1.0f + (r + snug_exp_rest(r));
  return e * snug_power_of_2(k >> 1) * snug_power_of_2(k - (k >> 1));
}

/* e^x, within 1.5. */
SNUG_MATH float snug_exp(float x) { return snug_exp_of_sum(x, 0.0f); }

/* e^x - 1 for x up to 88, within 2. */
SNUG_MATH float snug_expm1(float x) {
  int32_t k;
  x = x < -87.0f ? -87.0f : x;
  float r = snug_split(x, &k);
  float scale = snug_power_of_2(k);
  return scale * (r + snug_exp_rest(r)) + (scale - 1.0f);
}

/* log x, within 1.5. */
SNUG_MATH float snug_log(float x) {
  const uint32_t root_half = 0x3F3504F3u; /* the float next to sqrt(1/2) */
  float normal = x < FLT_MIN ? x * 0x1p23f : x;
  uint32_t u = snug_bits_of(normal) - root_half;
  float k = (float)((int32_t)u >> 23) - (x < FLT_MIN ? 23.0f : 0.0f);
  float f = snug_float_of((u & 0x007FFFFFu) + root_half) - 1.0f;
  float p = -0.0785973966f;
  p = p * f + 0.128818288f;
  p = p * f - 0.131287903f;
  p = p * f + 0.141811699f;
  p = p * f - 0.16624549f;
  p = p * f + 0.200022876f;
  p = p * f - 0.250008106f;
  p = p * f + 0.333333164f;
  float rest = f * f * f * p + k * SNUG_LN2_LOW - 0.5f * f * f;
  float y = f + rest + k * SNUG_LN2_HIGH;
  y = x <= FLT_MAX ? y : x; /* infinity and NaN */
  y = x < 0.0f ? NAN : y;
  return x == 0.0f ? -INFINITY : y;
}

/* log(1 + x) for x from 0 on, within 3. */
SNUG_MATH float snug_log1p(float x) {
  float u = 1.0f + x;
  return snug_log(u) + (x - (u - 1.0f)) / u; /* what 1 + x lost in rounding */
}

/* Within 3. */
SNUG_MATH float snug_tanh(float x) {
  float size = fabsf(x) > 10.0f ? 10.0f : fabsf(x);
  float e = snug_expm1(2.0f * size);
  return __builtin_copysignf(e / (e + 2.0f), x);
}

/* 1 / (1 + e^-x), within 3. */
SNUG_MATH float snug_sigmoid(float x) {
  float e = snug_exp(-fabsf(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

/* log(1 + e^x), within 3. */
SNUG_MATH float snug_softplus(float x) {
  return (x <= 0.0f ? 0.0f : x) + snug_log1p(snug_exp(-fabsf(x)));
}

/* e^(-x^2/2): x^2 is made of two floats, the first of which is exact.  Within 3. */
SNUG_MATH float snug_bell(float x) {
  float size = fabsf(x) > 15.0f ? 15.0f : fabsf(x);
  float high = snug_float_of(snug_bits_of(size) & 0xFFFFF000u);
  float low = (size - high) * (size + high);
  return snug_exp_of_sum(-0.5f * high * high, -0.5f * low);
}

/* P(X <= x) of the normal distribution, given e^(-x^2/2).  Within 8 down to -13. */
SNUG_MATH float snug_normal(float x, float bell) {
  float t = 1.0f / (1.0f + 0.25f * fabsf(x));
  float p = 0.0116638876f;
  p = p * t - 0.0336779505f;
  p = p * t - 0.0240855999f;
  p = p * t + 0.142221749f;
  p = p * t - 0.0964508802f;
  p = p * t + 0.156432286f;
  p = p * t + 0.0419469625f;
  p = p * t + 0.104118064f;
  p = p * t + 0.0979277119f;
  p = p * t + 0.0999111757f;
  p = p * t - 7.419947e-06f;
  float tail = p * bell;
  return x < 0.0f ? tail : 1.0f - tail;
}

#endif
