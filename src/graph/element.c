/* Single elements and half-precision conversions. */
#include <math.h>
#include <string.h>

#include "graph/type.h"

float snug__bfloat_to_float(uint16_t b) {
  uint32_t bits = (uint32_t)b << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

uint16_t snug__float_to_bfloat(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if (isnan(f)) {
    return (uint16_t)((bits >> 16) | 0x40u); /* stays a NaN when the low bits go */
  }
  return (uint16_t)((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

float snug__half_to_float(uint16_t h) {
  int exponent = (h >> 10) & 31;
  float fraction = (float)(h & 1023);
  float magnitude = exponent == 0    ? ldexpf(fraction, -24)
                    : exponent == 31 ? (fraction > 0 ? NAN : INFINITY)
                                     : ldexpf(fraction + 1024.0f, exponent - 25);
  return h >> 15 ? -magnitude : magnitude;
}

uint16_t snug__float_to_half(float f) {
  uint16_t sign = signbit(f) ? 0x8000u : 0u;
  float a = fabsf(f);
  if (isnan(f)) {
    return (uint16_t)(sign | 0x7E00u);
  }
  if (a >= 65520.0f) { /* halfway above the largest half rounds to infinity */
    return (uint16_t)(sign | 0x7C00u);
  }
  if (a < 0x1p-14f) { /* subnormal: a multiple of 2^-24 */
    return (uint16_t)(sign | (uint16_t)lrintf(ldexpf(a, 24)));
  }
  int exponent;
  float mantissa = frexpf(a, &exponent);       /* in [0.5, 1) */
  long rounded = lrintf(ldexpf(mantissa, 11)); /* 1024 .. 2048; 2048 carries into the exponent */
  return (uint16_t)(sign | (uint16_t)(((exponent + 14) << 10) + (int)(rounded - 1024)));
}

/* To float, but to the odd neighbour where it is not exact: rounding that again to half its bits
 * is then as rounding once. */
static float round_to_odd(double v) {
  float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if ((double)f != v && !isnan(v) && !(bits & 1u)) {
    bits += fabs((double)f) > fabs(v) ? UINT32_MAX : 1u;
    memcpy(&f, &bits, sizeof f);
  }
  return f;
}

uint16_t snug__double_to_half(double v) { return snug__float_to_half(round_to_odd(v)); }
uint16_t snug__double_to_bfloat(double v) { return snug__float_to_bfloat(round_to_odd(v)); }

double snug__element_get(snug_dtype dtype, const void *data, int64_t i) {
  switch (dtype) {
    case SNUG_FLOAT32:
      return (double)((const float *)data)[i];
    case SNUG_FLOAT64:
      return ((const double *)data)[i];
    case SNUG_FLOAT16:
      return (double)snug__half_to_float(((const uint16_t *)data)[i]);
    case SNUG_BFLOAT16:
      return (double)snug__bfloat_to_float(((const uint16_t *)data)[i]);
    case SNUG_INT8:
      return ((const int8_t *)data)[i];
    case SNUG_INT32:
      return ((const int32_t *)data)[i];
    case SNUG_INT64:
      return (double)((const int64_t *)data)[i];
    case SNUG_UINT8:
    case SNUG_BOOL:
      return ((const uint8_t *)data)[i];
    case SNUG_NO_DTYPE:
    case SNUG_DTYPE_COUNT:
      break;
  }
  return 0.0;
}

static int64_t to_integer(double value, double low, double high) {
  return isnan(value)    ? 0
         : value <= low  ? (int64_t)low
         : value >= high ? (int64_t)high
                         : (int64_t)value;
}

static int64_t to_int64(double value) {
  return isnan(value)      ? 0
         : value >= 0x1p63 ? INT64_MAX
         : value < -0x1p63 ? INT64_MIN
                           : (int64_t)value;
}

void snug__element_set(snug_dtype dtype, void *data, int64_t i, double value) {
  switch (dtype) {
    case SNUG_FLOAT32:
      ((float *)data)[i] = (float)value;
      return;
    case SNUG_FLOAT64:
      ((double *)data)[i] = value;
      return;
    case SNUG_FLOAT16:
      ((uint16_t *)data)[i] = snug__double_to_half(value);
      return;
    case SNUG_BFLOAT16:
      ((uint16_t *)data)[i] = snug__double_to_bfloat(value);
      return;
    case SNUG_INT8:
      ((int8_t *)data)[i] = (int8_t)to_integer(value, -128, 127);
      return;
    case SNUG_INT32:
      ((int32_t *)data)[i] = (int32_t)to_integer(value, -2147483648.0, 2147483647.0);
      return;
    case SNUG_INT64:
      ((int64_t *)data)[i] = to_int64(value);
      return;
    case SNUG_UINT8:
      ((uint8_t *)data)[i] = (uint8_t)to_integer(value, 0, 255);
      return;
    case SNUG_BOOL:
      ((uint8_t *)data)[i] = value != 0.0;
      return;
    case SNUG_NO_DTYPE:
    case SNUG_DTYPE_COUNT:
      return;
  }
}
