#include "graph/type.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lib/test.h"

static const snug_dtype halves[] = {SNUG_FLOAT16, SNUG_BFLOAT16};

static double half_value(snug_dtype d, uint16_t bits) { return snug__element_get(d, &bits, 0); }

static uint16_t half_bits(snug_dtype d, double v) {
  uint16_t bits = 0xDEAD;
  snug__element_set(d, &bits, 0, v);
  return bits;
}

TEST(dtypes_have_texts_and_bytes) {
  ASSERT_EQ_TEXT(snug_dtype_text(SNUG_BFLOAT16), "bfloat16");
  ASSERT_EQ_INT(snug_dtype_bytes(SNUG_FLOAT64), 8);
  ASSERT_EQ_INT(snug_dtype_bytes(SNUG_NO_DTYPE), 0);
  ASSERT_EQ_INT(snug_dtype_bytes(SNUG_DTYPE_COUNT), 0);
  ASSERT_EQ_TEXT(snug_dtype_text(SNUG_DTYPE_COUNT), "none");
  for (snug_dtype d = SNUG_NO_DTYPE + 1; d < SNUG_DTYPE_COUNT; d++) {
    ASSERT_EQ_INT(snug__dtype_is_real(d) + snug__dtype_is_integer(d), d != SNUG_BOOL);
    ASSERT_TRUE(snug_dtype_bytes(d) > 0);
  }
}

/* The value of a half from its bits, by the definition of the format. */
static double defined_value(uint16_t h, int exponent_bits, int fraction_bits) {
  int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = (h >> fraction_bits) & ((1 << exponent_bits) - 1);
  int fraction = h & ((1 << fraction_bits) - 1);
  double sign = h >> 15 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction ? NAN : sign * INFINITY;
  }
  return exponent ? sign * ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits)
                  : sign * ldexp(fraction, 1 - bias - fraction_bits);
}

TEST(every_half_goes_there_and_back) {
  for (uint32_t h = 0; h < 65536; h++) {
    double half = half_value(SNUG_FLOAT16, (uint16_t)h);
    double brain = half_value(SNUG_BFLOAT16, (uint16_t)h);
    double want_half = defined_value((uint16_t)h, 5, 10);
    double want_brain = defined_value((uint16_t)h, 8, 7);
    ASSERT_EQ_INT(isnan(half), isnan(want_half));
    ASSERT_EQ_INT(isnan(brain), isnan(want_brain));
    ASSERT_TRUE(isnan(half) || half == want_half);
    ASSERT_TRUE(isnan(brain) || brain == want_brain);
    if (isnan(half)) { /* the payload may go, the sign and that it is one may not */
      ASSERT_EQ_INT(half_bits(SNUG_FLOAT16, half) & 0xFE00, (h & 0x8000) | 0x7E00);
    } else {
      ASSERT_EQ_INT(half_bits(SNUG_FLOAT16, half), h);
      ASSERT_EQ_INT(snug__float_to_half((float)half), h);
    }
    if (isnan(brain)) {
      ASSERT_EQ_INT(half_bits(SNUG_BFLOAT16, brain) & 0xFFC0, (h & 0x8000) | 0x7FC0);
    } else {
      ASSERT_EQ_INT(half_bits(SNUG_BFLOAT16, brain), h);
      ASSERT_EQ_INT(snug__float_to_bfloat((float)brain), h);
    }
  }
}

/* Between two neighbours: just below the middle, the middle, just above it. */
static void check_between(snug_dtype d, uint16_t low, uint16_t high) {
  double a = half_value(d, low);
  double b = isinf(half_value(d, high)) ? 2 * a - half_value(d, low - 1) : half_value(d, high);
  double middle = (a + b) / 2;
  ASSERT_EQ_INT(half_bits(d, nextafter(middle, 0)), low);
  ASSERT_EQ_INT(half_bits(d, middle), low & 1 ? high : low);
  ASSERT_EQ_INT(half_bits(d, nextafter(middle, INFINITY)), high);
  ASSERT_EQ_INT(half_bits(d, -middle), 0x8000 | (low & 1 ? high : low));
}

