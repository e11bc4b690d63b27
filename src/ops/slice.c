/* slice and pad: a part of a value, and a value as a part of a larger one.  Each is the other's
 * gradient: what a stride leaves out is what `between` puts in. */
#include "device/host.h"
#include "ops/conv.h"
#include "ops/copy.h"
#include "ops/shape.h"
#include "ops/support.h"
#include "ops/unblock.h"

static const snug__field slice_fields[] = {SNUG_FIELD(snug__slice_params, begin, INTS, NULL),
                                           SNUG_FIELD(snug__slice_params, size, INTS, NULL),
                                           SNUG_FIELD(snug__slice_params, strides, INTS, "[]"),
                                           {0}};

static const snug__field pad_fields[] = {SNUG_FIELD(snug__pad_params, before, INTS, NULL),
                                         SNUG_FIELD(snug__pad_params, after, INTS, NULL),
                                         SNUG_FIELD(snug__pad_params, between, INTS, "[]"),
                                         SNUG_FIELD(snug__pad_params, value, FLOAT, "0"),
                                         {0}};

static snug_status need_one_per_axis(const snug__infer *q, const char *name, const snug_ints *l,
                                     bool may_be_empty) {
  if (l->n == q->in[0].rank || (may_be_empty && l->n == 0)) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: %s has %d numbers, but there are %d axes",
                    q->where, name, l->n, q->in[0].rank);
}

static int64_t stride_of(const snug__slice_params *p, int32_t k) {
  return p->strides.n ? p->strides.v[k] : 1;
}

static int64_t between_of(const snug__pad_params *p, int32_t k) {
  return p->between.n ? p->between.v[k] : 0;
}

/* How far apart n elements lie along an axis.  Between fewer than two lies nothing, whatever the
 * parameters say: they may then be so large that products with them overflow. */
static int64_t slice_step(const snug__slice_params *p, int32_t k, int64_t n) {
  return n > 1 ? stride_of(p, k) : 1;
}

static int64_t pad_step(const snug__pad_params *p, int32_t k, int64_t n) {
  return n > 1 ? between_of(p, k) + 1 : 1;
}

/* ---- slice ---- */

static snug_status slice_axis(snug__infer *q, int32_t k) {
  const snug__slice_params *p = q->params;
  int64_t dim = q->in[0].dim[k];
  int64_t begin = p->begin.v[k];
  int64_t stride = stride_of(p, k);
  int64_t size = p->size.v[k];
  bool ok = stride >= 1 && begin >= 0 && begin <= dim;
  int64_t most = ok ? (dim - begin) / stride + ((dim - begin) % stride != 0) : 0;
  q->out[0].dim[k] = size == -1 ? most : size;
  if (ok && size >= -1 && q->out[0].dim[k] <= most) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                    "%s: begin=%lld, size=%lld, stride=%lld do not lie in axis %d of size %lld",
                    q->where, (long long)begin, (long long)size, (long long)stride, k,
                    (long long)dim);
}

static snug_status slice_infer(snug__infer *q) {
  const snug__slice_params *p = q->params;
  SNUG_TRY(need_one_per_axis(q, "begin", &p->begin, false));
  SNUG_TRY(need_one_per_axis(q, "size", &p->size, false));
  SNUG_TRY(need_one_per_axis(q, "strides", &p->strides, true));
  q->out[0] = q->in[0];
  for (int32_t k = 0; k < q->in[0].rank; k++) {
    SNUG_TRY(slice_axis(q, k));
  }
  return SNUG_OK;
}

static snug_status slice_grad(snug__grad *g) {
  const snug__slice_params *p = g->params;
  const snug__type *x = snug__type_at(g->g, g->in[0]);
  const snug__type *y = snug__type_at(g->g, g->out[0]);
  snug__pad_params pad;
  memset(&pad, 0, sizeof pad);
  pad.before.n = pad.after.n = pad.between.n = x->rank;
  for (int32_t k = 0; k < x->rank; k++) {
    int64_t step = slice_step(p, k, y->dim[k]);
    int64_t span = y->dim[k] ? (y->dim[k] - 1) * step + 1 : 0;
    pad.before.v[k] = p->begin.v[k];
    pad.after.v[k] = x->dim[k] - p->begin.v[k] - span;
    pad.between.v[k] = step - 1;
  }
  return SNUG_EMIT(g->g, pad, &pad, &g->din[0], g->dout[0]);
}

