#include "image/make.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

void test_file_free(test_file *f) {
  free(f->bytes);
  *f = (test_file){NULL, 0};
}

uint8_t test_pixel(int32_t x, int32_t y, int32_t c) {
  int32_t wave = (x * (3 + c) + y * (5 - c)) % 512;
  int32_t detail = (x * 7 ^ y * 13) & 15;
  return (uint8_t)((wave < 256 ? wave : 511 - wave) * 15 / 16 + detail);
}

/* ---- JPEG ---- */

static void separate(struct jpeg_compress_struct *c, jpeg_scan_info *scans) {
  for (int i = 0; i < c->num_components; i++) {
    scans[i] = (jpeg_scan_info){1, {i, 0, 0, 0}, 0, 63, 0, 0};
  }
  c->scan_info = scans;
  c->num_scans = c->num_components;
}

static void split_up(struct jpeg_compress_struct *c, jpeg_scan_info *scans) {
  int n = 0;
  for (int k = 0; k < 64; k++) {
    for (int i = 0; i < c->num_components; i++) {
      scans[n++] = (jpeg_scan_info){1, {i, 0, 0, 0}, k, k, 0, 0};
    }
  }
  c->scan_info = scans;
  c->num_scans = n;
}

static void set_up(struct jpeg_compress_struct *c, const test_jpeg *of, jpeg_scan_info *scans) {
  c->image_width = (JDIMENSION)of->width;
  c->image_height = (JDIMENSION)of->height;
  c->input_components = of->components;
  c->in_color_space = of->components == 1   ? JCS_GRAYSCALE
                      : of->components == 3 ? JCS_RGB
                                            : JCS_CMYK;
  jpeg_set_defaults(c);
  if (of->ycck) {
    jpeg_set_colorspace(c, JCS_YCCK);
  }
  c->write_Adobe_marker = c->write_Adobe_marker && !of->without_adobe;
  jpeg_set_quality(c, 88, TRUE);
  c->comp_info[0].h_samp_factor = of->h ? of->h : 1;
  c->comp_info[0].v_samp_factor = of->v ? of->v : 1;
  for (int i = 1; i < c->num_components; i++) {
    c->comp_info[i].h_samp_factor = c->comp_info[i].v_samp_factor = 1;
  }
  c->arith_code = of->arithmetic;
  c->restart_in_rows = of->restart;
  if (of->progressive) {
    jpeg_simple_progression(c);
  } else if (of->separate_scans) {
    separate(c, scans);
  } else if (of->many_scans) {
    split_up(c, scans);
  }
}

test_file test_make_jpeg(const test_jpeg *of) {
  struct jpeg_compress_struct c;
  struct jpeg_error_mgr errors;
  jpeg_scan_info scans[4 * 64];
  unsigned long n = 0;
  test_file f = {NULL, 0};
  c.err = jpeg_std_error(&errors);
  jpeg_create_compress(&c);
  jpeg_mem_dest(&c, &f.bytes, &n);
  set_up(&c, of, scans);
  if (of->without_tables) {
    jpeg_suppress_tables(&c, TRUE);
  }
  jpeg_start_compress(&c, of->without_tables ? FALSE : TRUE);
  uint8_t *row = malloc((size_t)of->width * (size_t)of->components);
  for (int32_t y = 0; y < of->height; y++) {
    for (int32_t x = 0; x < of->width; x++) {
      for (int32_t k = 0; k < of->components; k++) {
        row[x * of->components + k] = test_pixel(x, y, k);
      }
    }
    jpeg_write_scanlines(&c, &row, 1);
  }
  jpeg_finish_compress(&c);
  jpeg_destroy_compress(&c);
  free(row);
  f.n = n;
  return f;
}

