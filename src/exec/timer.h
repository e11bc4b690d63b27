/* How long a kernel takes for a call, on memory of its own.
 *
 * In a step a call finds some of its values in the cache, because they were made a moment ago, and
 * others not.  So values can be marked as far: they are driven out of the cache before each run.
 * All inputs are zero; what a call writes is thrown away, states included. */
#ifndef SNUG_EXEC_TIMER_H
#define SNUG_EXEC_TIMER_H

#include "device/device.h"

typedef struct snug__timer {
  snug_ctx *ctx;
  const snug__device *device;
  int64_t most_bytes; /* set by the caller: calls that need more are not timed */
  snug__block block;  /* private */
} snug__timer;

/* A call without memory, and which of its values are far: bit i is input i, bit k output k. */
typedef struct snug__trial {
  const snug__kernel *kernel;
  snug__signature sig; /* as the kernel sees it */
  uint64_t far_in, far_out;
} snug__trial;

/* Bytes of all its values, without scratch. */
int64_t snug__trial_bytes(const snug__trial *trial);

/* Time a call: the shortest of a few runs.  *seconds is negative if it cannot be run here: it needs
 * more bytes than it may have, or zeros are no data for it.  Fails: E_MEMORY. */
snug_status snug__timer_run(snug__timer *t, const snug__trial *trial,
                            double *seconds) SNUG_NODISCARD;

void snug__timer_release(snug__timer *t);

#endif
