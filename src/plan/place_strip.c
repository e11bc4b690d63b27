/* The ways of packing, from the cheap to the dear. */
#include "plan/pack.h"

snug_status snug__place_strip(snug__strip *strip, int64_t limit) {
  return snug__place_promote(strip, limit);
}
