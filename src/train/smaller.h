/* A lowered step at another batch size, as far as types and parameters go: the step is built and
 * fused again, and its values get the layouts of the lowered one. */
#ifndef SNUG_TRAIN_SMALLER_H
#define SNUG_TRAIN_SMALLER_H

#include "train/step.h"

typedef struct snug__smaller {
  int64_t batch;
  snug__graph *fused; /* owned; NULL: the nodes do not match, and nothing below is there */
  snug__type *types;  /* per value of the lowered graph */
  snug__id *node_of;  /* per node of the lowered graph: that of `fused`; SNUG_NONE: a reorder */
  size_t n_types, n_nodes;
} snug__smaller;

/* Fails: E_MEMORY, E_LIMIT, as building a step does; nothing is owed then. */
snug_status snug__smaller_init(snug__smaller *s, snug_model *m, snug__step_kind kind,
                               const snug__step *step, const snug__graph *lowered,
                               int64_t batch) SNUG_NODISCARD;
void snug__smaller_release(snug__smaller *s);

#endif
