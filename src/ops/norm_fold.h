/* Folding of a normalization with given statistics into the convolution before it. */
#ifndef SNUG_OPS_NORM_FOLD_H
#define SNUG_OPS_NORM_FOLD_H

#include "ops/fuse.h"

/* The normalization that alone reads y, which `conv` (or its bias behind it) makes, if it can be
 * folded and that pays; else SNUG_NONE. */
snug__id snug__foldable_norm(const snug__rewrite *r, snug__id conv, snug__id y);

/* Emit the kernel and the bias (new values; *bias: the one before, or SNUG_NONE). */
snug_status snug__fold_norm(snug__rewrite *r, snug__id conv, snug__id norm, snug__id *kernel,
                            snug__id *bias) SNUG_NODISCARD;

#endif
