/* Zero padding before a convolution is folded into it, where it is what padding=same would add.
 *
 * The rule of pad asks every reader whether it can do without; if all can, the padded value
 * vanishes, and the readers' own rules (here too) read what was padded.  Backward, the data
 * gradient of the padded value and the slice behind it become the gradient of what was padded. */
#include "graph/rewrite.h"
#include "ops/conv.h"
#include "ops/shape.h"
#include "ops/support.h"

/* A border of zeros around the height and width of images. */
static bool is_border(const snug__pad_params *p) {
  for (int32_t k = 0; k < p->between.n; k++) {
    if (p->between.v[k]) {
      return false;
    }
  }
  return p->before.n == 4 && p->value == 0.0 && !p->before.v[0] && !p->before.v[3] &&
         !p->after.v[0] && !p->after.v[3];
}

/* Whether padding=same puts `before` in front of an axis of x, and makes as many outputs. */
static bool is_same(const snug__conv2d_params *p, int32_t axis, int64_t in, int64_t kernel,
                    int64_t before, int64_t out) {
  snug__window w =
      snug__window_of(in, kernel, p->strides.v[axis], p->dilation.v[axis], SNUG__PADDING_SAME);
  return w.before == before && w.out == out;
}

static bool folds(const snug__conv2d_params *conv, const snug__type *x, const snug__type *kernel,
                  const snug__type *y, const int64_t before[2]) {
  return conv->padding == SNUG__PADDING_VALID &&
         is_same(conv, 0, x->dim[1], kernel->dim[0], before[0], y->dim[1]) &&
         is_same(conv, 1, x->dim[2], kernel->dim[1], before[1], y->dim[2]);
}

static bool is_forward(const snug__node *n) {
  return n->op == &snug__op_conv2d || n->op == &snug__op_depthwise_conv2d;
}

static bool is_weight_gradient(const snug__node *n) {
  return n->op == &snug__op_conv2d_bwd_weights || n->op == &snug__op_depthwise_conv2d_bwd_weights;
}

/* Whether a reader of the padded value can read x instead. */
static bool reader_folds(const snug__rewrite *r, snug__id id, snug__id padded, const snug__type *x,
                         const int64_t before[2]) {
  const snug__node *n = snug__node_at(r->from, id);
  if ((!is_forward(n) && !is_weight_gradient(n)) || n->in[0] != padded || n->in[1] == padded) {
    return false;
  }
  snug__id kernel = is_forward(n) ? n->in[1] : n->out[0];
  snug__id y = is_forward(n) ? n->out[0] : n->in[1];
  return folds(n->params, x, snug__type_at(r->from, kernel), snug__type_at(r->from, y), before);
}

snug_status snug__fold_pad(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *pad = snug__node_at(r->from, id);
  const snug__pad_params *p = pad->params;
  size_t n = 0;
  const snug__id *readers = snug__readers(&r->uses, pad->out[0], &n);
  if (!is_border(p) || r->uses.is_output[pad->out[0]]) {
    return SNUG_OK;
  }
  const int64_t before[2] = {p->before.v[1], p->before.v[2]};
  for (size_t i = 0; i < n; i++) {
    if (!reader_folds(r, readers[i], pad->out[0], snug__type_at(r->from, pad->in[0]), before)) {
      return SNUG_OK;
    }
  }
  *replaced = true;
  return SNUG_OK;
}

snug__id snug__unpadded(const snug__rewrite *r, snug__id x) {
  snug__id id = snug__value_at(r->from, x)->producer;
  if (snug__rewritten(r, x) != SNUG_NONE || id == SNUG_NONE) {
    return SNUG_NONE;
  }
  return snug__rewritten(r, snug__node_at(r->from, id)->in[0]);
}

/* Add a node in place of an old one whose only output is then `out`. */
static snug_status put(snug__rewrite *r, snug__id id, const snug__conv2d_bwd_params *p,
                       const snug__id in[2], snug__id out) {
  snug__id made = SNUG_NONE;
  snug__rewrite_as(r, id);
  SNUG_TRY(snug__graph_add(r->to, snug__node_at(r->from, id)->op, p, in, 2, &made, 1));
  snug__rewrite_map(r, out, made);
  return SNUG_OK;
}

snug_status snug__fold_weight_gradient(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *n = snug__node_at(r->from, id);
  const snug__id in[2] = {snug__unpadded(r, n->in[0]), snug__rewritten(r, n->in[1])};
  snug__conv2d_bwd_params p = *(const snug__conv2d_bwd_params *)n->params;
  if (in[0] == SNUG_NONE) {
    return SNUG_OK;
  }
  p.conv.padding = SNUG__PADDING_SAME;
  *replaced = true;
  return put(r, id, &p, in, n->out[0]);
}

/* The slice that cuts the border off again: x's sizes, where the border was before[]. */
static bool is_cut(const snug__node *slice, int64_t before[2]) {
  if (!slice || slice->op != &snug__op_slice) {
    return false;
  }
  const snug__slice_params *p = slice->params;
  for (int32_t k = 0; k < p->strides.n; k++) {
    if (p->strides.v[k] != 1) {
      return false;
    }
  }
  before[0] = p->begin.v[1];
  before[1] = p->begin.v[2];
  return p->begin.n == 4 && !p->begin.v[0] && !p->begin.v[3];
}

snug_status snug__fold_data_gradient(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *n = snug__node_at(r->from, id);
  const snug__type *padded = snug__type_at(r->from, n->out[0]);
  snug__id slice = snug__sole_reader(&r->uses, n->out[0]);
  snug__conv2d_bwd_params p = *(const snug__conv2d_bwd_params *)n->params;
  int64_t before[2];
  if (slice == SNUG_NONE || !is_cut(snug__node_at(r->from, slice), before)) {
    return SNUG_OK;
  }
  snug__id out = snug__node_at(r->from, slice)->out[0];
  const snug__type *x = snug__type_at(r->from, out);
  if (x->dim[0] != padded->dim[0] || x->dim[3] != padded->dim[3] ||
      !folds(&p.conv, x, snug__type_at(r->from, n->in[1]), snug__type_at(r->from, n->in[0]),
             before)) {
    return SNUG_OK;
  }
  const snug__id in[2] = {snug__rewritten(r, n->in[0]), snug__rewritten(r, n->in[1])};
  p.conv.padding = SNUG__PADDING_SAME;
  p.shape = snug__shape_param(x);
  snug__rewrite_cover(r, slice);
  *replaced = true;
  return put(r, id, &p, in, out);
}