static snug_status slice_reference(const snug__call *call) {
  const snug__slice_params *p = call->sig->params;
  const snug__type *y = &call->sig->out[0];
  size_t bytes = snug_dtype_bytes(y->dtype);
  int64_t to[SNUG_MAX_RANK];
  int64_t from[SNUG_MAX_RANK];
  int64_t offset = 0;
  snug__copy copy = {.dst = call->out[0], .bytes = bytes};
  snug__row_major(y, to);
  snug__row_major(&call->sig->in[0], from);
  for (int32_t k = 0; k < y->rank; k++) {
    snug__copy_axis(&copy, y->dim[k], to[k], from[k] * slice_step(p, k, y->dim[k]));
    offset += p->begin.v[k] * from[k];
  }
  copy.src = (const char *)call->in[0] + (size_t)offset * bytes;
  snug__copy_run(copy, snug__threads(call->sig));
  return SNUG_OK;
}

/* Images in blocks: channels from the start of a block on, to the end of one or of all. */
static bool slice_unblock(const snug__signature *sig, snug__plain_call *plain) {
  const snug__slice_params *p = sig->params;
  snug__type y = snug__type_in(sig->out[0], sig->in[0].layout);
  if (!snug__layout_is_blocked_image(y.layout)) {
    return false;
  }
  int64_t b = snug__layout_block(y.layout, 3);
  int64_t begin = p->begin.v[3];
  if (begin % b || slice_step(p, 3, y.dim[3]) != 1 ||
      (y.dim[3] % b && begin + y.dim[3] != sig->in[0].dim[3])) {
    return false;
  }
  plain->in[0] = snug__unblocked_axes(&sig->in[0]);
  plain->out[0] = snug__unblocked_axes(&y);
  plain->want.in[0] = plain->want.out[0] = y.layout;
  snug__slice_params *q = (snug__slice_params *)plain->params;
  memset(q, 0, sizeof *q);
  q->begin.n = q->size.n = q->strides.n = 5;
  for (int32_t k = 0; k < 5; k++) {
    q->size.v[k] = plain->out[0].dim[k];
    q->strides.v[k] = 1;
  }
  for (int32_t k = 0; k < 4; k++) {
    q->begin.v[snug__unblocked_axis[k]] = p->begin.v[k] / (k == 3 ? b : 1);
    q->strides.v[snug__unblocked_axis[k]] = slice_step(p, k, y.dim[k]);
  }
  return true;
}

const snug__op snug__op_slice = {.name = "slice",
                                 .doc = "a box of elements, every stride-th along each axis",
                                 .params_bytes = sizeof(snug__slice_params),
                                 .fields = slice_fields,
                                 .min_in = 1,
                                 .max_in = 1,
                                 .min_out = 1,
                                 .max_out = 1,
                                 .infer = slice_infer,
                                 .grad = slice_grad,
                                 .reference = slice_reference,
                                 .unblock = slice_unblock,
                                 .cost = snug__move_cost};

/* ---- pad ---- */

static bool padded_size(int64_t n, int64_t before, int64_t after, int64_t between, int64_t *out) {
  int64_t gaps = 0;
  return before >= 0 && after >= 0 && between >= 0 &&
         snug__mul_i64(n ? n - 1 : 0, between, &gaps) && snug__add_i64(n, gaps, out) &&
         snug__add_i64(*out, before, out) && snug__add_i64(*out, after, out);
}

static snug_status pad_infer(snug__infer *q) {
  const snug__pad_params *p = q->params;
  SNUG_TRY(need_one_per_axis(q, "before", &p->before, false));
  SNUG_TRY(need_one_per_axis(q, "after", &p->after, false));
  SNUG_TRY(need_one_per_axis(q, "between", &p->between, true));
  q->out[0] = q->in[0];
  for (int32_t k = 0; k < q->in[0].rank; k++) {
    if (!padded_size(q->in[0].dim[k], p->before.v[k], p->after.v[k], between_of(p, k),
                     &q->out[0].dim[k])) {
      return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                        "%s: before=%lld, after=%lld, between=%lld of axis %d must be 0 or more "
                        "(and not overflow); to take away use slice",
                        q->where, (long long)p->before.v[k], (long long)p->after.v[k],
                        (long long)between_of(p, k), k);
    }
  }
  return SNUG_OK;
}

