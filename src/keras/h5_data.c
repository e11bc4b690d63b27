/* Datasets: found, and read in pieces that are converted on the way. */
#include <string.h>

#include "base/size.h"
#include "graph/type.h"
#include "keras/h5_file.h"

#define PIECE 8192 /* bytes that are converted at once */

snug_status snug__h5_data_find(snug__h5 *h5, const char *path, snug__h5_data *out) {
  snug__h5_stored d;
  SNUG_TRY(snug__h5_describe(h5, path, &d));
  *out = (snug__h5_data){.dtype = d.type.dtype,
                         .big_endian = d.type.big_endian,
                         .rank = d.shape.rank,
                         .bytes = d.bytes,
                         .path = path};
  memcpy(out->dim, d.shape.dim, sizeof out->dim);
  return SNUG_OK;
}

static uint64_t load_bits(const uint8_t *at, size_t bytes, bool big_endian) {
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes; i++) {
    bits |= (uint64_t)at[big_endian ? bytes - 1 - i : i] << (8 * i);
  }
  return bits;
}

static double load(const snug__h5_type *t, const uint8_t *at) {
  uint64_t bits = load_bits(at, t->bytes, t->big_endian);
  uint32_t low = (uint32_t)bits;
  float f = 0;
  double d = 0;
  switch (t->dtype) {
    case SNUG_FLOAT32:
      memcpy(&f, &low, sizeof f);
      return (double)f;
    case SNUG_FLOAT64:
      memcpy(&d, &bits, sizeof d);
      return d;
    case SNUG_FLOAT16:
      return (double)snug__half_to_float((uint16_t)bits);
    case SNUG_BFLOAT16:
      return (double)snug__bfloat_to_float((uint16_t)bits);
    case SNUG_INT8:
      return (double)(int8_t)bits;
    case SNUG_INT32:
      return (double)(int32_t)low;
    case SNUG_INT64:
      return (double)(int64_t)bits;
    default:
      return (double)(uint8_t)bits;
  }
}

/* What C leaves undefined is the nearest integer of the type; 0 for what is no number. */
static int64_t whole(double v, double low, double high) {
  if (!(v >= low)) {
    return v < low ? (int64_t)low : 0;
  }
  return v >= high ? (high > 9e18 ? INT64_MAX : (int64_t)high) : (int64_t)v;
}

static void store(const snug__h5_target *to, int64_t i, double v) {
  void *dst = to->dst;
  switch (to->as) {
    case SNUG_FLOAT32:
      ((float *)dst)[i] = (float)v;
      break;
    case SNUG_FLOAT64:
      ((double *)dst)[i] = v;
      break;
    case SNUG_FLOAT16:
      ((uint16_t *)dst)[i] = snug__double_to_half(v);
      break;
    case SNUG_BFLOAT16:
      ((uint16_t *)dst)[i] = snug__double_to_bfloat(v);
      break;
    case SNUG_INT8:
      ((int8_t *)dst)[i] = (int8_t)whole(v, INT8_MIN, INT8_MAX);
      break;
    case SNUG_INT32:
      ((int32_t *)dst)[i] = (int32_t)whole(v, INT32_MIN, INT32_MAX);
      break;
    case SNUG_INT64:
      ((int64_t *)dst)[i] = whole(v, -0x1p63, 0x1p63);
      break;
    case SNUG_BOOL:
      ((uint8_t *)dst)[i] = v != 0;
      break;
    default:
      ((uint8_t *)dst)[i] = (uint8_t)whole(v, 0, UINT8_MAX);
      break;
  }
}

static bool is_same(const snug__h5_type *from, snug_dtype as) {
  return from->dtype == as && as != SNUG_BOOL && (!from->big_endian || from->bytes == 1);
}

void snug__h5_convert(const snug__h5_type *from, const void *src, const snug__h5_target *to,
                      int64_t i, int64_t n) {
  const uint8_t *at = src;
  if (is_same(from, to->as)) {
    memcpy((uint8_t *)to->dst + (size_t)i * from->bytes, src, (size_t)n * from->bytes);
    return;
  }
  for (int64_t k = 0; k < n; k++) {
    if (from->dtype == to->as && from->dtype == SNUG_INT64) { /* a double would round it */
      ((int64_t *)to->dst)[i + k] = (int64_t)load_bits(at, 8, from->big_endian);
    } else {
      store(to, i + k, load(from, at));
    }
    at += from->bytes;
  }
}

static snug_status read_contiguous(snug__h5 *h5, const snug__h5_stored *d,
                                   const snug__h5_target *to) {
  uint8_t piece[PIECE];
  int64_t per_piece = PIECE / (int64_t)d->type.bytes;
  if (is_same(&d->type, to->as)) {
    return snug__h5_read_data(h5, to->dst, (size_t)d->bytes, d->address);
  }
  for (int64_t i = 0; i < d->shape.elements; i += per_piece) {
    int64_t n = snug__min_i64(per_piece, d->shape.elements - i);
    size_t bytes = (size_t)n * d->type.bytes;
    SNUG_TRY(snug__h5_read_data(h5, piece, bytes, d->address + (uint64_t)i * d->type.bytes));
    snug__h5_convert(&d->type, piece, to, i, n);
  }
  return SNUG_OK;
}

snug_status snug__h5_data_read(snug__h5 *h5, const snug__h5_data *data, snug_dtype as, void *dst) {
  snug__h5_stored d;
  snug__h5_target to = {as, dst};
  SNUG_TRY(snug__h5_describe(h5, data->path, &d));
  if (d.bytes != data->bytes || d.type.dtype != data->dtype) {
    return SNUG__BAD_H5(h5, "%s changed while it was read", data->path);
  }
  if (d.bytes == 0) {
    return SNUG_OK;
  }
  switch (d.layout) {
    case SNUG__H5_COMPACT:
      snug__h5_convert(&d.type, d.here, &to, 0, d.shape.elements);
      break;
    case SNUG__H5_CONTIGUOUS:
      return read_contiguous(h5, &d, &to);
    case SNUG__H5_CHUNKED:
      return snug__h5_read_chunks(h5, &d, data->path, &to);
  }
  return SNUG_OK;
}
