/* What the convolution layers share.  Series are images of height 1. */
#ifndef SNUG_MODEL_LAYERS_CONV_H
#define SNUG_MODEL_LAYERS_CONV_H

#include "model/layers/support.h"
#include "ops/conv.h"

/* The configuration of all of them; each class's table tells which members it has. */
typedef struct snug__conv_config {
  snug__layer_common common;
  int64_t filters, groups, depth_multiplier;
  snug_ints kernel_size, strides, dilation_rate, output_padding;
  int32_t padding;
  bool use_bias;
  char activation[SNUG__NAME_BYTES];
  LAYER_WEIGHT_MEMBERS(kernel);
  LAYER_WEIGHT_MEMBERS(depthwise);
  LAYER_WEIGHT_MEMBERS(pointwise);
  LAYER_WEIGHT_MEMBERS(bias);
} snug__conv_config;

/* `padding` is a snug__padding; series have one more. */
enum { SNUG__CONV_CAUSAL = SNUG__PADDING_SAME + 1 };
extern const char *const snug__conv_paddings1d[];

#define CONV_FIELD(member, kind, initial) SNUG_FIELD(snug__conv_config, member, kind, initial)
#define CONV_WINDOW_FIELDS(paddings)                                                 \
  CONV_FIELD(kernel_size, INTS, NULL), CONV_FIELD(strides, INTS, "1"),               \
      SNUG_CHOICE(snug__conv_config, padding, paddings, "valid"), LAYER_DATA_FORMAT, \
      CONV_FIELD(dilation_rate, INTS, "1")
#define CONV_OUTPUT_FIELDS                                                    \
  CONV_FIELD(activation, TEXT, "linear"), CONV_FIELD(use_bias, BOOL, "true"), \
      LAYER_WEIGHT_FIELDS(snug__conv_config, bias, "zeros")

/* A call in the making: the window along height and width, and the value as images. */
typedef struct snug__conv_call {
  snug__layer_call *c;
  const snug__conv_config *k;
  int32_t axes; /* 1 or 2 */
  snug_ints kernel, strides, dilation;
  int32_t padding; /* snug__padding */
  snug__id x;      /* [batch, height, width, channels] */
  int64_t channels;
} snug__conv_call;

/* Check configuration and input, and see the input as images. */
snug_status snug__conv_begin(snug__layer_call *c, int32_t axes,
                             snug__conv_call *out) SNUG_NODISCARD;

/* A kernel weight of [window..., a, b], seen as [kh, kw, a, b]. */
snug_status snug__conv_kernel(snug__conv_call *v, const snug__weight_spec *spec, int64_t a,
                              int64_t b, snug__id *out) SNUG_NODISCARD;

/* The same with a window of 1. */
snug_status snug__conv_pointwise_kernel(snug__conv_call *v, const snug__weight_spec *spec,
                                        int64_t a, int64_t b, snug__id *out) SNUG_NODISCARD;

/* Add the bias, see y as the layer's input was, and apply the activation. */
snug_status snug__conv_end(snug__conv_call *v, snug__id y) SNUG_NODISCARD;

#endif
