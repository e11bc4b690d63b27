#include "device/host.h"
#include "ops/conv.h"
#include "ops/support.h"

snug_status snug__need_images(const snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank(q, 0, 4));
  SNUG_TRY(snug__need_dtype_of(q, 1, 0));
  return snug__need_rank(q, 1, 4);
}

snug__conv2d_bwd_params snug__conv_bwd_params(const snug__grad *g, snug__id like) {
  snug__conv2d_bwd_params p;
  memset(&p, 0, sizeof p);
  memcpy(&p.conv, g->params, sizeof p.conv);
  p.shape = snug__shape_param(snug__type_at(g->g, like));
  return p;
}

snug__conv snug__conv_of(const snug__type *x, const snug__type *kernel,
                         const snug__conv2d_params *p) {
  return (snug__conv){.batch = x->dim[0],
                      .cin = x->dim[3],
                      .cout = kernel->dim[3],
                      .groups = p->groups,
                      .h = snug__window_of(x->dim[1], kernel->dim[0], p->strides.v[0],
                                           p->dilation.v[0], p->padding),
                      .w = snug__window_of(x->dim[2], kernel->dim[1], p->strides.v[1],
                                           p->dilation.v[1], p->padding)};
}

static snug_status need_channels(const snug__infer *q, const snug__type *x,
                                 const snug__type *kernel, int64_t groups) {
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  if (groups < 1 || x->dim[3] % groups || kernel->dim[3] % groups) {
    return snug__fail(
        q->ctx, SNUG_E_ARGUMENT,
        "%s: groups=%lld must be positive and divide the %lld channels in and the %lld out",
        q->where, (long long)groups, (long long)x->dim[3], (long long)kernel->dim[3]);
  }
  if (kernel->dim[2] != x->dim[3] / groups) {
    return snug__fail(
        q->ctx, SNUG_E_SHAPE,
        "%s: a kernel %s takes %lld channels per group, but %s in %lld groups has %lld", q->where,
        snug__type_text(kernel, b), (long long)kernel->dim[2], snug__type_text(x, a),
        (long long)groups, (long long)(x->dim[3] / groups));
  }
  return SNUG_OK;
}

static snug_status need_steps(const snug__infer *q, const snug__conv2d_params *p) {
  SNUG_TRY(snug__need_pair(q, "strides", &p->strides));
  SNUG_TRY(snug__need_pair(q, "dilation", &p->dilation));
  if ((p->strides.v[0] > 1 || p->strides.v[1] > 1) &&
      (p->dilation.v[0] > 1 || p->dilation.v[1] > 1)) {
    return snug__fail(
        q->ctx, SNUG_E_ARGUMENT,
        "%s: strides=[%lld,%lld] together with dilation=[%lld,%lld]: one of them must be [1,1]",
        q->where, (long long)p->strides.v[0], (long long)p->strides.v[1],
        (long long)p->dilation.v[0], (long long)p->dilation.v[1]);
  }
  return SNUG_OK;
}

snug_status snug__need_conv(const snug__infer *q, const snug__type *x, const snug__type *kernel,
                            const snug__conv2d_params *p, snug__conv *out) {
  SNUG_TRY(need_steps(q, p));
  SNUG_TRY(need_channels(q, x, kernel, p->groups));
  *out = (snug__conv){
      .batch = x->dim[0], .cin = x->dim[3], .cout = kernel->dim[3], .groups = p->groups};
  snug__window h = {x->dim[1], 0, kernel->dim[0], p->strides.v[0], p->dilation.v[0], 0};
  snug__window w = {x->dim[2], 0, kernel->dim[1], p->strides.v[1], p->dilation.v[1], 0};
  SNUG_TRY(snug__need_window(q, "height", h, p->padding, &out->h));
  return snug__need_window(q, "width", w, p->padding, &out->w);
}

snug_status snug__infer_conv(snug__infer *q, snug__conv_check *check) {
  snug__conv c;
  SNUG_TRY(snug__need_images(q));
  SNUG_TRY(check(q, &q->in[0], &q->in[1], q->params, &c));
  const int64_t dim[] = {c.batch, c.h.out, c.w.out, c.cout};
  q->out[0] = snug__type_of(q->in[0].dtype, 4, dim);
  return SNUG_OK;
}

snug_status snug__infer_conv_bwd_data(snug__infer *q, snug__conv_check *check) {
  const snug__conv2d_bwd_params *p = q->params;
  snug__conv c;
  SNUG_TRY(snug__need_images(q));
  SNUG_TRY(snug__need_shape4(q, "input_shape", &p->shape, q->in[0].dtype, &q->out[0]));
  SNUG_TRY(check(q, &q->out[0], &q->in[1], &p->conv, &c));
  return snug__need_output(q, 0, c.batch, c.h.out, c.w.out, c.cout);
}

snug_status snug__infer_conv_bwd_weights(snug__infer *q, snug__conv_check *check) {
  const snug__conv2d_bwd_params *p = q->params;
  snug__conv c;
  SNUG_TRY(snug__need_images(q));
  SNUG_TRY(snug__need_shape4(q, "kernel_shape", &p->shape, q->in[0].dtype, &q->out[0]));
  SNUG_TRY(check(q, &q->in[0], &q->out[0], &p->conv, &c));
  return snug__need_output(q, 1, c.batch, c.h.out, c.w.out, c.cout);
}

snug__conv_job snug__conv_job_of(const snug__call *call, snug__conv c) {
  return (snug__conv_job){.c = c,
                          .dtype = call->sig->in[0].dtype,
                          .a = call->in[0],
                          .b = call->in[1],
                          .out = call->out[0],
                          .threads = snug__threads(call->sig)};
}

snug__type snug__depthwise_as_conv(const snug__type *kernel, const snug__conv2d_params *p,
                                   snug__conv2d_params *grouped) {
  snug__type flat = *kernel;
  flat.dim[2] = 1;
  flat.dim[3] = kernel->dim[2] * kernel->dim[3];
  *grouped = *p;
  grouped->groups = kernel->dim[2];
  return flat;
}

double snug__conv_macs(const snug__conv *c) {
  int64_t depth = c->cin / c->groups; /* divides evenly */
  double taps = (double)(c->h.kernel * c->w.kernel) * (double)depth;
  return (double)c->batch * (double)(c->h.out * c->w.out) * (double)c->cout * taps;
}

snug__cost snug__conv_cost(const snug__conv *c, const snug__signature *sig) {
  return (snug__cost){2.0 * snug__conv_macs(c), snug__bytes_moved(sig)};
}
