#include "data/folder.h"

#include <string.h>

#include "base/struct_size.h"
#include "data/stream.h"
#include "image/option.h"

#define DEFAULT_SIZE "256x256" /* Keras's */
#define WAY_OUT "; remove such files, or leave them out (skip_bad of snug_image_options)"

/* ---- options ---- */

static const char *const channel_names[] = {"grayscale", "rgb", "rgba", NULL};
static const int32_t channel_counts[] = {1, 3, 4};
static const char *const dtype_names[] = {"float32", "uint8", NULL};
static const char *const decode_names[] = {"keras", "accurate", "fast", NULL};

static const snug__field moment_fields[] = {SNUG_FIELD(snug__recipe, mean, FLOATS, NULL),
                                            SNUG_FIELD(snug__recipe, variance, FLOATS, NULL),
                                            {NULL}};

/* The number of a word; the given one if there is no word. */
static snug_status choose(snug_ctx *ctx, const char *what, const char *text,
                          const char *const *names, int32_t *out) {
  return text ? snug__option_choice(ctx, what, text, names, out) : SNUG_OK;
}

static snug_status read_load(snug_ctx *ctx, const snug_image_options *o, snug__recipe *r) {
  int32_t height = 0, width = 0, channels = 1, interpolation = SNUG__BILINEAR;
  int32_t aspect = SNUG__STRETCH, decode = SNUG__DECODE_KERAS;
  SNUG_TRY(snug__option_size(ctx, "image size", o->size ? o->size : DEFAULT_SIZE, &height, &width));
  SNUG_TRY(choose(ctx, "color mode", o->channels, channel_names, &channels));
  SNUG_TRY(
      choose(ctx, "interpolation", o->interpolation, snug__interpolation_names, &interpolation));
  SNUG_TRY(choose(ctx, "aspect ratio", o->aspect, snug__aspect_names, &aspect));
  SNUG_TRY(choose(ctx, "decoding", o->decode, decode_names, &decode));
  *r = snug__recipe_of(height, width, channel_counts[channels]);
  r->load.interpolation = (snug__interpolation)interpolation;
  r->load.aspect = (snug__aspect)aspect;
  r->load.decode = (snug__jpeg_decode)decode;
  return SNUG_OK;
}

static snug_status read_recipe(snug_ctx *ctx, const snug_image_options *o, snug__recipe *r) {
  int32_t dtype = 0;
  SNUG_TRY(read_load(ctx, o, r));
  SNUG_TRY(choose(ctx, "dtype of images", o->dtype, dtype_names, &dtype));
  r->is_u8 = dtype == 1;
  if (o->rescale) {
    SNUG_TRY(snug__option_scale(ctx, "rescale", o->rescale, &r->scale, &r->offset));
  }
  if (o->normalize) {
    SNUG_TRY(snug__fields_parse(ctx, "normalize", moment_fields, o->normalize, r));
  }
  SNUG_TRY(snug__augment_parse(ctx, o->augment, &r->augment));
  return snug__recipe_check(ctx, r);
}

/* ---- which files ---- */

static snug_status find_files(snug__folder *f, bool is_list, const snug_image_options *o,
                              snug__label_mode mode) {
  bool labelled = mode != SNUG__LABEL_NONE;
  SNUG_TRY(is_list ? snug__list_read(&f->list, f->path)
                   : snug__list_folder(&f->list, f->path, labelled));
  SNUG_TRY(snug__label_check(&f->list, mode));
  snug__list_shuffle(&f->list, (uint32_t)o->seed); /* classes lie one behind the other */
  f->train.rows = snug__list_count(&f->list);
  if (o->validation_split == 0.0) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__list_subset(&f->list, o->validation_split, SNUG__TRAINING, &f->train.images.first,
                             &f->train.rows));
  return snug__list_subset(&f->list, o->validation_split, SNUG__VALIDATION,
                           &f->validation.images.first, &f->validation.rows);
}

/* What the headers say.  Bad files end it, unless they are to be skipped, and some are good. */
static snug_status survey(snug__folder *f, const snug_image_options *o, snug__survey *found) {
  char why[SNUG_WHY_BYTES];
  int64_t n = snug__list_count(&f->list);
  SNUG_TRY(snug__images_survey(&f->list, 0, n, f->ctx->threads, found));
  if (found->n_bad == 0 || (o->skip_bad && found->n_bad < n)) {
    return SNUG_OK;
  }
  snug__images_trouble(&f->list, found->bad[0], why, sizeof why);
  return snug__fail(f->ctx, SNUG_E_DATA, "%lld of %lld images cannot be read; the first: %s%s",
                    (long long)found->n_bad, (long long)n, why, found->n_bad < n ? WAY_OUT : "");
}

