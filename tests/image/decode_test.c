/* Files to rows: the same pixels as the libraries give with memory of their own, never more memory
 * than was said, and no file that does harm. */
#include "image/decode.h"

#include <png.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/make.h"
#include "image/resize.h"
#include "lib/mallocs.h"
#include "lib/test.h"

/* A decoder with as much memory as the file needs and not a byte more. */
typedef struct bench {
  snug__decoder d;
  snug__why why;
  void *memory;
  size_t bytes;
  snug__jpeg *reader;
} bench;

static snug_status bench_begin(bench *b, size_t decode_bytes) {
  memset(b, 0, sizeof *b);
  b->bytes = snug__decoder_bytes(decode_bytes);
  b->memory = malloc(b->bytes);
  memset(b->memory, 0xA5, b->bytes);
  b->reader = malloc(snug__jpeg_bytes());
  snug_status s = snug__jpeg_begin(b->reader, &b->why);
  s = s ? s : snug__decoder_begin(&b->d, b->memory, b->bytes, &b->why);
  b->d.jpeg = b->reader;
  return s;
}

static void bench_end(bench *b) {
  snug__jpeg_end(b->reader);
  free(b->reader);
  free(b->memory);
}

/* All rows of a file into memory of malloc; NULL and the code if that fails. */
static uint8_t *decode(bench *b, const uint8_t *bytes, size_t n, int32_t channels, int32_t shrink,
                       snug__jpeg_decode how, snug_status *code) {
  snug__input in = snug__input_of(bytes, n);
  uint8_t *image = NULL;
  *code = snug__decoder_look(&b->d, &in, &b->why);
  *code = *code ? *code : snug__decoder_start(&b->d, &in, channels, shrink, how, &b->why);
  if (*code) {
    return NULL;
  }
  size_t row = (size_t)b->d.width * (size_t)channels;
  image = malloc(row * (size_t)b->d.height);
  for (int32_t y = 0; !*code && y < b->d.height; y++) {
    *code = snug__decoder_row(&b->d, image + (size_t)y * row, &b->why);
  }
  if (*code) {
    free(image);
    return NULL;
  }
  return image;
}

static size_t need_of(const test_file *f) {
  snug__input in = snug__input_of(f->bytes, f->n);
  snug__image_info info;
  snug__why why;
  ASSERT_EQ_INT(snug__image_probe(&in, &info, &why), SNUG_OK);
  ASSERT_TRUE(info.decode_bytes <=
              snug__image_decode_bytes(info.width, info.height, info.is_whole));
  return info.decode_bytes;
}

/* Who resizes the rows takes one of them from the same memory. */
static size_t row_bytes(int32_t width, int32_t channels) {
  return (size_t)(width + 2) * (size_t)channels + SNUG__ROW_SLACK;
}

/* ---- JPEG ---- */

static void check_jpeg(const test_jpeg *of, int32_t channels, int32_t shrink,
                       snug__jpeg_decode how) {
  test_file f = test_make_jpeg(of);
  bench b;
  snug_status code;
  int32_t width, height;
  ASSERT_EQ_INT(bench_begin(&b, need_of(&f)), SNUG_OK);
  uint8_t *ours = decode(&b, f.bytes, f.n, channels, shrink, how, &code);
  if (code) {
    printf("%dx%d, %d components of %dx%d: %s\n", of->height, of->width, of->components, of->h,
           of->v, b.why.text);
  }
  ASSERT_EQ_INT(code, SNUG_OK);
  uint8_t *theirs = test_decode_jpeg(&f, channels, shrink, how, &width, &height);
  ASSERT_EQ_INT(b.d.width, width);
  ASSERT_EQ_INT(b.d.height, height);
  ASSERT_EQ_BYTES(ours, theirs, (size_t)width * (size_t)height * (size_t)channels);
  ASSERT_TRUE(b.d.slab.most + row_bytes(b.d.width, channels) <= b.d.slab.bytes);
  free(ours);
  free(theirs);
  bench_end(&b);
  test_file_free(&f);
}

