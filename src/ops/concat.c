/* concat: values one after the other along an axis. */
#include "device/host.h"
#include "ops/copy.h"
#include "ops/shape.h"
#include "ops/support.h"
#include "ops/unblock.h"

static const snug__field fields[] = {SNUG_FIELD(snug__concat_params, axis, INT, "-1"), {0}};

/* Input i must be as input 0 but for its size along the axis, which adds to the output's. */
static snug_status add_size(snug__infer *q, int32_t i, int32_t axis) {
  snug__type as_first = q->in[i];
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(snug__need_dtype_of(q, i, 0));
  SNUG_TRY(snug__need_rank(q, i, q->in[0].rank));
  as_first.dim[axis] = q->in[0].dim[axis];
  if (!snug__shape_equal(&as_first, &q->in[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: input %d, %s, and input 0, %s, may differ along axis %d only", q->where,
                      i, snug__type_text(&q->in[i], a), snug__type_text(&q->in[0], b), axis);
  }
  if (!snug__add_i64(q->out[0].dim[axis], q->in[i].dim[axis], &q->out[0].dim[axis])) {
    return snug__fail(q->ctx, SNUG_E_OVERFLOW, "%s: too long along axis %d", q->where, axis);
  }
  return SNUG_OK;
}

static snug_status infer(snug__infer *q) {
  const snug__concat_params *p = q->params;
  int32_t axis = 0;
  SNUG_TRY(snug__need_rank_from(q, 0, 1));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[0].rank, &axis));
  q->out[0] = q->in[0];
  for (int32_t i = 1; i < q->n_in; i++) {
    SNUG_TRY(add_size(q, i, axis));
  }
  return SNUG_OK;
}

static snug_status grad(snug__grad *g) {
  const snug__concat_params *p = g->params;
  snug__type first = *snug__type_at(g->g, g->in[0]);
  int64_t axis = p->axis < 0 ? p->axis + first.rank : p->axis;
  snug__slice_params slice;
  memset(&slice, 0, sizeof slice);
  slice.begin.n = slice.size.n = first.rank;
  memcpy(slice.size.v, first.dim, sizeof first.dim);
  for (int32_t i = 0; i < g->n_in; i++) {
    slice.size.v[axis] = snug__type_at(g->g, g->in[i])->dim[axis];
    if (g->wants[i]) {
      SNUG_TRY(SNUG_EMIT(g->g, slice, &slice, &g->din[i], g->dout[0]));
    }
    slice.begin.v[axis] += slice.size.v[axis];
  }
  return SNUG_OK;
}

static snug_status reference(const snug__call *call) {
  const snug__concat_params *p = call->sig->params;
  const snug__type *to = &call->sig->out[0];
  int64_t axis = p->axis < 0 ? p->axis + to->rank : p->axis;
  size_t bytes = snug_dtype_bytes(to->dtype);
  char *dst = call->out[0];
  int64_t outer = 1;
  int64_t inner = 1;
  for (int32_t k = 0; k < to->rank; k++) {
    *(k < axis ? &outer : &inner) *= k == axis ? 1 : to->dim[k];
  }
  for (int32_t i = 0; i < call->sig->n_in; i++) {
    int64_t run = call->sig->in[i].dim[axis] * inner;
    snug__copy copy = {.dst = dst, .src = call->in[i], .bytes = bytes};
    snug__copy_axis(&copy, outer, to->dim[axis] * inner, run);
    snug__copy_axis(&copy, run, 1, 1);
    snug__copy_run(copy, snug__threads(call->sig));
    dst += (size_t)run * bytes;
  }
  return SNUG_OK;
}

/* Images in blocks: of channels all but the last must fill theirs. */
static bool unblock(const snug__signature *sig, snug__plain_call *plain) {
  const snug__concat_params *p = sig->params;
  snug__layout layout = snug__image_layout(sig);
  int64_t axis = p->axis < 0 ? p->axis + sig->out[0].rank : p->axis;
  bool ok = layout != SNUG__LAYOUT_PLAIN;
  for (int32_t i = 0; ok && i < sig->n_in; i++) {
    snug__type image = snug__type_in(sig->in[i], layout);
    plain->in[i] = snug__unblocked_axes(&image);
    plain->want.in[i] = layout;
    ok = axis != 3 || i + 1 == sig->n_in || !snug__is_padded(&image);
  }
  if (ok) {
    snug__type image = snug__type_in(sig->out[0], layout);
    plain->out[0] = snug__unblocked_axes(&image);
    plain->want.out[0] = layout;
    ((snug__concat_params *)plain->params)->axis = snug__unblocked_axis[axis];
  }
  return ok;
}

const snug__op snug__op_concat = {.name = "concat",
                                  .doc = "values one after the other along an axis",
                                  .params_bytes = sizeof(snug__concat_params),
                                  .fields = fields,
                                  .min_in = 1,
                                  .max_in = SNUG__MAX_IN,
                                  .min_out = 1,
                                  .max_out = 1,
                                  .infer = infer,
                                  .grad = grad,
                                  .reference = reference,
                                  .unblock = unblock,
                                  .cost = snug__move_cost};
