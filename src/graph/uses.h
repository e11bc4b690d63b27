/* Who reads which value of a graph. */
#ifndef SNUG_GRAPH_USES_H
#define SNUG_GRAPH_USES_H

#include "graph/graph.h"

typedef struct snug__uses {
  const snug__graph *g;
  uint32_t *start;   /* per value, and one more: where its readers begin */
  snug__id *readers; /* nodes in their order; a node stands there once for each input */
  bool *is_output;   /* per value: read after the step */
} snug__uses;

/* Owns: *out is ended by snug__uses_release.  Fails: E_MEMORY. */
snug_status snug__uses_init(snug__uses *u, const snug__graph *g) SNUG_NODISCARD;
void snug__uses_release(snug__uses *u);

/* The readers of a value; *n how many there are. */
const snug__id *snug__readers(const snug__uses *u, snug__id value, size_t *n);

/* The one node that reads a value, once, or SNUG_NONE: there are more or fewer, or it is read after
 * the step. */
snug__id snug__sole_reader(const snug__uses *u, snug__id value);

#endif
