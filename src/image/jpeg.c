#include "image/jpeg.h"

#include <setjmp.h>
#include <string.h>

#include "image/jpeg_memory.h"

#include <jerror.h>

/* Those that programs write have some ten.  A scan may be a few bytes and costs as much time as the
 * image is large. */
#define SCANS_MAX 100

struct snug__jpeg {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  struct jpeg_source_mgr source;
  snug__jpeg_memory memory;
  struct jpeg_memory_mgr *own; /* libjpeg's manager, of what it took when it began */
  jmp_buf escape;
  /* of the present file */
  snug__input *in;
  snug__slab *slab;
  int64_t at; /* how much of it was given to libjpeg */
  uint8_t *piece;
  uint8_t *inks; /* a row of cyan, magenta, yellow and black, where the file has those */
  const snug__jpeg_want *want;
  uint8_t *row; /* where the present row goes */
  bool has_many_scans;
  bool is_over; /* the file ended, and libjpeg was told so */
  bool is_cut;  /* and it wanted more */
};

size_t snug__jpeg_bytes(void) { return sizeof(snug__jpeg); }

static snug__jpeg *reader_of(j_common_ptr info) { return info->client_data; }

/* ---- errors ---- */

_Noreturn static void leave(j_common_ptr info) { longjmp(reader_of(info)->escape, 1); }

/* Warnings are of damage that libjpeg steps over, as other programs do; a file that was cut off is
 * not among them. */
static void note(j_common_ptr info, int level) {
  snug__jpeg *r = reader_of(info);
  if (level < 0 && r->is_over && info->err->msg_code == JWRN_HIT_MARKER) {
    r->is_cut = true;
  }
}

static void keep_silent(j_common_ptr info) { (void)info; }

static void count_scans(j_common_ptr info) {
  snug__jpeg *r = reader_of(info);
  if (r->info.input_scan_number > SCANS_MAX) {
    r->has_many_scans = true;
    leave(info);
  }
}

/* Call libjpeg.  False if it gave up. */
static bool attempt(snug__jpeg *r, void (*act)(snug__jpeg *r)) {
  if (setjmp(r->escape)) {
    return false;
  }
  act(r);
  return true;
}

static snug_status refuse(snug__jpeg *r, snug__why *why) {
  char text[JMSG_LENGTH_MAX];
  if (r->memory.is_out) {
    return snug__why_say(why, SNUG_E_LIMIT,
                         "needs more memory to be decoded than the %zu bytes "
                         "that a worker has for it",
                         r->slab->bytes);
  }
  if (r->in->error || r->is_cut) {
    return snug__input_short(r->in, why, "in the middle of a JPEG");
  }
  if (r->has_many_scans) {
    return snug__why_say(why, SNUG_E_LIMIT, "has more than %d scans", SCANS_MAX);
  }
  r->errors.format_message((j_common_ptr)&r->info, text);
  return snug__why_say(why, SNUG_E_FORMAT, "is damaged: %s", text);
}

/* ---- the bytes of the file ---- */

static void start_source(j_decompress_ptr info) { (void)info; }

/* The next piece; at the end a mark of it, so that complete files without one can be read. */
static boolean fill(j_decompress_ptr info) {
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  snug__jpeg *r = reader_of((j_common_ptr)info);
  size_t n = snug__input_read(r->in, r->at, r->piece, SNUG__JPEG_PIECE_BYTES);
  r->at += (int64_t)n;
  if (r->in->error) {
    leave((j_common_ptr)info);
  }
  r->is_over = n == 0;
  r->source.next_input_byte = n ? r->piece : end;
  r->source.bytes_in_buffer = n ? n : sizeof end;
  return TRUE;
}

static void skip(j_decompress_ptr info, long n) {
  snug__jpeg *r = reader_of((j_common_ptr)info);
  size_t here = r->source.bytes_in_buffer;
  size_t some = n <= 0 ? 0 : (size_t)n < here ? (size_t)n : here;
  r->source.next_input_byte += some;
  r->source.bytes_in_buffer -= some;
  r->at += n > 0 ? n - (long)some : 0;
}

static void end_source(j_decompress_ptr info) { (void)info; }

/* ---- begin and end ---- */

static void create(snug__jpeg *r) { jpeg_create_decompress(&r->info); }

