/* Memory accounting: who holds how many bytes, now and at the peak.
 *
 * The figures are exact: they count every byte that Snug requested from its allocator, by name of
 * its purpose.  Peak scopes nest; they live in storage of the caller and cost nothing. */
#ifndef SNUG_MEMORY_H
#define SNUG_MEMORY_H

#include "snug/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes held under one name.  "at_peak" is what this name held when the whole context was at its
 * peak. */
typedef struct snug_memory_entry {
  size_t struct_size;
  const char *name; /* static */
  uint64_t current;
  uint64_t at_peak;
} snug_memory_entry;

typedef struct snug_memory_info {
  size_t struct_size;
  uint64_t current;
  uint64_t peak;
  uint64_t limit;        /* 0: none */
  uint64_t allocations;  /* requests for memory since the context was created */
  uint64_t preallocated; /* bytes allocated ahead; 0: memory is allocated as needed */
  uint64_t idle; /* preallocated bytes that are not in use.  `current` does not count them, `limit`
                    does */
} snug_memory_info;

/* Current and peak bytes of the context. */
SNUG_API void snug_memory_get(const snug_ctx *ctx, snug_memory_info *out);

/* Number of names, and the entry of one of them (index below the number; otherwise all zero with
 * name ""). */
SNUG_API size_t snug_memory_names(const snug_ctx *ctx);
SNUG_API void snug_memory_entry_get(const snug_ctx *ctx, size_t index, snug_memory_entry *out);

/* Reset the peak to the bytes held now.  Open scopes keep their own peaks. */
SNUG_API void snug_memory_reset_peak(snug_ctx *ctx);

/* Change the limit; 0: none.  Fails: E_LIMIT when more than that is already held; nothing changes.
 */
SNUG_API snug_status snug_memory_set_limit(snug_ctx *ctx, uint64_t bytes) SNUG_NODISCARD;

/* ---- devices ---- */

/* Number of devices of a context, and the name of one (static; "" when out of range).  There is
 * one, the device that it was created for; its figures are those of the context. */
SNUG_API size_t snug_memory_devices(const snug_ctx *ctx);
SNUG_API const char *snug_memory_device_name(const snug_ctx *ctx, size_t index);

/* Current and peak bytes of a device.  Fails: E_ARGUMENT, naming the available devices. */
SNUG_API snug_status snug_memory_device_get(snug_ctx *ctx, const char *device,
                                            snug_memory_info *out) SNUG_NODISCARD;

/* Allocate and touch `bytes` of a device's memory now, instead of as needed (0: as needed again).
 * Weights, optimizer state and the block of a step are then placed in this pool; what does not fit
 * is still allocated as needed, up to the limit.  The pool is released with the context.  Fails:
 * E_STATE if the context already has objects; E_ARGUMENT for an unknown device, E_MEMORY, E_LIMIT,
 * E_OVERFLOW.  Nothing changes then. */
SNUG_API snug_status snug_memory_preallocate(snug_ctx *ctx, const char *device,
                                             uint64_t bytes) SNUG_NODISCARD;

/* ---- the process ---- */

#define SNUG_AVAILABLE_TEXT 256

/* The bytes that this process may hold in total, including what it already holds, and what sets the
 * bound: "cgroup /sys/fs/cgroup/memory/x: 512 MiB". */
typedef struct snug_available {
  size_t struct_size;
  uint64_t bytes;
  char who[SNUG_AVAILABLE_TEXT];
} snug_available;

/* Find the smallest of: what the control groups of the process leave it (versions 1 and 2, parent
 * groups included), RLIMIT_AS and RLIMIT_DATA, and the machine's free memory.  It is a snapshot:
 * other processes may use the memory later.  Fails: E_UNSUPPORTED where the system reports none of
 * them. */
SNUG_API snug_status snug_memory_available(snug_ctx *ctx, snug_available *out) SNUG_NODISCARD;

/* Set what this process may hold (0, the default: unchecked).  A fit without a line, an evaluation
 * or a prediction that would need more is refused with E_LIMIT before it begins, instead of being
 * killed by the system.  Plans do not change; a fit with a line uses only the line. */
SNUG_API void snug_memory_set_available(snug_ctx *ctx, uint64_t bytes);

/* Refuse with E_LIMIT every allocation that would take this process past `bytes` (0, the default:
 * none), also while loading, building and planning, instead of being killed by the system.
 * snug_memory_set_available checks plans; this checks resident memory at every allocation. */
SNUG_API void snug_memory_set_bound(snug_ctx *ctx, uint64_t bytes);

/* Resident memory of this process now, and its peak since the process began (or since its last fit
 * began, where the system can reset the peak); 0 where the system does not report it. */
typedef struct snug_memory_process {
  size_t struct_size;
  uint64_t resident, peak;
} snug_memory_process;

SNUG_API void snug_memory_process_get(snug_memory_process *out);

/* ---- scopes ---- */

/* A peak scope: bytes held at its start, at its peak and at its end. */
typedef struct snug_scope {
  uint64_t start;           /* read-only */
  uint64_t peak;            /* read-only; grows while the scope is open */
  uint64_t end;             /* read-only; set by snug_scope_end */
  struct snug_scope *outer; /* private */
} snug_scope;

/* Open a scope in storage of the caller, which must stay in place until snug_scope_end or the end
 * of the context.  A scope that is already open is restarted. */
SNUG_API void snug_scope_begin(snug_ctx *ctx, snug_scope *scope);

/* Close a scope.  Fails: E_STATE if it is not open in this context; it is then unchanged.  Scopes
 * may end in any order. */
SNUG_API snug_status snug_scope_end(snug_ctx *ctx, snug_scope *scope) SNUG_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
