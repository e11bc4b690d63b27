/* Recordings of made-up runs, by the public calls alone: the same bytes every time, but for their
 * number. */
#ifndef SNUG_TESTS_RUNS_H
#define SNUG_TESTS_RUNS_H

#include "snug/tools.h"

/* Record a run at path.  Kinds:
 *   fit       three epochs with validation, saves, target batches, a plan and a line that held
 *   student   the same, smaller and faster
 *   over      one whose peak passed its line
 *   cut       a fit that was killed in its second epoch
 *   watch     a command with processes that come and go
 *   killed    the same, killed for memory
 *   long      300 epochs of 100 batches
 *   hostile   one whose texts are written to do harm
 *   one       a single sample
 *   empty     nothing at all
 *   bare      facts and values, no samples
 * Fails as the recorder does; E_ARGUMENT for any other kind. */
snug_status test_run_record(snug_ctx *ctx, const char *kind, const char *path) SNUG_NODISCARD;

/* The text that hostile runs have for everything. */
extern const char test_hostile[];

#endif