static snug_status pad_grad(snug__grad *g) {
  const snug__pad_params *p = g->params;
  const snug__type *x = snug__type_at(g->g, g->in[0]);
  snug__slice_params slice;
  memset(&slice, 0, sizeof slice);
  slice.begin = p->before;
  slice.size.n = slice.strides.n = x->rank;
  for (int32_t k = 0; k < x->rank; k++) {
    slice.size.v[k] = x->dim[k];
    slice.strides.v[k] = pad_step(p, k, x->dim[k]);
  }
  return SNUG_EMIT(g->g, slice, &slice, &g->din[0], g->dout[0]);
}

static snug_status pad_reference(const snug__call *call) {
  const snug__pad_params *p = call->sig->params;
  const snug__type *x = &call->sig->in[0];
  const snug__type *y = &call->sig->out[0];
  int64_t to[SNUG_MAX_RANK];
  int64_t from[SNUG_MAX_RANK];
  int64_t offset = 0;
  snug__copy copy = {.src = call->in[0], .bytes = snug_dtype_bytes(y->dtype)};
  snug__row_major(y, to);
  snug__row_major(x, from);
  for (int32_t k = 0; k < y->rank; k++) {
    snug__copy_axis(&copy, x->dim[k], to[k] * pad_step(p, k, x->dim[k]), from[k]);
    offset += p->before.v[k] * to[k];
  }
  if (snug__type_count(x) != snug__type_count(y)) {
    snug__fill(y, call->out[0], p->value, snug__threads(call->sig));
  }
  copy.dst = (char *)call->out[0] + (size_t)offset * copy.bytes;
  snug__copy_run(copy, snug__threads(call->sig));
  return SNUG_OK;
}

/* Whether whole blocks of channels are put before those that are there, the last of which is full
 * if others follow; and what is put there may stand in the padding of a block too. */
static bool pads_blocks(const snug__pad_params *p, const snug__type *x, const snug__type *y) {
  int64_t b = snug__layout_block(x->layout, 3);
  return p->before.v[3] % b == 0 && (x->dim[3] % b == 0 || p->after.v[3] == 0) &&
         pad_step(p, 3, x->dim[3]) == 1 && (p->value == 0.0 || !snug__is_padded(y));
}

static bool pad_unblock(const snug__signature *sig, snug__plain_call *plain) {
  const snug__pad_params *p = sig->params;
  snug__type y = snug__type_in(sig->out[0], sig->in[0].layout);
  if (!snug__layout_is_blocked_image(y.layout) || !pads_blocks(p, &sig->in[0], &y)) {
    return false;
  }
  plain->in[0] = snug__unblocked_axes(&sig->in[0]);
  plain->out[0] = snug__unblocked_axes(&y);
  plain->want.in[0] = plain->want.out[0] = y.layout;
  snug__pad_params *q = (snug__pad_params *)plain->params;
  memset(q, 0, sizeof *q);
  q->before.n = q->after.n = q->between.n = 5;
  q->value = p->value;
  for (int32_t k = 0; k < 4; k++) {
    int32_t to = snug__unblocked_axis[k];
    q->before.v[to] = p->before.v[k];
    q->after.v[to] = p->after.v[k];
    q->between.v[to] = pad_step(p, k, sig->in[0].dim[k]) - 1;
  }
  q->before.v[1] = p->before.v[3] / plain->in[0].dim[4];
  q->after.v[1] = plain->out[0].dim[1] - plain->in[0].dim[1] - q->before.v[1];
  return true;
}

const snug__op snug__op_pad = {.name = "pad",
                               .doc = "a value with a border, and gaps between its elements",
                               .params_bytes = sizeof(snug__pad_params),
                               .fields = pad_fields,
                               .min_in = 1,
                               .max_in = 1,
                               .min_out = 1,
                               .max_out = 1,
                               .infer = pad_infer,
                               .grad = pad_grad,
                               .reference = pad_reference,
                               .rewrite = snug__fold_pad,
                               .unblock = pad_unblock,
                               .cost = snug__move_cost};
