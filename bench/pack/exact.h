/* Other ways of packing, to compare with; none shares code with the library. */
#ifndef SNUG_BENCH_EXACT_H
#define SNUG_BENCH_EXACT_H

#include <stdbool.h>
#include <stddef.h>

#include "snug/tools/pack.h"

/* Search for a packing of at most `capacity` from the bottom up, as "MiniMalloc: A Lightweight
 * Memory Allocator for Hardware-Accelerated Machine Learning" (ASPLOS 2023) describes it: a fixed
 * order of the buffers, offsets that never go down, what is left cut apart where nothing lives
 * across, and no branch that some section cannot take.  Its three orders take turns, for twice the
 * time each round.  False: nothing found within the seconds. */
bool exact_pack(const snug_pack_item *items, size_t n, int64_t capacity, double seconds,
                int64_t *offsets);

#endif
