/* The steps of snug__graph_add, for those who build or check a node by other means: reading, the
 * verifier. */
#ifndef SNUG_GRAPH_PARTS_H
#define SNUG_GRAPH_PARTS_H

#include "graph/op.h"

/* Run op->infer over the inputs; types receives one per output the op can have.
 * Fails: E_ARGUMENT for a number of inputs the op does not take, as infer does. */
snug_status snug__node_infer(const snug__graph *g, const snug__op *op, snug__id layer,
                             const void *params, const snug__id *in, int32_t n_in,
                             snug__type types[SNUG__MAX_OUT]) SNUG_NODISCARD;

/* A node of the graph's arena with copies of params and inputs, outputs all SNUG_NONE; it is not
 * added. */
snug_status snug__node_new(snug__graph *g, const snug__op *op, const void *params,
                           const snug__id *in, int32_t n_in, snug__node *node) SNUG_NODISCARD;

/* The value that output k of `node` is: who makes it, and whose memory it shares. */
snug__value snug__node_output(const snug__graph *g, const snug__node *node, int32_t k,
                              snug__type type, snug__id id);

#endif
