/* Threads: one fork-join loop over OpenMP, the runtime that the CPU kernels use too.
 *
 * Invariants:
 * 1. An item is run by exactly one thread, so results do not depend on the number of threads as
 * long as items write to disjoint places and each sums in a fixed order.
 * 2. Nothing is allocated after the first call with a given thread count. */
#ifndef SNUG_BASE_THREAD_H
#define SNUG_BASE_THREAD_H

#include <stdint.h>

#define SNUG__MAX_THREADS 1024

/* Cores this process may use (affinity and a container's CPU quota respected), at least 1. */
int32_t snug__cores(void);

/* As many of so many threads as OpenMP starts here (OMP_THREAD_LIMIT, OMP_MAX_ACTIVE_LEVELS), at
 * least 1.  A library waits forever for a thread that it counted on and that never starts. */
int32_t snug__usable_threads(int32_t threads);

/* Call body(arg, i) for each i in [0, n), on up to |threads| threads, the calling one included. */
void snug__parallel_for(int32_t threads, int64_t n, void (*body)(void *arg, int64_t i), void *arg);

#endif
