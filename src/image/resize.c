#include "image/resize.h"

#include <math.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>

#include "base/isa.h"
#endif

const char *const snug__interpolation_names[] = {"nearest", "bilinear", "area", NULL};
const char *const snug__aspect_names[] = {"stretch", "crop", "pad", "pad_first", NULL};

/* ---- taps; in float, as TensorFlow computes them ---- */

static int32_t within(float x, int32_t n) {
  return x < 0.0F ? 0 : x > (float)(n - 1) ? n - 1 : (int32_t)x;
}

static snug__tap nearest_tap(int32_t i, int32_t in, float scale) {
  int32_t at = within(floorf(((float)i + 0.5F) * scale), in);
  return (snug__tap){at, at, 1.0F, 0.0F};
}

static snug__tap bilinear_tap(int32_t i, int32_t in, float scale) {
  float at = ((float)i + 0.5F) * scale - 0.5F;
  float low = floorf(at);
  return (snug__tap){within(low, in), within(ceilf(at), in), 0.0F, at - low};
}

static float covered(float low, float high, int32_t from, int32_t to) {
  float a = (float)from > low ? (float)from : low;
  float b = (float)to < high ? (float)to : high;
  return b > a ? b - a : 0.0F;
}

/* Pixels before `from` and behind `to` are all of the same color: their weights are one weight. */
static snug__tap area_tap(int32_t i, int32_t in, float scale, int32_t from, int32_t to) {
  float low = (float)i * scale;
  float high = (float)(i + 1) * scale;
  int32_t first = within(floorf(low), in);
  int32_t last = within(ceilf(high) - 1.0F, in);
  first = first < from ? from - 1 : first > to ? to : first;
  last = last < from ? from - 1 : last > to ? to : last;
  if (last <= first) {
    return (snug__tap){first, first, scale, 0.0F};
  }
  return (snug__tap){first, last, covered(low, high, first < from ? 0 : first, first + 1),
                     covered(low, high, last, last < to ? last + 1 : in)};
}

static int32_t with_edge(int32_t at, int32_t from, int32_t size) {
  int32_t pixel = at + from;
  return pixel < 0 ? 0 : pixel >= size ? size + 1 : pixel + 1;
}

static snug__tap tap_at(const snug__axis *axis, const snug__span *span, int32_t i, int32_t size) {
  snug__tap tap = axis->method == SNUG__NEAREST ? nearest_tap(i, span->in, axis->scale)
                  : axis->method == SNUG__BILINEAR
                      ? bilinear_tap(i, span->in, axis->scale)
                      : area_tap(i, span->in, axis->scale, -span->from, size - span->from);
  tap.first = with_edge(tap.first, span->from, size);
  tap.last = with_edge(tap.last, span->from, size);
  tap.after = tap.last > tap.first ? tap.after : 0.0F;
  return tap;
}

void snug__resize_taps(snug__axis *axis, const snug__span *span, int32_t size) {
  axis->scale = (float)span->in / (float)span->n;
  for (int32_t i = 0; i < axis->n; i++) {
    int32_t edge = i < span->at ? 0 : size + 1;
    bool inside = i >= span->at && i < span->at + span->n;
    axis->taps[i] = inside ? tap_at(axis, span, i - span->at, size)
                           : (snug__tap){edge, edge, axis->scale, 0.0F};
  }
}

/* ---- along the width ---- */

/* Inlined with a constant number of channels, so that the inner loops are unrolled. */
static inline void nearest_row(const snug__tap *taps, int32_t n, int32_t channels,
                               const uint8_t *row, float *dst) {
  for (int32_t i = 0; i < n; i++, dst += channels) {
    const uint8_t *pixel = row + (ptrdiff_t)taps[i].first * channels;
    for (int32_t c = 0; c < channels; c++) {
      dst[c] = (float)pixel[c];
    }
  }
}

