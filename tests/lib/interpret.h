/* An interpreter of graphs over the references of the ops: values in guarded memory of their own,
 * nodes in order.  Independent of plan/ and exec/, so it can judge them. */
#ifndef SNUG_TESTS_INTERPRET_H
#define SNUG_TESTS_INTERPRET_H

#include "graph/op.h"

typedef struct test_interpreter {
  snug__graph *g;  /* may grow while this lives */
  int32_t threads; /* set by the caller; 1 at first */
  void **data;     /* per value: guarded memory, or NULL */
  size_t n_data;
  snug__fault fault;         /* of the last node that refused its data */
  struct snug__store *store; /* for ops that need one: opened on demand */
} test_interpreter;

void test_interpret_init(test_interpreter *t, snug__graph *g);
void test_interpret_release(test_interpreter *t); /* before the graph goes */

/* Memory of a value, made on demand (poisoned), and its elements. */
void *test_interpret_data(test_interpreter *t, snug__id id);
double test_interpret_get(test_interpreter *t, snug__id id, int64_t i);
void test_interpret_set(test_interpreter *t, snug__id id, int64_t i, double value);

/* Run all nodes in order; fails the test on a broken guard.  Fails: E_DATA, see fault. */
snug_status test_interpret_run(test_interpreter *t) SNUG_NODISCARD;

/* Run one node.  in_place >= 0: output 0 shares the memory of that input while it runs. */
snug_status test_interpret_node(test_interpreter *t, snug__id node,
                                int32_t in_place) SNUG_NODISCARD;

/* Fail the test if a byte beside a value was written. */
void test_interpret_check(const test_interpreter *t);

#endif
