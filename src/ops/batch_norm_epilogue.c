/* Batch normalization with what often stands behind it, a residual sum and an activation, in one
 * op.  Passes make these from the plain ops, so there is no gradient rule. */
#include "ops/batch_norm.h"
#include "ops/norm.h"
#include "ops/support.h"

typedef struct epilogue_job {
  snug__bn_job bn;
  snug__epilogue epilogue;
  const void *residual, *y; /* NULL: none */
  void *dresidual;          /* NULL: not wanted */
} epilogue_job;

#define SNUG_REAL_FILE "ops/batch_norm_epilogue_ref.inc"
#include "ops/real.h"

static void forward_range(void *arg, int64_t begin, int64_t end) {
  const epilogue_job *p = arg;
  SNUG_REAL_CALL(p->bn.dtype, epilogue_forward, (p, begin, end));
}

static void sums_range(void *arg, int64_t begin, int64_t end) {
  const epilogue_job *p = arg;
  SNUG_REAL_CALL(p->bn.dtype, epilogue_sums, (p, begin, end));
}

static void backward_range(void *arg, int64_t begin, int64_t end) {
  const epilogue_job *p = arg;
  SNUG_REAL_CALL(p->bn.dtype, epilogue_backward, (p, begin, end));
}

static const void *input(const snug__call *call, int32_t i) {
  return i < call->sig->n_in ? call->in[i] : NULL;
}

/* ---- forward ---- */

static const snug__field fields[] = {
    SNUG_FIELD(snug__batch_norm_epilogue_params, epsilon, FLOAT, "1e-3"),
    SNUG__EPILOGUE_FIELDS(snug__batch_norm_epilogue_params, epilogue),
    {0}};

static snug_status infer(snug__infer *q, int32_t residual) {
  const snug__batch_norm_epilogue_params *p = q->params;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank_from(q, 0, 1));
  SNUG_TRY(snug__norm_need_gamma_beta(q, 1));
  if (residual < q->n_in && q->in[residual].dtype) {
    SNUG_TRY(snug__need_type_of(q, residual, 0));
  }
  q->out[0] = q->in[0];
  SNUG_TRY(snug__need_epilogue(q, &p->epilogue));
  return snug__norm_need_epsilon(q, p->epsilon);
}

static snug_status run_forward(const snug__call *call, snug__bn_job *j, int32_t residual) {
  const snug__batch_norm_epilogue_params *params = call->sig->params;
  snug__bn_fold(call, j, 1, 2, params->epsilon);
  j->x = call->in[0];
  j->y = call->out[0];
  epilogue_job p = {.bn = *j,
                    .epilogue = snug__epilogue_for(&params->epilogue, j->dtype),
                    .residual = input(call, residual)};
  snug__bn_over_rows(call, j, forward_range, &p);
  return SNUG_OK;
}

static snug__cost forward_cost(const snug__signature *sig) {
  return (snug__cost){9.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

static snug_status train_infer(snug__infer *q) {
  SNUG_TRY(infer(q, 3));
  int64_t channels = q->in[0].dim[q->in[0].rank - 1];
  q->out[1] = q->out[2] = snug__type_of(snug__wide_dtype(q->in[0].dtype), 1, &channels);
  return SNUG_OK;
}

/* y is made from the statistics as they are given out, so that it can be recomputed from them. */
static snug_status train_reference(const snug__call *call) {
  snug__bn_job j = snug__bn_job_of(call);
  snug_dtype wide = call->sig->out[1].dtype;
  j.x = call->in[0];
  snug__bn_moments(call, &j);
  for (int64_t c = 0; c < j.channels; c++) {
    j.mean[c] = snug__element_get(wide, call->out[1], c);
    j.scale[c] = snug__element_get(wide, call->out[2], c);
  }
  return run_forward(call, &j, 3);
}

static void train_recompute(const snug__node *node, snug__recompute *out) {
  const snug__id in[] = {node->in[0],
                         node->n_in > 1 ? node->in[1] : SNUG_NONE,
                         node->n_in > 2 ? node->in[2] : SNUG_NONE,
                         node->out[1],
                         node->out[2],
                         node->n_in > 3 ? node->in[3] : SNUG_NONE};
  out->op = &snug__op_batch_norm_infer_epilogue;
  out->n_in = (int32_t)SNUG_COUNT(in);
  memcpy(out->in, in, sizeof in);
  memcpy(out->params, node->params, sizeof(snug__batch_norm_epilogue_params));
}

const snug__op snug__op_batch_norm_train_epilogue = {
    .name = "batch_norm_train_epilogue",
    .doc =
        "(x, gamma?, beta?, residual?) -> y, mean, variance: batch_norm_train, then a sum and an "
        "activation",
    .params_bytes = sizeof(snug__batch_norm_epilogue_params),
    .fields = fields,
    .min_in = 1,
    .max_in = 4,
    .min_out = 3,
    .max_out = 3,
    .in_place = {1u << 0 | 1u << 3},
    .infer = train_infer,
    .reference = train_reference,
    .recompute = train_recompute,
    .scratch = snug__bn_scratch,
    .cost = forward_cost};

static snug_status infer_infer(snug__infer *q) {
  SNUG_TRY(infer(q, 5));
  SNUG_TRY(snug__need_rank(q, 3, 1));
  SNUG_TRY(snug__need_rank(q, 4, 1));
  SNUG_TRY(snug__norm_need_vector(q, 3, 0, 1));
  return snug__norm_need_vector(q, 4, 0, 1);
}

static snug_status infer_reference(const snug__call *call) {
  snug__bn_job j = snug__bn_job_of(call);
  snug__norm_read(call, 3, j.channels, 0.0, j.mean);
  snug__norm_read(call, 4, j.channels, 0.0, j.scale);
  return run_forward(call, &j, 5);
}

const snug__op snug__op_batch_norm_infer_epilogue = {
    .name = "batch_norm_infer_epilogue",
    .doc =
        "(x, gamma?, beta?, mean, variance, residual?) -> y: batch_norm_infer, then a sum and an "
        "activation",
    .params_bytes = sizeof(snug__batch_norm_epilogue_params),
    .fields = fields,
    .min_in = 5,
    .max_in = 6,
    .min_out = 1,
    .max_out = 1,
    .flags = SNUG__OP_CHEAP,
    .in_place = {1u << 0 | 1u << 5},
    .infer = infer_infer,
    .reference = infer_reference,
    .scratch = snug__bn_scratch,
    .cost = forward_cost};

/* ---- backward ---- */

static const snug__field grad_fields[] = {
    SNUG_FIELD(snug__batch_norm_epilogue_grad_params, epsilon, FLOAT, "1e-3"),
    SNUG_CHOICE(snug__batch_norm_epilogue_grad_params, dtype, snug__dtype_choices, "float32"),
    SNUG__EPILOGUE_FIELDS(snug__batch_norm_epilogue_grad_params, epilogue),
    {0}};

static snug_status need_y(const snug__infer *q, const snug__epilogue *epilogue) {
  if (q->n_in < 7 || !q->in[6].dtype) {
    return SNUG_OK;
  }
  if (epilogue->activation == SNUG__SWISH) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: the slope of swish cannot be had from y",
                      q->where);
  }
  return snug__need_type_of(q, 6, 0);
}

