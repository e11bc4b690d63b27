#include "image/png.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "image/probe.h"

struct snug__png {
  png_structp png;
  png_infop info;
  jmp_buf escape;
  char text[160]; /* of libpng's last error */
  bool is_out, is_cut;
  /* of the present file */
  snug__input *in;
  snug__slab *slab;
  int64_t at;
  int32_t channels;
  int32_t width, height;
  uint8_t *image; /* an interlaced one, whole */
  int32_t y;      /* rows that were read */
  uint8_t *row;   /* where the present row goes */
};

size_t snug__png_bytes(void) { return sizeof(snug__png); }

/* ---- what libpng calls ---- */

_Noreturn static void leave(png_structp png, png_const_charp text) {
  snug__png *r = png_get_error_ptr(png);
  snprintf(r->text, sizeof r->text, "%s", text);
  longjmp(r->escape, 1);
}

static void keep_silent(png_structp png, png_const_charp text) { (void)png, (void)text; }

static void *take(png_structp png, png_alloc_size_t bytes) {
  snug__png *r = png_get_mem_ptr(png);
  void *piece = snug__slab_take(r->slab, bytes);
  r->is_out = r->is_out || !piece;
  return piece;
}

static void leave_alone(png_structp png, void *piece) { (void)png, (void)piece; }

static void read_bytes(png_structp png, png_bytep dst, size_t n) {
  snug__png *r = png_get_io_ptr(png);
  size_t got = snug__input_read(r->in, r->at, dst, n);
  r->at += (int64_t)got;
  if (got < n) {
    r->is_cut = true;
    png_error(png, "");
  }
}

/* Call libpng.  False if it gave up. */
static bool attempt(snug__png *r, void (*act)(snug__png *r)) {
  if (setjmp(r->escape)) {
    return false;
  }
  act(r);
  return true;
}

static snug_status refuse(const snug__png *r, snug__why *why) {
  if (r->is_cut) {
    return snug__input_short(r->in, why, "in the middle of a PNG");
  }
  if (r->is_out) {
    return snug__why_say(why, SNUG_E_LIMIT,
                         "needs more memory to be decoded than the %zu bytes that a worker has for "
                         "it",
                         r->slab->bytes);
  }
  return snug__why_say(why, SNUG_E_FORMAT, "is damaged: %s", r->text);
}

/* ---- a file ---- */

/* Chunks that say nothing of pixels are not looked at: some of them unpack to any size. */
static void ignore_the_rest(png_structp png) {
  static const png_byte names[] =
      "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0"
      "sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0zTXt";
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, names, (int)(sizeof names / 5));
}

/* To 8 bits and the channels that are asked for. */
static void convert(snug__png *r) {
  int type = png_get_color_type(r->png, r->info);
  bool is_gray = !(type & PNG_COLOR_MASK_COLOR);
  bool has_alpha = type & PNG_COLOR_MASK_ALPHA;
  bool has_clear = png_get_valid(r->png, r->info, PNG_INFO_tRNS);
  png_set_expand(r->png); /* palettes, fewer than 8 bits, a color that is clear */
  png_set_strip_16(r->png);
  if (r->channels == 4 && !has_alpha && !has_clear) {
    png_set_add_alpha(r->png, 255, PNG_FILLER_AFTER);
  } else if (r->channels != 4 && (has_alpha || has_clear)) {
    png_set_strip_alpha(r->png);
  }
  if (r->channels == 1 && !is_gray) {
    png_set_rgb_to_gray(r->png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  } else if (r->channels != 1 && is_gray) {
    png_set_gray_to_rgb(r->png);
  }
}

static void read_passes(snug__png *r, int passes) {
  size_t row_bytes = (size_t)r->width * (size_t)r->channels;
  r->image = png_malloc(r->png, row_bytes * (size_t)r->height);
  for (int pass = 0; pass < passes; pass++) {
    for (int32_t y = 0; y < r->height; y++) {
      png_read_row(r->png, r->image + (size_t)y * row_bytes, NULL);
    }
  }
}

static void start(snug__png *r) {
  r->png =
      png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, leave, keep_silent, r, take, leave_alone);
  r->info = r->png ? png_create_info_struct(r->png) : NULL;
  if (!r->info) {
    longjmp(r->escape, 1);
  }
  png_set_user_limits(r->png, SNUG__IMAGE_SIDE_MAX, SNUG__IMAGE_SIDE_MAX);
  png_set_read_fn(r->png, r, read_bytes);
  ignore_the_rest(r->png);
  png_read_info(r->png, r->info);
  r->width = (int32_t)png_get_image_width(r->png, r->info);
  r->height = (int32_t)png_get_image_height(r->png, r->info);
  convert(r);
  int passes = png_set_interlace_handling(r->png);
  png_read_update_info(r->png, r->info);
  if (png_get_rowbytes(r->png, r->info) != (size_t)r->width * (size_t)r->channels) {
    png_error(r->png, "rows of another length than its header says");
  }
  if (passes > 1) {
    read_passes(r, passes);
  }
}

snug_status snug__png_open(snug__png *r, snug__input *in, snug__slab *slab, int32_t channels,
                           int32_t *width, int32_t *height, snug__why *why) {
  memset(r, 0, sizeof *r);
  r->in = in;
  r->slab = slab;
  r->channels = channels;
  if (!attempt(r, start)) {
    return refuse(r, why);
  }
  *width = r->width;
  *height = r->height;
  return SNUG_OK;
}

static void read_one(snug__png *r) { png_read_row(r->png, r->row, NULL); }

snug_status snug__png_row(snug__png *r, uint8_t *dst, snug__why *why) {
  size_t row_bytes = (size_t)r->width * (size_t)r->channels;
  r->row = dst;
  if (r->image) {
    memcpy(dst, r->image + (size_t)r->y * row_bytes, row_bytes);
  } else if (!attempt(r, read_one)) {
    return refuse(r, why);
  }
  r->y++;
  return SNUG_OK;
}
