/* The account: every byte that Snug holds, under the name of what it is for.
 *
 * Invariants:
 * 1. The sum over all names is `current`; `peak` is its highest value since the last reset.
 * 2. Memory is only ever taken and given back through snug__realloc, with the true old size.
 * 3. A refused request (limit, allocator) changes nothing.
 * 4. What was preallocated is counted when it is used.  The limit counts all of it.
 * 5. What would take the process past its gate is refused, and never touched. */
#ifndef SNUG_BASE_ACCOUNT_H
#define SNUG_BASE_ACCOUNT_H

#include "base/gate.h"
#include "snug/memory.h"

/* The one list of names. */
#define SNUG__ACCOUNT_LIST(X)                                               \
  X(CONTEXT, "context")     /* the context itself */                        \
  X(MODEL, "model")         /* layers and their configuration */            \
  X(WEIGHTS, "weights")     /* values of the weights */                     \
  X(OPTIMIZER, "optimizer") /* slots, metrics, counters: the other state */ \
  X(GRAPH, "graph")         /* values and nodes */                          \
  X(PLAN, "plan")           /* order, lifetimes, offsets */                 \
  X(PROGRAM, "program")     /* prepared kernels and their arguments */      \
  X(WORK, "work")           /* the block a step lives in */                 \
  X(DATA, "data")           /* buffers of the data pipeline */              \
  X(HISTORY, "history")     /* logs of a fit */                             \
  X(CALLBACKS, "callbacks") /* what callbacks remember */                   \
  X(WATCH, "watch")         /* processes that are watched */                \
  X(SCRATCH, "scratch")     /* memory of one call: parsing, searching */

typedef enum snug__account_name {
#define SNUG__ACCOUNT_ENUM(name, text) SNUG__MEM_##name,
  SNUG__ACCOUNT_LIST(SNUG__ACCOUNT_ENUM)
#undef SNUG__ACCOUNT_ENUM
      SNUG__MEM_COUNT
} snug__account_name;

typedef struct snug__account {
  uint64_t current[SNUG__MEM_COUNT];
  uint64_t at_peak[SNUG__MEM_COUNT];
  uint64_t total, peak, limit, allocations;
  snug_scope *scopes; /* innermost first */
  snug__gate gate;    /* of the whole process */
} snug__account;

/* Resize under a name: the counted form of snug_allocator.realloc.  New bytes are not initialized.
 * Fails: NULL when the limit or the allocator refuses (or new_bytes is 0); ptr is then still valid.
 */
void *snug__realloc(snug_ctx *ctx, snug__account_name name, void *ptr, size_t old_bytes,
                    size_t new_bytes);

/* Take memory of a device ahead, and touch it: values (weights, optimizer, work) are then cut from
 * it as long as there is room.  0: give back what was taken so.  Fails: E_LIMIT, E_MEMORY,
 * E_OVERFLOW; nothing is in use then.  To be called while no value is held. */
snug_status snug__preallocate(snug_ctx *ctx, size_t bytes) SNUG_NODISCARD;
void snug__prealloc_end(snug_ctx *ctx);

/* The failure after snug__realloc refused to add bytes under a name: E_LIMIT or E_MEMORY, with a
 * message that says who holds what. */
snug_status snug__refuse(snug_ctx *ctx, snug__account_name name, size_t bytes) SNUG_NODISCARD;

/* Before another library takes about this many bytes of its own ("parse x.json"): whether that
 * leaves the process under its gate.  Fails: E_LIMIT. */
snug_status snug__admit(snug_ctx *ctx, const char *what, size_t bytes) SNUG_NODISCARD;

/* Take zeroed memory.  Fails: E_MEMORY or E_LIMIT as snug__refuse; *out is NULL. */
snug_status snug__take(snug_ctx *ctx, snug__account_name name, size_t bytes,
                       void **out) SNUG_NODISCARD;

/* Take zeroed memory for count elements of size bytes; the product is checked. */
snug_status snug__take_array(snug_ctx *ctx, snug__account_name name, size_t count, size_t bytes,
                             void **out) SNUG_NODISCARD;

/* Give memory back; ptr may be NULL (bytes is then ignored). */
void snug__give(snug_ctx *ctx, snug__account_name name, void *ptr, size_t bytes);

#define SNUG_NEW(ctx, name, out) snug__take((ctx), (name), sizeof(**(out)), (void **)(out))
#define SNUG_NEW_ARRAY(ctx, name, count, out) \
  snug__take_array((ctx), (name), (size_t)(count), sizeof(**(out)), (void **)(out))
#define SNUG_GIVE_ARRAY(ctx, name, ptr, count) \
  snug__give((ctx), (name), (ptr), (size_t)(count) * sizeof(*(ptr)))

/* The text of a name. */
const char *snug__account_text(snug__account_name name);

#endif
