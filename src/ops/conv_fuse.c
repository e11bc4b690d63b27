/* What is fused into a convolution or a product: zero padding before it, and a bias, a
 * normalization with given statistics and a rectifier behind it. */
#include "ops/conv.h"
#include "ops/fuse.h"
#include "ops/matmul.h"
#include "ops/norm_fold.h"
#include "ops/support.h"

static snug__epilogue_chain tail_of(const snug__rewrite *r, snug__id y) {
  const snug__type *t = snug__type_at(r->from, y);
  snug__type bias = snug__type_of(t->dtype, 1, &t->dim[t->rank - 1]);
  snug__epilogue_chain tail = snug__epilogue_chain_of(y);
  snug__epilogue_chain_take_sum(r, &bias, &tail);
  return tail;
}

/* Emit `op`, whose third input is the bias, if it takes one, for a node and its tail. */
static snug_status emit(snug__rewrite *r, snug__id id, const snug__op *op, const void *params,
                        const snug__id in[3], const snug__epilogue_chain *tail) {
  snug__id out = SNUG_NONE;
  snug__rewrite_as(r, id);
  SNUG_TRY(snug__graph_add(r->to, op, params, in, op->max_in, &out, 1));
  snug__epilogue_chain_replace(r, tail, out);
  return SNUG_OK;
}

snug_status snug__fuse_conv(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *n = snug__node_at(r->from, id);
  bool depthwise = n->op == &snug__op_depthwise_conv2d;
  snug__id unpadded = snug__unpadded(r, n->in[0]);
  snug__epilogue_chain tail = tail_of(r, n->out[0]);
  snug__id in[] = {unpadded == SNUG_NONE ? snug__rewritten(r, n->in[0]) : unpadded,
                   snug__rewritten(r, n->in[1]), snug__rewritten(r, tail.term)};
  snug__id norm = snug__foldable_norm(r, id, tail.out);
  if (norm != SNUG_NONE) {
    SNUG_TRY(snug__fold_norm(r, id, norm, &in[1], &in[2]));
    snug__epilogue_chain_take(&tail, norm, snug__node_at(r->from, norm)->out[0]);
  }
  snug__epilogue_chain_take_relu(r, &tail);
  snug__conv2d_epilogue_params p = {.conv = *(const snug__conv2d_params *)n->params,
                                    .epilogue = tail.epilogue};
  if (unpadded == SNUG_NONE && !tail.n_covered) {
    return SNUG_OK;
  }
  *replaced = true;
  p.conv.padding = unpadded == SNUG_NONE ? p.conv.padding : SNUG__PADDING_SAME;
  const snug__op *epilogue =
      depthwise ? &snug__op_depthwise_conv2d_epilogue : &snug__op_conv2d_epilogue;
  return tail.n_covered ? emit(r, id, epilogue, &p, in, &tail)
                        : emit(r, id, n->op, &p.conv, in, &tail);
}

snug_status snug__fuse_matmul(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *n = snug__node_at(r->from, id);
  snug__epilogue_chain tail = tail_of(r, n->out[0]);
  snug__epilogue_chain_take_relu(r, &tail);
  snug__matmul_epilogue_params p = {*(const snug__matmul_params *)n->params, tail.epilogue};
  const snug__id in[] = {snug__rewritten(r, n->in[0]), snug__rewritten(r, n->in[1]),
                         snug__rewritten(r, tail.term)};
  if (!tail.n_covered) {
    return SNUG_OK;
  }
  *replaced = true;
  return emit(r, id, &snug__op_matmul_epilogue, &p, in, &tail);
}
