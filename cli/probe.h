/* Asking for the plan of a fit with other options.  Each is made by a process of its own, as the
 * figures of a process hold for a fresh one: what it says is true of the command when it is typed.
 */
#ifndef SNUG_CLI_PROBE_H
#define SNUG_CLI_PROBE_H

#include <math.h>

#include "fit.h"

typedef struct probe {
  bool fits;               /* false too where there is no such plan */
  uint64_t process, least; /* bytes; least is UINT64_MAX where there is no such plan */
  double seconds;          /* of a step; 0: not known */
  int64_t samples;         /* to train on */
  int64_t micro_batch, recomputed;
  uint64_t on_disk;
} probe;

/* The same command comes to a few pages more or less in another process: as many bytes of the line
 * are left free, so that what fits here fits again. */
#define PROBE_SLACK (UINT64_C(128) << 10)

#define PROBE_PATIENT HUGE_VAL

/* Plan `options` under a line of so many bytes (0: none), until this moment of terminal_now
 * (PROBE_PATIENT: as long as it takes), when what is not planned yet is given up.  Reports; returns
 * 0 or an exit code: a process that could not be started, not a plan that failed. */
int probe_plan(const fit_options *options, uint64_t line, double until, probe *out);

#endif
