/* Which node must run before which: by values, and by memory that is written anew. */
#ifndef SNUG_PLAN_DEPEND_H
#define SNUG_PLAN_DEPEND_H

#include "graph/graph.h"

typedef struct snug__depend {
  snug_ctx *ctx;
  size_t n_nodes, n_edges;
  size_t *first;   /* per node, and one more: where its successors start in `after` */
  snug__id *after; /* successors, grouped by node */
  uint32_t
      *n_before; /* per node: number of predecessors (an edge may stand twice and counts twice) */
} snug__depend;

snug_status snug__depend_init(snug__depend *d, const snug__graph *g) SNUG_NODISCARD;
void snug__depend_release(snug__depend *d);

#endif