TEST(rounding_is_to_nearest_even_from_doubles) {
  for (uint16_t h = 0; h < 0x7C00; h++) {
    check_between(SNUG_FLOAT16, h, h + 1);
  }
  for (uint16_t h = 0; h < 0x7F80; h++) {
    check_between(SNUG_BFLOAT16, h, h + 1);
  }
}

TEST(rounding_is_to_nearest_even_from_floats) {
  for (uint16_t h = 0; h < 0x7C00; h++) {
    float middle = (float)((half_value(SNUG_FLOAT16, h) +
                            (h == 0x7BFF ? 65536.0 : half_value(SNUG_FLOAT16, h + 1))) /
                           2);
    ASSERT_EQ_INT(snug__float_to_half(nextafterf(middle, 0)), h);
    ASSERT_EQ_INT(snug__float_to_half(middle), h & 1 ? h + 1 : h);
    ASSERT_EQ_INT(snug__float_to_half(nextafterf(middle, INFINITY)), h + 1);
  }
  ASSERT_EQ_INT(snug__float_to_bfloat(FLT_MAX), 0x7F80);
  ASSERT_EQ_INT(snug__float_to_half(FLT_MAX), 0x7C00);
}

TEST(extremes_of_doubles_become_extremes_of_halves) {
  for (int i = 0; i < 2; i++) {
    uint16_t infinity = i ? 0x7F80 : 0x7C00;
    ASSERT_EQ_INT(half_bits(halves[i], 1e308), infinity);
    ASSERT_EQ_INT(half_bits(halves[i], -1e308), 0x8000 | infinity);
    ASSERT_EQ_INT(half_bits(halves[i], INFINITY), infinity);
    ASSERT_EQ_INT(half_bits(halves[i], 1e-300), 0);
    ASSERT_EQ_INT(half_bits(halves[i], -1e-300), 0x8000);
    ASSERT_EQ_INT(half_bits(halves[i], -0.0), 0x8000);
  }
}

static double through(snug_dtype d, double v) {
  int64_t room = -1;
  snug__element_set(d, &room, 0, v);
  return snug__element_get(d, &room, 0);
}

TEST(integers_saturate_and_cut) {
  static const struct {
    snug_dtype dtype;
    double low, high;
  } rows[] = {{SNUG_INT8, -128, 127},
              {SNUG_UINT8, 0, 255},
              {SNUG_INT32, -2147483648.0, 2147483647.0},
              {SNUG_INT64, -0x1p63, 0x1p63}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snug_dtype d = rows[i].dtype;
    ASSERT_TRUE(through(d, rows[i].low) == rows[i].low);
    ASSERT_TRUE(through(d, rows[i].high) == rows[i].high);
    ASSERT_TRUE(through(d, rows[i].low - 1) == rows[i].low);
    ASSERT_TRUE(through(d, rows[i].high + 1) == rows[i].high);
    ASSERT_TRUE(through(d, -INFINITY) == rows[i].low);
    ASSERT_TRUE(through(d, INFINITY) == rows[i].high);
    ASSERT_TRUE(through(d, -1e300) == rows[i].low);
    ASSERT_TRUE(through(d, 1e300) == rows[i].high);
    ASSERT_TRUE(through(d, NAN) == 0);
    ASSERT_TRUE(through(d, 2.9) == 2);
    ASSERT_TRUE(through(d, -0.9) == 0);
  }
  ASSERT_TRUE(through(SNUG_INT8, -2.9) == -2);
  ASSERT_TRUE(through(SNUG_BOOL, 0.1) == 1 && through(SNUG_BOOL, -0.0) == 0);
  ASSERT_TRUE(through(SNUG_FLOAT64, 0.1) == 0.1 && through(SNUG_FLOAT32, 0.5) == 0.5);
  ASSERT_TRUE(through(SNUG_NO_DTYPE, 3.0) == 0);
}

