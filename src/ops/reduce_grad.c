/* The backward of the reductions that need more than a broadcast. */
#include "device/host.h"
#include "ops/reduce.h"
#include "ops/support.h"
#include "ops/unblock.h"

typedef struct pick_job {
  snug__reduce_view view;
  const void *dy, *x, *y;
  void *dx;
  snug_dtype dtype;
} pick_job;

typedef struct norm_job {
  const void *x;
  void *dx;
  snug_dtype dtype;
  double d;
  bool squares;
} norm_job;

#define SNUG_REAL_FILE "ops/reduce_grad_ref.inc"
#include "ops/real.h"

/* ---- of max and min ---- */

static snug_status pick_grad_infer(snug__infer *q) {
  snug__type out[1];
  snug__infer as_forward = *q;
  as_forward.in = &q->in[1];
  as_forward.out = out;
  SNUG_TRY(snug__reduce_infer(&as_forward));
  SNUG_TRY(snug__need_type_of(q, 2, 0));
  if (!snug__type_equal(&q->in[0], &out[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: dy is not of the reduction's type", q->where);
  }
  q->out[0] = q->in[1];
  return SNUG_OK;
}

static void pick_grad_block(const void *arg, int64_t out, int64_t base, int64_t n) {
  const pick_job *j = arg;
  SNUG_REAL_CALL(j->dtype, pick_grad, (j, out, base, n));
}

static void pick_grad_range(void *arg, int64_t begin, int64_t end) {
  const pick_job *j = arg;
  snug__reduce_blocks(&j->view, begin, end, pick_grad_block, j);
}

static snug_status pick_grad_reference(const snug__call *call) {
  const snug__type *x = &call->sig->in[1];
  pick_job j = {
      .dy = call->in[0], .x = call->in[1], .y = call->in[2], .dx = call->out[0], .dtype = x->dtype};
  snug__reduce_view_of(x, snug__reduce_mask(call->sig->params, x->rank), &j.view);
  snug__parallel_ranges(snug__threads(call->sig), j.view.n_out, snug__reduce_least(&j.view),
                        pick_grad_range, &j);
  return SNUG_OK;
}

static snug__cost pick_grad_cost(const snug__signature *sig) {
  return (snug__cost){2.0 * (double)snug__type_count(&sig->in[1]), snug__bytes_moved(sig)};
}

const snug__op snug__op_reduce_pick_grad = {
    .name = "reduce_pick_grad",
    .doc = "(dy, x, y) -> dx of max and min: shared evenly among the elements that equal y",
    .params_bytes = sizeof(snug__reduce_params),
    .fields = snug__reduce_fields,
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .in_place = {1u << 1},
    .infer = pick_grad_infer,
    .reference = pick_grad_reference,
    .cost = pick_grad_cost};

/* ---- of sums of squares and of sizes ---- */

static snug_status norm_grad_infer(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_scalar(q, 0));
  SNUG_TRY(snug__need_real(q, 1));
  q->out[0] = q->in[1];
  return SNUG_OK;
}

static void norm_grad_range(void *arg, int64_t begin, int64_t end) {
  const norm_job *j = arg;
  SNUG_REAL_CALL(j->dtype, norm_grad, (j, begin, end));
}

static snug_status norm_grad_run(const snug__call *call, bool squares) {
  norm_job j = {.x = call->in[1],
                .dx = call->out[0],
                .dtype = call->sig->out[0].dtype,
                .d = snug__element_get(call->sig->in[0].dtype, call->in[0], 0),
                .squares = squares};
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(&call->sig->out[0]), 16384,
                        norm_grad_range, &j);
  return SNUG_OK;
}

static snug_status sum_squares_grad_reference(const snug__call *c) {
  return norm_grad_run(c, true);
}
static snug_status sum_abs_grad_reference(const snug__call *c) { return norm_grad_run(c, false); }

#define NORM_GRAD(op)                                                      \
  const snug__op snug__op_##op##_grad = {.name = #op "_grad",              \
                                         .doc = "(d, x) -> dx of " #op,    \
                                         .min_in = 2,                      \
                                         .max_in = 2,                      \
                                         .min_out = 1,                     \
                                         .max_out = 1,                     \
                                         .in_place = {1u << 1},            \
                                         .infer = norm_grad_infer,         \
                                         .reference = op##_grad_reference, \
                                         .unblock = snug__unblock_flat}

NORM_GRAD(sum_squares);
NORM_GRAD(sum_abs);
