#include "model/labels.h"

#include <string.h>

#include "ops/shape.h"
#include "ops/support.h"
#include "ops/unary.h"

/* Whether `longer` is `shorter` with an axis of size 1 at the end. */
static bool is_longer_by_one(const snug__type *longer, const snug__type *shorter) {
  return longer->rank == shorter->rank + 1 && longer->dim[shorter->rank] == 1 &&
         memcmp(longer->dim, shorter->dim, (size_t)shorter->rank * sizeof *shorter->dim) == 0;
}

snug_status snug__fit_last_axis(snug__build *b, snug__id v, const snug__type *wanted,
                                snug__id *out) {
  const snug__type *t = snug__type_at(b->g, v);
  *out = v;
  if (is_longer_by_one(t, wanted) || is_longer_by_one(wanted, t)) {
    return snug__emit_reshape(b->g, v, wanted, out);
  }
  return SNUG_OK;
}

snug_status snug__fit_weights(snug__build *b, snug__id *weights, snug__id values) {
  snug__type shape = *snug__type_at(b->g, values);
  const snug__type *w = *weights == SNUG_NONE ? NULL : snug__type_at(b->g, *weights);
  if (!w) {
    return SNUG_OK;
  }
  shape.dtype = w->dtype;
  if (w->rank != 1 || shape.rank < 2 || w->dim[0] != shape.dim[0]) {
    return snug__fit_last_axis(b, *weights, &shape, weights);
  }
  for (int32_t k = 1; k < shape.rank; k++) {
    shape.dim[k] = 1;
  }
  return snug__emit_reshape(b->g, *weights, &shape, weights);
}

snug_status snug__mask_weights(snug__build *b, snug__id mask, snug__id *weights) {
  snug__cast_params p = {(int32_t)b->real};
  snug__id zero_or_one = SNUG_NONE;
  SNUG_TRY(SNUG_EMIT(b->g, cast, &p, &zero_or_one, mask));
  if (*weights == SNUG_NONE) {
    *weights = zero_or_one;
    return SNUG_OK;
  }
  SNUG_TRY(snug__fit_weights(b, weights, mask));
  return SNUG_EMIT(b->g, multiply, NULL, weights, zero_or_one, *weights);
}

/* Keras's rule for ranks that differ by one: a vector gains the axis, anything longer loses it. */
snug_status snug__fit_labels(snug__build *b, snug__id *t, snug__id *y) {
  snug__type tt = *snug__type_at(b->g, *t);
  snug__type ty = *snug__type_at(b->g, *y);
  if (is_longer_by_one(&ty, &tt) && tt.rank != 1) {
    return snug__emit_reshape(b->g, *y, &tt, y);
  }
  if (is_longer_by_one(&tt, &ty) && ty.rank == 1) {
    return snug__emit_reshape(b->g, *y, &tt, y);
  }
  return snug__fit_last_axis(b, *t, &ty, t);
}

snug__type snug__without_last(const snug__type *y, snug_dtype dtype) {
  return snug__type_of(dtype, y->rank ? y->rank - 1 : 0, y->dim);
}

snug_status snug__fit_sparse_labels(snug__build *b, snug__id *t, snug__id y) {
  snug__type labels = snug__without_last(snug__type_at(b->g, y), snug__type_at(b->g, *t)->dtype);
  return snug__fit_last_axis(b, *t, &labels, t);
}
