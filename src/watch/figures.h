/* What /proc tells of one process, from text.  Nothing here fails: what is not reported is 0. */
#ifndef SNUG_WATCH_FIGURES_H
#define SNUG_WATCH_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "snug/tools/watch.h"

/* /proc/N/status.  Bytes. */
typedef struct snug__figures {
  char name[SNUG_WATCH_NAME]; /* without control characters */
  int32_t group;              /* the process that a thread belongs to */
  int32_t parent;
  uint64_t peak, resident; /* VmHWM, VmRSS; 0 of a process that ended and was not waited for */
} snug__figures;

/* false: this is no such text. */
bool snug__figures_parse(const char *text, snug__figures *out);

/* /proc/N/smaps_rollup: resident pages, each divided by those who share it, and its parts. */
typedef struct snug__split {
  uint64_t resident, pss, anonymous, file, shared;
  uint64_t resident_anonymous; /* not divided */
  uint64_t swap;               /* divided */
} snug__split;

bool snug__split_parse(const char *text, snug__split *out);

#endif
