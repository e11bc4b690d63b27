/* Parameters of the ops that make masks of pairs. */
#ifndef SNUG_OPS_COMPARE_H
#define SNUG_OPS_COMPARE_H

#include "ops/ops.h"

typedef enum snug__compare_kind {
  SNUG__COMPARE_EQUAL,
  SNUG__COMPARE_NOT_EQUAL,
  SNUG__COMPARE_GREATER,
  SNUG__COMPARE_GREATER_EQUAL,
  SNUG__COMPARE_LESS,
  SNUG__COMPARE_LESS_EQUAL
} snug__compare_kind;

typedef struct snug__compare_params {
  int32_t kind; /* snug__compare_kind */
} snug__compare_params;

typedef enum snug__logical_kind {
  SNUG__LOGICAL_AND,
  SNUG__LOGICAL_OR,
  SNUG__LOGICAL_XOR
} snug__logical_kind;

typedef struct snug__logical_params {
  int32_t kind; /* snug__logical_kind */
} snug__logical_params;

#endif