static inline void bilinear_row(const snug__tap *taps, int32_t n, int32_t channels,
                                const uint8_t *row, float *dst) {
  for (int32_t i = 0; i < n; i++, dst += channels) {
    const uint8_t *first = row + (ptrdiff_t)taps[i].first * channels;
    const uint8_t *last = row + (ptrdiff_t)taps[i].last * channels;
    float share = taps[i].after;
    for (int32_t c = 0; c < channels; c++) {
      float a = (float)first[c];
      dst[c] = a + ((float)last[c] - a) * share;
    }
  }
}

#ifdef __x86_64__
static inline __m128i eight_bytes(const uint8_t *at) {
  int64_t bytes;
  memcpy(&bytes, at, sizeof bytes);
  return _mm_cvtsi64_si128(bytes);
}

/* The same of three channels or four, two pixels of the result at once: most images are such, and a
 * tenth of the time of a small one goes here.  Both pixels of a tap lie side by side, so 8 bytes
 * are both of them.  Of three channels the fourth number is overwritten by the next pixel. */
__attribute__((target("avx2"))) static void bilinear_pairs(const snug__tap *taps, int32_t pairs,
                                                           int32_t channels, const uint8_t *row,
                                                           float *dst) {
  const __m256i lane = _mm256_setr_epi8(0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3, -1, -1, -1,
                                        0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3, -1, -1, -1);
  const __m256i behind = _mm256_add_epi32(lane, _mm256_set1_epi32(channels));
  for (int32_t i = 0; i < 2 * pairs; i += 2, dst += 2 * channels) {
    const uint8_t *at = row + (ptrdiff_t)taps[i].first * channels;
    const uint8_t *next = row + (ptrdiff_t)taps[i + 1].first * channels;
    __m256i bytes =
        _mm256_inserti128_si256(_mm256_castsi128_si256(eight_bytes(at)), eight_bytes(next), 1);
    __m256 share = _mm256_insertf128_ps(_mm256_broadcast_ss(&taps[i].after),
                                        _mm_broadcast_ss(&taps[i + 1].after), 1);
    __m256 first = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, lane));
    __m256 last = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, behind));
    __m256 both = _mm256_add_ps(first, _mm256_mul_ps(_mm256_sub_ps(last, first), share));
    _mm_storeu_ps(dst, _mm256_castps256_ps128(both));
    _mm_storeu_ps(dst + channels, _mm256_extractf128_ps(both, 1));
  }
}

static inline void bilinear_pixels(const snug__tap *taps, int32_t n, int32_t channels,
                                   const uint8_t *row, float *dst) {
  int32_t pairs = snug__isa_best() >= SNUG__ISA_AVX2 ? (channels == 4 ? n : n - 1) / 2 : 0;
  bilinear_pairs(taps, pairs, channels, row, dst);
  bilinear_row(taps + 2 * pairs, n - 2 * pairs, channels, row,
               dst + (ptrdiff_t)2 * pairs * channels);
}
#else
#define bilinear_pixels bilinear_row
#endif

/* Whole pixels are added as integers: the sum of a row's is far below 2^31. */
static inline void area_row(const snug__tap *taps, int32_t n, int32_t channels, const uint8_t *row,
                            float share, float *dst) {
  for (int32_t i = 0; i < n; i++, dst += channels) {
    const uint8_t *pixel = row + (ptrdiff_t)taps[i].first * channels;
    const uint8_t *last = row + (ptrdiff_t)taps[i].last * channels;
    int32_t sum[4] = {0};
    for (const uint8_t *p = pixel + channels; p < last; p += channels) {
      for (int32_t c = 0; c < channels; c++) {
        sum[c] += p[c];
      }
    }
    for (int32_t c = 0; c < channels; c++) {
      dst[c] = ((float)sum[c] + (float)pixel[c] * taps[i].before + (float)last[c] * taps[i].after) *
               share;
    }
  }
}

