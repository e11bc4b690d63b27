/* The records of all ops, by name: &snug__op_matmul. */
#ifndef SNUG_OPS_OPS_H
#define SNUG_OPS_OPS_H

#include "graph/op.h"

#define OP(name) extern const snug__op snug__op_##name;
#include "ops/ops.def"
#undef OP

#endif
