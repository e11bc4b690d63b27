/* Layers that add or take away a border, or repeat pixels. */
#include "model/layers/support.h"
#include "ops/resize.h"

typedef struct border_config {
  snug__layer_common common;
  snug_ints padding, cropping, size;
  int32_t interpolation;
} border_config;

/* Before and after each of the axes 1 .. axes, from Keras's three ways to write it: a; [a, b]
 * (before and after of the one axis, or both sides of height and of width);
 * [[top, bottom], [left, right]]. */
static snug_status sides(snug__layer_call *c, const char *key, const snug_ints *given, int32_t axes,
                         snug_ints *before, snug_ints *after) {
  memset(before, 0, sizeof *before);
  memset(after, 0, sizeof *after);
  before->n = after->n = axes + 2;
  if (given->n != 1 && given->n != 2 && given->n != 2 * axes) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT, "%s: %s has %d numbers: expected %s",
                      c->layer->name, key, given->n, axes == 1 ? "1 or 2" : "1, 2 or 2 x 2");
  }
  for (int32_t k = 0; k < axes; k++) {
    bool pairs = given->n == 2 * axes;
    before->v[k + 1] = given->v[pairs ? 2 * k : given->n == 2 ? k : 0];
    after->v[k + 1] = pairs ? given->v[2 * k + 1] : before->v[k + 1];
    SNUG_TRY(snug__layer_need_int(c, key, before->v[k + 1], 0));
    SNUG_TRY(snug__layer_need_int(c, key, after->v[k + 1], 0));
  }
  return SNUG_OK;
}

static snug_status pad(snug__layer_call *c, int32_t axes, const char *layout) {
  const border_config *k = c->config;
  snug__pad_params p;
  snug__type x;
  memset(&p, 0, sizeof p);
  SNUG_TRY(snug__layer_need_rank(c, axes + 2, layout, &x));
  SNUG_TRY(sides(c, "padding", &k->padding, axes, &p.before, &p.after));
  return SNUG_EMIT(c->b->g, pad, &p, &c->out, c->in[0]);
}

static snug_status pad1d(snug__layer_call *c) { return pad(c, 1, LAYER_SERIES); }
static snug_status pad2d(snug__layer_call *c) { return pad(c, 2, LAYER_IMAGES); }

static const snug__field pad_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(border_config, padding, INTS, "1"), LAYER_DATA_FORMAT, {0}};

LAYER_CLASS(ZeroPadding1D, border_config, pad_fields, 1, 1, pad1d);
LAYER_CLASS(ZeroPadding2D, border_config, pad_fields, 1, 1, pad2d);

static snug_status crop(snug__layer_call *c, int32_t axes, const char *layout) {
  const border_config *k = c->config;
  snug__slice_params p;
  snug_ints after;
  snug__type x;
  memset(&p, 0, sizeof p);
  SNUG_TRY(snug__layer_need_rank(c, axes + 2, layout, &x));
  SNUG_TRY(sides(c, "cropping", &k->cropping, axes, &p.begin, &after));
  p.size.n = axes + 2;
  for (int32_t i = 0; i < axes + 2; i++) {
    bool leaves = p.begin.v[i] < x.dim[i] && after.v[i] < x.dim[i] - p.begin.v[i];
    if (i > 0 && !leaves) {
      return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                        "%s: cropping takes %lld and %lld of the %lld elements of axis %d: nothing "
                        "is left",
                        c->layer->name, (long long)p.begin.v[i], (long long)after.v[i],
                        (long long)x.dim[i], i);
    }
    p.size.v[i] = x.dim[i] - p.begin.v[i] - after.v[i];
  }
  return SNUG_EMIT(c->b->g, slice, &p, &c->out, c->in[0]);
}

static snug_status crop1d(snug__layer_call *c) { return crop(c, 1, LAYER_SERIES); }
static snug_status crop2d(snug__layer_call *c) { return crop(c, 2, LAYER_IMAGES); }

static const snug__field crop1d_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(border_config, cropping, INTS, "1"), {0}};
static const snug__field crop2d_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(border_config, cropping, INTS, "0"), LAYER_DATA_FORMAT, {0}};

LAYER_CLASS(Cropping1D, border_config, crop1d_fields, 1, 1, crop1d);
LAYER_CLASS(Cropping2D, border_config, crop2d_fields, 1, 1, crop2d);

static snug_status upsample1d(snug__layer_call *c) {
  const border_config *k = c->config;
  snug__repeat_params p = {1, 0};
  snug_ints size;
  snug__type x;
  SNUG_TRY(snug__layer_need_rank(c, 3, LAYER_SERIES, &x));
  SNUG_TRY(snug__layer_need_list(c, "size", &k->size, 1, 1, &size));
  p.repeats = size.v[0];
  return SNUG_EMIT(c->b->g, repeat, &p, &c->out, c->in[0]);
}

static const snug__field up1d_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(border_config, size, INTS, "2"), {0}};

LAYER_CLASS(UpSampling1D, border_config, up1d_fields, 1, 1, upsample1d);

static const char *const interpolations[] = {"nearest", "bilinear", NULL};

static const snug__field up2d_fields[] = {
    SNUG__LAYER_FIELDS,
    SNUG_FIELD(border_config, size, INTS, "2"),
    LAYER_DATA_FORMAT,
    SNUG_CHOICE(border_config, interpolation, interpolations, "nearest"),
    {0}};

static snug_status upsample2d(snug__layer_call *c) {
  const border_config *k = c->config;
  snug__resize2d_params p = {0, 0, k->interpolation};
  snug_ints size;
  snug__type x;
  SNUG_TRY(snug__layer_need_rank(c, 4, LAYER_IMAGES, &x));
  SNUG_TRY(snug__layer_need_list(c, "size", &k->size, 2, 1, &size));
  if (!snug__mul_i64(x.dim[1], size.v[0], &p.height) ||
      !snug__mul_i64(x.dim[2], size.v[1], &p.width)) {
    return snug__layer_refuse(c, "size", (double)size.v[0], "numbers that make a possible image");
  }
  return SNUG_EMIT(c->b->g, resize2d, &p, &c->out, c->in[0]);
}

LAYER_CLASS(UpSampling2D, border_config, up2d_fields, 1, 1, upsample2d);
