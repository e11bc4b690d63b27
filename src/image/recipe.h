/* The whole way of an image: file, decode, resize, augment, rescale, normalize, in this order; and
 * the worker that goes it, with all memory given before.
 *
 * Threads: a recipe is only read; a worker is used by one thread at a time. */
#ifndef SNUG_IMAGE_RECIPE_H
#define SNUG_IMAGE_RECIPE_H

#include "base/fields.h"
#include "image/augment.h"
#include "image/load.h"

typedef struct snug__recipe {
  snug__load load;            /* to which size, and how */
  snug__augment augment;      /* on pixel values of 0 to 255; left out when `training` is not */
  double scale, offset;       /* of Rescaling; 1 and 0: none */
  snug_floats mean, variance; /* of Normalization, behind that: one per channel, or none of both */
  bool is_u8;                 /* samples are bytes, not floats: nothing is rescaled or normalized */
} snug__recipe;

/* Images of a size in floats of 0 to 255, as image_dataset_from_directory gives them. */
snug__recipe snug__recipe_of(int32_t height, int32_t width, int32_t channels);

/* See that the parts fit each other: channels, sizes, a crop that is not larger than the image, a
 * mean and a variance for each channel.  Fails: E_ARGUMENT. */
snug_status snug__recipe_check(snug_ctx *ctx, const snug__recipe *r) SNUG_NODISCARD;

/* The shape of a sample, [height, width, channels]: that of the crop, if there is one. */
void snug__recipe_shape(const snug__recipe *r, int32_t shape[3]);
size_t snug__recipe_sample_bytes(const snug__recipe *r);

/* ---- workers ---- */

typedef struct snug__image_worker {
  const snug__recipe *recipe;
  snug__load_space space;
  snug__load direct; /* when not training: straight to the size of the crop */
  float *images[2];  /* where an image lies on its way; NULL where its destination will do */
  snug__decoder decoder;
} snug__image_worker;

/* What one worker holds, for files that need at most decode_bytes each (probe.h). */
size_t snug__worker_bytes(const snug__recipe *r, size_t decode_bytes);

/* Make a worker in memory of the caller's; recipe and memory must stay.  It costs next to nothing,
 * and there is nothing to end.  Fails: E_MEMORY. */
snug_status snug__worker_begin(snug__image_worker *w, const snug__recipe *r, void *memory,
                               size_t bytes, snug__why *why) SNUG_NODISCARD;

/* Which numbers augmentation draws; without training none, and a crop takes the middle: the largest
 * window with its ratio. */
typedef struct snug__image_turn {
  bool training;
  uint64_t seed, epoch, sample;
} snug__image_turn;

/* Read a file to dst, which has sample_bytes, with a reader of JPEG files that is not in use
 * meanwhile.  Fails: E_FORMAT, E_UNSUPPORTED, E_IO, E_LIMIT; what
 * is in dst then is undefined. */
snug_status snug__worker_read(snug__image_worker *w, snug__jpeg *reader, snug__input *in,
                              const snug__image_turn *turn, void *dst,
                              snug__why *why) SNUG_NODISCARD;

#endif
