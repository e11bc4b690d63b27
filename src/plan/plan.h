/* The plan of a graph: in which order its nodes run, which values share a buffer, and where each
 * buffer lies in the block.
 *
 * Stages, each a pure function of what comes before and each printable:
 *   order -> lifetimes -> in-place merges -> placement -> check.
 *
 * Invariants:
 * 1. A node runs after the producers of its inputs, and a writer of a state after every reader of
 * the old content.
 * 2. Values whose lifetimes overlap have disjoint places, unless one took over the other's place at
 * the node that reads the one and writes the other.
 * 3. Weights, states and constants have no place in the block: they live elsewhere. */
#ifndef SNUG_PLAN_PLAN_H
#define SNUG_PLAN_PLAN_H

#include "device/device.h"
#include "graph/graph.h"

typedef enum snug__order_kind {
  SNUG__ORDER_PEAK,     /* the best of several orders, for the least load */
  SNUG__ORDER_CREATION, /* as the nodes stand in the graph */
  SNUG__ORDER_REVERSED  /* of the nodes that could run, always the one created last: far from the
                           others, for tests */
} snug__order_kind;

typedef struct snug__plan_options {
  snug__order_kind order;
  bool no_in_place; /* every value gets a buffer of its own */
  bool apart;       /* no two buffers share a byte: what a step would cost without a plan */
  int64_t work;     /* of the search for places, as snug_pack_options; 0: what suits a fit */
} snug__plan_options;

/* A piece of the block: a value (or several that follow each other in place), or a node's scratch.
 */
typedef struct snug__buffer {
  int64_t bytes, offset;
  int64_t first, end; /* half-open range of positions in the order */
  snug__id value;     /* the first value in it, SNUG_NONE for scratch */
  snug__id node;      /* scratch: the node it belongs to */
} snug__buffer;

typedef struct snug__plan {
  snug_ctx *ctx;
  size_t n_nodes, n_values, n_buffers, room; /* room: buffers there is memory for */
  snug__id *order;                           /* node ids in the order of execution */
  int64_t *first,
      *end; /* per value: half-open range of positions in which its bytes are alive; bases only */
  snug__id *buffer_of;  /* per value: its buffer, SNUG_NONE if it lives outside of the block */
  snug__id *scratch_of; /* per node: its scratch buffer, or SNUG_NONE */
  snug__buffer *buffers;
  int64_t load, height;
  bool proven; /* no placement of these buffers is lower */
} snug__plan;

/* Plan a graph.  needs: one per node.  Owns: *out is the caller's.  Fails: E_MEMORY, E_OVERFLOW,
 * E_INTERNAL. */
snug_status snug__plan_create(const snug__graph *g, const snug__needs *needs,
                              const snug__plan_options *options, snug__plan **out) SNUG_NODISCARD;
void snug__plan_destroy(snug__plan *p);

/* The byte in the block where a value starts; -1 if it lives outside of the block. */
int64_t snug__plan_offset(const snug__plan *p, const snug__graph *g, snug__id value);

/* The position at which most bytes are alive, and whose they are. */
typedef struct snug__peak {
  int64_t position, bytes;
  int64_t by_class[SNUG__CLASS_COUNT];
} snug__peak;

/* Fill the peak; by_layer (room for one entry per layer of the graph; may be NULL) gets the bytes
 * of each layer. Fails: E_MEMORY. */
snug_status snug__plan_peak(const snug__plan *p, const snug__graph *g, snug__peak *peak,
                            int64_t *by_layer) SNUG_NODISCARD;

/* Per buffer, the value whose bytes it holds at a position: of those that share it, the youngest
 * that is there.  SNUG_NONE for scratch, and where none is yet. */
void snug__plan_holders(const snug__plan *p, int64_t position, snug__id *holders);

/* Whether a buffer is alive at a position. */
static inline bool snug__buffer_is_alive(const snug__buffer *b, int64_t position) {
  return b->first <= position && position < b->end;
}

/* The whole plan as text: order, buffers with lifetimes and offsets, load, height. */
snug_status snug__plan_print(const snug__plan *p, const snug__graph *g,
                             snug__text *out) SNUG_NODISCARD;

/* ---- the stages, for plan.c and tests ---- */

/* Fill order[0..nodes) with the nodes of g. */
snug_status snug__plan_order(const snug__graph *g, snug__order_kind kind,
                             snug__id *order) SNUG_NODISCARD;

/* Fill first and end of every value that lives in the block (base values); others get first == end
 * == 0. */
void snug__plan_lifetimes(const snug__graph *g, const snug__id *order, int64_t *first,
                          int64_t *end);

/* Whether a value has bytes of its own in the block. */
bool snug__plan_is_placed(const snug__graph *g, snug__id value);

/* Make the buffers: one per value, or shared where a node works in place; then the scratch of each
 * node. */
void snug__plan_buffers(snug__plan *p, const snug__graph *g, const snug__needs *needs,
                        bool in_place);

#endif