uint8_t *test_decode_jpeg(const test_file *f, int32_t channels, int32_t shrink,
                          snug__jpeg_decode how, int32_t *width, int32_t *height) {
  struct jpeg_decompress_struct d;
  struct jpeg_error_mgr errors;
  d.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&d);
  jpeg_mem_src(&d, f->bytes, f->n);
  jpeg_read_header(&d, TRUE);
  d.out_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_EXT_RGBA;
  d.scale_denom = (unsigned)shrink;
  d.dct_method = how == SNUG__DECODE_ACCURATE ? JDCT_ISLOW : JDCT_IFAST;
  jpeg_start_decompress(&d);
  *width = (int32_t)d.output_width;
  *height = (int32_t)d.output_height;
  uint8_t *image = malloc((size_t)*width * (size_t)*height * (size_t)channels);
  for (int32_t y = 0; y < *height; y++) {
    JSAMPROW row = image + (size_t)y * (size_t)*width * (size_t)channels;
    jpeg_read_scanlines(&d, &row, 1);
  }
  jpeg_finish_decompress(&d);
  jpeg_destroy_decompress(&d);
  return image;
}

/* ---- PNG ---- */

static void append(png_structp png, png_bytep bytes, size_t n) {
  test_file *f = png_get_io_ptr(png);
  f->bytes = realloc(f->bytes, f->n + n);
  memcpy(f->bytes + f->n, bytes, n);
  f->n += n;
}

static void flush(png_structp png) { (void)png; }

static void set_palette(png_structp png, png_infop info, const test_png *of) {
  png_color colors[256];
  png_byte alpha[2] = {0, 100};
  int n = 1 << of->bits;
  for (int i = 0; i < n; i++) {
    colors[i] = (png_color){(png_byte)i, (png_byte)(255 - i), (png_byte)(i / 2)};
  }
  png_set_PLTE(png, info, colors, n);
  if (of->clear) {
    png_set_tRNS(png, info, alpha, 2, NULL);
  }
}

static int channels_of(int type) {
  return type == PNG_COLOR_TYPE_PALETTE || type == PNG_COLOR_TYPE_GRAY ? 1
         : type == PNG_COLOR_TYPE_GRAY_ALPHA                           ? 2
         : type == PNG_COLOR_TYPE_RGB                                  ? 3
                                                                       : 4;
}

/* A row as the file has it. */
static void fill_row(const test_png *of, int32_t y, uint8_t *row) {
  int channels = channels_of(of->type);
  memset(row, 0, (size_t)of->width * 8);
  for (int32_t x = 0; x < of->width; x++) {
    for (int c = 0; c < channels; c++) {
      int32_t i = x * channels + c;
      uint8_t value = of->flat ? 0 : test_pixel(x, y, c);
      if (of->bits == 16) {
        row[2 * i] = value;
        row[2 * i + 1] = (uint8_t)(value ^ 0x5A);
      } else if (of->bits == 8) {
        row[i] = value;
      } else {
        int bit = i * of->bits;
        row[bit / 8] |= (uint8_t)((value >> (8 - of->bits)) << (8 - of->bits - bit % 8));
      }
    }
  }
}

test_file test_make_png(const test_png *of) {
  test_file f = {NULL, 0};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_color_16 clear = {.gray = 0, .red = 1, .green = 2, .blue = 3};
  png_set_write_fn(png, &f, append, flush);
  png_set_IHDR(png, info, (png_uint_32)of->width, (png_uint_32)of->height, of->bits, of->type,
               of->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (of->type == PNG_COLOR_TYPE_PALETTE) {
    set_palette(png, info, of);
  } else if (of->clear) {
    png_set_tRNS(png, info, NULL, 0, &clear);
  }
  png_set_gAMA(png, info, 0.45); /* which nobody may look at */
  png_write_info(png, info);
  uint8_t **rows = malloc((size_t)of->height * sizeof *rows);
  for (int32_t y = 0; y < of->height; y++) {
    rows[y] = malloc((size_t)of->width * 8);
    fill_row(of, y, rows[y]);
  }
  png_write_image(png, rows);
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  for (int32_t y = 0; y < of->height; y++) {
    free(rows[y]);
  }
  free(rows);
  return f;
}
