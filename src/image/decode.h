/* An image file as rows of pixels, from top to bottom.
 *
 * The files of most folders come row by row, so that a photograph costs a few of its rows and not
 * all of them.  What cannot come so is whole in the decoder's memory (image_info.is_whole). */
#ifndef SNUG_IMAGE_DECODE_H
#define SNUG_IMAGE_DECODE_H

#include "image/jpeg.h"
#include "image/png.h"
#include "image/probe.h"

typedef struct snug__decoder {
  snug__jpeg *jpeg;      /* set by the caller: the reader of JPEG files, while one is read */
  snug__image_info info; /* read-only: of the present file */
  int32_t width, height; /* read-only: what its rows have; less than in the file if shrunk */
  int32_t channels;      /* read-only: of the rows */
  int32_t y;             /* read-only: rows that were read */
  /* private */
  snug__png *png;
  snug__jpeg_want want;
  snug__slab slab;
} snug__decoder;

/* The bytes of a decoder for files that need decode_bytes (probe.h) each. */
size_t snug__decoder_bytes(size_t decode_bytes);

/* Make a decoder in memory of the caller's, which stays his.  There is nothing to end.  Fails:
 * E_MEMORY. */
snug_status snug__decoder_begin(snug__decoder *d, void *memory, size_t bytes,
                                snug__why *why) SNUG_NODISCARD;

/* Look at a file: fills d->info.  Fails as snug__image_probe does, and E_LIMIT if the decoder has
 * not the memory for it. */
snug_status snug__decoder_look(snug__decoder *d, snug__input *in, snug__why *why) SNUG_NODISCARD;

/* Begin to decode the file that was looked at, to 1, 3 or 4 channels.  shrink is 1, or of a JPEG 2,
 * 4 or 8; decode as in jpeg.h.  Fails: E_FORMAT, E_UNSUPPORTED, E_IO, E_LIMIT. */
snug_status snug__decoder_start(snug__decoder *d, snug__input *in, int32_t channels, int32_t shrink,
                                snug__jpeg_decode decode, snug__why *why) SNUG_NODISCARD;

/* The next row, d->width * d->channels bytes.  Fails: E_FORMAT, E_IO, E_LIMIT. */
snug_status snug__decoder_row(snug__decoder *d, uint8_t *dst, snug__why *why) SNUG_NODISCARD;

#endif
