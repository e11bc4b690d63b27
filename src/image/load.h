/* From a file to an image of a given size in floats, 0 to 255: decoding and resizing in one go,
 * row by row. */
#ifndef SNUG_IMAGE_LOAD_H
#define SNUG_IMAGE_LOAD_H

#include "image/decode.h"
#include "image/resize.h"

typedef struct snug__load {
  int32_t height, width, channels; /* of the result; channels 1, 3 or 4 */
  snug__interpolation interpolation;
  snug__aspect aspect;
  uint8_t edge; /* the color around the image where that is padded */
  /* Of JPEG files.  With DECODE_FAST they may be decoded at a half, a fourth or an eighth of their
   * size, as long as that is not less than the result's. */
  snug__jpeg_decode decode;
} snug__load;

/* What resizing works with: for any image, as large as the result asks for. */
typedef struct snug__load_space {
  snug__tap *taps_x, *taps_y;
  float *rows[2]; /* resized along their width */
} snug__load_space;

size_t snug__load_bytes(const snug__load *load);

/* Cut it from a slab, which must have load_bytes. */
snug__load_space snug__load_space_of(const snug__load *load, snug__slab *slab);

/* Read a file to dst, [height, width, channels].  Fails: E_FORMAT, E_UNSUPPORTED, E_IO, E_LIMIT. */
snug_status snug__load_image(const snug__load *load, const snug__load_space *space,
                             snug__decoder *d, snug__input *in, float *dst,
                             snug__why *why) SNUG_NODISCARD;

#endif
