/* Pruning: a graph with nothing in it but what its outputs need; what would only write a state
 * goes, too. */
#ifndef SNUG_PASS_PRUNE_H
#define SNUG_PASS_PRUNE_H

#include "graph/graph.h"

/* Replace *graph by its pruned form (also when this fails it is the caller's).  The n values ids[]
 * follow: SNUG_NONE where a value is gone, or is an input that nobody reads any more.  Fails:
 * E_MEMORY. */
snug_status snug__pass_prune(snug__graph **graph, snug__id *ids, size_t n) SNUG_NODISCARD;

#endif
