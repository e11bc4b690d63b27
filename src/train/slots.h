/* Optimizer slots that live in a file: large ones, of optimizers that look at each once in a step.
 *
 * They stay there until the model is compiled anew or destroyed, also between fits: whoever saves
 * them fetches one after the other (model/variables.h). */
#ifndef SNUG_TRAIN_SLOTS_H
#define SNUG_TRAIN_SLOTS_H

#include "train/training.h"

/* Whether a fit may decide where the slots live: the state is not there yet, and the optimizer is
 * one of those. */
bool snug__slots_are_free(const snug_model *m);

/* Decide it, as long as they are free; state_bytes and slots_bytes follow. */
void snug__slots_decide(snug_model *m, bool in_file);

/* Bytes of memory that a file saves, without what the file itself takes there; and its own bytes.
 */
int64_t snug__slots_saved(snug_model *m, int64_t *file);

/* Whether what is in the file cannot be had any more: reading or writing it has failed. */
bool snug__slots_are_lost(const snug_model *m);

/* A snug__find_home (arg is the model). */
bool snug__slots_find(void *model, snug__id variable, int64_t *offset, int32_t *window);

#endif
