/* The vector functions against libm in double, over a sample of all floats. */
#include "device/cpu/loops/math.h"

#include "lib/test.h"

#define STEP 1009u /* a prime: every exponent, and mantissas of all kinds */

/* Distance in units of the last place of the float nearest to `exact`. */
static double ulps(float got, double exact) {
  float near = (float)exact;
  if (isnan(near) || isnan(got)) {
    return isnan(near) && isnan(got) ? 0.0 : INFINITY;
  }
  if (isinf(near) || isinf(got)) {
    return near == got ? 0.0 : INFINITY;
  }
  float size = fmaxf(fabsf(near), FLT_MIN);
  double unit = (double)nextafterf(size, INFINITY) - (double)size;
  return fabs((double)got - exact) / unit;
}

typedef float float_function(float x);
typedef double double_function(double x);

static void check(const char *name, float_function *f, double_function *exact, float low,
                  float high, double limit) {
  double worst = 0.0;
  float at = 0.0f;
  for (uint64_t i = 0; i < UINT64_C(1) << 32; i += STEP) {
    float x = snug_float_of((uint32_t)i);
    if ((x >= low && x <= high) || isnan(x)) {
      double u = ulps(f(x), exact((double)x));
      at = u > worst ? x : at;
      worst = u > worst ? u : worst;
    }
  }
  if (!(worst <= limit)) {
    test_fail(__FILE__, __LINE__, "%s(%.9g): %g units of the last place", name, (double)at, worst);
  }
}

static float exp_at(float x) { return snug_exp(x); }
static float expm1_at(float x) { return snug_expm1(x); }
static float log_at(float x) { return snug_log(x); }
static float log1p_at(float x) { return snug_log1p(x); }
static float tanh_at(float x) { return snug_tanh(x); }
static float sigmoid_at(float x) { return snug_sigmoid(x); }
static float softplus_at(float x) { return snug_softplus(x); }
static float bell_at(float x) { return snug_bell(x); }
static float normal_at(float x) { return snug_normal(x, snug_bell(x)); }

static double exact_sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }
static double exact_softplus(double x) { return fmax(x, 0.0) + log1p(exp(-fabs(x))); }
static double exact_bell(double x) { return exp(-0.5 * x * x); }
static double exact_normal(double x) { return 0.5 * erfc(-x * sqrt(0.5)); }

TEST(exponentials) {
  check("exp", exp_at, exp, -INFINITY, INFINITY, 1.5);
  check("expm1", expm1_at, expm1, -INFINITY, 88.0f, 2.0);
}

TEST(logarithms) {
  check("log", log_at, log, -INFINITY, INFINITY, 1.5);
  check("log1p", log1p_at, log1p, 0.0f, INFINITY, 3.0);
}

TEST(curves) {
  check("tanh", tanh_at, tanh, -INFINITY, INFINITY, 3.0);
  check("sigmoid", sigmoid_at, exact_sigmoid, -INFINITY, INFINITY, 3.0);
  check("softplus", softplus_at, exact_softplus, -INFINITY, INFINITY, 3.0);
}

TEST(normal_distribution) {
  check("bell", bell_at, exact_bell, -INFINITY, INFINITY, 3.0);
  check("normal", normal_at, exact_normal, -13.0f, INFINITY, 8.0);
}
