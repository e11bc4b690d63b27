#include "dnn/describe.h"

#include <string.h>

static const dnn_way image_ways[] = {
    {dnnl_format_tag_any, dnnl_convolution_direct, true, "any"},
    {dnnl_nhwc, dnnl_convolution_direct, true, "nhwc"},
    {dnnl_nChw16c, dnnl_convolution_direct, true, "nChw16c"},
    {dnnl_nChw16c, dnnl_convolution_winograd, true, "nChw16c"},
    {dnnl_nChw8c, dnnl_convolution_direct, true, "nChw8c"},
};
static const dnn_way dense_ways[] = {
    {dnnl_format_tag_any, dnnl_convolution_direct, false, "any"},
    {dnnl_nhwc, dnnl_convolution_direct, true, "nhwc"},
};

static bool winograd_fits(const snug__conv *c) {
  return c->h.kernel == 3 && c->w.kernel == 3 && c->h.stride == 1 && c->h.dilation == 1 &&
         c->groups == 1;
}

static bool fits(const work *w, const dnn_way *way) {
  if (w->kind == WORK_CONV) {
    return way->conv == dnnl_convolution_direct || winograd_fits(&w->conv);
  }
  return way->images != dnnl_format_tag_any && way->conv == dnnl_convolution_direct;
}

const dnn_way *dnn_way_of(const work *w, int i) {
  if (w->kind == WORK_DENSE) {
    return i < 2 ? &dense_ways[i] : NULL;
  }
  for (size_t k = 0; k < sizeof image_ways / sizeof image_ways[0]; k++) {
    if (fits(w, &image_ways[k]) && i-- == 0) {
      return &image_ways[k];
    }
  }
  return NULL;
}

static void images(dnnl_memory_desc_t *md, int64_t n, int64_t c, int64_t h, int64_t w,
                   dnnl_format_tag_t tag) {
  (void)!snug__dnn_md_init(md, 4, (const dnnl_dims_t){n, c, h, w}, tag);
}

/* ---- convolution ---- */

static int64_t behind(const snug__window *w) {
  return (w->out - 1) * w->stride + (w->kernel - 1) * w->dilation + 1 - w->in - w->before;
}

static void set_windows(const snug__conv *c, snug__dnn_operation *o) {
  const snug__window *windows[] = {&c->h, &c->w};
  for (int k = 0; k < 2; k++) {
    o->strides[k] = windows[k]->stride;
    o->dilates[k] = windows[k]->dilation - 1;
    o->before[k] = windows[k]->before;
    o->behind[k] = behind(windows[k]);
  }
}

/* Images of few channels come as they are into the first layer. */
static void describe_conv(const snug__conv *c, const dnn_way *way, snug__dnn_operation *o) {
  int64_t g = c->groups;
  const dnnl_dims_t grouped = {g, c->cout / g, c->cin / g, c->h.kernel, c->w.kernel};
  const dnnl_dims_t plain = {c->cout, c->cin, c->h.kernel, c->w.kernel};
  o->algorithm = way->conv;
  images(&o->x, c->batch, c->cin, c->h.in, c->w.in, way->images);
  images(&o->y, c->batch, c->cout, c->h.out, c->w.out, way->images);
  (void)!snug__dnn_md_init(&o->kernel, g > 1 ? 5 : 4, g > 1 ? grouped : plain, dnnl_format_tag_any);
  (void)!snug__dnn_md_init(&o->bias, 1, (const dnnl_dims_t){c->cout}, dnnl_x);
  set_windows(c, o);
}

/* ---- dense ---- */

/* A matrix [n, c] seen as one image of n pixels. */
static snug__conv dense_as_conv(const snug__conv *c) {
  snug__conv wide = *c;
  wide.batch = 1;
  wide.w = (snug__window){c->batch, c->batch, 1, 1, 1, 0};
  return wide;
}

static void describe_dense(const work *w, const dnn_way *way, snug__dnn_operation *o) {
  const snug__conv *c = &w->conv;
  const snug__conv wide = dense_as_conv(c);
  if (way->as_conv) {
    describe_conv(&wide, way, o);
    return;
  }
  o->is_product = true;
  (void)!snug__dnn_md_init(&o->x, 2, (const dnnl_dims_t){c->batch, c->cin}, dnnl_format_tag_any);
  (void)!snug__dnn_md_init(&o->y, 2, (const dnnl_dims_t){c->batch, c->cout}, dnnl_format_tag_any);
  (void)!snug__dnn_md_init(&o->kernel, 2, (const dnnl_dims_t){c->cout, c->cin},
                           dnnl_format_tag_any);
  (void)!snug__dnn_md_init(&o->bias, 1, (const dnnl_dims_t){c->cout}, dnnl_x);
}

static void walk_operation(snug__dnn_walk *walk, const work *w, const dnn_way *way,
                           const_dnnl_primitive_attr_t attr, dnnl_engine_t engine,
                           const_dnnl_primitive_desc_t hint) {
  static const snug__dnn_direction directions[PASS_COUNT] = {SNUG__DNN_FORWARD, SNUG__DNN_BWD_DATA,
                                                             SNUG__DNN_BWD_WEIGHTS};
  snug__dnn_operation o = {.direction = directions[w->pass], .has_bias = w->pass != PASS_DATA};
  if (w->kind == WORK_CONV) {
    describe_conv(&w->conv, way, &o);
  } else {
    describe_dense(w, way, &o);
  }
  snug__dnn_walk_start(walk, &o, attr, engine, hint);
  snug__dnn_operation_release(&o);
}

