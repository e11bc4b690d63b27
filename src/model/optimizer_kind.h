/* The kinds of optimizers, shared by the files that read and that emit them. */
#ifndef SNUG_MODEL_OPTIMIZER_KIND_H
#define SNUG_MODEL_OPTIMIZER_KIND_H

#include "model/named.h"
#include "model/optimizer.h"
#include "ops/optimizer.h"

typedef struct snug__optimizer_slot {
  const char *name;                                  /* NULL: there is no more */
  bool (*is_used)(const snug__optimizer_options *o); /* NULL: always */
  bool starts_at_accumulator_value;                  /* else at 0 */
} snug__optimizer_slot;

typedef struct snug__optimizer_kind {
  snug__named named;
  const snug__op *op;
  snug__optimizer_slot
      slots[SNUG__MAX_SLOTS]; /* in the order of the op's inputs; the optional last */
  bool (*is_other)(const snug__optimizer_options *o); /* NULL: never */
  const struct snug__optimizer_kind *other;           /* what the kind is then */
} snug__optimizer_kind;

#endif
