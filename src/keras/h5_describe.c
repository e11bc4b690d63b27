/* What the messages of a dataset say: type, shape, layout, filters. */
#include <string.h>

#include "base/size.h"
#include "keras/h5_file.h"

#define MOST_ELEMENTS ((int64_t)1 << 56) /* so that bytes fit in 64 bits */

bool snug__h5_read_shape(snug__cursor c, snug__h5_shape *out) {
  uint64_t version = snug__get(&c, 1), rank = snug__get(&c, 1);
  snug__skip(&c, 1);
  uint64_t kind = version == 1 ? 1 : snug__get(&c, 1); /* 2: no elements at all */
  snug__skip(&c, version == 1 ? 5 : 0);
  if (version < 1 || version > 2 || kind > 1 || rank > SNUG_MAX_RANK) {
    return false;
  }
  *out = (snug__h5_shape){.rank = (int32_t)rank, .elements = 1};
  for (uint64_t i = 0; i < rank; i++) {
    uint64_t dim = snug__get(&c, 8);
    if (dim > (uint64_t)MOST_ELEMENTS ||
        !snug__mul_i64(out->elements, (int64_t)dim, &out->elements)) {
      return false;
    }
    out->dim[i] = (int64_t)dim;
  }
  return !c.over && out->elements <= MOST_ELEMENTS;
}

static snug_dtype integer_of(uint64_t bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? SNUG_INT8 : SNUG_UINT8;
    case 4:
      return is_signed ? SNUG_INT32 : SNUG_NO_DTYPE;
    case 8:
      return is_signed ? SNUG_INT64 : SNUG_NO_DTYPE;
    default:
      return SNUG_NO_DTYPE;
  }
}

static bool read_integer(snug__cursor *c, uint64_t bits, snug__h5_type *out) {
  uint64_t offset = snug__get(c, 2), precision = snug__get(c, 2);
  out->big_endian = bits & 1;
  out->dtype = integer_of(out->bytes, bits & 8);
  return offset == 0 && precision == out->bytes * 8;
}

/* The formats of IEEE 754 and bfloat16, by where exponent and mantissa lie. */
static bool read_float(snug__cursor *c, uint64_t bits, snug__h5_type *out) {
  static const struct {
    snug_dtype dtype;
    uint64_t exponent_at, exponent_bits, mantissa_bits, bias;
  } known[] = {{SNUG_FLOAT32, 23, 8, 23, 127},
               {SNUG_FLOAT64, 52, 11, 52, 1023},
               {SNUG_FLOAT16, 10, 5, 10, 15},
               {SNUG_BFLOAT16, 7, 8, 7, 127}};
  uint64_t offset = snug__get(c, 2), precision = snug__get(c, 2);
  uint64_t exponent_at = snug__get(c, 1), exponent_bits = snug__get(c, 1);
  uint64_t mantissa_at = snug__get(c, 1), mantissa_bits = snug__get(c, 1), bias = snug__get(c, 4);
  out->big_endian = bits & 1;
  for (size_t i = 0; i < SNUG_COUNT(known); i++) {
    if (snug_dtype_bytes(known[i].dtype) == out->bytes && known[i].exponent_at == exponent_at &&
        known[i].exponent_bits == exponent_bits && known[i].mantissa_bits == mantissa_bits &&
        known[i].bias == bias) {
      out->dtype = known[i].dtype;
    }
  }
  return offset == 0 && precision == out->bytes * 8 && mantissa_at == 0 && !(bits & 0x40);
}

bool snug__h5_read_type(snug__cursor c, snug__h5_type *out) {
  uint64_t head = snug__get(&c, 1), bits = snug__get(&c, 3);
  *out = (snug__h5_type){.kind = SNUG__H5_NUMBER, .bytes = (size_t)snug__get(&c, 4)};
  bool good = out->bytes > 0;
  switch (head & 15) {
    case 0:
      good = good && read_integer(&c, bits, out) && out->dtype;
      break;
    case 1:
      good = good && read_float(&c, bits, out) && out->dtype;
      break;
    case 3:
      out->kind = SNUG__H5_TEXT;
      break;
    case 5:
      out->kind = SNUG__H5_OPAQUE;
      break;
    case 8: /* an enumeration of one byte: NumPy's bool */
      out->dtype = SNUG_BOOL;
      good = out->bytes == 1;
      break;
    case 9: /* of variable length: 1 is text */
      out->kind = SNUG__H5_TEXT_ELSEWHERE;
      good = (bits & 15) == 1 && out->bytes == 16;
      break;
    default:
      good = false;
  }
  return good && !c.over;
}

