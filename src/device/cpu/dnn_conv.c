/* The convolutions and their gradients by oneDNN: kernels over dnn.h. */
#include "device/cpu/dnn.h"
#include "device/host.h"
#include "ops/matmul.h"

/* A call in the terms of dnn.h: the three values, and where the result is one of them. */
typedef struct view {
  snug__dnn_conv conv;
  const snug__type *x, *kernel, *y;
} view;

static view start(const snug__signature *s, snug__dnn_direction direction) {
  view v = {.conv = {.direction = direction,
                     .threads = snug__threads(s),
                     .isa = snug__isa_of(s->target)}};
  switch (direction) {
    case SNUG__DNN_FORWARD:
      v.x = &s->in[0], v.kernel = &s->in[1], v.y = &s->out[0];
      break;
    case SNUG__DNN_BWD_DATA:
      v.x = &s->out[0], v.kernel = &s->in[1], v.y = &s->in[0];
      break;
    default:
      v.x = &s->in[0], v.kernel = &s->out[0], v.y = &s->in[1];
  }
  v.conv.x = v.x->layout;
  v.conv.kernel = v.kernel->layout;
  v.conv.y = v.y->layout;
  return v;
}

static view view_conv(const snug__signature *s, snug__dnn_direction direction) {
  view v = start(s, direction);
  v.conv.c = snug__conv_of(v.x, v.kernel, s->params);
  return v;
}

static view view_depthwise(const snug__signature *s, snug__dnn_direction direction) {
  view v = start(s, direction);
  snug__conv2d_params grouped;
  snug__type flat = snug__depthwise_as_conv(v.kernel, s->params, &grouped);
  v.conv.c = snug__conv_of(v.x, &flat, &grouped);
  v.conv.kind = SNUG__DNN_DEPTHWISE;
  return v;
}

static view view_transpose(const snug__signature *s, snug__dnn_direction direction) {
  view v = start(s, direction);
  snug__conv2d_params reverse = snug__conv_reverse(s->params);
  v.conv.c = snug__conv_of(v.x, v.kernel, &reverse);
  return v;
}

/* Rows are pixels: x [r,i], kernel [i,o], y [r,o]. */
static view view_matrix(const snug__signature *s, snug__dnn_direction direction) {
  view v = start(s, direction);
  const snug__window one = {1, 1, 1, 1, 1, 0};
  const snug__window rows = {v.x->dim[0], v.x->dim[0], 1, 1, 1, 0};
  v.conv.kind = SNUG__DNN_MATRIX;
  v.conv.c = (snug__conv){.batch = 1,
                          .cin = v.kernel->dim[0],
                          .cout = v.kernel->dim[1],
                          .groups = 1,
                          .h = one,
                          .w = rows};
  return v;
}

static bool has_bias(const snug__signature *s) { return s->n_in > 2 && s->in[2].dtype; }

/* Parameters begin with those of the op without bias and activation. */
static view with_epilogue(view v, const snug__signature *s, const snug__epilogue *epilogue) {
  v.conv.bias = has_bias(s);
  v.conv.epilogue = snug__epilogue_for(epilogue, SNUG_FLOAT32);
  return v;
}

static view view_conv_epilogue(const snug__signature *s, snug__dnn_direction direction) {
  const snug__conv2d_epilogue_params *p = s->params;
  return with_epilogue(view_conv(s, direction), s, &p->epilogue);
}

static view view_depthwise_epilogue(const snug__signature *s, snug__dnn_direction direction) {
  const snug__conv2d_epilogue_params *p = s->params;
  return with_epilogue(view_depthwise(s, direction), s, &p->epilogue);
}

static view view_matrix_epilogue(const snug__signature *s, snug__dnn_direction direction) {
  const snug__matmul_epilogue_params *p = s->params;
  return with_epilogue(view_matrix(s, direction), s, &p->epilogue);
}

static void set_wants(const snug__dnn_conv *c, snug__layouts *want) {
  switch (c->direction) {
    case SNUG__DNN_FORWARD:
      want->in[0] = c->x, want->in[1] = c->kernel, want->out[0] = c->y;
      break;
    case SNUG__DNN_BWD_DATA:
      want->out[0] = c->x, want->in[1] = c->kernel, want->in[0] = c->y;
      break;
    default:
      want->in[0] = c->x, want->out[0] = c->kernel, want->in[1] = c->y;
  }
}

static bool fits(view v, snug__layouts *want) {
  if (v.x->dtype != SNUG_FLOAT32 || snug__type_count(v.x) == 0 || snug__type_count(v.y) == 0 ||
      snug__type_count(v.kernel) == 0 || !snug__dnn_choose(&v.conv)) {
    return false;
  }
  set_wants(&v.conv, want);
  return true;
}

static snug_status prepare(snug_ctx *ctx, view v, snug__needs *needs, void **state) {
  snug__dnn *dnn = NULL;
  *state = NULL;
  SNUG_TRY(snug__dnn_create(ctx, &v.conv, &dnn));
  needs->scratch_bytes = snug__dnn_scratch_bytes(dnn);
  *state = dnn;
  return SNUG_OK;
}

static int64_t scratch(view v) { return snug__dnn_scratch_for(&v.conv); }

static void release(snug_ctx *ctx, void *state) { snug__dnn_destroy(ctx, state); }

