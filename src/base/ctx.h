/* The inside of a context, the way failures are raised, and the small macros everybody uses.
 *
 * Invariants:
 * 1. Every failure passes through snug__fail: one breakpoint catches the origin of any error.
 * 2. Raising a failure never allocates: the message lives in the context. */
#ifndef SNUG_BASE_CTX_H
#define SNUG_BASE_CTX_H

#include "base/account.h"
#include "base/isa.h"
#include "base/prealloc.h"
#include "base/queue.h"
#include "snug/context.h"

#define SNUG__MESSAGE_BYTES 1024

struct snug_ctx {
  snug_allocator allocator;
  snug__account account;
  snug__prealloc prealloc; /* of the processor's memory; see snug_memory_preallocate */
  int32_t threads;
  snug__isa isa;
  snug__target target; /* of the device, see base/queue.h */
  snug__queue queue;
  bool whole_process; /* as snug_options has it */
  snug_note *note;    /* likewise */
  void *note_user;
  bool told_timings;  /* noted that they cannot be kept: once is enough */
  uint64_t available; /* as snug_memory_set_available has it */
  char message[SNUG__MESSAGE_BYTES];
  const char *file; /* where the last failure was raised */
  int line;
};

/* What snug_ctx_create and snug_ctx_destroy (device/context.c) do here: a context without a device.
 */
snug_status snug__ctx_make(const snug_options *options, snug_ctx **out) SNUG_NODISCARD;
void snug__ctx_end(snug_ctx *ctx);

/* Store a message, and the place where that was.  Use the macro below. */
void snug__fail_at(snug_ctx *ctx, const char *file, int line, const char *format, ...)
    SNUG_PRINTF(4, 5);

/* Raise a failure; the value is the code.  It is repeated here, where compilers and checkers see
 * that it is not OK. */
#define snug__fail(ctx, code, ...) (snug__fail_at((ctx), __FILE__, __LINE__, __VA_ARGS__), (code))

/* Put "prefix: " before the message of a failure that is on its way up; returns code. */
snug_status snug__fail_within(snug_ctx *ctx, snug_status code, const char *format, ...)
    SNUG_PRINTF(3, 4);

/* Tell the caller what fails nothing, if it wants to know; any thread may.  Takes no memory; cut at
 * 511 bytes. */
void snug__note(const snug_ctx *ctx, const char *format, ...) SNUG_PRINTF(2, 3);

/* Leave the function with the status of expr if that is a failure.  Only where nothing is held. */
#define SNUG_TRY(expr)                     \
  do {                                     \
    snug_status snug_try_status_ = (expr); \
    if (snug_try_status_) {                \
      return snug_try_status_;             \
    }                                      \
  } while (0)

#define SNUG_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
