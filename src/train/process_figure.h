/* What a process is taken to need with a session: a figure that is the same from run to run.
 *
 * What is measured of a process varies by up to 200 KiB.  A plan that was chosen by it would be
 * another one now and then, wherever the line lies between two.  So the first run that measures a
 * session rounds up, with something to spare, and keeps that beside the timings (base/timings.h),
 * by what decides it: the program, the data in memory, the steps.  Later runs choose by the kept
 * figure.  It is replaced where more was measured, and where it is above that by more than runs
 * differ.
 *
 * Where nothing can be kept, the rounding alone is left. */
#ifndef SNUG_TRAIN_PROCESS_FIGURE_H
#define SNUG_TRAIN_PROCESS_FIGURE_H

#include "train/fit.h"

/* The figure for the session that was made and measured (history->memory) goes to f->pick.process,
 * and in the place of the margin into the report.  Fails: E_MEMORY, E_LIMIT. */
snug_status snug__process_figure(snug__fit *f) SNUG_NODISCARD;

/* The report, measured once more, says the figure as before. */
void snug__process_figure_tell(snug__fit *f);

#endif