static void check_samplings(const test_jpeg *base) {
  static const int32_t samplings[][2] = {{1, 1}, {2, 1}, {2, 2}, {1, 2},
                                         {4, 1}, {4, 2}, {3, 1}, {1, 3}};
  for (size_t i = 0; i < sizeof samplings / sizeof *samplings; i++) {
    test_jpeg of = *base;
    of.h = samplings[i][0];
    of.v = samplings[i][1];
    for (int32_t shrink = 1; shrink <= 8; shrink *= 2) {
      check_jpeg(&of, 3, shrink, SNUG__DECODE_KERAS);
      check_jpeg(&of, 3, shrink, SNUG__DECODE_ACCURATE);
      check_jpeg(&of, 3, shrink, SNUG__DECODE_FAST);
    }
    check_jpeg(&of, 1, 1, SNUG__DECODE_KERAS);
    check_jpeg(&of, 4, 1, SNUG__DECODE_KERAS);
  }
}

TEST(jpeg_baseline) { check_samplings(&(test_jpeg){.width = 131, .height = 77, .components = 3}); }

TEST(jpeg_progressive) {
  check_samplings(&(test_jpeg){.width = 131, .height = 77, .components = 3, .progressive = true});
}

TEST(jpeg_of_other_kinds) {
  check_jpeg(&(test_jpeg){.width = 1, .height = 1, .components = 3, .h = 2, .v = 2}, 3, 1,
             SNUG__DECODE_KERAS);
  check_jpeg(&(test_jpeg){.width = 1, .height = 1, .components = 3, .h = 2, .v = 2}, 3, 8,
             SNUG__DECODE_FAST);
  check_jpeg(&(test_jpeg){.width = 90, .height = 61, .components = 1}, 1, 1, SNUG__DECODE_KERAS);
  check_jpeg(&(test_jpeg){.width = 90, .height = 61, .components = 1}, 3, 1, SNUG__DECODE_KERAS);
  check_jpeg(&(test_jpeg){.width = 90, .height = 61, .components = 3, .arithmetic = true}, 3, 1,
             SNUG__DECODE_KERAS);
  check_jpeg(
      &(test_jpeg){
          .width = 90, .height = 61, .components = 3, .arithmetic = true, .progressive = true},
      3, 1, SNUG__DECODE_KERAS);
  check_jpeg(
      &(test_jpeg){
          .width = 90, .height = 61, .components = 3, .separate_scans = true, .h = 2, .v = 2},
      3, 1, SNUG__DECODE_KERAS);
  check_jpeg(&(test_jpeg){.width = 90, .height = 61, .components = 3, .restart = 1}, 3, 1,
             SNUG__DECODE_KERAS);
  check_jpeg(&(test_jpeg){.width = 4097, .height = 40, .components = 3, .h = 2, .v = 2}, 3, 1,
             SNUG__DECODE_KERAS);
}

TEST(jpeg_of_rare_sampling) {
  for (int32_t size = 23; size < 26; size++) {
    check_jpeg(
        &(test_jpeg){
            .width = size, .height = size, .components = 3, .h = 3, .v = 1, .progressive = true},
        3, 1, SNUG__DECODE_KERAS);
  }
}

/* Sizes of all remainders: memory is measured right at every one. */
TEST(jpeg_of_any_size) {
  for (int32_t size = 1; size <= 35; size++) {
    check_jpeg(&(test_jpeg){.width = size,
                            .height = 36 - size,
                            .components = 3,
                            .h = 2,
                            .v = 2,
                            .progressive = size % 2 == 0},
               3, 1, (snug__jpeg_decode)(size % 3));
  }
}

/* What a pixel of inks is as light of a channel, or as gray. */
static int light_of(int32_t x, int32_t y, int32_t c, int32_t channels, bool inverted) {
  int rgb[4];
  for (int32_t k = 0; k < 4; k++) {
    rgb[k] = inverted ? test_pixel(x, y, k) : 255 - test_pixel(x, y, k);
  }
  for (int32_t k = 0; k < 3; k++) {
    rgb[k] = rgb[k] * rgb[3] / 255;
  }
  return channels == 1 ? (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]) / 1000
         : c == 3      ? 255
                       : rgb[c];
}

