#include "data/arrays.h"

#include <math.h>
#include <string.h>

#include "base/size.h"

const double snug__no_values = 0.0;

static bool has_values(const snug_array *a) { return a->data != &snug__no_values; }

int64_t snug__array_row(const snug_array *a) {
  int64_t n = 1;
  for (int32_t i = 1; i < a->rank; i++) {
    n *= a->shape[i];
  }
  return n;
}

static snug_status check_form(snug_ctx *ctx, const char *what, const snug_array *a, int64_t rows) {
  snug__type t;
  if (!a->data || a->rank < 1 || a->rank > SNUG_MAX_RANK) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: has no data, or %d axes (1 to %d are possible)",
                      what, a->rank, SNUG_MAX_RANK);
  }
  t = snug__type_of(a->dtype, a->rank, a->shape);
  if (!snug__type_is_valid(&t)) {
    return snug__fail(ctx, SNUG_E_SHAPE,
                      "%s: its shape is negative or too large, or its dtype is none", what);
  }
  if (a->shape[0] != rows) {
    return snug__fail(ctx, SNUG_E_SHAPE, "%s: has %lld samples, the first array has %lld", what,
                      (long long)a->shape[0], (long long)rows);
  }
  return SNUG_OK;
}

/* The sample's shape must be the value's, up to axes of size 1: labels [n] feed [n,1] and the other
 * way round. */
static bool same_sample(const snug_array *a, const snug__type *feeds) {
  int64_t wanted[SNUG_MAX_RANK];
  int64_t given[SNUG_MAX_RANK];
  int32_t n_wanted = 0;
  int32_t n_given = 0;
  for (int32_t i = 1; i < feeds->rank; i++) {
    if (feeds->dim[i] != 1) {
      wanted[n_wanted++] = feeds->dim[i];
    }
  }
  for (int32_t i = 1; i < a->rank; i++) {
    if (a->shape[i] != 1) {
      given[n_given++] = a->shape[i];
    }
  }
  return n_wanted == n_given && memcmp(wanted, given, (size_t)n_given * sizeof *given) == 0;
}

/* The way out where a sample has all the numbers, in another shape. */
static const char *shape_hint(const snug_array *a, const snug__type *feeds) {
  int64_t n = snug__type_count(feeds) / snug__max_i64(1, feeds->rank ? feeds->dim[0] : 1);
  return snug__array_row(a) == n ? "; that is as many numbers: reshape the array, or begin the "
                                   "model with a Flatten or Reshape layer"
                                 : "";
}

/* Whether an element of a dtype can hold a value: integers exactly, reals as a finite number. */
static bool holds(snug_dtype dtype, double v) {
  int64_t element = 0; /* room for any dtype */
  snug__element_set(dtype, &element, 0, v);
  double held = snug__element_get(dtype, &element, 0);
  return snug__dtype_is_integer(dtype) ? held == v : isfinite(held);
}

/* Whether there is nothing to check: no value of a dtype is impossible in another one. */
static bool always_fits(snug_dtype from, snug_dtype to) {
  if (from == to || snug__dtype_is_real(from)) {
    return !snug__dtype_is_real(from); /* reals may be NaN */
  }
  return !snug__dtype_is_integer(to) && (to != SNUG_FLOAT16 || snug_dtype_bytes(from) == 1);
}

static snug_status check_values(snug_ctx *ctx, const char *what, const snug_array *a,
                                snug_dtype feeds) {
  int64_t row = snug__array_row(a);
  bool converted = feeds != a->dtype;
  if (always_fits(a->dtype, feeds)) {
    return SNUG_OK;
  }
  for (int64_t i = 0; i < row * a->shape[0]; i++) {
    double v = snug__element_get(a->dtype, a->data, i);
    if (!isfinite(v) || (converted && !holds(feeds, v))) {
      return snug__fail(ctx, SNUG_E_DATA,
                        "%s: sample %lld, element %lld is %g%s%s; remove or replace it", what,
                        (long long)(i / row), (long long)(i % row), v,
                        isfinite(v) ? ", which is not possible as " : "",
                        isfinite(v) ? snug_dtype_text(feeds) : "");
    }
  }
  return SNUG_OK;
}

snug_status snug__array_check(snug_ctx *ctx, const char *what, const snug_array *a,
                              const snug__type *feeds, int64_t rows, const char *hint) {
  char given[SNUG__TYPE_TEXT_BYTES];
  char wanted[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(check_form(ctx, what, a, rows));
  snug__type t = snug__type_of(a->dtype, a->rank, a->shape);
  if (!same_sample(a, feeds)) {
    return snug__fail(ctx, SNUG_E_SHAPE, "%s: is %s; the model takes %s%s", what,
                      snug__type_text(&t, given), snug__type_batch_text(feeds, wanted),
                      *hint ? hint : shape_hint(a, feeds));
  }
  if (snug__dtype_is_real(a->dtype) && !snug__dtype_is_real(feeds->dtype) &&
      feeds->dtype != SNUG_INT32) {
    return snug__fail(ctx, SNUG_E_DTYPE, "%s: is %s; the model takes %s", what,
                      snug__type_text(&t, given), snug__type_text(feeds, wanted));
  }
  return has_values(a) ? check_values(ctx, what, a, feeds->dtype) : SNUG_OK;
}

snug_status snug__array_check_labels(snug_ctx *ctx, const char *what, const snug_array *a,
                                     int64_t classes, int64_t ignored) {
  int64_t row = snug__array_row(a);
  for (int64_t i = 0; has_values(a) && i < row * a->shape[0]; i++) {
    double v = snug__element_get(a->dtype, a->data, i);
    bool is_class = v >= 0 && v < (double)classes && v == floor(v);
    if (!is_class && v != (double)ignored) {
      return snug__fail(
          ctx, SNUG_E_DATA,
          "%s: sample %lld has the label %g; the output has %lld classes, so labels are 0 to %lld",
          what, (long long)(i / row), v, (long long)classes, (long long)classes - 1);
    }
  }
  return SNUG_OK;
}

void snug__array_copy_row(const snug_array *a, int64_t row, const snug__type *to, void *buffer,
                          int64_t index) {
  int64_t n = snug__array_row(a);
  size_t from_bytes = snug_dtype_bytes(a->dtype);
  size_t to_bytes = snug_dtype_bytes(to->dtype);
  const char *src = (const char *)a->data + (size_t)(row * n) * from_bytes;
  char *dst = (char *)buffer + (size_t)(index * n) * to_bytes;
  if (a->dtype == to->dtype) {
    memcpy(dst, src, (size_t)n * to_bytes);
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    snug__element_set(to->dtype, dst, i, snug__element_get(a->dtype, src, i));
  }
}
