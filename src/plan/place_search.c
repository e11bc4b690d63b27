/* Exact search for a packing under a ceiling.
 *
 * In a lowest packing every buffer rests on the ground or on another one.  Take a valley of the
 * skyline: a stretch of sections with the same floor and higher walls on both sides.  What comes
 * next in the section at its left (or right) end either lies inside the valley and begins (ends)
 * exactly at the wall, or comes only later and leaves a gap there, which the slack of that section
 * must allow.  So the branches at an end of a valley are few, and none at all is a proof that the
 * partial packing is wrong.  The end with the fewest branches is taken.
 *
 * What makes the search fast:
 *  - what is left falls apart into stretches of time that are solved one by one;
 *  - skylines that were shown to be hopeless are remembered;
 *  - of buffers that are the same, or of the same lifespan and on top of each other, one order is
 *    tried;
 *  - a buffer that spans a valley from wall to wall, if it comes below the walls at all, might as
 *    well lie on the ground of the valley: what is below it can change places with it.  So it is
 *    put there at once, and if that fails it is barred until the walls are passed;
 *  - it is started again with other orders of the branches, with more work each time.
 *
 * A search that ends without having been stopped is a proof; `beyond` is then a height below which
 * there is nothing. */
#include <string.h>

#include "base/philox.h"
#include "plan/pack.h"
#include "plan/place_sky.h"

#define TABLE_BITS_MIN 12
#define TABLE_BITS_MAX 20
#define MAX_DEPTH 20000
#define FIRST_ROUND (INT64_C(1) << 21) /* units of work */

typedef enum verdict { FOUND, NONE, STOPPED } verdict;

/* An end of a valley, where the search branches. */
typedef struct edge {
  int32_t lo, hi; /* the valley */
  int64_t floor;
  int32_t section; /* lo or hi - 1 */
  bool is_left;
  int32_t spanning; /* branch on this buffer, from wall to wall, instead; -1: there is none */
  int64_t wall;     /* the lower of the two */
  int64_t key;      /* lower is better among equals */
} edge;

/* Buffers by the section they begin or end in; those of one section in the order to try them. */
typedef struct index_by {
  int32_t *begin; /* [sections + 2] */
  int32_t *ids;
} index_by;

typedef struct search {
  snug__strip *strip;
  snug__sky sky;
  index_by starts, ends;
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
} search;

static void note_beyond(search *s, int64_t height) { s->beyond = snug__min_i64(s->beyond, height); }

/* ---- branches ---- */

static bool is_inside(const search *s, const edge *e, int32_t id) {
  const snug__buffer *b = &s->sky.buffers[id];
  return !s->sky.is_placed[id] && b->lo >= e->lo && b->hi <= e->hi && s->sky.bars[id] <= e->floor;
}

/* On top of a buffer of the same lifespan only one order is needed: ids upwards.  Swapping the two
 * is allowed only if both alignments allow it. */
static bool is_swapped(const search *s, int32_t id) {
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

static bool is_branch(const search *s, const edge *e, int32_t id) {
  return is_inside(s, e, id) && (s->twin[id] < 0 || s->sky.is_placed[s->twin[id]]) &&
         !is_swapped(s, id);
}

static const int32_t *edge_ids(const search *s, const edge *e, int32_t *n) {
  const index_by *by = e->is_left ? &s->starts : &s->ends;
  int32_t at = e->is_left ? e->section : e->section + 1;
  *n = by->begin[at + 1] - by->begin[at];
  return &by->ids[by->begin[at]];
}

static int32_t count_branches(const search *s, const edge *e) {
  int32_t n;
  int32_t count = 0;
  const int32_t *ids = edge_ids(s, e, &n);
  for (int32_t i = 0; i < n; i++) {
    count += is_branch(s, e, ids[i]);
  }
  const snug__sky *sky = &s->sky;
  return count + (e->floor + sky->rest[e->section] < sky->ceiling);
}

/* What may come next in the section if nothing is put on the valley's floor there: the lowest
 * offset of a buffer that reaches out of the valley, or of one inside that rests on something yet
 * to come beside this section. */
static int64_t next_level(search *s, const edge *e) {
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

/* ---- which end of which valley ---- */

/* Can the valley be filled up to its walls?  Where buffers that reach out of it are to come, they
 * cannot be lower than the lower wall: what lies inside must reach up to there but for the slack.
 */
static bool well_fits(search *s, const edge *e) {
  const snug__sky *sky = &s->sky;
  edge below = *e; /* barred buffers may come in as long as they are below the wall */
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
      note_beyond(s, start + outside);
      return false;
    }
  }
  return true;
}