static void check_inks(const test_jpeg *of, int32_t channels) {
  test_file f = test_make_jpeg(of);
  bench b;
  snug_status code;
  int64_t off[4] = {0};
  ASSERT_EQ_INT(bench_begin(&b, need_of(&f)), SNUG_OK);
  uint8_t *ours = decode(&b, f.bytes, f.n, channels, 1, SNUG__DECODE_KERAS, &code);
  ASSERT_EQ_INT(code, SNUG_OK);
  for (int32_t i = 0; i < of->width * of->height * channels; i++) {
    int32_t pixel = i / channels, c = i % channels;
    int want = light_of(pixel % of->width, pixel / of->width, c, channels, !of->without_adobe);
    off[c] += labs((long)ours[i] - want);
  }
  for (int32_t c = 0; c < 4; c++) {
    ASSERT_TRUE(off[c] / (of->width * of->height) <= 6); /* what compression changed */
  }
  free(ours);
  bench_end(&b);
  test_file_free(&f);
}

/* Four inks; those of Adobe's files, which have its mark, are inverted.  Also as light, two colors
 * and black. */
TEST(jpeg_of_inks) {
  test_jpeg plain = {.width = 40, .height = 24, .components = 4}, ycck = plain, other = plain;
  ycck.ycck = true;
  other.without_adobe = true;
  for (int32_t channels = 1; channels <= 4; channels += channels == 1 ? 2 : 1) {
    check_inks(&plain, channels);
    check_inks(&ycck, channels);
    check_inks(&other, channels);
  }
}

/* Tables of one file are not those of the next: one without any is read as if it came first. */
TEST(jpeg_forgets_tables) {
  test_file whole = test_make_jpeg(&(test_jpeg){.width = 16, .height = 16, .components = 3});
  test_file bare = test_make_jpeg(
      &(test_jpeg){.width = 16, .height = 16, .components = 3, .without_tables = true});
  bench b;
  snug_status code;
  ASSERT_EQ_INT(bench_begin(&b, need_of(&whole)), SNUG_OK);
  for (int i = 0; i < 2; i++) {
    ASSERT_NULL(decode(&b, bare.bytes, bare.n, 3, 1, SNUG__DECODE_KERAS, &code));
    ASSERT_EQ_INT(code, SNUG_E_FORMAT);
    ASSERT_HAS(b.why.text, "is damaged: Quantization table");
    free(decode(&b, whole.bytes, whole.n, 3, 1, SNUG__DECODE_KERAS, &code));
    ASSERT_EQ_INT(code, SNUG_OK);
  }
  bench_end(&b);
  test_file_free(&whole);
  test_file_free(&bare);
}

/* A scan is a few bytes and a walk over the whole image. */
TEST(jpeg_of_many_scans) {
  check_jpeg(&(test_jpeg){.width = 40, .height = 40, .components = 1, .many_scans = true}, 1, 1,
             SNUG__DECODE_KERAS);
  test_file f =
      test_make_jpeg(&(test_jpeg){.width = 40, .height = 40, .components = 3, .many_scans = true});
  bench b;
  snug_status code;
  ASSERT_EQ_INT(bench_begin(&b, need_of(&f)), SNUG_OK);
  ASSERT_NULL(decode(&b, f.bytes, f.n, 3, 1, SNUG__DECODE_KERAS, &code));
  ASSERT_EQ_INT(code, SNUG_E_LIMIT);
  ASSERT_HAS(b.why.text, "has more than 100 scans");
  bench_end(&b);
  test_file_free(&f);
}

/* ---- PNG ---- */

static int32_t shown(const test_png *of, int32_t x, int32_t y, int32_t c) {
  int32_t value = test_pixel(x, y, c) >> (of->bits >= 8 ? 0 : 8 - of->bits);
  return of->bits >= 8 ? value : value * 255 / ((1 << of->bits) - 1);
}

