#include "architectures.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A layer behind a tensor; the format makes its configuration. */
SNUG_PRINTF(4, 5)
static snug_tensor add(snug_model *m, snug_tensor x, const char *class_name, const char *format,
                       ...) {
  char config[256];
  va_list args;
  va_start(args, format);
  vsnprintf(config, sizeof config, format, args);
  va_end(args);
  return snug_model_layer(m, class_name, config, &x, 1);
}

/* The input, brought to 0 .. 1. */
static snug_tensor begin(snug_model *m, const architecture_size *s) {
  snug_tensor x = snug_model_input(m, "input", SNUG_FLOAT32, s->shape, s->rank);
  return add(m, x, "Rescaling", "scale=%.17g", 1.0 / 255.0);
}

static void classify(snug_model *m, snug_tensor x, const architecture_size *s) {
  add(m, x, "Dense", "units=%lld activation=%s name=predictions", (long long)s->classes,
      s->classes == 1 ? "sigmoid" : "softmax");
}

static void linear(snug_model *m, const architecture_size *s) {
  classify(m, add(m, begin(m, s), "Flatten", "%s", ""), s);
}

static void mlp(snug_model *m, const architecture_size *s) {
  snug_tensor x = add(m, begin(m, s), "Flatten", "%s", "");
  x = add(m, x, "Dense", "units=128 activation=relu");
  x = add(m, x, "Dropout", "rate=0.2");
  classify(m, x, s);
}

/* After LeNet: two convolutions, each followed by pooling. */
static void cnn(snug_model *m, const architecture_size *s) {
  snug_tensor x = begin(m, s);
  for (int filters = 32; filters <= 64; filters *= 2) {
    x = add(m, x, "Conv2D", "filters=%d kernel_size=3 activation=relu", filters);
    x = add(m, x, "MaxPooling2D", "pool_size=2");
  }
  x = add(m, x, "Flatten", "%s", "");
  x = add(m, x, "Dropout", "rate=0.5");
  classify(m, x, s);
}

/* VGG's pattern of 3x3 convolutions, for small images. */
static void vgg(snug_model *m, const architecture_size *s) {
  snug_tensor x = begin(m, s);
  for (int block = 0; block < 3; block++) {
    for (int i = 0; i < (block < 2 ? 2 : 3); i++) {
      x = add(m, x, "Conv2D", "filters=%d kernel_size=3 padding=same activation=relu", 64 << block);
    }
    x = add(m, x, "MaxPooling2D", "pool_size=2");
  }
  x = add(m, x, "Flatten", "%s", "");
  x = add(m, x, "Dense", "units=256 activation=relu");
  x = add(m, x, "Dropout", "rate=0.5");
  classify(m, x, s);
}

static snug_tensor conv_norm(snug_model *m, snug_tensor x, int filters, int kernel, int strides) {
  x = add(m, x, "Conv2D",
          "filters=%d kernel_size=%d strides=%d padding=same use_bias=false "
          "kernel_initializer=he_normal",
          filters, kernel, strides);
  return add(m, x, "BatchNormalization", "%s", "");
}

static snug_tensor residual(snug_model *m, snug_tensor x, int filters, int strides) {
  snug_tensor branch = conv_norm(m, x, filters, 3, strides);
  branch = add(m, branch, "Activation", "activation=relu");
  branch = conv_norm(m, branch, filters, 3, 1);
  snug_tensor both[] = {branch, strides > 1 ? conv_norm(m, x, filters, 1, strides) : x};
  return add(m, snug_model_layer(m, "Add", NULL, both, 2), "Activation", "activation=relu");
}

/* ResNet-20 of the first paper's experiments on CIFAR-10, with projections where sizes change. */
static void resnet(snug_model *m, const architecture_size *s) {
  snug_tensor x = add(m, conv_norm(m, begin(m, s), 16, 3, 1), "Activation", "activation=relu");
  for (int stage = 0; stage < 3; stage++) {
    for (int block = 0; block < 3; block++) {
      x = residual(m, x, 16 << stage, stage > 0 && block == 0 ? 2 : 1);
    }
  }
  classify(m, add(m, x, "GlobalAveragePooling2D", "%s", ""), s);
}

