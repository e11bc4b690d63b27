/* Resizing: images at another height and width, cropped or padded before to keep their proportions.
 */
#include "model/layers/support.h"
#include "ops/resize.h"
#include "ops/unary.h"

typedef struct resizing_config {
  snug__layer_common common;
  int64_t height, width;
  int32_t interpolation, fill_mode;
  snug_ints size; /* of the op, in the place of height and width */
  bool crop_to_aspect_ratio, pad_to_aspect_ratio;
  double fill_value;
} resizing_config;

static const char *const interpolations[] = {"nearest", "bilinear", NULL};
static const char *const fill_modes[] = {"constant", NULL};

#define RESIZING(member, kind, initial) SNUG_FIELD(resizing_config, member, kind, initial)
#define HOW                                                                                        \
  SNUG_CHOICE(resizing_config, interpolation, interpolations, "bilinear"),                         \
      RESIZING(crop_to_aspect_ratio, BOOL, "false"), RESIZING(pad_to_aspect_ratio, BOOL, "false"), \
      SNUG_CHOICE(resizing_config, fill_mode, fill_modes, "constant"),                             \
      RESIZING(fill_value, FLOAT, "0"), SNUG_FIXED("antialias", "false", NULL), LAYER_DATA_FORMAT
static const snug__field fields[] = {
    SNUG__LAYER_FIELDS, RESIZING(height, INT, NULL), RESIZING(width, INT, NULL), HOW, {0}};
static const snug__field resize_fields[] = {
    SNUG__LAYER_FIELDS, RESIZING(size, INTS, NULL), HOW, {0}};

#define WHOLE_NUMBERS \
  "whole numbers with another interpolation than nearest; make the input a float"

static snug_status check(const snug__layer_call *c, const resizing_config *k, snug__type *x) {
  SNUG_TRY(snug__layer_need_rank(c, 4, LAYER_IMAGES, x));
  SNUG_TRY(snug__layer_need_int(c, "height", k->height, 1));
  SNUG_TRY(snug__layer_need_int(c, "width", k->width, 1));
  if (k->crop_to_aspect_ratio && k->pad_to_aspect_ratio) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: crop_to_aspect_ratio and pad_to_aspect_ratio: only one of them may be "
                      "true",
                      c->layer->name);
  }
  if (!snug__dtype_is_real(x->dtype) && k->interpolation != SNUG__INTERPOLATION_NEAREST) {
    return snug__layer_lacks(c, WHOLE_NUMBERS);
  }
  return SNUG_OK;
}

/* What one side would be with the proportions that the other has afterwards, in float as Keras
 * computes it. */
static int64_t in_proportion(int64_t other, int64_t to, int64_t other_to) {
  double side = (double)((float)other * (float)to / (float)other_to);
  return side < 1e15 ? (int64_t)side : INT64_C(1000000000000000);
}

static snug_status crop(snug__layer_call *c, const resizing_config *k, const snug__type *x) {
  int64_t height = in_proportion(x->dim[2], k->height, k->width);
  int64_t width = in_proportion(x->dim[1], k->width, k->height);
  snug__slice_params p;
  memset(&p, 0, sizeof p);
  height = snug__max_i64(snug__min_i64(x->dim[1], height), 1);
  width = snug__max_i64(snug__min_i64(x->dim[2], width), 1);
  p.begin = (snug_ints){4, {0, (x->dim[1] - height) / 2, (x->dim[2] - width) / 2, 0}};
  p.size = (snug_ints){4, {-1, height, width, -1}};
  return SNUG_EMIT(c->b->g, slice, &p, &c->out, c->out);
}

static snug_status pad(snug__layer_call *c, const resizing_config *k, const snug__type *x) {
  int64_t height = in_proportion(x->dim[2], k->height, k->width);
  int64_t width = in_proportion(x->dim[1], k->width, k->height);
  snug__pad_params p;
  memset(&p, 0, sizeof p);
  p.before.n = 4;
  p.before.v[1] = (snug__max_i64(height, x->dim[1]) - x->dim[1]) / 2;
  p.before.v[2] = (snug__max_i64(width, x->dim[2]) - x->dim[2]) / 2;
  p.after = p.before; /* an odd row is left out, as in Keras */
  p.value = k->fill_value;
  return SNUG_EMIT(c->b->g, pad, &p, &c->out, c->out);
}

static snug_status resized(snug__layer_call *c, const resizing_config *k) {
  snug__resize2d_params p = {k->height, k->width, k->interpolation};
  snug__type x;
  SNUG_TRY(check(c, k, &x));
  snug__cast_params back = {(int32_t)x.dtype};
  SNUG_TRY(snug__layer_as_real(c, c->in[0], &c->out));
  if (k->crop_to_aspect_ratio) {
    SNUG_TRY(crop(c, k, &x));
  } else if (k->pad_to_aspect_ratio) {
    SNUG_TRY(pad(c, k, &x));
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, resize2d, &p, &c->out, c->out));
  return snug__dtype_is_real(x.dtype) ? SNUG_OK : SNUG_EMIT(c->b->g, cast, &back, &c->out, c->out);
}

static snug_status call(snug__layer_call *c) { return resized(c, c->config); }

LAYER_CLASS(Resizing, resizing_config, fields, 1, 1, call, .lacks = LAYER_LACKS(WHOLE_NUMBERS));

/* keras.ops.image.resize */
static snug_status resize(snug__layer_call *c) {
  resizing_config k = *(const resizing_config *)c->config;
  if (k.size.n != 2) {
    return snug__layer_refuse(c, "size", k.size.n, "a height and a width");
  }
  k.height = k.size.v[0];
  k.width = k.size.v[1];
  return resized(c, &k);
}

RAW_CLASS(Resize, resizing_config, resize_fields, 1, 1, resize,
          .lacks = LAYER_LACKS(WHOLE_NUMBERS));