/* What channel c of a pixel must be, of `channels` that are asked for; -1: not checked. */
static int32_t expected(const test_png *of, int32_t x, int32_t y, int32_t c, int32_t channels) {
  bool colored = of->type == PNG_COLOR_TYPE_RGB || of->type == PNG_COLOR_TYPE_RGBA;
  if (of->type == PNG_COLOR_TYPE_PALETTE) {
    int32_t i = test_pixel(x, y, 0) >> (8 - of->bits);
    int32_t entry[4] = {i, 255 - i, i / 2, of->clear && i < 2 ? (i ? 100 : 0) : 255};
    return channels == 1 ? -1 : entry[c];
  }
  if (c == 3) {
    return of->type == PNG_COLOR_TYPE_RGBA         ? shown(of, x, y, 3)
           : of->type == PNG_COLOR_TYPE_GRAY_ALPHA ? shown(of, x, y, 1)
           : of->clear                             ? -1
                                                   : 255;
  }
  return colored ? (channels == 1 ? -1 : shown(of, x, y, c)) : shown(of, x, y, 0);
}

static void check_png(const test_png *of, int32_t channels) {
  test_file f = test_make_png(of);
  bench b;
  snug_status code;
  ASSERT_EQ_INT(bench_begin(&b, need_of(&f)), SNUG_OK);
  uint8_t *image = decode(&b, f.bytes, f.n, channels, 1, SNUG__DECODE_KERAS, &code);
  if (code) {
    printf("type %d, %d bits: %s\n", of->type, of->bits, b.why.text);
  }
  ASSERT_EQ_INT(code, SNUG_OK);
  ASSERT_TRUE(b.d.slab.most + row_bytes(b.d.width, channels) <= b.d.slab.bytes);
  for (int32_t y = 0; y < of->height; y++) {
    for (int32_t x = 0; x < of->width; x++) {
      for (int32_t c = 0; c < channels; c++) {
        int32_t want = expected(of, x, y, c, channels);
        if (want >= 0) {
          ASSERT_EQ_INT(image[(y * of->width + x) * channels + c], want);
        }
      }
    }
  }
  free(image);
  bench_end(&b);
  test_file_free(&f);
}

TEST(png_of_all_types) {
  static const struct {
    int type, least, most;
  } types[] = {{PNG_COLOR_TYPE_GRAY, 1, 16},
               {PNG_COLOR_TYPE_PALETTE, 1, 8},
               {PNG_COLOR_TYPE_GRAY_ALPHA, 8, 16},
               {PNG_COLOR_TYPE_RGB, 8, 16},
               {PNG_COLOR_TYPE_RGBA, 8, 16}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    for (int bits = types[i].least; bits <= types[i].most; bits *= 2) {
      for (int how = 0; how < 4; how++) {
        bool has_alpha = types[i].type & PNG_COLOR_MASK_ALPHA;
        test_png of = {37, 23, types[i].type, bits, how & 1, (how & 2) && !has_alpha};
        check_png(&of, 1);
        check_png(&of, 3);
        check_png(&of, 4);
      }
    }
  }
}

/* Gray of colors is their luminance, cut to a whole number. */
TEST(png_of_colors_to_gray) {
  test_png of = {37, 23, PNG_COLOR_TYPE_RGB, 8, false, false};
  test_file f = test_make_png(&of);
  bench b;
  snug_status code;
  ASSERT_EQ_INT(bench_begin(&b, need_of(&f)), SNUG_OK);
  uint8_t *image = decode(&b, f.bytes, f.n, 1, 1, SNUG__DECODE_KERAS, &code);
  ASSERT_EQ_INT(code, SNUG_OK);
  for (int32_t i = 0; i < 37 * 23; i++) {
    int32_t x = i % 37, y = i / 37;
    double gray =
        0.299 * test_pixel(x, y, 0) + 0.587 * test_pixel(x, y, 1) + 0.114 * test_pixel(x, y, 2);
    ASSERT_NEAR(image[i], gray, 1.0);
  }
  free(image);
  bench_end(&b);
  test_file_free(&f);
}

/* ---- what is wrong with a file ---- */

static void expect_refused(const void *bytes, size_t n, snug_status code, const char *part) {
  bench b;
  snug_status got;
  ASSERT_EQ_INT(bench_begin(&b, snug__image_decode_bytes(640, 480, true)), SNUG_OK);
  free(decode(&b, bytes, n, 3, 1, SNUG__DECODE_KERAS, &got));
  ASSERT_EQ_INT(got, code);
  ASSERT_HAS(b.why.text, part);
  bench_end(&b);
}

