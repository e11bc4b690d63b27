/* Seconds per node of a step, measured with its own kernels on this machine.
 *
 * A step is too large to be run for that.  But the same step at a smaller batch has the same nodes:
 * from there come the types of a smaller call for each node, which is timed alone
 * (exec/timer.h), in the kernel and layouts of the large one, and scaled by what the op says its
 * work is.  Where part of the work does not grow with the batch (weights are read, transformed,
 * summed over), two batches tell the two parts.  Calls that are alike are timed once, and never
 * again as long as the file of timings is there (base/timings.h): with it, the same step has the
 * same seconds to the bit.
 *
 * What takes part stays small beside the step: an eighth of the largest call (64 MiB at most), or
 * what one sample or one weight needs.  Calls that do not fit into that are estimated from those
 * that do. */
#ifndef SNUG_TRAIN_CALIBRATE_H
#define SNUG_TRAIN_CALIBRATE_H

#include "base/timings.h"
#include "train/step.h"

/* Time the nodes of `lowered`: the graph of `step`, of this kind, after fusion and layout, with
 * nothing recomputed.  seconds[] receives one number per node, 0 for views.  again[] (may be NULL)
 * what it takes to make output 0 of the node a second time.  note (may be NULL) receives why the
 * file of timings was not used, and stays as it is if it was or there was none.  No weight and no
 * state is touched. Fails: E_MEMORY, E_LIMIT, as building a step does. */
snug_status snug__calibrate(snug_model *m, snug__step_kind kind, const snug__step *step,
                            const snug__graph *lowered, int64_t room, double *seconds,
                            double *again, char note[SNUG__NOTE_BYTES]) SNUG_NODISCARD;

/* The same without timing anything: by the work that ops state.  It is the same on any machine. */
void snug__guess_seconds(snug_model *m, const snug__step *step, const snug__graph *lowered,
                         double *seconds, double *again);

#endif
