/* What every reduction does first: check its axes, and see its input as few axes. */
#include "ops/reduce.h"
#include "ops/support.h"
#include "ops/unblock.h"

const snug__field snug__reduce_fields[] = {SNUG_FIELD(snug__reduce_params, axes, INTS, "[]"),
                                           SNUG_FIELD(snug__reduce_params, keepdims, BOOL, "false"),
                                           {0}};

uint32_t snug__reduce_mask(const snug__reduce_params *p, int32_t rank) {
  uint32_t mask = p->axes.n ? 0 : (1u << rank) - 1;
  for (int32_t i = 0; i < p->axes.n; i++) {
    mask |= 1u << (p->axes.v[i] < 0 ? p->axes.v[i] + rank : p->axes.v[i]);
  }
  return mask;
}

snug_status snug__reduce_infer(snug__infer *q) {
  const snug__reduce_params *p = q->params;
  int64_t dim[SNUG_MAX_RANK] = {0};
  int32_t rank = 0;
  SNUG_TRY(snug__need_real(q, 0));
  for (int32_t i = 0; i < p->axes.n; i++) {
    int32_t axis = 0;
    SNUG_TRY(snug__need_axis(q, "axes", p->axes.v[i], q->in[0].rank, &axis));
  }
  uint32_t mask = snug__reduce_mask(p, q->in[0].rank);
  for (int32_t k = 0; k < q->in[0].rank; k++) {
    if (!(mask >> k & 1)) {
      dim[rank++] = q->in[0].dim[k];
    } else if (p->keepdims) {
      dim[rank++] = 1;
    }
  }
  q->out[0] = snug__type_of(q->in[0].dtype, rank, dim);
  return SNUG_OK;
}

/* What a layout added are zeros: they are nothing to a sum, but would count in a mean and could be
 * a maximum.  Where they are to stay, or images to stay images, the output is one in blocks too. */
static bool can_unblock(const snug__signature *sig, uint32_t mask) {
  const snug__type *x = &sig->in[0];
  bool channels = mask >> 3 & 1;
  bool stays = !channels && (snug__is_padded(x) || !(mask >> 1 & 1));
  return snug__layout_is_blocked_image(x->layout) && (mask >> 1 & 1) == (mask >> 2 & 1) &&
         (!stays || sig->out[0].rank == 4) &&
         (!channels || !snug__is_padded(x) || sig->op == &snug__op_sum);
}

static void keep_axis(snug__reduce_params *p, snug__type *out, int32_t axis, int64_t size,
                      bool reduced) {
  if (reduced) {
    p->axes.v[p->axes.n++] = axis;
  } else {
    out->dim[out->rank++] = size;
  }
}

bool snug__reduce_unblock(const snug__signature *sig, snug__plain_call *plain) {
  const snug__type *x = &sig->in[0];
  snug__reduce_params *p = (snug__reduce_params *)plain->params;
  uint32_t mask = snug__reduce_mask(p, x->rank);
  if (!can_unblock(sig, mask)) {
    return false;
  }
  static const int32_t axis_of[] = {0, 3, 1, 3}; /* n, c/b, h*w, b */
  plain->want.in[0] = x->layout;
  plain->want.out[0] = !(mask >> 3 & 1) && sig->out[0].rank == 4 ? x->layout : SNUG__LAYOUT_PLAIN;
  plain->in[0] = snug__unblocked_image(x);
  plain->out[0] = snug__scalar(sig->out[0].dtype);
  memset(p, 0, sizeof *p);
  for (int32_t k = 0; k < 4; k++) {
    keep_axis(p, &plain->out[0], k, plain->in[0].dim[k], mask >> axis_of[k] & 1);
  }
  return true;
}

snug__type snug__reduce_kept(const snug__type *in, uint32_t mask) {
  snug__type kept = *in;
  for (int32_t k = 0; k < in->rank; k++) {
    kept.dim[k] = mask >> k & 1 ? 1 : in->dim[k];
  }
  return kept;
}

/* The axes of a tensor with neighbours of one fate made one; returns their number. */
static int32_t merge(const snug__type *in, uint32_t mask, int64_t dim[SNUG_MAX_RANK],
                     bool reduced[SNUG_MAX_RANK]) {
  int32_t n = 0;
  for (int32_t k = 0; k < in->rank; k++) {
    bool fate = mask >> k & 1;
    if (n > 0 && reduced[n - 1] == fate) {
      dim[n - 1] *= in->dim[k];
    } else if (in->dim[k] != 1) {
      reduced[n] = fate;
      dim[n++] = in->dim[k];
    }
  }
  return n;
}

void snug__reduce_view_of(const snug__type *in, uint32_t mask, snug__reduce_view *v) {
  int64_t dim[SNUG_MAX_RANK];
  bool reduced[SNUG_MAX_RANK];
  int32_t n = merge(in, mask, dim, reduced);
  int64_t stride = 1;
  memset(v, 0, sizeof *v);
  v->lanes = n && !reduced[n - 1] ? dim[n - 1] : 1;
  v->run = n && reduced[n - 1] ? dim[n - 1] : 1;
  v->n_out = v->lanes;
  v->steps = 1;
  for (int32_t k = n - 1; k >= 0; k--) {
    if (k < n - 1 && reduced[k]) {
      v->reduced_stride[v->n_reduced] = stride;
      v->reduced_dim[v->n_reduced++] = dim[k];
      v->steps *= dim[k];
    } else if (k < n - 1) {
      v->kept_stride[v->n_kept] = stride;
      v->kept_dim[v->n_kept++] = dim[k];
      v->n_out *= dim[k];
    }
    stride *= dim[k];
  }
}

/* The lists stand with the innermost axis first. */
static int64_t offset(int32_t n, const int64_t *dim, const int64_t *stride, int64_t i) {
  int64_t at = 0;
  for (int32_t k = 0; k + 1 < n; k++) {
    at += i % dim[k] * stride[k];
    i /= dim[k];
  }
  return n ? at + i * stride[n - 1] : 0;
}

int64_t snug__reduce_base(const snug__reduce_view *v, int64_t row) {
  return offset(v->n_kept, v->kept_dim, v->kept_stride, row);
}

int64_t snug__reduce_step(const snug__reduce_view *v, int64_t step) {
  return offset(v->n_reduced, v->reduced_dim, v->reduced_stride, step);
}

void snug__reduce_blocks(const snug__reduce_view *v, int64_t begin, int64_t end,
                         void (*block)(const void *arg, int64_t out, int64_t base, int64_t n),
                         const void *arg) {
  int64_t n = 0;
  for (int64_t out = begin; out < end; out += n) {
    int64_t lane = out % v->lanes;
    n = snug__min_i64(snug__min_i64(SNUG__REDUCE_BLOCK, end - out), v->lanes - lane);
    block(arg, out, snug__reduce_base(v, out / v->lanes) + lane, n);
  }
}

int64_t snug__reduce_least(const snug__reduce_view *v) {
  int64_t each = snug__max_i64(1, v->steps * v->run);
  return snug__max_i64(v->lanes > 1 ? 16 : 1, SNUG__REDUCE_LEAST / each);
}
