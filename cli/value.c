/* Elements of arrays as numbers. */
#include <math.h>
#include <string.h>

#include "cli.h"

static double half_value(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double value = exponent == 31 ? (fraction != 0.0 ? NAN : INFINITY)
                 : exponent     ? ldexp(1024.0 + fraction, exponent - 25)
                                : ldexp(fraction, -24);
  return bits & 0x8000 ? -value : value;
}

static double brain_value(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return (double)value;
}

double cli_value_at(const snug_array *a, int64_t i) {
  switch (a->dtype) {
    case SNUG_FLOAT32:
      return (double)((const float *)a->data)[i];
    case SNUG_FLOAT64:
      return ((const double *)a->data)[i];
    case SNUG_FLOAT16:
      return half_value(((const uint16_t *)a->data)[i]);
    case SNUG_BFLOAT16:
      return brain_value(((const uint16_t *)a->data)[i]);
    case SNUG_INT8:
      return ((const int8_t *)a->data)[i];
    case SNUG_INT32:
      return ((const int32_t *)a->data)[i];
    case SNUG_INT64:
      return (double)((const int64_t *)a->data)[i];
    default:
      return ((const uint8_t *)a->data)[i];
  }
}

int64_t cli_sample_values(const snug_array *a) {
  int64_t n = 1;
  for (int32_t i = 1; i < a->rank; i++) {
    n *= a->shape[i];
  }
  return n;
}
