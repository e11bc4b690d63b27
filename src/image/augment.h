/* Augmentation: what Keras's random layers do to images, drawn anew for each sample and epoch.
 *
 * Which numbers a sample gets depends on seed, epoch, sample and place in the list alone, so the
 * result is the same with any number of threads and in any order. */
#ifndef SNUG_IMAGE_AUGMENT_H
#define SNUG_IMAGE_AUGMENT_H

#include "base/ctx.h"
#include "base/noise.h"
#include "image/affine.h"

#define SNUG__AUGMENT_MAX 16

typedef enum snug__augment_kind {
  SNUG__FLIP,
  SNUG__ROTATION,
  SNUG__TRANSLATION,
  SNUG__ZOOM,
  SNUG__CONTRAST,
  SNUG__BRIGHTNESS,
  SNUG__RANDOM_CROP
} snug__augment_kind;

typedef enum snug__flip_mode {
  SNUG__FLIP_HORIZONTAL,
  SNUG__FLIP_VERTICAL,
  SNUG__FLIP_BOTH /* in both directions or not at all, as Keras does */
} snug__flip_mode;

typedef struct snug__augment_step {
  snug__augment_kind kind;
  snug__flip_mode flip;
  double low[2], high[2]; /* of the factor; of translation and zoom for height and width */
  bool is_tied;           /* zoom: width as height */
  snug__interpolation interpolation;
  snug__fill_mode fill_mode;
  double fill_value;
  double range[2];       /* contrast, brightness: of pixel values */
  int32_t height, width; /* crop */
} snug__augment_step;

typedef struct snug__augment {
  int32_t n;
  snug__augment_step steps[SNUG__AUGMENT_MAX];
} snug__augment;

/* Read a list as users write it: steps in order, separated by commas, each a name, name=value or
 * name(option=value, ...).
 *
 *   flip                      horizontal; flip=vertical, flip=horizontal_and_vertical
 *   rotation=0.1              a part of a whole turn, either way; rotation=[-0.1,0.2]
 *   translation=0.1           a part of height and width; translation(height_factor=0.1,
 *                             width_factor=0.2)
 *   zoom=0.1                  in (negative) and out; options as translation's
 *   contrast=0.2              times 0.8 to 1.2 around the mean
 *   brightness=0.2            a part of the range, more or less
 *   crop=200x200              height x width, anywhere in the image
 *
 * The four that move pixels take fill_mode=reflect|wrap|constant|nearest, fill_value and
 * interpolation=bilinear|nearest; contrast and brightness value_range=[0,255].  Names and defaults
 * of the options are Keras's.  Text NULL or "": nothing.  Fails: E_ARGUMENT. */
snug_status snug__augment_parse(snug_ctx *ctx, const char *text, snug__augment *out) SNUG_NODISCARD;

/* The size of the crop in the list, if there is one. */
bool snug__augment_crop(const snug__augment *a, int32_t *height, int32_t *width);

/* Whether some step needs a second image. */
bool snug__augment_moves(const snug__augment *a);

/* ---- one step; apart from the list so that a transformation can be fixed ---- */

typedef struct snug__augment_draw {
  bool flips;
  snug__affine affine;
  float factor;      /* contrast */
  float delta;       /* brightness, in pixel values */
  int32_t top, left; /* crop */
} snug__augment_draw;

/* An image of floats, of 1, 3 or 4 channels, in one of two places of the same size. */
typedef struct snug__canvas {
  int32_t height, width, channels;
  float *pixels, *spare;
} snug__canvas;

/* What a step does to an image of this size.  `unit` are two numbers in [0, 1). */
snug__augment_draw snug__augment_drawn(const snug__augment_step *step, const double unit[2],
                                       int32_t height, int32_t width);

/* Do it; the result is in c->pixels, which may be the other place then. */
void snug__augment_apply(const snug__augment_step *step, const snug__augment_draw *draw,
                         snug__canvas *c);

/* All steps for a sample. */
void snug__augment_run(const snug__augment *a, uint64_t seed, uint64_t epoch, uint64_t sample,
                       snug__canvas *c);

#endif
