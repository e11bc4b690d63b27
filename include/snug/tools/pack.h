/* Packing: assign an offset to every buffer of a set of lifetimes, so that buffers that are alive
 * at the same time do not overlap, and the total height is minimal.  It knows nothing about graphs;
 * `snug pack` is this function on a CSV file. */
#ifndef SNUG_TOOLS_PACK_H
#define SNUG_TOOLS_PACK_H

#include <stdbool.h>

#include "snug/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_pack_item {
  int64_t lower; /* first moment of life */
  int64_t upper; /* first moment after it; lower < upper */
  int64_t size;  /* bytes, >= 0 */
  int64_t align; /* the offset is a multiple of this; 1 if it does not matter */
  int64_t hint;  /* an offset to try first; -1: none */
} snug_pack_item;

typedef struct snug_pack_options {
  size_t struct_size;
  int64_t capacity; /* stop as soon as this height is reached; 0: go for the least */
  int64_t work; /* units of search work; 0: the default amount.  Same input and work, same answer */
  double timeout_s; /* additional limit in seconds; 0: none (then the answer depends on the input
                       alone) */
} snug_pack_options;

typedef struct snug_pack_result {
  size_t struct_size;
  int64_t load;      /* largest sum of sizes alive at one moment: no packing is lower */
  int64_t height;    /* reached: max(offset + size) */
  int64_t bound;     /* proven lower bound of the height, >= load */
  int64_t work_done; /* units of search work spent */
  bool proven;       /* height == bound: nothing better exists */
} snug_pack_result;

/* Pack n items.  options may be NULL.  offsets has room for n.  The answer has passed
 * snug_pack_check.  Owns: nothing is kept.  Fails: E_ARGUMENT (a lifespan that ends before it
 * starts, a negative size, ... ; names the index), E_OVERFLOW (a size or alignment above 2^60, more
 * than 2^29 items), E_MEMORY, E_LIMIT; offsets and *out are then undefined.  A height above the
 * capacity is not a failure: the caller compares. */
SNUG_API snug_status snug_pack(snug_ctx *ctx, const snug_pack_item *items, size_t n,
                               const snug_pack_options *options, int64_t *offsets,
                               snug_pack_result *out) SNUG_NODISCARD;

/* Check an answer independently of how it was made: alignment, non-negative offsets, no overlap,
 * height.  Fails: E_INTERNAL naming the first pair that overlaps or the first offset that is wrong;
 * E_ARGUMENT (an item that is none), E_MEMORY, E_LIMIT. */
SNUG_API snug_status snug_pack_check(snug_ctx *ctx, const snug_pack_item *items, size_t n,
                                     const int64_t *offsets, int64_t height) SNUG_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
