/* The type of a value: element type and shape.  A signature is made of these and never of a graph.
 */
#ifndef SNUG_GRAPH_TYPE_H
#define SNUG_GRAPH_TYPE_H

#include <stdbool.h>

#include "graph/layout.h"
#include "snug/types.h"

typedef struct snug__type {
  snug_dtype dtype; /* SNUG_NO_DTYPE: there is no value (an optional input that was left out) */
  snug__layout layout;
  int32_t rank;
  int64_t dim[SNUG_MAX_RANK]; /* zero beyond rank, so that types compare with memcmp */
} snug__type;

/* A type from its parts; rank must be at most SNUG_MAX_RANK. */
snug__type snug__type_of(snug_dtype dtype, int32_t rank, const int64_t *dim);
static inline snug__type snug__scalar(snug_dtype dtype) { return snug__type_of(dtype, 0, NULL); }

/* Number of elements, and bytes with what the layout adds.  The graph checks that both fit into 63
 * bits when a value is added. */
int64_t snug__type_count(const snug__type *t);
int64_t snug__type_bytes(const snug__type *t);

/* Elements along an axis as they are stored: rounded up to the layout's block. */
int64_t snug__type_stored(const snug__type *t, int32_t axis);

/* The same value in another layout, which must be one for its rank. */
static inline snug__type snug__type_in(snug__type t, snug__layout layout) {
  t.layout = layout;
  return t;
}

/* False if a dimension is negative or the bytes do not fit into 63 bits. */
bool snug__type_is_valid(const snug__type *t);

bool snug__type_equal(const snug__type *a, const snug__type *b);
bool snug__type_equal_but_layout(const snug__type *a, const snug__type *b);
bool snug__shape_equal(const snug__type *a, const snug__type *b);

bool snug__dtype_is_real(snug_dtype dtype); /* float32, float64, float16, bfloat16 */
bool snug__dtype_is_integer(snug_dtype dtype);

/* "float32[32,28,28,1]", with ":nchw16c" if it is not plain, into out (cut to fit); returns out. */
#define SNUG__TYPE_TEXT_BYTES 160
const char *snug__type_text(const snug__type *t, char out[SNUG__TYPE_TEXT_BYTES]);

/* The same with the first axis left open: "float32[batch,28,28,1]". */
const char *snug__type_batch_text(const snug__type *t, char out[SNUG__TYPE_TEXT_BYTES]);

/* One element as a double, and back: to nearest even for reals, towards zero and saturating for
 * integers. */
double snug__element_get(snug_dtype dtype, const void *data, int64_t index);
void snug__element_set(snug_dtype dtype, void *data, int64_t index, double value);

/* Half-precision conversions, to nearest even; from a double in one rounding, not by way of float.
 */
float snug__half_to_float(uint16_t h);
uint16_t snug__float_to_half(float f);
float snug__bfloat_to_float(uint16_t b);
uint16_t snug__float_to_bfloat(float f);
uint16_t snug__double_to_half(double v);
uint16_t snug__double_to_bfloat(double v);

#endif