static inline void one_row(const snug__axis *axis, int32_t channels, const uint8_t *row,
                           float *dst) {
  if (axis->method == SNUG__BILINEAR) {
    if (channels == 1) {
      bilinear_row(axis->taps, axis->n, channels, row, dst);
    } else {
      bilinear_pixels(axis->taps, axis->n, channels, row, dst);
    }
  } else if (axis->method == SNUG__NEAREST) {
    nearest_row(axis->taps, axis->n, channels, row, dst);
  } else {
    area_row(axis->taps, axis->n, channels, row, 1.0F / axis->scale, dst);
  }
}

void snug__resize_row(const snug__axis *axis, int32_t channels, const uint8_t *row, float *dst) {
  if (channels == 3) {
    one_row(axis, 3, row, dst);
  } else if (channels == 1) {
    one_row(axis, 1, row, dst);
  } else {
    one_row(axis, 4, row, dst);
  }
}

/* ---- along the height ---- */

void snug__resize_between(const float *restrict first, const float *restrict last, float share,
                          size_t n, float *restrict dst) {
  for (size_t i = 0; i < n; i++) {
    dst[i] = first[i] + (last[i] - first[i]) * share;
  }
}

void snug__resize_add(const float *restrict row, float weight, bool begins, size_t n,
                      float *restrict dst) {
  if (begins) {
    for (size_t i = 0; i < n; i++) {
      dst[i] = row[i] * weight;
    }
  } else {
    for (size_t i = 0; i < n; i++) {
      dst[i] += row[i] * weight;
    }
  }
}

/* ---- aspect ratio ---- */

/* The side that has the ratio to:other_to with a side of other. */
static int32_t proportional(int32_t other, int32_t to, int32_t other_to) {
  float side = (float)((int64_t)other * to) / (float)other_to;
  return side < (float)(1 << 30) ? (int32_t)side : 1 << 30;
}

static int32_t clamp(int32_t x, int32_t low, int32_t high) {
  return x < low ? low : x > high ? high : x;
}

static snug__fit crop(int32_t height, int32_t width, int32_t to_height, int32_t to_width) {
  int32_t h = clamp(proportional(width, to_height, to_width), 1, height);
  int32_t w = clamp(proportional(height, to_width, to_height), 1, width);
  return (snug__fit){{(height - h) / 2, h, 0, to_height}, {(width - w) / 2, w, 0, to_width}};
}

/* In the middle of `to`; sides are cut to whole pixels, the edge before it as well. */
static snug__span in_the_middle(int32_t size, float ratio, int32_t to) {
  float side = (float)size / ratio;
  float before = floorf(((float)to - side) / 2.0F);
  return (snug__span){0, size, before > 0.0F ? (int32_t)before : 0, clamp((int32_t)side, 1, to)};
}

static snug__fit pad(int32_t height, int32_t width, int32_t to_height, int32_t to_width) {
  float down = (float)height / (float)to_height, across = (float)width / (float)to_width;
  float ratio = down > across ? down : across;
  return (snug__fit){in_the_middle(height, ratio, to_height),
                     in_the_middle(width, ratio, to_width)};
}

/* The same edge on both sides: of an odd rest a pixel is left out. */
static snug__span with_edges(int32_t size, int32_t wanted, int32_t to) {
  int32_t edge = wanted > size ? (wanted - size) / 2 : 0;
  return (snug__span){-edge, size + 2 * edge, 0, to};
}

snug__fit snug__aspect_fit(snug__aspect aspect, int32_t height, int32_t width, int32_t to_height,
                           int32_t to_width) {
  switch (aspect) {
    case SNUG__CROP:
      return crop(height, width, to_height, to_width);
    case SNUG__PAD:
      return pad(height, width, to_height, to_width);
    case SNUG__PAD_FIRST:
      return (snug__fit){with_edges(height, proportional(width, to_height, to_width), to_height),
                         with_edges(width, proportional(height, to_width, to_height), to_width)};
    case SNUG__STRETCH:
      break;
  }
  return (snug__fit){{0, height, 0, to_height}, {0, width, 0, to_width}};
}
