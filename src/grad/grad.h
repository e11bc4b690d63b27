/* Reverse mode over nodes: appends the backward of a graph to it, as ordinary nodes.
 *
 * Invariants:
 * 1. Only values on a path from a wanted value to the loss get a gradient: what is frozen costs
 * nothing.
 * 2. Where several gradients of one value meet, they are added in the order in which the backward
 * reaches them, which depends on the graph alone.  Later passes keep that order: equal bits come
 * from here.
 * 3. No op is named here but `add`, which sums. */
#ifndef SNUG_GRAD_GRAD_H
#define SNUG_GRAD_GRAD_H

#include "graph/graph.h"

/* Append the gradient of the scalar `loss` with respect to wanted[0..n).  The gradients' ids go to
 * out[0..n), SNUG_NONE where the loss does not depend on the value.  The nodes are of class
 * gradients for what is a gradient of a wanted value, and activations for what lies between. Fails:
 * E_SHAPE if loss is no real scalar, E_UNSUPPORTED if a node on the path has no gradient (named),
 * as grad rules do; the graph is then longer but still valid. */
snug_status snug__grad_append(snug__graph *g, snug__id loss, const snug__id *wanted, size_t n,
                              snug__id *out) SNUG_NODISCARD;

#endif
