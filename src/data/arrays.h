/* Arrays in memory as a source: checked whole before step 1, then read row by row into the buffers
 * of a program. */
#ifndef SNUG_DATA_ARRAYS_H
#define SNUG_DATA_ARRAYS_H

#include "base/ctx.h"
#include "graph/type.h"
#include "snug/train.h"

/* What the arrays of a stand-in point to (train/stand_in.h): they have a shape and no values, and
 * only a plan takes them. */
extern const double snug__no_values;

/* Elements of one sample. */
int64_t snug__array_row(const snug_array *a);

/* Check an array against the value it feeds (whose first axis is the batch): shape of a sample, a
 * dtype that can be converted, no NaN or infinity, nothing that its dtype could not hold,
 * and as many samples as `rows`.  `what` names it in messages ("x[0] 'image'"),
 * `hint` ends the message of a wrong shape ("" or "; ...").  Of a stand-in the shape alone. */
snug_status snug__array_check(snug_ctx *ctx, const char *what, const snug_array *a,
                              const snug__type *feeds, int64_t rows,
                              const char *hint) SNUG_NODISCARD;

/* Check that labels are whole numbers in [0, classes), or `ignored`. */
snug_status snug__array_check_labels(snug_ctx *ctx, const char *what, const snug_array *a,
                                     int64_t classes, int64_t ignored) SNUG_NODISCARD;

/* Copy sample `row` to place `index` of a buffer of type `to`, converted. */
void snug__array_copy_row(const snug_array *a, int64_t row, const snug__type *to, void *buffer,
                          int64_t index);

#endif
