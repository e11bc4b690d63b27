#include "data/arrays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "base/struct_size.h"

const double snug__no_values = 0.0;

static bool has_values(const snug_array *a) { return a->data != &snug__no_values; }

int64_t snug__array_row(const snug_array *a) {
  int64_t n = 1;
  for (int32_t i = 1; i < a->rank; i++) {
    n *= a->shape[i];
  }
  return n;
}

size_t snug__array_row_bytes(const snug_array *a) {
  return (size_t)snug__array_row(a) * snug_dtype_bytes(a->dtype);
}

snug_status snug__data_read(snug_ctx *ctx, const snug_data *from, snug__given *to) {
  SNUG_TRY(SNUG__READ(ctx, snug_data, from, &to->data));
  to->of = to->data.source;
  SNUG_TRY(SNUG__READ(ctx, snug_source, to->of, &to->source));
  to->data.source = to->of ? &to->source : NULL;
  return SNUG_OK;
}

int32_t snug__data_labels(const snug_data *data) {
  return data->y && data->n_y > 0 ? data->n_y : 0;
}

int32_t snug__data_count(const snug_data *data) {
  return data->n_x + snug__data_labels(data) + (data->sample_weight != NULL);
}

const snug_array *snug__data_array(const snug_data *data, int32_t k) {
  int32_t label = k - data->n_x;
  return label < 0                         ? &data->x[k]
         : label < snug__data_labels(data) ? &data->y[label]
                                           : data->sample_weight;
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

/* Whether n floats are finite, many at a time: an exponent of all ones is that of those which are
 * not. */
static bool are_finite(const void *floats, int64_t n) {
  const uint32_t ones = UINT32_C(0x7F800000);
  const char *at = floats;
  uint32_t found = 0;
  for (int64_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, at + i * (int64_t)sizeof bits, sizeof bits);
    found |= (bits & ones) == ones;
  }
  return !found;
}

static bool is_good(const snug__demand *d, const snug_array *a, const void *sample) {
  return always_fits(a->dtype, d->feeds.dtype) ||
         (a->dtype == SNUG_FLOAT32 && d->feeds.dtype == SNUG_FLOAT32 &&
          are_finite(sample, snug__array_row(a)));
}

static snug_status check_values(const snug__demand *d, const snug_array *a, const void *sample,
                                int64_t row, char *why) {
  bool converted = d->feeds.dtype != a->dtype;
  int64_t n = is_good(d, a, sample) ? 0 : snug__array_row(a);
  for (int64_t i = 0; i < n; i++) {
    double v = snug__element_get(a->dtype, sample, i);
    if (!isfinite(v) || (converted && !holds(d->feeds.dtype, v))) {
      snprintf(why, SNUG_WHY_BYTES, "%s: sample %lld, element %lld is %g%s%s; remove or replace it",
               d->what, (long long)row, (long long)i, v,
               isfinite(v) ? ", which is not possible as " : "",
               isfinite(v) ? snug_dtype_text(d->feeds.dtype) : "");
      return SNUG_E_DATA;
    }
  }
  return SNUG_OK;
}

static snug_status check_class(const snug__demand *d, const snug_array *a, const void *sample,
                               int64_t row, char *why) {
  for (int64_t i = 0; d->is_class && i < snug__array_row(a); i++) {
    double v = snug__element_get(a->dtype, sample, i);
    bool is_class = v >= 0 && v < (double)d->classes && v == floor(v);
    if (!is_class && v != (double)d->ignored) {
      snprintf(
          why, SNUG_WHY_BYTES,
          "%s: sample %lld has the label %g; the output has %lld classes, so labels are 0 to %lld",
          d->what, (long long)row, v, (long long)d->classes, (long long)d->classes - 1);
      return SNUG_E_DATA;
    }
  }
  return SNUG_OK;
}

snug_status snug__sample_check(const snug__demand *d, const snug_array *a, const void *sample,
                               int64_t row, char *why) {
  SNUG_TRY(check_values(d, a, sample, row, why));
  return check_class(d, a, sample, row, why);
}

/* All samples that are there. */
static snug_status check_samples(snug_ctx *ctx, const snug__demand *d, const snug_array *a) {
  char why[SNUG_WHY_BYTES];
  size_t bytes = snug__array_row_bytes(a);
  bool needs_none = !d->is_class && always_fits(a->dtype, d->feeds.dtype);
  for (int64_t i = 0; !needs_none && has_values(a) && i < a->shape[0]; i++) {
    snug_status s = snug__sample_check(d, a, (const char *)a->data + (size_t)i * bytes, i, why);
    if (s) {
      return snug__fail(ctx, s, "%s", why);
    }
  }
  return SNUG_OK;
}

