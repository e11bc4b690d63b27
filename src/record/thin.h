/* Which moments of a run that may last for days are kept.
 *
 * Of each kind the first SNUG__THIN_KEPT are, then as many of every second one, of every fourth,
 * and so on: so n of them take the room of SNUG__THIN_KEPT * log2(n / SNUG__THIN_KEPT + 1).  A
 * figure that rises by more than a thousandth over its highest value in the file is kept whatever
 * its moment is.  One that rises by less waits: the highest of those that were left out goes before
 * the next that is kept.  The last of all is kept, too. */
#ifndef SNUG_RECORD_THIN_H
#define SNUG_RECORD_THIN_H

#include "record/format.h"

#define SNUG__THIN_KEPT 8192

typedef struct snug__pace {
  uint64_t seen;
  uint32_t kept;    /* at this density */
  uint32_t density; /* every 2^density-th is kept */
} snug__pace;

/* Whether the next one is kept. */
bool snug__pace_next(snug__pace *p);

/* Figures whose highest moment waits if it is left out.  The others tell their maximum themselves:
 * they never fall, or are carried over. */
enum { SNUG__WAITING = 2 };

typedef struct snug__thin {
  snug__pace paces[SNUG__ATS];
  uint64_t highest[SNUG__FIGURES]; /* in the file */
  snug__numbers waiting[SNUG__WAITING];
  bool waits[SNUG__WAITING];
  uint64_t held_peak; /* of moments that were left out since the last */
  snug__numbers last; /* that was left out, since the last that was kept */
  bool has_last;
} snug__thin;

/* Take a moment in.  Returns how many are to be written now, in this order, 0 if it is left out:
 * `out` has room for SNUG__WAITING + 1. */
size_t snug__thin_take(snug__thin *t, const snug__numbers *n, snug__numbers *out);

/* Take in a moment that is in the file already. */
void snug__thin_found(snug__thin *t, const snug__numbers *n);

/* The moments that wait, and the last one, at the end of the recording: `out` as above. */
size_t snug__thin_end(snug__thin *t, snug__numbers *out);

#endif
