/* Images of floats, moved: each pixel of the result is read at a place of the source, as
 * keras.ops.image.affine_transform does it on TensorFlow. */
#ifndef SNUG_IMAGE_AFFINE_H
#define SNUG_IMAGE_AFFINE_H

#include <stdint.h>

#include "image/resize.h"

/* What lies around an image. */
typedef enum snug__fill_mode {
  SNUG__FILL_REFLECT,  /* dcba|abcd|dcba */
  SNUG__FILL_WRAP,     /* abcd|abcd|abcd */
  SNUG__FILL_CONSTANT, /* kkkk|abcd|kkkk */
  SNUG__FILL_NEAREST   /* aaaa|abcd|dddd */
} snug__fill_mode;

extern const char *const snug__fill_names[]; /* by number, NULL at the end */

typedef struct snug__affine {
  /* pixel (x, y) of the result is at (m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]) */
  float m[6];
  snug__interpolation interpolation; /* nearest or bilinear */
  snug__fill_mode fill_mode;
  float fill_value; /* for constant */
} snug__affine;

/* src and dst are [height, width, channels] and do not overlap. */
void snug__affine_apply(const snug__affine *a, int32_t height, int32_t width, int32_t channels,
                        const float *src, float *dst);

#endif
