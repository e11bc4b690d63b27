/* conv2d and its two gradients.  All three are bilinear in their two inputs, so each is the others'
 * derivative: y = x * k, dx = dy *' k, dk = x *'' dy. */
#include "ops/conv.h"
#include "ops/support.h"

#define CONV_FIELDS SNUG__CONV_FIELDS, SNUG_FIELD(snug__conv2d_params, groups, INT, "1")

static const snug__field fields[] = {CONV_FIELDS, {0}};
static const snug__field bwd_data_fields[] = {
    CONV_FIELDS, SNUG__CONV_SHAPE_FIELD("input_shape"), {0}};
static const snug__field bwd_weights_fields[] = {
    CONV_FIELDS, SNUG__CONV_SHAPE_FIELD("kernel_shape"), {0}};

static snug_status infer(snug__infer *q) { return snug__infer_conv(q, snug__need_conv); }
static snug_status infer_bwd_data(snug__infer *q) {
  return snug__infer_conv_bwd_data(q, snug__need_conv);
}
static snug_status infer_bwd_weights(snug__infer *q) {
  return snug__infer_conv_bwd_weights(q, snug__need_conv);
}

static snug_status emit_data(snug__grad *g, snug__id dy, snug__id kernel, snug__id x,
                             snug__id *out) {
  snug__conv2d_bwd_params p = snug__conv_bwd_params(g, x);
  return SNUG_EMIT(g->g, conv2d_bwd_data, &p, out, dy, kernel);
}

static snug_status emit_weights(snug__grad *g, snug__id x, snug__id dy, snug__id kernel,
                                snug__id *out) {
  snug__conv2d_bwd_params p = snug__conv_bwd_params(g, kernel);
  return SNUG_EMIT(g->g, conv2d_bwd_weights, &p, out, x, dy);
}

static snug_status emit_forward(snug__grad *g, snug__id x, snug__id kernel, snug__id *out) {
  return SNUG_EMIT(g->g, conv2d, g->params, out, x, kernel);
}

static snug_status grad(snug__grad *g) {
  if (g->wants[0]) {
    SNUG_TRY(emit_data(g, g->dout[0], g->in[1], g->in[0], &g->din[0]));
  }
  return g->wants[1] ? emit_weights(g, g->in[0], g->dout[0], g->in[1], &g->din[1]) : SNUG_OK;
}

/* The parameters of a gradient op begin with conv2d's, so they serve in both places. */
static snug_status grad_bwd_data(snug__grad *g) {
  if (g->wants[0]) {
    SNUG_TRY(emit_forward(g, g->dout[0], g->in[1], &g->din[0]));
  }
  return g->wants[1] ? emit_weights(g, g->dout[0], g->in[0], g->in[1], &g->din[1]) : SNUG_OK;
}

static snug_status grad_bwd_weights(snug__grad *g) {
  if (g->wants[0]) {
    SNUG_TRY(emit_data(g, g->in[1], g->dout[0], g->in[0], &g->din[0]));
  }
  return g->wants[1] ? emit_forward(g, g->in[0], g->dout[0], &g->din[1]) : SNUG_OK;
}

/* x and kernel are inputs or the output, as the op has it. */
static snug_status run(const snug__call *call, const snug__type *x, const snug__type *kernel,
                       void (*loop)(const snug__conv_job *)) {
  snug__conv_job j = snug__conv_job_of(call, snug__conv_of(x, kernel, call->sig->params));
  loop(&j);
  return SNUG_OK;
}

static snug_status reference(const snug__call *call) {
  return run(call, &call->sig->in[0], &call->sig->in[1], snug__conv_forward);
}
static snug_status reference_bwd_data(const snug__call *call) {
  return run(call, &call->sig->out[0], &call->sig->in[1], snug__conv_bwd_data);
}
static snug_status reference_bwd_weights(const snug__call *call) {
  return run(call, &call->sig->in[0], &call->sig->out[0], snug__conv_bwd_weights);
}

static snug__cost cost_of(const snug__signature *s, const snug__type *x, const snug__type *kernel) {
  snug__conv c = snug__conv_of(x, kernel, s->params);
  return snug__conv_cost(&c, s);
}
static snug__cost cost(const snug__signature *s) { return cost_of(s, &s->in[0], &s->in[1]); }
static snug__cost cost_data(const snug__signature *s) { return cost_of(s, &s->out[0], &s->in[1]); }
static snug__cost cost_weights(const snug__signature *s) {
  return cost_of(s, &s->in[0], &s->out[0]);
}

const snug__op snug__op_conv2d = {.name = "conv2d",
                                  .doc = "convolution of images (x, kernel)",
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

const snug__op snug__op_conv2d_bwd_data = {.name = "conv2d_bwd_data",
                                           .doc = "gradient of conv2d's x from (dy, kernel)",
                                           .params_bytes = sizeof(snug__conv2d_bwd_params),
                                           .fields = bwd_data_fields,
                                           .min_in = 2,
                                           .max_in = 2,
                                           .min_out = 1,
                                           .max_out = 1,
                                           .infer = infer_bwd_data,
                                           .grad = grad_bwd_data,
                                           .reference = reference_bwd_data,
                                           .rewrite = snug__fold_data_gradient,
                                           .cost = cost_data};

const snug__op snug__op_conv2d_bwd_weights = {.name = "conv2d_bwd_weights",
                                              .doc = "gradient of conv2d's kernel from (x, dy)",
                                              .params_bytes = sizeof(snug__conv2d_bwd_params),
                                              .fields = bwd_weights_fields,
                                              .min_in = 2,
                                              .max_in = 2,
                                              .min_out = 1,
                                              .max_out = 1,
                                              .infer = infer_bwd_weights,
                                              .grad = grad_bwd_weights,
                                              .reference = reference_bwd_weights,
                                              .rewrite = snug__fold_weight_gradient,
                                              .cost = cost_weights};
