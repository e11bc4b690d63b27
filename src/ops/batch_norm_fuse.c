/* Fusion rules of batch normalization: a residual sum and an activation behind it go into one op,
 * and backward the slope of the activation goes into the gradient of the normalization.
 *
 * Forward, the rule stands at the normalization and looks at who reads y.  Backward, it stands at
 * the gradient of the activation, which comes first.  Where the forward was fused y itself is gone:
 * then the value before the activation is recomputed from x inside the gradient.  swish's gradient
 * reads that value, so it is fused in both directions or in none.
 *
 * A normalization with nothing behind it becomes the same op: its y can be recomputed from what the
 * backward keeps. */
#include "ops/batch_norm.h"
#include "ops/fuse.h"
#include "ops/norm.h"
#include "ops/support.h"
#include "ops/unary.h"

static const snug__node *node_of(const snug__rewrite *r, snug__id id) {
  return id == SNUG_NONE ? NULL : snug__node_at(r->from, id);
}

static const snug__node *producer_of(const snug__rewrite *r, snug__id value) {
  return value == SNUG_NONE ? NULL : node_of(r, snug__value_at(r->from, value)->producer);
}

/* ---- backward: what belongs to which normalization ---- */

/* The gradient of `bn` that reads ds as its dy, or SNUG_NONE. */
static snug__id find_norm_grad(const snug__rewrite *r, const snug__node *bn, snug__id ds) {
  size_t n = 0;
  const snug__id *readers = snug__readers(&r->uses, ds, &n);
  for (size_t i = 0; i < n; i++) {
    const snug__node *g = snug__node_at(r->from, readers[i]);
    if (snug__node_is(g, &snug__op_batch_norm_train_grad) && g->in[0] == ds &&
        g->in[1] == bn->in[0] && g->in[3] == bn->out[1]) {
      return readers[i];
    }
  }
  return SNUG_NONE;
}

/* silu_grad, which reads y beside silu, if its only reader is the gradient of `bn`. */
static bool swish_is_ours(const snug__rewrite *r, const snug__node *bn, const snug__node *grad) {
  return snug__node_is(grad, &snug__op_silu_grad) && grad->in[1] == bn->out[0] &&
         grad->in[0] != bn->out[0] && snug__sole_reader(&r->uses, grad->out[0]) != SNUG_NONE &&
         find_norm_grad(r, bn, grad->out[0]) != SNUG_NONE;
}

/* ---- forward ---- */

/* swish, read by nobody but itself and its gradient. */
static void take_swish(const snug__rewrite *r, const snug__node *bn, snug__epilogue_chain *t) {
  size_t n = 0;
  const snug__id *readers = snug__readers(&r->uses, t->out, &n);
  const snug__node *first = n ? snug__node_at(r->from, readers[0]) : NULL;
  if (!snug__node_is(first, &snug__op_silu) || r->uses.is_output[t->out] || n > 2 ||
      (n == 2 && !swish_is_ours(r, bn, snug__node_at(r->from, readers[1])))) {
    return;
  }
  t->epilogue = (snug__epilogue){.activation = SNUG__SWISH, .max_value = INFINITY};
  snug__epilogue_chain_take(t, readers[0], first->out[0]);
}

static snug__epilogue_chain tail_of(const snug__rewrite *r, const snug__node *bn) {
  snug__epilogue_chain t = snug__epilogue_chain_of(bn->out[0]);
  snug__epilogue_chain_take_sum(r, snug__type_at(r->from, t.out), &t);
  snug__epilogue_chain_take_relu(r, &t);
  if (t.n_covered == 0) {
    take_swish(r, bn, &t);
  }
  return t;
}

/* Inputs of the fused op: those of the plain one, then the residual. */
static int32_t fused_inputs(const snug__rewrite *r, const snug__node *bn, int32_t plain,
                            const snug__epilogue_chain *t, snug__id *in) {
  for (int32_t i = 0; i < plain; i++) {
    in[i] = snug__rewritten(r, i < bn->n_in ? bn->in[i] : SNUG_NONE);
  }
  in[plain] = snug__rewritten(r, t->term);
  return plain + 1;
}

static snug_status fuse_forward(snug__rewrite *r, snug__id id, const snug__op *op, int32_t plain,
                                bool *replaced) {
  const snug__node *bn = snug__node_at(r->from, id);
  const snug__batch_norm_params *p = bn->params;
  snug__epilogue_chain t = tail_of(r, bn);
  snug__id in[8];
  snug__id out[SNUG__MAX_OUT];
  snug__batch_norm_epilogue_params params = {p->epsilon, t.epilogue};
  snug__rewrite_as(r, id);
  int32_t n_in = fused_inputs(r, bn, plain, &t, in);
  SNUG_TRY(snug__graph_add(r->to, op, &params, in, n_in, out, op->max_out));
  snug__epilogue_chain_replace(r, &t, out[0]);
  for (int32_t k = 1; k < op->max_out; k++) {
    snug__rewrite_map(r, bn->out[k], out[k]);
  }
  *replaced = true;
  return SNUG_OK;
}

