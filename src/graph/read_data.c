/* The data of a constant in the text of a graph. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "graph/read.h"

#define ELEMENT_BYTES 64 /* of its text */

static bool in_range(snug_dtype dtype, int64_t v) {
  switch (dtype) {
    case SNUG_INT8:
      return v >= INT8_MIN && v <= INT8_MAX;
    case SNUG_INT32:
      return v >= INT32_MIN && v <= INT32_MAX;
    case SNUG_UINT8:
    case SNUG_BOOL:
      return v >= 0 && v <= UINT8_MAX;
    default:
      return true;
  }
}

static bool set_integer(snug_dtype dtype, const char *word, void *to) {
  int64_t v = 0;
  if (!snug__read_int(&word, &v) || *word || !in_range(dtype, v)) {
    return false;
  }
  memcpy(to, &v, snug_dtype_bytes(dtype)); /* little-endian */
  return true;
}

/* 0x and the bits as they lie in memory. */
static bool set_bits(snug_dtype dtype, const char *word, void *to) {
  char *end = NULL;
  size_t bytes = snug_dtype_bytes(dtype);
  errno = 0;
  unsigned long long v = strtoull(word, &end, 16);
  if (*end || errno == ERANGE || (bytes < sizeof v && v >> (8 * bytes))) {
    return false;
  }
  uint64_t bits = v;
  memcpy(to, &bits, bytes);
  return true;
}

/* A number that becomes infinite in the dtype was none of its own. */
static bool set_real(snug_dtype dtype, const char *word, void *to) {
  double v = 0.0;
  if (!snug__read_float(&word, &v) || *word) {
    return false;
  }
  if (dtype != SNUG_FLOAT64 && isfinite(v) && fabs(v) > (double)FLT_MAX) {
    return false;
  }
  snug__element_set(dtype, to, 0, v);
  return isinf(v) || !isinf(snug__element_get(dtype, to, 0));
}

static snug_status read_element(snug__scan *s, snug_dtype dtype, void *to) {
  char word[ELEMENT_BYTES];
  char *at = s->at;
  SNUG_TRY(snug__scan_token(s, "an element", word, sizeof word));
  bool ok = !snug__dtype_is_real(dtype)   ? set_integer(dtype, word, to)
            : strncmp(word, "0x", 2) == 0 ? set_bits(dtype, word, to)
                                          : set_real(dtype, word, to);
  if (!ok) {
    s->at = at;
    return snug__scan_fail(s, "expected an element of %s", snug_dtype_text(dtype));
  }
  return SNUG_OK;
}

snug_status snug__read_data(snug__reader *r, const snug__type *type, const void **out) {
  snug__scan *s = &r->scan;
  void *data = NULL;
  int64_t n = snug__type_count(type);
  size_t bytes = snug_dtype_bytes(type->dtype);
  if (n > (s->end - s->rest) / 2) { /* a blank and a digit each */
    return snug__scan_fail(s, "the text has no room for the %lld elements of the constant",
                           (long long)n);
  }
  SNUG_TRY(snug__arena_take(&r->g->arena, (size_t)n * bytes, &data));
  for (int64_t i = 0; i < n; i++) {
    if (i == 0 || snug__scan_line_is_read(s)) {
      SNUG_TRY(snug__scan_line(s));
    }
    SNUG_TRY(read_element(s, type->dtype, (char *)data + (size_t)i * bytes));
  }
  *out = data;
  return snug__scan_line_end(s);
}
