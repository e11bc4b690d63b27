/* The case tables of all ops, in the order of snug__op_table. */
#ifndef SNUG_TESTS_OPS_TABLE_H
#define SNUG_TESTS_OPS_TABLE_H

#include "ops/cases.h"

extern const op_cases *const snug__all_cases[];

#endif
