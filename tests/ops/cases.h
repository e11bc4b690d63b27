/* Case tables of the ops: what each op is tried on.
 *
 * tests/ops/<family>_cases.c:
 *   OP_CASES(matmul, {"", "float64[2,3]; float64[3,4]"},
 *                    {"transpose_a=true", "float64[3,2]; float64[3,4]"},
 *                    {"", "float64[2,3]; float64[2,4]", .fails = "inner sizes"})
 *
 * Inputs are separated by ";".  Each is "-" (left out) or a type with an optional fill:
 *   normal (default), positive (0.2 .. 2), unit (0.05 .. 0.95), away (0.1 .. 1 in size, either
 * sign: off the kink at 0), distinct (all different, far apart: no ties for a maximum), labels:K (0
 * .. K-1), onehot (along the last axis), zero, one, "= 1 2 3" (these values, in order). Types are
 * written in float64; the driver also runs every case in float32, float16 and bfloat16.  "double"
 * is float64 in all of them.
 *
 * What the driver does with a case (driver_test.c): runs it twice and with 1 and 3 threads (same
 * bits, guard bands whole, scratch poisoned); compares the gradient rule with finite differences;
 * runs each in-place pair the op allows; compares narrower dtypes with float64; checks expected
 * values; checks that FLOPs and bytes are told. */
#ifndef SNUG_TESTS_OPS_CASES_H
#define SNUG_TESTS_OPS_CASES_H

#include "base/ctx.h"
#include "graph/op.h"

typedef struct op_case {
  const char *params;  /* as text, defaults for the rest */
  const char *in;      /* see above */
  const char *expect;  /* values of output 0, or NULL */
  const char *fails;   /* part of the message with which infer refuses, or NULL */
  const char *faults;  /* part of call->fault->what with which the data are refused, or NULL */
  int32_t n_out;       /* outputs to make; 0: all the op can have */
  bool no_gradient;    /* do not compare with finite differences */
  double tolerance;    /* of finite differences, relative; 0: 1e-6 */
  double dtype_factor; /* allowed error of narrow dtypes in units of their epsilon; 0: 1 */
  double cancels;      /* size of terms whose difference a value may be: float32 kernels err so */
} op_case;

typedef struct op_cases {
  const op_case *cases;
  size_t n;
} op_cases;

#define OP_CASES(name, ...)                            \
  extern const op_cases snug__cases_##name;            \
  static const op_case cases_##name[] = {__VA_ARGS__}; \
  const op_cases snug__cases_##name = {cases_##name, SNUG_COUNT(cases_##name)};

#endif