/* The first by number, as is_swapped wants it. */
static int32_t find_spanning(const search *s, const edge *valley) {
  int32_t found = -1;
  for (int32_t i = s->starts.begin[valley->lo]; i < s->starts.begin[valley->lo + 1]; i++) {
    int32_t id = s->starts.ids[i];
    bool is_lower = found < 0 || id < found;
    if (is_lower && s->sky.buffers[id].hi == valley->hi && is_branch(s, valley, id)) {
      found = id;
    }
  }
  return found;
}

/* Among edges of as many branches: the lowest, the narrowest or any, depending on the round. */
static int64_t edge_key(const search *s, const edge *e) {
  switch (s->round % 3) {
    case 0:
      return e->floor;
    case 1:
      return e->hi - e->lo;
    default:
      return (int64_t)(snug__sky_code(e->section, (uint64_t)s->round) >> 1);
  }
}

static void offer_edge(const search *s, edge *e, int32_t count, edge *best, int32_t *fewest) {
  e->key = edge_key(s, e);
  if (count < *fewest || (count == *fewest && e->key < best->key)) {
    *fewest = count;
    *best = *e;
  }
}

/* Compare the branches at a valley with the best so far. */
static void offer_valley(const search *s, edge valley, edge *best, int32_t *fewest) {
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

/* False: some valley cannot be filled. */
static bool choose_edge(search *s, int32_t lo, int32_t hi, edge *best) {
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
    edge valley = {.lo = a, .hi = b, .floor = floors[a], .wall = snug__min_i64(left, right)};
    if (!well_fits(s, &valley)) {
      return false;
    }
    offer_valley(s, valley, best, &fewest);
  }
  return true;
}

/* ---- memory of what is hopeless ---- */

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0xff51afd7ed558ccd);
  return h ^ (h >> 32);
}

/* Everything that the search below depends on: what is to come, the floors, and which buffers stand
 * open for one of the same lifespan (see is_swapped). */
static uint64_t skyline_code(const search *s, int32_t lo, int32_t hi) {
  const snug__sky *sky = &s->sky;
  uint64_t h = mix((uint64_t)lo, (uint64_t)hi);
  for (int32_t t = lo; t < hi; t++) {
    int32_t top = sky->tops[t];
    h = mix(h, (uint64_t)sky->floors[t]);
    h = mix(h, sky->codes[t]);
    if (top >= 0 && sky->buffers[top].lo == t && sky->alike_left[sky->alike[top]] > 0) {
      h = mix(h, snug__sky_code(top, 1));
    }
  }
  return h ? h : 1;
}

static uint64_t *table_slot(const search *s, uint64_t code) {
  return &s->table[code >> (64 - s->table_bits)];
}

/* ---- the search ---- */

static verdict solve(search *s, int32_t lo, int32_t hi);

static verdict try_buffer(search *s, const edge *e, int32_t id, int32_t lo, int32_t hi) {
  int64_t mark = s->sky.n_trail;
  int64_t offset = snug__round_up(e->floor, s->sky.buffers[id].align);
  if (!snug__sky_place(&s->sky, id, offset)) {
    note_beyond(s, s->sky.ceiling + 1);
    return snug__sky_is_full(&s->sky) ? STOPPED : NONE;
  }
  verdict v = solve(s, lo, hi);
  if (v != FOUND) {
    snug__sky_back(&s->sky, mark);
  }
  return v;
}

static verdict try_gap(search *s, const edge *e, int32_t lo, int32_t hi) {
  snug__sky *sky = &s->sky;
  int64_t mark = sky->n_trail;
  bool has_slack = e->floor + sky->rest[e->section] < sky->ceiling;
  if (!has_slack && sky->n > 32) { /* where to go on is only worth knowing for small problems */
    note_beyond(s, sky->ceiling + 1);
    return NONE;
  }
  int64_t level = next_level(s, e);
  if (level >= SNUG__HEIGHT_MAX) {
    return NONE;
  }
  if (!snug__sky_raise(sky, e->section, level)) {
    note_beyond(s, level + sky->rest[e->section]);
    return snug__sky_is_full(sky) ? STOPPED : NONE;
  }
  verdict v = solve(s, lo, hi);
  if (v != FOUND) {
    snug__sky_back(sky, mark);
  }
  return v;
}

