/* Packing from the bottom up in a fixed order.
 *
 * Offsets never go down from one buffer to the next: of those that come lower than the lowest top
 * that is possible anywhere, the first in the order is next, as low as it goes.  All that is to
 * come then lies above it, and where that is more than a section can take, the next in the order is
 * tried.  What is left is cut where nothing lives across, and the pieces are packed one by one.
 *
 * One way down costs little, so there are many: when one has been turned back too often it is given
 * up for another order. */
#include <string.h>

#include "base/philox.h"
#include "base/vec.h"
#include "plan/pack.h"
#include "plan/place_floor.h"

#define WAYS 20    /* the work of an order, in ways down that are never turned back */
#define CHANCE 0.1 /* by how much a place in an order is varied */

typedef enum verdict { FOUND, NONE, STOPPED } verdict;

typedef enum kind { OFFSET, FLOOR, PLACED } kind;

/* What was before: the lowest offset of a buffer, the floor of a section, a buffer to come. */
typedef struct change {
  int64_t level;
  int32_t id;
  kind kind;
} change;

typedef struct rise {
  snug__strip *strip;
  int64_t *offsets; /* the lowest that is left to a buffer; where it stands once placed */
  bool *is_placed;
  int64_t *floors, *rest; /* per section: how high it is filled; what is to come */
  int32_t *across;        /* per section: buffers to come that live across its beginning */
  int32_t *order;         /* the buffers in order, and behind them what pieces keep of it */
  int64_t n_order, room;
  int32_t *rank;    /* per buffer: where it is in the order */
  int64_t *keys[3]; /* per buffer: its rank by load of its fullest section, by area, by length */
  snug__key *sorted, *scratch;
  snug__vec trail; /* change */
  int64_t limit;   /* of work, for this order */
  snug_status status;
} rise;

/* Sections [lo, hi), and a list in `order` that has all their buffers, and others. */
typedef struct piece {
  int32_t lo, hi;
  int64_t first, n;
} piece;

static void count(rise *r, int32_t id, int32_t sign) {
  const snug__buffer *b = &r->strip->buffers[id];
  for (int32_t t = b->lo; t < b->hi; t++) {
    r->rest[t] += sign * b->size;
    r->across[t] += sign;
  }
  r->across[b->lo] -= sign;
  r->is_placed[id] = sign < 0;
}

static void note(rise *r, change c) {
  r->status = r->status ? r->status : snug__vec_push(&r->trail, &c, 1);
}

static void undo(rise *r, size_t mark) {
  while (r->trail.n > mark) {
    const change *c = &SNUG_VEC(&r->trail, change, --r->trail.n);
    switch (c->kind) {
      case OFFSET:
        r->offsets[c->id] = c->level;
        break;
      case FLOOR:
        r->floors[c->id] = c->level;
        break;
      case PLACED:
        count(r, c->id, 1);
        break;
    }
  }
}

static bool is_open(const rise *r, const piece *p, int32_t id) {
  const snug__buffer *b = &r->strip->buffers[id];
  return !r->is_placed[id] && b->lo >= p->lo && b->hi <= p->hi;
}

/* Can every section take what is to come, which lies on its floor and not below `lowest`? */
static bool can_take(const rise *r, const piece *p, int64_t lowest) {
  for (int32_t t = p->lo; t < p->hi; t++) {
    if (r->rest[t] && snug__max_i64(r->floors[t], lowest) + r->rest[t] > r->strip->target) {
      return false;
    }
  }
  return true;
}

/* False: some section cannot take what is left, or no memory. */
static bool place(rise *r, const piece *p, int32_t id) {
  const snug__buffer *b = &r->strip->buffers[id];
  int64_t top = r->offsets[id] + b->size;
  note(r, (change){0, id, PLACED});
  if (r->status) {
    return false;
  }
  r->strip->effort->done += 2 * p->n + 2 * (p->hi - p->lo) + 16 * (b->hi - b->lo);
  count(r, id, -1);
  for (int32_t t = b->lo; t < b->hi; t++) {
    note(r, (change){r->floors[t], t, FLOOR});
    r->floors[t] = top;
  }
  if (r->status || !can_take(r, p, r->offsets[id])) {
    return false;
  }
  for (int64_t i = p->first; i < p->first + p->n; i++) {
    int32_t q = r->order[i];
    const snug__buffer *c = &r->strip->buffers[q];
    if (!r->is_placed[q] && c->lo < b->hi && b->lo < c->hi && r->offsets[q] < top) {
      note(r, (change){r->offsets[q], q, OFFSET});
      r->offsets[q] = snug__round_up(top, c->align);
    }
  }
  return !r->status;
}