static snug_status run_forward(const void *state, const snug__call *call) {
  return snug__dnn_run(state, call,
                       &(snug__dnn_args){.x = call->in[0],
                                         .kernel = call->in[1],
                                         .bias = has_bias(call->sig) ? call->in[2] : NULL,
                                         .y = call->out[0],
                                         .scratch = call->scratch});
}

static snug_status run_bwd_data(const void *state, const snug__call *call) {
  return snug__dnn_run(
      state, call,
      &(snug__dnn_args){
          .x = call->out[0], .kernel = call->in[1], .y = call->in[0], .scratch = call->scratch});
}

static snug_status run_bwd_weights(const void *state, const snug__call *call) {
  return snug__dnn_run(
      state, call,
      &(snug__dnn_args){
          .x = call->in[0], .kernel = call->out[0], .y = call->in[1], .scratch = call->scratch});
}

/* The kernel of an op: how its call is seen, and the direction in the library's and our words. */
#define DNN_KERNEL(op, view_of, DIRECTION, direction)                                            \
  static bool fits_##op(const snug__signature *sig, snug__layouts *want) {                       \
    return fits(view_of(sig, SNUG__DNN_##DIRECTION), want);                                      \
  }                                                                                              \
  static snug_status prepare_##op(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs, \
                                  void **state) {                                                \
    return prepare(ctx, view_of(sig, SNUG__DNN_##DIRECTION), needs, state);                      \
  }                                                                                              \
  static int64_t scratch_##op(const snug__signature *sig) {                                      \
    return scratch(view_of(sig, SNUG__DNN_##DIRECTION));                                         \
  }                                                                                              \
  const snug__kernel snug__kernel_dnn_##op = {"dnn_" #op,      fits_##op, prepare_##op,          \
                                              run_##direction, release,   scratch_##op}

DNN_KERNEL(conv2d, view_conv, FORWARD, forward);
DNN_KERNEL(conv2d_bwd_data, view_conv, BWD_DATA, bwd_data);
DNN_KERNEL(conv2d_bwd_weights, view_conv, BWD_WEIGHTS, bwd_weights);
DNN_KERNEL(conv2d_transpose, view_transpose, BWD_DATA, bwd_data);
DNN_KERNEL(depthwise_conv2d, view_depthwise, FORWARD, forward);
DNN_KERNEL(depthwise_conv2d_bwd_data, view_depthwise, BWD_DATA, bwd_data);
DNN_KERNEL(depthwise_conv2d_bwd_weights, view_depthwise, BWD_WEIGHTS, bwd_weights);
DNN_KERNEL(conv2d_epilogue, view_conv_epilogue, FORWARD, forward);
DNN_KERNEL(depthwise_conv2d_epilogue, view_depthwise_epilogue, FORWARD, forward);

/* The three products of a Dense layer: with weights, with weights transposed, and the gradient of
 * weights.  Smaller weights stay plain for a loop of ours. */
#define LEAST_WEIGHTS 65536

static snug__dnn_direction product_direction(const snug__signature *sig) {
  const snug__matmul_params *p = sig->params;
  return p->transpose_a   ? SNUG__DNN_BWD_WEIGHTS
         : p->transpose_b ? SNUG__DNN_BWD_DATA
                          : SNUG__DNN_FORWARD;
}

static bool fits_matmul(const snug__signature *sig, snug__layouts *want) {
  const snug__matmul_params *p = sig->params;
  if (sig->in[0].rank != 2 || (p->transpose_a && p->transpose_b)) {
    return false;
  }
  view v = view_matrix(sig, product_direction(sig));
  return snug__type_count(v.kernel) >= LEAST_WEIGHTS && fits(v, want);
}

static bool fits_matmul_epilogue(const snug__signature *sig, snug__layouts *want) {
  const snug__matmul_epilogue_params *p = sig->params;
  if (sig->in[0].rank != 2 || p->product.transpose_a || p->product.transpose_b) {
    return false;
  }
  view v = view_matrix_epilogue(sig, SNUG__DNN_FORWARD);
  return snug__type_count(v.kernel) >= LEAST_WEIGHTS && fits(v, want);
}

static snug_status prepare_matmul_epilogue(snug_ctx *ctx, const snug__signature *sig,
                                           snug__needs *needs, void **state) {
  return prepare(ctx, view_matrix_epilogue(sig, SNUG__DNN_FORWARD), needs, state);
}

const snug__kernel snug__kernel_dnn_matmul_epilogue = {
    "dnn_matmul_epilogue", fits_matmul_epilogue, prepare_matmul_epilogue, run_forward, release};

static snug_status prepare_matmul(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                                  void **state) {
  return prepare(ctx, view_matrix(sig, product_direction(sig)), needs, state);
}

static snug_status run_matmul(const void *state, const snug__call *call) {
  switch (product_direction(call->sig)) {
    case SNUG__DNN_FORWARD:
      return run_forward(state, call);
    case SNUG__DNN_BWD_DATA:
      return run_bwd_data(state, call);
    default:
      return run_bwd_weights(state, call);
  }
}

const snug__kernel snug__kernel_dnn_matmul = {"dnn_matmul", fits_matmul, prepare_matmul, run_matmul,
                                              release};
