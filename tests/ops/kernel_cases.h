/* Cases for kernels, beyond those of the ops: sizes around vectors, blocks and parts for threads.
 */
#ifndef SNUG_TESTS_OPS_KERNEL_CASES_H
#define SNUG_TESTS_OPS_KERNEL_CASES_H

#include "ops/cases.h"

typedef struct kernel_case {
  const snug__op *op;
  op_case c;
} kernel_case;

extern const kernel_case kernel_cases[];
extern const size_t kernel_cases_count;

#endif
