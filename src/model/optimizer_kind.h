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
  const struct snug__optimizer_kind *of_matrix;       /* Muon's, for what it makes orthogonal */
} snug__optimizer_kind;

/* The kind that updates a weight: Muon has two. */
const snug__optimizer_kind *snug__optimizer_kind_of(const snug__optimizer *o,
                                                    const snug__variable *weight);

/* Emit the orthogonal matrix next to x, [m,n], by `ns_steps` steps of Newton and Schulz. */
snug_status snug__optimizer_orthogonal(snug__graph *g, const snug__optimizer_options *o, snug__id x,
                                       snug__id *out) SNUG_NODISCARD;

#endif
