/* Initial values: what the names mean, and what the numbers look like. */
#include "model/initializer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "lib/fault.h"

static snug__type shape(snug_dtype dtype, int32_t rank, int64_t a, int64_t b, int64_t c,
                        int64_t d) {
  return snug__type_of(dtype, rank, (const int64_t[]){a, b, c, d});
}

static snug__initializer parse(const char *text, snug__type type) {
  snug_ctx *ctx = test_ctx();
  snug__initializer out;
  ASSERT_OK(ctx, snug__initializer_parse(ctx, "w", text, &type, &out));
  test_ctx_end(ctx);
  return out;
}

static void check(const char *text, snug__type type, snug__initializer_kind kind, double a,
                  double b) {
  snug__initializer got = parse(text, type);
  ASSERT_EQ_INT(got.kind, kind);
  ASSERT_NEAR(got.a, a, 1e-15);
  ASSERT_NEAR(got.b, b, 1e-15);
}

TEST(names_and_arguments) {
  snug__type t = shape(SNUG_FLOAT64, 2, 3, 5, 0, 0);
  check("zeros", t, SNUG__INIT_CONSTANT, 0, 0);
  check("", t, SNUG__INIT_CONSTANT, 0, 0);
  check("none", t, SNUG__INIT_CONSTANT, 0, 0);
  check("Zeros", t, SNUG__INIT_CONSTANT, 0, 0);
  check("ones", t, SNUG__INIT_CONSTANT, 1, 0);
  check("one", t, SNUG__INIT_CONSTANT, 1, 0);
  check("constant", t, SNUG__INIT_CONSTANT, 0, 0);
  check("Constant(value=2.5)", t, SNUG__INIT_CONSTANT, 2.5, 0);
  check("constant(-1e-3)", t, SNUG__INIT_CONSTANT, -1e-3, 0);
  check("random_normal", t, SNUG__INIT_NORMAL, 0, 0.05);
  check("normal(1, 2)", t, SNUG__INIT_NORMAL, 1, 2);
  check("RandomNormal(stddev=0.5, seed=3)", t, SNUG__INIT_NORMAL, 0, 0.5);
  check("truncated_normal(mean=1)", t, SNUG__INIT_TRUNCATED_NORMAL, 1, 0.05);
  check("random_uniform", t, SNUG__INIT_UNIFORM, -0.05, 0.05);
  check("uniform(minval=-2, maxval=3)", t, SNUG__INIT_UNIFORM, -2, 3);
  check("OrthogonalInitializer(gain=2)", t, SNUG__INIT_ORTHOGONAL, 2, 0);
  check("identity", t, SNUG__INIT_IDENTITY, 1, 0);
  check("glorot_uniform(seed=none)", t, SNUG__INIT_UNIFORM, -sqrt(6.0 / 8), sqrt(6.0 / 8));
}

#define CUT 0.87962566103423978

TEST(fans_are_those_of_keras) {
  snug__type dense = shape(SNUG_FLOAT32, 2, 10, 30, 0, 0);
  snug__type conv = shape(SNUG_FLOAT32, 4, 3, 5, 4, 8);
  snug__type vector = shape(SNUG_FLOAT32, 1, 7, 0, 0, 0);
  check("glorot_uniform", dense, SNUG__INIT_UNIFORM, -sqrt(6.0 / 40), sqrt(6.0 / 40));
  check("glorot_normal", dense, SNUG__INIT_TRUNCATED_NORMAL, 0, sqrt(1.0 / 20) / CUT);
  check("he_normal", dense, SNUG__INIT_TRUNCATED_NORMAL, 0, sqrt(2.0 / 10) / CUT);
  check("HeUniform", dense, SNUG__INIT_UNIFORM, -sqrt(6.0 / 10), sqrt(6.0 / 10));
  check("lecun_normal", conv, SNUG__INIT_TRUNCATED_NORMAL, 0, sqrt(1.0 / 60) / CUT);
  check("LecunUniform", conv, SNUG__INIT_UNIFORM, -sqrt(3.0 / 60), sqrt(3.0 / 60));
  check("glorot_uniform", conv, SNUG__INIT_UNIFORM, -sqrt(6.0 / 180), sqrt(6.0 / 180));
  check("lecun_uniform", vector, SNUG__INIT_UNIFORM, -sqrt(3.0 / 7), sqrt(3.0 / 7));
  check("lecun_uniform", snug__scalar(SNUG_FLOAT32), SNUG__INIT_UNIFORM, -sqrt(3.0), sqrt(3.0));
  check("VarianceScaling(2, fan_out, truncated_normal)", conv, SNUG__INIT_TRUNCATED_NORMAL, 0,
        sqrt(2.0 / 120) / CUT);
  check("variance_scaling(scale=0.5, mode=fan_out, distribution=uniform)", dense,
        SNUG__INIT_UNIFORM, -sqrt(1.5 / 30), sqrt(1.5 / 30));
  check("variance_scaling(mode=fan_avg,distribution=untruncated_normal)", dense, SNUG__INIT_NORMAL,
        0, sqrt(1.0 / 20));
}

