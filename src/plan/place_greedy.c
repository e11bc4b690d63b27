/* Packing by simple rules.
 *
 * Two rules: `stack` puts a buffer on top of all that is there (n log n, so that there is always an
 * answer), `fit` looks for the lowest gap it goes into (n^2 at worst, so under the meter).  Each is
 * tried in several orders; training graphs, whose lifespans nest, mostly end here.
 *
 * What `fit` leaves too high is promoted: the buffer that first rose above the height to beat is
 * moved forward in the order and the rule run again.  Such a run stops at its first culprit. */
#include <string.h>

#include "base/philox.h"
#include "plan/pack.h"
#include "plan/place_floor.h"
#include "plan/place_near.h"
#include "plan/place_order.h"

#define MANY 4096 /* buffers: culprits are promoted together from here on */

typedef struct placed {
  int64_t offset, top;
  int32_t lo, hi;
} placed;

/* Placed buffers are kept in one list by offset, which is walked as far as needed.  In long strips
 * of short lives the walk would be over strangers mostly; there `near` finds those that live at the
 * same time, and only they are put in order. */
typedef struct greedy {
  snug__strip *strip;
  int32_t *order, *other;
  int64_t *offsets;
  placed *placed;   /* by offset upwards; of one buffer's neighbours if is_local */
  snug__near near;  /* if is_local */
  snug__key *found; /* if is_local: offsets and numbers of the neighbours */
  snug__key *scratch;
  bool is_local;
  bool are_all_wanted; /* go on behind the first buffer that stands too high */
  int64_t limit;       /* of work */
} greedy;

static snug_status greedy_init(greedy *g, snug__strip *strip) {
  *g = (greedy){.strip = strip, .limit = INT64_MAX, .is_local = snug__near_is_worth(strip)};
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->order));
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->other));
  if (g->is_local) {
    SNUG_TRY(snug__near_init(&g->near, strip));
    SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->found));
    SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->scratch));
  }
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->offsets));
  return SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->placed);
}

static void greedy_release(greedy *g) {
  snug_ctx *ctx = g->strip->ctx;
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->order, g->strip->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->other, g->strip->n);
  snug__near_release(&g->near);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->found, g->strip->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->scratch, g->strip->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->offsets, g->strip->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->placed, g->strip->n);
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

static int64_t fit_one(const greedy *g, int32_t n_placed, const snug__buffer *b) {
  if (b->hint >= 0 && b->hint % b->align == 0 && b->hint < SNUG__HEIGHT_MAX &&
      lowest_gap(g, n_placed, b, b->hint) == b->hint) {
    return b->hint;
  }
  return lowest_gap(g, n_placed, b, 0);
}

/* Put the neighbours of a buffer into g->placed; returns how many. */
static int32_t gather(greedy *g, const snug__buffer *b) {
  snug__strip *s = g->strip;
  int32_t n = snug__near_find(&g->near, b->lo, b->hi, g->found);
  for (int32_t i = 0; i < n; i++) {
    g->found[i].key = g->offsets[g->found[i].id];
  }
  snug__sort_keys(g->found, g->scratch, n);
  for (int32_t i = 0; i < n; i++) {
    const snug__buffer *q = &s->buffers[g->found[i].id];
    g->placed[i] = (placed){g->found[i].key, g->found[i].key + q->size, q->lo, q->hi};
  }
  return n;
}

/* The place in the order of the first buffer that stands too high; n if none does; -1 when the work
 * is used up. */
static int32_t fit_all(greedy *g) {
  snug__strip *s = g->strip;
  int32_t first = s->n;
  snug__near_clear(&g->near);
  for (int32_t i = 0; i < s->n && (first == s->n || g->are_all_wanted); i++) {
    const snug__buffer *b = &s->buffers[g->order[i]];
    int32_t n_placed = g->is_local ? gather(g, b) : i;
    if (!snug__effort_spend(s->effort, g->is_local ? 96 * (int64_t)n_placed + 512 : i + 16,
                            g->limit)) {
      return -1;
    }
    int64_t offset = fit_one(g, n_placed, b);
    first = offset + b->size >= s->height && first == s->n ? i : first;
    if (offset >= SNUG__HEIGHT_MAX) {
      return -1;
    }
    g->offsets[g->order[i]] = offset;
    if (g->is_local) {
      snug__near_add(&g->near, g->order[i]);
    } else {
      insert(g, i, b, offset);
    }
  }
  return first;
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
  for (int kind = 0; kind < SNUG__ORDER_HINT && !status && !snug__strip_is_done(g->strip); kind++) {
    status = snug__order_make(g->strip, (snug__order)kind, g->order);
    if (!status && stack_all(g, &floor)) {
      snug__strip_offer(g->strip, g->offsets);
    }
  }
  snug__floor_release(&floor);
  return status;
}

static snug_status fit_in_order(greedy *g, snug__order kind) {
  SNUG_TRY(snug__order_make(g->strip, kind, g->order));
  if (fit_all(g) == g->strip->n) {
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
    status = order_around(&g, (snug__order)kind);
    if (!status && fit_all(&g) == strip->n) {
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

/* Move a culprit forward by chance. */
static void promote_one(greedy *g, int32_t culprit, uint64_t round) {
  double u = snug__unit(snug__philox_at(1, round, 0).v[0]);
  move_forward(g->order, culprit, (int32_t)((double)culprit * u));
}

/* Move all that stand too high forward at once: a run over many buffers is too dear for one. */
static void promote_all(greedy *g, snug__key *keys, snug__key *scratch, uint64_t round) {
  snug__strip *s = g->strip;
  for (int32_t i = 0; i < s->n; i++) {
    int32_t id = g->order[i];
    bool is_culprit = g->offsets[id] + s->buffers[id].size >= s->height;
    double u = is_culprit ? snug__unit(snug__philox_at(1, round, (uint64_t)i).v[0]) : 1.0;
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

static void promote(greedy *g, snug__key *keys, snug__key *scratch) {
  snug__strip *s = g->strip;
  for (uint64_t round = 0; !snug__strip_is_done(s); round++) {
    int32_t culprit = fit_all(g);
    if (culprit < 0) {
      return;
    }
    if (culprit == s->n) {
      snug__strip_offer(s, g->offsets);
    } else if (g->are_all_wanted) {
      promote_all(g, keys, scratch, round);
    } else {
      promote_one(g, culprit, round);
    }
  }
}

snug_status snug__place_promote(snug__strip *strip, int64_t limit) {
  greedy g;
  snug__key *keys = NULL;
  snug__key *scratch = NULL;
  snug_status status = greedy_init(&g, strip);
  g.limit = limit;
  g.are_all_wanted = strip->n >= MANY;
  if (!status) {
    status = SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &keys);
  }
  if (!status) {
    status = SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &scratch);
  }
  if (!status) {
    order_by_offset(&g, keys, scratch);
    promote(&g, keys, scratch);
  }
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, keys, strip->n);
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, scratch, strip->n);
  greedy_release(&g);
  return status;
}
