/* The list of networks, and the plain ones: a perceptron, a small convolutional network, VGG16 and
 * a U-Net. */
#include "nets/nets.h"

#include <string.h>

#include "nets/layers.h"

const net net_list[] = {
    {"mlp", 32, 100, 0, 10, false, net_mlp},
    {"cnn", 64, 28, 1, 10, false, net_cnn},
    {"mobilenetv2", 32, 224, 3, 1000, false, net_mobilenet_v2},
    {"resnet50", 32, 224, 3, 1000, false, net_resnet50},
    {"vgg16", 16, 224, 3, 1000, false, net_vgg16},
    {"efficientnetb0", 16, 224, 3, 1000, false, net_efficientnet_b0},
    {"densenet121", 16, 224, 3, 1000, false, net_densenet121},
    {"unet", 8, 128, 3, 2, true, net_unet},
    {0},
};

const net *net_find(const char *name) {
  for (const net *n = net_list; n->name; n++) {
    if (strcmp(n->name, name) == 0) {
      return n;
    }
  }
  return NULL;
}

snug_status net_mlp(snug_model *m, const net *n) {
  snug_tensor x = add_layer(m, add_input(m, n), "Dense", "units=64 activation=relu");
  return add_classifier(m, x, n);
}

snug_status net_cnn(snug_model *m, const net *n) {
  snug_tensor x = add_input(m, n);
  x = add_layer(m, x, "Conv2D", "filters=32 kernel_size=3 activation=relu");
  x = add_layer(m, x, "MaxPooling2D", "pool_size=2");
  x = add_layer(m, x, "Conv2D", "filters=64 kernel_size=3 activation=relu");
  x = add_layer(m, x, "MaxPooling2D", "pool_size=2");
  x = add_layer(m, x, "Flatten", " ");
  x = add_layer(m, x, "Dropout", "rate=0.5");
  return add_classifier(m, x, n);
}

static snug_tensor conv_relu(snug_model *m, snug_tensor x, int filters) {
  return add_layer(m, x, "Conv2D", "filters=%d kernel_size=3 padding=same activation=relu",
                   filters);
}

snug_status net_vgg16(snug_model *m, const net *n) {
  static const int filters[] = {64, 128, 256, 512, 512};
  snug_tensor x = add_input(m, n);
  for (int block = 0; block < 5; block++) {
    for (int k = 0; k < (block < 2 ? 2 : 3); k++) {
      x = conv_relu(m, x, filters[block]);
    }
    x = add_layer(m, x, "MaxPooling2D", "pool_size=2 strides=2");
  }
  x = add_layer(m, x, "Flatten", " ");
  x = add_layer(m, x, "Dense", "units=4096 activation=relu");
  x = add_layer(m, x, "Dense", "units=4096 activation=relu");
  return add_classifier(m, x, n);
}

#define UNET_LEVELS 4

static snug_tensor two_conv_relu(snug_model *m, snug_tensor x, int filters) {
  return conv_relu(m, conv_relu(m, x, filters), filters);
}

snug_status net_unet(snug_model *m, const net *n) {
  snug_tensor kept[UNET_LEVELS];
  snug_tensor x = add_input(m, n);
  for (int level = 0; level < UNET_LEVELS; level++) {
    kept[level] = two_conv_relu(m, x, 32 << level);
    x = add_layer(m, kept[level], "MaxPooling2D", "pool_size=2");
  }
  x = conv_relu(m, x, 32 << UNET_LEVELS);
  for (int level = UNET_LEVELS - 1; level >= 0; level--) {
    x = add_layer(m, x, "Conv2DTranspose", "filters=%d kernel_size=2 strides=2", 32 << level);
    x = two_conv_relu(m, add_merge(m, "Concatenate", kept[level], x), 32 << level);
  }
  x = add_layer(m, x, "Conv2D", "filters=%lld kernel_size=1 activation=softmax",
                (long long)n->classes);
  return snug_model_outputs(m, &x, 1);
}
