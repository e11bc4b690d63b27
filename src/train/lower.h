/* From the graph of a step, as the model means it, to the one that is planned and run. */
#ifndef SNUG_TRAIN_LOWER_H
#define SNUG_TRAIN_LOWER_H

#include "pass/passes.h"
#include "planning/frontier.h"
#include "train/step.h"

/* Run the passes over a step, with kernels that the rules choose (NULL: any).  The layouts of all
 * variables must be settled.  *graph stays the caller's, also after a failure. */
snug_status snug__step_lower(snug_model *m, const snug__kernel_rules *rules, snug__graph **graph,
                             snug__step *step) SNUG_NODISCARD;

/* The same up to the layouts: nothing is recomputed. */
snug_status snug__step_assign_layouts(snug_model *m, const snug__kernel_rules *rules,
                                      snug__graph **graph, snug__step *step) SNUG_NODISCARD;

/* Make again what a choice says (one per value; NULL: what costs next to nothing), in a step that
 * is laid out. */
snug_status snug__step_recompute(snug_model *m, snug__graph **graph, snug__step *step,
                                 const snug__policy *policy) SNUG_NODISCARD;

/* The device that a model's steps run on. */
const snug__device *snug__model_device(const snug_model *m);

/* Decide the layouts of all variables that are not settled yet, from a step of this kind, and bring
 * the weights into theirs.  Fails: E_MEMORY, as building and the passes do; nothing is settled
 * then. */
snug_status snug__settle_layouts(snug_model *m, snug__step_kind kind) SNUG_NODISCARD;

#endif
