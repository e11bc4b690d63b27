/* depthwise_conv2d and its two gradients: records over the loops of grouped convolution. */
#include "ops/conv.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG__CONV_FIELDS, {0}};
static const snug__field bwd_data_fields[] = {
    SNUG__CONV_FIELDS, SNUG__CONV_SHAPE_FIELD("input_shape"), {0}};
static const snug__field bwd_weights_fields[] = {
    SNUG__CONV_FIELDS, SNUG__CONV_SHAPE_FIELD("kernel_shape"), {0}};

static snug_status need_conv(const snug__infer *q, const snug__type *x, const snug__type *kernel,
                             const snug__conv2d_params *p, snug__conv *out) {
  snug__conv2d_params grouped;
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  if (kernel->dim[2] != x->dim[3] || kernel->dim[2] < 1) {
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: a depthwise kernel %s is for %lld channels, but %s has %lld", q->where,
                      snug__type_text(kernel, a), (long long)kernel->dim[2], snug__type_text(x, b),
                      (long long)x->dim[3]);
  }
  snug__type flat = snug__depthwise_as_conv(kernel, p, &grouped);
  return snug__need_conv(q, x, &flat, &grouped, out);
}

static snug_status infer(snug__infer *q) { return snug__infer_conv(q, need_conv); }
static snug_status infer_bwd_data(snug__infer *q) {
  return snug__infer_conv_bwd_data(q, need_conv);
}
static snug_status infer_bwd_weights(snug__infer *q) {
  return snug__infer_conv_bwd_weights(q, need_conv);
}

static snug_status grad(snug__grad *g) {
  if (g->wants[0]) {
    snug__conv2d_bwd_params p = snug__conv_bwd_params(g, g->in[0]);
    SNUG_TRY(SNUG_EMIT(g->g, depthwise_conv2d_bwd_data, &p, &g->din[0], g->dout[0], g->in[1]));
  }
  if (g->wants[1]) {
    snug__conv2d_bwd_params p = snug__conv_bwd_params(g, g->in[1]);
    SNUG_TRY(SNUG_EMIT(g->g, depthwise_conv2d_bwd_weights, &p, &g->din[1], g->in[0], g->dout[0]));
  }
  return SNUG_OK;
}

static snug__conv conv_of(const snug__signature *s, const snug__type *x, const snug__type *kernel) {
  snug__conv2d_params grouped;
  snug__type flat = snug__depthwise_as_conv(kernel, s->params, &grouped);
  return snug__conv_of(x, &flat, &grouped);
}

static snug_status run(const snug__call *call, const snug__type *x, const snug__type *kernel,
                       void (*loop)(const snug__conv_job *)) {
  snug__conv_job j = snug__conv_job_of(call, conv_of(call->sig, x, kernel));
  loop(&j);
  return SNUG_OK;
}

static snug_status reference(const snug__call *call) {
  return run(call, &call->sig->in[0], &call->sig->in[1], snug__depthwise_forward);
}
static snug_status reference_bwd_data(const snug__call *call) {
  return run(call, &call->sig->out[0], &call->sig->in[1], snug__depthwise_bwd_data);
}
static snug_status reference_bwd_weights(const snug__call *call) {
  return run(call, &call->sig->in[0], &call->sig->out[0], snug__depthwise_bwd_weights);
}

static snug__cost cost_of(const snug__signature *s, const snug__type *x, const snug__type *kernel) {
  snug__conv c = conv_of(s, x, kernel);
  return snug__conv_cost(&c, s);
}
static snug__cost cost(const snug__signature *s) { return cost_of(s, &s->in[0], &s->in[1]); }
static snug__cost cost_data(const snug__signature *s) { return cost_of(s, &s->out[0], &s->in[1]); }
static snug__cost cost_weights(const snug__signature *s) {
  return cost_of(s, &s->in[0], &s->out[0]);
}

const snug__op snug__op_depthwise_conv2d = {.name = "depthwise_conv2d",
                                            .doc = "convolution of each channel alone (x, kernel)",
                                            .params_bytes = sizeof(snug__conv2d_params),
                                            .fields = fields,
                                            .min_in = 2,
                                            .max_in = 2,
                                            .min_out = 1,
                                            .max_out = 1,
                                            .infer = infer,
                                            .grad = grad,
                                            .reference = reference,
                                            .rewrite = snug__fuse_conv,
                                            .cost = cost};

const snug__op snug__op_depthwise_conv2d_bwd_data = {
    .name = "depthwise_conv2d_bwd_data",
    .doc = "gradient of depthwise_conv2d's x from (dy, kernel)",
    .params_bytes = sizeof(snug__conv2d_bwd_params),
    .fields = bwd_data_fields,
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_bwd_data,
    .reference = reference_bwd_data,
    .rewrite = snug__fold_data_gradient,
    .cost = cost_data};

const snug__op snug__op_depthwise_conv2d_bwd_weights = {
    .name = "depthwise_conv2d_bwd_weights",
    .doc = "gradient of depthwise_conv2d's kernel from (x, dy)",
    .params_bytes = sizeof(snug__conv2d_bwd_params),
    .fields = bwd_weights_fields,
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_bwd_weights,
    .reference = reference_bwd_weights,
    .rewrite = snug__fold_weight_gradient,
    .cost = cost_weights};