/* A list of its own saves a small piece looking at strangers. */
static void shorten(rise *r, piece *p) {
  int64_t n = 0;
  if (r->n_order + p->n > r->room) {
    return;
  }
  for (int64_t i = p->first; i < p->first + p->n; i++) {
    if (is_open(r, p, r->order[i])) {
      r->order[r->n_order + n++] = r->order[i];
    }
  }
  if (n <= p->n / 2) {
    p->first = r->n_order;
    p->n = n;
    r->n_order += n;
  }
}

static verdict descend(rise *r, piece p, int64_t lowest, int32_t last);

static verdict descend_pieces(rise *r, const piece *whole, int64_t lowest, int32_t last) {
  for (int32_t a = whole->lo, b; a < whole->hi; a = b) {
    for (b = a + 1; b < whole->hi && r->across[b] > 0; b++) {
    }
    if (r->rest[a] == 0) {
      continue;
    }
    piece p = {a, b, whole->first, whole->n};
    int64_t n_order = r->n_order;
    if (b - a < whole->hi - whole->lo) {
      shorten(r, &p);
    }
    verdict v = descend(r, p, lowest, last);
    r->n_order = n_order;
    if (v != FOUND) {
      return v;
    }
  }
  return FOUND;
}

static verdict try_one(rise *r, const piece *p, int32_t id) {
  size_t mark = r->trail.n;
  verdict v = place(r, p, id) ? descend_pieces(r, p, r->offsets[id], r->rank[id]) : NONE;
  if (v != FOUND) {
    undo(r, mark);
  }
  return r->status ? STOPPED : v;
}

/* Pack a piece; every buffer not below `lowest`, and if at it then behind `last` in the order. */
static verdict descend(rise *r, piece p, int64_t lowest, int32_t last) {
  int64_t least_top = INT64_MAX;
  verdict v = NONE;
  if (!snug__effort_spend(r->strip->effort, 2 * p.n + (p.hi - p.lo) + 32, r->limit)) {
    return STOPPED;
  }
  for (int64_t i = p.first; i < p.first + p.n; i++) {
    int32_t id = r->order[i];
    if (is_open(r, &p, id)) {
      least_top = snug__min_i64(least_top, r->offsets[id] + r->strip->buffers[id].size);
    }
  }
  for (int64_t i = p.first; i < p.first + p.n && v == NONE; i++) {
    int32_t id = r->order[i];
    int64_t offset = r->offsets[id];
    bool is_in_turn = offset > lowest || (offset == lowest && r->rank[id] > last);
    if (offset < least_top && is_in_turn && is_open(r, &p, id)) {
      v = try_one(r, &p, id);
    }
  }
  return v;
}

/* ---- orders ---- */

/* By each of the three keys in turn, the others deciding between equals; after that, not quite. */
static int64_t order_key(const rise *r, int32_t id, uint64_t round) {
  int64_t n = r->strip->n;
  double u = round < 3 ? 0.0 : snug__unit(snug__philox_at(2, round, (uint64_t)id).v[0]);
  double first = (double)r->keys[round % 3][id] * (1.0 + CHANCE * u);
  return ((int64_t)first * n + r->keys[(round + 1) % 3][id]) * n + r->keys[(round + 2) % 3][id];
}

static void make_order(rise *r, uint64_t round) {
  for (int32_t i = 0; i < r->strip->n; i++) {
    r->sorted[i] = (snug__key){order_key(r, i, round), i};
  }
  snug__sort_keys(r->sorted, r->scratch, r->strip->n);
  for (int32_t i = 0; i < r->strip->n; i++) {
    r->order[i] = r->sorted[i].id;
    r->rank[r->sorted[i].id] = i;
  }
  r->n_order = r->strip->n;
}

