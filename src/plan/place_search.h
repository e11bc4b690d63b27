/* What the exact search (place_search.c) and its choice of branches (place_edge.c) share. */
#ifndef SNUG_PLAN_SEARCH_H
#define SNUG_PLAN_SEARCH_H

#include "plan/pack.h"
#include "plan/place_sky.h"

/* An end of a valley, where the search branches. */
typedef struct snug__edge {
  int32_t lo, hi; /* the valley */
  int64_t floor;
  int32_t section; /* lo or hi - 1 */
  bool is_left;
  int32_t spanning; /* branch on this buffer, from wall to wall, instead; -1: there is none */
  int64_t wall;     /* the lower of the two */
  int64_t key;      /* lower is better among equals */
} snug__edge;

/* Buffers by the section they begin or end in; those of one section in the order to try them. */
typedef struct snug__index {
  int32_t *begin; /* [sections + 2] */
  int32_t *ids;
} snug__index;

typedef struct snug__search {
  snug__strip *strip;
  snug__sky sky;
  snug__index starts, ends;
  int32_t *twin; /* a buffer just like this one that must be placed before it; -1: none */
  int32_t *order;
  uint64_t *table; /* hopeless skylines */
  int table_bits;
  int64_t *inside; /* per section: scratch of well_fits */
  int64_t limit;   /* of work, for this round */
  int64_t beyond;
  int32_t depth;
  int round;
  bool can_swap; /* one alignment that divides all sizes: buffers may change places */
} snug__search;

/* Note the height that a branch which was given up would have needed at least. */
static inline void snug__search_note(snug__search *s, int64_t height) {
  s->beyond = snug__min_i64(s->beyond, height);
}

/* Choose where to branch within the sections [lo, hi).  False: some valley cannot be filled. */
bool snug__edge_choose(snug__search *s, int32_t lo, int32_t hi, snug__edge *best);

/* The buffers that begin or end at an edge, and whether one of them is a branch there. */
const int32_t *snug__edge_ids(const snug__search *s, const snug__edge *e, int32_t *n);
bool snug__edge_is_branch(const snug__search *s, const snug__edge *e, int32_t id);

/* What may come next in the section of an edge if nothing is put on the valley's floor there: the
 * lowest offset of a buffer that reaches out of the valley, or of one inside that rests on
 * something yet to come beside this section. */
int64_t snug__edge_next_level(snug__search *s, const snug__edge *e);

#endif