static void put_big(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) {
    at[i] = (uint8_t)(value >> (24 - 8 * i));
  }
}

TEST(other_files_are_refused) {
  expect_refused("", 0, SNUG_E_FORMAT, "is empty");
  expect_refused("hello world", 11, SNUG_E_FORMAT, "neither JPEG nor PNG");
  expect_refused("GIF89a..........", 16, SNUG_E_UNSUPPORTED, "is a GIF; convert it");
  expect_refused("BM..............", 16, SNUG_E_UNSUPPORTED, "is a BMP");
  expect_refused("RIFF....WEBPVP8 ", 16, SNUG_E_UNSUPPORTED, "is a WebP");
  expect_refused("\xFF\xD8", 2, SNUG_E_FORMAT, "ends too early, in the header of a JPEG");
  expect_refused("\xFF\xD8\xFF\xD9", 4, SNUG_E_FORMAT, "ends too early");
  expect_refused("\x89PNG\r\n\x1A\n", 8, SNUG_E_FORMAT, "ends too early, in the header of a PNG");
}

/* An image that says it is huge costs nothing: its header is enough. */
TEST(huge_images_are_refused_by_their_header) {
  test_file f = test_make_png(&(test_png){16, 16, PNG_COLOR_TYPE_RGB, 8, false, false});
  put_big(f.bytes + 16, 60000);
  put_big(f.bytes + 20, 60000);
  expect_refused(f.bytes, f.n, SNUG_E_LIMIT, "says it is 60000x60000 pixels large");
  put_big(f.bytes + 16, 0x7FFFFFFF);
  expect_refused(f.bytes, f.n, SNUG_E_LIMIT, "at most 268435456 pixels");
  put_big(f.bytes + 16, 0);
  expect_refused(f.bytes, f.n, SNUG_E_FORMAT, "has a size of 60000x0 pixels");
  put_big(f.bytes + 16, 5000);
  put_big(f.bytes + 20, 5000);
  expect_refused(f.bytes, f.n, SNUG_E_FORMAT, "is 5000x5000 pixels large, which its");
  put_big(f.bytes + 16, 1000);
  put_big(f.bytes + 20, 1000);
  f.bytes[28] = 1; /* interlaced: all of it would be in memory */
  expect_refused(f.bytes, f.n, SNUG_E_LIMIT, "does not come row by row: its 1000x1000 pixels need");
  test_file_free(&f);
}

/* An image of one color is the smallest that there can be of its size, and is none that lies. */
TEST(flat_images_are_read) {
  test_file f = test_make_png(&(test_png){2048, 1024, PNG_COLOR_TYPE_GRAY, 1, false, false, true});
  bench b;
  snug_status code;
  ASSERT_TRUE(f.n < 2048 * 1024 / 8 / 500);
  ASSERT_EQ_INT(bench_begin(&b, need_of(&f)), SNUG_OK);
  uint8_t *image = decode(&b, f.bytes, f.n, 1, 1, SNUG__DECODE_KERAS, &code);
  ASSERT_EQ_INT(code, SNUG_OK);
  ASSERT_EQ_INT(image[2048 * 1024 - 1], 0);
  free(image);
  bench_end(&b);
  test_file_free(&f);
}

static uint8_t *find_frame(test_file *f) {
  for (size_t i = 2; i + 9 < f->n; i++) {
    if (f->bytes[i] == 0xFF && f->bytes[i + 1] == 0xC0) {
      return f->bytes + i;
    }
  }
  test_fail(__FILE__, __LINE__, "no frame");
}