static snug_status grad_infer(snug__infer *q) {
  const snug__batch_norm_epilogue_grad_params *p = q->params;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank_from(q, 0, 1));
  SNUG_TRY(snug__need_type_of(q, 1, 0));
  SNUG_TRY(snug__need_rank(q, 2, 1));
  SNUG_TRY(snug__need_rank(q, 3, 1));
  for (int32_t i = 2; i < 6; i++) {
    SNUG_TRY(snug__norm_need_vector(q, i, 0, 1));
  }
  int64_t channels = q->in[0].dim[q->in[0].rank - 1];
  q->out[0] = q->out[3] = q->in[0];
  q->out[1] = q->out[2] = snug__type_of((snug_dtype)p->dtype, 1, &channels);
  SNUG_TRY(snug__need_epilogue(q, &p->epilogue));
  SNUG_TRY(need_y(q, &p->epilogue));
  return snug__norm_need_epsilon(q, p->epsilon);
}

/* dgamma and dbeta from the sums, which then become what epilogue_backward reads. */
static void finish_sums(const snug__call *call, snug__bn_job *j, double epsilon, double *rstd) {
  double n = (double)snug__max_i64(1, j->rows);
  snug__norm_read(call, 3, j->channels, 0.0, rstd);
  for (int64_t c = 0; c < j->channels; c++) {
    rstd[c] = 1.0 / sqrt(rstd[c] + epsilon);
    j->product[c] *= rstd[c];
  }
  snug__norm_write(call, 1, j->channels, j->product);
  snug__norm_write(call, 2, j->channels, j->sum);
  for (int64_t c = 0; c < j->channels; c++) {
    j->sum[c] /= n;
    j->product[c] *= rstd[c] / n;
  }
}

static snug_status grad_reference(const snug__call *call) {
  const snug__batch_norm_epilogue_grad_params *params = call->sig->params;
  epilogue_job p = {.bn = snug__bn_job_of(call), .y = input(call, 6)};
  snug__bn_job *j = &p.bn;
  p.epilogue = snug__epilogue_for(&params->epilogue, j->dtype);
  p.dresidual = snug__norm_out(call, 3);
  j->dy = call->in[0];
  j->x = call->in[1];
  j->y = snug__norm_out(call, 0);
  snug__norm_read(call, 2, j->channels, 0.0, j->mean);
  snug__norm_read(call, 3, j->channels, 0.0, j->scale);
  snug__bn_fold(call, j, 4, 5, params->epsilon);
  snug__bn_over_channels(call, j, sums_range, &p);
  finish_sums(call, j, params->epsilon, (double *)call->scratch + SNUG__BN_VECTORS * j->channels);
  snug__bn_over_rows(call, j, backward_range, &p);
  return SNUG_OK;
}

static size_t grad_scratch(const snug__signature *sig) {
  return snug__bn_scratch(sig) / SNUG__BN_VECTORS * (SNUG__BN_VECTORS + 1);
}

static snug__cost grad_cost(const snug__signature *sig) {
  return (snug__cost){12.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_batch_norm_train_epilogue_grad = {
    .name = "batch_norm_train_epilogue_grad",
    .doc =
        "(dy, x, mean, variance, gamma?, beta?, y?) -> dx?, dgamma?, dbeta?, dresidual? of "
        "batch_norm_train_epilogue",
    .params_bytes = sizeof(snug__batch_norm_epilogue_grad_params),
    .fields = grad_fields,
    .min_in = 4,
    .max_in = 7,
    .min_out = 0,
    .max_out = 4,
    .in_place = {1u << 0 | 1u << 1 | 1u << 6, 0, 0, 1u << 0 | 1u << 6},
    .infer = grad_infer,
    .reference = grad_reference,
    .scratch = grad_scratch,
    .cost = grad_cost};
