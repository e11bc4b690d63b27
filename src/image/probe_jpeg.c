#include "image/probe_jpeg.h"

#include <string.h>

#include "base/ctx.h"
#include "image/jpeg.h"
#include "image/slab.h"

/* Markers, the byte behind 0xFF. */
enum { SOF0 = 0xC0, DHT = 0xC4, JPG = 0xC8, DAC = 0xCC, SOF15 = 0xCF, RST0 = 0xD0, SOI = 0xD8 };
enum { EOI = 0xD9, SOS = 0xDA, TEM = 0x01 };

#define FRAME_BYTES (6 + 3 * SNUG__JPEG_COMPONENTS) /* behind the length */
#define WINDOW_BYTES 512

/* A piece of the file: markers are short and stand close together, but for those that are skipped.
 */
typedef struct window {
  snug__input *in;
  int64_t at;
  size_t n;
  uint8_t bytes[WINDOW_BYTES];
} window;

/* n bytes at an offset (n <= WINDOW_BYTES), or NULL. */
static const uint8_t *peek(window *w, int64_t at, size_t n) {
  if (at < w->at || at + (int64_t)n > w->at + (int64_t)w->n) {
    w->n = snug__input_read(w->in, at, w->bytes, sizeof w->bytes);
    w->at = at;
  }
  return w->n >= n && at + (int64_t)n <= w->at + (int64_t)w->n ? w->bytes + (at - w->at) : NULL;
}

static int32_t two(const uint8_t *at) { return at[0] << 8 | at[1]; }

/* The next marker at or behind *at, any bytes before it skipped as libjpeg does; *at is moved
 * behind it.  -1 at the end. */
static int next_marker(window *w, int64_t *at) {
  const uint8_t *byte = peek(w, *at, 1);
  while (byte && *byte != 0xFF) {
    byte = peek(w, ++*at, 1);
  }
  while (byte && *byte == 0xFF) {
    byte = peek(w, ++*at, 1);
  }
  if (!byte) {
    return -1;
  }
  ++*at;
  return *byte;
}

static bool is_frame(int marker) {
  return marker >= SOF0 && marker <= SOF15 && marker != DHT && marker != JPG && marker != DAC;
}

/* Huffman or arithmetic coding, in one go or progressive: 0, 1, 2, 9, 10. */
static bool is_known_frame(int marker) {
  return marker <= SOF0 + 2 || marker == SOF0 + 9 || marker == SOF0 + 10;
}

static snug_status read_components(const uint8_t *at, snug__jpeg_frame *out, snug__why *why) {
  for (int32_t i = 0; i < out->n; i++) {
    out->h[i] = at[3 * i + 1] >> 4;
    out->v[i] = at[3 * i + 1] & 15;
    if (out->h[i] < 1 || out->h[i] > 4 || out->v[i] < 1 || out->v[i] > 4) {
      return snug__why_say(why, SNUG_E_FORMAT, "has a component with sampling factors %dx%d",
                           out->h[i], out->v[i]);
    }
  }
  return SNUG_OK;
}

static snug_status read_frame(window *w, int64_t at, int32_t length, int marker,
                              snug__jpeg_frame *out, snug__why *why) {
  const uint8_t *head = length >= 8 ? peek(w, at, 6) : NULL;
  if (!head) {
    return snug__input_short(w->in, why, "in the frame of a JPEG");
  }
  int precision = head[0];
  *out = (snug__jpeg_frame){.height = two(head + 1), .width = two(head + 3), .n = head[5]};
  out->is_whole = marker == SOF0 + 2 || marker == SOF0 + 10;
  if (!is_known_frame(marker) || precision != 8) {
    return snug__why_say(why, SNUG_E_UNSUPPORTED,
                         "is a JPEG of kind %d with %d bits; Snug reads baseline and progressive "
                         "ones with 8 bits",
                         marker - SOF0, precision);
  }
  if (out->n != 1 && out->n != 3 && out->n != 4) {
    return snug__why_say(why, SNUG_E_UNSUPPORTED, "is a JPEG with %d components", out->n);
  }
  const uint8_t *components = length >= 8 + 3 * out->n ? peek(w, at + 6, 3 * (size_t)out->n) : NULL;
  return components ? read_components(components, out, why)
                    : snug__input_short(w->in, why, "in the frame of a JPEG");
}

static snug_status read_scan(window *w, int64_t at, snug__jpeg_frame *out, snug__why *why) {
  const uint8_t *head = peek(w, at, 1);
  if (!head || !out->n) {
    return head ? snug__why_say(why, SNUG_E_FORMAT, "has a scan before its frame")
                : snug__input_short(w->in, why, "in the header of a JPEG");
  }
  out->is_whole = out->is_whole || head[0] < out->n;
  return SNUG_OK;
}

static bool has_length(int marker) {
  return marker != TEM && !(marker >= RST0 && marker <= EOI) && marker != 0;
}

snug_status snug__jpeg_frame_find(snug__input *in, snug__jpeg_frame *out, snug__why *why) {
  window w = {in, 0, 0, {0}};
  int64_t at = 2;
  memset(out, 0, sizeof *out);
  for (int marker = next_marker(&w, &at); marker >= 0 && marker != EOI;
       marker = next_marker(&w, &at)) {
    const uint8_t *length = has_length(marker) ? peek(&w, at, 2) : NULL;
    if (!has_length(marker)) {
      continue;
    }
    int32_t bytes = length ? two(length) : 0;
    if (bytes < 2) {
      break;
    }
    if (marker == SOS) {
      return read_scan(&w, at + 2, out, why);
    }
    if (is_frame(marker)) {
      SNUG_TRY(read_frame(&w, at + 2, bytes, marker, out, why));
    }
    at += bytes;
  }
  return snug__input_short(in, why, "in the header of a JPEG");
}

/* ---- memory ---- */

static size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

static size_t rows_bytes(size_t row_bytes, size_t rows) {
  return snug__slab_cost(rows * sizeof(void *)) + rows * snug__slab_cost(row_bytes) +
         SNUG__SLAB_ALIGN;
}

/* One component: rows of a row of MCUs with what its neighbours lend, rows after upsampling, and
 * all coefficients if there are several scans. */
static size_t component_bytes(const snug__jpeg_frame *f, int32_t i, size_t mcus_x, size_t mcus_y,
                              size_t max_v) {
  size_t h = (size_t)f->h[i], v = (size_t)f->v[i];
  size_t bytes = rows_bytes(mcus_x * h * 8, v * 10) + rows_bytes((size_t)f->width + 8, max_v) +
                 snug__slab_cost(v * 10 * 4 * sizeof(void *));
  return bytes + (f->is_whole ? rows_bytes(mcus_x * h * 128, mcus_y * v) : 0);
}

size_t snug__jpeg_decode_bytes(const snug__jpeg_frame *f) {
  size_t max_h = 1, max_v = 1;
  for (int32_t i = 0; i < f->n; i++) {
    max_h = (size_t)f->h[i] > max_h ? (size_t)f->h[i] : max_h;
    max_v = (size_t)f->v[i] > max_v ? (size_t)f->v[i] : max_v;
  }
  size_t mcus_x = ceil_div((size_t)f->width, 8 * max_h);
  size_t mcus_y = ceil_div((size_t)f->height, 8 * max_v);
  size_t bytes = SNUG__JPEG_FIXED_BYTES + 2 * snug__slab_cost((size_t)f->width * 4 + 64);
  for (int32_t i = 0; i < f->n; i++) {
    bytes += component_bytes(f, i, mcus_x, mcus_y, max_v);
  }
  return bytes;
}
