/* Convolutions: plain, depthwise, separable, transposed; of images and of series. */
#include "model/layers/conv.h"

static snug__conv2d_params params_of(const snug__conv_call *v, int64_t groups) {
  snug__conv2d_params p;
  memset(&p, 0, sizeof p);
  p.strides = v->strides;
  p.dilation = v->dilation;
  p.padding = v->padding;
  p.groups = groups;
  return p;
}

/* ---- plain ---- */

#define PLAIN_FIELDS(paddings)                                                                  \
  {                                                                                             \
    SNUG__LAYER_FIELDS, CONV_FIELD(filters, INT, NULL), CONV_WINDOW_FIELDS(paddings),           \
        CONV_FIELD(groups, INT, "1"),                                                           \
        LAYER_WEIGHT_FIELDS(snug__conv_config, kernel, "glorot_uniform"), CONV_OUTPUT_FIELDS, { \
      0                                                                                         \
    }                                                                                           \
  }
static const snug__field plain1d_fields[] = PLAIN_FIELDS(snug__conv_paddings1d);
static const snug__field plain2d_fields[] = PLAIN_FIELDS(snug__padding_choices);

static snug_status check_groups(const snug__conv_call *v) {
  const snug__conv_config *k = v->k;
  SNUG_TRY(snug__layer_need_int(v->c, "filters", k->filters, 1));
  SNUG_TRY(snug__layer_need_int(v->c, "groups", k->groups, 1));
  if (v->channels % k->groups || k->filters % k->groups) {
    return snug__fail(v->c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: groups=%lld must divide the %lld channels of the input and filters=%lld",
                      v->c->layer->name, (long long)k->groups, (long long)v->channels,
                      (long long)k->filters);
  }
  return SNUG_OK;
}

static snug_status plain(snug__layer_call *c, int32_t axes) {
  snug__conv_call v;
  snug__id kernel = SNUG_NONE;
  snug__id y = SNUG_NONE;
  SNUG_TRY(snug__conv_begin(c, axes, &v));
  SNUG_TRY(check_groups(&v));
  snug__weight_spec spec = LAYER_WEIGHT_SPEC(v.k, kernel, "kernel");
  snug__conv2d_params p = params_of(&v, v.k->groups);
  SNUG_TRY(snug__conv_kernel(&v, &spec, v.channels / v.k->groups, v.k->filters, &kernel));
  SNUG_TRY(SNUG_EMIT(c->b->g, conv2d, &p, &y, v.x, kernel));
  return snug__conv_end(&v, y);
}

static snug_status plain1d(snug__layer_call *c) { return plain(c, 1); }
static snug_status plain2d(snug__layer_call *c) { return plain(c, 2); }

LAYER_CLASS(Conv1D, snug__conv_config, plain1d_fields, 1, 1, plain1d);
LAYER_CLASS(Conv2D, snug__conv_config, plain2d_fields, 1, 1, plain2d);

/* ---- depthwise ---- */

static const snug__field depthwise_fields[] = {
    SNUG__LAYER_FIELDS,
    CONV_WINDOW_FIELDS(snug__padding_choices),
    CONV_FIELD(depth_multiplier, INT, "1"),
    LAYER_WEIGHT_FIELDS(snug__conv_config, depthwise, "glorot_uniform"),
    CONV_OUTPUT_FIELDS,
    {0}};

/* The depthwise part, with a kernel of that name; also of separable convolutions. */
static snug_status depthwise_part(snug__conv_call *v, const char *name, snug__id *y) {
  snug__weight_spec spec = LAYER_WEIGHT_SPEC(v->k, depthwise, name);
  snug__conv2d_params p = params_of(v, 1);
  snug__id kernel = SNUG_NONE;
  SNUG_TRY(snug__layer_need_int(v->c, "depth_multiplier", v->k->depth_multiplier, 1));
  SNUG_TRY(snug__conv_kernel(v, &spec, v->channels, v->k->depth_multiplier, &kernel));
  return SNUG_EMIT(v->c->b->g, depthwise_conv2d, &p, y, v->x, kernel);
}

static snug_status depthwise(snug__layer_call *c, int32_t axes) {
  snug__conv_call v;
  snug__id y = SNUG_NONE;
  SNUG_TRY(snug__conv_begin(c, axes, &v));
  SNUG_TRY(depthwise_part(&v, "kernel", &y));
  return snug__conv_end(&v, y);
}

static snug_status depthwise1d(snug__layer_call *c) { return depthwise(c, 1); }
static snug_status depthwise2d(snug__layer_call *c) { return depthwise(c, 2); }

