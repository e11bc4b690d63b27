/* Where the bytes of a value lie: an address in the memory of a device, which the host may not be
 * able to read.
 *
 * A place is no pointer: the compiler refuses to dereference it or to hand it to a function that
 * wants one.  Two rooms may turn it into one: a device, whose kernels work there, and exec/, which
 * binds their arguments; tests/frame/places.sh sees to that. */
#ifndef SNUG_DEVICE_PLACE_H
#define SNUG_DEVICE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct snug__place {
  uintptr_t device_address; /* 0: nowhere */
} snug__place;

#define SNUG__NOWHERE ((snug__place){0})

static inline bool snug__place_is_set(snug__place p) { return p.device_address != 0; }

static inline snug__place snug__place_after(snug__place p, int64_t bytes) {
  return (snug__place){p.device_address + (uintptr_t)bytes};
}

static inline snug__place snug__place_of_pointer(const void *pointer) {
  return (snug__place){(uintptr_t)pointer};
}

/* An address that kernels of the device understand; the host must not look there. */
static inline void *snug__place_pointer(snug__place p) { return (void *)p.device_address; }

#endif
