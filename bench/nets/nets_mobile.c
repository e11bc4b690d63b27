/* Networks of inverted residuals: MobileNetV2, EfficientNetB0. */
#include "nets/layers.h"

/* One row of their tables: `repeats` blocks, the first of which has the stride. */
typedef struct stage {
  int kernel, repeats, expansion, filters, strides;
} stage;

/* How the two write the same block. */
typedef struct style {
  const char *activation_class, *activation; /* of the layer behind a normalization */
  const char *norm;
  const char *conv, *depthwise; /* initializers of the kernels */
  bool excites;                 /* squeeze and excite; drop connect */
} style;

static snug_tensor norm(snug_model *m, snug_tensor x, const style *s) {
  return add_layer(m, x, "BatchNormalization", "%s", s->norm);
}

static snug_tensor activate(snug_model *m, snug_tensor x, const style *s) {
  return add_layer(m, x, s->activation_class, "%s", s->activation);
}

static snug_tensor conv_norm(snug_model *m, snug_tensor x, int64_t filters, const style *s) {
  x = add_layer(m, x, "Conv2D", "filters=%lld kernel_size=1 padding=same use_bias=false %s",
                (long long)filters, s->conv);
  return norm(m, x, s);
}

static snug_tensor depthwise(snug_model *m, snug_tensor x, const stage *g, int strides,
                             const style *s) {
  x = strides > 1 ? add_stride_padding(m, x, g->kernel) : x;
  x = add_layer(m, x, "DepthwiseConv2D", "kernel_size=%d strides=%d padding=%s use_bias=false %s",
                g->kernel, strides, strides > 1 ? "valid" : "same", s->depthwise);
  return activate(m, norm(m, x, s), s);
}

/* Weigh the channels with what their means say; the narrow layer has a quarter of the channels that
 * the block began with. */
static snug_tensor excite(snug_model *m, snug_tensor x, int64_t begin, const style *s) {
  long long wide = channels_of(m, x);
  snug_tensor y = add_layer(m, add_pooled(m, x), "Reshape", "target_shape=[1,1,%lld]", wide);
  y = add_layer(m, y, "Conv2D", "filters=%lld kernel_size=1 padding=same activation=swish %s",
                (long long)begin / 4, s->conv);
  y = add_layer(m, y, "Conv2D", "filters=%lld kernel_size=1 padding=same activation=sigmoid %s",
                wide, s->conv);
  return add_merge(m, "Multiply", x, y);
}

static snug_tensor drop_connect(snug_model *m, snug_tensor x, double rate) {
  return rate > 0.0 ? add_layer(m, x, "Dropout", "rate=%.17g noise_shape=[-1,1,1,1]", rate) : x;
}

static snug_tensor block(snug_model *m, snug_tensor in, const stage *g, int strides, double drop,
                         const style *s) {
  int64_t begin = channels_of(m, in);
  snug_tensor x = in;
  if (g->expansion > 1) {
    x = activate(m, conv_norm(m, x, g->expansion * begin, s), s);
  }
  x = depthwise(m, x, g, strides, s);
  x = s->excites ? excite(m, x, begin, s) : x;
  x = conv_norm(m, x, g->filters, s);
  if (strides > 1 || begin != g->filters) {
    return x;
  }
  return add_merge(m, "Add", in, s->excites ? drop_connect(m, x, drop) : x);
}

static int count_blocks(const stage *g) {
  int n = 0;
  for (; g->repeats; g++) {
    n += g->repeats;
  }
  return n;
}

/* Drop connect grows from 0 to 0.2 over the blocks. */
static snug_tensor blocks(snug_model *m, snug_tensor x, const stage *g, const style *s) {
  int n = count_blocks(g);
  int done = 0;
  for (; g->repeats; g++) {
    for (int k = 0; k < g->repeats; k++, done++) {
      x = block(m, x, g, k == 0 ? g->strides : 1, 0.2 * done / n, s);
    }
  }
  return x;
}

snug_status net_mobilenet_v2(snug_model *m, const net *n) {
  static const style s = {"ReLU", "max_value=6", "epsilon=0.001 momentum=0.999", "", "", false};
  static const stage stages[] = {
      {3, 1, 1, 16, 1}, {3, 2, 6, 24, 2},  {3, 3, 6, 32, 2},  {3, 4, 6, 64, 2},
      {3, 3, 6, 96, 1}, {3, 3, 6, 160, 2}, {3, 1, 6, 320, 1}, {0}};
  snug_tensor x = add_layer(m, add_input(m, n), "Conv2D",
                            "filters=32 kernel_size=3 strides=2 padding=same use_bias=false");
  x = blocks(m, activate(m, norm(m, x, &s), &s), stages, &s);
  x = activate(m, conv_norm(m, x, 1280, &s), &s);
  return add_classifier(m, add_pooled(m, x), n);
}

#define SCALED "initializer=variance_scaling(scale=2,mode=fan_out)"
/* A third in Keras; a text of the configuration has 63 characters at most. */
#define CLASSIFIER "variance_scaling(scale=.3333,mode=fan_out,distribution=uniform)"

snug_status net_efficientnet_b0(snug_model *m, const net *n) {
  static const style s = {"Activation",     "activation=swish",  " ",
                          "kernel_" SCALED, "depthwise_" SCALED, true};
  static const stage stages[] = {
      {3, 1, 1, 16, 1},  {3, 2, 6, 24, 2},  {5, 2, 6, 40, 2},  {3, 3, 6, 80, 2},
      {5, 3, 6, 112, 1}, {5, 4, 6, 192, 2}, {3, 1, 6, 320, 1}, {0}};
  snug_tensor x = add_layer(m, add_input(m, n), "Rescaling", "scale=%.17g", 1.0 / 255.0);
  x = add_stride_padding(m, add_layer(m, x, "Normalization", " "), 3);
  x = add_layer(m, x, "Conv2D", "filters=32 kernel_size=3 strides=2 use_bias=false %s", s.conv);
  x = blocks(m, activate(m, norm(m, x, &s), &s), stages, &s);
  x = add_layer(m, add_pooled(m, activate(m, conv_norm(m, x, 1280, &s), &s)), "Dropout",
                "rate=0.2");
  x = add_layer(m, x, "Dense", "units=%lld activation=softmax kernel_initializer=" CLASSIFIER,
                (long long)n->classes);
  return snug_model_outputs(m, &x, 1);
}
