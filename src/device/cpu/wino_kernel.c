/* The 3x3 convolution and its gradients by Winograd's way, where it pays: kernels over wino.h.
 *
 * All three work on one layout of the kernel, the forward's, so that no gradient waits for a
 * reorder. */
#include <math.h>

#include "base/size.h"
#include "device/cpu/wino.h"
#include "device/device.h"
#include "device/host.h"
#include "ops/conv.h"

#define LEAST_CHANNELS 16  /* with fewer the transforms cost as much as the products save */
#define MOST_CHANNELS 1024 /* scratch grows with them */
#define LEAST_TILES 16     /* with fewer the kernel's transform does */

/* A call in the terms of wino.h; the result is one of the three. */
typedef struct view {
  snug__wino_way way;
  const snug__type *x, *kernel, *y;
  snug__conv c;
} view;

static view view_of(const snug__signature *s, snug__wino_way way) {
  view v = {.way = way, .x = &s->in[0], .kernel = &s->in[1], .y = &s->out[0]};
  if (way == SNUG__WINO_BACKWARD_DATA) {
    v.x = &s->out[0], v.y = &s->in[0];
  } else if (way == SNUG__WINO_BACKWARD_WEIGHTS) {
    v.kernel = &s->out[0], v.y = &s->in[1];
  }
  v.c = snug__conv_of(v.x, v.kernel, s->params);
  return v;
}

static snug__wino_shape shape_of(const view *v, int32_t threads) {
  const snug__conv *c = &v->c;
  return (snug__wino_shape){.n = c->batch,
                            .ci = c->cin,
                            .h = c->h.in,
                            .w = c->w.in,
                            .co = c->cout,
                            .oh = c->h.out,
                            .ow = c->w.out,
                            .pad_top = (int32_t)c->h.before,
                            .pad_left = (int32_t)c->w.before,
                            .threads = threads < 0 ? -threads : threads};
}

static bool is_three(const snug__window *w) {
  return w->kernel == 3 && w->stride == 1 && w->dilation == 1;
}

static bool is_many(int64_t channels) {
  return channels >= LEAST_CHANNELS && channels <= MOST_CHANNELS;
}

/* The tiles are those of what is cut into tiles. */
static bool pays(const view *v) {
  const bool of_x = v->way == SNUG__WINO_BACKWARD_DATA;
  const int64_t h = of_x ? v->c.h.in : v->c.h.out;
  const int64_t w = of_x ? v->c.w.in : v->c.w.out;
  return is_many(v->c.cin) && is_many(v->c.cout) &&
         v->c.batch * snug__ceil_div(h, 4) * snug__ceil_div(w, 4) >= LEAST_TILES;
}

static void set_wants(const view *v, int32_t lanes, snug__layouts *want) {
  const snug__layout images = lanes == 16 ? SNUG__LAYOUT_NCHW16C : SNUG__LAYOUT_NCHW8C;
  const snug__layout kernel = lanes == 16 ? SNUG__LAYOUT_OIHW16I16O : SNUG__LAYOUT_OIHW8I8O;
  const bool makes_kernel = v->way == SNUG__WINO_BACKWARD_WEIGHTS;
  want->in[0] = images;
  want->in[1] = makes_kernel ? images : kernel;
  want->out[0] = makes_kernel ? kernel : images;
}

static bool fits(const snug__signature *sig, snug__wino_way way, snug__layouts *want) {
  const snug__wino *wino = snug__wino_of(snug__isa_of(sig->target));
  const view v = view_of(sig, way);
  if (!wino || v.x->dtype != SNUG_FLOAT32 || v.c.groups != 1 || !is_three(&v.c.h) ||
      !is_three(&v.c.w) || !pays(&v)) {
    return false;
  }
  set_wants(&v, wino->lanes, want);
  return true;
}

static int64_t scratch(const snug__signature *sig, snug__wino_way way) {
  const view v = view_of(sig, way);
  const snug__wino_shape s = shape_of(&v, snug__threads(sig));
  return snug__wino_of(snug__isa_of(sig->target))->scratch(&s, way);
}

