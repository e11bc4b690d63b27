#include "image/recipe.h"

#include <string.h>

#include "image/option.h"
#include "image/values.h"

snug__recipe snug__recipe_of(int32_t height, int32_t width, int32_t channels) {
  return (snug__recipe){.load = {.height = height,
                                 .width = width,
                                 .channels = channels,
                                 .interpolation = SNUG__BILINEAR,
                                 .aspect = SNUG__STRETCH},
                        .scale = 1.0};
}

static bool is_rescaled(const snug__recipe *r) { return r->scale != 1.0 || r->offset != 0.0; }

static snug_status check_load(snug_ctx *ctx, const snug__load *l) {
  if (l->channels != 1 && l->channels != 3 && l->channels != 4) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "images have 1, 3 or 4 channels, not %d", l->channels);
  }
  if (l->height < 1 || l->width < 1 || l->height > SNUG__IMAGE_SIZE_MAX ||
      l->width > SNUG__IMAGE_SIZE_MAX) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "images cannot be resized to %dx%d: sides are 1 to %d",
                      l->height, l->width, SNUG__IMAGE_SIZE_MAX);
  }
  return SNUG_OK;
}

static snug_status check_crop(snug_ctx *ctx, const snug__recipe *r) {
  int32_t height = 0, width = 0;
  if (snug__augment_crop(&r->augment, &height, &width) &&
      (height > r->load.height || width > r->load.width)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "augment: crop=%dx%d is larger than the image, which is %dx%d", height, width,
                      r->load.height, r->load.width);
  }
  return SNUG_OK;
}

static snug_status check_numbers(snug_ctx *ctx, const snug__recipe *r) {
  bool has_moments = r->mean.n || r->variance.n;
  if (has_moments && (r->mean.n != r->load.channels || r->variance.n != r->load.channels)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "normalize: %d means and %d variances for %d channels; give one of each per "
                      "channel",
                      r->mean.n, r->variance.n, r->load.channels);
  }
  for (int32_t i = 0; i < r->variance.n; i++) {
    if (r->variance.v[i] < 0.0) {
      return snug__fail(ctx, SNUG_E_ARGUMENT, "normalize: a variance of %g", r->variance.v[i]);
    }
  }
  if (r->is_u8 && (has_moments || is_rescaled(r))) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "images of bytes (uint8) cannot be rescaled or normalized; take float32");
  }
  return SNUG_OK;
}

snug_status snug__recipe_check(snug_ctx *ctx, const snug__recipe *r) {
  SNUG_TRY(check_load(ctx, &r->load));
  SNUG_TRY(check_crop(ctx, r));
  return check_numbers(ctx, r);
}

void snug__recipe_shape(const snug__recipe *r, int32_t shape[3]) {
  shape[0] = r->load.height;
  shape[1] = r->load.width;
  shape[2] = r->load.channels;
  snug__augment_crop(&r->augment, &shape[0], &shape[1]);
}

static size_t sample_numbers(const snug__recipe *r) {
  int32_t shape[3];
  snug__recipe_shape(r, shape);
  return (size_t)shape[0] * (size_t)shape[1] * (size_t)shape[2];
}

size_t snug__recipe_sample_bytes(const snug__recipe *r) {
  return sample_numbers(r) * (r->is_u8 ? 1 : sizeof(float));
}

/* ---- workers ---- */

static size_t image_bytes(const snug__recipe *r) {
  return (size_t)r->load.height * (size_t)r->load.width * (size_t)r->load.channels * sizeof(float);
}

/* The destination is as good as a place of our own, unless it is smaller or of bytes. */
static bool needs_place(const snug__recipe *r) {
  int32_t height, width;
  return r->is_u8 || snug__augment_crop(&r->augment, &height, &width);
}

static size_t places_bytes(const snug__recipe *r) {
  size_t one = snug__slab_cost(image_bytes(r));
  return (needs_place(r) ? one : 0) + (snug__augment_moves(&r->augment) ? one : 0);
}

size_t snug__worker_bytes(const snug__recipe *r, size_t decode_bytes) {
  return snug__load_bytes(&r->load) + places_bytes(r) + SNUG__SLAB_ALIGN +
         snug__decoder_bytes(decode_bytes);
}

snug_status snug__worker_begin(snug__image_worker *w, const snug__recipe *r, void *memory,
                               size_t bytes, snug__why *why) {
  memset(w, 0, sizeof *w);
  snug__slab all = snug__slab_of(memory, bytes);
  if (all.bytes < snug__load_bytes(&r->load) + places_bytes(r)) {
    return snug__why_say(why, SNUG_E_MEMORY, "%zu bytes are too few for a worker", bytes);
  }
  w->recipe = r;
  w->direct = r->load;
  if (snug__augment_crop(&r->augment, &w->direct.height, &w->direct.width)) {
    w->direct.aspect = SNUG__CROP;
  }
  w->space = snug__load_space_of(&r->load, &all);
  w->images[0] = needs_place(r) ? snug__slab_take(&all, image_bytes(r)) : NULL;
  w->images[1] = snug__augment_moves(&r->augment) ? snug__slab_take(&all, image_bytes(r)) : NULL;
  return snug__decoder_begin(&w->decoder, all.base + all.used, all.bytes - all.used, why);
}

static void finish(const snug__recipe *r, float *pixels, size_t n, void *dst) {
  if (r->is_u8) {
    snug__values_to_bytes(pixels, n, dst);
    return;
  }
  if (pixels != dst) {
    memcpy(dst, pixels, n * sizeof *pixels);
  }
  if (is_rescaled(r)) {
    snug__values_rescale(dst, n, r->scale, r->offset);
  }
  if (r->mean.n) {
    snug__values_normalize(dst, n, r->load.channels, r->mean.v, r->variance.v);
  }
}

snug_status snug__worker_read(snug__image_worker *w, snug__jpeg *reader, snug__input *in,
                              const snug__image_turn *turn, void *dst, snug__why *why) {
  const snug__recipe *r = w->recipe;
  w->decoder.jpeg = reader;
  const snug__load *load = turn->training ? &r->load : &w->direct;
  snug__canvas c = {load->height, load->width, load->channels, w->images[0], w->images[1]};
  c.pixels = c.pixels ? c.pixels : dst;
  SNUG_TRY(snug__load_image(load, &w->space, &w->decoder, in, c.pixels, why));
  snug__lap(&in->laps, SNUG__STAGE_RESIZE);
  if (turn->training) {
    snug__augment_run(&r->augment, turn->seed, turn->epoch, turn->sample, &c);
  }
  finish(r, c.pixels, sample_numbers(r), dst);
  snug__lap(&in->laps, SNUG__STAGE_CHANGE);
  return SNUG_OK;
}
