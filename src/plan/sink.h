/* Sinking: in an order, a node that frees nothing runs just before the first that needs it. */
#ifndef SNUG_PLAN_SINK_H
#define SNUG_PLAN_SINK_H

#include "plan/depend.h"

/* Improve an order of g's nodes in place: what a node makes begins to live as late as it can, and
 * nothing lives longer.  A copy of weights for the backward is made in the backward.  Fails:
 * E_MEMORY; the order is as it was. */
snug_status snug__order_sink(const snug__graph *g, const snug__depend *depend,
                             snug__id *order) SNUG_NODISCARD;

#endif
