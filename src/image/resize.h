/* Resizing rows as they come: what tf.image.resize makes of a whole image, with two rows in memory.
 *
 * Each axis is a list of taps: which pixels a pixel of the result is made of.  A row is resized
 * along its width once, when the first row of the result asks for it; the rows of the result are
 * made of those.  Pixel centers are at halves, as in Keras: pixel i of the result is at
 * (i + 1/2) * in / out - 1/2. */
#ifndef SNUG_IMAGE_RESIZE_H
#define SNUG_IMAGE_RESIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum snug__interpolation {
  SNUG__NEAREST,
  SNUG__BILINEAR, /* two pixels, also when shrinking: as Keras's Resizing */
  SNUG__AREA      /* the mean of what a pixel covers */
} snug__interpolation;

extern const char *const snug__interpolation_names[]; /* by number, NULL at the end */

/* A pixel of the result: of pixels first to last, those between them count 1, the two as much as
 * `before` and `after` say.  Of a bilinear one `after` is the share of the second, which is the
 * next one; 0 if there is none.
 *
 * Pixels are counted with one more at each end, that of the edge: the image begins at 1. */
typedef struct snug__tap {
  int32_t first, last;
  float before, after;
} snug__tap;

typedef struct snug__axis {
  snug__interpolation method;
  int32_t n;   /* pixels of the result */
  float scale; /* pixels of the image for one of them */
  snug__tap *taps;
} snug__axis;

/* What of an axis is resized to where: `in` pixels from `from` on, which may begin before the image
 * and end behind it, become `n` pixels from `at` on of the result.  All around is the edge. */
typedef struct snug__span {
  int32_t from, in, at, n;
} snug__span;

/* Fill axis->taps (axis->n of them) for an image that has `size` pixels there. */
void snug__resize_taps(snug__axis *axis, const snug__span *span, int32_t size);

/* Resize a row of bytes along its width, 1, 3 or 4 channels, to floats.  Up to
 * SNUG__ROW_SLACK bytes behind the row are read, and not used. */
#define SNUG__ROW_SLACK 8
void snug__resize_row(const snug__axis *axis, int32_t channels, const uint8_t *row, float *dst);

/* A row of the result between two rows, n numbers each. */
void snug__resize_between(const float *first, const float *last, float share, size_t n, float *dst);

/* Add a row to a row of the result, or begin it with that. */
void snug__resize_add(const float *row, float weight, bool begins, size_t n, float *dst);

/* ---- aspect ratio ---- */

typedef enum snug__aspect {
  SNUG__STRETCH, /* the whole image, distorted */
  SNUG__CROP,    /* the largest window in the middle with the ratio of the result */
  SNUG__PAD, /* the whole image, resized, in the middle of an edge: as Keras does for a folder */
  SNUG__PAD_FIRST /* an edge around the image, and both resized: as Keras's Resizing does */
} snug__aspect;

extern const char *const snug__aspect_names[];

typedef struct snug__fit {
  snug__span y, x;
} snug__fit;

/* What of a height x width image goes where in a result of to_height x to_width; rounded as Keras
 * does. */
snug__fit snug__aspect_fit(snug__aspect aspect, int32_t height, int32_t width, int32_t to_height,
                           int32_t to_width);

#endif