/* On the ground of the valley, or not below its walls. */
static verdict branch_spanning(search *s, const edge *e, int32_t lo, int32_t hi) {
  int64_t mark = s->sky.n_trail;
  verdict v = try_buffer(s, e, e->spanning, lo, hi);
  if (v != NONE || e->wall >= SNUG__HEIGHT_MAX) {
    return v;
  }
  if (!snug__sky_bar(&s->sky, e->spanning, e->wall + 1)) {
    return STOPPED;
  }
  v = solve(s, lo, hi);
  if (v != FOUND) {
    snug__sky_back(&s->sky, mark);
  }
  return v;
}

static verdict branch(search *s, const edge *e, int32_t lo, int32_t hi) {
  int32_t n;
  if (e->spanning >= 0) {
    return branch_spanning(s, e, lo, hi);
  }
  const int32_t *ids = edge_ids(s, e, &n);
  for (int32_t i = 0; i < n; i++) {
    if (is_branch(s, e, ids[i])) {
      verdict v = try_buffer(s, e, ids[i], lo, hi);
      if (v != NONE) {
        return v;
      }
    }
  }
  return try_gap(s, e, lo, hi);
}

/* A stretch of time that hangs together. */
static verdict solve_whole(search *s, int32_t lo, int32_t hi) {
  uint64_t code = skyline_code(s, lo, hi);
  uint64_t *slot = table_slot(s, code);
  edge e = {0};
  if (!snug__effort_spend(s->strip->effort, 4 * (hi - lo) + 32, s->limit) || s->depth > MAX_DEPTH) {
    return STOPPED;
  }
  if (*slot == code) {
    return NONE;
  }
  s->depth++;
  verdict v = choose_edge(s, lo, hi, &e) ? branch(s, &e, lo, hi) : NONE;
  s->depth--;
  if (v == NONE) {
    *slot = code;
  }
  return v;
}

/* Cut the stretch where nothing to come lives across, and solve the pieces. */
static verdict solve(search *s, int32_t lo, int32_t hi) {
  const snug__sky *sky = &s->sky;
  int64_t mark = sky->n_trail;
  for (int32_t a = lo, b; a < hi; a = b) {
    for (b = a + 1; b < hi && sky->across[b] > 0; b++) {
    }
    if (sky->rest[a] == 0) {
      continue;
    }
    verdict v = solve_whole(s, a, b);
    if (v != FOUND) {
      snug__sky_back(&s->sky, mark);
      return v;
    }
  }
  return FOUND;
}

/* ---- rounds ---- */

static int64_t order_key(const search *s, int32_t id, int round) {
  const snug__buffer *b = &s->sky.buffers[id];
  int64_t product;
  switch (round < 4 ? round : 3 + round % 2) {
    case 0:
      return snug__mul_i64(b->size, b->hi - b->lo, &product) ? -product : INT64_MIN;
    case 1:
      return -(int64_t)(b->hi - b->lo);
    case 2:
      return -b->size;
    default: { /* by chance, but more likely large first */
      uint32_t word = snug__philox_at((uint64_t)round, (uint64_t)id, 0).v[0];
      double area = (double)b->size * (double)(b->hi - b->lo);
      return -(int64_t)(area * (0.1 + snug__unit(word)));
    }
  }
}

static void fill_index(index_by *by, const search *s, bool by_start) {
  const snug__buffer *buffers = s->sky.buffers;
  memset(by->begin, 0, ((size_t)s->sky.sections + 2) * sizeof *by->begin);
  for (int32_t i = 0; i < s->sky.n; i++) {
    by->begin[(by_start ? buffers[i].lo : buffers[i].hi) + 1]++;
  }
  for (int32_t t = 0; t <= s->sky.sections; t++) {
    by->begin[t + 1] += by->begin[t];
  }
  for (int32_t i = s->sky.n - 1; i >= 0; i--) { /* from the back: begin[t + 1] is the end of t */
    int32_t id = s->order[i];
    int32_t t = by_start ? buffers[id].lo : buffers[id].hi;
    by->ids[--by->begin[t + 1]] = id;
  }
  memmove(by->begin, by->begin + 1, ((size_t)s->sky.sections + 1) * sizeof *by->begin);
  by->begin[s->sky.sections + 1] = s->sky.n;
}

