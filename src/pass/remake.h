/* The remake pass: what the backward reads of the forward and what one pass over its values makes
 * again (normalize, activate, add, drop) is made again there and not kept in between.
 *
 * A value is made again if everything that is needed for it is there anyway in the backward:
 * because the backward reads it too, at that time or later, because it is small or a variable, or
 * because it can be made again itself.  No convolution and no product of matrices ever is. */
#ifndef SNUG_PASS_REMAKE_H
#define SNUG_PASS_REMAKE_H

#include "graph/rewrite.h"

/* out is the caller's, also its graph; nothing is owed after a failure. */
snug_status snug__pass_remake(const snug__graph *g, snug__rewrite *out) SNUG_NODISCARD;

#endif
