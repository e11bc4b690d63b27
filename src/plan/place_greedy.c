/* Packing by simple rules.
 *
 * Two rules: `stack` puts a buffer on top of all that is there (n log n, so that there is always an
 * answer), `fit` looks for the lowest gap it goes into (n^2 at worst, so under the meter).  Each is
 * tried in several orders; training graphs, whose lifespans nest, mostly end here.
 *
 * What `fit` leaves too high is promoted: the buffers that rose to the height to beat are moved
 * forward in the order and the rule run again, hundreds of times a second for thousands of buffers.
 * Of few buffers such a run stops at its first culprit. */
#include <string.h>

#include "base/philox.h"
#include "plan/pack.h"
#include "plan/place_floor.h"
#include "plan/place_order.h"
#include "plan/place_space.h"

#define WALK_MOST 1024 /* buffers: more are found by a tree */
#define STEP_WORK 3    /* units, for a step in the tree */
#define MANY 4096      /* buffers: culprits are promoted together from here on */

typedef struct placed {
  int64_t offset, top;
  int32_t lo, hi;
} placed;

/* Few placed buffers are kept in one list by offset, which is walked as far as needed; many in a
 * space, which gives the same answers. */
typedef struct greedy {
  snug__strip *strip;
  int32_t *order, *other, *best;
  int64_t *offsets;
  placed *placed;    /* by offset upwards; unless are_many */
  snug__space space; /* if are_many */
  bool are_many;
  bool are_all_wanted; /* go on behind the first buffer that stands too high */
  int64_t limit;       /* of work */
} greedy;

static snug_status greedy_init(greedy *g, snug__strip *strip) {
  *g = (greedy){.strip = strip, .limit = INT64_MAX, .are_many = strip->n > WALK_MOST};
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->order));
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->other));
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->best));
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->offsets));
  return g->are_many ? snug__space_init(&g->space, strip->ctx, strip->sections)
                     : SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->placed);
}

static void greedy_release(greedy *g) {
  snug_ctx *ctx = g->strip->ctx;
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->order, g->strip->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->other, g->strip->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->best, g->strip->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->offsets, g->strip->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->placed, g->strip->n);
  if (g->are_many) {
    snug__space_release(&g->space);
  }
}

/* False: some top passed the ceiling, the offsets are incomplete. */
static bool stack_all(greedy *g, snug__floor *floor) {
  snug__floor_clear(floor);
  for (int32_t i = 0; i < g->strip->n; i++) {
    const snug__buffer *b = &g->strip->buffers[g->order[i]];
    int64_t offset = snug__round_up(snug__floor_highest(floor, b->lo, b->hi), b->align);
    if (offset + b->size >= g->strip->height) {
      return false;
    }
    g->offsets[g->order[i]] = offset;
    snug__floor_raise(floor, b->lo, b->hi, offset + b->size);
  }
  return true;
}

/* The lowest offset >= from where b fits between what is placed. */
static int64_t lowest_gap(const greedy *g, int32_t n_placed, const snug__buffer *b, int64_t from) {
  int64_t offset = snug__round_up(from, b->align);
  for (int32_t i = 0; i < n_placed; i++) {
    const placed *p = &g->placed[i];
    if (p->offset >= offset + b->size) {
      break;
    }
    if (p->lo < b->hi && b->lo < p->hi && p->top > offset) {
      offset = snug__round_up(p->top, b->align);
    }
  }
  return offset;
}

