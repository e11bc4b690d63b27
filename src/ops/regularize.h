/* Penalties and constraints of a weight. */
#ifndef SNUG_OPS_REGULARIZE_H
#define SNUG_OPS_REGULARIZE_H

#include "ops/ops.h"

typedef struct snug__regularize_params {
  double l1, l2;
} snug__regularize_params;

typedef enum snug__constrain_kind {
  SNUG__CONSTRAIN_MAX_NORM,
  SNUG__CONSTRAIN_NON_NEG,
  SNUG__CONSTRAIN_UNIT_NORM,
  SNUG__CONSTRAIN_MIN_MAX_NORM
} snug__constrain_kind;

typedef struct snug__constrain_params {
  int32_t kind;
  double min_value, max_value, rate;
  snug_ints axes; /* over which a norm is taken; empty: all */
} snug__constrain_params;

#endif
