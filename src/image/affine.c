#include "image/affine.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

const char *const snug__fill_names[] = {"reflect", "wrap", "constant", "nearest", NULL};

/* A coordinate far outside is brought near first, so that it fits an integer; a coordinate that is
 * not a number becomes 0. */
static float tame(float at) {
  const float far = 1e9F;
  return at > far ? far : at < -far ? -far : at == at ? at : 0.0F;
}

static float clamp(float at, int32_t n) {
  float last = (float)(n - 1);
  return at < 0.0F ? 0.0F : at > last ? last : at;
}

/* The three that follow keep the arithmetic of TensorFlow's kernel, in float. */
static float reflect(float at, int32_t n) {
  float twice = (float)(2 * (int64_t)n);
  if (at < 0.0F) {
    at = twice * (float)(int64_t)(-at / twice) + at;
    at = at < (float)-n ? at + twice : -at - 1.0F;
  } else {
    at -= twice * (float)(int64_t)(at / twice);
    at = at >= (float)n ? twice - at - 1.0F : at;
  }
  return clamp(at, n);
}

static float wrap(float at, int32_t n) {
  float last = (float)(n - 1);
  if (n == 1) {
    return 0.0F;
  }
  at = at < 0.0F ? at + (float)n * (float)((int64_t)(-at / last) + 1)
                 : at - (float)n * (float)(int64_t)(at / last);
  return clamp(at, n);
}

static float map(snug__fill_mode mode, float at, int32_t n) {
  if (at >= 0.0F && at <= (float)(n - 1)) {
    return at;
  }
  at = tame(at);
  return mode == SNUG__FILL_REFLECT   ? reflect(at, n)
         : mode == SNUG__FILL_WRAP    ? wrap(at, n)
         : mode == SNUG__FILL_NEAREST ? clamp(at, n)
                                      : at;
}

typedef struct plane {
  const float *src;
  int32_t height, width, channels;
  const float *fill; /* a pixel of the fill value */
} plane;

static inline const float *pixel(const plane *p, int64_t y, int64_t x, int32_t channels) {
  if (y < 0 || x < 0 || y >= p->height || x >= p->width) {
    return p->fill;
  }
  return p->src + (y * p->width + x) * channels;
}

static inline void nearest(const plane *p, float y, float x, int32_t channels, float *dst) {
  const float *from = pixel(p, (int64_t)roundf(y), (int64_t)roundf(x), channels);
  for (int32_t c = 0; c < channels; c++) {
    dst[c] = from[c];
  }
}

static inline void bilinear(const plane *p, float y, float x, int32_t channels, float *dst) {
  int64_t y0 = (int64_t)y - (y < 0.0F && (float)(int64_t)y != y);
  int64_t x0 = (int64_t)x - (x < 0.0F && (float)(int64_t)x != x);
  const float *a = pixel(p, y0, x0, channels), *b = pixel(p, y0, x0 + 1, channels);
  const float *c = pixel(p, y0 + 1, x0, channels), *d = pixel(p, y0 + 1, x0 + 1, channels);
  float right = x - (float)x0, left = (float)(x0 + 1) - x;
  float below = y - (float)y0, above = (float)(y0 + 1) - y;
  for (int32_t k = 0; k < channels; k++) {
    dst[k] = above * (left * a[k] + right * b[k]) + below * (left * c[k] + right * d[k]);
  }
}

/* The same for three or four channels at once, where that is possible: inside of the image, and not
 * at its last pixel, behind which a fourth channel would be read.  Of three channels a fourth is
 * written, which the next pixel overwrites. */
static inline bool bilinear_at_once(const plane *p, float y, float x, int32_t channels,
                                    float *dst) {
#ifdef __SSE2__
  if (channels == 1 ||
      !(y >= 0.0F && x >= 0.0F && y < (float)(p->height - 1) && x <= (float)(p->width - 1))) {
    return false;
  }
  int32_t y0 = (int32_t)y, x0 = (int32_t)x;
  ptrdiff_t at = (ptrdiff_t)y0 * p->width + x0;
  if (at + p->width + 2 >= (ptrdiff_t)p->height * p->width) {
    return false;
  }
  const float *a = p->src + at * channels, *c = a + (ptrdiff_t)p->width * channels;
  __m128 right = _mm_set1_ps(x - (float)x0), left = _mm_set1_ps((float)(x0 + 1) - x);
  __m128 below = _mm_set1_ps(y - (float)y0), above = _mm_set1_ps((float)(y0 + 1) - y);
  __m128 upper =
      _mm_add_ps(_mm_mul_ps(left, _mm_loadu_ps(a)), _mm_mul_ps(right, _mm_loadu_ps(a + channels)));
  __m128 lower =
      _mm_add_ps(_mm_mul_ps(left, _mm_loadu_ps(c)), _mm_mul_ps(right, _mm_loadu_ps(c + channels)));
  _mm_storeu_ps(dst, _mm_add_ps(_mm_mul_ps(above, upper), _mm_mul_ps(below, lower)));
  return true;
#else
  (void)p, (void)y, (void)x, (void)channels, (void)dst;
  return false;
#endif
}

/* Inlined with a constant number of channels. */
static inline void apply(const snug__affine *a, const plane *p, int32_t channels, float *dst) {
  const float *last = dst + ((ptrdiff_t)p->height * p->width - 1) * channels;
  for (int32_t y = 0; y < p->height; y++) {
    for (int32_t x = 0; x < p->width; x++, dst += channels) {
      float at_x = a->m[0] * (float)x + a->m[1] * (float)y + a->m[2];
      float at_y = a->m[3] * (float)x + a->m[4] * (float)y + a->m[5];
      at_x = map(a->fill_mode, at_x, p->width);
      at_y = map(a->fill_mode, at_y, p->height);
      if (a->interpolation == SNUG__NEAREST) {
        nearest(p, at_y, at_x, channels, dst);
      } else if (dst == last || !bilinear_at_once(p, at_y, at_x, channels, dst)) {
        bilinear(p, at_y, at_x, channels, dst);
      }
    }
  }
}

void snug__affine_apply(const snug__affine *a, int32_t height, int32_t width, int32_t channels,
                        const float *src, float *dst) {
  float fill[4] = {a->fill_value, a->fill_value, a->fill_value, a->fill_value};
  plane p = {src, height, width, channels, fill};
  if (channels == 3) {
    apply(a, &p, 3, dst);
  } else if (channels == 1) {
    apply(a, &p, 1, dst);
  } else {
    apply(a, &p, 4, dst);
  }
}
