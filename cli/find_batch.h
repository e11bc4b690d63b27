/* The largest batch that fits under a line, without training anything. */
#ifndef SNUG_CLI_FIND_BATCH_H
#define SNUG_CLI_FIND_BATCH_H

#include "probe.h"

typedef struct found_batch {
  int64_t exact, power; /* the largest, and the largest power of two; 0: not even 1 */
  probe at_exact, at_power;
  int64_t samples; /* there are no more: a larger batch would be the same */
} found_batch;

/* Find it among 1 to `most` (0: as many as there are samples).  The batch found fits, and the
 * next one does not for sure; both have been planned, unless that moment came before (`until`, as
 * probe_plan has it): then a smaller one was found, or none.  say: print what is tried to stderr.
 * Reports; returns 0 or an exit code. */
int find_batch(const fit_options *options, uint64_t line, int64_t most, double until, bool say,
               found_batch *out);

/* snug plan --find-batch. */
int find_batch_command(const fit_options *options);

#endif
