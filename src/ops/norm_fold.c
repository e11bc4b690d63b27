/* A batch normalization with given statistics behind a convolution is folded into its kernel and
 * bias: kernel' = kernel s, bias' = (bias - mean) s + beta, where s = gamma / sqrt(variance +
 * epsilon).  One pass over the weights instead of one over the images, where that is less. */
#include "ops/norm_fold.h"

#include "ops/norm.h"
#include "ops/shape.h"
#include "ops/support.h"
#include "ops/unary.h"

/* The kernel is read and written, reordered before and after. */
#define KERNEL_PASSES 3

static bool is_worth_it(const snug__rewrite *r, const snug__node *conv) {
  return snug__type_bytes(snug__type_at(r->from, conv->in[1])) * KERNEL_PASSES <
         snug__type_bytes(snug__type_at(r->from, conv->out[0]));
}

/* Whether everything that the normalization reads besides is there, in one dtype. */
static bool is_ready(const snug__rewrite *r, const snug__node *bn) {
  snug_dtype dtype = snug__type_at(r->from, bn->in[0])->dtype;
  for (int32_t i = 1; i < bn->n_in; i++) {
    if (bn->in[i] != SNUG_NONE && (snug__rewritten(r, bn->in[i]) == SNUG_NONE ||
                                   snug__type_at(r->from, bn->in[i])->dtype != dtype)) {
      return false;
    }
  }
  return true;
}

snug__id snug__foldable_norm(const snug__rewrite *r, snug__id conv, snug__id y) {
  const snug__node *node = snug__node_at(r->from, conv);
  snug__id id = snug__sole_reader(&r->uses, y);
  const snug__node *bn = id == SNUG_NONE ? NULL : snug__node_at(r->from, id);
  bool one_to_one =
      node->op != &snug__op_depthwise_conv2d || snug__type_at(r->from, node->in[1])->dim[3] == 1;
  return snug__node_is(bn, &snug__op_batch_norm_infer) && bn->in[0] == y && one_to_one &&
                 is_ready(r, bn) && is_worth_it(r, node)
             ? id
             : SNUG_NONE;
}

static snug_status emit_scale(snug__rewrite *r, const snug__node *bn, snug__id *s) {
  const snug__batch_norm_params *p = bn->params;
  snug__scale_shift_params shift = {1.0, p->epsilon};
  SNUG_TRY(SNUG_EMIT(r->to, scale_shift, &shift, s, snug__rewritten(r, bn->in[4])));
  SNUG_TRY(SNUG_EMIT(r->to, rsqrt, NULL, s, *s));
  return bn->in[1] == SNUG_NONE
             ? SNUG_OK
             : SNUG_EMIT(r->to, multiply, NULL, s, *s, snug__rewritten(r, bn->in[1]));
}

/* Kernels of depthwise convolutions have their channels before the last axis. */
static snug_status emit_kernel(snug__rewrite *r, const snug__node *conv, snug__id s,
                               snug__id *kernel) {
  snug__id old = snug__rewritten(r, conv->in[1]);
  const snug__type *t = snug__type_at(r->to, old);
  if (conv->op == &snug__op_depthwise_conv2d) {
    const int64_t column[] = {t->dim[2], 1};
    snug__type shape = snug__type_of(t->dtype, 2, column);
    SNUG_TRY(snug__emit_reshape(r->to, s, &shape, &s));
  }
  return SNUG_EMIT(r->to, multiply, NULL, kernel, old, s);
}

static snug_status emit_bias(snug__rewrite *r, const snug__node *bn, snug__id s, snug__id old,
                             snug__id *bias) {
  snug__id mean = snug__rewritten(r, bn->in[3]);
  SNUG_TRY(old == SNUG_NONE ? SNUG_EMIT(r->to, negative, NULL, bias, mean)
                            : SNUG_EMIT(r->to, subtract, NULL, bias, old, mean));
  SNUG_TRY(SNUG_EMIT(r->to, multiply, NULL, bias, *bias, s));
  return bn->in[2] == SNUG_NONE
             ? SNUG_OK
             : SNUG_EMIT(r->to, add, NULL, bias, *bias, snug__rewritten(r, bn->in[2]));
}

snug_status snug__fold_norm(snug__rewrite *r, snug__id conv, snug__id norm, snug__id *kernel,
                            snug__id *bias) {
  const snug__node *bn = snug__node_at(r->from, norm);
  snug__id s = SNUG_NONE;
  snug__rewrite_as(r, norm);
  SNUG_TRY(emit_scale(r, bn, &s));
  SNUG_TRY(emit_kernel(r, snug__node_at(r->from, conv), s, kernel));
  return emit_bias(r, bn, s, *bias, bias);
}
