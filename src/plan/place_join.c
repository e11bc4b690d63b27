/* Joining: buffers that end at some moment and buffers that begin at it, all of the former of one
 * lifespan, all of the latter of another, with sizes that add up to the same, continue each other:
 * as one box that lives from the first beginning to the last end they waste nothing.  Boxes join
 * further, and what is left is a smaller problem for the exact search, whose answer is unfolded.
 *
 * This is a guess, not a proof: the pieces of a box might have to lie apart.  It costs next to
 * nothing where it does not help, and finds packings without any waste where the search alone has
 * to look for the partners one by one. */
#include <string.h>

#include "plan/pack.h"

#define PAIR_MOST 12 /* pieces of a join among which the fewest that match are looked for */

/* A buffer, or a join of others.  Pieces are chained: those before the moment, those after it. */
typedef struct box {
  int64_t size, offset;
  int32_t lo, hi;
  int32_t before, after; /* first pieces; -1: a buffer of its own */
  int32_t next;          /* piece of the same side; -1: last */
  bool is_open;          /* not yet part of another */
} box;

typedef struct joining {
  snug__strip *strip;
  box *boxes;
  int32_t n; /* boxes; the first are the buffers */
  int64_t limit;
  int32_t before[2 * PAIR_MOST], after[2 * PAIR_MOST]; /* candidates of one moment */
  int32_t n_before, n_after;
} joining;

/* Boxes join in twos at least, so there are never twice as many as buffers. */
static int64_t room(const snug__strip *strip) { return 2 * (int64_t)strip->n; }

static bool has_one_alignment(const snug__strip *strip) {
  for (int32_t i = 0; i < strip->n; i++) {
    int64_t align = strip->buffers[i].align;
    if (align != strip->buffers[0].align || strip->buffers[i].size % align) {
      return false;
    }
  }
  return true;
}

static void fill_boxes(joining *j) {
  for (int32_t i = 0; i < j->strip->n; i++) {
    const snug__buffer *b = &j->strip->buffers[i];
    j->boxes[i] = (box){b->size, 0, b->lo, b->hi, -1, -1, -1, true};
  }
  j->n = j->strip->n;
}

/* The open boxes of two lifespans that meet; false if there are too many or none on a side. */
static bool gather(joining *j, int32_t lo, int32_t middle, int32_t hi) {
  j->n_before = j->n_after = 0;
  for (int32_t i = 0; i < j->n; i++) {
    const box *b = &j->boxes[i];
    if (b->is_open && b->lo == lo && b->hi == middle && j->n_before < 2 * PAIR_MOST) {
      j->before[j->n_before++] = i;
    } else if (b->is_open && b->lo == middle && b->hi == hi && j->n_after < 2 * PAIR_MOST) {
      j->after[j->n_after++] = i;
    }
  }
  j->strip->effort->done += j->n;
  return j->n_before && j->n_after && j->n_before < 2 * PAIR_MOST && j->n_after < 2 * PAIR_MOST;
}

static int64_t sum(const joining *j, const int32_t *ids, int32_t n, unsigned subset) {
  int64_t total = 0;
  for (int32_t i = 0; i < n; i++) {
    total += subset >> i & 1 ? j->boxes[ids[i]].size : 0;
  }
  return total;
}

/* The fewest pieces with equal sums, or all of them if there are too many to look; false: none. */
static bool match(const joining *j, unsigned *before, unsigned *after) {
  unsigned all_before = (1u << j->n_before) - 1;
  unsigned all_after = (1u << j->n_after) - 1;
  int fewest = INT32_MAX;
  if (j->n_before + j->n_after > PAIR_MOST) {
    *before = all_before;
    *after = all_after;
    return sum(j, j->before, j->n_before, all_before) == sum(j, j->after, j->n_after, all_after);
  }
  for (unsigned a = 1; a <= all_before; a++) {
    int64_t wanted = sum(j, j->before, j->n_before, a);
    for (unsigned b = 1; b <= all_after; b++) {
      int count = __builtin_popcount(a) + __builtin_popcount(b);
      if (count < fewest && sum(j, j->after, j->n_after, b) == wanted) {
        fewest = count;
        *before = a;
        *after = b;
      }
    }
  }
  j->strip->effort->done += (int64_t)PAIR_MOST * (int64_t)(all_before + 1) * (all_after + 1);
  return fewest < INT32_MAX;
}

