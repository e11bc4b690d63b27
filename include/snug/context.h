/* The context: allocator, account of memory, thread count and the last message.
 *
 * There is no global state: everything hangs on a context, contexts are independent of each other,
 * and there is no order of initialization.  A context and what was made from it belong to one
 * thread at a time (it starts threads of its own for kernels). */
#ifndef SNUG_CONTEXT_H
#define SNUG_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snug/status.h"
#include "snug/struct_size.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_ctx snug_ctx;

/* All host memory that Snug takes goes through this one function.
 *   new_bytes == 0: free ptr (of old_bytes), return NULL.   ptr == NULL: allocate (old_bytes is 0).
 * Return NULL on failure, ptr then stays valid.  Memory is aligned as malloc's.  A context calls it
 * from one thread at a time; what several contexts share must lock for itself. */
typedef struct snug_allocator {
  void *ctx;
  void *(*realloc)(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes);
} snug_allocator;

/* Told what fails nothing and a caller should know all the same, such as an option that has no
 * effect, or input that does not come: a sentence without its full stop, gone when this returns.
 * It may come from a thread of Snug's. */
typedef void snug_note(void *user, const char *text);

typedef struct snug_options {
  size_t struct_size;
  const snug_allocator *allocator; /* NULL: the C library's; copied */
  uint64_t memory_limit;           /* bytes that Snug may hold at one time; 0: no limit */
  int32_t threads; /* kernel threads, up to 1024; 0: the cores this process may use (affinity, CPU
                      quota of its container) */
  bool whole_process; /* The peak of the process, which lines of fits are held against, counts from
                         its start and not from that of a fit: the process is there for Snug alone
                       */
  snug_note *note;    /* NULL: nobody is told */
  void *note_user;
} snug_options;

/* Create a context.  options may be NULL.  Owns: *out is the caller's, ended by snug_ctx_destroy.
 * Fails: E_MEMORY, E_LIMIT (the context alone is larger), E_ARGUMENT (threads out of range, an
 * allocator without its function, a struct_size that will not do); *out is NULL then and there is
 * no message to ask for. */
SNUG_API snug_status snug_ctx_create(const snug_options *options, snug_ctx **out) SNUG_NODISCARD;

/* Destroy a context; everything made from it (models, histories, plans) must be gone.  NULL is
 * allowed. */
SNUG_API void snug_ctx_destroy(snug_ctx *ctx);

/* The message of the last failure in this context (success leaves it); "" if there was none.  UTF-8
 * as far as the texts in it were; cut at 1023 bytes.  Valid until the next failure or the end of
 * the context. */
SNUG_API const char *snug_message(const snug_ctx *ctx);

/* The version of the library that runs, "0.1.0"; static. */
SNUG_API const char *snug_version(void);

#ifdef __cplusplus
}
#endif
#endif
