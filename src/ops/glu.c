/* glu: the gated linear unit.  An axis is cut into halves a and b; y = a sigmoid(b). */
#include "device/host.h"
#include "ops/softmax.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__softmax_params, axis, INT, "-1"), {0}};

/* The type of y from that of x. */
static snug_status halve(const snug__infer *q, int32_t i, snug__type *out) {
  const snug__softmax_params *p = q->params;
  char text[SNUG__TYPE_TEXT_BYTES];
  int32_t axis;
  SNUG_TRY(snug__need_real(q, i));
  SNUG_TRY(snug__need_rank_from(q, i, 1));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[i].rank, &axis));
  *out = q->in[i];
  if (out->dim[axis] % 2 != 0) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: axis %d of %s is odd and cannot be cut in halves",
                      q->where, axis, snug__type_text(out, text));
  }
  out->dim[axis] /= 2;
  return SNUG_OK;
}

static snug_status glu_infer(snug__infer *q) { return halve(q, 0, &q->out[0]); }

static snug_status glu_grad_infer(snug__infer *q) {
  snug__type half;
  char dy[SNUG__TYPE_TEXT_BYTES];
  char want[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(halve(q, 1, &half));
  if (!snug__type_equal(&q->in[0], &half)) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: the gradient is %s and must be %s", q->where,
                      snug__type_text(&q->in[0], dy), snug__type_text(&half, want));
  }
  q->out[0] = q->in[1];
  return SNUG_OK;
}

static snug_status glu_rule(snug__grad *g) {
  return SNUG_EMIT(g->g, glu_grad, g->params, &g->din[0], g->dout[0], g->in[0]);
}

typedef struct glu_job {
  const void *dy, *x;
  void *out;
  snug_dtype dtype;
  int64_t n; /* elements of one half: half the axis times all that lies inside it */
} glu_job;

#define SNUG_REAL_FILE "ops/glu_ref.inc"
#include "ops/real.h"

static void run_glu(void *arg, int64_t begin, int64_t end) {
  const glu_job *j = arg;
  for (int64_t pair = begin; pair < end; pair++) {
    SNUG_REAL_CALL(j->dtype, glu_pair, (j, pair));
  }
}

static void run_glu_grad(void *arg, int64_t begin, int64_t end) {
  const glu_job *j = arg;
  for (int64_t pair = begin; pair < end; pair++) {
    SNUG_REAL_CALL(j->dtype, glu_grad_pair, (j, pair));
  }
}

/* `x` is the type that is cut. */
static snug_status run(const snug__call *call, const snug__type *x, glu_job *job,
                       void (*body)(void *, int64_t, int64_t)) {
  const snug__softmax_params *p = call->sig->params;
  int32_t axis = (int32_t)(p->axis < 0 ? p->axis + x->rank : p->axis);
  job->out = call->out[0];
  job->dtype = x->dtype;
  job->n = x->dim[axis] / 2;
  for (int32_t k = axis + 1; k < x->rank; k++) {
    job->n *= x->dim[k];
  }
  int64_t pairs = job->n ? snug__type_count(x) / (2 * job->n) : 0;
  snug__parallel_ranges(snug__threads(call->sig), pairs, 1 + 2048 / (1 + job->n), body, job);
  return SNUG_OK;
}

static snug_status glu_reference(const snug__call *call) {
  glu_job job = {.x = call->in[0]};
  return run(call, &call->sig->in[0], &job, run_glu);
}

static snug_status glu_grad_reference(const snug__call *call) {
  glu_job job = {.dy = call->in[0], .x = call->in[1]};
  return run(call, &call->sig->in[1], &job, run_glu_grad);
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){12.0 * (double)snug__type_count(&sig->out[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_glu = {.name = "glu",
                               .doc = "one half of an axis times sigmoid of the other",
                               .params_bytes = sizeof(snug__softmax_params),
                               .fields = fields,
                               .min_in = 1,
                               .max_in = 1,
                               .min_out = 1,
                               .max_out = 1,
                               .infer = glu_infer,
                               .grad = glu_rule,
                               .reference = glu_reference,
                               .cost = cost};

const snug__op snug__op_glu_grad = {.name = "glu_grad",
                                    .doc = "the gradient of glu, from (dy, x)",
                                    .params_bytes = sizeof(snug__softmax_params),
                                    .fields = fields,
                                    .min_in = 2,
                                    .max_in = 2,
                                    .min_out = 1,
                                    .max_out = 1,
                                    .in_place = {2},
                                    .infer = glu_grad_infer,
                                    .reference = glu_grad_reference,
                                    .cost = cost};
