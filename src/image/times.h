/* Where the time of reading images goes: laps, each of which ends one stage.
 *
 * Without a place for the times nothing is measured. */
#ifndef SNUG_IMAGE_TIMES_H
#define SNUG_IMAGE_TIMES_H

#include <stdint.h>

typedef enum snug__image_stage {
  SNUG__STAGE_FILE,   /* open, read, close */
  SNUG__STAGE_DECODE, /* to pixels */
  SNUG__STAGE_RESIZE,
  SNUG__STAGE_CHANGE, /* augment, rescale, normalize */
  SNUG__IMAGE_STAGES
} snug__image_stage;

extern const char *const snug__image_stage_names[SNUG__IMAGE_STAGES];

/* Of all threads together. */
typedef struct snug__image_times {
  _Atomic int64_t nanoseconds[SNUG__IMAGE_STAGES];
} snug__image_times;

/* A thread on its way through the stages. */
typedef struct snug__laps {
  snug__image_times *times; /* NULL: nothing is measured */
  int64_t since;
} snug__laps;

snug__laps snug__laps_begin(snug__image_times *times);

/* What was since the last lap was this stage. */
void snug__laps_add(snug__laps *l, snug__image_stage stage);

static inline void snug__lap(snug__laps *l, snug__image_stage stage) {
  if (l->times) {
    snug__laps_add(l, stage);
  }
}

#endif
