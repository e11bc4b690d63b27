/* Well-known networks at any size, built with the public calls alone.
 *
 * Each adds an input "image" [size, size, 3], its layers, and one output of `classes`
 * probabilities, and returns the status of building. */
#ifndef SNUG_TESTS_MODELS_H
#define SNUG_TESTS_MODELS_H

#include <stdbool.h>

#include "snug/model.h"

typedef struct test_net {
  int64_t size;     /* height and width of the images */
  int64_t classes;  /* of the output */
  int64_t width;    /* filters of the first convolution */
  int64_t depth;    /* see each */
  snug_dtype dtype; /* of the images; SNUG_NO_DTYPE: float32 */
} test_net;

/* `depth` blocks of two 3x3 convolutions and a pooling, widths doubling, then two dense layers. */
snug_status test_net_vgg(snug_model *m, const test_net *n) SNUG_NODISCARD;

/* Bottlenecks with batch normalization in four stages; `depth` layers with weights (50: 3, 4, 6, 3
 * blocks).  The stem is that of small images: one 3x3 convolution. */
snug_status test_net_resnet(snug_model *m, const test_net *n) SNUG_NODISCARD;

/* Inverted residuals with ReLU6; `depth` multiplies the repeats (1: the 52 convolutions of the
 * original); widths are those of the original times width / 32. */
snug_status test_net_mobilenet_v2(snug_model *m, const test_net *n) SNUG_NODISCARD;

/* `depth` layers with weights at one width: blocks of two 3x3 convolutions with batch normalization
 * around a sum. */
snug_status test_net_residual(snug_model *m, const test_net *n) SNUG_NODISCARD;

#endif
