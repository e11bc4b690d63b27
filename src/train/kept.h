/* The plan of a backup: a fit that goes on runs the one that it had, whatever would be chosen now.
 */
#ifndef SNUG_TRAIN_KEPT_H
#define SNUG_TRAIN_KEPT_H

#include "train/fit.h"

/* Make the session that f->plan says, which a backup kept.  Fails: E_FORMAT (no such plan is
 * possible for the model), E_STATE (the order of samples or the kernels cannot be had any more), as
 * snug__fit_make_session. */
snug_status snug__kept_take(snug__fit *f) SNUG_NODISCARD;

/* Whether that plan, as it was measured, stays under the line goes to f->plan.chosen. */
void snug__kept_judge(snug__fit *f);

/* The least line that took the plan of an open fit, before or now; 0: there was none. */
uint64_t snug__kept_line(const snug__fit *f);

/* E_LIMIT: that plan does not stay under the line; says the ways out. */
snug_status snug__kept_refuse(const snug__fit *f) SNUG_NODISCARD;

#endif
