/* Tiles and where they lie: those of all images are one list, so that small images make large
 * products too. */
#ifndef SNUG_DEVICE_CPU_LOOPS_WINO_TILES_H
#define SNUG_DEVICE_CPU_LOOPS_WINO_TILES_H
#include <stdint.h>

#ifdef __AVX2__

#include "device/cpu/loops/wino_transform.h"
#include "device/cpu/wino.h"

#define PLANES 36
#define AHEAD 2 /* tiles: how early memory is asked for what comes */

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
INLINE void gather(const float *image, const images *from, square at, int size, float *to) {
  for (int64_t y = at.y; y < at.y + size; y++) {
    for (int64_t x = at.x; x < at.x + size; x++, to += LANES) {
      int inside = y >= 0 && y < from->h && x >= 0 && x < from->w;
      store(to, inside ? load(image + (y * from->w + x) * LANES) : all(0.0f));
    }
  }
}

INLINE int is_inside(const images *from, square at, int size) {
  return at.y >= 0 && at.x >= 0 && at.y + size <= from->h && at.x + size <= from->w;
}

INLINE const float *image_of(const images *from, square at, int64_t block) {
  return from->data + (at.image * from->blocks + block) * from->h * from->w * LANES;
}

INLINE square window_at(const snug__wino_shape *s, square out) {
  return (square){out.image, out.y - s->pad_top, out.x - s->pad_left};
}

/* One channel block of the window whose output is `out`, into 36 planes. */
INLINE void load_window(const images *from, const snug__wino_shape *s, square out, int64_t block,
                        float *to, int64_t step) {
  _Alignas(64) float border[PLANES * LANES];
  square at = window_at(s, out);
  const float *x = image_of(from, at, block);
  if (is_inside(from, at, 6)) {
    transform_window(x + (at.y * from->w + at.x) * LANES, from->w * LANES, to, step);
  } else {
    gather(x, from, at, 6, border);
    transform_window(border, 6 * LANES, to, step);
  }
}

/* Columns of a square that will be loaded soon; those to the left of them came with its neighbour.
 */
INLINE void fetch_square(const images *from, square at, int64_t block, int rows, int first) {
  const float *x = image_of(from, at, block);
  for (int i = 0; i < rows; i++) {
    for (int k = first; k < first + 4; k++) {
      fetch(x, ((at.y + i) * from->w + at.x + k) * LANES, 0);
    }
  }
}

/* Windows of n tiles for all of n_blocks channel blocks, a channel block behind the other. */
INLINE void load_windows(const images *from, const snug__wino_shape *s, const square *at, int64_t n,
                         int64_t first, int64_t n_blocks, float *to, int64_t step) {
  for (int64_t block = 0; block < n_blocks; block++) {
    for (int64_t t = 0; t < n; t++) {
      int64_t next = t + AHEAD;
      fetch_square(from, window_at(s, at[next < n ? next : 0]), first + block + (next >= n), 6, 2);
      load_window(from, s, at[t], first + block, to + block * PLANES * step + t * LANES, step);
    }
  }
}

#endif
#endif
