/* The order in which Keras lists the layers of a Functional model: by their distance to the
 * outputs, the farthest first; layers of one distance as a walk back from the outputs meets them.
 * The paths of weights depend on it, and Keras works it out anew when it loads a file. */
#ifndef SNUG_KERAS_CALL_ORDER_H
#define SNUG_KERAS_CALL_ORDER_H

#include <stdbool.h>

#include "base/vec.h"

/* A call of an op (a layer, an operation or an input) on outputs of other nodes, from left to
 * right: parents[first .. first + n) of its graph. */
typedef struct snug__call_node {
  uint32_t op, first, n;
} snug__call_node;

typedef struct snug__call_graph {
  size_t n_nodes, n_ops;
  const snug__call_node *nodes;
  const uint32_t *parents; /* nodes */
} snug__call_graph;

/* Append the ops (uint32_t) that the outputs need, and those of the inputs, in Keras's order;
 * outputs and inputs are nodes.  Fails: E_MEMORY, E_LIMIT. */
snug_status snug__call_order(snug_ctx *ctx, const snug__call_graph *g, const uint32_t *outputs,
                             size_t n_outputs, const uint32_t *inputs, size_t n_inputs,
                             snug__vec *out) SNUG_NODISCARD;

#endif
