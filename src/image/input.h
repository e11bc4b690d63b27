/* The bytes of an image file, in memory or in a file, read wherever they are wanted. */
#ifndef SNUG_IMAGE_INPUT_H
#define SNUG_IMAGE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/times.h"
#include "image/why.h"

typedef struct snug__input {
  const uint8_t *bytes; /* NULL: those of fd */
  int64_t n;            /* how many there are; a file that shrinks has fewer */
  int fd;
  int error;       /* errno of a read that failed; 0 while none did */
  snug__laps laps; /* may be set by whoever wants to know */
} snug__input;

snug__input snug__input_of(const void *bytes, size_t n);

/* Open a file.  Anything but a plain file is refused, and never waited for.  Fails: E_IO. */
snug_status snug__input_open(snug__input *in, const char *path, snug__why *why) SNUG_NODISCARD;
void snug__input_close(snug__input *in);

/* Copy up to n bytes at an offset; returns how many there were. */
size_t snug__input_read(snug__input *in, int64_t offset, void *dst, size_t n);

/* The failure of a file that has not what its header says: E_IO if it could not be read, E_FORMAT
 * if it ends too early.  `where` ends the text, as "in row 3 of 8". */
snug_status snug__input_short(const snug__input *in, snug__why *why, const char *where);

#endif
