/* Choosing how a fit runs its training step, by its line and levers. */
#ifndef SNUG_TRAIN_PICK_H
#define SNUG_TRAIN_PICK_H

#include "train/fit.h"

/* Choose a way and make the session for it.  Leaves the session of the fastest way under the line;
 * if there is none, that of the least one.  Fails as snug__fit_make_session and snug__ways_open. */
snug_status snug__pick_way(snug__fit *f) SNUG_NODISCARD;
void snug__pick_release(snug__fit *f);

/* Whether there is no line, and the fit needs more than the process may hold. */
bool snug__pick_exceeds(const snug__fit *f);

/* The least line that the fit would be accepted under. */
uint64_t snug__pick_least(const snug__fit *f);

#endif
