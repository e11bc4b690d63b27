/* The one loop behind the ops that move elements: a copy between two strided views of one shape. */
#ifndef SNUG_OPS_COPY_H
#define SNUG_OPS_COPY_H

#include "ops/ops.h"

#define SNUG__COPY_RANK (SNUG_MAX_RANK + 2)

typedef struct snug__copy_loop {
  int64_t n, to, from; /* strides in elements; from may be 0 */
} snug__copy_loop;

typedef struct snug__copy {
  void *dst;
  const void *src;
  size_t bytes; /* of an element: 1, 2, 4 or 8 */
  int32_t rank;
  snug__copy_loop axis[SNUG__COPY_RANK];
} snug__copy;

/* Append an axis.  At most SNUG__COPY_RANK. */
static inline void snug__copy_axis(snug__copy *c, int64_t n, int64_t to, int64_t from) {
  c->axis[c->rank++] = (snug__copy_loop){n, to, from};
}

/* Run it.  No two elements of the destination may lie in one place. */
void snug__copy_run(snug__copy c, int32_t threads);

/* Strides in elements of a row-major shape. */
void snug__row_major(const snug__type *t, int64_t strides[SNUG_MAX_RANK]);

/* Set every element of a tensor to a value, rounded to its dtype. */
void snug__fill(const snug__type *t, void *data, double value, int32_t threads);

#endif
