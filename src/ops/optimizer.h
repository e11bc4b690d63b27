/* Updates of a weight, each one pass over it.
 *
 * Inputs of each rule: (w, g, slots..., learning_rate, iteration, scale, enabled).  Slots have the
 * type of w and are left out where the rule's options do not use them; learning_rate is a float
 * scalar, iteration an int64 scalar with the number of steps made before this one; scale (may be
 * left out) is a scalar that g is multiplied with; at enabled (may be left out) equal to 0 no bit
 * changes.  Outputs are the new w and the new slots, in place.
 *
 * Per element, in double:  g *= gradient_factor * scale; g is clamped to ±clipvalue (0: not);
 * w -= w * weight_decay * learning_rate; then the rule.  t = iteration / accumulation_steps + 1. */
#ifndef SNUG_OPS_OPTIMIZER_H
#define SNUG_OPS_OPTIMIZER_H

#include "ops/support.h"

/* The options of all rules; each op knows its own by its fields. */
typedef struct snug__update_params {
  double weight_decay, clipvalue, gradient_factor;
  int64_t accumulation_steps;
  double momentum, rho, epsilon, beta_1, beta_2;
  bool nesterov;
  double learning_rate_power, l1, l2, l2_shrinkage, beta; /* ftrl */
} snug__update_params;

#define SNUG__MAX_SLOTS 3

/* Positions of the inputs after the slots. */
enum { SNUG__UPDATE_RATE, SNUG__UPDATE_ITERATION, SNUG__UPDATE_SCALE, SNUG__UPDATE_ENABLED };

typedef struct snug__increment_params {
  int64_t by;
} snug__increment_params;

typedef struct snug__every_params {
  int64_t n;
} snug__every_params;

typedef struct snug__clip_scale_params {
  double clipnorm;
  double factor; /* of the gradients whose squares were summed */
  bool is_global;
} snug__clip_scale_params;

typedef struct snug__ema_params {
  double momentum;
  int64_t accumulation_steps;
  int64_t frequency; /* ema_overwrite: every so many steps */
} snug__ema_params;

typedef struct snug__nadam_product_params {
  double beta_1;
  int64_t accumulation_steps;
} snug__nadam_product_params;

#endif
