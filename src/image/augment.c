#include "image/augment.h"

#include <math.h>
#include <string.h>

bool snug__augment_crop(const snug__augment *a, int32_t *height, int32_t *width) {
  for (int32_t i = 0; i < a->n; i++) {
    if (a->steps[i].kind == SNUG__RANDOM_CROP) {
      *height = a->steps[i].height;
      *width = a->steps[i].width;
      return true;
    }
  }
  return false;
}

static bool moves(snug__augment_kind kind) {
  return kind == SNUG__ROTATION || kind == SNUG__TRANSLATION || kind == SNUG__ZOOM;
}

bool snug__augment_moves(const snug__augment *a) {
  for (int32_t i = 0; i < a->n; i++) {
    if (moves(a->steps[i].kind)) {
      return true;
    }
  }
  return false;
}

/* ---- what is drawn ---- */

static float between(const snug__augment_step *s, int axis, double unit, double times) {
  return (float)((s->low[axis] + unit * (s->high[axis] - s->low[axis])) * times);
}

/* In float and in Keras's order, so that the same angle gives the same matrix. */
static void rotate(float degrees, int32_t height, int32_t width, float m[6]) {
  float angle = degrees * (float)(3.14159265358979323846 / 180.0);
  float cosine = cosf(angle), sine = sinf(angle);
  float cx = 0.5F * (float)(width - 1), cy = 0.5F * (float)(height - 1);
  m[0] = cosine;
  m[1] = -sine;
  m[2] = cx - cx * m[0] - cy * m[1];
  m[3] = sine;
  m[4] = cosine;
  m[5] = cy - cx * m[3] - cy * m[4];
}

static void translate(float down, float right, float m[6]) {
  memcpy(m, (float[6]){1.0F, 0.0F, -right, 0.0F, 1.0F, -down}, 6 * sizeof *m);
}

static void zoom(float zoom_y, float zoom_x, int32_t height, int32_t width, float m[6]) {
  float x = ((float)width - 1.0F) / 2.0F * (1.0F - zoom_x);
  float y = ((float)height - 1.0F) / 2.0F * (1.0F - zoom_y);
  memcpy(m, (float[6]){zoom_x, 0.0F, x, 0.0F, zoom_y, y}, 6 * sizeof *m);
}

static void draw_affine(const snug__augment_step *s, const double unit[2], int32_t height,
                        int32_t width, snug__affine *out) {
  *out = (snug__affine){.interpolation = s->interpolation,
                        .fill_mode = s->fill_mode,
                        .fill_value = (float)s->fill_value};
  if (s->kind == SNUG__ROTATION) {
    rotate(between(s, 0, unit[0], 360.0), height, width, out->m);
  } else if (s->kind == SNUG__TRANSLATION) {
    translate(between(s, 0, unit[0], height), between(s, 1, unit[1], width), out->m);
  } else {
    float zoom_y = 1.0F + between(s, 0, unit[0], 1.0);
    zoom(zoom_y, s->is_tied ? zoom_y : 1.0F + between(s, 1, unit[1], 1.0), height, width, out->m);
  }
}

snug__augment_draw snug__augment_drawn(const snug__augment_step *s, const double unit[2],
                                       int32_t height, int32_t width) {
  snug__augment_draw d = {0};
  if (s->kind == SNUG__FLIP) {
    d.flips = unit[0] <= 0.5;
  } else if (moves(s->kind)) {
    draw_affine(s, unit, height, width, &d.affine);
  } else if (s->kind == SNUG__CONTRAST) {
    d.factor = between(s, 0, unit[0], 1.0);
  } else if (s->kind == SNUG__BRIGHTNESS) {
    d.delta = between(s, 0, unit[0], s->range[1] - s->range[0]);
  } else {
    d.top = (int32_t)(unit[0] * (double)(height - s->height + 1));
    d.left = (int32_t)(unit[1] * (double)(width - s->width + 1));
  }
  return d;
}

/* ---- what is done ---- */

static void swap_pixels(float *a, float *b, int32_t channels) {
  for (int32_t c = 0; c < channels; c++) {
    float kept = a[c];
    a[c] = b[c];
    b[c] = kept;
  }
}

static void flip_horizontally(snug__canvas *c) {
  for (int32_t y = 0; y < c->height; y++) {
    float *row = c->pixels + (ptrdiff_t)y * c->width * c->channels;
    for (int32_t x = 0; x < c->width / 2; x++) {
      swap_pixels(row + (ptrdiff_t)x * c->channels,
                  row + (ptrdiff_t)(c->width - 1 - x) * c->channels, c->channels);
    }
  }
}