/* Turn what is in sorted into ranks, equal keys alike, the largest first. */
static void make_ranks(rise *r, int64_t *ranks) {
  snug__sort_keys(r->sorted, r->scratch, r->strip->n);
  int64_t rank = 0;
  for (int32_t i = 0; i < r->strip->n; i++) {
    rank += i > 0 && r->sorted[i].key != r->sorted[i - 1].key;
    ranks[r->sorted[i].id] = rank;
  }
}

static snug_status make_keys(rise *r) {
  const snug__strip *s = r->strip;
  snug__floor load;
  int64_t highest;
  snug_status status = snug__floor_init(&load, s->ctx, s->sections);
  if (!status) { /* rest is scratch here */
    status = snug__load_profile(s->ctx, s->buffers, s->n, s->sections, r->rest, &highest);
  }
  for (int32_t t = 0; t < s->sections && !status; t++) {
    snug__floor_raise(&load, t, t + 1, r->rest[t]);
  }
  for (int k = 0; k < 3 && !status; k++) {
    for (int32_t i = 0; i < s->n; i++) {
      const snug__buffer *b = &s->buffers[i];
      int64_t length = b->hi - b->lo;
      int64_t area = INT64_MAX;
      area = snug__mul_i64(b->size, length, &area) ? area : INT64_MAX;
      int64_t key = k == 0 ? snug__floor_highest(&load, b->lo, b->hi) : k == 1 ? area : length;
      r->sorted[i] = (snug__key){-key, i};
    }
    make_ranks(r, r->keys[k]);
  }
  snug__floor_release(&load);
  return status;
}

/* ---- all together ---- */

static snug_status rise_init(rise *r, snug__strip *s) {
  snug_ctx *ctx = s->ctx;
  *r = (rise){.strip = s, .room = 4 * (int64_t)s->n};
  snug__vec_init(&r->trail, ctx, SNUG__MEM_SCRATCH, sizeof(change), SIZE_MAX);
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->n, &r->offsets));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->n, &r->is_placed));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->sections, &r->floors));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->sections, &r->rest));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->sections, &r->across));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, r->room, &r->order));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->n, &r->rank));
  for (int k = 0; k < 3; k++) {
    SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->n, &r->keys[k]));
  }
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->n, &r->sorted));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->n, &r->scratch));
  return make_keys(r);
}

static void rise_release(rise *r) {
  const snug__strip *s = r->strip;
  snug_ctx *ctx = s->ctx;
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, r->offsets, s->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, r->is_placed, s->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, r->floors, s->sections);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, r->rest, s->sections);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, r->across, s->sections);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, r->order, r->room);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, r->rank, s->n);
  for (int k = 0; k < 3; k++) {
    SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, r->keys[k], s->n);
  }
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, r->sorted, s->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, r->scratch, s->n);
  snug__vec_release(&r->trail);
}

static void start_over(rise *r, uint64_t round) {
  const snug__strip *s = r->strip;
  memset(r->floors, 0, (size_t)s->sections * sizeof *r->floors);
  memset(r->rest, 0, (size_t)s->sections * sizeof *r->rest);
  memset(r->across, 0, (size_t)s->sections * sizeof *r->across);
  memset(r->offsets, 0, (size_t)s->n * sizeof *r->offsets);
  for (int32_t i = 0; i < s->n; i++) {
    count(r, i, 1);
  }
  r->trail.n = 0;
  make_order(r, round);
}

snug_status snug__place_rise(snug__strip *strip, int64_t limit) {
  rise r;
  const piece whole = {0, strip->sections, 0, strip->n};
  int64_t way = (int64_t)strip->n * ((int64_t)strip->n + strip->sections + 32);
  snug_status status = rise_init(&r, strip);
  verdict v = STOPPED;
  for (uint64_t round = 0; !status && v == STOPPED; round++) {
    int64_t done = strip->effort->done;
    if (done >= limit || done >= strip->effort->limit) {
      break;
    }
    r.limit = snug__min_i64(limit, done + WAYS * way);
    start_over(&r, round);
    v = descend_pieces(&r, &whole, 0, -1);
    status = r.status;
  }
  if (!status && v == FOUND) {
    snug__strip_offer(strip, r.offsets);
  }
  rise_release(&r);
  return status;
}