/* ---- what is bound by memory ---- */

static unsigned norm_flags(const work *w) {
  return (unsigned)dnnl_use_scale | (unsigned)dnnl_use_shift |
         (w->function == FUNCTION_RELU ? (unsigned)dnnl_fuse_norm_relu : 0u);
}

static dnnl_alg_kind_t eltwise_of(const work *w) {
  return w->function == FUNCTION_SWISH   ? dnnl_eltwise_swish
         : w->function == FUNCTION_RELU6 ? dnnl_eltwise_clip_v2_use_dst_for_bwd
                                         : dnnl_eltwise_relu_use_dst_for_bwd;
}

static dnnl_alg_kind_t binary_of(const work *w) {
  return w->function == FUNCTION_ADD ? dnnl_binary_add : dnnl_binary_mul;
}

#define EPSILON 1e-3f

#if DNNL_VERSION_MAJOR >= 3

/* x is the image, b the second operand of a binary. */
static dnnl_status_t first(dnnl_primitive_desc_t *pd, const work *w, dnnl_memory_desc_t x,
                           dnnl_memory_desc_t b, const_dnnl_primitive_attr_t attr,
                           dnnl_engine_t engine, const_dnnl_primitive_desc_t hint) {
  const float alpha = w->function == FUNCTION_SWISH ? 1.0f : 0.0f;
  const float beta = w->function == FUNCTION_RELU6 ? 6.0f : 0.0f;
  const bool forward = w->pass == PASS_FORWARD;
  if (w->kind == WORK_NORM) {
    return forward ? dnnl_batch_normalization_forward_primitive_desc_create(
                         pd, engine, dnnl_forward_training, x, x, EPSILON, norm_flags(w), attr)
                   : dnnl_batch_normalization_backward_primitive_desc_create(
                         pd, engine, dnnl_backward, x, x, x, EPSILON, norm_flags(w), hint, attr);
  }
  if (w->kind == WORK_ELTWISE) {
    return forward ? dnnl_eltwise_forward_primitive_desc_create(
                         pd, engine, dnnl_forward_training, eltwise_of(w), x, x, alpha, beta, attr)
                   : dnnl_eltwise_backward_primitive_desc_create(pd, engine, eltwise_of(w), x, x, x,
                                                                 alpha, beta, hint, attr);
  }
  return dnnl_binary_primitive_desc_create(pd, engine, binary_of(w), x, b, x, attr);
}

static void walk_images(snug__dnn_walk *walk, const work *w, const dnnl_memory_desc_t *x,
                        const dnnl_memory_desc_t *b, const_dnnl_primitive_attr_t attr,
                        dnnl_engine_t engine, const_dnnl_primitive_desc_t hint) {
  if (first(&walk->pd, w, *x, *b, attr, engine, hint) != dnnl_success) {
    walk->pd = NULL;
  }
}

#else

static dnnl_status_t describe(snug__dnn_walk *walk, const work *w, const dnnl_memory_desc_t *x,
                              const dnnl_memory_desc_t *b) {
  const float alpha = w->function == FUNCTION_SWISH ? 1.0f : 0.0f;
  const float beta = w->function == FUNCTION_RELU6 ? 6.0f : 0.0f;
  const bool forward = w->pass == PASS_FORWARD;
  if (w->kind == WORK_NORM) {
    return forward ? dnnl_batch_normalization_forward_desc_init(
                         &walk->desc.norm, dnnl_forward_training, x, EPSILON, norm_flags(w))
                   : dnnl_batch_normalization_backward_desc_init(&walk->desc.norm, dnnl_backward, x,
                                                                 x, EPSILON, norm_flags(w));
  }
  if (w->kind == WORK_ELTWISE) {
    return forward ? dnnl_eltwise_forward_desc_init(&walk->desc.eltwise, dnnl_forward_training,
                                                    eltwise_of(w), x, alpha, beta)
                   : dnnl_eltwise_backward_desc_init(&walk->desc.eltwise, eltwise_of(w), x, x,
                                                     alpha, beta);
  }
  return dnnl_binary_desc_init(&walk->desc.binary, binary_of(w), x, b, x);
}

static void walk_images(snug__dnn_walk *walk, const work *w, const dnnl_memory_desc_t *x,
                        const dnnl_memory_desc_t *b, const_dnnl_primitive_attr_t attr,
                        dnnl_engine_t engine, const_dnnl_primitive_desc_t hint) {
  if (describe(walk, w, x, b) == dnnl_success &&
      dnnl_primitive_desc_iterator_create(&walk->iterator, &walk->desc, attr, engine, hint) ==
          dnnl_success) {
    walk->pd = dnnl_primitive_desc_iterator_fetch(walk->iterator);
  }
}

#endif

void dnn_walk_work(snug__dnn_walk *walk, const work *w, const dnn_way *way,
                   const_dnnl_primitive_attr_t attr, dnnl_engine_t engine,
                   const_dnnl_primitive_desc_t hint) {
  dnnl_memory_desc_t x, b;
  memset(walk, 0, sizeof *walk);
  if (w->kind == WORK_CONV || w->kind == WORK_DENSE) {
    walk_operation(walk, w, way, attr, engine, hint);
  } else if (w->kind != WORK_NONE) {
    images(&x, w->n, w->c, w->h, w->w, way->images);
    images(&b, w->n, w->c, w->per_image ? 1 : w->h, w->per_image ? 1 : w->w, way->images);
    walk_images(walk, w, &x, &b, attr, engine, hint);
    snug__dnn_md_release(&x);
    snug__dnn_md_release(&b);
  }
}
