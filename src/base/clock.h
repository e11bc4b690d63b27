/* Seconds of a clock of the system, which count from any moment. */
#ifndef SNUG_BASE_CLOCK_H
#define SNUG_BASE_CLOCK_H

#include <time.h>

static inline double snug__seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the one that nobody sets. */
static inline double snug__now(void) { return snug__seconds(CLOCK_MONOTONIC); }

#endif
