/* conv2d_transpose: what a convolution of stride s does to sizes, undone.  Pixel i adds
 * x[i] * kernel at i * s of the output; that is the data gradient of the convolution with the same
 * kernel, strides and padding whose input is our output, and so are its own gradients. */
#include "ops/conv.h"
#include "ops/support.h"

static const snug__field fields[] = {
    SNUG_FIELD(snug__conv2d_transpose_params, strides, INTS, "[1,1]"),
    SNUG_FIELD(snug__conv2d_transpose_params, dilation, INTS, "[1,1]"),
    SNUG_CHOICE(snug__conv2d_transpose_params, padding, snug__padding_choices, "valid"),
    SNUG_FIELD(snug__conv2d_transpose_params, output_padding, INTS, "[]"),
    {0}};

snug__conv2d_params snug__conv_reverse(const snug__conv2d_transpose_params *p) {
  snug__conv2d_params conv;
  memset(&conv, 0, sizeof conv);
  conv.strides = p->strides;
  conv.dilation = p->dilation;
  conv.padding = p->padding;
  conv.groups = 1;
  return conv;
}

/* Output size along axis k (0: height); w holds our input as `out`.  All numbers are small. */
static int64_t output_size(const snug__conv2d_transpose_params *p, int32_t k,
                           const snug__window *w) {
  int64_t reach = (w->kernel - 1) * w->dilation + 1;
  bool same = p->padding == SNUG__PADDING_SAME;
  if (w->out == 0) {
    return 0;
  }
  if (p->output_padding.n) {
    return (w->out - 1) * w->stride + reach - (same ? reach / 2 * 2 : 0) + p->output_padding.v[k];
  }
  return w->out * w->stride + (same ? 0 : snug__max_i64(reach - w->stride, 0));
}

static snug_status need_size(const snug__infer *q, int32_t k, int64_t *out) {
  const snug__conv2d_transpose_params *p = q->params;
  const char *axis = k ? "width" : "height";
  /* As an input of any size: it checks the numbers that the formula takes. */
  snug__window w = {q->in[0].dim[1 + k], 0, q->in[1].dim[k], p->strides.v[k], p->dilation.v[k], 0};
  SNUG_TRY(snug__need_window(q, axis, w, SNUG__PADDING_SAME, &w));
  w.out = w.in;
  *out = output_size(p, k, &w);
  return SNUG_OK;
}

static snug_status need_output_padding(const snug__infer *q) {
  const snug__conv2d_transpose_params *p = q->params;
  if (p->output_padding.n == 0) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__need_pair(q, "output_padding", &p->output_padding));
  for (int32_t k = 0; k < 2; k++) {
    if (p->output_padding.v[k] < 0 || p->output_padding.v[k] >= p->strides.v[k]) {
      return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                        "%s: output_padding %lld must be at least 0 and less than the stride %lld",
                        q->where, (long long)p->output_padding.v[k], (long long)p->strides.v[k]);
    }
  }
  return SNUG_OK;
}

static snug_status infer(snug__infer *q) {
  const snug__conv2d_transpose_params *p = q->params;
  snug__conv2d_params conv = snug__conv_reverse(p);
  int64_t dim[4] = {0};
  snug__conv c;
  SNUG_TRY(snug__need_images(q));
  SNUG_TRY(snug__need_pair(q, "strides", &p->strides));
  SNUG_TRY(snug__need_pair(q, "dilation", &p->dilation));
  SNUG_TRY(need_output_padding(q));
  dim[0] = q->in[0].dim[0];
  dim[3] = q->in[1].dim[2];
  SNUG_TRY(need_size(q, 0, &dim[1]));
  SNUG_TRY(need_size(q, 1, &dim[2]));
  q->out[0] = snug__type_of(q->in[0].dtype, 4, dim);
  SNUG_TRY(snug__need_conv(q, &q->out[0], &q->in[1], &conv, &c));
  return snug__need_output(q, 0, c.batch, c.h.out, c.w.out, c.cout);
}

static snug_status grad(snug__grad *g) {
  snug__conv2d_params conv = snug__conv_reverse(g->params);
  if (g->wants[0]) {
    SNUG_TRY(SNUG_EMIT(g->g, conv2d, &conv, &g->din[0], g->dout[0], g->in[1]));
  }
  if (g->wants[1]) {
    snug__conv2d_bwd_params p;
    memset(&p, 0, sizeof p);
    p.conv = conv;
    p.shape = snug__shape_param(snug__type_at(g->g, g->in[1]));
    SNUG_TRY(SNUG_EMIT(g->g, conv2d_bwd_weights, &p, &g->din[1], g->dout[0], g->in[0]));
  }
  return SNUG_OK;
}

static snug__conv conv_of(const snug__signature *s) {
  snug__conv2d_params conv = snug__conv_reverse(s->params);
  return snug__conv_of(&s->out[0], &s->in[1], &conv);
}

static snug_status reference(const snug__call *call) {
  snug__conv_job j = snug__conv_job_of(call, conv_of(call->sig));
  snug__conv_bwd_data(&j);
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  snug__conv c = conv_of(sig);
  return snug__conv_cost(&c, sig);
}

const snug__op snug__op_conv2d_transpose = {.name = "conv2d_transpose",
                                            .doc = "transposed convolution of images (x, kernel)",
                                            .params_bytes = sizeof(snug__conv2d_transpose_params),
                                            .fields = fields,
                                            .min_in = 2,
                                            .max_in = 2,
                                            .min_out = 1,
                                            .max_out = 1,
                                            .infer = infer,
                                            .grad = grad,
                                            .reference = reference,
                                            .cost = cost};
