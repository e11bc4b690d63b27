/* Walking several broadcast inputs in the order of one output.
 *
 * Axes along which every input advances alike are merged, so equal shapes become one long row and
 * a bias over the last axis becomes rows of that axis: divisions are paid per range, not per
 * element. */
#ifndef SNUG_OPS_ZIP_H
#define SNUG_OPS_ZIP_H

#include "graph/type.h"

#define SNUG__ZIP_MAX 3

typedef struct snug__zip {
  int32_t n;    /* inputs */
  int32_t rank; /* merged axes, at least one, outermost first */
  int64_t dim[SNUG_MAX_RANK];
  int64_t stride[SNUG__ZIP_MAX][SNUG_MAX_RANK]; /* in elements; 0 or 1 along the last axis */
} snug__zip;

/* A piece of a row: elements at[k] + i * step[k] of input k make element out + i, i in [0, n). */
typedef struct snug__zip_row {
  int64_t at[SNUG__ZIP_MAX], step[SNUG__ZIP_MAX];
  int64_t out, n;
} snug__zip_row;

/* Each of the inputs must be broadcastable to `out`. */
snug__zip snug__zip_of(const snug__type *out, const snug__type *in, int32_t n);

typedef void snug__zip_body(const void *arg, const snug__zip_row *piece);

/* Call row(arg, piece) for pieces that cover elements [begin, end) of the output, in order. */
void snug__zip_walk(const snug__zip *z, int64_t begin, int64_t end, snug__zip_body *row,
                    const void *arg);

#endif