TEST(elements_lie_one_after_the_other) {
  for (snug_dtype d = SNUG_NO_DTYPE + 1; d < SNUG_DTYPE_COUNT; d++) {
    unsigned char room[8 * 3];
    memset(room, 0xEE, sizeof room);
    snug__element_set(d, room, 1, 1.0);
    size_t bytes = snug_dtype_bytes(d);
    ASSERT_TRUE(snug__element_get(d, room, 1) == 1.0);
    for (size_t i = 0; i < sizeof room; i++) {
      ASSERT_TRUE((i >= bytes && i < 2 * bytes) || room[i] == 0xEE);
    }
  }
}

static bool is_valid(snug_dtype d, int32_t rank, int64_t a, int64_t b, int64_t c) {
  snug__type t = snug__type_of(d, rank, (const int64_t[]){a, b, c});
  return snug__type_is_valid(&t);
}

TEST(shapes_that_overflow_are_not_valid) {
  int64_t two_31 = INT64_C(1) << 31;
  ASSERT_TRUE(is_valid(SNUG_FLOAT32, 3, 2, 3, 4));
  ASSERT_TRUE(is_valid(SNUG_INT8, 1, INT64_MAX, 0, 0));
  ASSERT_FALSE(is_valid(SNUG_FLOAT16, 1, INT64_MAX, 0, 0));
  ASSERT_FALSE(is_valid(SNUG_INT8, 2, INT64_MAX, 2, 0));
  ASSERT_TRUE(is_valid(SNUG_INT8, 2, two_31, two_31, 0));
  ASSERT_FALSE(is_valid(SNUG_FLOAT16, 2, two_31, two_31, 0));
  ASSERT_FALSE(is_valid(SNUG_INT8, 3, two_31, two_31, 4)); /* 2^64: 0 if it wrapped */
  ASSERT_FALSE(is_valid(SNUG_INT8, 3, 0, two_31 * 2, two_31));
  ASSERT_TRUE(is_valid(SNUG_FLOAT64, 3, 0, two_31, 7));
  ASSERT_FALSE(is_valid(SNUG_FLOAT32, 1, -1, 0, 0));
  ASSERT_FALSE(is_valid(SNUG_FLOAT32, 2, -2, -2, 0));
  ASSERT_FALSE(is_valid(SNUG_NO_DTYPE, 0, 0, 0, 0));
  snug__type t = snug__scalar(SNUG_FLOAT32);
  t.rank = SNUG_MAX_RANK + 1;
  ASSERT_FALSE(snug__type_is_valid(&t));
  t.rank = -1;
  ASSERT_FALSE(snug__type_is_valid(&t));
}

TEST(types_are_counted_compared_and_told) {
  char text[SNUG__TYPE_TEXT_BYTES];
  snug__type a = snug__type_of(SNUG_FLOAT32, 3, (const int64_t[]){2, 3, 4});
  snug__type b = snug__type_of(SNUG_INT8, 3, (const int64_t[]){2, 3, 4});
  snug__type c = snug__type_of(SNUG_FLOAT32, 2, (const int64_t[]){2, 3});
  snug__type s = snug__scalar(SNUG_BOOL);
  ASSERT_EQ_INT(snug__type_count(&a), 24);
  ASSERT_EQ_INT(snug__type_bytes(&a), 96);
  ASSERT_EQ_INT(snug__type_count(&s), 1);
  ASSERT_TRUE(snug__shape_equal(&a, &b) && !snug__type_equal(&a, &b) && !snug__shape_equal(&a, &c));
  ASSERT_EQ_TEXT(snug__type_text(&a, text), "float32[2,3,4]");
  ASSERT_EQ_TEXT(snug__type_text(&s, text), "bool[]");
}

TEST(the_longest_text_of_a_type_fits) {
  char text[SNUG__TYPE_TEXT_BYTES];
  int64_t dim[SNUG_MAX_RANK];
  for (int i = 0; i < SNUG_MAX_RANK; i++) {
    dim[i] = INT64_MIN;
  }
  snug__type t = snug__type_of(SNUG_BFLOAT16, SNUG_MAX_RANK, dim);
  snug__type_text(&t, text);
  ASSERT_EQ_INT(text[strlen(text) - 1], ']');
}
