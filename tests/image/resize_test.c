/* Resizing against a plain computation in double on an image with its edge around it. */
#include "image/resize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/load.h"
#include "image/make.h"
#include "lib/test.h"

#define EDGE 77

typedef struct shape {
  int32_t height, width, channels;
} shape;

/* A pixel of the window; outside of the image it is the edge. */
static double window_pixel(const uint8_t *image, shape of, const snug__fit *fit, int32_t y,
                           int32_t x, int32_t c) {
  y += fit->y.from;
  x += fit->x.from;
  bool inside = y >= 0 && x >= 0 && y < of.height && x < of.width;
  return inside ? image[(y * of.width + x) * of.channels + c] : EDGE;
}

static int32_t clamp(double x, int32_t n) { return x < 0 ? 0 : x > n - 1 ? n - 1 : (int32_t)x; }

static double overlap(int32_t i, double low, double high) {
  return fmax(0.0, fmin(high, i + 1.0) - fmax(low, (double)i));
}

/* The weight of pixel i of n for pixel `to` of m. */
static double weight(snug__interpolation method, int32_t i, int32_t n, int32_t to, int32_t m) {
  double scale = (double)n / m, at = (to + 0.5) * scale;
  if (method == SNUG__NEAREST) {
    return clamp(floor(at), n) == i ? 1.0 : 0.0;
  }
  if (method == SNUG__AREA) {
    return overlap(i, to * scale, (to + 1) * scale) / scale;
  }
  double low = floor(at - 0.5), share = at - 0.5 - low;
  return (clamp(low, n) == i ? 1.0 - share : 0.0) + (clamp(low + 1, n) == i ? share : 0.0);
}

static double expected(const uint8_t *image, shape of, const snug__fit *fit,
                       snug__interpolation method, int32_t y, int32_t x, int32_t c) {
  double sum = 0.0;
  y -= fit->y.at;
  x -= fit->x.at;
  if (y < 0 || x < 0 || y >= fit->y.n || x >= fit->x.n) {
    return EDGE;
  }
  for (int32_t i = 0; i < fit->y.in; i++) {
    double down = weight(method, i, fit->y.in, y, fit->y.n);
    for (int32_t k = 0; down > 0.0 && k < fit->x.in; k++) {
      double across = weight(method, k, fit->x.in, x, fit->x.n);
      sum += across > 0.0 ? down * across * window_pixel(image, of, fit, i, k, c) : 0.0;
    }
  }
  return sum;
}

/* A PNG keeps pixels as they are, so it is the image. */
static void check(shape of, shape to, snug__interpolation method, snug__aspect aspect) {
  static const int types[] = {0, 0, 0, 2, 6}; /* gray, -, RGB, RGBA */
  to.channels = of.channels;
  test_file f =
      test_make_png(&(test_png){of.width, of.height, types[of.channels], 8, false, false});
  uint8_t *image = malloc((size_t)(of.width * of.height * of.channels));
  for (int32_t i = 0; i < of.width * of.height * of.channels; i++) {
    int32_t pixel = i / of.channels;
    image[i] = test_pixel(pixel % of.width, pixel / of.width, i % of.channels);
  }
  snug__load load = {to.height, to.width, of.channels, method, aspect, EDGE, SNUG__DECODE_KERAS};
  size_t bytes = snug__load_bytes(&load) + 64;
  size_t decoder_bytes = snug__decoder_bytes(snug__image_decode_bytes(of.width, of.height, false));
  void *memory = malloc(bytes), *decoder_memory = malloc(decoder_bytes);
  float *result = malloc((size_t)(to.height * to.width * to.channels) * sizeof *result);
  snug__slab slab = snug__slab_of(memory, bytes);
  snug__load_space space = snug__load_space_of(&load, &slab);
  snug__decoder d;
  snug__why why;
  snug__input in = snug__input_of(f.bytes, f.n);
  ASSERT_EQ_INT(snug__decoder_begin(&d, decoder_memory, decoder_bytes, &why), SNUG_OK);
  ASSERT_EQ_INT(snug__load_image(&load, &space, &d, &in, result, &why), SNUG_OK);
  snug__fit fit = snug__aspect_fit(aspect, of.height, of.width, to.height, to.width);
  for (int32_t i = 0; i < to.height * to.width * to.channels; i++) {
    int32_t pixel = i / to.channels;
    double want =
        expected(image, of, &fit, method, pixel / to.width, pixel % to.width, i % to.channels);
    if (fabs(want - (double)result[i]) > 2e-3) {
      printf("%dx%d to %dx%d, %s, %s, pixel %d\n", of.height, of.width, to.height, to.width,
             snug__interpolation_names[method], snug__aspect_names[aspect], pixel);
    }
    ASSERT_NEAR(result[i], want, 2e-3);
  }
  free(result);
  free(memory);
  free(decoder_memory);
  free(image);
  test_file_free(&f);
}

static void check_all(snug__interpolation method) {
  static const shape pairs[][2] = {
      {{31, 47, 3}, {12, 20, 0}}, {{8, 8, 3}, {8, 8, 0}},     {{5, 7, 1}, {16, 16, 0}},
      {{64, 10, 3}, {9, 33, 0}},  {{1, 1, 3}, {4, 6, 0}},     {{40, 1, 4}, {5, 5, 0}},
      {{1, 33, 1}, {8, 8, 0}},    {{32, 64, 3}, {16, 16, 0}}, {{9, 9, 4}, {1, 1, 0}}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    for (int aspect = SNUG__STRETCH; aspect <= SNUG__PAD_FIRST; aspect++) {
      check(pairs[i][0], pairs[i][1], method, (snug__aspect)aspect);
    }
  }
}

