#include "model/layers/conv.h"

const char *const snug__conv_paddings1d[] = {"valid", "same", "causal", NULL};

/* A list of the configuration as numbers for height and width. */
static snug_status window_list(snug__conv_call *v, const char *key, const snug_ints *list,
                               snug_ints *out) {
  SNUG_TRY(snug__layer_need_list(v->c, key, list, v->axes, 1, out));
  if (v->axes == 1) {
    out->v[1] = out->v[0];
    out->v[0] = 1;
    out->n = 2;
  }
  return SNUG_OK;
}

/* Causal: an output sees nothing behind it; all padding stands in front. */
static snug_status pad_causal(snug__conv_call *v) {
  snug__pad_params p;
  memset(&p, 0, sizeof p);
  p.before.n = p.after.n = 4;
  if (!snug__mul_i64(v->dilation.v[1], v->kernel.v[1] - 1, &p.before.v[2])) {
    return snug__layer_refuse(v->c, "dilation_rate", (double)v->dilation.v[1], "less");
  }
  return SNUG_EMIT(v->c->b->g, pad, &p, &v->x, v->x);
}

snug_status snug__conv_begin(snug__layer_call *c, int32_t axes, snug__conv_call *v) {
  const snug__conv_config *k = c->config;
  snug__type x;
  *v = (snug__conv_call){.c = c, .k = k, .axes = axes, .x = c->in[0]};
  v->padding = k->padding == SNUG__CONV_CAUSAL ? SNUG__PADDING_VALID : k->padding;
  SNUG_TRY(snug__layer_need_rank(c, axes + 2, axes == 1 ? LAYER_SERIES : LAYER_IMAGES, &x));
  SNUG_TRY(window_list(v, "kernel_size", &k->kernel_size, &v->kernel));
  SNUG_TRY(window_list(v, "strides", &k->strides, &v->strides));
  SNUG_TRY(window_list(v, "dilation_rate", &k->dilation_rate, &v->dilation));
  v->channels = x.dim[axes + 1];
  if (axes == 1) {
    SNUG_TRY(
        snug__layer_reshape(c, v->x, 4, (const int64_t[]){x.dim[0], 1, x.dim[1], x.dim[2]}, &v->x));
  }
  return k->padding == SNUG__CONV_CAUSAL ? pad_causal(v) : SNUG_OK;
}

static snug_status kernel_of(snug__conv_call *v, const snug__weight_spec *spec, int64_t height,
                             int64_t width, int64_t a, int64_t b, snug__id *out) {
  const int64_t full[] = {height, width, a, b};
  snug__type own = v->axes == 2 ? snug__type_of(v->c->b->real, 4, full)
                                : snug__type_of(v->c->b->real, 3, full + 1);
  SNUG_TRY(snug__layer_weight(v->c, spec, own, out));
  return snug__layer_reshape(v->c, *out, 4, full, out);
}

snug_status snug__conv_kernel(snug__conv_call *v, const snug__weight_spec *spec, int64_t a,
                              int64_t b, snug__id *out) {
  return kernel_of(v, spec, v->kernel.v[0], v->kernel.v[1], a, b, out);
}

snug_status snug__conv_pointwise_kernel(snug__conv_call *v, const snug__weight_spec *spec,
                                        int64_t a, int64_t b, snug__id *out) {
  return kernel_of(v, spec, 1, 1, a, b, out);
}

static snug_status add_bias(snug__conv_call *v, snug__id *y) {
  const snug__type *t = snug__layer_type(v->c, *y);
  snug__weight_spec spec = LAYER_WEIGHT_SPEC(v->k, bias, "bias");
  snug__id bias = SNUG_NONE;
  SNUG_TRY(snug__layer_weight(v->c, &spec, snug__type_of(v->c->b->real, 1, &t->dim[t->rank - 1]),
                              &bias));
  return SNUG_EMIT(v->c->b->g, add, NULL, y, *y, bias);
}

snug_status snug__conv_end(snug__conv_call *v, snug__id y) {
  if (v->axes == 1) {
    const snug__type *t = snug__layer_type(v->c, y);
    SNUG_TRY(
        snug__layer_reshape(v->c, y, 3, (const int64_t[]){t->dim[0], t->dim[2], t->dim[3]}, &y));
  }
  if (v->k->use_bias) {
    SNUG_TRY(add_bias(v, &y));
  }
  return snug__emit_activation(v->c->b, v->c->layer->name, v->k->activation, y, &v->c->out);
}
