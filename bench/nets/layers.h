/* Short ways to add the layers that the networks of the bench are made of. */
#ifndef SNUG_BENCH_LAYERS_H
#define SNUG_BENCH_LAYERS_H

#include "nets/nets.h"

/* The input of a network. */
snug_tensor add_input(snug_model *m, const net *n);

/* A layer on one tensor; config as printf. */
snug_tensor add_layer(snug_model *m, snug_tensor x, const char *class_name, const char *config, ...)
    __attribute__((format(printf, 4, 5)));

/* A layer on two tensors: Add, Multiply, Concatenate. */
snug_tensor add_merge(snug_model *m, const char *class_name, snug_tensor a, snug_tensor b);

/* Channels of an image. */
int64_t channels_of(const snug_model *m, snug_tensor x);

/* Zeros in front of a strided window of `kernel`: Keras's correct_pad. */
snug_tensor add_stride_padding(snug_model *m, snug_tensor x, int kernel);

/* Mean over the image, and the classifier that ends a network. */
snug_tensor add_pooled(snug_model *m, snug_tensor x);
snug_status add_classifier(snug_model *m, snug_tensor x, const net *n) SNUG_NODISCARD;

#endif