LAYER_CLASS(DepthwiseConv1D, snug__conv_config, depthwise_fields, 1, 1, depthwise1d);
LAYER_CLASS(DepthwiseConv2D, snug__conv_config, depthwise_fields, 1, 1, depthwise2d);

/* ---- separable: depthwise, then a window of 1 over all channels ---- */

static const snug__field separable_fields[] = {
    SNUG__LAYER_FIELDS,
    CONV_FIELD(filters, INT, NULL),
    CONV_WINDOW_FIELDS(snug__padding_choices),
    CONV_FIELD(depth_multiplier, INT, "1"),
    LAYER_WEIGHT_FIELDS(snug__conv_config, depthwise, "glorot_uniform"),
    LAYER_WEIGHT_FIELDS(snug__conv_config, pointwise, "glorot_uniform"),
    CONV_OUTPUT_FIELDS,
    {0}};

static snug_status separable(snug__layer_call *c, int32_t axes) {
  snug__conv_call v;
  snug__id kernel = SNUG_NONE;
  snug__id y = SNUG_NONE;
  SNUG_TRY(snug__conv_begin(c, axes, &v));
  SNUG_TRY(snug__layer_need_int(c, "filters", v.k->filters, 1));
  SNUG_TRY(depthwise_part(&v, "depthwise_kernel", &y));
  snug__weight_spec spec = LAYER_WEIGHT_SPEC(v.k, pointwise, "pointwise_kernel");
  snug__conv2d_params p = params_of(&v, 1);
  p.strides.v[0] = p.strides.v[1] = p.dilation.v[0] = p.dilation.v[1] = 1;
  SNUG_TRY(snug__conv_pointwise_kernel(&v, &spec, snug__layer_type(c, y)->dim[3], v.k->filters,
                                       &kernel));
  SNUG_TRY(SNUG_EMIT(c->b->g, conv2d, &p, &y, y, kernel));
  return snug__conv_end(&v, y);
}

static snug_status separable1d(snug__layer_call *c) { return separable(c, 1); }
static snug_status separable2d(snug__layer_call *c) { return separable(c, 2); }

LAYER_CLASS(SeparableConv1D, snug__conv_config, separable_fields, 1, 1, separable1d);
LAYER_CLASS(SeparableConv2D, snug__conv_config, separable_fields, 1, 1, separable2d);

/* ---- transposed ---- */

static const snug__field transpose_fields[] = {
    SNUG__LAYER_FIELDS,
    CONV_FIELD(filters, INT, NULL),
    CONV_WINDOW_FIELDS(snug__padding_choices),
    CONV_FIELD(output_padding, INTS, "[]"),
    LAYER_WEIGHT_FIELDS(snug__conv_config, kernel, "glorot_uniform"),
    CONV_OUTPUT_FIELDS,
    {0}};

static snug_status transpose(snug__layer_call *c, int32_t axes) {
  snug__conv2d_transpose_params p;
  snug__conv_call v;
  snug__id kernel = SNUG_NONE;
  snug__id y = SNUG_NONE;
  memset(&p, 0, sizeof p);
  SNUG_TRY(snug__conv_begin(c, axes, &v));
  SNUG_TRY(snug__layer_need_int(c, "filters", v.k->filters, 1));
  p.strides = v.strides;
  p.dilation = v.dilation;
  p.padding = v.padding;
  if (v.k->output_padding.n) {
    SNUG_TRY(snug__layer_need_list(c, "output_padding", &v.k->output_padding, axes, 0,
                                   &p.output_padding));
  }
  if (p.output_padding.n == 1) { /* of the one axis, which is the width */
    p.output_padding = (snug_ints){2, {0, p.output_padding.v[0]}};
  }
  snug__weight_spec spec = LAYER_WEIGHT_SPEC(v.k, kernel, "kernel");
  SNUG_TRY(snug__conv_kernel(&v, &spec, v.k->filters, v.channels, &kernel));
  SNUG_TRY(SNUG_EMIT(c->b->g, conv2d_transpose, &p, &y, v.x, kernel));
  return snug__conv_end(&v, y);
}

static snug_status transpose1d(snug__layer_call *c) { return transpose(c, 1); }
static snug_status transpose2d(snug__layer_call *c) { return transpose(c, 2); }

LAYER_CLASS(Conv1DTranspose, snug__conv_config, transpose_fields, 1, 1, transpose1d);
LAYER_CLASS(Conv2DTranspose, snug__conv_config, transpose_fields, 1, 1, transpose2d);
