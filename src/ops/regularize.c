/* regularize: l1 Σ|w| + l2 Σw², the penalty that a weight adds to the loss, in the loss's dtype. */
#include "ops/regularize.h"

#include "device/host.h"
#include "ops/loss.h"
#include "ops/unblock.h"

static const snug__field fields[] = {SNUG_FIELD(snug__regularize_params, l1, FLOAT, "0"),
                                     SNUG_FIELD(snug__regularize_params, l2, FLOAT, "0"),
                                     {0}};

typedef struct penalty_job {
  const void *w;
  void *dw;
  snug_dtype dtype;
  double d, l1, l2;
} penalty_job;

#define SNUG_REAL_FILE "ops/regularize_ref.inc"
#include "ops/real.h"

static snug_status infer(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  q->out[0] = snug__scalar(snug__wide_dtype(q->in[0].dtype));
  return SNUG_OK;
}

static snug_status reference(const snug__call *call) {
  const snug__regularize_params *p = call->sig->params;
  const snug__type *w = &call->sig->in[0];
  int64_t n = snug__type_count(w);
  double sum = 0.0;
  SNUG_REAL_CALL(w->dtype, penalty, (call->in[0], n, p->l1, p->l2, &sum));
  snug__element_set(call->sig->out[0].dtype, call->out[0], 0, sum);
  return SNUG_OK;
}

static snug_status grad(snug__grad *g) {
  return g->wants[0] ? SNUG_EMIT(g->g, regularize_grad, g->params, &g->din[0], g->dout[0], g->in[0])
                     : SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){4.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_regularize = {.name = "regularize",
                                      .doc = "l1 Σ|w| + l2 Σw²",
                                      .params_bytes = sizeof(snug__regularize_params),
                                      .fields = fields,
                                      .min_in = 1,
                                      .max_in = 1,
                                      .min_out = 1,
                                      .max_out = 1,
                                      .infer = infer,
                                      .grad = grad,
                                      .reference = reference,
                                      .unblock = snug__unblock_flat,
                                      .cost = cost};

static snug_status grad_infer(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_real(q, 1));
  SNUG_TRY(snug__need_scalar(q, 0));
  q->out[0] = q->in[1];
  return SNUG_OK;
}

static void grad_range(void *arg, int64_t begin, int64_t end) {
  const penalty_job *j = arg;
  SNUG_REAL_CALL(j->dtype, penalty_grad, (j, begin, end));
}

static snug_status grad_reference(const snug__call *call) {
  const snug__regularize_params *p = call->sig->params;
  const snug__type *w = &call->sig->in[1];
  penalty_job j = {.w = call->in[1],
                   .dw = call->out[0],
                   .dtype = w->dtype,
                   .d = snug__element_get(call->sig->in[0].dtype, call->in[0], 0),
                   .l1 = p->l1,
                   .l2 = p->l2};
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(w), 16384, grad_range, &j);
  return SNUG_OK;
}

const snug__op snug__op_regularize_grad = {.name = "regularize_grad",
                                           .doc = "(d, w): d (l1 sign w + 2 l2 w)",
                                           .params_bytes = sizeof(snug__regularize_params),
                                           .fields = fields,
                                           .min_in = 2,
                                           .max_in = 2,
                                           .min_out = 1,
                                           .max_out = 1,
                                           .in_place = {1u << 1},
                                           .infer = grad_infer,
                                           .reference = grad_reference,
                                           .unblock = snug__unblock_flat};