TEST(jpeg_headers_that_lie) {
  test_file f = test_make_jpeg(&(test_jpeg){.width = 64, .height = 48, .components = 3});
  uint8_t *frame = find_frame(&f);
  uint8_t kept[20];
  memcpy(kept, frame, sizeof kept);
  memcpy(frame + 5, "\xFF\xDC\xFF\xDC", 4);
  expect_refused(f.bytes, f.n, SNUG_E_LIMIT, "says it is 65500x65500 pixels large");
  memcpy(frame + 5, "\0\0", 2);
  expect_refused(f.bytes, f.n, SNUG_E_FORMAT, "has a size of 0x65500");
  memcpy(frame + 5, "\x3F\xFF\x3F\xFF", 4);
  expect_refused(f.bytes, f.n, SNUG_E_FORMAT, "16383x16383 pixels large, which its");
  memcpy(frame, kept, sizeof kept);
  frame[4] = 12;
  expect_refused(f.bytes, f.n, SNUG_E_UNSUPPORTED, "with 12 bits");
  memcpy(frame, kept, sizeof kept);
  frame[1] = 0xC3;
  expect_refused(f.bytes, f.n, SNUG_E_UNSUPPORTED, "a JPEG of kind 3");
  memcpy(frame, kept, sizeof kept);
  frame[9] = 2;
  expect_refused(f.bytes, f.n, SNUG_E_UNSUPPORTED, "with 2 components");
  memcpy(frame, kept, sizeof kept);
  frame[11] = 0x50;
  expect_refused(f.bytes, f.n, SNUG_E_FORMAT, "sampling factors 5x0");
  memcpy(frame, kept, sizeof kept);
  test_file_free(&f);
}

/* A JPEG that ends, with its mark of the end, before all of its rows is filled up with one color,
 * as TensorFlow does it, too. */
TEST(jpeg_with_too_few_rows) {
  test_file f = test_make_jpeg(&(test_jpeg){.width = 64, .height = 48, .components = 3});
  bench b;
  snug_status code;
  memcpy(find_frame(&f) + 5, "\x30\x00", 2);
  ASSERT_EQ_INT(bench_begin(&b, need_of(&f)), SNUG_OK);
  uint8_t *image = decode(&b, f.bytes, f.n, 3, 1, SNUG__DECODE_KERAS, &code);
  ASSERT_EQ_INT(code, SNUG_OK);
  ASSERT_EQ_INT(b.d.height, 0x3000);
  ASSERT_EQ_BYTES(image + 100 * 64 * 3, image + 0x2FFF * 64 * 3, 64 * 3); /* nothing new comes */
  free(image);
  bench_end(&b);
  test_file_free(&f);
}

/* Cut off anywhere: a failure, but for the mark of the end alone, which tells nothing. */
static void check_cut(const test_file *f, size_t tail) {
  bench b;
  snug_status code;
  ASSERT_EQ_INT(bench_begin(&b, need_of(f)), SNUG_OK);
  for (size_t n = 0; n + tail < f->n; n += 1 + n / 100) {
    uint8_t *exact = malloc(n ? n : 1); /* so that a byte too far is seen */
    memcpy(exact, f->bytes, n);
    ASSERT_NULL(decode(&b, exact, n, 3, 1, SNUG__DECODE_KERAS, &code));
    ASSERT_TRUE(code == SNUG_E_FORMAT);
    free(exact);
  }
  bench_end(&b);
}

TEST(files_that_were_cut_off) {
  test_jpeg of = {.width = 96, .height = 80, .components = 3, .h = 2, .v = 2};
  test_file f = test_make_jpeg(&of);
  check_cut(&f, 4);
  bench b;
  snug_status code;
  ASSERT_EQ_INT(bench_begin(&b, need_of(&f)), SNUG_OK);
  free(decode(&b, f.bytes, f.n - 2, 3, 1, SNUG__DECODE_KERAS, &code));
  ASSERT_EQ_INT(code, SNUG_OK);
  bench_end(&b);
  test_file_free(&f);
  of.progressive = true;
  f = test_make_jpeg(&of);
  check_cut(&f, 0);
  test_file_free(&f);
  f = test_make_png(&(test_png){96, 80, PNG_COLOR_TYPE_RGB, 8, false, false});
  check_cut(&f, 12 + 4 + 4); /* IEND, and what checks the data before it */
  test_file_free(&f);
  f = test_make_png(&(test_png){96, 80, PNG_COLOR_TYPE_RGBA, 16, true, false});
  check_cut(&f, 12 + 4 + 4);
  test_file_free(&f);
}

