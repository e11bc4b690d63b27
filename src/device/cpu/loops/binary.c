/* Functions of two values with broadcasting; the results are those of the reference, rounded once.
 */
#include "device/cpu/each.h"
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/math.h"
#include "device/cpu/rows.h"
#include "ops/shape.h"
#include "ops/support.h"

/* Rows of a plane, for each way of stepping; rows of one block of channels as whole registers. */
#define PLANE(name, a_steps, b_steps, expression)                        \
  SNUG_MATH void name##_columns(const snug__plane *p, int64_t columns) { \
    for (int64_t r = 0; r < p->rows; r++) {                              \
      const float *a = p->a + r * p->a_row, *b = p->b + r * p->b_row;    \
      float *out = p->out + r * columns;                                 \
      const float a0 = *a, b0 = *b;                                      \
      SNUG_SIMD for (int64_t c = 0; c < columns; c++) {                  \
        float x = (a_steps) ? a[c] : a0, y = (b_steps) ? b[c] : b0;      \
        out[c] = (expression);                                           \
      }                                                                  \
    }                                                                    \
  }                                                                      \
  static void name(const snug__plane *p) {                               \
    if (p->columns == 16) {                                              \
      name##_columns(p, 16);                                             \
    } else if (p->columns == 8) {                                        \
      name##_columns(p, 8);                                              \
    } else {                                                             \
      name##_columns(p, p->columns);                                     \
    }                                                                    \
  }

#define PLANES(op, expression)                    \
  PLANE(op##_both, 1, 1, expression)              \
  PLANE(op##_first, 1, 0, expression)             \
  PLANE(op##_second, 0, 1, expression)            \
  PLANE(op##_neither, 0, 0, expression)           \
  static const snug__plane_bodies op##_bodies = { \
      {{op##_neither, op##_second}, {op##_first, op##_both}}};

#define BINARY(op, expression)                                                                   \
  PLANES(op, expression)                                                                         \
  static snug_status prepare_##op(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs, \
                                  void **state) {                                                \
    return snug__rows_prepare(ctx, sig, needs, &op##_bodies, 0.0f, state);                       \
  }                                                                                              \
  const snug__kernel SNUG_LOOP(op) = {#op, snug__is_float32, prepare_##op, snug__rows_run,       \
                                      snug__rows_release}

BINARY(add, x + y);
BINARY(subtract, x - y);
BINARY(multiply, x *y);
BINARY(divide, x / y);
BINARY(maximum, x >= y || x != x ? x : y);
BINARY(minimum, x <= y || x != x ? x : y);
BINARY(prelu, x < 0.0f ? x * y : x);

/* A broadcast is a product with a scalar. */
static snug_status prepare_broadcast(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                                     void **state) {
  const snug__broadcast_to_params *p = sig->params;
  return snug__rows_prepare(ctx, sig, needs, &multiply_bodies, (float)p->scale, state);
}

const snug__kernel SNUG_LOOP(broadcast_to) = {"broadcast_to", snug__is_float32, prepare_broadcast,
                                              snug__rows_run, snug__rows_release};
