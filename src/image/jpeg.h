/* JPEG, by libjpeg-turbo.  A reader is made once and reads any number of files.
 *
 * Memory: libjpeg keeps a few kilobytes of its own for the reader (SNUG__JPEG_OWN_BYTES bounds
 * them), taken when it is made.  Everything that an image needs comes from the slab of whoever
 * opens it: no allocation while images are read.
 *
 * A file must not change the meaning of the next one: what tables a reader has seen is forgotten.
 */
#ifndef SNUG_IMAGE_JPEG_H
#define SNUG_IMAGE_JPEG_H

#include "image/input.h"
#include "image/slab.h"

#define SNUG__JPEG_OWN_BYTES ((size_t)8 << 10)
#define SNUG__JPEG_PIECE_BYTES ((size_t)32 << 10) /* of a file, read at once */
/* Tables of the entropy decoder, of colors and of the transform, a piece of the file. */
#define SNUG__JPEG_FIXED_BYTES (SNUG__JPEG_PIECE_BYTES + ((size_t)48 << 10))

typedef struct snug__jpeg snug__jpeg;

/* What the reader itself takes, in memory of the caller's aligned for any type. */
size_t snug__jpeg_bytes(void);

/* Make a reader in it.  Fails: E_MEMORY; there is nothing to end then. */
snug_status snug__jpeg_begin(snug__jpeg *reader, snug__why *why) SNUG_NODISCARD;
void snug__jpeg_end(snug__jpeg *reader);

/* How pixels are made.  The first two differ by a few levels of 255, and each is to the bit what
 * others make. */
typedef enum snug__jpeg_decode {
  SNUG__DECODE_KERAS,    /* as TensorFlow does unless told otherwise, and so Keras for a folder */
  SNUG__DECODE_ACCURATE, /* as Pillow and PyTorch do, and TensorFlow with INTEGER_ACCURATE */
  SNUG__DECODE_FAST      /* as the first; the file may be shrunk */
} snug__jpeg_decode;

typedef struct snug__jpeg_want {
  int32_t channels; /* 1, 3 or 4 */
  int32_t shrink;   /* 1, 2, 4 or 8: sides are divided by it and rounded up */
  snug__jpeg_decode decode;
} snug__jpeg_want;

/* Begin a file, whose bytes and slab stay until the next one; *width and *height are what rows will
 * have.  Fails: E_FORMAT, E_UNSUPPORTED, E_IO, E_LIMIT (the slab is too small). */
snug_status snug__jpeg_open(snug__jpeg *reader, snug__input *in, snug__slab *slab,
                            const snug__jpeg_want *want, int32_t *width, int32_t *height,
                            snug__why *why) SNUG_NODISCARD;

/* The next row, width * channels bytes.  Fails: E_FORMAT, E_IO, E_LIMIT. */
snug_status snug__jpeg_row(snug__jpeg *reader, uint8_t *dst, snug__why *why) SNUG_NODISCARD;

#endif
