/* A watch into a recording: samples, new maxima, and who was there then. */
#ifndef SNUG_WATCH_RECORD_H
#define SNUG_WATCH_RECORD_H

#include "snug/tools/record.h"
#include "watch/peak.h"
#include "watch/split.h"

typedef struct snug__tape {
  snug_recorder *to;  /* NULL: none */
  snug_status failed; /* the first failure; nothing is recorded after it */
  uint64_t told;      /* the peak whose processes were written */
  double split_at;    /* the reading of pages that was written last */
} snug__tape;

/* What one look found. */
typedef struct snug__tape_look {
  double seconds;
  bool is_sample, is_peak;
  uint32_t processes;
  uint64_t device, device_peak;
} snug__tape_look;

/* Write it: samples, and maxima in between. */
void snug__tape_add(snug__tape *t, const snug__tape_look *look, const snug__peak *peak,
                    const snug__splits *splits);

/* Write who was there at the peak, if those that were written last are of a lower one. */
void snug__tape_who(snug__tape *t, const snug__peak *peak);

#endif
