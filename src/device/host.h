/* The target of kernels that run on the processor of the host, as the references of ops do. */
#ifndef SNUG_DEVICE_HOST_H
#define SNUG_DEVICE_HOST_H

#include "graph/op.h"

static inline snug__target snug__host_target(int32_t threads, snug__isa isa) {
  return (snug__target){{threads, (int32_t)isa}};
}

/* Threads that a call may use.  Negative: so many however small the work is, for tests. */
static inline int32_t snug__threads(const snug__signature *sig) { return sig->target.of[0]; }

/* The largest instruction set to use. */
static inline snug__isa snug__isa_of(snug__target target) { return (snug__isa)target.of[1]; }

#endif
