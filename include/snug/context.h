/* The context: allocator, account of memory, thread count and the last message.
 *
 * There is no global state: every object belongs to a context, and contexts are independent.  No
 * order of initialization is required.  A context and its objects may be used by one thread at a
 * time (the context starts its own threads for kernels). */
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

/* Snug allocates all host memory through this function.
 *   new_bytes == 0: free ptr (of old_bytes), return NULL.   ptr == NULL: allocate (old_bytes is 0).
 * Return NULL on failure; ptr then stays valid.  Memory is aligned as by malloc.  A context calls
 * it from one thread at a time; an allocator that several contexts share must do its own locking.
 */
typedef struct snug_allocator {
  void *ctx;
  void *(*realloc)(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes);
} snug_allocator;

/* Receives messages about things that are not failures, such as an option without effect, or input
 * that does not arrive: one sentence without the full stop, valid during the call.  It may be
 * called from one of Snug's threads. */
typedef void snug_note(void *user, const char *text);

/* Takes n bytes of text (UTF-8, not ended by NUL), which are gone when it returns. */
typedef void snug_sink(void *user, const char *text, size_t n);

typedef struct snug_options {
  size_t struct_size;
  const snug_allocator *allocator; /* NULL: the C library's; copied */
  uint64_t memory_limit;           /* most bytes that Snug may hold at a time; 0: no limit */
  int32_t threads; /* kernel threads, up to 1024; 0: the cores this process may use (affinity, CPU
                      quota of its container) */
  bool whole_process; /* count the peak of the process from its start, not from the start of a fit;
                       * for processes that do nothing else
                       */
  snug_note *note;    /* NULL: notes are dropped */
  void *note_user;
  const char *device; /* what models are computed on, by its name; NULL: "cpu" */
} snug_options;

/* Create a context. options may be NULL.  Owns: the caller destroys *out with snug_ctx_destroy.
 * Fails: E_MEMORY, E_LIMIT (the context alone is larger), E_ARGUMENT (threads out of range, an
 * allocator without its function, an invalid struct_size), E_UNSUPPORTED (no such device: see
 * snug_device_check); *out is then NULL, and there is no message. */
SNUG_API snug_status snug_ctx_create(const snug_options *options, snug_ctx **out) SNUG_NODISCARD;

/* The name of the index-th device (static); "" past the last one.  The first is the default. */
SNUG_API const char *snug_device_name(size_t index);

#define SNUG_DEVICE_TEXT 256

/* Whether there is a device of this name; NULL: the default.  `why` has room for SNUG_DEVICE_TEXT
 * bytes, or is NULL.  Fails: E_UNSUPPORTED; `why` then lists the devices that there are. */
SNUG_API snug_status snug_device_check(const char *name, char *why) SNUG_NODISCARD;

/* Destroy a context.  Everything made from it (models, histories, plans) must be destroyed before.
 * NULL is allowed. */
SNUG_API void snug_ctx_destroy(snug_ctx *ctx);

/* The message of the last failure in this context (a success does not clear it); "" if there was
 * none.  UTF-8 if its parts were; truncated at 1023 bytes.  Valid until the next failure or the end
 * of the context. */
SNUG_API const char *snug_message(const snug_ctx *ctx);

/* The version of the library that runs, "0.1.0"; static. */
SNUG_API const char *snug_version(void);

#ifdef __cplusplus
}
#endif
#endif
