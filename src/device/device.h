/* The device interface: memory for blocks, and a kernel for each op.
 *
 * A kernel has two halves.  `prepare` sees a signature only (op, parameters, types, threads),
 * chooses an implementation and says what it needs; it may allocate and may fail.  `run` gets
 * pointers and cannot allocate.  So a kernel can be shared by every node, program and batch size
 * with the same signature. */
#ifndef SNUG_DEVICE_DEVICE_H
#define SNUG_DEVICE_DEVICE_H

#include "graph/op.h"

typedef struct snug__needs {
  int64_t scratch_bytes;            /* alive during one run; contents undefined */
  uint64_t in_place[SNUG__MAX_OUT]; /* as snug__op.in_place, for this implementation */
} snug__needs;

typedef struct snug__kernel {
  const char *name;
  /* Fill needs; *state is handed to run.  Fails: E_UNSUPPORTED, E_MEMORY; nothing is owed then. */
  snug_status (*prepare)(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                         void **state);
  /* Fails: E_DATA with call->fault filled, never for memory. */
  snug_status (*run)(const void *state, const snug__call *call);
  void (*release)(snug_ctx *ctx, void *state); /* NULL: there is nothing to release */
} snug__kernel;

typedef struct snug__device {
  const char *name;
  /* The kernel of an op; NULL: the device has none, and no program with it can be made. */
  const snug__kernel *(*kernel)(const snug__op *op);
  /* A block of memory, committed, aligned to SNUG__BLOCK_ALIGN.  Fails: E_MEMORY, E_LIMIT. */
  snug_status (*take)(snug_ctx *ctx, int64_t bytes, void **block);
  void (*give)(snug_ctx *ctx, void *block, int64_t bytes);
  /* What taking a block of so many bytes costs in the account. */
  int64_t (*block_cost)(int64_t bytes);
} snug__device;

#define SNUG__BLOCK_ALIGN 64

/* The processor: plain C references of the ops. */
extern const snug__device snug__cpu;

#endif
