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

static dnnl_memory_desc_t desc(int rank, const dnnl_dims_t dims, dnnl_format_tag_t tag) {
  dnnl_memory_desc_t md;
  memset(&md, 0, sizeof md);
  (void)dnnl_memory_desc_init_by_tag(&md, rank, dims, dnnl_f32, tag);
  return md;
}

static dnnl_memory_desc_t images(int64_t n, int64_t c, int64_t h, int64_t w,
                                 dnnl_format_tag_t tag) {
  return desc(4, (const dnnl_dims_t){n, c, h, w}, tag);
}

/* ---- convolution ---- */

typedef struct conv_parts {
  dnnl_memory_desc_t src, weights, bias, dst;
  dnnl_dims_t strides, dilates, left, right;
} conv_parts;

static int64_t behind(const snug__window *w) {
  return (w->out - 1) * w->stride + (w->kernel - 1) * w->dilation + 1 - w->in - w->before;
}

static void set_windows(const snug__conv *c, conv_parts *p) {
  const snug__window *windows[] = {&c->h, &c->w};
  for (int k = 0; k < 2; k++) {
    p->strides[k] = windows[k]->stride;
    p->dilates[k] = windows[k]->dilation - 1;
    p->left[k] = windows[k]->before;
    p->right[k] = behind(windows[k]);
  }
}

static conv_parts parts_of(const snug__conv *c, dnnl_format_tag_t tag) {
  conv_parts p;
  int64_t g = c->groups;
  const dnnl_dims_t grouped = {g, c->cout / g, c->cin / g, c->h.kernel, c->w.kernel};
  const dnnl_dims_t plain = {c->cout, c->cin, c->h.kernel, c->w.kernel};
  memset(&p, 0, sizeof p);
  p.src = images(c->batch, c->cin, c->h.in, c->w.in, tag);
  p.dst = images(c->batch, c->cout, c->h.out, c->w.out, tag);
  p.weights = desc(g > 1 ? 5 : 4, g > 1 ? grouped : plain, dnnl_format_tag_any);
  p.bias = desc(1, (const dnnl_dims_t){c->cout}, dnnl_x);
  set_windows(c, &p);
  return p;
}

/* Images of few channels come as they are into the first layer. */
static bool describe_conv(const snug__conv *c, work_pass pass, const dnn_way *way,
                          dnnl_convolution_desc_t *out) {
  conv_parts p = parts_of(c, way->images);
  dnnl_status_t s;
  if (pass == PASS_FORWARD) {
    s = dnnl_dilated_convolution_forward_desc_init(out, dnnl_forward_training, way->conv, &p.src,
                                                   &p.weights, &p.bias, &p.dst, p.strides,
                                                   p.dilates, p.left, p.right);
  } else if (pass == PASS_DATA) {
    s = dnnl_dilated_convolution_backward_data_desc_init(out, way->conv, &p.src, &p.weights, &p.dst,
                                                         p.strides, p.dilates, p.left, p.right);
  } else {
    s = dnnl_dilated_convolution_backward_weights_desc_init(
        out, way->conv, &p.src, &p.weights, &p.bias, &p.dst, p.strides, p.dilates, p.left, p.right);
  }
  return s == dnnl_success;
}

/* ---- dense ---- */

/* A matrix [n, c] seen as one image of n pixels. */
static snug__conv dense_as_conv(const snug__conv *c) {
  snug__conv wide = *c;
  wide.batch = 1;
  wide.w = (snug__window){c->batch, c->batch, 1, 1, 1, 0};
  return wide;
}

