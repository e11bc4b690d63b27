/* The frame of a JPEG file: what stands before its first scan. */
#ifndef SNUG_IMAGE_PROBE_JPEG_H
#define SNUG_IMAGE_PROBE_JPEG_H

#include "image/input.h"

#define SNUG__JPEG_COMPONENTS 4

typedef struct snug__jpeg_frame {
  int32_t width, height;
  int32_t n;                        /* components */
  int32_t h[SNUG__JPEG_COMPONENTS]; /* sampling factors, 1 to 4 */
  int32_t v[SNUG__JPEG_COMPONENTS];
  bool is_whole; /* several scans: all coefficients are kept until the last one */
} snug__jpeg_frame;

/* Walk over the markers up to the first scan.  Fails: E_FORMAT, E_UNSUPPORTED, E_IO. */
snug_status snug__jpeg_frame_find(snug__input *in, snug__jpeg_frame *out,
                                  snug__why *why) SNUG_NODISCARD;

/* The most that libjpeg-turbo asks for when it decodes such a frame, at any scale and to any color
 * space, with a row of the image and a piece of the file. */
size_t snug__jpeg_decode_bytes(const snug__jpeg_frame *frame);

#endif
