/* What the C interfaces of oneDNN 2 (from 2.6 on) and oneDNN 3 say differently, said in one way.
 *
 * For those that talk to the library: dnn.c, and the bench. */
#ifndef SNUG_DEVICE_CPU_DNN_VERSIONS_H
#define SNUG_DEVICE_CPU_DNN_VERSIONS_H

#include <oneapi/dnnl/dnnl.h>

#include "device/cpu/dnn.h"

/* A dnnl_memory_desc_t is a struct in 2, and a pointer to what must be destroyed in 3.  Calls read
 * it through this. */
#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t snug__dnn_md;
#else
typedef const dnnl_memory_desc_t *snug__dnn_md;
#endif

/* Float32 values of these sizes.  False: the library refuses it, *md is empty. */
bool snug__dnn_md_init(dnnl_memory_desc_t *md, int rank, const dnnl_dims_t dims,
                       dnnl_format_tag_t tag) SNUG_NODISCARD;

/* Also of one that is empty (zeroed). */
void snug__dnn_md_release(dnnl_memory_desc_t *md);

snug__dnn_md snug__dnn_md_of(const dnnl_memory_desc_t *md);

/* A convolution or a product, or a gradient of it.  Zero it before it is filled. */
typedef struct snug__dnn_operation {
  snug__dnn_direction direction;
  bool is_product; /* a matrix product: no algorithm, no windows */
  bool has_bias;   /* or, in BWD_WEIGHTS, its gradient */
  dnnl_alg_kind_t algorithm;
  dnnl_memory_desc_t x, kernel, bias, y; /* values or their gradients */
  dnnl_dims_t strides, dilates, before, behind;
} snug__dnn_operation;

void snug__dnn_operation_release(snug__dnn_operation *o);

/* The library's kernels for one operation, walked one after the other.  pd is the current one, NULL
 * behind the last; take it by setting it to NULL.  A walk stays where it was started. */
typedef struct snug__dnn_walk {
  dnnl_primitive_desc_t pd;
#if DNNL_VERSION_MAJOR < 3
  dnnl_primitive_desc_iterator_t iterator;
  union { /* what the iterator reads; the library knows an operation by how this begins */
    dnnl_convolution_desc_t conv;
    dnnl_inner_product_desc_t product;
    dnnl_batch_normalization_desc_t norm; /* these are the bench's */
    dnnl_eltwise_desc_t eltwise;
    dnnl_binary_desc_t binary;
  } desc;
#endif
} snug__dnn_walk;

/* Stand on the first kernel.  hint: the kernel of the forward, or NULL.  Whatever comes of it,
 * the walk is to be ended. */
void snug__dnn_walk_start(snug__dnn_walk *w, const snug__dnn_operation *o,
                          const_dnnl_primitive_attr_t attr, dnnl_engine_t engine,
                          const_dnnl_primitive_desc_t hint);
void snug__dnn_walk_next(snug__dnn_walk *w);
void snug__dnn_walk_end(snug__dnn_walk *w);

/* An activation behind the operation. */
dnnl_status_t snug__dnn_append_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t activation, float alpha,
                                       float beta) SNUG_NODISCARD;

#endif
