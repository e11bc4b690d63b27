#include "nets/layers.h"

#include <stdarg.h>
#include <stdio.h>

#define CONFIG_BYTES 256

snug_tensor add_input(snug_model *m, const net *n) {
  const int64_t shape[] = {n->size, n->size, n->channels};
  return snug_model_input(m, "x", SNUG_FLOAT32, shape, n->channels ? 3 : 1);
}

snug_tensor add_layer(snug_model *m, snug_tensor x, const char *class_name, const char *config,
                      ...) {
  char text[CONFIG_BYTES];
  va_list args;
  va_start(args, config);
  vsnprintf(text, sizeof text, config, args);
  va_end(args);
  return snug_model_layer(m, class_name, text, &x, 1);
}

snug_tensor add_merge(snug_model *m, const char *class_name, snug_tensor a, snug_tensor b) {
  return snug_model_layer(m, class_name, NULL, (const snug_tensor[]){a, b}, 2);
}

int64_t channels_of(const snug_model *m, snug_tensor x) {
  int64_t shape[SNUG_MAX_RANK] = {0};
  int32_t rank = snug_model_shape(m, x, shape);
  return rank > 0 ? shape[rank - 1] : 0;
}

snug_tensor add_stride_padding(snug_model *m, snug_tensor x, int kernel) {
  int64_t shape[SNUG_MAX_RANK] = {0};
  (void)snug_model_shape(m, x, shape);
  int top = kernel / 2 - (shape[0] % 2 == 0);
  int left = kernel / 2 - (shape[1] % 2 == 0);
  return add_layer(m, x, "ZeroPadding2D", "padding=[%d,%d,%d,%d]", top, kernel / 2, left,
                   kernel / 2);
}

snug_tensor add_pooled(snug_model *m, snug_tensor x) {
  return add_layer(m, x, "GlobalAveragePooling2D", " ");
}

snug_status add_classifier(snug_model *m, snug_tensor x, const net *n) {
  snug_tensor y = add_layer(m, x, "Dense", "units=%lld activation=softmax", (long long)n->classes);
  return snug_model_outputs(m, &y, 1);
}
