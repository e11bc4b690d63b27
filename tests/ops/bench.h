/* A work bench for one op: a graph of its inputs and one node, run by the interpreter of
 * tests/lib. */
#ifndef SNUG_TESTS_OPS_BENCH_H
#define SNUG_TESTS_OPS_BENCH_H

#include "lib/interpret.h"
#include "ops/cases.h"

typedef struct op_bench {
  snug_ctx *ctx;
  snug__graph *g;
  const snug__op *op;
  const op_case *c;
  snug_dtype real; /* takes the place of float64 in the case */
  int32_t n_in, n_out;
  snug__id in[SNUG__MAX_IN], out[SNUG__MAX_OUT];
  test_interpreter run;
} op_bench;

/* Build the graph and fill the inputs (the same values for every real dtype, rounded to `narrow`
 * first). */
snug_status bench_open(op_bench *b, const snug__op *op, const op_case *c, snug_dtype real,
                       snug_dtype narrow);
void bench_close(op_bench *b);

/* Run all nodes in order through their references; fails the test on a broken guard.  in_place >=
 * 0: the op's output 0 shares the memory of that input. */
snug_status bench_run(op_bench *b, int32_t in_place);

/* Memory of a value, made on demand (poisoned). */
void *bench_data(op_bench *b, snug__id id);
double bench_get(op_bench *b, snug__id id, int64_t i);
void bench_set(op_bench *b, snug__id id, int64_t i, double value);
bool bench_is_real_input(const op_bench *b, int32_t i);

/* Whether the op writes its input i. */
bool bench_writes(const snug__op *op, int32_t i);

/* Parse "float64[2,3]" (float64 becomes `real`). */
snug__type bench_type(const char *text, snug_dtype real);

#endif
