/* Parameters and geometry of the convolutions.
 *
 * Images are [batch, height, width, channels].  Kernels are [kh, kw, cin / groups, cout]; those of
 * depthwise ones [kh, kw, c, multiplier], output channel c * multiplier + m, which is the same
 * memory as a kernel with groups = c.  A transposed convolution with kernel [kh, kw, cout, cin] is
 * the data gradient of the convolution that has the same kernel and goes the other way. */
#ifndef SNUG_OPS_CONV_H
#define SNUG_OPS_CONV_H

#include "ops/epilogue.h"
#include "ops/window.h"

/* conv2d (x, kernel); depthwise_conv2d (x, kernel), which has no `groups`. */
typedef struct snug__conv2d_params {
  snug_ints strides, dilation; /* height, width */
  int32_t padding;             /* snug__padding */
  int64_t groups;
} snug__conv2d_params;

/* conv2d_bwd_data (dy, kernel), depthwise_conv2d_bwd_data: shape is x's, "input_shape";
 * conv2d_bwd_weights (x, dy), depthwise_conv2d_bwd_weights: shape is the kernel's, "kernel_shape".
 */
typedef struct snug__conv2d_bwd_params {
  snug__conv2d_params conv;
  snug_ints shape;
} snug__conv2d_bwd_params;

/* conv2d_epilogue (x, kernel, bias), depthwise_conv2d_epilogue: bias may be left out. */
typedef struct snug__conv2d_epilogue_params {
  snug__conv2d_params conv;
  snug__epilogue epilogue;
} snug__conv2d_epilogue_params;

/* conv2d_transpose (x, kernel). */
typedef struct snug__conv2d_transpose_params {
  snug_ints strides, dilation;
  int32_t padding;
  snug_ints output_padding; /* empty: as long as all windows reach, and at least strides * input */
} snug__conv2d_transpose_params;

/* The convolution that goes the other way than a transposed one. */
snug__conv2d_params snug__conv_reverse(const snug__conv2d_transpose_params *p);

/* Fields of snug__conv2d_params without groups, with which its gradients' parameters begin, and of
 * the shape that follows there. */
#define SNUG__CONV_FIELDS                                       \
  SNUG_FIELD(snug__conv2d_params, strides, INTS, "[1,1]"),      \
      SNUG_FIELD(snug__conv2d_params, dilation, INTS, "[1,1]"), \
      SNUG_CHOICE(snug__conv2d_params, padding, snug__padding_choices, "valid")
#define SNUG__CONV_SHAPE_FIELD(name) \
  { name, SNUG__FIELD_INTS, offsetof(snug__conv2d_bwd_params, shape), NULL, NULL }

typedef struct snug__conv {
  int64_t batch, cin, cout, groups;
  snug__window h, w;
} snug__conv;

/* Both inputs must be of rank 4 and of one real dtype. */
snug_status snug__need_images(const snug__infer *q) SNUG_NODISCARD;

/* Parameters of a gradient op: those of the node that g is about, and the shape of `like`. */
snug__conv2d_bwd_params snug__conv_bwd_params(const snug__grad *g, snug__id like);

/* The convolution of x with a kernel of conv2d's layout.  `x` and `kernel` need not be inputs of
 * the op; they must have rank 4.  Fails: E_ARGUMENT, E_SHAPE. */
snug_status snug__need_conv(const snug__infer *q, const snug__type *x, const snug__type *kernel,
                            const snug__conv2d_params *p, snug__conv *out) SNUG_NODISCARD;

/* The same without checks, for references. */
snug__conv snug__conv_of(const snug__type *x, const snug__type *kernel,
                         const snug__conv2d_params *p);

/* Check a convolution as snug__need_conv does; x, kernel and p are in the op's own form. */
typedef snug_status snug__conv_check(const snug__infer *q, const snug__type *x,
                                     const snug__type *kernel, const snug__conv2d_params *p,
                                     snug__conv *out);

/* infer of a convolution and of its two gradients. */
snug_status snug__infer_conv(snug__infer *q, snug__conv_check *check) SNUG_NODISCARD;
snug_status snug__infer_conv_bwd_data(snug__infer *q, snug__conv_check *check) SNUG_NODISCARD;
snug_status snug__infer_conv_bwd_weights(snug__infer *q, snug__conv_check *check) SNUG_NODISCARD;

/* A depthwise kernel [kh, kw, c, m] seen as conv2d's [kh, kw, 1, c * m], and p with its groups. */
snug__type snug__depthwise_as_conv(const snug__type *kernel, const snug__conv2d_params *p,
                                   snug__conv2d_params *grouped);

/* What one call computes with: a and b are the inputs in the op's order. */
typedef struct snug__conv_job {
  snug__conv c;
  snug_dtype dtype;
  const void *a, *b;
  void *out;
  int32_t threads;
} snug__conv_job;

snug__conv_job snug__conv_job_of(const snug__call *call, snug__conv c);

/* Run a job: y = conv(x, kernel), dx from (dy, kernel), dkernel from (x, dy). */
void snug__conv_forward(const snug__conv_job *j);
void snug__conv_bwd_data(const snug__conv_job *j);
void snug__conv_bwd_weights(const snug__conv_job *j);

/* The same where every group has one input channel. */
void snug__depthwise_forward(const snug__conv_job *j);
void snug__depthwise_bwd_data(const snug__conv_job *j);
void snug__depthwise_bwd_weights(const snug__conv_job *j);

/* Fusion rules of pad, the convolutions and their gradients. */
struct snug__rewrite;
snug_status snug__fold_pad(struct snug__rewrite *r, snug__id id, bool *replaced) SNUG_NODISCARD;
snug_status snug__fuse_conv(struct snug__rewrite *r, snug__id id, bool *replaced) SNUG_NODISCARD;
snug_status snug__fold_data_gradient(struct snug__rewrite *r, snug__id id,
                                     bool *replaced) SNUG_NODISCARD;
snug_status snug__fold_weight_gradient(struct snug__rewrite *r, snug__id id,
                                       bool *replaced) SNUG_NODISCARD;

/* The new value of what was padded to make the old value x, if the padding was folded away (x is
 * then read with padding=same); SNUG_NONE: x is there. */
snug__id snug__unpadded(const struct snug__rewrite *r, snug__id x);

/* Products of one of the three, padding counted, and the cost. */
double snug__conv_macs(const snug__conv *c);
snug__cost snug__conv_cost(const snug__conv *c, const snug__signature *sig);

#endif
