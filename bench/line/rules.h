/* Known rules of which values to recompute, to compare with.  Each works on a step's graph as it
 * is laid out, with every value kept, and fills a choice: recomputed[], one per value of the graph.
 */
#ifndef SNUG_BENCH_LINE_RULES_H
#define SNUG_BENCH_LINE_RULES_H

#include "pass/recipe.h"

typedef struct rules {
  const snug__graph *g;
  const snug__recipes *recipes;
  const double *seconds; /* per node */
  snug__id n_forward;    /* nodes before the first of the backward */
  snug__id *last;        /* per value: its last reader in the forward, or SNUG_NONE */
  bool *is_read;         /* per value: by the backward */
  int64_t *crossing;     /* per forward node: bytes that are made before its end and read behind */
  int32_t *n_crossing;   /* and how many values these are */
  int64_t kept;          /* bytes of all that the backward reads and that could be recomputed */
} rules;

/* Ends the program if there is no memory. */
void rules_open(rules *r, const snug__graph *g, const snug__recipes *recipes,
                const double *seconds);
void rules_close(rules *r);

/* T. Chen et al., Training deep nets with sublinear memory cost: the forward in segments, of which
 * the values at their ends are kept and those inside are recomputed.  at_joints: segments end only
 * where one value alone goes on.  sqrt: as many segments as the root of the number of nodes, of
 * equally many nodes; greedy: one ends when more than so many bytes would be made in it. */
void rule_sqrt(const rules *r, bool at_joints, bool *recomputed);
void rule_greedy(const rules *r, bool at_joints, int64_t bytes, bool *recomputed);

/* A knapsack over values: those are kept for which the sum of the seconds of making each again is
 * largest, within so many bytes. */
void rule_knapsack(const rules *r, int64_t bytes, bool *recomputed);

#endif
