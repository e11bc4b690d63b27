/* The device interface: memory for blocks, and kernels for each op.
 *
 * A kernel has two halves.  `fits` and `prepare` see a signature only (op, parameters, types,
 * threads, instruction set): whether it can run that, in which layouts, with how much scratch;
 * prepare may allocate and may fail.  `run` gets pointers and cannot allocate.  So a kernel can be
 * shared by every node, program and batch size with the same signature. */
#ifndef SNUG_DEVICE_DEVICE_H
#define SNUG_DEVICE_DEVICE_H

#include "graph/op.h"

typedef struct snug__needs {
  int64_t scratch_bytes;            /* alive during one run; contents undefined */
  uint64_t in_place[SNUG__MAX_OUT]; /* as snug__op.in_place, for this implementation */
} snug__needs;

typedef struct snug__kernel {
  const char *name;
  /* Whether it can run this call.  The inputs have the layouts that they come in (those of outputs
   * do not matter); want, all PLAIN at first, is set to the layouts that the kernel works on.  It
   * must accept those when they come.  NULL: it runs everything plain. */
  bool (*fits)(const snug__signature *sig, snug__layouts *want);
  /* Fill needs (zero at first); *state is handed to run.  The layouts are those that `fits` wanted.
   * Fails: E_UNSUPPORTED, E_MEMORY; nothing is owed then. */
  snug_status (*prepare)(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                         void **state);
  /* Fails: E_DATA with call->fault filled, never for memory. */
  snug_status (*run)(const void *state, const snug__call *call);
  void (*release)(snug_ctx *ctx, void *state); /* NULL: there is nothing to release */
  /* The scratch bytes that prepare would tell, found without preparing; NULL: next to none. */
  int64_t (*scratch)(const snug__signature *sig);
} snug__kernel;

/* needs->in_place of a kernel that is as careful as the op's reference. */
static inline void snug__needs_in_place_as_op(snug__needs *needs, const snug__op *op) {
  for (int32_t k = 0; k < SNUG__MAX_OUT; k++) {
    needs->in_place[k] = op->in_place[k];
  }
}

typedef struct snug__device {
  const char *name;
  /* The kernels of an op, the preferred one first: the i-th, or NULL. */
  const snug__kernel *(*kernel)(const snug__op *op, snug__isa isa, int32_t i);
  /* A block of memory, committed, aligned to SNUG__BLOCK_ALIGN.  Fails: E_MEMORY, E_LIMIT. */
  snug_status (*take)(snug_ctx *ctx, int64_t bytes, void **block);
  void (*give)(snug_ctx *ctx, void *block, int64_t bytes);
  /* What taking a block of so many bytes costs in the account. */
  int64_t (*block_cost)(int64_t bytes);
  /* Give back what its libraries keep of kernels that are gone, in case they are recomputed: a plan
   * that is made after that finds the process as the first one did.  NULL: they keep nothing. */
  void (*forget)(void);
} snug__device;

#define SNUG__BLOCK_ALIGN 64

/* The processor. */
extern const snug__device snug__cpu;

/* How a call is to be run. */
typedef struct snug__choice {
  const snug__kernel *kernel; /* NULL: the device has none for it */
  bool unblocked;             /* it runs plain.in, plain.out and plain.params */
  snug__plain_call plain;     /* plain.want: the layouts that the values must have */
} snug__choice;

/* Choose the kernel of a call from what its inputs have: a kernel for such layouts, else a plain
 * one on the values as they lie (op->unblock), else one on plain values.  Of the kernels that fit
 * it is number sig->kernel, or the last. */
void snug__choose(const snug__device *device, const snug__signature *sig, snug__choice *out);

/* The same for the first kernel that needs at most so many bytes of scratch, else for the one that
 * needs least; sets sig->kernel.  References stand behind all others for their slowness. */
void snug__choose_within(const snug__device *device, snug__signature *sig, int64_t most_scratch,
                         snug__choice *out);

/* The same for the kernel of a name.  False: none of this name fits. */
bool snug__choose_named(const snug__device *device, snug__signature *sig, const char *name,
                        snug__choice *out);

/* The same kernel for another call of the same op and layouts, however well it serves that.  False:
 * it cannot be seen as the first was. */
bool snug__choose_as(const snug__choice *first, const snug__signature *sig, snug__choice *out);

#endif
