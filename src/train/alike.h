/* Calls that are alike: timed once.
 *
 * Dense blocks have hundreds of calls that differ in a few channels.  What one of them takes tells
 * what the others take, by the work that each has. */
#ifndef SNUG_TRAIN_ALIKE_H
#define SNUG_TRAIN_ALIKE_H

#include "base/vec.h"
#include "device/device.h"

typedef struct snug__alike {
  const snug__op *op;
  const snug__kernel *kernel;
  uint64_t how; /* snug__alike_how */
  uint64_t far_in, far_out;
  snug__type first; /* the first input: all axes but the last one count */
  snug__cost cost;
  double guessed, seconds;
  bool is_small; /* a small part of the step: what is less like it may tell it */
} snug__alike;

/* What parameters say of the way of a call: all choices, but no numbers, which its work tells. */
uint64_t snug__alike_how(const snug__op *op, const void *params);

/* The seconds of a call (all but `seconds` is set) by one in the list (snug__alike) with the same
 * kernel on like data and about as much work; for a small one, on any data of the same layout and
 * up to twice as much or half.  false: there is none. */
bool snug__alike_find(const snug__vec *list, const snug__alike *call, double *seconds);

#endif
