/* The ways of packing, from the cheap to the dear. */
#include "plan/pack.h"

/* The search walks over sections and buffers at every step: beyond this it would not get far. */
#define SEARCH_MOST 4000

/* Narrow the heights between what is proven and what is reached from the middle. */
static snug_status bisect(snug__strip *strip, int64_t limit) {
  int64_t target = strip->target;
  snug_status status = SNUG_OK;
  while (!status && !snug__strip_is_done(strip) && strip->effort->done < limit &&
         strip->effort->done < strip->effort->limit) {
    int64_t low = snug__max_i64(strip->bound, target);
    int64_t left = limit - strip->effort->done;
    strip->target = low + (strip->height - 1 - low) / 2;
    int64_t before = strip->bound;
    status = snug__place_search(strip, strip->effort->done + left / 4 + 1);
    bool has_moved = strip->bound > before || strip->height <= strip->target;
    strip->target = target;
    if (!has_moved) {
      break;
    }
  }
  return status;
}

snug_status snug__place_strip(snug__strip *strip, int64_t limit) {
  int64_t start = strip->effort->done;
  int64_t part = (limit - start) / 8;
  if (strip->n <= SEARCH_MOST) {
    SNUG_TRY(snug__place_search(strip, start + 4 * part));
    SNUG_TRY(snug__strip_is_done(strip) ? SNUG_OK : bisect(strip, start + 6 * part));
  }
  return snug__strip_is_done(strip) ? SNUG_OK : snug__place_promote(strip, limit);
}
