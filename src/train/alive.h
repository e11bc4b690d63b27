/* Which values are alive in the block when most of it is in use, and the bytes of each class then.
 */
#ifndef SNUG_TRAIN_ALIVE_H
#define SNUG_TRAIN_ALIVE_H

#include "train/session.h"

typedef enum snug__phase { SNUG__PHASE_TRAINING, SNUG__PHASE_VALIDATION, SNUG__PHASES } snug__phase;

typedef struct snug__alive {
  const snug__run *run; /* that needs the largest block; NULL: nothing was found yet */
  snug__peak peak;      /* of it */
  snug__id *holders;    /* per buffer of its plan, at that moment */
  size_t n_holders;
  snug__peak highest[SNUG__PHASES]; /* of the steps of training and of validation; sums included */
} snug__alive;

/* Look at the programs of a session; what was found before is forgotten.  Fails: E_MEMORY, E_LIMIT.
 */
snug_status snug__alive_find(snug__alive *a, snug__session *s) SNUG_NODISCARD;
void snug__alive_release(snug__alive *a, snug_ctx *ctx);

#endif
