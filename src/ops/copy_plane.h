/* The inner two loops of a strided copy. */
#ifndef SNUG_OPS_COPY_PLANE_H
#define SNUG_OPS_COPY_PLANE_H

#include "ops/copy.h"

/* Columns are the elements that lie closest in the destination. */
typedef struct snug__plane {
  size_t bytes; /* of an element: 1, 2, 4 or 8 */
  snug__copy_loop row, column;
} snug__plane;

void snug__plane_copy(const snug__plane *p, void *dst, const void *src);

#endif
