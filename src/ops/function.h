/* Parameters of the functions of one value that stand in a list. */
#ifndef SNUG_OPS_FUNCTION_H
#define SNUG_OPS_FUNCTION_H

#include "ops/ops.h"

/* function: smooth ones.  X(name, value at x, slope at x) */
#define SNUG__FUNCTION_LIST(X)                     \
  X(arccos, acos(x), -1.0 / sqrt(1.0 - x * x))     \
  X(arccosh, acosh(x), 1.0 / sqrt(x * x - 1.0))    \
  X(arcsin, asin(x), 1.0 / sqrt(1.0 - x * x))      \
  X(arcsinh, asinh(x), 1.0 / sqrt(x * x + 1.0))    \
  X(arctan, atan(x), 1.0 / (1.0 + x * x))          \
  X(arctanh, atanh(x), 1.0 / (1.0 - x * x))        \
  X(cos, cos(x), -sin(x))                          \
  X(cosh, cosh(x), sinh(x))                        \
  X(erf, erf(x), 1.1283791670955126 * exp(-x * x)) \
  X(exp2, exp2(x), 0.69314718055994531 * exp2(x))  \
  X(expm1, expm1(x), exp(x))                       \
  X(log10, log10(x), 0.43429448190325183 / x)      \
  X(log1p, log1p(x), 1.0 / (1.0 + x))              \
  X(log2, log2(x), 1.4426950408889634 / x)         \
  X(sin, sin(x), cos(x))                           \
  X(sinh, sinh(x), cosh(x))                        \
  X(tan, tan(x), 1.0 / (cos(x) * cos(x)))

/* rounding: to a whole number; round goes to the even one of two that are as near. */
#define SNUG__ROUNDING_LIST(X) X(ceil) X(floor) X(rint) X(trunc)

typedef enum snug__function_kind {
#define KIND(name, value, slope) SNUG__FUNCTION_##name,
  SNUG__FUNCTION_LIST(KIND)
#undef KIND
} snug__function_kind;

typedef enum snug__rounding_kind {
#define KIND(name) SNUG__ROUNDING_##name,
  SNUG__ROUNDING_LIST(KIND)
#undef KIND
} snug__rounding_kind;

typedef struct snug__function_params {
  int32_t kind; /* snug__function_kind, of rounding snug__rounding_kind */
} snug__function_params;

#endif
