/* The plan of a fit: its model and data as planning sees them. */
#ifndef SNUG_TRAIN_FIT_PLAN_H
#define SNUG_TRAIN_FIT_PLAN_H

#include "train/fit.h"

/* Choose how the steps are run, or take what a backup kept: f->plan.  Its session is made and
 * measured (history->memory).  Fails: E_ARGUMENT naming a layer that the model has not got, E_IO
 * naming the folder in which values are to wait, as building a step does. */
snug_status snug__fit_plan(snug__fit *f) SNUG_NODISCARD;

/* Whether the plan stays under the line, or where there is none within what the process may hold.
 */
bool snug__fit_is_planned(const snug__fit *f);

/* Build the step of a choice and lay it out, with nothing recomputed.  *graph is owned in any case.
 */
snug_status snug__fit_lower(const snug__fit *f, const snug__step_choice *choice,
                            snug__graph **graph, snug__step *step) SNUG_NODISCARD;

#endif