snug_status snug__jpeg_begin(snug__jpeg *r, snug__why *why) {
  memset(r, 0, sizeof *r);
  r->info.client_data = r;
  r->info.err = jpeg_std_error(&r->errors);
  r->errors.error_exit = leave;
  r->errors.emit_message = note;
  r->errors.output_message = keep_silent;
  r->source = (struct jpeg_source_mgr){.init_source = start_source,
                                       .fill_input_buffer = fill,
                                       .skip_input_data = skip,
                                       .resync_to_restart = jpeg_resync_to_restart,
                                       .term_source = end_source};
  if (!attempt(r, create)) {
    jpeg_destroy_decompress(&r->info);
    return snug__why_say(why, SNUG_E_MEMORY, "no memory for a reader of JPEG files");
  }
  r->own = r->info.mem;
  snug__jpeg_memory_init(&r->memory);
  r->info.mem = &r->memory.pub;
  r->info.src = &r->source;
  r->progress.progress_monitor = count_scans;
  r->info.progress = &r->progress;
  return SNUG_OK;
}

void snug__jpeg_end(snug__jpeg *r) {
  r->info.mem = r->own;
  jpeg_destroy_decompress(&r->info);
}

/* Forget the file before, with the tables that it defined. */
static void forget(snug__jpeg *r) {
  jpeg_abort_decompress(&r->info);
  for (int i = 0; i < NUM_QUANT_TBLS; i++) {
    r->info.quant_tbl_ptrs[i] = NULL;
  }
  for (int i = 0; i < NUM_HUFF_TBLS; i++) {
    r->info.dc_huff_tbl_ptrs[i] = NULL;
    r->info.ac_huff_tbl_ptrs[i] = NULL;
  }
  r->memory.is_out = r->has_many_scans = r->is_over = r->is_cut = false;
  r->source.bytes_in_buffer = 0;
  r->inks = NULL;
  r->at = 0;
}

/* ---- a file ---- */

static void choose_colors(snug__jpeg *r) {
  struct jpeg_decompress_struct *info = &r->info;
  if (info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK) {
    info->out_color_space = JCS_CMYK;
    r->inks =
        info->mem->alloc_large((j_common_ptr)info, JPOOL_IMAGE, 4 * (size_t)info->image_width);
  } else {
    info->out_color_space = r->want->channels == 1   ? JCS_GRAYSCALE
                            : r->want->channels == 3 ? JCS_RGB
                                                     : JCS_EXT_RGBA;
  }
}

static void start(snug__jpeg *r) {
  struct jpeg_decompress_struct *info = &r->info;
  r->piece = info->mem->alloc_large((j_common_ptr)info, JPOOL_IMAGE, SNUG__JPEG_PIECE_BYTES);
  jpeg_read_header(info, TRUE);
  choose_colors(r);
  info->scale_num = 1;
  info->scale_denom = (unsigned)r->want->shrink;
  info->dct_method = r->want->decode == SNUG__DECODE_ACCURATE ? JDCT_ISLOW : JDCT_IFAST;
  info->do_fancy_upsampling = TRUE; /* which is not slower than without it */
  jpeg_start_decompress(info); /* reads all of a file with several scans; the last may be missing */
  r->is_cut = r->is_cut || (r->is_over && jpeg_has_multiple_scans(info));
}

snug_status snug__jpeg_open(snug__jpeg *r, snug__input *in, snug__slab *slab,
                            const snug__jpeg_want *want, int32_t *width, int32_t *height,
                            snug__why *why) {
  forget(r);
  r->in = in;
  r->slab = r->memory.slab = slab;
  r->want = want;
  if (!attempt(r, start) || r->is_cut) {
    return refuse(r, why);
  }
  *width = (int32_t)r->info.output_width;
  *height = (int32_t)r->info.output_height;
  return SNUG_OK;
}

static void read_one(snug__jpeg *r) {
  JSAMPROW row = r->inks ? r->inks : r->row;
  jpeg_read_scanlines(&r->info, &row, 1);
}

/* Inks as TensorFlow mixes them; those of Adobe's files are stored inverted. */
static void mix(const snug__jpeg *r, uint8_t *dst) {
  int32_t channels = r->want->channels;
  bool inverted = r->info.saw_Adobe_marker;
  for (JDIMENSION x = 0; x < r->info.output_width; x++, dst += channels) {
    const uint8_t *ink = r->inks + 4 * (size_t)x;
    int light = inverted ? ink[3] : 255 - ink[3];
    int rgb[3];
    for (int c = 0; c < 3; c++) {
      rgb[c] = light * (inverted ? ink[c] : 255 - ink[c]) / 255;
    }
    for (int c = 0; c < channels; c++) {
      dst[c] = (uint8_t)(channels == 1 ? (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000
                         : c < 3       ? rgb[c]
                                       : 255);
    }
  }
}

snug_status snug__jpeg_row(snug__jpeg *r, uint8_t *dst, snug__why *why) {
  r->row = dst;
  if (!attempt(r, read_one) || r->is_cut) {
    return refuse(r, why);
  }
  if (r->inks) {
    mix(r, dst);
  }
  return SNUG_OK;
}