static void check_refused(const char *text, snug__type type, snug_status expected,
                          const char *part) {
  snug_ctx *ctx = test_ctx();
  snug__initializer out;
  ASSERT_STATUS(ctx, snug__initializer_parse(ctx, "w", text, &type, &out), expected, part);
  test_ctx_end(ctx);
}

TEST(wrong_texts_are_refused) {
  snug__type t = shape(SNUG_FLOAT32, 2, 3, 5, 0, 0);
  snug__type vector = shape(SNUG_FLOAT32, 1, 7, 0, 0, 0);
  snug__type cube = shape(SNUG_FLOAT32, 3, 2, 3, 4, 0);
  check_refused("xavier", t, SNUG_E_ARGUMENT, "w: there is no initializer 'xavier'; known: zeros,");
  check_refused("constant(1,2)", t, SNUG_E_ARGUMENT, "too many arguments");
  check_refused("zeros(1)", t, SNUG_E_ARGUMENT, "too many arguments");
  check_refused("constant(a=1)", t, SNUG_E_ARGUMENT,
                "w: initializer constant: there is no 'a' here");
  check_refused("constant(value=1,1,1)", t, SNUG_E_ARGUMENT, "too many arguments");
  check_refused("constant(1", t, SNUG_E_ARGUMENT, "with its parentheses");
  check_refused("constant(", t, SNUG_E_ARGUMENT, "with its parentheses");
  check_refused("constant(x)", t, SNUG_E_ARGUMENT, "value=x: expected a number");
  check_refused("normal(stddev=-1)", t, SNUG_E_ARGUMENT, "stddev=-1");
  check_refused("variance_scaling(0)", t, SNUG_E_ARGUMENT, "scale=0");
  check_refused("variance_scaling(mode=fan)", t, SNUG_E_ARGUMENT, "fan_in, fan_out, fan_avg");
  check_refused("orthogonal", vector, SNUG_E_SHAPE, "two or more axes");
  check_refused("identity", cube, SNUG_E_SHAPE, "two axes");
}

static double *fill(const char *text, snug__type type, uint64_t seed, uint64_t stream,
                    int32_t threads) {
  snug_options o = SNUG_INIT(snug_options);
  o.threads = threads;
  snug_ctx *ctx = test_ctx_with(&o);
  snug__initializer init;
  double *data = malloc((size_t)snug__type_bytes(&type));
  ASSERT_NOT_NULL(data);
  ASSERT_OK(ctx, snug__initializer_parse(ctx, "w", text, &type, &init));
  ASSERT_OK(ctx, snug__initializer_fill(ctx, &init, &type, seed, stream, data));
  test_ctx_end(ctx);
  return data;
}

#define N 100000

/* Mean, deviation, and bounds of many values; the tolerances are five standard errors. */
static void check_moments(const char *text, double mean, double deviation, double low,
                          double high) {
  double *v = fill(text, shape(SNUG_FLOAT64, 2, 100, N / 100, 0, 0), 11, 3, 2);
  double sum = 0;
  double squares = 0;
  double least = INFINITY;
  double most = -INFINITY;
  for (int i = 0; i < N; i++) {
    sum += v[i];
    squares += v[i] * v[i];
    least = fmin(least, v[i]);
    most = fmax(most, v[i]);
  }
  double got = sqrt(squares / N - sum / N * (sum / N));
  ASSERT_NEAR(sum / N, mean, 5 * deviation / sqrt(N));
  ASSERT_NEAR(got, deviation, 5 * deviation / sqrt(2.0 * N));
  ASSERT_TRUE(least >= low && most <= high);
  ASSERT_TRUE(least < low + 0.05 * deviation || isinf(low));
  ASSERT_TRUE(most > high - 0.05 * deviation || isinf(high));
  free(v);
}

TEST(moments_and_bounds) {
  double s = sqrt(2.0 / 100);
  check_moments("uniform(-1, 3)", 1, 4 / sqrt(12.0), -1, 3);
  check_moments("normal(2, 0.5)", 2, 0.5, -INFINITY, INFINITY);
  check_moments("truncated_normal(1, 0.5)", 1, 0.5 * CUT, 0, 2);
  check_moments("he_normal", 0, s, -2 * s / CUT, 2 * s / CUT);
  check_moments("he_uniform", 0, s, -s * sqrt(3.0), s * sqrt(3.0));
}

