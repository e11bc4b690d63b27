#include "plan/place_near.h"

#include <string.h>

#define WALK_IS_FINE 4096 /* buffers */

/* Sums the length of all lives in sections against what a walk over all buffers would cost. */
bool snug__near_is_worth(const snug__strip *strip) {
  int64_t lives = 0;
  if (strip->n < WALK_IS_FINE) {
    return false;
  }
  for (int32_t i = 0; i < strip->n; i++) {
    lives += strip->buffers[i].hi - strip->buffers[i].lo;
  }
  return lives / strip->sections < strip->n / 64; /* alive at one time, on the average */
}

snug_status snug__near_init(snug__near *near, const snug__strip *strip) {
  *near = (snug__near){.strip = strip, .leaves = 1};
  while (near->leaves < strip->n) {
    near->leaves *= 2;
  }
  return SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, 2 * (int64_t)near->leaves, &near->latest);
}

void snug__near_release(snug__near *near) {
  if (near->strip) {
    SNUG_GIVE_ARRAY(near->strip->ctx, SNUG__MEM_SCRATCH, near->latest, 2 * (int64_t)near->leaves);
  }
}

void snug__near_clear(snug__near *near) {
  if (near->latest) {
    memset(near->latest, 0, 2 * (size_t)near->leaves * sizeof *near->latest);
  }
}

void snug__near_add(snug__near *near, int32_t buffer) {
  int32_t hi = near->strip->buffers[buffer].hi;
  for (int32_t node = near->leaves + buffer; node && near->latest[node] < hi; node /= 2) {
    near->latest[node] = hi;
  }
}

/* The first buffer from `from` on that is placed and ends after lo; n if there is none. */
static int32_t next_alive(const snug__near *near, int32_t from, int32_t lo) {
  int32_t node = near->leaves + from;
  while (near->latest[node] <= lo) {
    while (node & 1) { /* a right child: everything below its parent is passed */
      node /= 2;
    }
    if (node == 0) {
      return near->strip->n;
    }
    node++;
  }
  while (node < near->leaves) {
    node *= 2;
    node += near->latest[node] <= lo;
  }
  return node - near->leaves;
}

int32_t snug__near_find(const snug__near *near, int32_t lo, int32_t hi, snug__key *found) {
  const snug__buffer *buffers = near->strip->buffers;
  int32_t n = 0;
  for (int32_t i = next_alive(near, 0, lo); i < near->strip->n && buffers[i].lo < hi;) {
    found[n++].id = i;
    i = i + 1 < near->strip->n ? next_alive(near, i + 1, lo) : near->strip->n;
  }
  return n;
}
