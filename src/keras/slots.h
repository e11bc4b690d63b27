/* The variables of an optimizer in the order of Keras's file: iteration, learning rate (unless it
 * follows a schedule), averages, accumulated gradients, and the slots of its kind, for the weights
 * in the order of the places. */
#ifndef SNUG_KERAS_SLOTS_H
#define SNUG_KERAS_SLOTS_H

#include "keras/order.h"
#include "train/training.h"

typedef struct snug__keras_slot {
  snug__id variable; /* SNUG_NONE: not kept here, since no gradient reaches its weight */
  snug__type type;
  double initial; /* what it is where it is not kept */
} snug__keras_slot;

/* Append the variables (snug__keras_slot) of a compiled model's optimizer.  is_old: in the order
 * up to 3.9, which is another for Nadam, and for averages beside accumulated gradients.  Fails:
 * E_UNSUPPORTED for an optimizer that Keras does not have. */
snug_status snug__keras_slots_list(const snug_model *m, bool is_old, snug__vec *out) SNUG_NODISCARD;

/* Whether a Keras version ("3.9.2") has the old order; "" has not. */
bool snug__keras_slots_are_old(const char *version);

/* How many of the first ones are there before the first step. */
size_t snug__keras_slots_unbuilt(const snug_model *m);

#endif