snug_status snug__fuse_batch_norm_train(snug__rewrite *r, snug__id id, bool *replaced) {
  return fuse_forward(r, id, &snug__op_batch_norm_train_epilogue, 3, replaced);
}

snug_status snug__fuse_batch_norm_infer(snug__rewrite *r, snug__id id, bool *replaced) {
  return fuse_forward(r, id, &snug__op_batch_norm_infer_epilogue, 5, replaced);
}

/* ---- backward ---- */

/* The normalization that went, with this activation, into one op; NULL if none did. */
static const snug__node *fused_norm(const snug__rewrite *r, snug__id before) {
  const snug__node *node = producer_of(r, before);
  for (int32_t i = 0; snug__node_is(node, &snug__op_add) && i < 2; i++) {
    const snug__node *bn = producer_of(r, node->in[i]);
    if (snug__node_is(bn, &snug__op_batch_norm_train) &&
        snug__rewritten(r, bn->out[0]) == SNUG_NONE) {
      return bn;
    }
  }
  return snug__node_is(node, &snug__op_batch_norm_train) && snug__rewritten(r, before) == SNUG_NONE
             ? node
             : NULL;
}

/* The gradient of a fused activation and normalization in one. */
typedef struct pair {
  const snug__node *act_grad, *bn, *bn_grad;
  snug__id y; /* old value: where the slope must come from it, else SNUG_NONE */
  snug__epilogue epilogue;
} pair;

static snug_status emit_pair(snug__rewrite *r, const pair *p, bool keep_slope) {
  const snug__norm_grad_params *g = p->bn_grad->params;
  snug__batch_norm_epilogue_grad_params params = {g->epsilon, g->dtype, p->epilogue};
  const snug__id old[] = {p->act_grad->in[0],
                          p->bn->in[0],
                          p->bn->out[1],
                          p->bn->out[2],
                          p->bn->n_in > 1 ? p->bn->in[1] : SNUG_NONE,
                          p->bn->n_in > 2 ? p->bn->in[2] : SNUG_NONE,
                          p->y};
  snug__id in[SNUG_COUNT(old)];
  for (size_t i = 0; i < SNUG_COUNT(old); i++) {
    in[i] = snug__rewritten(r, old[i]);
  }
  SNUG_TRY(snug__graph_add(r->to, &snug__op_batch_norm_train_epilogue_grad, &params, in,
                           (int32_t)SNUG_COUNT(old), NULL, 0));
  snug__id node = (snug__id)r->to->nodes.n - 1;
  const snug__id outs[] = {p->bn_grad->out[0], p->bn_grad->out[1], p->bn_grad->out[2],
                           keep_slope ? p->act_grad->out[0] : SNUG_NONE};
  for (int32_t k = 0; k < (int32_t)SNUG_COUNT(outs); k++) {
    snug__id made = SNUG_NONE;
    if (outs[k] != SNUG_NONE) {
      SNUG_TRY(snug__graph_want_output(r->to, node, k, &made));
      snug__rewrite_map(r, outs[k], made);
    }
  }
  return SNUG_OK;
}

snug_status snug__fuse_activation_grad(snug__rewrite *r, snug__id id, bool *replaced) {
  pair p = {.act_grad = snug__node_at(r->from, id), .y = SNUG_NONE};
  snug__id v = p.act_grad->in[1];
  bool is_relu = snug__node_is(p.act_grad, &snug__op_relu_grad);
  const snug__node *relu = is_relu ? producer_of(r, v) : NULL;
  if (!snug__node_is(p.act_grad, &snug__op_silu_grad) && !snug__node_is(relu, &snug__op_relu)) {
    return SNUG_OK;
  }
  snug__id before = relu ? relu->in[0] : v;
  p.bn = fused_norm(r, before);
  snug__id bn_grad = p.bn ? find_norm_grad(r, p.bn, p.act_grad->out[0]) : SNUG_NONE;
  if (bn_grad == SNUG_NONE) {
    return SNUG_OK;
  }
  bool summed = p.bn->out[0] != before;
  bool alone = snug__sole_reader(&r->uses, p.act_grad->out[0]) != SNUG_NONE;
  p.bn_grad = snug__node_at(r->from, bn_grad);
  p.y = summed ? v : SNUG_NONE;
  p.epilogue =
      relu ? (snug__epilogue){SNUG__RELU, ((const snug__relu_params *)relu->params)->max_value}
           : (snug__epilogue){SNUG__SWISH, INFINITY};
  snug__rewrite_as(r, id);
  SNUG_TRY(emit_pair(r, &p, !alone));
  snug__rewrite_cover(r, bn_grad);
  *replaced = true;
  return SNUG_OK;
}
