#include "image/times.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/clock.h"

const char *const snug__image_stage_names[] = {"files", "decode", "resize", "change"};

static int64_t now(void) { return (int64_t)(1e9 * snug__now()); }

snug__laps snug__laps_begin(snug__image_times *times) {
  return (snug__laps){times, times ? now() : 0};
}

void snug__laps_add(snug__laps *l, snug__image_stage stage) {
  int64_t at = now();
  atomic_fetch_add_explicit(&l->times->nanoseconds[stage], at - l->since, memory_order_relaxed);
  l->since = at;
}
