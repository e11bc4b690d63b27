/* The offload pass: chosen values of the forward wait in a file until the backward reads them.
 *
 * Such a value begins to be written as soon as it is made.  Its memory is free when that has ended
 * and the last node of the forward has read it; some nodes ahead of its first reader in the
 * backward it begins to be read again, into other memory.  The nodes for that are those of
 * ops/spill.c.  All numbers are moved as they are: the results have the same bits.
 *
 * It runs behind all other passes, and keeps layouts. */
#ifndef SNUG_PASS_OFFLOAD_H
#define SNUG_PASS_OFFLOAD_H

#include "graph/rewrite.h"

/* Which values are to wait. */
typedef struct snug__offload {
  const bool *waits; /* per value of the graph; NULL: all that can and have `least` bytes */
  int64_t least;
  const snug__id *order; /* of the nodes, in which they will run and the new ones will stand; NULL:
                            as they do */
  int32_t reach; /* nodes that a transfer has to go on beside: more hide more of it, and hold the
                    memory longer; 0: the processor waits for the disk, and memory is least */
  const bool *at_once; /* per value: its reach is 0; NULL: none */
} snug__offload;

/* Rewrite a graph so.  What cannot wait stays as it is: values that the backward does not read,
 * that are read after the step, that have no time between forward and backward, and views (their
 * base can). out is the caller's, also its graph; nothing is owed after a failure. */
snug_status snug__pass_offload(const snug__graph *g, const snug__offload *set,
                               snug__rewrite *out) SNUG_NODISCARD;

/* Set can[v] for each value that may wait if there is time for it: which there is, is a matter of
 * when the backward reads it, and so of what is recomputed there.  Fails: E_MEMORY. */
snug_status snug__offload_can(const snug__graph *g, bool *can) SNUG_NODISCARD;

/* Whether something can be made to run right after a node: only such nodes are counted by reach,
 * and transfers begin and end behind them. */
bool snug__offload_is_mark(const snug__graph *g, snug__id node);

#endif
