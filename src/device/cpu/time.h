/* How long a launch takes on the processor. */
#ifndef SNUG_DEVICE_CPU_TIME_H
#define SNUG_DEVICE_CPU_TIME_H

#include "device/device.h"

/* As snug__device.time, on the calling thread. */
double snug__cpu_time(snug__queue *q, const snug__timed_launch *launch);

#endif