/* Chain the chosen pieces and close them; returns the first. */
static int32_t chain(joining *j, const int32_t *ids, int32_t n, unsigned subset) {
  int32_t first = -1;
  for (int32_t i = n - 1; i >= 0; i--) {
    if (subset >> i & 1) {
      j->boxes[ids[i]].next = first;
      j->boxes[ids[i]].is_open = false;
      first = ids[i];
    }
  }
  return first;
}

static bool join(joining *j, int32_t lo, int32_t middle, int32_t hi) {
  unsigned before = 0;
  unsigned after = 0;
  if (!gather(j, lo, middle, hi) || !match(j, &before, &after)) {
    return false;
  }
  int64_t size = sum(j, j->before, j->n_before, before);
  int32_t first = chain(j, j->before, j->n_before, before);
  int32_t second = chain(j, j->after, j->n_after, after);
  j->boxes[j->n++] = (box){size, 0, lo, hi, first, second, -1, true};
  return true;
}

/* Try what begins where this box ends. */
static bool join_from(joining *j, int32_t id) {
  for (int32_t i = 0; i < j->n; i++) {
    const box *b = &j->boxes[id];
    if (j->boxes[i].is_open && j->boxes[i].lo == b->hi && join(j, b->lo, b->hi, j->boxes[i].hi)) {
      return true;
    }
  }
  return false;
}

static void join_all(joining *j) {
  for (int32_t id = 0; id < j->n; id++) {
    if (!snug__effort_spend(j->strip->effort, j->n, j->limit)) {
      return;
    }
    if (j->boxes[id].is_open && join_from(j, id)) {
      id = -1; /* a new box may fit what did not fit before */
    }
  }
}

/* Pieces lie on top of each other from the ground of their box.  A box stands behind its pieces, so
 * one walk from the back reaches all. */
static void unfold(joining *j) {
  for (int32_t id = j->n - 1; id >= j->strip->n; id--) {
    const int32_t sides[2] = {j->boxes[id].before, j->boxes[id].after};
    for (int side = 0; side < 2; side++) {
      int64_t offset = j->boxes[id].offset;
      for (int32_t piece = sides[side]; piece >= 0; piece = j->boxes[piece].next) {
        j->boxes[piece].offset = offset;
        offset += j->boxes[piece].size;
      }
    }
  }
}

/* The open boxes as a strip; their origin is the number of the box.  Sorted by lo, as strips are.
 */
static int32_t collect(const joining *j, snug__buffer *buffers) {
  int32_t n = 0;
  for (int32_t t = 0; t < j->strip->sections; t++) {
    for (int32_t i = 0; i < j->n; i++) {
      const box *b = &j->boxes[i];
      if (b->is_open && b->lo == t) {
        buffers[n++] = (snug__buffer){.size = b->size,
                                      .align = j->strip->buffers[0].align,
                                      .hint = -1,
                                      .lo = b->lo,
                                      .hi = b->hi,
                                      .first = b->lo,
                                      .end = b->hi,
                                      .origin = i};
      }
    }
  }
  return n;
}

static snug_status search_joined(joining *j, snug__buffer *buffers, int64_t *offsets) {
  snug__strip rest = *j->strip;
  rest.buffers = buffers;
  rest.n = collect(j, buffers);
  rest.offsets = offsets;
  rest.height = SNUG__HEIGHT_MAX;
  SNUG_TRY(snug__place_search(&rest, j->limit));
  if (rest.height > j->strip->target) {
    return SNUG_OK;
  }
  for (int32_t i = 0; i < rest.n; i++) {
    j->boxes[buffers[i].origin].offset = offsets[i];
  }
  unfold(j);
  for (int32_t i = 0; i < j->strip->n; i++) {
    offsets[i] = j->boxes[i].offset;
  }
  snug__strip_offer(j->strip, offsets);
  return SNUG_OK;
}

snug_status snug__place_joined(snug__strip *strip, int64_t limit) {
  joining j = {.strip = strip, .limit = limit};
  snug__buffer *buffers = NULL;
  int64_t *offsets = NULL;
  if (!has_one_alignment(strip)) {
    return SNUG_OK;
  }
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, room(strip), &j.boxes));
  snug_status status = SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &buffers);
  if (!status) {
    status = SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &offsets);
  }
  if (!status) {
    fill_boxes(&j);
    join_all(&j);
    status = j.n > strip->n ? search_joined(&j, buffers, offsets) : SNUG_OK;
  }
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, offsets, strip->n);
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, buffers, strip->n);
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, j.boxes, room(strip));
  return status;
}
