#include "device/registry.h"

#include <string.h>

#include "device/cpu/cpu.h"

#define MOST_ADDED 4

/* Devices of modules.  It is written to while a module is loaded, and by nobody else. */
static const snug__device *added[MOST_ADDED];

const snug__device *snug__device_at(size_t i) {
  return i == 0 ? &snug__cpu : i <= MOST_ADDED ? added[i - 1] : NULL;
}

const snug__device *snug__device_find(const char *name) {
  const snug__device *device = NULL;
  for (size_t i = 0; (device = snug__device_at(i)) && strcmp(device->name, name) != 0; i++) {
  }
  return device;
}

bool snug__device_add(const snug__device *device) {
  for (size_t i = 0; i < MOST_ADDED; i++) {
    if (!added[i] || added[i] == device) {
      added[i] = device;
      return true;
    }
  }
  return false;
}