/* ---- sources ---- */

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  _Static_assert(SNUG__NO_EPOCH == SNUG_NOT_TRAINING, "one and the same");
  return snug__images_read(user, scratch, row, pass, to[SNUG__FOLDER_X], to[SNUG__FOLDER_Y], why,
                           SNUG_WHY_BYTES);
}

static void set_part(snug__folder *f, snug__folder_part *part, const snug__images *like) {
  int64_t first = part->images.first;
  part->images = *like;
  part->images.first = first;
  part->images.list = &f->list;
  part->images.readers = f->readers;
  part->source = (snug_source){.struct_size = sizeof(snug_source),
                               .user = &part->images,
                               .rows = part->rows,
                               .scratch = snug__images_scratch(&part->images),
                               .read = read_row};
}

/* As many readers as threads may want one at a time. */
static snug_status open_readers(snug__folder *f, const snug_image_options *o) {
  int32_t n = o->workers > 0 ? o->workers : f->ctx->threads;
  return snug__readers_create(f->ctx, n, &f->readers);
}

/* Decode the image that needs most once, so that the code for it is resident before memory is
 * planned.  What comes of it is told when the row is wanted. */
static snug_status rehearse(snug__folder *f, int64_t largest) {
  snug__images all = f->train.images;
  char why[SNUG_WHY_BYTES];
  char *scratch = NULL, *sample = NULL;
  size_t scratch_bytes = snug__images_scratch(&all);
  size_t sample_bytes = snug__recipe_sample_bytes(&all.recipe);
  all.first = 0;
  SNUG_TRY(SNUG_NEW_ARRAY(f->ctx, SNUG__MEM_SCRATCH, scratch_bytes, &scratch));
  snug_status s = SNUG_NEW_ARRAY(f->ctx, SNUG__MEM_SCRATCH, sample_bytes, &sample);
  if (!s && largest >= 0) {
    (void)!snug__images_read(&all, scratch, largest, 0, sample, NULL, why, sizeof why);
  }
  SNUG_GIVE_ARRAY(f->ctx, SNUG__MEM_SCRATCH, sample, sample_bytes);
  SNUG_GIVE_ARRAY(f->ctx, SNUG__MEM_SCRATCH, scratch, scratch_bytes);
  return s;
}

snug_status snug__folder_open(snug__folder *f, snug_ctx *ctx, const char *path, bool is_list,
                              const snug_image_options *options) {
  snug_image_options o;
  snug__images like = {0};
  snug__survey found;
  int32_t mode = SNUG__LABEL_INFERRED;
  *f = (snug__folder){.ctx = ctx, .path = path};
  snug__list_init(&f->list, ctx);
  SNUG_TRY(SNUG__READ(ctx, snug_image_options, options, &o));
  like.seed = o.seed;
  SNUG_TRY(read_recipe(ctx, &o, &like.recipe));
  SNUG_TRY(choose(ctx, "labels", o.labels, snug__label_names, &mode));
  like.labels = (snug__label_mode)mode;
  SNUG_TRY(find_files(f, is_list, &o, like.labels));
  SNUG_TRY(survey(f, &o, &found));
  SNUG_TRY(open_readers(f, &o));
  like.decode_bytes = found.decode_bytes;
  set_part(f, &f->train, &like);
  set_part(f, &f->validation, &like);
  SNUG_TRY(rehearse(f, found.largest));
  f->train.images.times = f->validation.images.times = o.timed ? &f->times : NULL;
  return SNUG_OK;
}

void snug__folder_release(snug__folder *f) {
  snug__readers_destroy(f->readers);
  snug__list_release(&f->list);
}

/* ---- arrays ---- */

static snug_array labels_array(const snug__folder *f, const snug__folder_part *part) {
  snug_array a = {.dtype = SNUG_INT32, .rank = 1, .shape = {part->rows}};
  switch (part->images.labels) {
    case SNUG__LABEL_CATEGORICAL:
      a.dtype = SNUG_FLOAT32;
      a.rank = 2;
      a.shape[1] = snug__list_classes(&f->list);
      break;
    case SNUG__LABEL_BINARY: /* as Keras has them */
      a.dtype = SNUG_FLOAT32;
      a.rank = 2;
      a.shape[1] = 1;
      break;
    case SNUG__LABEL_NONE:
      a.rank = 0;
      break;
    default:
      break;
  }
  return a;
}

snug_array snug__folder_array(const snug__folder *f, const snug__folder_part *part, int32_t field) {
  int32_t shape[3];
  if (field == SNUG__FOLDER_Y) {
    return labels_array(f, part);
  }
  snug__recipe_shape(&part->images.recipe, shape);
  return (snug_array){.dtype = part->images.recipe.is_u8 ? SNUG_UINT8 : SNUG_FLOAT32,
                      .rank = 4,
                      .shape = {part->rows, shape[0], shape[1], shape[2]}};
}
