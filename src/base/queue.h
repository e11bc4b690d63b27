/* What a context knows of the device that it computes on.  Plain data, which the device gives its
 * meaning: see device/device.h. */
#ifndef SNUG_BASE_QUEUE_H
#define SNUG_BASE_QUEUE_H

#include <stdint.h>

#include "snug/context.h"

/* What kernels are chosen, timed and cached for: a few numbers that only the device can read, such
 * as threads and instruction set of a processor.  Equal targets are equal in all bytes. */
typedef struct snug__target {
  int32_t of[4];
} snug__target;

/* The queue of a context: kernels, copies and fills run in the order in which they were put there,
 * at once or later. */
typedef struct snug__queue {
  snug_ctx *ctx;
  const struct snug__device *device;
  int32_t n_sessions; /* that are open: the threads of the device are set up for kernels */
  void *own;          /* the device's */
  snug_status failed; /* what the first call that failed returned, and */
  const struct snug__call *call; /* which one that was, since the last wait */
} snug__queue;

#endif
