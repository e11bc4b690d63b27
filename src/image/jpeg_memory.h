/* A memory manager of libjpeg over a slab. */
#ifndef SNUG_IMAGE_JPEG_MEMORY_H
#define SNUG_IMAGE_JPEG_MEMORY_H

#include <stdbool.h>
#include <stdio.h> /* jpeglib.h wants it */

#include <jpeglib.h>

#include "image/slab.h"

typedef struct snug__jpeg_memory {
  struct jpeg_memory_mgr pub; /* first: libjpeg sees this alone */
  snug__slab *slab;
  bool is_out; /* a request was refused */
} snug__jpeg_memory;

void snug__jpeg_memory_init(snug__jpeg_memory *m);

#endif
