/* Image files made in memory, for tests. */
#ifndef SNUG_TESTS_IMAGE_MAKE_H
#define SNUG_TESTS_IMAGE_MAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/jpeg.h"

typedef struct test_file {
  uint8_t *bytes; /* of malloc; test_file_free */
  size_t n;
} test_file;

void test_file_free(test_file *f);

/* A smooth picture with some detail, the same each time: value of channel c at (x, y). */
uint8_t test_pixel(int32_t x, int32_t y, int32_t c);

typedef struct test_jpeg {
  int32_t width, height;
  int32_t components; /* 1, 3, or 4: inks */
  int32_t h, v;       /* sampling factors of the first component, 1 to 4; those of others are 1 */
  bool progressive, arithmetic, separate_scans;
  bool many_scans;     /* one for each coefficient of a component: 64, or 192 */
  int32_t restart;     /* rows of MCUs between restart markers, 0: none */
  bool without_tables; /* of quantization and Huffman */
  bool ycck;           /* of inks: the first three as light and two colors */
  bool without_adobe;  /* of inks: without Adobe's mark */
} test_jpeg;

test_file test_make_jpeg(const test_jpeg *of);

/* The same file decoded by libjpeg as it comes, with its own memory: [height, width, channels] of
 * malloc, scaled by 1 / shrink. */
uint8_t *test_decode_jpeg(const test_file *f, int32_t channels, int32_t shrink,
                          snug__jpeg_decode how, int32_t *width, int32_t *height);

typedef struct test_png {
  int32_t width, height;
  int type; /* PNG_COLOR_TYPE_* */
  int bits;
  bool interlaced;
  bool clear; /* a color (or entry of the palette) that is transparent */
  bool flat;  /* all of it 0 */
} test_png;

/* Pixels are those of test_pixel, cut to the bits; a palette has entry i = (i, 255 - i, i / 2). */
test_file test_make_png(const test_png *of);

#endif
