/* What a process is taken to need with a session: a figure that is the same from run to run.
 *
 * What is measured of a process varies by up to 200 KiB.  A plan that was chosen by it would be
 * another one now and then, wherever the line lies between two.  So the first run that measures a
 * session adds something to spare, and keeps that beside the timings (base/timings.h), by what
 * decides it: the program, the data in memory, the steps.  Later runs choose by the kept figure. It
 * is replaced where what is measured is further off than runs differ.
 *
 * What is stated to the user is larger by as much again, so that another machine's first run, which
 * has no figure, accepts it.
 *
 * Where nothing can be kept, the spare alone is left. */
#ifndef SNUG_TRAIN_PROCESS_FIGURE_H
#define SNUG_TRAIN_PROCESS_FIGURE_H

#include "train/fit.h"

/* The figure for the session that was made and measured (history->memory), or 0 where the system
 * does not tell; it goes in the place of the margin into the report, too.  Fails: E_MEMORY,
 * E_LIMIT. */
snug_status snug__process_figure(snug__fit *f, uint64_t *out) SNUG_NODISCARD;

/* A report that was measured once more states as much as before, if no more was measured.  Returns
 * what it states. */
uint64_t snug__process_restate(snug_memory_report *r, uint64_t before);

#endif
