/* The device interface: what the house computes on.
 *
 * A device has a target (what its kernels are chosen, timed and cached for), memory of a space of
 * its own, a queue, and kernels.  Devices are found in one registry (device/registry.h), and no
 * other room names one.
 *
 * A kernel has two halves.  `fits` and `prepare` see a signature only (op, parameters, types,
 * target): whether it can run that, in which layouts, with how much scratch; prepare may allocate
 * and may fail.  `run` gets pointers and cannot allocate.  So a kernel can be shared by every node,
 * program and batch size with the same signature.
 *
 * Invariants of a queue:
 * 1. What was put there runs in that order, at the latest when somebody waits for it.  Memory of
 * the host that a copy reads or writes, and the call of a launch, are the queue's until then.
 * 2. After a call failed nothing that was put there before runs any more; snug__queue_wait is where
 *    that comes back. */
#ifndef SNUG_DEVICE_DEVICE_H
#define SNUG_DEVICE_DEVICE_H

#include "device/place.h"
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
  /* Run, or put into call->queue.  Never waits.  Fails: E_DATA with call->fault filled, never for
   * memory. */
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

/* A launch to be timed.  In a step a call finds some of its values in the cache, because they were
 * made a moment ago, and others not: bit i of cold_in is input i, bit k of cold_out output k. */
typedef struct snug__timed_launch {
  const snug__kernel *kernel;
  const void *state;
  const snug__call *call;
  uint64_t cold_in, cold_out;
} snug__timed_launch;

#define SNUG__TARGET_TEXT_BYTES 64

typedef struct snug__device {
  const char *name; /* as users say it: "cpu" */
  /* Its memory is the host's, and its queue runs at once: a place is a pointer, nobody has to copy
   * or to wait. */
  bool is_host;

  /* ---- the target ---- */
  snug__target (*target)(const snug_ctx *ctx);
  /* In words that tell it from any other: "isa avx512 threads 2". */
  void (*target_text)(snug__target target, char out[SNUG__TARGET_TEXT_BYTES]);

  /* ---- kernels ---- */
  /* The kernels of an op, the preferred one first: the i-th, or NULL. */
  const snug__kernel *(*kernel)(const snug__op *op, snug__target target, int32_t i);
  /* Give back what its libraries keep of kernels that are gone, in case they are made again: a plan
   * that is made after that finds the process as the first one did.  NULL: they keep nothing. */
  void (*forget)(void);

  /* ---- memory of its space ---- */
  /* Zeroed bytes, committed, counted under a name, aligned as malloc's.  Fails: E_MEMORY, E_LIMIT.
   */
  snug_status (*take)(snug__queue *q, snug__account_name name, int64_t bytes, snug__place *out);
  void (*give)(snug__queue *q, snug__account_name name, snug__place place, int64_t bytes);

  /* ---- the queue ---- */
  /* Make and end the queue of a context.  Fails: E_MEMORY, E_LIMIT, E_UNSUPPORTED with the reason.
   */
  snug_status (*open)(snug__queue *q);
  void (*close)(snug__queue *q);
  /* Around the programs of a session: the threads that run kernels are set up for that.  Bytes that
   * enter takes from the account.  Fails: E_MEMORY, E_LIMIT. */
  int64_t (*enter_cost)(const snug__queue *q);
  snug_status (*enter)(snug__queue *q);
  void (*leave)(snug__queue *q);
  /* Around the launches of one run, on the calling thread; end gets what begin returned. */
  uint32_t (*begin)(snug__queue *q);
  void (*end)(snug__queue *q, uint32_t begun);
  /* Run a kernel.  Returns the failure of the call if that is known at once; the queue has it in
   * any case. */
  snug_status (*launch)(snug__queue *q, const snug__kernel *kernel, const void *state,
                        const snug__call *call);
  /* Bytes between the host and the device, within the device, and the same byte everywhere. */
  void (*copy_in)(snug__queue *q, snug__place to, const void *from, int64_t bytes);
  void (*copy_out)(snug__queue *q, void *to, snug__place from, int64_t bytes);
  void (*copy)(snug__queue *q, snug__place to, snug__place from, int64_t bytes);
  void (*fill)(snug__queue *q, snug__place to, int byte, int64_t bytes);
  /* An event: all that was put into the queue so far.  Wait until it has run. */
  int64_t (*record)(snug__queue *q);
  void (*wait)(snug__queue *q, int64_t event);

  /* ---- time ---- */
  /* Seconds of one launch, the shortest of a few; negative if the call refuses its data. */
  double (*time)(snug__queue *q, const snug__timed_launch *launch);
} snug__device;

/* ---- the queue of a context ---- */

static inline snug_status snug__launch(snug__queue *q, const snug__kernel *kernel,
                                       const void *state, const snug__call *call) {
  return q->device->launch(q, kernel, state, call);
}

/* Wait for all that was put into the queue.  This is where faults come back: the failure of the
 * first call that had one; *call is that call. */
snug_status snug__queue_wait(snug__queue *q, const snug__call **call) SNUG_NODISCARD;

/* The same where no call is under way that could fail. */
void snug__queue_settle(snug__queue *q);

/* Around the programs of a session; they nest. */
int64_t snug__queue_enter_cost(const snug__queue *q);
snug_status snug__queue_enter(snug__queue *q) SNUG_NODISCARD;
void snug__queue_leave(snug__queue *q);

/* Read and write bytes of the device: the one way above exec.  They are there, and gone, when these
 * return. */
void snug__device_read(snug__queue *q, void *to, snug__place from, int64_t bytes);
void snug__device_write(snug__queue *q, snug__place to, const void *from, int64_t bytes);

/* The memory at a place, if it is the host's own; NULL: it has to be read and written as above. */
void *snug__device_host(const snug__queue *q, snug__place at);

/* ---- blocks ---- */

#define SNUG__BLOCK_ALIGN 64

/* Memory of a device that starts at a line of the cache. */
typedef struct snug__block {
  snug__place at;    /* aligned to SNUG__BLOCK_ALIGN */
  snug__place taken; /* private */
  int64_t bytes;
} snug__block;

/* What a block of so many bytes costs in the account. */
static inline int64_t snug__block_cost(int64_t bytes) { return bytes + SNUG__BLOCK_ALIGN; }

/* Take a block under the name of the work of steps.  Fails: E_MEMORY, E_LIMIT; it is all zero then.
 * Giving back one that is all zero is allowed. */
snug_status snug__block_take(snug__queue *q, int64_t bytes, snug__block *out) SNUG_NODISCARD;
void snug__block_give(snug__queue *q, snug__block *block);

/* ---- the choice of a kernel ---- */

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