/* Any byte changed: pixels or a failure with a text, within the memory; the sanitizers see more. */
static void damage(const test_file *f, int times) {
  bench b;
  snug_status code;
  ASSERT_EQ_INT(bench_begin(&b, snug__image_decode_bytes(640, 480, true)), SNUG_OK);
  for (int i = 0; i < times; i++) {
    uint8_t *bytes = malloc(f->n);
    memcpy(bytes, f->bytes, f->n);
    for (int k = 0; k < 1 + i % 4; k++) {
      bytes[test_random_between(i % 2 ? 0 : 2, (int64_t)f->n - 1)] =
          (uint8_t)test_random_between(0, 255);
    }
    b.why.text[0] = 0;
    free(decode(&b, bytes, f->n, 3, 1, SNUG__DECODE_KERAS, &code));
    ASSERT_TRUE(code == SNUG_OK || b.why.text[0]);
    ASSERT_TRUE(code != SNUG_E_INTERNAL);
    free(bytes);
  }
  bench_end(&b);
}

TEST(files_that_were_damaged) {
  test_jpeg of = {.width = 50, .height = 40, .components = 3, .h = 2, .v = 2};
  test_file f = test_make_jpeg(&of);
  damage(&f, 400);
  test_file_free(&f);
  of.progressive = true;
  f = test_make_jpeg(&of);
  damage(&f, 400);
  test_file_free(&f);
  f = test_make_png(&(test_png){50, 40, PNG_COLOR_TYPE_PALETTE, 8, true, true});
  damage(&f, 400);
  test_file_free(&f);
}

/* With less memory than is said a file is refused, and with some of it too: nothing is written
 * outside. */
TEST(little_memory_is_refused) {
  test_file f = test_make_jpeg(&(test_jpeg){
      .width = 200, .height = 160, .components = 3, .h = 2, .v = 2, .progressive = true});
  size_t all = need_of(&f);
  for (size_t bytes = 0; bytes + 256 < all; bytes += all / 13) {
    bench b;
    snug_status code;
    ASSERT_EQ_INT(bench_begin(&b, bytes), SNUG_OK);
    snug__input in = snug__input_of(f.bytes, f.n);
    free(decode(&b, f.bytes, f.n, 3, 1, SNUG__DECODE_KERAS, &code));
    ASSERT_EQ_INT(code, SNUG_E_LIMIT);
    ASSERT_HAS(b.why.text, "bytes to be decoded, and a worker has");
    if (bytes < all / 2) { /* libjpeg itself, without that check before it */
      ASSERT_EQ_INT(snug__decoder_start(&b.d, &in, 3, 1, SNUG__DECODE_KERAS, &b.why), SNUG_E_LIMIT);
      ASSERT_HAS(b.why.text, "needs more memory to be decoded");
    }
    bench_end(&b);
  }
  bench b = {0};
  ASSERT_EQ_INT(snug__decoder_begin(&b.d, &b, 64, &b.why), SNUG_E_MEMORY);
  test_file_free(&f);
}

/* ---- files ---- */

TEST(files_are_read_in_pieces) {
  test_file f = test_make_jpeg(&(test_jpeg){.width = 900, .height = 700, .components = 3});
  const char *path = test_path("a.jpg");
  FILE *file = fopen(path, "wb");
  ASSERT_EQ_UINT(fwrite(f.bytes, 1, f.n, file), f.n);
  fclose(file);
  ASSERT_TRUE(f.n > 3 * SNUG__JPEG_PIECE_BYTES);
  bench b;
  snug__input in;
  snug_status code;
  ASSERT_EQ_INT(bench_begin(&b, need_of(&f)), SNUG_OK);
  uint8_t *of_bytes = decode(&b, f.bytes, f.n, 3, 1, SNUG__DECODE_KERAS, &code);
  uint8_t *row = malloc(900 * 3);
  ASSERT_EQ_INT(snug__input_open(&in, path, &b.why), SNUG_OK);
  ASSERT_EQ_INT(snug__decoder_look(&b.d, &in, &b.why), SNUG_OK);
  ASSERT_EQ_INT(snug__decoder_start(&b.d, &in, 3, 1, SNUG__DECODE_KERAS, &b.why), SNUG_OK);
  for (size_t y = 0; y < 700; y++) {
    ASSERT_EQ_INT(snug__decoder_row(&b.d, row, &b.why), SNUG_OK);
    ASSERT_EQ_BYTES(row, of_bytes + y * 900 * 3, 900 * 3);
  }
  snug__input_close(&in);
  free(row);
  free(of_bytes);
  bench_end(&b);
  test_file_free(&f);
}

