/* Where the exact search branches: the end of a valley that leaves the fewest choices. */
#include <string.h>

#include "plan/place_search.h"

static bool is_inside(const snug__search *s, const snug__edge *e, int32_t id) {
  const snug__buffer *b = &s->sky.buffers[id];
  return !s->sky.is_placed[id] && b->lo >= e->lo && b->hi <= e->hi && s->sky.bars[id] <= e->floor;
}

/* On top of a buffer of the same lifespan only one order is needed: ids upwards.  Swapping the two
 * is allowed only if both alignments allow it. */
static bool is_swapped(const snug__search *s, int32_t id) {
  const snug__sky *sky = &s->sky;
  const snug__buffer *b = &sky->buffers[id];
  int32_t below = sky->tops[b->lo];
  if (below <= id || sky->alike[below] != sky->alike[id] || sky->tops[b->hi - 1] != below) {
    return false;
  }
  const snug__buffer *q = &sky->buffers[below];
  bool do_nest = b->align % q->align == 0 || q->align % b->align == 0;
  return do_nest && b->size % q->align == 0 && q->size % b->align == 0;
}

bool snug__edge_is_branch(const snug__search *s, const snug__edge *e, int32_t id) {
  return is_inside(s, e, id) && (s->twin[id] < 0 || s->sky.is_placed[s->twin[id]]) &&
         !is_swapped(s, id);
}

const int32_t *snug__edge_ids(const snug__search *s, const snug__edge *e, int32_t *n) {
  const snug__index *by = e->is_left ? &s->starts : &s->ends;
  int32_t at = e->is_left ? e->section : e->section + 1;
  *n = by->begin[at + 1] - by->begin[at];
  return &by->ids[by->begin[at]];
}

static int32_t count_branches(const snug__search *s, const snug__edge *e) {
  int32_t n;
  int32_t count = 0;
  const int32_t *ids = snug__edge_ids(s, e, &n);
  for (int32_t i = 0; i < n; i++) {
    count += snug__edge_is_branch(s, e, ids[i]);
  }
  const snug__sky *sky = &s->sky;
  return count + (e->floor + sky->rest[e->section] < sky->ceiling);
}

int64_t snug__edge_next_level(snug__search *s, const snug__edge *e) {
  const snug__sky *sky = &s->sky;
  int64_t level = SNUG__HEIGHT_MAX;
  for (int32_t i = 0; i < sky->n; i++) {
    const snug__buffer *b = &sky->buffers[i];
    if (sky->is_placed[i] || b->lo > e->section || b->hi <= e->section) {
      continue;
    }
    if (!is_inside(s, e, i)) {
      s->strip->effort->done += b->hi - b->lo;
      level = snug__min_i64(level, snug__sky_lowest(sky, i));
      continue;
    }
    s->strip->effort->done += sky->n;
    for (int32_t j = 0; j < sky->n; j++) {
      const snug__buffer *q = &sky->buffers[j];
      bool is_beside = q->lo > e->section || q->hi <= e->section;
      if (!sky->is_placed[j] && is_beside && q->lo < b->hi && b->lo < q->hi) {
        int64_t top = snug__sky_lowest(sky, j) + q->size;
        s->strip->effort->done += q->hi - q->lo;
        level = snug__min_i64(level, snug__round_up(top, b->align));
      }
    }
  }
  return level;
}

/* Can the valley be filled up to its walls?  Where buffers that reach out of it are to come, they
 * cannot be lower than the lower wall: what lies inside must reach up to there but for the slack.
 */
static bool well_fits(snug__search *s, const snug__edge *e) {
  const snug__sky *sky = &s->sky;
  snug__edge below = *e; /* barred buffers may come in as long as they are below the wall */
  below.floor = e->wall;
  memset(&s->inside[e->lo], 0, (size_t)(e->hi - e->lo) * sizeof *s->inside);
  for (int32_t at = e->lo; at < e->hi; at++) {
    for (int32_t i = s->starts.begin[at]; i < s->starts.begin[at + 1]; i++) {
      const snug__buffer *b = &sky->buffers[s->starts.ids[i]];
      if (is_inside(s, &below, s->starts.ids[i])) {
        s->strip->effort->done += b->hi - b->lo;
        for (int32_t t = b->lo; t < b->hi; t++) {
          s->inside[t] += b->size;
        }
      }
    }
  }
  for (int32_t t = e->lo; t < e->hi; t++) {
    int64_t outside = sky->rest[t] - s->inside[t];
    int64_t start = snug__max_i64(e->wall, e->floor + s->inside[t]);
    if (outside > 0 && start + outside > sky->ceiling) {
      snug__search_note(s, start + outside);
      return false;
    }
  }
  return true;
}

/* The first by number, as is_swapped wants it. */
static int32_t find_spanning(const snug__search *s, const snug__edge *valley) {
  int32_t found = -1;
  for (int32_t i = s->starts.begin[valley->lo]; i < s->starts.begin[valley->lo + 1]; i++) {
    int32_t id = s->starts.ids[i];
    bool is_lower = found < 0 || id < found;
    if (is_lower && s->sky.buffers[id].hi == valley->hi && snug__edge_is_branch(s, valley, id)) {
      found = id;
    }
  }
  return found;
}

/* Among edges of as many branches: the lowest, the narrowest or any, depending on the round. */
static int64_t edge_key(const snug__search *s, const snug__edge *e) {
  switch (s->round % 3) {
    case 0:
      return e->floor;
    case 1:
      return e->hi - e->lo;
    default:
      return (int64_t)(snug__sky_code(e->section, (uint64_t)s->round) >> 1);
  }
}

static void offer_edge(const snug__search *s, snug__edge *e, int32_t count, snug__edge *best,
                       int32_t *fewest) {
  e->key = edge_key(s, e);
  if (count < *fewest || (count == *fewest && e->key < best->key)) {
    *fewest = count;
    *best = *e;
  }
}

/* Compare the branches at a valley with the best so far. */
static void offer_valley(const snug__search *s, snug__edge valley, snug__edge *best,
                         int32_t *fewest) {
  valley.spanning = s->can_swap ? find_spanning(s, &valley) : -1;
  if (valley.spanning >= 0) {
    offer_edge(s, &valley, valley.wall < SNUG__HEIGHT_MAX ? 2 : 1, best, fewest);
    return;
  }
  for (int side = 0; side < 2; side++) {
    valley.is_left = side == 0;
    valley.section = side == 0 ? valley.lo : valley.hi - 1;
    offer_edge(s, &valley, count_branches(s, &valley), best, fewest);
  }
}

bool snug__edge_choose(snug__search *s, int32_t lo, int32_t hi, snug__edge *best) {
  const int64_t *floors = s->sky.floors;
  int32_t fewest = INT32_MAX;
  for (int32_t a = lo, b; a < hi; a = b) {
    for (b = a + 1; b < hi && floors[b] == floors[a]; b++) {
    }
    int64_t left = a > lo ? floors[a - 1] : SNUG__HEIGHT_MAX;
    int64_t right = b < hi ? floors[b] : SNUG__HEIGHT_MAX;
    if (left < floors[a] || right < floors[a]) {
      continue;
    }
    snug__edge valley = {.lo = a, .hi = b, .floor = floors[a], .wall = snug__min_i64(left, right)};
    if (!well_fits(s, &valley)) {
      return false;
    }
    offer_valley(s, valley, best, &fewest);
  }
  return true;
}