TEST(nearest) { check_all(SNUG__NEAREST); }
TEST(bilinear) { check_all(SNUG__BILINEAR); }
TEST(area) { check_all(SNUG__AREA); }

/* An image of one size stays as it is, to the bit. */
TEST(the_same_size_changes_nothing) {
  snug__tap taps[50];
  for (int method = SNUG__NEAREST; method <= SNUG__AREA; method++) {
    snug__axis axis = {(snug__interpolation)method, 50, 0.0F, taps};
    snug__resize_taps(&axis, &(snug__span){0, 50, 0, 50}, 50);
    uint8_t row[52 * 3 + SNUG__ROW_SLACK] = {0};
    float out[50 * 3];
    for (int i = 0; i < 50 * 3; i++) {
      row[3 + i] = test_pixel(i, 0, 0);
    }
    snug__resize_row(&axis, 3, row, out);
    for (int i = 0; i < 50 * 3; i++) {
      ASSERT_TRUE(out[i] == (float)row[3 + i]);
    }
  }
}

static void expect_fit(snug__aspect aspect, shape of, shape to, snug__fit want) {
  snug__fit fit = snug__aspect_fit(aspect, of.height, of.width, to.height, to.width);
  ASSERT_EQ_BYTES(&fit, &want, sizeof fit);
}

TEST(fits_of_aspect_ratios) {
  shape photo = {340, 500, 3}, tall = {500, 341, 3}, square = {200, 200, 3};
  expect_fit(SNUG__STRETCH, photo, square, (snug__fit){{0, 340, 0, 200}, {0, 500, 0, 200}});
  expect_fit(SNUG__CROP, photo, square, (snug__fit){{0, 340, 0, 200}, {80, 340, 0, 200}});
  expect_fit(SNUG__CROP, tall, square, (snug__fit){{79, 341, 0, 200}, {0, 341, 0, 200}});
  expect_fit(SNUG__CROP, (shape){1, 9, 3}, (shape){9, 1, 3},
             (snug__fit){{0, 1, 0, 9}, {4, 1, 0, 1}});
  expect_fit(SNUG__PAD, photo, square, (snug__fit){{0, 340, 32, 136}, {0, 500, 0, 200}});
  expect_fit(SNUG__PAD, (shape){1, 900, 3}, square, (snug__fit){{0, 1, 99, 1}, {0, 900, 0, 200}});
  expect_fit(SNUG__PAD_FIRST, photo, square, (snug__fit){{-80, 500, 0, 200}, {0, 500, 0, 200}});
  expect_fit(SNUG__PAD_FIRST, tall, square, (snug__fit){{0, 500, 0, 200}, {-79, 499, 0, 200}});
}

/* A JPEG as a square of `to` pixels, in memory of malloc. */
static float *load_square(snug__decoder *d, const test_file *f, int32_t to, snug__jpeg_decode how) {
  snug__load load = {to, to, 3, SNUG__BILINEAR, SNUG__STRETCH, 0, how};
  size_t bytes = snug__load_bytes(&load) + 64;
  void *memory = malloc(bytes);
  float *result = malloc((size_t)(to * to * 3) * sizeof *result);
  snug__slab slab = snug__slab_of(memory, bytes);
  snug__load_space space = snug__load_space_of(&load, &slab);
  snug__input in = snug__input_of(f->bytes, f->n);
  snug__why why;
  ASSERT_EQ_INT(snug__load_image(&load, &space, d, &in, result, &why), SNUG_OK);
  free(memory);
  return result;
}

/* The smallest scale at which a JPEG still has the pixels that are wanted; without one it is the
 * image that it always is. */
TEST(fast_decoding_shrinks) {
  static const struct {
    int32_t to, height;
  } cases[] = {{50, 50}, {51, 100}, {100, 100}, {101, 200}, {200, 200}, {201, 400}, {400, 400}};
  test_file f = test_make_jpeg(&(test_jpeg){.width = 400, .height = 400, .components = 3});
  size_t decoder_bytes = snug__decoder_bytes(snug__image_decode_bytes(400, 400, false));
  void *memory = malloc(decoder_bytes);
  snug__decoder d;
  snug__why why;
  snug__jpeg *reader = malloc(snug__jpeg_bytes());
  ASSERT_EQ_INT(snug__jpeg_begin(reader, &why), SNUG_OK);
  ASSERT_EQ_INT(snug__decoder_begin(&d, memory, decoder_bytes, &why), SNUG_OK);
  d.jpeg = reader;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int32_t to = cases[i].to;
    float *fast = load_square(&d, &f, to, SNUG__DECODE_FAST);
    ASSERT_EQ_INT(d.height, cases[i].height);
    float *usual = load_square(&d, &f, to, SNUG__DECODE_KERAS);
    bool is_same = memcmp(fast, usual, (size_t)(to * to * 3) * sizeof *fast) == 0;
    ASSERT_TRUE(is_same == (cases[i].height == 400));
    free(fast), free(usual);
  }
  snug__jpeg_end(reader);
  free(reader);
  free(memory);
  test_file_free(&f);
}