static bool read_filter(snug__cursor *c, uint64_t version, uint64_t *id) {
  *id = snug__get(c, 2);
  uint64_t name = version == 1 || *id >= 256 ? snug__get(c, 2) : 0;
  snug__skip(c, 2);
  uint64_t n = snug__get(c, 2);
  snug__skip(c, version == 1 ? (size_t)(name + 7) / 8 * 8 : (size_t)name);
  snug__skip(c, (size_t)(n + (version == 1 && n % 2)) * 4);
  return !c->over;
}

/* Only in the order shuffle, deflate, checksum: nobody writes another. */
static snug_status read_filters(snug__h5 *h5, const char *path, const snug__h5_message *m,
                                snug__h5_stored *d) {
  static const int order[] = {
      [SNUG__H5_SHUFFLE] = 1, [SNUG__H5_DEFLATE] = 2, [SNUG__H5_CHECKSUM] = 3};
  snug__cursor c = snug__cursor_of(m->body, m->bytes);
  uint64_t version = snug__get(&c, 1), n = snug__get(&c, 1), id = 0;
  snug__skip(&c, version == 1 ? 6 : 0);
  int last = 0;
  for (uint64_t i = 0; i < n; i++) {
    if (!read_filter(&c, version, &id)) {
      return SNUG__BAD_H5(h5, "%s is damaged: its filters cannot be read", path);
    }
    if (id < 1 || id >= SNUG_COUNT(order) || order[id] <= last) {
      return SNUG__BAD_H5(h5, "%s is packed with filter %llu; repack the file: h5repack -f NONE",
                          path, (unsigned long long)id);
    }
    last = order[id];
    d->filter[d->n_filters++] = (uint32_t)id;
  }
  return SNUG_OK;
}

/* How the chunks of a layout of version 4 are found. */
static bool read_index(snug__cursor *c, uint64_t flags, snug__h5_stored *d) {
  uint64_t index = snug__get(c, 1);
  d->index = (snug__h5_index)index;
  if (index == SNUG__H5_SINGLE && (flags & 2)) {
    d->single_bytes = snug__get(c, 8);
    d->single_mask = (uint32_t)snug__get(c, 4);
  }
  snug__skip(c, index == SNUG__H5_FIXED_ARRAY ? 1 : 0);
  d->address = snug__get(c, 8);
  return index >= SNUG__H5_SINGLE && index <= SNUG__H5_FIXED_ARRAY;
}

/* The sides of a chunk; behind them stands the size of an element. */
static bool read_sides(snug__cursor *c, size_t width, snug__h5_stored *d) {
  int64_t bytes = (int64_t)d->type.bytes;
  bool good = true;
  for (int32_t i = 0; i < d->shape.rank; i++) {
    uint64_t side = snug__get(c, width);
    good = good && side > 0 && side <= (uint64_t)MOST_ELEMENTS &&
           snug__mul_i64(bytes, (int64_t)side, &bytes);
    d->chunk[i] = (int64_t)side;
  }
  d->chunk_bytes = bytes;
  return good && snug__get(c, width) == d->type.bytes;
}

static bool read_chunked(snug__cursor *c, uint64_t version, snug__h5_stored *d) {
  uint64_t flags = version == 4 ? snug__get(c, 1) : 0, n = snug__get(c, 1);
  bool good = d->shape.rank > 0 && n == (uint64_t)d->shape.rank + 1;
  d->layout = SNUG__H5_CHUNKED;
  if (!good) {
    return false;
  }
  if (version == 4) {
    uint64_t width = snug__get(c, 1);
    return width >= 1 && width <= 8 && read_sides(c, (size_t)width, d) && read_index(c, flags, d);
  }
  d->index = SNUG__H5_TREE;
  d->address = snug__get(c, 8);
  return read_sides(c, 4, d);
}

/* Versions 1 and 2: kind, then an address where there is one, then sides also where nothing is
 * chunked. */
static bool read_old_layout(snug__cursor *c, snug__h5_stored *d) {
  uint64_t n = snug__get(c, 1), kind = snug__get(c, 1);
  snug__skip(c, 5);
  if (kind == 1) {
    d->layout = SNUG__H5_CONTIGUOUS;
    d->address = snug__get(c, 8);
    return true;
  }
  if (kind == 2) {
    d->layout = SNUG__H5_CHUNKED;
    d->address = snug__get(c, 8);
    return d->shape.rank > 0 && n == (uint64_t)d->shape.rank + 1 && read_sides(c, 4, d);
  }
  snug__skip(c, n * 4);
  uint64_t bytes = snug__get(c, 4);
  d->here = snug__skip(c, (size_t)bytes);
  return kind == 0 && bytes == (uint64_t)d->bytes;
}

