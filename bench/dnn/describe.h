/* From a work to oneDNN's descriptors. */
#ifndef SNUG_BENCH_DESCRIBE_H
#define SNUG_BENCH_DESCRIBE_H

#include <oneapi/dnnl/dnnl.h>

#include "dnn/work.h"

/* One way to ask for a work. */
typedef struct dnn_way {
  dnnl_format_tag_t images; /* layout of the activations */
  dnnl_alg_kind_t conv;     /* direct or Winograd */
  bool as_conv;             /* DENSE: a 1x1 convolution instead of an inner product */
  const char *text;
} dnn_way;

typedef union dnn_desc {
  dnnl_convolution_desc_t conv;
  dnnl_inner_product_desc_t dense;
  dnnl_batch_normalization_desc_t norm;
  dnnl_eltwise_desc_t eltwise;
  dnnl_binary_desc_t binary;
} dnn_desc;

/* The ways to ask for a work: the i-th, or NULL. */
const dnn_way *dnn_way_of(const work *w, int i);

/* The descriptor of a work, and of its forward, which the backward is made with.  False: oneDNN
 * refuses it. */
bool dnn_describe(const work *w, const dnn_way *way, dnn_desc *out);

#endif
