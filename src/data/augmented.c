#include "data/augmented.h"

#include <string.h>

#include "base/size.h"
#include "data/arrays.h"
#include "image/augment.h"
#include "image/option.h"

#define ALIGN 64

/* ---- the steps ---- */

static snug_status check(snug_ctx *ctx, const snug__augment *a, const snug__type *image) {
  char text[SNUG__TYPE_TEXT_BYTES];
  int32_t height, width;
  const int64_t *size = image->dim;
  if (image->rank != 4 || !snug__dtype_is_real(image->dtype) ||
      (size[3] != 1 && size[3] != 3 && size[3] != 4) || size[1] > SNUG__IMAGE_SIZE_MAX ||
      size[2] > SNUG__IMAGE_SIZE_MAX) {
    return snug__fail(ctx, SNUG_E_UNSUPPORTED,
                      "augment: is for images of floats, [height, width, channels] with 1, 3 or 4 "
                      "channels; the input of this model is %s",
                      snug__type_batch_text(image, text));
  }
  return snug__augment_crop(a, &height, &width)
             ? snug__fail(ctx, SNUG_E_UNSUPPORTED,
                          "augment: crop=%dx%d is for images that are read from their files; "
                          "samples of arrays keep their size",
                          height, width)
             : SNUG_OK;
}

snug_status snug__augment_create(snug_ctx *ctx, const char *text, const snug__type *image,
                                 struct snug__augment **out) {
  snug__augment *a = NULL;
  *out = NULL;
  if (!text || !*text) {
    return SNUG_OK;
  }
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_DATA, &a));
  snug_status s = snug__augment_parse(ctx, text, a);
  s = s ? s : check(ctx, a, image);
  if (s) {
    snug__augment_destroy(ctx, a);
    return s;
  }
  *out = a;
  return SNUG_OK;
}

void snug__augment_destroy(snug_ctx *ctx, struct snug__augment *a) {
  snug__give(ctx, SNUG__MEM_DATA, a, sizeof *a);
}

/* ---- the source ---- */

static size_t rounded(size_t bytes) { return (size_t)snug__round_up((int64_t)bytes, ALIGN); }

static snug__type image_type(const snug__augmented *a) {
  const int64_t *shape = a->data->x[0].shape;
  return snug__type_of(SNUG_FLOAT32, 4, (const int64_t[]){1, shape[1], shape[2], shape[3]});
}

/* Scratch: where the inner source is to put its arrays, an image as the array has it, a second one
 * for steps that move pixels, and the inner source's own. */
typedef struct parts {
  void **to;
  void *raw; /* NULL: it goes to its place at once */
  float *spare;
  void *inner;
} parts;

static size_t cut(const snug__augmented *a, void *scratch, parts *out) {
  const snug_array *x = &a->data->x[0];
  snug__type image = image_type(a);
  size_t to = rounded((size_t)snug__data_count(a->data) * sizeof(void *));
  bool has_raw = !a->in_memory && x->dtype != SNUG_FLOAT32;
  size_t raw = has_raw ? rounded(snug__array_row_bytes(x)) : 0;
  size_t spare = snug__augment_moves(a->augment) ? rounded((size_t)snug__type_bytes(&image)) : 0;
  char *at = scratch;
  *out = (parts){.to = scratch};
  if (at) {
    out->raw = has_raw ? at + to : NULL;
    out->spare = spare ? (float *)(void *)(at + to + raw) : NULL;
    out->inner = at + to + raw + spare;
  }
  return to + raw + spare;
}

/* The arrays that are not in memory; x[0] to where it can be changed. */
static snug_status read_inner(const snug__augmented *a, const parts *p, int64_t row, uint64_t pass,
                              void *const *to, char *why) {
  memcpy(p->to, to, (size_t)snug__data_count(a->data) * sizeof *to);
  p->to[0] = a->in_memory || !to[0] ? NULL : p->raw ? p->raw : to[0];
  return a->inner ? a->inner->read(a->inner->user, p->inner, row, pass, p->to, why) : SNUG_OK;
}

static void convert(const snug__augmented *a, const parts *p, int64_t row, float *image) {
  snug__type type = image_type(a);
  snug_array from = a->data->x[0];
  from.data = a->in_memory ? from.data : p->raw;
  if (from.data) {
    snug__row_list rows = {NULL, a->in_memory ? row : 0, 1};
    snug__array_copy_rows(&from, &rows, &type, image, 0);
  }
}

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  const snug__augmented *a = user;
  const int64_t *shape = a->data->x[0].shape;
  snug__type type = image_type(a);
  float *image = to[0];
  parts p;
  cut(a, scratch, &p);
  SNUG_TRY(read_inner(a, &p, row, pass, to, why));
  if (!image) {
    return SNUG_OK;
  }
  convert(a, &p, row, image);
  snug__canvas c = {(int32_t)shape[1], (int32_t)shape[2], (int32_t)shape[3], image, p.spare};
  snug__augment_run(a->augment, a->seed, pass, (uint64_t)row, &c);
  if (c.pixels != image) {
    memcpy(image, c.pixels, (size_t)snug__type_bytes(&type));
  }
  return SNUG_OK;
}

static snug_status restart(void *user, void *scratch, uint64_t pass, char *why) {
  const snug__augmented *a = user;
  parts p;
  cut(a, scratch, &p);
  return a->inner->restart(a->inner->user, p.inner, pass, why);
}

static void cancel(void *user) {
  const snug__augmented *a = user;
  if (a->inner && a->inner->cancel) {
    a->inner->cancel(a->inner->user);
  }
}

const snug_source *snug__augmented_source(snug__augmented *a) {
  parts none;
  a->source = a->inner ? *a->inner : (snug_source){.rows = a->data->x[0].shape[0]};
  a->source.user = a;
  a->source.scratch += cut(a, NULL, &none);
  a->source.read = read_row;
  a->source.restart = a->inner && a->inner->restart ? restart : NULL;
  a->source.cancel = cancel;
  return &a->source;
}