TEST(what_is_not_a_file_is_refused) {
  snug__input in;
  snug__why why;
  ASSERT_EQ_INT(snug__input_open(&in, test_path("none.jpg"), &why), SNUG_E_IO);
  ASSERT_HAS(why.text, "cannot be opened: No such file");
  ASSERT_EQ_INT(snug__input_open(&in, "/", &why), SNUG_E_IO);
  ASSERT_HAS(why.text, "is not a file");
}

/* ---- threads ---- */

static void *decode_many(void *arg) {
  const test_file *f = arg;
  bench b;
  snug_status code = bench_begin(&b, need_of(f));
  uint64_t sum = 0;
  for (int i = 0; !code && i < 20; i++) {
    uint8_t *image = decode(&b, f->bytes, f->n, 3, 1, SNUG__DECODE_KERAS, &code);
    for (int32_t k = 0; image && k < b.d.width * b.d.height * 3; k++) {
      sum = sum * 31 + image[k];
    }
    free(image);
  }
  bench_end(&b);
  return (void *)(uintptr_t)sum;
}

TEST(workers_do_not_meet) {
  test_file f =
      test_make_jpeg(&(test_jpeg){.width = 64, .height = 64, .components = 3, .h = 2, .v = 2});
  pthread_t threads[4];
  void *sums[5];
  sums[4] = decode_many(&f);
  for (int i = 0; i < 4; i++) {
    ASSERT_EQ_INT(pthread_create(&threads[i], NULL, decode_many, &f), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], &sums[i]);
    ASSERT_TRUE(sums[i] == sums[4]);
  }
  test_file_free(&f);
}

/* What libjpeg takes for itself is as little as is said, and nothing more is taken for an image. */
TEST(no_memory_beside_the_callers) {
  if (!test_mallocs_work()) {
    test_skip("a sanitizer has an allocator of its own");
  }
  test_file files[2] = {
      test_make_jpeg(&(test_jpeg){
          .width = 200, .height = 100, .components = 3, .h = 2, .v = 2, .progressive = true}),
      test_make_png(&(test_png){200, 100, PNG_COLOR_TYPE_RGBA, 16, true, false})};
  size_t bytes = snug__decoder_bytes(snug__image_decode_bytes(200, 100, true));
  void *memory = malloc(bytes);
  uint8_t *row = malloc(200 * 3);
  snug__decoder d;
  snug__why why;
  snug__jpeg *reader = malloc(snug__jpeg_bytes());
  ASSERT_EQ_INT(snug__decoder_begin(&d, memory, bytes, &why), SNUG_OK);
  d.jpeg = reader;
  test_mallocs_start();
  snug_status code = snug__jpeg_begin(reader, &why);
  test_mallocs begun = test_mallocs_stop();
  ASSERT_EQ_INT(code, SNUG_OK);
  ASSERT_TRUE(begun.most > 0 && begun.most <= (int64_t)SNUG__JPEG_OWN_BYTES);
  test_mallocs_start();
  for (int i = 0; !code && i < 4; i++) {
    snug__input in = snug__input_of(files[i % 2].bytes, files[i % 2].n);
    code = snug__decoder_look(&d, &in, &why);
    code = code ? code : snug__decoder_start(&d, &in, 3, 1, SNUG__DECODE_KERAS, &why);
    while (!code && d.y < d.height) {
      code = snug__decoder_row(&d, row, &why);
    }
  }
  test_mallocs read = test_mallocs_stop();
  ASSERT_EQ_INT(code, SNUG_OK);
  ASSERT_EQ_INT(read.n_taken, 0);
  snug__jpeg_end(reader);
  free(reader);
  free(row);
  free(memory);
  test_file_free(&files[0]);
  test_file_free(&files[1]);
}
