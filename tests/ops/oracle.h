/* What a float32 kernel must give: the op's reference in float64 on the same inputs, and how far
 * from it float32 arithmetic may end.
 *
 * An element may err by a few roundings of its own value, and by what roundings on the way do to
 * it. The latter is measured: the reference is run again on inputs that are each off by a random
 * part of their value, which moves a sum Σt of independent terms by about √Σt² times that part.
 * Float32 sums of n terms err by at most about √n of that in units of epsilon, as the roundings of
 * partial sums are random. */
#ifndef SNUG_TESTS_OPS_ORACLE_H
#define SNUG_TESTS_OPS_ORACLE_H

#include "ops/bench.h"

typedef struct oracle {
  bool is_open;
  int32_t n_out;
  int64_t n[SNUG__MAX_OUT];
  double *value[SNUG__MAX_OUT], *allowed[SNUG__MAX_OUT];
  snug_status status; /* of the reference, */
  snug__fault fault;  /* and what it found if that is E_DATA */
} oracle;

void oracle_open(oracle *o, const snug__op *op, const op_case *c);
void oracle_close(oracle *o);

/* Compare the outputs of a call in float32, of these types; fails the test, naming `what`.
 * growth: how much further a kernel's arithmetic carries roundings than plain sums do.  Returns the
 * largest error as a part of what is allowed there. */
double oracle_compare(const oracle *o, const snug__type *types, void *const *outputs, double growth,
                      const char *what);

#endif
