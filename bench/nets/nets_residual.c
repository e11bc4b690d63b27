/* Networks of residual blocks and of dense ones: ResNet50, DenseNet121. */
#include "nets/layers.h"

/* Keras's epsilon in both. */
static snug_tensor norm(snug_model *m, snug_tensor x) {
  return add_layer(m, x, "BatchNormalization", "epsilon=1.001e-5");
}

static snug_tensor relu(snug_model *m, snug_tensor x) {
  return add_layer(m, x, "Activation", "activation=relu");
}

/* Both begin with a wide convolution and a pooling, zeros put around each. */
static snug_tensor stem(snug_model *m, snug_tensor x, const char *bias) {
  x = add_layer(m, x, "ZeroPadding2D", "padding=3");
  x = add_layer(m, x, "Conv2D", "filters=64 kernel_size=7 strides=2 use_bias=%s", bias);
  x = add_layer(m, relu(m, norm(m, x)), "ZeroPadding2D", "padding=1");
  return add_layer(m, x, "MaxPooling2D", "pool_size=3 strides=2");
}

/* ---- ResNet50: convolutions with bias, stride in the first of a block ---- */

static snug_tensor conv_norm(snug_model *m, snug_tensor x, int filters, int kernel, int strides) {
  return norm(m, add_layer(m, x, "Conv2D", "filters=%d kernel_size=%d strides=%d padding=%s",
                           filters, kernel, strides, kernel > 1 ? "same" : "valid"));
}

static snug_tensor bottleneck(snug_model *m, snug_tensor x, int filters, int strides,
                              bool project) {
  snug_tensor shortcut = project ? conv_norm(m, x, 4 * filters, 1, strides) : x;
  x = relu(m, conv_norm(m, x, filters, 1, strides));
  x = relu(m, conv_norm(m, x, filters, 3, 1));
  x = conv_norm(m, x, 4 * filters, 1, 1);
  return relu(m, add_merge(m, "Add", shortcut, x));
}

snug_status net_resnet50(snug_model *m, const net *n) {
  static const int blocks[] = {3, 4, 6, 3};
  snug_tensor x = stem(m, add_input(m, n), "true");
  for (int stage = 0; stage < 4; stage++) {
    for (int k = 0; k < blocks[stage]; k++) {
      x = bottleneck(m, x, 64 << stage, stage > 0 && k == 0 ? 2 : 1, k == 0);
    }
  }
  return add_classifier(m, add_pooled(m, x), n);
}

/* ---- DenseNet121: normalization and ReLU before each convolution, no bias ---- */

#define GROWTH 32

static snug_tensor norm_relu_conv(snug_model *m, snug_tensor x, int64_t filters, int kernel) {
  return add_layer(m, relu(m, norm(m, x)), "Conv2D",
                   "filters=%lld kernel_size=%d padding=same use_bias=false", (long long)filters,
                   kernel);
}

static snug_tensor dense_block(snug_model *m, snug_tensor x, int layers) {
  for (int k = 0; k < layers; k++) {
    snug_tensor y = norm_relu_conv(m, x, 4 * GROWTH, 1);
    x = add_merge(m, "Concatenate", x, norm_relu_conv(m, y, GROWTH, 3));
  }
  return x;
}

static snug_tensor transition(snug_model *m, snug_tensor x) {
  x = norm_relu_conv(m, x, channels_of(m, x) / 2, 1);
  return add_layer(m, x, "AveragePooling2D", "pool_size=2 strides=2");
}

snug_status net_densenet121(snug_model *m, const net *n) {
  static const int layers[] = {6, 12, 24, 16};
  snug_tensor x = stem(m, add_input(m, n), "false");
  for (int block = 0; block < 4; block++) {
    x = dense_block(m, block > 0 ? transition(m, x) : x, layers[block]);
  }
  return add_classifier(m, add_pooled(m, relu(m, norm(m, x))), n);
}