static bool describe_dense(const work *w, const dnn_way *way, dnn_desc *out) {
  const snug__conv wide = dense_as_conv(&w->conv);
  const dnnl_dims_t src_dims = {w->conv.batch, w->conv.cin};
  const dnnl_dims_t dst_dims = {w->conv.batch, w->conv.cout};
  const dnnl_dims_t weight_dims = {w->conv.cout, w->conv.cin};
  dnnl_memory_desc_t src = desc(2, src_dims, dnnl_format_tag_any);
  dnnl_memory_desc_t dst = desc(2, dst_dims, dnnl_format_tag_any);
  dnnl_memory_desc_t weights = desc(2, weight_dims, dnnl_format_tag_any);
  dnnl_memory_desc_t bias = desc(1, weight_dims, dnnl_x);
  dnnl_status_t s;
  if (way->as_conv) {
    return describe_conv(&wide, w->pass, way, &out->conv);
  }
  if (w->pass == PASS_FORWARD) {
    s = dnnl_inner_product_forward_desc_init(&out->dense, dnnl_forward_training, &src, &weights,
                                             &bias, &dst);
  } else if (w->pass == PASS_DATA) {
    s = dnnl_inner_product_backward_data_desc_init(&out->dense, &src, &weights, &dst);
  } else {
    s = dnnl_inner_product_backward_weights_desc_init(&out->dense, &src, &weights, &bias, &dst);
  }
  return s == dnnl_success;
}

/* ---- what is bound by memory ---- */

static bool describe_norm(const work *w, const dnn_way *way, dnnl_batch_normalization_desc_t *out) {
  dnnl_memory_desc_t x = images(w->n, w->c, w->h, w->w, way->images);
  unsigned flags = dnnl_use_scale | dnnl_use_shift;
  flags |= w->function == FUNCTION_RELU ? dnnl_fuse_norm_relu : 0u;
  return (w->pass == PASS_FORWARD ? dnnl_batch_normalization_forward_desc_init(
                                        out, dnnl_forward_training, &x, 1e-3f, flags)
                                  : dnnl_batch_normalization_backward_desc_init(
                                        out, dnnl_backward, &x, &x, 1e-3f, flags)) == dnnl_success;
}

static bool describe_eltwise(const work *w, const dnn_way *way, dnnl_eltwise_desc_t *out) {
  dnnl_memory_desc_t x = images(w->n, w->c, w->h, w->w, way->images);
  dnnl_alg_kind_t alg = w->function == FUNCTION_SWISH   ? dnnl_eltwise_swish
                        : w->function == FUNCTION_RELU6 ? dnnl_eltwise_clip_v2_use_dst_for_bwd
                                                        : dnnl_eltwise_relu_use_dst_for_bwd;
  float alpha = w->function == FUNCTION_SWISH ? 1.0f : 0.0f;
  float beta = w->function == FUNCTION_RELU6 ? 6.0f : 0.0f;
  return (w->pass == PASS_FORWARD
              ? dnnl_eltwise_forward_desc_init(out, dnnl_forward_training, alg, &x, alpha, beta)
              : dnnl_eltwise_backward_desc_init(out, alg, &x, &x, alpha, beta)) == dnnl_success;
}

static bool describe_binary(const work *w, const dnn_way *way, dnnl_binary_desc_t *out) {
  dnnl_memory_desc_t a = images(w->n, w->c, w->h, w->w, way->images);
  dnnl_memory_desc_t b =
      images(w->n, w->c, w->per_image ? 1 : w->h, w->per_image ? 1 : w->w, way->images);
  dnnl_alg_kind_t alg = w->function == FUNCTION_ADD ? dnnl_binary_add : dnnl_binary_mul;
  return dnnl_binary_desc_init(out, alg, &a, &b, &a) == dnnl_success;
}

bool dnn_describe(const work *w, const dnn_way *way, dnn_desc *out) {
  switch (w->kind) {
    case WORK_CONV:
      return describe_conv(&w->conv, w->pass, way, &out->conv);
    case WORK_DENSE:
      return describe_dense(w, way, out);
    case WORK_NORM:
      return describe_norm(w, way, &out->norm);
    case WORK_ELTWISE:
      return describe_eltwise(w, way, &out->eltwise);
    case WORK_BINARY:
      return describe_binary(w, way, &out->binary);
    case WORK_NONE:
      break;
  }
  return false;
}