static snug_status check_type(snug_ctx *ctx, const snug__demand *d, const snug_array *a) {
  const snug__type *feeds = &d->feeds;
  char given[SNUG__TYPE_TEXT_BYTES];
  char wanted[SNUG__TYPE_TEXT_BYTES];
  snug__type t = snug__type_of(a->dtype, a->rank, a->shape);
  if (!same_sample(a, feeds)) {
    return snug__fail(ctx, SNUG_E_SHAPE, "%s: is %s; the model takes %s%s", d->what,
                      snug__type_text(&t, given), snug__type_batch_text(feeds, wanted),
                      *d->hint ? d->hint : shape_hint(a, feeds));
  }
  if (snug__dtype_is_real(a->dtype) && !snug__dtype_is_real(feeds->dtype) &&
      feeds->dtype != SNUG_INT32) {
    return snug__fail(ctx, SNUG_E_DTYPE, "%s: is %s; the model takes %s", d->what,
                      snug__type_text(&t, given), snug__type_text(feeds, wanted));
  }
  return SNUG_OK;
}

snug_status snug__array_check(snug_ctx *ctx, const snug__demand *d, const snug_array *a,
                              int64_t rows) {
  SNUG_TRY(check_form(ctx, d->what, a, rows));
  SNUG_TRY(check_type(ctx, d, a));
  return check_samples(ctx, d, a);
}

#define CONVERT(to, from)                          \
  for (int64_t i_ = 0; i_ < n; i_++) {             \
    ((to *)dst)[i_] = (to)((const from *)src)[i_]; \
  }                                                \
  return true

/* The conversions that most data need.  false: it is another one. */
static bool convert_common(snug_dtype to, void *dst, snug_dtype from, const void *src, int64_t n) {
  if (to == SNUG_FLOAT32 && from == SNUG_UINT8) {
    CONVERT(float, uint8_t);
  }
  if (to == SNUG_FLOAT32 && from == SNUG_FLOAT64) {
    CONVERT(float, double);
  }
  if (to == SNUG_INT32 && from == SNUG_INT64) { /* checked before: it fits */
    CONVERT(int32_t, int64_t);
  }
  return false;
}

static void convert(snug_dtype to, void *dst, snug_dtype from, const void *src, int64_t n) {
  if (from == to) {
    memcpy(dst, src, (size_t)n * snug_dtype_bytes(to));
  } else if (!convert_common(to, dst, from, src, n)) {
    for (int64_t i = 0; i < n; i++) {
      snug__element_set(to, dst, i, snug__element_get(from, src, i));
    }
  }
}

/* Samples of one number, as labels are: calling memcpy for each takes longer than the copy. */
static bool gather_numbers(size_t bytes, const int64_t *row, int64_t n, const char *src,
                           char *dst) {
  if (bytes != 4 && bytes != 8) {
    return false;
  }
  for (int64_t i = 0; bytes == 4 && i < n; i++) {
    memcpy(dst + 4 * i, src + 4 * row[i], 4);
  }
  for (int64_t i = 0; bytes == 8 && i < n; i++) {
    memcpy(dst + 8 * i, src + 8 * row[i], 8);
  }
  return true;
}

void snug__array_copy_rows(const snug_array *a, const snug__row_list *rows, const snug__type *to,
                           void *buffer, int64_t index) {
  int64_t n = snug__array_row(a);
  size_t from_bytes = (size_t)n * snug_dtype_bytes(a->dtype);
  size_t to_bytes = (size_t)n * snug_dtype_bytes(to->dtype);
  const char *src = a->data;
  char *dst = (char *)buffer + (size_t)index * to_bytes;
  if (!rows->row) {
    convert(to->dtype, dst, a->dtype, src + (size_t)rows->first * from_bytes, rows->n * n);
    return;
  }
  if (a->dtype == to->dtype && gather_numbers(to_bytes, rows->row, rows->n, src, dst)) {
    return;
  }
  for (int64_t i = 0; i < rows->n; i++) {
    convert(to->dtype, dst + (size_t)i * to_bytes, a->dtype,
            src + (size_t)rows->row[i] * from_bytes, n);
  }
}
