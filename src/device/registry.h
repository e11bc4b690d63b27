/* The registry: which devices there are.  No other room names one. */
#ifndef SNUG_DEVICE_REGISTRY_H
#define SNUG_DEVICE_REGISTRY_H

#include "device/device.h"

/* The i-th device; NULL behind the last.  The first is the one that is used unless another is
 * asked for. */
const snug__device *snug__device_at(size_t i);

/* The device of a name; NULL if there is none here. */
const snug__device *snug__device_find(const char *name);

/* Add the device of a module, behind the others, before a context asks for it; adding one again
 * does nothing.  False: there are too many. */
bool snug__device_add(const snug__device *device);

#endif
