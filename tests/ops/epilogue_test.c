/* The fused activation against the ops that it stands for. */
#include "ops/epilogue.h"

#include <math.h>
#include <stdio.h>

#include "lib/test.h"
#include "ops/bench.h"

#define VALUES "float64[9] = -3 -0.5 0 1e-9 0.5 1 2.7 6 9"

static const struct {
  const char *op, *params;
  snug__epilogue epilogue;
} pairs[] = {{"relu", "", {SNUG__RELU, INFINITY}},
             {"relu", "max_value=2.7", {SNUG__RELU, 2.7}},
             {"silu", "", {SNUG__SWISH, INFINITY}}};

static void compare_values(size_t k, snug_dtype dtype) {
  op_case c = {pairs[k].params, VALUES};
  op_bench b;
  snug__epilogue epilogue = snug__epilogue_for(&pairs[k].epilogue, dtype);
  ASSERT_EQ_INT(bench_open(&b, snug__op_find(pairs[k].op), &c, dtype, dtype), SNUG_OK);
  ASSERT_OK(b.ctx, bench_run(&b, -1));
  for (int64_t i = 0; i < 9; i++) {
    double value = snug__epilogue_value(&epilogue, bench_get(&b, b.in[0], i));
    double rounded = 0.0;
    snug__element_set(dtype, &rounded, 0, value);
    ASSERT_TRUE(snug__element_get(dtype, &rounded, 0) == bench_get(&b, b.out[0], i));
  }
  bench_close(&b);
}

TEST(values_are_those_of_the_ops) {
  for (size_t k = 0; k < SNUG_COUNT(pairs); k++) {
    compare_values(k, SNUG_FLOAT64);
    compare_values(k, SNUG_FLOAT32);
  }
}

/* relu_grad reads the output, silu_grad the input: of relu both slopes must agree with it. */
static void compare_slopes(size_t k, bool from_output) {
  char name[32];
  op_case c = {pairs[k].params, "float64[9] one; " VALUES};
  op_bench b;
  const snug__epilogue *epilogue = &pairs[k].epilogue;
  snprintf(name, sizeof name, "%s_grad", pairs[k].op);
  ASSERT_EQ_INT(bench_open(&b, snug__op_find(name), &c, SNUG_FLOAT64, SNUG_FLOAT64), SNUG_OK);
  for (int64_t i = 0; i < 9 && from_output; i++) {
    bench_set(&b, b.in[1], i, snug__epilogue_value(epilogue, bench_get(&b, b.in[1], i)));
  }
  ASSERT_OK(b.ctx, bench_run(&b, -1));
  for (int64_t i = 0; i < 9; i++) {
    double v = bench_get(&b, b.in[1], i);
    double slope = from_output ? snug__epilogue_slope_from_output(epilogue, v)
                               : snug__epilogue_slope(epilogue, v);
    ASSERT_TRUE(slope == bench_get(&b, b.out[0], i));
  }
  bench_close(&b);
}

TEST(slopes_are_those_of_the_ops) {
  for (size_t k = 0; k < SNUG_COUNT(pairs); k++) {
    compare_slopes(k, false);
    if (pairs[k].epilogue.activation == SNUG__RELU) {
      compare_slopes(k, true);
    }
  }
}
