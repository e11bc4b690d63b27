/* How the steps of a training are run: what planning chooses, and a backup keeps. */
#ifndef SNUG_PLANNING_CHOICE_H
#define SNUG_PLANNING_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What becomes of a value of the forward: see snug__recomputation and snug__offload.  Views go with
 * what they look at, or are kept where that waits. */
typedef unsigned char snug__policy;

typedef struct snug__step_choice {
  int64_t micro;        /* samples of a micro-batch; 0: batches are run whole */
  int64_t most_scratch; /* that kernels are to need, see assign_layouts.h; 0: any */
  bool slots;           /* optimizer slots live in a file, if that is still free */
  snug__policy *policy; /* per value of the step as it is laid out; NULL: what costs next to
                             nothing is recomputed */
  size_t n_values;      /* of policy: steps of other sizes have as many */
} snug__step_choice;

#endif
