/* From a work to oneDNN's descriptors, of oneDNN 2 and 3. */
#ifndef SNUG_BENCH_DESCRIBE_H
#define SNUG_BENCH_DESCRIBE_H

#include "device/cpu/dnn_versions.h"
#include "dnn/work.h"

/* One way to ask for a work. */
typedef struct dnn_way {
  dnnl_format_tag_t images; /* layout of the activations */
  dnnl_alg_kind_t conv;     /* direct or Winograd */
  bool as_conv;             /* DENSE: a 1x1 convolution instead of an inner product */
  const char *text;
} dnn_way;

/* The ways to ask for a work: the i-th, or NULL. */
const dnn_way *dnn_way_of(const work *w, int i);

/* Stand on oneDNN's first implementation of a work; there may be none.  hint: that of its forward,
 * for a backward.  The walk is to be ended. */
void dnn_walk_work(snug__dnn_walk *walk, const work *w, const dnn_way *way,
                   const_dnnl_primitive_attr_t attr, dnnl_engine_t engine,
                   const_dnnl_primitive_desc_t hint);

#endif