static void insert(greedy *g, int32_t n_placed, const snug__buffer *b, int64_t offset) {
  int32_t low = 0;
  int32_t high = n_placed;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (g->placed[middle].offset <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  memmove(&g->placed[low + 1], &g->placed[low], (size_t)(n_placed - low) * sizeof *g->placed);
  g->placed[low] = (placed){offset, offset + b->size, b->lo, b->hi};
}

static int64_t lowest(greedy *g, int32_t n_placed, const snug__buffer *b, int64_t from) {
  return g->are_many ? snug__space_lowest(&g->space, b, from) : lowest_gap(g, n_placed, b, from);
}

static int64_t fit_one(greedy *g, int32_t n_placed, const snug__buffer *b) {
  if (b->hint >= 0 && b->hint % b->align == 0 && b->hint < SNUG__HEIGHT_MAX &&
      lowest(g, n_placed, b, b->hint) == b->hint) {
    return b->hint;
  }
  return lowest(g, n_placed, b, 0);
}

static snug_status keep(greedy *g, int32_t n_placed, int32_t id) {
  const snug__buffer *b = &g->strip->buffers[id];
  if (g->are_many) {
    return snug__space_take(&g->space, b, g->offsets[id]);
  }
  insert(g, n_placed, b, g->offsets[id]);
  return SNUG_OK;
}

/* *first: the place in the order of the first buffer that stands too high; n if none does; -1 when
 * the work is used up. */
static snug_status fit_all(greedy *g, int32_t *first) {
  snug__strip *s = g->strip;
  *first = s->n;
  if (g->are_many) {
    snug__space_clear(&g->space);
  }
  for (int32_t i = 0; i < s->n && (*first == s->n || g->are_all_wanted); i++) {
    const snug__buffer *b = &s->buffers[g->order[i]];
    int64_t steps = g->space.steps;
    int64_t offset = fit_one(g, i, b);
    g->offsets[g->order[i]] = offset;
    if (offset >= SNUG__HEIGHT_MAX) {
      *first = -1;
      return SNUG_OK;
    }
    *first = offset + b->size >= s->height && *first == s->n ? i : *first;
    SNUG_TRY(keep(g, i, g->order[i]));
    steps = g->are_many ? STEP_WORK * (g->space.steps - steps) : i + 16;
    if (!snug__effort_spend(s->effort, steps, g->limit)) {
      *first = -1;
      return SNUG_OK;
    }
  }
  return SNUG_OK;
}

static bool has_hints(const snug__strip *s) {
  for (int32_t i = 0; i < s->n; i++) {
    if (s->buffers[i].hint >= 0) {
      return true;
    }
  }
  return false;
}

static snug_status stack_in_orders(greedy *g) {
  snug__floor floor;
  snug_status status = snug__floor_init(&floor, g->strip->ctx, g->strip->sections);
  for (int kind = 0; kind < SNUG__ORDER_BROAD && !status && !snug__strip_is_done(g->strip);
       kind++) {
    status = snug__order_make(g->strip, (snug__order)kind, g->order);
    if (!status && stack_all(g, &floor)) {
      snug__strip_offer(g->strip, g->offsets);
    }
  }
  snug__floor_release(&floor);
  return status;
}

static snug_status fit_in_order(greedy *g, snug__order kind) {
  int32_t first;
  SNUG_TRY(snug__order_make(g->strip, kind, g->order));
  SNUG_TRY(fit_all(g, &first));
  if (first == g->strip->n) {
    snug__strip_offer(g->strip, g->offsets);
  }
  return SNUG_OK;
}

snug_status snug__place_greedy(snug__strip *strip) {
  greedy g;
  snug_status status = greedy_init(&g, strip);
  if (!status && has_hints(strip)) { /* a given solution comes back as it is */
    status = fit_in_order(&g, SNUG__ORDER_HINT);
  }
  if (!status) {
    status = stack_in_orders(&g);
  }
  for (int kind = 0; kind < SNUG__ORDER_HINT && !status && !snug__strip_is_done(strip); kind++) {
    status = fit_in_order(&g, (snug__order)kind);
  }
  greedy_release(&g);
  return status;
}

/* Those with a hint come first, in its order; the others follow in the order of a simple rule. */
static snug_status order_around(greedy *g, snug__order kind) {
  snug__strip *s = g->strip;
  int32_t n = 0;
  SNUG_TRY(snug__order_make(s, SNUG__ORDER_HINT, g->order));
  while (n < s->n && s->buffers[g->order[n]].hint >= 0) {
    n++;
  }
  SNUG_TRY(snug__order_make(s, kind, g->other));
  for (int32_t i = 0; i < s->n; i++) {
    if (s->buffers[g->other[i]].hint < 0) {
      g->order[n++] = g->other[i];
    }
  }
  return SNUG_OK;
}

snug_status snug__place_around(snug__strip *strip) {
  greedy g;
  snug_status status = greedy_init(&g, strip);
  for (int kind = 0; kind < SNUG__ORDER_HINT && !status && !snug__strip_is_done(strip); kind++) {
    int32_t first = -1;
    status = order_around(&g, (snug__order)kind);
    status = status ? status : fit_all(&g, &first);
    if (!status && first == strip->n) {
      snug__strip_offer(strip, g.offsets);
    }
  }
  greedy_release(&g);
  return status;
}

static void move_forward(int32_t *order, int32_t from, int32_t to) {
  int32_t id = order[from];
  memmove(&order[to + 1], &order[to], (size_t)(from - to) * sizeof *order);
  order[to] = id;
}

/* From the offsets of the best packing: its buffers from the bottom up. */
static void order_by_offset(greedy *g, snug__key *keys, snug__key *scratch) {
  snug__strip *s = g->strip;
  for (int32_t i = 0; i < s->n; i++) {
    keys[i] = (snug__key){s->offsets[i], i};
  }
  snug__sort_keys(keys, scratch, s->n);
  for (int32_t i = 0; i < s->n; i++) {
    g->order[i] = keys[i].id;
  }
}

/* The order of a simple rule that comes out lowest. */
static snug_status order_by_rule(greedy *g) {
  int64_t lowest = INT64_MAX;
  int32_t first;
  for (int kind = 0; kind < SNUG__ORDER_HINT; kind++) {
    SNUG_TRY(snug__order_make(g->strip, (snug__order)kind, g->other));
    memcpy(g->order, g->other, (size_t)g->strip->n * sizeof *g->order);
    SNUG_TRY(fit_all(g, &first));
    int64_t height = 0;
    for (int32_t i = 0; i < g->strip->n; i++) {
      height = snug__max_i64(height, g->offsets[i] + g->strip->buffers[i].size);
    }
    if (height < lowest) {
      lowest = height;
      memcpy(g->best, g->other, (size_t)g->strip->n * sizeof *g->best);
    }
  }
  memcpy(g->order, g->best, (size_t)g->strip->n * sizeof *g->best);
  return SNUG_OK;
}

/* Move a culprit forward by chance. */
static void promote_one(greedy *g, int32_t culprit, uint64_t round) {
  double u = snug__unit(snug__philox_at(g->strip->seed, round, 0).v[0]);
  move_forward(g->order, culprit, (int32_t)((double)culprit * u));
}

/* Move all that stand too high forward at once: a run over many buffers is too dear for one. */
static void promote_all(greedy *g, snug__key *keys, snug__key *scratch, uint64_t round) {
  snug__strip *s = g->strip;
  for (int32_t i = 0; i < s->n; i++) {
    int32_t id = g->order[i];
    bool is_culprit = g->offsets[id] + s->buffers[id].size >= s->height;
    double u = is_culprit ? snug__unit(snug__philox_at(s->seed, round, (uint64_t)i).v[0]) : 1.0;
    keys[i] = (snug__key){(int64_t)((double)i * u), i};
  }
  snug__sort_keys(keys, scratch, s->n);
  for (int32_t i = 0; i < s->n; i++) {
    scratch[i].id = g->order[keys[i].id];
  }
  for (int32_t i = 0; i < s->n; i++) {
    g->order[i] = scratch[i].id;
  }
}

static snug_status promote(greedy *g, snug__key *keys, snug__key *scratch) {
  snug__strip *s = g->strip;
  for (uint64_t round = 0; !snug__strip_is_done(s); round++) {
    int32_t culprit;
    SNUG_TRY(fit_all(g, &culprit));
    if (culprit < 0) {
      break;
    }
    if (culprit == s->n) {
      snug__strip_offer(s, g->offsets);
    } else if (g->are_all_wanted) {
      promote_all(g, keys, scratch, round);
    } else {
      promote_one(g, culprit, round);
    }
  }
  return SNUG_OK;
}

/* From where the rules are best, if many runs are to be had, and from the best packing. */
static snug_status promote_both(greedy *g, snug__key *keys, snug__key *scratch, int64_t limit) {
  snug__effort *e = g->strip->effort;
  if (g->are_all_wanted) {
    g->limit = e->done + (limit - e->done) / 4 * 3;
    SNUG_TRY(order_by_rule(g));
    SNUG_TRY(promote(g, keys, scratch));
  }
  g->limit = limit;
  order_by_offset(g, keys, scratch);
  return promote(g, keys, scratch);
}

snug_status snug__place_promote(snug__strip *strip, int64_t limit) {
  greedy g;
  snug__key *keys = NULL;
  snug__key *scratch = NULL;
  snug_status status = greedy_init(&g, strip);
  g.are_all_wanted = strip->n >= MANY;
  if (!status) {
    status = SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &keys);
  }
  if (!status) {
    status = SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &scratch);
  }
  if (!status) {
    status = promote_both(&g, keys, scratch, limit);
  }
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, keys, strip->n);
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, scratch, strip->n);
  greedy_release(&g);
  return status;
}
