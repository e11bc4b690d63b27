#include "graph/type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"

static const struct {
  const char *text;
  size_t bytes;
} dtypes[SNUG_DTYPE_COUNT] = {[SNUG_NO_DTYPE] = {"none", 0},
#define SNUG__DTYPE_ROW(name, text, bytes) [SNUG_##name] = {text, bytes},
                              SNUG_DTYPE_LIST(SNUG__DTYPE_ROW)
#undef SNUG__DTYPE_ROW
};

size_t snug_dtype_bytes(snug_dtype dtype) {
  return dtype < SNUG_DTYPE_COUNT ? dtypes[dtype].bytes : 0;
}

const char *snug_dtype_text(snug_dtype dtype) {
  return dtype < SNUG_DTYPE_COUNT ? dtypes[dtype].text : "none";
}

bool snug__dtype_is_real(snug_dtype d) {
  return d == SNUG_FLOAT32 || d == SNUG_FLOAT64 || d == SNUG_FLOAT16 || d == SNUG_BFLOAT16;
}

bool snug__dtype_is_integer(snug_dtype d) {
  return d == SNUG_INT8 || d == SNUG_INT32 || d == SNUG_INT64 || d == SNUG_UINT8;
}

snug__type snug__type_of(snug_dtype dtype, int32_t rank, const int64_t *dim) {
  snug__type t;
  memset(&t, 0, sizeof t); /* padding too: signatures are compared as bytes */
  t.dtype = dtype;
  t.rank = rank;
  for (int32_t i = 0; i < rank; i++) {
    t.dim[i] = dim[i];
  }
  return t;
}

int64_t snug__type_count(const snug__type *t) {
  int64_t n = 1;
  for (int32_t i = 0; i < t->rank; i++) {
    n *= t->dim[i];
  }
  return n;
}

int64_t snug__type_stored(const snug__type *t, int32_t axis) {
  int64_t block = snug__layout_block(t->layout, axis);
  return (t->dim[axis] + (block - 1)) / block * block;
}

int64_t snug__type_bytes(const snug__type *t) {
  int64_t n = (int64_t)snug_dtype_bytes(t->dtype);
  if (t->layout == SNUG__LAYOUT_PLAIN) {
    return n * snug__type_count(t);
  }
  for (int32_t i = 0; i < t->rank; i++) {
    n *= snug__type_stored(t, i);
  }
  return n;
}

bool snug__type_is_valid(const snug__type *t) {
  int64_t bytes = (int64_t)snug_dtype_bytes(t->dtype);
  if (t->rank < 0 || t->rank > SNUG_MAX_RANK || bytes == 0 ||
      !snug__layout_is_for(t->layout, t->rank)) {
    return false;
  }
  /* The product of the non-zero dimensions must fit too: strides are computed from it. */
  for (int32_t i = 0; i < t->rank; i++) {
    int64_t spare = snug__layout_block(t->layout, i) - 1;
    if (t->dim[i] < 0 || t->dim[i] > INT64_MAX - spare ||
        !snug__mul_i64(bytes, t->dim[i] ? snug__type_stored(t, i) : 1, &bytes)) {
      return false;
    }
  }
  return true;
}

bool snug__shape_equal(const snug__type *a, const snug__type *b) {
  return a->rank == b->rank && memcmp(a->dim, b->dim, sizeof a->dim) == 0;
}

bool snug__type_equal_but_layout(const snug__type *a, const snug__type *b) {
  return a->dtype == b->dtype && snug__shape_equal(a, b);
}

bool snug__type_equal(const snug__type *a, const snug__type *b) {
  return a->layout == b->layout && snug__type_equal_but_layout(a, b);
}

static const char *print_type(const snug__type *t, const char *first, char *out) {
  int n = snprintf(out, SNUG__TYPE_TEXT_BYTES, "%s[%s", snug_dtype_text(t->dtype), first);
  for (int32_t i = first[0] ? 1 : 0; i < t->rank; i++) {
    n += snprintf(out + n, (size_t)(SNUG__TYPE_TEXT_BYTES - n), "%s%lld", i ? "," : "",
                  (long long)t->dim[i]);
  }
  snprintf(out + n, (size_t)(SNUG__TYPE_TEXT_BYTES - n), "]%s%s", t->layout ? ":" : "",
           t->layout ? snug__layout_text(t->layout) : "");
  return out;
}

const char *snug__type_text(const snug__type *t, char out[SNUG__TYPE_TEXT_BYTES]) {
  return print_type(t, "", out);
}

const char *snug__type_batch_text(const snug__type *t, char out[SNUG__TYPE_TEXT_BYTES]) {
  return print_type(t, "batch", out);
}
