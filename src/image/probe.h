/* What an image file says of itself, found without a library and without memory: size, kind, and
 * what decoding it will need. */
#ifndef SNUG_IMAGE_PROBE_H
#define SNUG_IMAGE_PROBE_H

#include "image/input.h"

/* An image with more pixels is refused by its header: 2^28, as 16384 x 16384. */
#define SNUG__IMAGE_PIXELS_MAX (INT64_C(1) << 28)
#define SNUG__IMAGE_SIDE_MAX 65535

typedef enum snug__image_format { SNUG__IMAGE_JPEG = 1, SNUG__IMAGE_PNG } snug__image_format;

typedef struct snug__image_info {
  snug__image_format format;
  int32_t width, height;
  int32_t channels; /* in the file; of a palette 1 */
  /* It does not come row by row, so the whole of it is in memory while it is decoded: a progressive
   * JPEG (or one with a scan per component), an interlaced PNG. */
  bool is_whole;
  size_t decode_bytes; /* that a decoder needs of the caller, at most (decode.h) */
} snug__image_info;

/* Read the header.  Fails: E_FORMAT (damaged, or no image), E_UNSUPPORTED (another format, a kind
 * of JPEG that nobody writes), E_LIMIT (too many pixels), E_IO. */
snug_status snug__image_probe(snug__input *in, snug__image_info *out,
                              snug__why *why) SNUG_NODISCARD;

/* The bytes that decoding takes at most for any file of a size, without having seen it: with
 * `whole` also those that do not come row by row. */
size_t snug__image_decode_bytes(int32_t width, int32_t height, bool whole);

#endif
