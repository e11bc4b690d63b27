/* The fusion pass: where nodes that follow each other can be one, their ops' rules make them one.
 */
#ifndef SNUG_PASS_FUSE_H
#define SNUG_PASS_FUSE_H

#include "graph/rewrite.h"

/* out is the caller's, also its graph; nothing is owed after a failure. */
snug_status snug__pass_fuse(const snug__graph *g, snug__rewrite *out) SNUG_NODISCARD;

#endif
