/* The inside of the packer.
 *
 * Words: a *section* is a stretch of time in which buffers begin before any ends: at its fullest
 * moment all of them are alive, so times are counted in sections.  A *strip* is a set of buffers
 * that hang together in time: strips are packed one by one because they cannot disturb each other.
 *
 * Invariants:
 * 1. strip->offsets is always a valid packing of height strip->height, once there is one.
 * 2. strip->bound is never above the least height: it is raised by proof only.
 * 3. Everything is determined by the input and the amount of work; only a deadline may change that.
 */
#ifndef SNUG_PLAN_PACK_H
#define SNUG_PLAN_PACK_H

#include <stdbool.h>

#include "base/ctx.h"
#include "base/size.h"
#include "plan/sort.h"
#include "snug/tools/pack.h"

/* Heights and sizes stay below this, so that sums of two of them cannot overflow. */
#define SNUG__HEIGHT_MAX (INT64_C(1) << 61)

typedef struct snug__buffer {
  int64_t size;       /* > 0, a multiple of what all alignments have in common */
  int64_t align;      /* >= 1 */
  int64_t hint;       /* -1: none */
  int32_t lo, hi;     /* sections [lo, hi) */
  int32_t first, end; /* the same in moments, which are finer: for orders */
  int32_t origin;     /* index among the caller's items */
} snug__buffer;

/* The meter of work: one unit is about one step of an inner loop. */
typedef struct snug__effort {
  int64_t done, limit;
  int64_t next_look; /* when to look at the clock again */
  double deadline;   /* in seconds of the monotonic clock; 0: none */
} snug__effort;

typedef struct snug__strip {
  snug_ctx *ctx;
  snug__effort *effort;
  const snug__buffer *buffers;
  int32_t n;
  int32_t sections;
  uint64_t seed;    /* of what goes by chance */
  int64_t target;   /* a height that is low enough: stop there */
  int64_t bound;    /* proven lower bound of the height */
  int64_t height;   /* of the best packing; SNUG__HEIGHT_MAX: none yet */
  int64_t *offsets; /* of the best packing */
} snug__strip;

/* Count work; false when it is used up (limit: a value of effort->done, for a part of the work). */
bool snug__effort_spend(snug__effort *e, int64_t units, int64_t limit);

/* Start the clock: seconds from now, 0 for no deadline. */
void snug__effort_init(snug__effort *e, int64_t work, double seconds);

/* Keep a packing if it is the best so far.  Fails never; false if it was not better. */
bool snug__strip_offer(snug__strip *strip, const int64_t *offsets);

static inline bool snug__strip_is_done(const snug__strip *s) {
  return s->height <= s->target || s->height <= s->bound;
}

/* Number the sections of the items: fills lo, hi, first and end of the buffers (whose origin is
 * set) and the number of sections.  Fails: E_MEMORY. */
snug_status snug__load_sections(snug_ctx *ctx, const snug_pack_item *items, snug__buffer *buffers,
                                int32_t n, int32_t *sections) SNUG_NODISCARD;

/* The sum of sizes alive in every section, and the largest of them.  profile has room for
 * `sections`.  Fails: E_OVERFLOW above SNUG__HEIGHT_MAX, E_MEMORY. */
snug_status snug__load_profile(snug_ctx *ctx, const snug__buffer *buffers, int32_t n,
                               int32_t sections, int64_t *profile, int64_t *load) SNUG_NODISCARD;

/* Pack with simple rules in several orders, until the target is met.  Fails: E_MEMORY. */
snug_status snug__place_greedy(snug__strip *strip) SNUG_NODISCARD;

/* Improve by moving forward what stands too high, until the work limit.  Fails: E_MEMORY. */
snug_status snug__place_promote(snug__strip *strip, int64_t limit) SNUG_NODISCARD;

/* Pack at most to strip->target from the bottom up, in one order after the other.  For some
 * thousand buffers at most: it calls itself for each.  Proves nothing.  Fails: E_MEMORY. */
snug_status snug__place_rise(snug__strip *strip, int64_t limit) SNUG_NODISCARD;

/* Join buffers that continue each other without waste, and search for a packing of what is left.
 * Proves nothing.  Fails: E_MEMORY. */
snug_status snug__place_joined(snug__strip *strip, int64_t limit) SNUG_NODISCARD;

/* Fit the buffers that have no hint around those that have one.  Fails: E_MEMORY. */
snug_status snug__place_around(snug__strip *strip) SNUG_NODISCARD;

/* Pack the buffers of the fullest moments first, the others around them.  Fails: E_MEMORY. */
snug_status snug__place_core(snug__strip *strip, int64_t limit) SNUG_NODISCARD;

/* Pack a strip as snug__place_strip does, but for the core.  Fails: E_MEMORY. */
snug_status snug__place_part(snug__strip *strip, int64_t limit) SNUG_NODISCARD;

/* Pack a strip that simple rules leave too high, with all the ways there are, until the work limit.
 * Fails: E_MEMORY. */
snug_status snug__place_strip(snug__strip *strip, int64_t limit) SNUG_NODISCARD;

/* Search exactly: a packing of at most strip->target, or the proof that there is none (the bound
 * then rises).  Fails: E_MEMORY. */
snug_status snug__place_search(snug__strip *strip, int64_t limit) SNUG_NODISCARD;

#endif