static snug_tensor separable(snug_model *m, snug_tensor x, int filters, int strides) {
  x = add(m, x, "DepthwiseConv2D", "kernel_size=3 strides=%d padding=same use_bias=false", strides);
  x = add(m, x, "BatchNormalization", "%s", "");
  x = add(m, x, "ReLU", "max_value=6");
  return add(m, conv_norm(m, x, filters, 1, 1), "ReLU", "max_value=6");
}

/* MobileNet's depthwise separable convolutions, for small images. */
static void mobilenet(snug_model *m, const architecture_size *s) {
  snug_tensor x = add(m, conv_norm(m, begin(m, s), 32, 3, 1), "ReLU", "max_value=6");
  static const struct {
    int filters, strides;
  } blocks[] = {{64, 1}, {128, 2}, {128, 1}, {256, 2}, {256, 1}, {512, 2}, {512, 1}};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    x = separable(m, x, blocks[i].filters, blocks[i].strides);
  }
  x = add(m, x, "GlobalAveragePooling2D", "%s", "");
  classify(m, add(m, x, "Dropout", "rate=0.2"), s);
}

static snug_tensor two_convolutions(snug_model *m, snug_tensor x, int filters) {
  for (int i = 0; i < 2; i++) {
    x = add(m, conv_norm(m, x, filters, 3, 1), "Activation", "activation=relu");
  }
  return x;
}

#define UNET_DEPTH 3

/* U-Net: a class for every pixel. */
static void unet(snug_model *m, const architecture_size *s) {
  snug_tensor x = begin(m, s);
  snug_tensor skip[UNET_DEPTH];
  for (int i = 0; i < UNET_DEPTH; i++) {
    skip[i] = two_convolutions(m, x, 16 << i);
    x = add(m, skip[i], "MaxPooling2D", "pool_size=2");
  }
  x = two_convolutions(m, x, 16 << UNET_DEPTH);
  for (int i = UNET_DEPTH - 1; i >= 0; i--) {
    x = add(m, x, "Conv2DTranspose", "filters=%d kernel_size=2 strides=2", 16 << i);
    snug_tensor both[] = {skip[i], x};
    x = two_convolutions(m, snug_model_layer(m, "Concatenate", NULL, both, 2), 16 << i);
  }
  add(m, x, "Conv2D", "filters=%lld kernel_size=1 activation=%s name=predictions",
      (long long)s->classes, s->classes == 1 ? "sigmoid" : "softmax");
}

#define SMALL_GREY \
  { {28, 28, 1}, 3, 10 }
#define SMALL_COLOUR \
  { {32, 32, 3}, 3, 10 }

const architecture architectures[] = {
    {"linear", "softmax regression: one Dense layer", SMALL_GREY, true, 1, linear},
    {"mlp", "a hidden layer of 128 and dropout", SMALL_GREY, true, 1, mlp},
    {"cnn", "after LeNet: two convolutions with pooling", SMALL_GREY, false, 1, cnn},
    {"vgg", "after VGG: seven 3x3 convolutions", SMALL_COLOUR, false, 1, vgg},
    {"resnet", "ResNet-20: residual blocks", SMALL_COLOUR, false, 1, resnet},
    {"mobilenet", "depthwise separable convolutions", SMALL_COLOUR, false, 1, mobilenet},
    {"unet", "U-Net: a class for every pixel", {{128, 128, 3}, 3, 2}, false, 1 << UNET_DEPTH, unet},
};

const size_t n_architectures = sizeof architectures / sizeof *architectures;

const architecture *architecture_find(const char *name) {
  for (size_t i = 0; i < n_architectures; i++) {
    if (strcmp(architectures[i].name, name) == 0) {
      return &architectures[i];
    }
  }
  return NULL;
}