static void flip_vertically(snug__canvas *c) {
  int32_t n = c->width * c->channels;
  for (int32_t y = 0; y < c->height / 2; y++) {
    swap_pixels(c->pixels + (ptrdiff_t)y * n, c->pixels + (ptrdiff_t)(c->height - 1 - y) * n, n);
  }
}

static inline float limited(float x, float low, float high) {
  return x < low ? low : x > high ? high : x;
}

/* Inlined with a constant number of channels. */
static inline void stretch(float *pixels, int64_t n, int32_t channels, float factor, float low,
                           float high) {
  double sums[4] = {0};
  float means[4];
  for (int64_t i = 0; i < n; i++) {
    for (int32_t k = 0; k < channels; k++) {
      sums[k] += (double)pixels[i * channels + k];
    }
  }
  for (int32_t k = 0; k < channels; k++) {
    means[k] = (float)(sums[k] / (double)n);
  }
  for (int64_t i = 0; i < n; i++) {
    for (int32_t k = 0; k < channels; k++) {
      float *p = &pixels[i * channels + k];
      *p = limited((*p - means[k]) * factor + means[k], low, high);
    }
  }
}

static void change_contrast(const snug__augment_step *s, float factor, snug__canvas *c) {
  int64_t n = (int64_t)c->height * c->width;
  float low = (float)s->range[0], high = (float)s->range[1];
  if (c->channels == 3) {
    stretch(c->pixels, n, 3, factor, low, high);
  } else if (c->channels == 1) {
    stretch(c->pixels, n, 1, factor, low, high);
  } else {
    stretch(c->pixels, n, 4, factor, low, high);
  }
}

static void change_brightness(const snug__augment_step *s, float delta, snug__canvas *c) {
  int64_t n = (int64_t)c->height * c->width * c->channels;
  float low = (float)s->range[0], high = (float)s->range[1];
  float *pixels = c->pixels;
  for (int64_t i = 0; i < n; i++) {
    pixels[i] = limited(pixels[i] + delta, low, high);
  }
}

/* Rows move towards the front, so the image can stay where it is. */
static void crop(const snug__augment_step *s, const snug__augment_draw *d, snug__canvas *c) {
  size_t n = (size_t)s->width * (size_t)c->channels;
  for (int32_t y = 0; y < s->height; y++) {
    const float *from = c->pixels + ((ptrdiff_t)(d->top + y) * c->width + d->left) * c->channels;
    memmove(c->pixels + (size_t)y * n, from, n * sizeof(float));
  }
  c->height = s->height;
  c->width = s->width;
}

static void move(const snug__affine *a, snug__canvas *c) {
  float *result = c->spare;
  snug__affine_apply(a, c->height, c->width, c->channels, c->pixels, result);
  c->spare = c->pixels;
  c->pixels = result;
}

static void flip(const snug__augment_step *s, snug__canvas *c) {
  if (s->flip != SNUG__FLIP_VERTICAL) {
    flip_horizontally(c);
  }
  if (s->flip != SNUG__FLIP_HORIZONTAL) {
    flip_vertically(c);
  }
}

void snug__augment_apply(const snug__augment_step *s, const snug__augment_draw *d,
                         snug__canvas *c) {
  if (s->kind == SNUG__FLIP) {
    if (d->flips) {
      flip(s, c);
    }
  } else if (moves(s->kind)) {
    move(&d->affine, c);
  } else if (s->kind == SNUG__CONTRAST) {
    change_contrast(s, d->factor, c);
  } else if (s->kind == SNUG__BRIGHTNESS) {
    change_brightness(s, d->delta, c);
  } else {
    crop(s, d, c);
  }
}

void snug__augment_run(const snug__augment *a, uint64_t seed, uint64_t epoch, uint64_t sample,
                       snug__canvas *c) {
  for (int32_t i = 0; i < a->n; i++) {
    snug__noise noise = {
        .key = snug__noise_key((int64_t)seed, i, (int64_t)epoch), .sample = sample, .block = -1};
    double unit[2] = {snug__noise_unit(&noise, 0), snug__noise_unit(&noise, 1)};
    snug__augment_draw d = snug__augment_drawn(&a->steps[i], unit, c->height, c->width);
    snug__augment_apply(&a->steps[i], &d, c);
  }
}
