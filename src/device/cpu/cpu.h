/* The processor.  The registry names it, and so may tests; no other room does. */
#ifndef SNUG_DEVICE_CPU_CPU_H
#define SNUG_DEVICE_CPU_CPU_H

#include "device/device.h"

extern const snug__device snug__cpu;

#endif
