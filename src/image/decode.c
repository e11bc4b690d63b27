#include "image/decode.h"

#include <string.h>

#include "base/ctx.h"

size_t snug__decoder_bytes(size_t decode_bytes) {
  return snug__slab_cost(snug__png_bytes()) + snug__slab_cost(decode_bytes) + SNUG__SLAB_ALIGN;
}

snug_status snug__decoder_begin(snug__decoder *d, void *memory, size_t bytes, snug__why *why) {
  memset(d, 0, sizeof *d);
  snug__slab all = snug__slab_of(memory, bytes);
  d->png = snug__slab_take(&all, snug__png_bytes());
  if (!d->png) {
    return snug__why_say(why, SNUG_E_MEMORY, "%zu bytes are too few for a decoder of images",
                         bytes);
  }
  d->slab = snug__slab_of(all.base + all.used, all.bytes - all.used);
  return SNUG_OK;
}

snug_status snug__decoder_look(snug__decoder *d, snug__input *in, snug__why *why) {
  SNUG_TRY(snug__image_probe(in, &d->info, why));
  if (d->info.decode_bytes > d->slab.bytes) {
    return snug__why_say(why, SNUG_E_LIMIT,
                         "%s%dx%d pixels need %zu bytes to be decoded, and a worker has %zu for it",
                         d->info.is_whole ? "does not come row by row: its " : "", d->info.height,
                         d->info.width, d->info.decode_bytes, d->slab.bytes);
  }
  return SNUG_OK;
}

snug_status snug__decoder_start(snug__decoder *d, snug__input *in, int32_t channels, int32_t shrink,
                                snug__jpeg_decode decode, snug__why *why) {
  snug__slab_clear(&d->slab);
  d->want = (snug__jpeg_want){channels, shrink, decode};
  d->channels = channels;
  d->y = 0;
  if (d->info.format == SNUG__IMAGE_JPEG) {
    return snug__jpeg_open(d->jpeg, in, &d->slab, &d->want, &d->width, &d->height, why);
  }
  return snug__png_open(d->png, in, &d->slab, channels, &d->width, &d->height, why);
}

snug_status snug__decoder_row(snug__decoder *d, uint8_t *dst, snug__why *why) {
  if (d->y >= d->height) {
    return snug__why_say(why, SNUG_E_INTERNAL, "has no row %d", d->y);
  }
  d->y++;
  return d->info.format == SNUG__IMAGE_JPEG ? snug__jpeg_row(d->jpeg, dst, why)
                                            : snug__png_row(d->png, dst, why);
}
