/* Memory questions: who holds how many bytes, now and at the peak.
 *
 * The figures are exact: they count every byte that Snug asked its allocator for, under the name of
 * what it is for. Peak scopes nest; they are objects of the caller and cost nothing. */
#ifndef SNUG_MEMORY_H
#define SNUG_MEMORY_H

#include "snug/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes held under one name.  "at_peak" is what this name held when the whole context was at its
 * peak. */
typedef struct snug_memory_entry {
  const char *name; /* static */
  uint64_t current;
  uint64_t at_peak;
} snug_memory_entry;

typedef struct snug_memory_info {
  uint64_t current;
  uint64_t peak;
  uint64_t limit;        /* 0: none */
  uint64_t allocations;  /* calls that took memory since the context was created */
  uint64_t preallocated; /* that was taken ahead; 0: memory is taken as it is needed */
  uint64_t idle; /* bytes of it that are not in use.  `current` does not count them, `limit` does */
} snug_memory_info;

/* Current and peak bytes of the context. */
SNUG_API void snug_memory_get(const snug_ctx *ctx, snug_memory_info *out);

/* Number of names, and the entry of one of them (index below the number; otherwise all zero with
 * name ""). */
SNUG_API size_t snug_memory_names(const snug_ctx *ctx);
SNUG_API void snug_memory_entry_get(const snug_ctx *ctx, size_t index, snug_memory_entry *out);

/* Set the peak back to what is held now.  Open scopes keep their own peaks. */
SNUG_API void snug_memory_reset_peak(snug_ctx *ctx);

/* Change the limit; 0: none.  Fails: E_LIMIT when more than that is held already; nothing changes
 * then. */
SNUG_API snug_status snug_memory_set_limit(snug_ctx *ctx, uint64_t bytes) SNUG_NODISCARD;

/* ---- devices ---- */

/* Number of devices, and the name of one (static; "" when out of range).  There is one so far,
 * "cpu", whose memory is the host's: what is told of it is what is told of the context. */
SNUG_API size_t snug_memory_devices(const snug_ctx *ctx);
SNUG_API const char *snug_memory_device_name(const snug_ctx *ctx, size_t index);

/* Current and peak bytes of a device.  Fails: E_ARGUMENT, naming the devices that there are. */
SNUG_API snug_status snug_memory_device_get(snug_ctx *ctx, const char *device,
                                            snug_memory_info *out) SNUG_NODISCARD;

/* Take so many bytes of a device now and touch them, instead of taking memory as it is needed (0:
 * that again).  Weights, the optimizer's state and the block of a step are then cut from these
 * bytes; what does not fit into them is still taken as it is needed, up to the limit.  They go back
 * with the context.  Fails: E_STATE when it comes too late, which is once anything was made in the
 * context and is still there; E_ARGUMENT for a device that is not there, E_MEMORY, E_LIMIT,
 * E_OVERFLOW.  Nothing changes then. */
SNUG_API snug_status snug_memory_preallocate(snug_ctx *ctx, const char *device,
                                             uint64_t bytes) SNUG_NODISCARD;

/* ---- the process ---- */

#define SNUG_AVAILABLE_TEXT 256

/* The bytes that this process may hold in all, what it holds already included, and what sets that
 * bound: "cgroup /sys/fs/cgroup/memory/x: 512 MiB". */
typedef struct snug_available {
  uint64_t bytes;
  char who[SNUG_AVAILABLE_TEXT];
} snug_available;

/* Find the least of what the control groups of the process leave it (both versions, and the groups
 * around them), RLIMIT_AS and RLIMIT_DATA, and the machine's free memory.  It is a look at the
 * present: others may take of it.  Fails: E_UNSUPPORTED where the system tells none of them. */
SNUG_API snug_status snug_memory_available(snug_ctx *ctx, snug_available *out) SNUG_NODISCARD;

/* Say what this process may hold (0, as ever: nobody looks).  A fit without a line, an evaluation
 * and a prediction that would need more are then refused with E_LIMIT before they begin, where the
 * system would kill the process in their midst.  Nothing is planned differently for it; a fit with
 * a line goes by that alone. */
SNUG_API void snug_memory_set_available(snug_ctx *ctx, uint64_t bytes);

/* Refuse with E_LIMIT whatever would take this process past so many bytes (0, as ever: nothing):
 * loading, building and planning too, where the system would kill it in their midst.  That one
 * above judges plans; this one looks at what is resident whenever memory is taken. */
SNUG_API void snug_memory_set_bound(snug_ctx *ctx, uint64_t bytes);

/* What is resident of this process now, and was at the most since it began (or since the last fit
 * in it began, where the system lets that be reset); 0 where it does not tell. */
typedef struct snug_memory_process {
  uint64_t resident, peak;
} snug_memory_process;

SNUG_API void snug_memory_process_get(snug_memory_process *out);

/* ---- scopes ---- */

/* A peak scope: what was held at its start, at its highest and at its end. */
typedef struct snug_scope {
  uint64_t start;           /* read-only */
  uint64_t peak;            /* read-only; grows while the scope is open */
  uint64_t end;             /* read-only; set by snug_scope_end */
  struct snug_scope *outer; /* private */
} snug_scope;

/* Open a scope in storage of the caller's, which must stay in place until snug_scope_end or the end
 * of the context.  A scope that is open already starts anew. */
SNUG_API void snug_scope_begin(snug_ctx *ctx, snug_scope *scope);

/* Close a scope.  Fails: E_STATE if it is not open in this context; it is then untouched.  Scopes
 * may end in any order. */
SNUG_API snug_status snug_scope_end(snug_ctx *ctx, snug_scope *scope) SNUG_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
