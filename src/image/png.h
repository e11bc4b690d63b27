/* PNG, by libpng.  All memory, that of zlib too, comes from the slab of whoever opens a file.
 *
 * Pixels are those of TensorFlow: of 16 bits the upper 8, colors of a palette, no gamma, alpha cut
 * off where it is not asked for. */
#ifndef SNUG_IMAGE_PNG_H
#define SNUG_IMAGE_PNG_H

#include "image/input.h"
#include "image/slab.h"

typedef struct snug__png snug__png;

/* What the reader itself takes, in memory of the caller's aligned for any type. */
size_t snug__png_bytes(void);

/* Begin a file, whose bytes and slab stay until the next one; it has 1, 3 or 4 channels in its
 * rows. There is nothing to end.  Fails: E_FORMAT, E_IO, E_LIMIT (the slab is too small). */
snug_status snug__png_open(snug__png *reader, snug__input *in, snug__slab *slab, int32_t channels,
                           int32_t *width, int32_t *height, snug__why *why) SNUG_NODISCARD;

/* The next row, width * channels bytes.  Fails: E_FORMAT, E_IO, E_LIMIT. */
snug_status snug__png_row(snug__png *reader, uint8_t *dst, snug__why *why) SNUG_NODISCARD;

#endif
