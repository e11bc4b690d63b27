/* The skyline of a partial packing, for the exact search: how high every section is filled, what is
 * still to come there, and a trail to step back.
 *
 * Invariants:
 * 1. An unplaced buffer can only go on or above the floors of its sections.
 * 2. floors[s] + rest[s] <= ceiling in every section: what is to come fits in count, if not in
 *    place.  The difference is the slack of the section; without slack nothing may be wasted. */
#ifndef SNUG_PLAN_SKY_H
#define SNUG_PLAN_SKY_H

#include "base/vec.h"
#include "plan/pack.h"

typedef enum snug__sky_kind { SNUG__SKY_FLOOR, SNUG__SKY_PLACED, SNUG__SKY_BAR } snug__sky_kind;

typedef struct snug__sky_step {
  int64_t level; /* floor or bar as it was */
  int32_t id;    /* the buffer, or the top as it was */
  int32_t section;
  snug__sky_kind kind;
} snug__sky_step;

typedef struct snug__sky {
  snug_ctx *ctx;
  const snug__buffer *buffers;
  int32_t n, sections;
  int64_t ceiling;  /* no top may pass it */
  int64_t *floors;  /* per section */
  int64_t *rest;    /* per section: sum of the sizes still to come */
  int32_t *across;  /* per section: unplaced buffers that live across its start */
  int32_t *tops;    /* per section: the buffer that makes the floor; -1: none */
  uint64_t *codes;  /* per section: the unplaced buffers that begin there, as one number */
  int64_t *offsets; /* per buffer */
  int64_t *bars;    /* per buffer: it was shown not to come below this */
  bool *is_placed;
  int32_t *alike;      /* per buffer: the class of those of the same lifespan */
  int32_t *alike_left; /* per class: how many are unplaced */
  snug__vec trail;     /* snug__sky_step; its room is taken at once and seldom filled */
} snug__sky;

/* A sky with nothing placed.  Fails: E_MEMORY; release is allowed then too. */
snug_status snug__sky_init(snug__sky *sky, const snug__strip *strip) SNUG_NODISCARD;
void snug__sky_release(snug__sky *sky);

/* A random-looking number of a buffer, different for each `kind`. */
uint64_t snug__sky_code(int32_t buffer, uint64_t kind);

/* Place a buffer at an offset not below its floors.  False: something passes the ceiling, or the
 * trail is full; nothing changed. */
bool snug__sky_place(snug__sky *sky, int32_t buffer, int64_t offset);

/* Give up the room between the floor of a section and a level above it.  False as for place. */
bool snug__sky_raise(snug__sky *sky, int32_t section, int64_t level);

/* Forbid a buffer to come below a level.  False: the trail is full. */
bool snug__sky_bar(snug__sky *sky, int32_t buffer, int64_t level);

/* Is there too little room on the trail for another step? */
static inline bool snug__sky_is_full(const snug__sky *sky) {
  return sky->trail.n + (size_t)sky->sections + 1 > sky->trail.capacity;
}

/* Undo until the trail is as long as it was. */
void snug__sky_back(snug__sky *sky, size_t n_trail);

/* The lowest offset that floors and bar leave a buffer, its alignment kept. */
int64_t snug__sky_lowest(const snug__sky *sky, int32_t buffer);

#endif
