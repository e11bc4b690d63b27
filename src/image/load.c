#include "image/load.h"

#include <string.h>

#include "base/ctx.h"

size_t snug__load_bytes(const snug__load *load) {
  size_t row = (size_t)load->width * (size_t)load->channels * sizeof(float);
  return snug__slab_cost((size_t)load->width * sizeof(snug__tap)) +
         snug__slab_cost((size_t)load->height * sizeof(snug__tap)) + 2 * snug__slab_cost(row);
}

snug__load_space snug__load_space_of(const snug__load *load, snug__slab *slab) {
  size_t row = (size_t)load->width * (size_t)load->channels * sizeof(float);
  snug__load_space space = {0};
  space.taps_x = snug__slab_take(slab, (size_t)load->width * sizeof(snug__tap));
  space.taps_y = snug__slab_take(slab, (size_t)load->height * sizeof(snug__tap));
  space.rows[0] = snug__slab_take(slab, row);
  space.rows[1] = snug__slab_take(slab, row);
  return space;
}

/* An image on its way. */
typedef struct flow {
  const snug__load *load;
  snug__decoder *d;
  snug__input *in;
  snug__axis x, y;
  uint8_t *row;     /* of the file, between two pixels of the edge */
  float *rows[2];   /* resized along their width; row i is in place i % 2 */
  int32_t which[2]; /* rows they are, counted with the edge; -1: none */
  size_t n;         /* numbers in a row of the result */
} flow;

/* How much a JPEG may be shrunk while it is decoded.  libjpeg also knows 3/8, 5/8 and so on, but
 * has no vector code for them: they take longer than all of the pixels. */
static int32_t shrink_of(const snug__load *load, const snug__image_info *info) {
  for (int32_t by = 8; by > 1; by /= 2) {
    snug__fit fit = snug__aspect_fit(load->aspect, (info->height + by - 1) / by,
                                     (info->width + by - 1) / by, load->height, load->width);
    if (fit.y.in >= fit.y.n && fit.x.in >= fit.x.n) {
      return by;
    }
  }
  return 1;
}

static snug_status begin(flow *f, const snug__load_space *space, snug__why *why) {
  const snug__load *load = f->load;
  snug__input *in = f->in;
  SNUG_TRY(snug__decoder_look(f->d, in, why));
  bool may_shrink = load->decode == SNUG__DECODE_FAST && f->d->info.format == SNUG__IMAGE_JPEG;
  int32_t shrink = may_shrink ? shrink_of(load, &f->d->info) : 1;
  SNUG_TRY(snug__decoder_start(f->d, in, load->channels, shrink, load->decode, why));
  size_t pixel = (size_t)load->channels;
  f->row = snug__slab_take(&f->d->slab, ((size_t)f->d->width + 2) * pixel + SNUG__ROW_SLACK);
  if (!f->row) {
    return snug__why_say(why, SNUG_E_LIMIT, "needs more memory than the %zu bytes of a worker",
                         f->d->slab.bytes);
  }
  memset(f->row, load->edge, pixel);
  memset(f->row + ((size_t)f->d->width + 1) * pixel, load->edge, pixel + SNUG__ROW_SLACK);
  snug__fit fit =
      snug__aspect_fit(load->aspect, f->d->height, f->d->width, load->height, load->width);
  f->x = (snug__axis){load->interpolation, load->width, 0.0F, space->taps_x};
  f->y = (snug__axis){load->interpolation, load->height, 0.0F, space->taps_y};
  snug__resize_taps(&f->x, &fit.x, f->d->width);
  snug__resize_taps(&f->y, &fit.y, f->d->height);
  return SNUG_OK;
}

/* Row i of the image, resized along its width.  Rows are asked for in order. */
static snug_status row_at(flow *f, int32_t i, const float **out, snug__why *why) {
  float *row = f->rows[i % 2];
  *out = row;
  if (f->which[i % 2] == i) {
    return SNUG_OK;
  }
  if (i == 0 || i > f->d->height) {
    for (size_t k = 0; k < f->n; k++) {
      row[k] = (float)f->load->edge;
    }
  } else {
    snug__lap(&f->in->laps, SNUG__STAGE_RESIZE);
    while (f->d->y < i) {
      SNUG_TRY(snug__decoder_row(f->d, f->row + f->load->channels, why));
    }
    snug__lap(&f->in->laps, SNUG__STAGE_DECODE);
    snug__resize_row(&f->x, f->load->channels, f->row, row);
  }
  f->which[i % 2] = i;
  return SNUG_OK;
}

static snug_status make_between(flow *f, snug__tap tap, float *dst, snug__why *why) {
  const float *first = NULL, *last = NULL;
  SNUG_TRY(row_at(f, tap.first, &first, why));
  SNUG_TRY(row_at(f, tap.last, &last, why));
  snug__resize_between(first, last, tap.after, f->n, dst);
  return SNUG_OK;
}

static snug_status make_mean(flow *f, snug__tap tap, float *dst, snug__why *why) {
  for (int32_t i = tap.first; i <= tap.last; i++) {
    const float *row = NULL;
    float weight = i == tap.first ? tap.before : i == tap.last ? tap.after : 1.0F;
    SNUG_TRY(row_at(f, i, &row, why));
    snug__resize_add(row, weight / f->y.scale, i == tap.first, f->n, dst);
  }
  return SNUG_OK;
}

snug_status snug__load_image(const snug__load *load, const snug__load_space *space,
                             snug__decoder *d, snug__input *in, float *dst, snug__why *why) {
  flow f = {
      .load = load, .d = d, .in = in, .rows = {space->rows[0], space->rows[1]}, .which = {-1, -1}};
  f.n = (size_t)load->width * (size_t)load->channels;
  SNUG_TRY(begin(&f, space, why));
  snug__lap(&in->laps, SNUG__STAGE_DECODE);
  for (int32_t y = 0; y < load->height; y++, dst += f.n) {
    SNUG_TRY(load->interpolation == SNUG__AREA ? make_mean(&f, space->taps_y[y], dst, why)
                                               : make_between(&f, space->taps_y[y], dst, why));
  }
  return SNUG_OK;
}
