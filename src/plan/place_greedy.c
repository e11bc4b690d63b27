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
#include "plan/place_order.h"

typedef struct placed {
  int64_t offset, top;
  int32_t lo, hi;
} placed;

typedef struct greedy {
  snug__strip *strip;
  int32_t *order, *best_order;
  int64_t *offsets;
  placed *placed; /* by offset upwards */
  int64_t limit;  /* of work */
} greedy;

static snug_status greedy_init(greedy *g, snug__strip *strip) {
  *g = (greedy){.strip = strip, .limit = INT64_MAX};
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->order));
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->best_order));
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->offsets));
  return SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &g->placed);
}

static void greedy_release(greedy *g) {
  snug_ctx *ctx = g->strip->ctx;
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->order, g->strip->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, g->best_order, g->strip->n);
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

/* The place in the order of the first buffer that stands too high; n if none does; -1 when the work
 * is used up. */
static int32_t fit_all(greedy *g) {
  snug__strip *s = g->strip;
  for (int32_t i = 0; i < s->n; i++) {
    const snug__buffer *b = &s->buffers[g->order[i]];
    if (!snug__effort_spend(s->effort, i + 16, g->limit)) {
      return -1;
    }
    int64_t offset = fit_one(g, i, b);
    if (offset + b->size >= s->height) {
      return i;
    }
    g->offsets[g->order[i]] = offset;
    insert(g, i, b, offset);
  }
  return s->n;
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

static void move_forward(int32_t *order, int32_t from, int32_t to) {
  int32_t id = order[from];
  memmove(&order[to + 1], &order[to], (size_t)(from - to) * sizeof *order);
  order[to] = id;
}

/* From the offsets of the best packing: its buffers from the bottom up. */
static snug_status order_by_offset(greedy *g) {
  snug__strip *s = g->strip;
  snug__key *keys = NULL;
  snug__key *scratch = NULL;
  snug_status status = SNUG_NEW_ARRAY(s->ctx, SNUG__MEM_SCRATCH, s->n, &keys);
  if (!status) {
    status = SNUG_NEW_ARRAY(s->ctx, SNUG__MEM_SCRATCH, s->n, &scratch);
  }
  if (!status) {
    for (int32_t i = 0; i < s->n; i++) {
      keys[i] = (snug__key){s->offsets[i], i};
    }
    snug__sort_keys(keys, scratch, s->n);
    for (int32_t i = 0; i < s->n; i++) {
      g->order[i] = keys[i].id;
    }
  }
  SNUG_GIVE_ARRAY(s->ctx, SNUG__MEM_SCRATCH, keys, s->n);
  SNUG_GIVE_ARRAY(s->ctx, SNUG__MEM_SCRATCH, scratch, s->n);
  return status;
}

static void promote(greedy *g) {
  snug__strip *s = g->strip;
  for (uint64_t round = 0; !snug__strip_is_done(s); round++) {
    int32_t culprit = fit_all(g);
    if (culprit < 0) {
      return;
    }
    if (culprit == s->n) {
      snug__strip_offer(s, g->offsets);
      continue;
    }
    double u = snug__unit(snug__philox_at(1, round, 0).v[0]);
    move_forward(g->order, culprit, (int32_t)((double)culprit * u));
  }
}

snug_status snug__place_promote(snug__strip *strip, int64_t limit) {
  greedy g;
  snug_status status = greedy_init(&g, strip);
  g.limit = limit;
  if (!status) {
    status = order_by_offset(&g);
  }
  if (!status) {
    promote(&g);
  }
  greedy_release(&g);
  return status;
}
