/* Epilogue: an activation that an op applies to its result before it writes it.
 *
 * The parameters of such an op have a member of type snug__epilogue.  relu with max_value=6 is
 * ReLU6; its slope is 0 at both ends, as relu's own gradient has it.  At the ends value and slope
 * agree only if max_value is an element of the dtype: take it through snug__epilogue_for first. */
#ifndef SNUG_OPS_EPILOGUE_H
#define SNUG_OPS_EPILOGUE_H

#include <math.h>

#include "ops/ops.h"

typedef enum snug__activation {
  SNUG__LINEAR,
  SNUG__RELU,
  SNUG__SWISH /* v sigmoid(v) */
} snug__activation;

typedef struct snug__epilogue {
  int32_t activation; /* snug__activation */
  double max_value;   /* of relu; inf: none */
} snug__epilogue;

extern const char *const snug__activation_choices[];

/* For the table of fields of a struct with such a member. */
#define SNUG__EPILOGUE_FIELDS(type, member)                                       \
  {"activation", SNUG__FIELD_CHOICE, offsetof(type, member.activation), "linear", \
   snug__activation_choices},                                                     \
  {                                                                               \
    "max_value", SNUG__FIELD_FLOAT, offsetof(type, member.max_value), "inf", NULL \
  }

/* Check for infer: max_value is not below 0, and relu's alone. */
snug_status snug__need_epilogue(const snug__infer *q,
                                const snug__epilogue *epilogue) SNUG_NODISCARD;

/* The same with max_value as an element of this dtype has it. */
snug__epilogue snug__epilogue_for(const snug__epilogue *epilogue, snug_dtype dtype);

/* Whether there is nothing to apply. */
static inline bool snug__epilogue_is_linear(const snug__epilogue *epilogue) {
  return epilogue->activation == SNUG__LINEAR;
}

static inline double snug__epilogue_sigmoid(double v) { return 1.0 / (1.0 + exp(-v)); }

/* The activation of v.  A NaN stays one. */
static inline double snug__epilogue_value(const snug__epilogue *epilogue, double v) {
  switch (epilogue->activation) {
    case SNUG__RELU:
      return v <= 0.0 ? 0.0 : v > epilogue->max_value ? epilogue->max_value : v;
    case SNUG__SWISH:
      return v * snug__epilogue_sigmoid(v);
    default:
      return v;
  }
}

/* Its derivative where y was made: for linear and relu. */
static inline double snug__epilogue_slope_from_output(const snug__epilogue *epilogue, double y) {
  return epilogue->activation != SNUG__RELU || (y > 0.0 && y < epilogue->max_value) ? 1.0 : 0.0;
}

/* Its derivative at v, the value before the activation. */
static inline double snug__epilogue_slope(const snug__epilogue *epilogue, double v) {
  if (epilogue->activation == SNUG__SWISH) {
    double s = snug__epilogue_sigmoid(v);
    return s * (1.0 + v * (1.0 - s));
  }
  return snug__epilogue_slope_from_output(epilogue, v);
}

#endif
