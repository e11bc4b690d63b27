/* Tiles and where they lie: those of all images are one list, so that small images make large
 * products too. */
#ifndef SNUG_DEVICE_CPU_LOOPS_WINO_TILES_H
#define SNUG_DEVICE_CPU_LOOPS_WINO_TILES_H
#include <stdint.h>
#include <string.h>

#ifdef __AVX2__

#include "device/cpu/loops/wino_transform.h"
#include "device/cpu/wino.h"

#define PLANES 36

/* Images in blocks of channels: [n][blocks][h][w][LANES]. */
typedef struct images {
  const float *data;
  int64_t blocks, h, w;
} images;

/* A square of an image: its first pixel, which may lie outside, and the image's number. */
typedef struct square {
  int64_t image, y, x;
} square;

INLINE int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

INLINE int64_t round_up(int64_t a, int64_t b) { return div_up(a, b) * b; }

INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

INLINE int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* The part of n things that is the slot's, of `slots`. */
INLINE int64_t share(int64_t n, int64_t slot, int64_t slots) { return n * slot / slots; }

INLINE int64_t tile_count(const snug__wino_shape *s) {
  return s->n * div_up(s->oh, 4) * div_up(s->ow, 4);
}

/* The output of tile number t. */
INLINE square tile_at(const snug__wino_shape *s, int64_t t) {
  int64_t columns = div_up(s->ow, 4), rows = div_up(s->oh, 4);
  return (square){t / columns / rows, t / columns % rows * 4, t % columns * 4};
}

/* A square of size x size vectors, zero where it is outside of the image. */
static void gather(const float *image, const images *from, square at, int64_t size, float *to) {
  memset(to, 0, (size_t)(size * size) * sizeof(vec));
  int64_t left = larger(at.x, 0), right = smaller(at.x + size, from->w);
  for (int64_t y = larger(at.y, 0); y < smaller(at.y + size, from->h) && left < right; y++) {
    memcpy(to + ((y - at.y) * size + left - at.x) * LANES, image + (y * from->w + left) * LANES,
           (size_t)(right - left) * sizeof(vec));
  }
}

INLINE int is_inside(const images *from, square at, int64_t size) {
  return at.y >= 0 && at.x >= 0 && at.y + size <= from->h && at.x + size <= from->w;
}

INLINE const float *image_of(const images *from, square at, int64_t block) {
  return from->data + (at.image * from->blocks + block) * from->h * from->w * LANES;
}

/* One channel block of the window whose output is `out`, into 36 planes. */
static void load_window(const images *from, const snug__wino_shape *s, square out, int64_t block,
                        float *to, int64_t step) {
  _Alignas(64) float border[PLANES * LANES];
  square at = {out.image, out.y - s->pad_top, out.x - s->pad_left};
  const float *x = image_of(from, at, block);
  int64_t row = from->w * LANES;
  if (is_inside(from, at, 6)) {
    x += at.y * row + at.x * LANES;
  } else {
    gather(x, from, at, 6, border);
    x = border;
    row = 6 * LANES;
  }
  transform_window(x, row, to, step);
}

#endif
#endif
