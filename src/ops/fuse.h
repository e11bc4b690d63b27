/* What fusion rules of several ops share: the tail of nodes behind a value that can be made
 * together with it. */
#ifndef SNUG_OPS_FUSE_H
#define SNUG_OPS_FUSE_H

#include "graph/rewrite.h"
#include "ops/epilogue.h"

/* Nodes behind an old value, each the only reader of the one before. */
typedef struct snug__epilogue_chain {
  snug__id out;        /* the old value that the fused op will make */
  snug__id term;       /* the old value that is added, or SNUG_NONE */
  snug__id covered[3]; /* the nodes */
  int32_t n_covered;
  snug__epilogue epilogue;
} snug__epilogue_chain;

/* An empty tail behind a value. */
snug__epilogue_chain snug__epilogue_chain_of(snug__id value);

/* Lengthen it by a sum with a value of type `term` that is there already; by relu without slope and
 * threshold; by `node`, which makes `out`. */
void snug__epilogue_chain_take_sum(const snug__rewrite *r, const snug__type *term,
                                   snug__epilogue_chain *t);
void snug__epilogue_chain_take_relu(const snug__rewrite *r, snug__epilogue_chain *t);
void snug__epilogue_chain_take(snug__epilogue_chain *t, snug__id node, snug__id out);

/* The new value is what the tail makes; its nodes are covered. */
void snug__epilogue_chain_replace(snug__rewrite *r, const snug__epilogue_chain *t, snug__id made);

/* Whether the node, which may be NULL, is of an op. */
static inline bool snug__node_is(const snug__node *node, const snug__op *op) {
  return node && node->op == op;
}

#endif
