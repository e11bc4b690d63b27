/* repeat: every element several times in a row along an axis; nearest upsampling is this. */
#include "device/host.h"
#include "ops/copy.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/support.h"
#include "ops/unblock.h"

static const snug__field fields[] = {SNUG_FIELD(snug__repeat_params, axis, INT, NULL),
                                     SNUG_FIELD(snug__repeat_params, repeats, INT, NULL),
                                     {0}};

static snug_status infer(snug__infer *q) {
  const snug__repeat_params *p = q->params;
  int32_t axis = 0;
  SNUG_TRY(snug__need_rank_from(q, 0, 1));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[0].rank, &axis));
  q->out[0] = q->in[0];
  if (p->repeats < 1 || !snug__mul_i64(q->in[0].dim[axis], p->repeats, &q->out[0].dim[axis])) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: repeats=%lld must be 1 or more (and not huge)",
                      q->where, (long long)p->repeats);
  }
  return SNUG_OK;
}

/* A tensor seen as [rows, repeats, inner], the rows holding the repeated axis. */
static snug__type view_of(const snug__type *x, const snug__repeat_params *p) {
  int64_t axis = p->axis < 0 ? p->axis + x->rank : p->axis;
  int64_t dim[3] = {1, p->repeats, 1};
  for (int32_t k = 0; k < x->rank; k++) {
    dim[k <= axis ? 0 : 2] *= x->dim[k];
  }
  return snug__type_of(x->dtype, 3, dim);
}

static snug_status grad(snug__grad *g) {
  snug__type x = *snug__type_at(g->g, g->in[0]);
  snug__type view = view_of(&x, g->params);
  snug__reduce_params sum;
  snug__id d = SNUG_NONE;
  memset(&sum, 0, sizeof sum);
  sum.axes.n = 1;
  sum.axes.v[0] = 1;
  SNUG_TRY(snug__emit_reshape(g->g, g->dout[0], &view, &d));
  SNUG_TRY(SNUG_EMIT(g->g, sum, &sum, &d, d));
  return snug__emit_reshape(g->g, d, &x, &g->din[0]);
}

static snug_status reference(const snug__call *call) {
  snug__type view = view_of(&call->sig->in[0], call->sig->params);
  snug__copy copy = {
      .dst = call->out[0], .src = call->in[0], .bytes = snug_dtype_bytes(view.dtype)};
  snug__copy_axis(&copy, view.dim[0], view.dim[1] * view.dim[2], view.dim[2]);
  snug__copy_axis(&copy, view.dim[1], view.dim[2], 0);
  snug__copy_axis(&copy, view.dim[2], 1, 1);
  snug__copy_run(copy, snug__threads(call->sig));
  return SNUG_OK;
}

static bool unblock(const snug__signature *sig, snug__plain_call *plain) {
  const snug__repeat_params *p = sig->params;
  snug__type y = snug__type_in(sig->out[0], sig->in[0].layout);
  int64_t axis = p->axis < 0 ? p->axis + y.rank : p->axis;
  if (!snug__layout_is_blocked_image(y.layout) || axis == 3) {
    return false;
  }
  plain->in[0] = snug__unblocked_axes(&sig->in[0]);
  plain->out[0] = snug__unblocked_axes(&y);
  plain->want.in[0] = plain->want.out[0] = y.layout;
  ((snug__repeat_params *)plain->params)->axis = snug__unblocked_axis[axis];
  return true;
}

const snug__op snug__op_repeat = {.name = "repeat",
                                  .doc = "every element several times in a row along an axis",
                                  .params_bytes = sizeof(snug__repeat_params),
                                  .fields = fields,
                                  .min_in = 1,
                                  .max_in = 1,
                                  .min_out = 1,
                                  .max_out = 1,
                                  .infer = infer,
                                  .grad = grad,
                                  .reference = reference,
                                  .unblock = unblock,
                                  .cost = snug__move_cost};
