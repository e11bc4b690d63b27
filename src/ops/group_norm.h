/* What layer_norm, group_norm and rms_norm share: one loop over x seen as [n, s, groups, k], which
 * normalizes over s and k.  Layer and RMS normalization have one group and s = 1. */
#ifndef SNUG_OPS_GROUP_NORM_H
#define SNUG_OPS_GROUP_NORM_H

#include "ops/norm.h"

typedef struct snug__group_view {
  int64_t n, s, groups, k;
  bool centered; /* the mean is taken off */
} snug__group_view;

/* Forward: inputs x, gamma?, beta?; outputs y, mean? (if centered), rstd?. */
void snug__group_norm_run(const snug__call *call, snug__group_view v, double epsilon);
size_t snug__group_norm_scratch(snug__group_view v);

/* Backward: inputs dy, x, gamma?, mean (if centered), rstd; outputs dx?, dgamma?, dbeta?. */
void snug__group_norm_run_grad(const snug__call *call, snug__group_view v);
size_t snug__group_norm_grad_scratch(snug__group_view v);

snug__cost snug__group_norm_cost(const snug__signature *sig);

#endif
