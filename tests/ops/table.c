#include "ops/table.h"

#define OP(name) extern const op_cases snug__cases_##name;
#include "ops/ops.def"
#undef OP

const op_cases *const snug__all_cases[] = {
#define OP(name) &snug__cases_##name,
#include "ops/ops.def"
#undef OP
};
