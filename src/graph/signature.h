/* The signature of a node: what kernels are chosen and made by. */
#ifndef SNUG_GRAPH_SIGNATURE_H
#define SNUG_GRAPH_SIGNATURE_H

#include "graph/op.h"

/* in and out have room for SNUG__MAX_IN and SNUG__MAX_OUT types, and live as long as it. */
snug__signature snug__signature_of(const snug__graph *g, const snug__node *node, snug__type *in,
                                   snug__type *out);

#endif
