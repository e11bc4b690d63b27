#include "image/probe.h"

#include <string.h>

#include "base/ctx.h"
#include "image/probe_jpeg.h"

#define PNG_HEADER_BYTES 33 /* signature, and IHDR with its length, name and checksum */

/* ---- what decoding needs ---- */

/* Structures of libpng, zlib's window and state, a piece of the file, what aligning costs. */
#define PNG_FIXED_BYTES ((size_t)96 << 10)
#define PNG_PIXEL_BYTES 8 /* four channels of 16 bits, before they are cut to 8 */

static size_t png_bytes(int32_t width, int32_t height, bool whole) {
  size_t row = (size_t)width * PNG_PIXEL_BYTES + 256;
  size_t image = whole ? (size_t)width * 4 * (size_t)height : 0;
  return PNG_FIXED_BYTES + 4 * row + image;
}

size_t snug__image_decode_bytes(int32_t width, int32_t height, bool whole) {
  /* Sides are rounded up to what the largest sampling factor makes of 8 pixels, at most 24 or 32.
   */
  snug__jpeg_frame jpeg = {width + 24, height + 24, 4, {4, 4, 4, 4}, {4, 4, 4, 4}, whole};
  size_t a = snug__jpeg_decode_bytes(&jpeg);
  size_t b = png_bytes(width, height, whole);
  return a > b ? a : b;
}

/* ---- what a file says ---- */

static uint32_t big_endian(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static snug_status check_size(int64_t width, int64_t height, snug__why *why) {
  if (width < 1 || height < 1) {
    return snug__why_say(why, SNUG_E_FORMAT, "has a size of %lldx%lld pixels", (long long)height,
                         (long long)width);
  }
  if (width > SNUG__IMAGE_SIDE_MAX || height > SNUG__IMAGE_SIDE_MAX ||
      width * height > SNUG__IMAGE_PIXELS_MAX) {
    return snug__why_say(why, SNUG_E_LIMIT,
                         "says it is %lldx%lld pixels large; images have at most %lld pixels, and "
                         "%d on a side",
                         (long long)height, (long long)width, (long long)SNUG__IMAGE_PIXELS_MAX,
                         SNUG__IMAGE_SIDE_MAX);
  }
  return SNUG_OK;
}

/* With fewer bytes than its pixels take at the very least an image is made up, and would take its
 * memory and its time all the same.  Small ones may. */
#define PIXELS_ANYWAY (INT64_C(1) << 20)

static snug_status check_bytes(int64_t width, int64_t height, int64_t least, int64_t bytes,
                               snug__why *why) {
  if (width * height > PIXELS_ANYWAY && bytes < least) {
    return snug__why_say(why, SNUG_E_FORMAT,
                         "says it is %lldx%lld pixels large, which its %lld bytes cannot be",
                         (long long)height, (long long)width, (long long)bytes);
  }
  return SNUG_OK;
}

/* A byte of a JPEG file has at most eight blocks of 64 pixels, a bit for each that is like the one
 * before it; four times as many are let pass. */
#define JPEG_PIXELS_PER_BYTE 2048

static snug_status probe_jpeg(snug__input *in, snug__image_info *out, snug__why *why) {
  snug__jpeg_frame frame = {0};
  SNUG_TRY(snug__jpeg_frame_find(in, &frame, why));
  SNUG_TRY(check_size(frame.width, frame.height, why));
  int64_t least = (int64_t)frame.width * frame.height / JPEG_PIXELS_PER_BYTE;
  SNUG_TRY(check_bytes(frame.width, frame.height, least, in->n, why));
  *out = (snug__image_info){SNUG__IMAGE_JPEG, frame.width,    frame.height,
                            frame.n,          frame.is_whole, snug__jpeg_decode_bytes(&frame)};
  return SNUG_OK;
}

/* Color type 3 is a palette, 2 and 6 have colors, 4 and 6 have alpha. */
static int32_t png_channels(uint8_t color_type) {
  int32_t colors = (color_type & 2) && color_type != 3 ? 3 : 1;
  return colors + (color_type & 4 ? 1 : 0);
}

/* What the pixels of a PNG take if they are packed as well as they can be: 258 bytes in two bits.
 */
#define DEFLATE_MOST 1032

static int64_t png_least(int64_t width, int64_t height, int32_t channels, uint8_t bits) {
  int64_t pixel = bits ? (int64_t)channels * bits : 1;
  return height * (width * pixel / 8 + 1) / DEFLATE_MOST;
}

static snug_status probe_png(snug__input *in, snug__image_info *out, snug__why *why) {
  uint8_t header[PNG_HEADER_BYTES];
  if (snug__input_read(in, 0, header, sizeof header) < sizeof header) {
    return snug__input_short(in, why, "in the header of a PNG");
  }
  if (big_endian(header + 8) != 13 || memcmp(header + 12, "IHDR", 4) != 0) {
    return snug__why_say(why, SNUG_E_FORMAT, "is a PNG without a header (IHDR)");
  }
  int64_t width = big_endian(header + 16), height = big_endian(header + 20);
  int32_t channels = png_channels(header[25]);
  SNUG_TRY(check_size(width, height, why));
  SNUG_TRY(check_bytes(width, height, png_least(width, height, channels, header[24]), in->n, why));
  *out = (snug__image_info){SNUG__IMAGE_PNG, (int32_t)width,  (int32_t)height,
                            channels,        header[28] != 0, 0};
  out->decode_bytes = png_bytes(out->width, out->height, out->is_whole);
  return SNUG_OK;
}

static snug_status refuse_format(const uint8_t *first, size_t n, snug__why *why) {
  const char *name = n >= 3 && memcmp(first, "GIF", 3) == 0    ? "GIF"
                     : n >= 2 && memcmp(first, "BM", 2) == 0   ? "BMP"
                     : n >= 4 && memcmp(first, "RIFF", 4) == 0 ? "WebP"
                     : n >= 4 && (memcmp(first, "II*\0", 4) == 0 || memcmp(first, "MM\0*", 4) == 0)
                         ? "TIFF"
                         : NULL;
  if (name) {
    return snug__why_say(why, SNUG_E_UNSUPPORTED, "is a %s; convert it to JPEG or PNG", name);
  }
  return snug__why_say(why, SNUG_E_FORMAT, "is neither JPEG nor PNG");
}

snug_status snug__image_probe(snug__input *in, snug__image_info *out, snug__why *why) {
  static const uint8_t png[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  uint8_t first[8];
  memset(out, 0, sizeof *out);
  size_t n = snug__input_read(in, 0, first, sizeof first);
  if (n >= 2 && first[0] == 0xFF && first[1] == 0xD8) {
    return probe_jpeg(in, out, why);
  }
  if (n == 8 && memcmp(first, png, 8) == 0) {
    return probe_png(in, out, why);
  }
  if (in->error || n == 0) {
    return in->error ? snug__input_short(in, why, "")
                     : snug__why_say(why, SNUG_E_FORMAT, "is empty");
  }
  return refuse_format(first, n, why);
}
