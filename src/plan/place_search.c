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
#include "plan/place_search.h"

#define TABLE_BITS_MIN 12
#define TABLE_BITS_MAX 20
#define MAX_DEPTH 4000                 /* a few hundred bytes of stack each */
#define LEAST_WORK 32                  /* units of it, for one skyline */
#define FIRST_ROUND (INT64_C(1) << 21) /* units of work */

typedef enum verdict { FOUND, NONE, STOPPED } verdict;

/* ---- memory of what is hopeless ---- */

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0xff51afd7ed558ccd);
  return h ^ (h >> 32);
}

/* Everything that the search below depends on: what is to come, the floors, and which buffers stand
 * open for one of the same lifespan (see is_swapped). */
static uint64_t skyline_code(const snug__search *s, int32_t lo, int32_t hi) {
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

static uint64_t *table_slot(const snug__search *s, uint64_t code) {
  return &s->table[code >> (64 - s->table_bits)];
}

/* ---- the search ---- */

static verdict solve(snug__search *s, int32_t lo, int32_t hi);

static verdict try_buffer(snug__search *s, const snug__edge *e, int32_t id, int32_t lo,
                          int32_t hi) {
  size_t mark = s->sky.trail.n;
  int64_t offset = snug__round_up(e->floor, s->sky.buffers[id].align);
  if (!snug__sky_place(&s->sky, id, offset)) {
    snug__search_note(s, s->sky.ceiling + 1);
    return snug__sky_is_full(&s->sky) ? STOPPED : NONE;
  }
  verdict v = solve(s, lo, hi);
  if (v != FOUND) {
    snug__sky_back(&s->sky, mark);
  }
  return v;
}

static verdict try_gap(snug__search *s, const snug__edge *e, int32_t lo, int32_t hi) {
  snug__sky *sky = &s->sky;
  size_t mark = sky->trail.n;
  bool has_slack = e->floor + sky->rest[e->section] < sky->ceiling;
  if (!has_slack && sky->n > 32) { /* where to go on is only worth knowing for small problems */
    snug__search_note(s, sky->ceiling + 1);
    return NONE;
  }
  int64_t level = snug__edge_next_level(s, e);
  if (level >= SNUG__HEIGHT_MAX) {
    return NONE;
  }
  if (!snug__sky_raise(sky, e->section, level)) {
    snug__search_note(s, level + sky->rest[e->section]);
    return snug__sky_is_full(sky) ? STOPPED : NONE;
  }
  verdict v = solve(s, lo, hi);
  if (v != FOUND) {
    snug__sky_back(sky, mark);
  }
  return v;
}

/* On the ground of the valley, or not below its walls. */
static verdict branch_spanning(snug__search *s, const snug__edge *e, int32_t lo, int32_t hi) {
  size_t mark = s->sky.trail.n;
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

static verdict branch(snug__search *s, const snug__edge *e, int32_t lo, int32_t hi) {
  int32_t n;
  if (e->spanning >= 0) {
    return branch_spanning(s, e, lo, hi);
  }
  const int32_t *ids = snug__edge_ids(s, e, &n);
  for (int32_t i = 0; i < n; i++) {
    if (snug__edge_is_branch(s, e, ids[i])) {
      verdict v = try_buffer(s, e, ids[i], lo, hi);
      if (v != NONE) {
        return v;
      }
    }
  }
  return try_gap(s, e, lo, hi);
}

/* A stretch of time that hangs together. */
static verdict solve_whole(snug__search *s, int32_t lo, int32_t hi) {
  uint64_t code = skyline_code(s, lo, hi);
  uint64_t *slot = table_slot(s, code);
  snug__edge e = {0};
  if (!snug__effort_spend(s->strip->effort, 4 * (hi - lo) + LEAST_WORK, s->limit) ||
      s->depth > MAX_DEPTH) {
    return STOPPED;
  }
  if (*slot == code) {
    return NONE;
  }
  s->depth++;
  verdict v = snug__edge_choose(s, lo, hi, &e) ? branch(s, &e, lo, hi) : NONE;
  s->depth--;
  if (v == NONE) {
    *slot = code;
  }
  return v;
}

/* Cut the stretch where nothing to come lives across, and solve the pieces. */
static verdict solve(snug__search *s, int32_t lo, int32_t hi) {
  const snug__sky *sky = &s->sky;
  size_t mark = sky->trail.n;
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

static int64_t order_key(const snug__search *s, int32_t id, int round) {
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

static void fill_index(snug__index *by, const snug__search *s, bool by_start) {
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

static snug_status order_branches(snug__search *s, int round) {
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
static void find_twins(snug__search *s) {
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

/* Few buffers have few skylines, and little work sees few of them. */
static int table_bits(const snug__strip *strip, int64_t limit) {
  int64_t seen = (limit - strip->effort->done) / LEAST_WORK;
  int bits = TABLE_BITS_MIN;
  while (bits < TABLE_BITS_MAX && strip->n > INT64_C(1) << (bits - 8) &&
         seen > INT64_C(1) << bits) {
    bits += 2;
  }
  return bits;
}

static snug_status search_init(snug__search *s, snug__strip *strip, int64_t limit) {
  int64_t n = strip->n;
  int64_t m = (int64_t)strip->sections + 2;
  snug_ctx *ctx = strip->ctx;
  *s = (snug__search){.strip = strip, .beyond = SNUG__HEIGHT_MAX, .can_swap = can_swap_all(strip)};
  s->table_bits = table_bits(strip, limit);
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

static void search_release(snug__search *s) {
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
static snug_status run_rounds(snug__search *s, int64_t limit, verdict *v) {
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
  snug__search s;
  verdict v = STOPPED;
  snug_status status = search_init(&s, strip, limit);
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