TEST(same_seed_same_bits) {
  static const char *const texts[] = {"normal", "uniform", "he_normal", "orthogonal"};
  snug__type t = shape(SNUG_FLOAT64, 2, 300, 100, 0, 0);
  size_t bytes = (size_t)snug__type_bytes(&t);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    double *a = fill(texts[i], t, 5, 1, 1);
    double *b = fill(texts[i], t, 5, 1, 4);
    double *other_seed = fill(texts[i], t, 6, 1, 1);
    double *other_stream = fill(texts[i], t, 5, 2, 1);
    ASSERT_EQ_BYTES(a, b, bytes);
    ASSERT_TRUE(memcmp(a, other_seed, bytes) != 0);
    ASSERT_TRUE(memcmp(a, other_stream, bytes) != 0);
    free(a);
    free(b);
    free(other_seed);
    free(other_stream);
  }
}

/* A file of weights that was drawn once is drawn again. */
TEST(every_value_has_a_counter_of_its_own) {
  float *v = (float *)fill("uniform(-1, 3)", shape(SNUG_FLOAT32, 2, 3, 1000, 0, 0), 5, 7, 2);
  for (int i = 0; i < 3000; i++) {
    snug__philox w = snug__philox_at(5, (uint64_t)i, UINT64_C(0x1217) << 48 | 7);
    double unit = (double)(((uint64_t)w.v[0] << 32 | w.v[1]) >> 11) * 0x1p-53;
    ASSERT_NEAR(v[i], (float)(-1.0 + 4.0 * unit), 0);
  }
  free(v);
}

/* The columns (or the rows, if there are fewer) are orthogonal, with the gain as length. */
static void check_orthogonal(snug__type t, double gain) {
  double *v = fill("orthogonal(1.5)", t, 1, 1, 1);
  int64_t columns = t.dim[t.rank - 1];
  int64_t rows = snug__type_count(&t) / columns;
  bool by_row = rows < columns;
  int64_t n = by_row ? rows : columns;
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j <= i; j++) {
      double dot = 0;
      for (int64_t k = 0; k < (by_row ? columns : rows); k++) {
        dot += by_row ? v[i * columns + k] * v[j * columns + k]
                      : v[k * columns + i] * v[k * columns + j];
      }
      ASSERT_NEAR(dot, i == j ? gain * gain : 0, 1e-12);
    }
  }
  free(v);
}

TEST(orthogonal_is_orthogonal) {
  check_orthogonal(shape(SNUG_FLOAT64, 2, 20, 20, 0, 0), 1.5);
  check_orthogonal(shape(SNUG_FLOAT64, 2, 30, 7, 0, 0), 1.5);
  check_orthogonal(shape(SNUG_FLOAT64, 2, 7, 30, 0, 0), 1.5);
  check_orthogonal(shape(SNUG_FLOAT64, 4, 3, 3, 2, 5), 1.5);
}

TEST(identity_is_identity) {
  double *v = fill("identity(3)", shape(SNUG_FLOAT64, 2, 2, 3, 0, 0), 1, 1, 1);
  const double expected[] = {3, 0, 0, 0, 3, 0};
  ASSERT_EQ_BYTES(v, expected, sizeof expected);
  free(v);
}

TEST(values_are_rounded_to_the_dtype) {
  uint16_t half[2];
  int64_t whole[1];
  const double given[] = {0.1, -2};
  snug_ctx *ctx = test_ctx();
  snug__initializer init = {SNUG__INIT_VALUES, 0, 0, given};
  snug__initializer three = {SNUG__INIT_CONSTANT, 3, 0, NULL};
  snug__type t = shape(SNUG_FLOAT16, 1, 2, 0, 0, 0);
  snug__type count = snug__scalar(SNUG_INT64);
  ASSERT_OK(ctx, snug__initializer_fill(ctx, &init, &t, 0, 0, half));
  ASSERT_EQ_INT(half[0], 0x2E66);
  ASSERT_EQ_INT(half[1], 0xC000);
  ASSERT_OK(ctx, snug__initializer_fill(ctx, &three, &count, 0, 0, whole));
  ASSERT_EQ_INT(whole[0], 3);
}

TEST(nothing_is_filled_with_nothing) {
  free(fill("normal", shape(SNUG_FLOAT64, 2, 0, 3, 0, 0), 1, 1, 1));
  free(fill("orthogonal", shape(SNUG_FLOAT64, 2, 3, 0, 0, 0), 1, 1, 1));
}