static snug_status order_branches(search *s, int round) {
  snug_ctx *ctx = s->strip->ctx;
  snug__key *keys = NULL;
  snug__key *scratch = NULL;
  snug_status status = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->sky.n, &keys);
  if (!status) {
    status = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->sky.n, &scratch);
  }
  if (!status) {
    for (int32_t i = 0; i < s->sky.n; i++) {
      keys[i] = (snug__key){order_key(s, i, round), i};
    }
    snug__sort_keys(keys, scratch, s->sky.n);
    for (int32_t i = 0; i < s->sky.n; i++) {
      s->order[i] = keys[i].id;
    }
    fill_index(&s->starts, s, true);
    fill_index(&s->ends, s, false);
  }
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, keys, s->sky.n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, scratch, s->sky.n);
  return status;
}

static bool is_twin(const snug__buffer *a, const snug__buffer *b) {
  return a->size == b->size && a->align == b->align;
}

/* Buffers are sorted by lo, so twins are not far. */
static void find_twins(search *s) {
  const snug__sky *sky = &s->sky;
  for (int32_t i = 0; i < sky->n; i++) {
    s->twin[i] = -1;
    for (int32_t j = i - 1; j >= 0 && sky->buffers[j].lo == sky->buffers[i].lo; j--) {
      if (sky->alike[i] == sky->alike[j] && is_twin(&sky->buffers[i], &sky->buffers[j])) {
        s->twin[i] = j;
        break;
      }
    }
  }
}

static bool can_swap_all(const snug__strip *strip) {
  for (int32_t i = 0; i < strip->n; i++) {
    int64_t align = strip->buffers[i].align;
    if (align != strip->buffers[0].align || strip->buffers[i].size % align) {
      return false;
    }
  }
  return true;
}

static snug_status search_init(search *s, snug__strip *strip) {
  int64_t n = strip->n;
  int64_t m = (int64_t)strip->sections + 2;
  snug_ctx *ctx = strip->ctx;
  *s = (search){.strip = strip, .beyond = SNUG__HEIGHT_MAX, .can_swap = can_swap_all(strip)};
  s->table_bits = TABLE_BITS_MIN;
  while (s->table_bits < TABLE_BITS_MAX && n > INT64_C(1) << (s->table_bits - 8)) {
    s->table_bits += 2; /* few buffers have few skylines */
  }
  SNUG_TRY(snug__sky_init(&s->sky, strip));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, m, &s->starts.begin));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->starts.ids));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, m, &s->ends.begin));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->ends.ids));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->twin));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->order));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, m, &s->inside));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, INT64_C(1) << s->table_bits, &s->table));
  find_twins(s);
  return SNUG_OK;
}

static void search_release(search *s) {
  int64_t n = s->strip->n;
  int64_t m = (int64_t)s->strip->sections + 2;
  snug_ctx *ctx = s->strip->ctx;
  snug__sky_release(&s->sky);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->starts.begin, m);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->starts.ids, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->ends.begin, m);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->ends.ids, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->twin, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->order, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->inside, m);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->table, INT64_C(1) << s->table_bits);
}

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...: most problems fall soon in some round or hardly at all, and
 * this (Luby's) sequence of shares is near the best without knowing in which. */
static int64_t round_share(int64_t round) {
  int64_t size = 1;
  while (size < round + 2) {
    size *= 2;
  }
  while (size != round + 2) { /* the sequence up to a power of two is two halves and that power */
    round -= size / 2 - 1;
    for (size = 1; size < round + 2;) {
      size *= 2;
    }
  }
  return size / 2;
}

/* Rounds until a verdict or the limit. */
static snug_status run_rounds(search *s, int64_t limit, verdict *v) {
  *v = STOPPED;
  for (int round = 0; *v == STOPPED; round++) {
    int64_t share = FIRST_ROUND * round_share(round);
    int64_t done = s->strip->effort->done;
    if (done >= limit || done >= s->strip->effort->limit) {
      return SNUG_OK;
    }
    s->limit = snug__min_i64(limit, done + share);
    s->round = round;
    SNUG_TRY(order_branches(s, round));
    *v = solve(s, 0, s->sky.sections);
  }
  return SNUG_OK;
}

snug_status snug__place_search(snug__strip *strip, int64_t limit) {
  search s;
  verdict v = STOPPED;
  snug_status status = search_init(&s, strip);
  if (!status) {
    status = run_rounds(&s, limit, &v);
  }
  if (!status && v == FOUND) {
    snug__strip_offer(strip, s.sky.offsets);
  }
  if (!status && v == NONE) {
    strip->bound = snug__max_i64(strip->bound, snug__max_i64(strip->target + 1, s.beyond));
  }
  search_release(&s);
  return status;
}