static const snug__wino_finish nothing = {NULL, -INFINITY, INFINITY};

static snug__wino_finish finish_of(const snug__call *call) {
  const snug__conv2d_epilogue_params *p = call->sig->params;
  const snug__epilogue epilogue = snug__epilogue_for(&p->epilogue, SNUG_FLOAT32);
  const bool relu = epilogue.activation == SNUG__RELU;
  return (snug__wino_finish){call->sig->n_in > 2 ? call->in[2] : NULL, relu ? 0.0F : -INFINITY,
                             relu ? (float)epilogue.max_value : INFINITY};
}

static snug_status run_forward(const snug__call *call, const snug__wino_finish *finish) {
  const view v = view_of(call->sig, SNUG__WINO_FORWARD);
  const snug__wino_shape s = shape_of(&v, snug__threads(call->sig));
  snug__wino_of(snug__isa_of(call->sig->target))
      ->forward(&s, call->in[0], call->in[1], finish, call->out[0], call->scratch);
  return SNUG_OK;
}

static snug_status run_conv2d(const void *state, const snug__call *call) {
  (void)state;
  return run_forward(call, &nothing);
}

static snug_status run_conv2d_epilogue(const void *state, const snug__call *call) {
  const snug__wino_finish finish = finish_of(call);
  (void)state;
  return run_forward(call, &finish);
}

static snug_status run_conv2d_bwd_data(const void *state, const snug__call *call) {
  const view v = view_of(call->sig, SNUG__WINO_BACKWARD_DATA);
  const snug__wino_shape s = shape_of(&v, snug__threads(call->sig));
  (void)state;
  snug__wino_of(snug__isa_of(call->sig->target))
      ->backward_data(&s, call->in[0], call->in[1], call->out[0], call->scratch);
  return SNUG_OK;
}

static snug_status run_conv2d_bwd_weights(const void *state, const snug__call *call) {
  const view v = view_of(call->sig, SNUG__WINO_BACKWARD_WEIGHTS);
  const snug__wino_shape s = shape_of(&v, snug__threads(call->sig));
  (void)state;
  snug__wino_of(snug__isa_of(call->sig->target))
      ->backward_weights(&s, call->in[0], call->in[1], call->out[0], call->scratch);
  return SNUG_OK;
}

static bool fits_conv2d(const snug__signature *sig, snug__layouts *want) {
  return fits(sig, SNUG__WINO_FORWARD, want);
}

static bool fits_conv2d_epilogue(const snug__signature *sig, snug__layouts *want) {
  const snug__conv2d_epilogue_params *p = sig->params;
  return p->epilogue.activation != SNUG__SWISH && fits(sig, SNUG__WINO_FORWARD, want);
}

static bool fits_conv2d_bwd_data(const snug__signature *sig, snug__layouts *want) {
  return fits(sig, SNUG__WINO_BACKWARD_DATA, want);
}

static bool fits_conv2d_bwd_weights(const snug__signature *sig, snug__layouts *want) {
  return fits(sig, SNUG__WINO_BACKWARD_WEIGHTS, want);
}

#define WINO_KERNEL(op, WAY)                                                                     \
  static snug_status prepare_##op(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs, \
                                  void **state) {                                                \
    (void)ctx;                                                                                   \
    needs->scratch_bytes = scratch(sig, SNUG__WINO_##WAY);                                       \
    *state = NULL;                                                                               \
    return SNUG_OK;                                                                              \
  }                                                                                              \
  static int64_t scratch_##op(const snug__signature *sig) {                                      \
    return scratch(sig, SNUG__WINO_##WAY);                                                       \
  }                                                                                              \
  const snug__kernel snug__kernel_wino_##op = {"wino_" #op, fits_##op, prepare_##op,             \
                                               run_##op,    NULL,      scratch_##op}

WINO_KERNEL(conv2d, FORWARD);
WINO_KERNEL(conv2d_epilogue, FORWARD);
WINO_KERNEL(conv2d_bwd_data, BACKWARD_DATA);
WINO_KERNEL(conv2d_bwd_weights, BACKWARD_WEIGHTS);