static snug_status orthogonal(snug_ctx *ctx, void *arg) {
  double data[12];
  snug__type t = shape(SNUG_FLOAT64, 2, 3, 4, 0, 0);
  snug__initializer init = {SNUG__INIT_ORTHOGONAL, 1, 0, NULL};
  (void)arg;
  return snug__initializer_fill(ctx, &init, &t, 0, 0, data);
}

TEST(memory_may_fail) { test_fault_sweep(orthogonal, NULL); }

/* ---- regularizers and constraints ---- */

TEST(regularizers) {
  static const struct {
    const char *text;
    double l1, l2;
  } cases[] = {{"", 0, 0},
               {"none", 0, 0},
               {"l1", 0.01, 0},
               {"L2", 0, 0.01},
               {"l2(0.5)", 0, 0.5},
               {"l2(l2=0.5)", 0, 0.5},
               {"l1_l2(0.1, 0.2)", 0.1, 0.2},
               {"L1L2(l2=0.2)", 0, 0.2}};
  snug_ctx *ctx = test_ctx();
  snug__regularizer r;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ASSERT_OK(ctx, snug__regularizer_parse(ctx, "w", cases[i].text, &r));
    ASSERT_NEAR(r.l1, cases[i].l1, 0);
    ASSERT_NEAR(r.l2, cases[i].l2, 0);
  }
  ASSERT_STATUS(ctx, snug__regularizer_parse(ctx, "w", "l2(-1)", &r), SNUG_E_ARGUMENT, "l2(-1)");
  ASSERT_STATUS(ctx, snug__regularizer_parse(ctx, "w", "l2(inf)", &r), SNUG_E_ARGUMENT, "finite");
  ASSERT_STATUS(ctx, snug__regularizer_parse(ctx, "w", "l4", &r), SNUG_E_ARGUMENT,
                "w: there is no regularizer 'l4'; known: l1, l2, l1_l2");
}

TEST(constraints) {
  snug_ctx *ctx = test_ctx();
  snug__type t = shape(SNUG_FLOAT32, 4, 3, 3, 2, 5);
  snug__constraint c;
  ASSERT_OK(ctx, snug__constraint_parse(ctx, "w", "", &t, &c));
  ASSERT_EQ_INT(c.kind, SNUG__CONSTRAINT_NONE);
  ASSERT_OK(ctx, snug__constraint_parse(ctx, "w", "max_norm", &t, &c));
  ASSERT_EQ_INT(c.kind, SNUG__CONSTRAINT_MAX_NORM);
  ASSERT_NEAR(c.max_value, 2, 0);
  ASSERT_EQ_INT(c.axes.n, 1);
  ASSERT_EQ_INT(c.axes.v[0], 0);
  ASSERT_OK(ctx, snug__constraint_parse(ctx, "w", "MaxNorm(3, axis=[0, 1, -2])", &t, &c));
  ASSERT_NEAR(c.max_value, 3, 0);
  ASSERT_EQ_INT(c.axes.n, 3);
  ASSERT_EQ_INT(c.axes.v[2], 2);
  ASSERT_OK(ctx, snug__constraint_parse(ctx, "w", "non_neg", &t, &c));
  ASSERT_EQ_INT(c.kind, SNUG__CONSTRAINT_NON_NEG);
  ASSERT_OK(ctx, snug__constraint_parse(ctx, "w", "UnitNorm(axis=1)", &t, &c));
  ASSERT_EQ_INT(c.kind, SNUG__CONSTRAINT_UNIT_NORM);
  ASSERT_EQ_INT(c.axes.v[0], 1);
  ASSERT_OK(ctx, snug__constraint_parse(ctx, "w", "min_max_norm(0.5, 2, rate=0.1)", &t, &c));
  ASSERT_EQ_INT(c.kind, SNUG__CONSTRAINT_MIN_MAX_NORM);
  ASSERT_NEAR(c.min_value, 0.5, 0);
  ASSERT_NEAR(c.rate, 0.1, 0);
  ASSERT_STATUS(ctx, snug__constraint_parse(ctx, "w", "unit_norm(4)", &t, &c), SNUG_E_ARGUMENT,
                "w: a constraint over axis 4 of float32[3,3,2,5]");
  ASSERT_STATUS(ctx, snug__constraint_parse(ctx, "w", "min_max_norm(3, 2)", &t, &c),
                SNUG_E_ARGUMENT, "min_value <= max_value");
  ASSERT_STATUS(ctx, snug__constraint_parse(ctx, "w", "max", &t, &c), SNUG_E_ARGUMENT,
                "no constraint 'max'");
}
