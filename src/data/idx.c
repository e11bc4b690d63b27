/* IDX, the format of MNIST: two zeros, the type, the number of axes, then their sizes; all numbers
 * with their high bytes first. */
#include <string.h>

#include "data/npy.h"

static const struct {
  unsigned char code;
  snug__raw raw;
} types[] = {
    {0x08, {'u', 1, true, false}}, {0x09, {'i', 1, true, false}}, {0x0B, {'i', 2, true, false}},
    {0x0C, {'i', 4, true, false}}, {0x0D, {'f', 4, true, false}}, {0x0E, {'f', 8, true, false}},
};

static bool find_type(unsigned char code, snug__raw *out) {
  for (size_t i = 0; i < SNUG_COUNT(types); i++) {
    if (types[i].code == code) {
      *out = types[i].raw;
      return true;
    }
  }
  return false;
}

static snug_status read_shape(snug__stream *s, snug_array *out) {
  for (int32_t k = 0; k < out->rank; k++) {
    unsigned char b[4];
    SNUG_TRY(snug__stream_read(s, b, sizeof b));
    out->shape[k] = (int64_t)b[0] << 24 | (int64_t)b[1] << 16 | (int64_t)b[2] << 8 | b[3];
  }
  return SNUG_OK;
}

snug_status snug__idx_header(snug__stream *s, const unsigned char first[SNUG__MAGIC_READ],
                             snug__raw *raw, snug_array *out) {
  if (first[0] != 0 || first[1] != 0 || !find_type(first[2], raw)) {
    return snug__stream_fail(s, SNUG_E_FORMAT, "is neither NumPy's .npy or .npz nor IDX");
  }
  if (first[3] < 1 || first[3] > SNUG_MAX_RANK) {
    return snug__stream_fail(s, SNUG_E_UNSUPPORTED, "has %d axes; 1 to %d are possible", first[3],
                             SNUG_MAX_RANK);
  }
  out->dtype = snug__raw_dtype(raw);
  out->rank = first[3];
  return read_shape(s, out);
}
