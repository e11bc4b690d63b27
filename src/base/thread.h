/* Threads: one fork-join loop over OpenMP, the runtime that the CPU kernels use too.
 *
 * Invariants:
 * 1. An item is run by exactly one thread, so results do not depend on the number of threads as
 * long as items write to disjoint places and each sums in a fixed order.
 * 2. Nothing is allocated after the first call with a given thread count. */
#ifndef SNUG_BASE_THREAD_H
#define SNUG_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define SNUG__MAX_THREADS 1024

/* Cores this process may use (affinity and a container's CPU quota respected), at least 1. */
int32_t snug__cores(void);

/* Processors that are online, within a container's CPU quota. */
int32_t snug__machine_cores(void);

/* Processors that a team of this many threads runs on where the OpenMP runtime binds threads; 0: it
 * does not.  Starts the team. */
int32_t snug__bound_processors(int32_t threads);

/* As many of this many threads as OpenMP starts here (OMP_THREAD_LIMIT, OMP_MAX_ACTIVE_LEVELS), at
 * least 1.  A library waits forever for a thread that it counted on and that never starts. */
int32_t snug__usable_threads(int32_t threads);

/* As many of this many threads as can be made where the system limits the addresses of the process,
 * with half of what is left of them to spare; at least 1.  They are started at once, before the
 * room for their stacks is used for something else: OpenMP ends a process in which it cannot make a
 * thread.  Without such a limit nothing is done. */
int32_t snug__startable_threads(int32_t threads);

/* Start this many threads, those of snug__parallel_for and of libraries on the same runtime, and
 * make a piece of each one's stack resident, as large as any kernel or file writer uses; so neither
 * comes later.  The calling thread counts. */
void snug__workers_start(int32_t threads);

/* Call body(arg, i) for each i in [0, n), on up to |threads| threads, the calling one included. */
void snug__parallel_for(int32_t threads, int64_t n, void (*body)(void *arg, int64_t i), void *arg);

/* ---- threads of their own ---- */

/* Start a thread beside those, on a stack of the caller's (aligned to a page).  Signals stay with
 * the threads of the caller.  Returns 0, or an errno. */
int snug__thread_start(pthread_t *out, void *stack, size_t bytes, void *(*work)(void *), void *arg);

/* ---- denormals ----
 *
 * Kernels take and give zero for numbers that are too small to be normal, as TensorFlow's do: a few
 * of them would make a step many times slower.  That is a mode of each thread, and whoever uses the
 * library finds it as it was. */

/* Flush denormals on the calling thread; returns the mode before, for snug__float_mode_set. */
uint32_t snug__flush_denormals(void);
void snug__float_mode_set(uint32_t mode);

/* ---- threads that compute ---- */

/* How a thread was before it computed. */
typedef struct snug__thread_state {
  uint32_t float_mode;
  uint32_t slice; /* nanoseconds; 0: this kernel has none to set */
} snug__thread_state;

/* Let this many threads, those of snug__parallel_for and of libraries on the same runtime, compute:
 * denormals are flushed on all but the calling one, and where there are several, each asks for
 * short time slices (Linux 6.12 and later): beside busy processes a thread that the others wait for
 * then gets a processor when it is woken, not some milliseconds later.  `before` has one per
 * thread. */
void snug__workers_begin(int32_t threads, snug__thread_state *before);

/* Let them be as they were. */
void snug__workers_end(int32_t threads, const snug__thread_state *before);

#endif
