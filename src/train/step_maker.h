/* A step in the making: what the files that emit its parts share. */
#ifndef SNUG_TRAIN_STEP_MAKER_H
#define SNUG_TRAIN_STEP_MAKER_H

#include "train/step.h"

typedef struct snug__step_maker {
  snug_model *m;
  snug__build b;
  snug__step step;
  snug__id *masks;  /* per output: its mask, or SNUG_NONE */
  snug__id *losses; /* per output: its scalar */
  snug__id total;   /* what is minimized */
  snug__id
      penalty; /* micro-batches: the regularizers' part of the loss, which counts once per batch */
} snug__step_maker;

static inline bool snug__step_is_micro_batch(const snug__step_maker *k) {
  return k->step.whole != SNUG_NONE;
}

static inline snug_status snug__step_ids(snug__step_maker *k, size_t n, snug__id **out) {
  return snug__arena_take(&k->b.g->arena, n * sizeof **out, (void **)out);
}

/* *sum += term, either of which may be missing. */
snug_status snug__step_add(snug__step_maker *k, snug__id *sum, snug__id term) SNUG_NODISCARD;

/* Add the regularizers of all trained weights to *sum. */
snug_status snug__step_penalize(snug__step_maker *k, snug__id *sum) SNUG_NODISCARD;

/* In step_update.c: backward and update of a whole batch; backward of a micro-batch; update by the
 * sums.
 */
snug_status snug__step_emit_update(snug__step_maker *k) SNUG_NODISCARD;
snug_status snug__step_emit_sums(snug__step_maker *k) SNUG_NODISCARD;
snug_status snug__step_emit_late_update(snug__step_maker *k) SNUG_NODISCARD;

#endif
