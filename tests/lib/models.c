#include "lib/models.h"

#include <stdio.h>

#define CONFIG_BYTES 160

static snug_tensor image(snug_model *m, const test_net *n) {
  return snug_model_input(m, "image", n->dtype ? n->dtype : SNUG_FLOAT32,
                          (const int64_t[]){n->size, n->size, 3}, 3);
}

static snug_tensor conv(snug_model *m, snug_tensor x, int64_t filters, int kernel, int strides,
                        const char *more) {
  char config[CONFIG_BYTES];
  snprintf(config, sizeof config, "filters=%lld kernel_size=%d strides=%d padding=same %s",
           (long long)filters, kernel, strides, more);
  return snug_model_layer(m, "Conv2D", config, &x, 1);
}

static snug_tensor layer(snug_model *m, const char *class_name, const char *config, snug_tensor x) {
  return snug_model_layer(m, class_name, config, &x, 1);
}

static snug_tensor sum(snug_model *m, snug_tensor a, snug_tensor b) {
  return snug_model_layer(m, "Add", NULL, (const snug_tensor[]){a, b}, 2);
}

static snug_tensor conv_norm(snug_model *m, snug_tensor x, int64_t filters, int kernel,
                             int strides) {
  return layer(m, "BatchNormalization", NULL,
               conv(m, x, filters, kernel, strides, "use_bias=false"));
}

static snug_tensor relu(snug_model *m, snug_tensor x) {
  return layer(m, "Activation", "activation=relu", x);
}

static snug_tensor dense(snug_model *m, snug_tensor x, int64_t units, const char *activation) {
  char config[CONFIG_BYTES];
  snprintf(config, sizeof config, "units=%lld activation=%s", (long long)units, activation);
  return layer(m, "Dense", config, x);
}

static snug_status finish(snug_model *m, snug_tensor x, int64_t classes) {
  snug_tensor y = dense(m, x, classes, "softmax");
  return snug_model_outputs(m, &y, 1);
}

static snug_status finish_pooled(snug_model *m, snug_tensor x, int64_t classes) {
  return finish(m, layer(m, "GlobalAveragePooling2D", NULL, x), classes);
}

snug_status test_net_vgg(snug_model *m, const test_net *n) {
  snug_tensor x = image(m, n);
  int64_t width = n->width;
  for (int64_t block = 0; block < n->depth; block++) {
    x = conv(m, x, width, 3, 1, "activation=relu");
    x = conv(m, x, width, 3, 1, "activation=relu");
    x = layer(m, "MaxPooling2D", NULL, x);
    width *= 2;
  }
  x = layer(m, "Flatten", NULL, x);
  return finish(m, dense(m, x, 4 * n->width, "relu"), n->classes);
}

static snug_tensor bottleneck(snug_model *m, snug_tensor x, int64_t filters, int strides,
                              bool project) {
  snug_tensor y = relu(m, conv_norm(m, x, filters, 1, strides));
  y = relu(m, conv_norm(m, y, filters, 3, 1));
  y = conv_norm(m, y, 4 * filters, 1, 1);
  return relu(m, sum(m, project ? conv_norm(m, x, 4 * filters, 1, strides) : x, y));
}

snug_status test_net_resnet(snug_model *m, const test_net *n) {
  int64_t blocks[4] = {3, 4, 6, 3};
  int64_t total = (n->depth - 2) / 3;
  snug_tensor x = relu(m, conv_norm(m, image(m, n), n->width, 3, 1));
  for (int stage = 0; stage < 4; stage++) {
    int64_t own = total == 16 ? blocks[stage] : total / 4 + (stage < total % 4);
    for (int64_t k = 0; k < own; k++) {
      x = bottleneck(m, x, n->width << stage, k == 0 && stage > 0 ? 2 : 1, k == 0);
    }
  }
  return finish_pooled(m, x, n->classes);
}

static snug_tensor relu6(snug_model *m, snug_tensor x) {
  return layer(m, "ReLU", "max_value=6", x);
}

static snug_tensor inverted_residual(snug_model *m, snug_tensor x, int64_t expansion,
                                     int64_t filters, int strides) {
  int64_t shape[SNUG_MAX_RANK] = {0, 0, 1};
  char config[CONFIG_BYTES];
  snug_tensor y = x;
  (void)snug_model_shape(m, x, shape);
  if (expansion > 1) {
    y = relu6(m, conv_norm(m, y, expansion * shape[2], 1, 1));
  }
  snprintf(config, sizeof config, "kernel_size=3 strides=%d padding=same use_bias=false", strides);
  y = layer(m, "DepthwiseConv2D", config, y);
  y = relu6(m, layer(m, "BatchNormalization", "momentum=0.999", y));
  y = conv_norm(m, y, filters, 1, 1);
  return strides == 1 && shape[2] == filters ? sum(m, x, y) : y;
}

snug_status test_net_mobilenet_v2(snug_model *m, const test_net *n) {
  static const struct {
    int expansion, filters, repeats, strides;
  } stages[] = {{1, 16, 1, 1}, {6, 24, 2, 1},  {6, 32, 3, 2}, {6, 64, 4, 2},
                {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  snug_tensor x = relu6(m, conv_norm(m, image(m, n), n->width, 3, 1));
  for (size_t s = 0; s < sizeof stages / sizeof stages[0]; s++) {
    int64_t filters = stages[s].filters * n->width / 32;
    for (int64_t k = 0; k < stages[s].repeats * n->depth; k++) {
      x = inverted_residual(m, x, stages[s].expansion, filters > 0 ? filters : 1,
                            k == 0 ? stages[s].strides : 1);
    }
  }
  x = relu6(m, conv_norm(m, x, 1280 * n->width / 32, 1, 1));
  return finish_pooled(m, x, n->classes);
}

snug_status test_net_residual(snug_model *m, const test_net *n) {
  snug_tensor x = relu(m, conv_norm(m, image(m, n), n->width, 3, 1));
  for (int64_t k = 0; k < (n->depth - 2) / 2; k++) {
    snug_tensor y = relu(m, conv_norm(m, x, n->width, 3, 1));
    x = relu(m, sum(m, x, conv_norm(m, y, n->width, 3, 1)));
  }
  return finish_pooled(m, x, n->classes);
}