static bool read_layout(snug__cursor c, snug__h5_stored *d) {
  uint64_t version = snug__get(&c, 1);
  if (version < 3) {
    return version > 0 && read_old_layout(&c, d) && !c.over;
  }
  uint64_t kind = snug__get(&c, 1);
  bool good = version <= 4;
  if (kind == 0) {
    uint64_t bytes = snug__get(&c, 2);
    d->layout = SNUG__H5_COMPACT;
    d->here = snug__skip(&c, (size_t)bytes);
    good = good && bytes == (uint64_t)d->bytes;
  } else if (kind == 1) {
    d->layout = SNUG__H5_CONTIGUOUS;
    d->address = snug__get(&c, 8);
    good = good && snug__get(&c, 8) == (uint64_t)d->bytes;
  } else {
    good = good && kind == 2 && read_chunked(&c, version, d);
  }
  return good && !c.over;
}

static snug_status check_extent(snug__h5 *h5, const char *path, const snug__h5_stored *d) {
  bool has_data = d->bytes == 0 || d->layout == SNUG__H5_COMPACT || d->address != SNUG__H5_NOWHERE;
  if (!has_data) {
    return SNUG__BAD_H5(h5, "%s holds no data", path);
  }
  if (d->layout == SNUG__H5_CONTIGUOUS && d->bytes > 0 &&
      !snug__h5_inside(h5, d->address, (uint64_t)d->bytes)) {
    return SNUG__BAD_H5(h5, "%s is damaged: its %lld bytes do not lie inside of the file", path,
                        (long long)d->bytes);
  }
  return SNUG_OK;
}

/* Keras keeps bfloat16 as two bytes that mean nothing to HDF5, and says so in an attribute. */
static snug_status settle_opaque(snug__h5 *h5, uint64_t object, const char *path,
                                 snug__h5_stored *d) {
  char text[16] = "";
  size_t n = 0;
  if (d->type.kind == SNUG__H5_OPAQUE && d->type.bytes == 2) {
    SNUG_TRY(snug__h5_attribute(h5, object, "dtype", 0, text, sizeof text, &n));
    if (n == 1 && strcmp(text, "bfloat16") == 0) {
      d->type.kind = SNUG__H5_NUMBER;
      d->type.dtype = SNUG_BFLOAT16;
    }
  }
  if (d->type.kind != SNUG__H5_NUMBER) {
    return SNUG__BAD_H5(h5, "%s holds no numbers", path);
  }
  return SNUG_OK;
}

static snug_status read_messages(snug__h5 *h5, const char *path, const snug__h5_object *o,
                                 snug__h5_stored *d) {
  const snug__h5_message *type = snug__h5_find(o, SNUG__H5_TYPE);
  const snug__h5_message *space = snug__h5_find(o, SNUG__H5_SPACE);
  const snug__h5_message *layout = snug__h5_find(o, SNUG__H5_LAYOUT);
  const snug__h5_message *filters = snug__h5_find(o, SNUG__H5_FILTERS);
  if (!type || !space || !layout) {
    return SNUG__BAD_H5(h5, "%s is no dataset", path);
  }
  if (snug__h5_find(o, SNUG__H5_EXTERNAL)) {
    return SNUG__BAD_H5(h5, "%s lies in another file; such files are not opened", path);
  }
  if (type->is_shared || space->is_shared || layout->is_shared || (filters && filters->is_shared)) {
    return SNUG__BAD_H5(h5, "%s has a type that lies elsewhere; save it with Keras", path);
  }
  if (!snug__h5_read_type(snug__cursor_of(type->body, type->bytes), &d->type)) {
    return SNUG__BAD_H5(h5, "%s is of a type that Keras does not write", path);
  }
  if (!snug__h5_read_shape(snug__cursor_of(space->body, space->bytes), &d->shape)) {
    return SNUG__BAD_H5(h5, "%s has a shape that no weight has: more than %d axes, or damaged",
                        path, SNUG_MAX_RANK);
  }
  if (d->type.bytes > 16) {
    return SNUG__BAD_H5(h5, "%s holds no numbers", path);
  }
  d->bytes = d->shape.elements * (int64_t)d->type.bytes;
  if (!read_layout(snug__cursor_of(layout->body, layout->bytes), d)) {
    return SNUG__BAD_H5(h5,
                        "%s is kept in a way that is not read, or is damaged; repack the file: "
                        "h5repack -l CONTI",
                        path);
  }
  return filters ? read_filters(h5, path, filters, d) : SNUG_OK;
}

snug_status snug__h5_describe(snug__h5 *h5, const char *path, snug__h5_stored *out) {
  const snug__h5_object *o = NULL;
  uint64_t address = 0;
  bool found = false;
  *out = (snug__h5_stored){0};
  SNUG_TRY(snug__h5_resolve(h5, path, &address, &found));
  if (!found) {
    return SNUG__BAD_H5(h5, "there is no dataset %s", path);
  }
  SNUG_TRY(snug__h5_object_at(h5, address, &o));
  SNUG_TRY(read_messages(h5, path, o, out));
  SNUG_TRY(check_extent(h5, path, out));
  return settle_opaque(h5, address, path, out);
}
