/* The readers of JPEG files that a source has, for all of its threads: libjpeg takes memory of its
 * own when one is made, so that is done before the first image, and not by a thread that reads. */
#ifndef SNUG_IMAGE_READERS_H
#define SNUG_IMAGE_READERS_H

#include "base/ctx.h"
#include "image/jpeg.h"

typedef struct snug__readers snug__readers;

/* Make n readers; their bytes, with those that libjpeg takes, are counted as data.  Owns: *out is
 * the caller's.  Fails: E_MEMORY, E_LIMIT. */
snug_status snug__readers_create(snug_ctx *ctx, int32_t n, snug__readers **out) SNUG_NODISCARD;
void snug__readers_destroy(snug__readers *r);

/* Take a reader that is free; with more threads than readers, wait for one.  Any thread. */
snug__jpeg *snug__readers_take(snug__readers *r);
void snug__readers_give(snug__readers *r, snug__jpeg *reader);

#endif
