/* The ways of packing, from the cheap to the dear. */
#include "plan/pack.h"

/* The search walks over sections and buffers at every step: beyond this it would not get far. */
#define SEARCH_MOST 2500
#define RISE_ABOVE 256
#define BISECT_STEPS 10

/* Look for lower packings from the middle of what is open.  A height for which the work did not
 * suffice is taken for too low, without the claim of a proof. */
static snug_status bisect(snug__strip *strip, int64_t limit) {
  int64_t target = strip->target;
  int64_t share = (limit - strip->effort->done) / BISECT_STEPS + 1;
  int64_t low = snug__max_i64(strip->bound, target);
  snug_status status = SNUG_OK;
  while (!status && low < strip->height && strip->effort->done < limit &&
         strip->effort->done < strip->effort->limit) {
    strip->target = low + (strip->height - 1 - low) / 2;
    status = snug__place_search(strip, strip->effort->done + share);
    if (strip->height > strip->target) {
      low = snug__max_i64(strip->target + 1, strip->bound);
    }
  }
  strip->target = target;
  return status;
}

snug_status snug__place_part(snug__strip *strip, int64_t limit) {
  typedef snug_status way(snug__strip * strip, int64_t limit);
  static const struct {
    way *go;
    double until;  /* share of the work */
    int32_t above; /* buffers: fewer are better left to the others */
  } ways[] = {{snug__place_search, 1.0 / 128, 0},       {snug__place_joined, 1.0 / 64, RISE_ABOVE},
              {snug__place_rise, 1.0 / 24, RISE_ABOVE}, {snug__place_joined, 2.0 / 8, 0},
              {snug__place_search, 5.0 / 8, 0},         {bisect, 7.0 / 8, 0}};
  int64_t start = strip->effort->done;
  double work = (double)(limit - start);
  for (size_t i = 0; i < sizeof ways / sizeof *ways && strip->n <= SEARCH_MOST; i++) {
    if (strip->n > ways[i].above && !snug__strip_is_done(strip)) {
      SNUG_TRY(ways[i].go(strip, start + (int64_t)(work * ways[i].until)));
    }
  }
  return snug__strip_is_done(strip) ? SNUG_OK : snug__place_promote(strip, limit);
}

snug_status snug__place_strip(snug__strip *strip, int64_t limit) {
  int64_t start = strip->effort->done;
  int64_t half = (limit - start) / 2;
  if (strip->n > SEARCH_MOST) {
    SNUG_TRY(snug__place_core(strip, start + half));
    return snug__strip_is_done(strip) ? SNUG_OK : snug__place_part(strip, limit);
  }
  int64_t part = strip->n > RISE_ABOVE ? half / 2 : half; /* the core of many is worth more */
  SNUG_TRY(snug__place_part(strip, start + part));
  SNUG_TRY(snug__strip_is_done(strip) ? SNUG_OK : snug__place_core(strip, start + half + half / 2));
  return snug__strip_is_done(strip) ? SNUG_OK : snug__place_promote(strip, limit);
}
