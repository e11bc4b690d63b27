/* In 2 an operation is described first, and an iterator makes its kernels; in 3 the first kernel is
 * made of the description's parts, and becomes the next one in place. */
#include "device/cpu/dnn_versions.h"

snug__dnn_md snug__dnn_md_of(const dnnl_memory_desc_t *md) {
#if DNNL_VERSION_MAJOR >= 3
  return *md;
#else
  return md;
#endif
}

static snug__dnn_md bias_of(const snug__dnn_operation *o) {
  return o->has_bias ? snug__dnn_md_of(&o->bias) : NULL;
}

void snug__dnn_operation_release(snug__dnn_operation *o) {
  snug__dnn_md_release(&o->x);
  snug__dnn_md_release(&o->kernel);
  snug__dnn_md_release(&o->bias);
  snug__dnn_md_release(&o->y);
}

void snug__dnn_walk_end(snug__dnn_walk *w) {
  dnnl_primitive_desc_destroy(w->pd);
  w->pd = NULL;
#if DNNL_VERSION_MAJOR < 3
  dnnl_primitive_desc_iterator_destroy(w->iterator);
  w->iterator = NULL;
#endif
}

#if DNNL_VERSION_MAJOR >= 3

bool snug__dnn_md_init(dnnl_memory_desc_t *md, int rank, const dnnl_dims_t dims,
                       dnnl_format_tag_t tag) {
  *md = NULL;
  return dnnl_memory_desc_create_with_tag(md, rank, dims, dnnl_f32, tag) == dnnl_success;
}

void snug__dnn_md_release(dnnl_memory_desc_t *md) {
  if (*md) {
    dnnl_memory_desc_destroy(*md);
  }
  *md = NULL;
}

dnnl_status_t snug__dnn_append_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t activation, float alpha,
                                       float beta) {
  return dnnl_post_ops_append_eltwise(ops, activation, alpha, beta);
}

static dnnl_status_t create_product(dnnl_primitive_desc_t *pd, const snug__dnn_operation *o,
                                    const_dnnl_primitive_attr_t attr, dnnl_engine_t engine,
                                    const_dnnl_primitive_desc_t hint) {
  switch (o->direction) {
    case SNUG__DNN_FORWARD:
      return dnnl_inner_product_forward_primitive_desc_create(
          pd, engine, dnnl_forward_training, o->x, o->kernel, bias_of(o), o->y, attr);
    case SNUG__DNN_BWD_DATA:
      return dnnl_inner_product_backward_data_primitive_desc_create(pd, engine, o->x, o->kernel,
                                                                    o->y, hint, attr);
    default:
      return dnnl_inner_product_backward_weights_primitive_desc_create(
          pd, engine, o->x, o->kernel, bias_of(o), o->y, hint, attr);
  }
}

static dnnl_status_t create_conv(dnnl_primitive_desc_t *pd, const snug__dnn_operation *o,
                                 const_dnnl_primitive_attr_t attr, dnnl_engine_t engine,
                                 const_dnnl_primitive_desc_t hint) {
  switch (o->direction) {
    case SNUG__DNN_FORWARD:
      return dnnl_convolution_forward_primitive_desc_create(
          pd, engine, dnnl_forward_training, o->algorithm, o->x, o->kernel, bias_of(o), o->y,
          o->strides, o->dilates, o->before, o->behind, attr);
    case SNUG__DNN_BWD_DATA:
      return dnnl_convolution_backward_data_primitive_desc_create(
          pd, engine, o->algorithm, o->x, o->kernel, o->y, o->strides, o->dilates, o->before,
          o->behind, hint, attr);
    default:
      return dnnl_convolution_backward_weights_primitive_desc_create(
          pd, engine, o->algorithm, o->x, o->kernel, bias_of(o), o->y, o->strides, o->dilates,
          o->before, o->behind, hint, attr);
  }
}

void snug__dnn_walk_start(snug__dnn_walk *w, const snug__dnn_operation *o,
                          const_dnnl_primitive_attr_t attr, dnnl_engine_t engine,
                          const_dnnl_primitive_desc_t hint) {
  w->pd = NULL;
  if ((o->is_product ? create_product : create_conv)(&w->pd, o, attr, engine, hint)) {
    w->pd = NULL;
  }
}

void snug__dnn_walk_next(snug__dnn_walk *w) {
  if (dnnl_primitive_desc_next_impl(w->pd) != dnnl_success) {
    dnnl_primitive_desc_destroy(w->pd);
    w->pd = NULL;
  }
}

#else

bool snug__dnn_md_init(dnnl_memory_desc_t *md, int rank, const dnnl_dims_t dims,
                       dnnl_format_tag_t tag) {
  return dnnl_memory_desc_init_by_tag(md, rank, dims, dnnl_f32, tag) == dnnl_success;
}

void snug__dnn_md_release(dnnl_memory_desc_t *md) { (void)md; }

dnnl_status_t snug__dnn_append_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t activation, float alpha,
                                       float beta) {
  return dnnl_post_ops_append_eltwise(ops, 1.0f, activation, alpha, beta);
}

static dnnl_status_t init_product(dnnl_inner_product_desc_t *desc, const snug__dnn_operation *o) {
  switch (o->direction) {
    case SNUG__DNN_FORWARD:
      return dnnl_inner_product_forward_desc_init(desc, dnnl_forward_training, &o->x, &o->kernel,
                                                  bias_of(o), &o->y);
    case SNUG__DNN_BWD_DATA:
      return dnnl_inner_product_backward_data_desc_init(desc, &o->x, &o->kernel, &o->y);
    default:
      return dnnl_inner_product_backward_weights_desc_init(desc, &o->x, &o->kernel, bias_of(o),
                                                           &o->y);
  }
}

static dnnl_status_t init_conv(dnnl_convolution_desc_t *desc, const snug__dnn_operation *o) {
  switch (o->direction) {
    case SNUG__DNN_FORWARD:
      return dnnl_dilated_convolution_forward_desc_init(
          desc, dnnl_forward_training, o->algorithm, &o->x, &o->kernel, bias_of(o), &o->y,
          o->strides, o->dilates, o->before, o->behind);
    case SNUG__DNN_BWD_DATA:
      return dnnl_dilated_convolution_backward_data_desc_init(desc, o->algorithm, &o->x, &o->kernel,
                                                              &o->y, o->strides, o->dilates,
                                                              o->before, o->behind);
    default:
      return dnnl_dilated_convolution_backward_weights_desc_init(
          desc, o->algorithm, &o->x, &o->kernel, bias_of(o), &o->y, o->strides, o->dilates,
          o->before, o->behind);
  }
}

void snug__dnn_walk_start(snug__dnn_walk *w, const snug__dnn_operation *o,
                          const_dnnl_primitive_attr_t attr, dnnl_engine_t engine,
                          const_dnnl_primitive_desc_t hint) {
  w->pd = NULL;
  w->iterator = NULL;
  dnnl_status_t described =
      o->is_product ? init_product(&w->desc.product, o) : init_conv(&w->desc.conv, o);
  if (described == dnnl_success &&
      dnnl_primitive_desc_iterator_create(&w->iterator, &w->desc, attr, engine, hint) ==
          dnnl_success) {
    w->pd = dnnl_primitive_desc_iterator_fetch(w->iterator);
  }
}

void snug__dnn_walk_next(snug__dnn_walk *w) {
  bool more = dnnl_primitive_desc_iterator_next(w->iterator) == dnnl_success;
  dnnl_primitive_desc_destroy(w->pd);
  w->pd = more ? dnnl_primitive_desc_iterator_fetch(w->iterator) : NULL;
}

#endif
