/* Batch normalization over all axes but the last: y = (x - mean) / sqrt(variance + epsilon) gamma
 * + beta, with the statistics of the batch (train) or given ones (infer, and frozen layers).
 *
 * Threads share out channels where something is summed and rows where not. */
#include "ops/batch_norm.h"

#include "device/host.h"
#include "ops/norm.h"
#include "ops/support.h"

#define BLOCK 512 /* channels that are summed at once: their sums stay in the first cache */

#define SNUG_REAL_FILE "ops/batch_norm_ref.inc"
#include "ops/real.h"

static void moments_range(void *arg, int64_t begin, int64_t end) {
  const snug__bn_job *j = arg;
  SNUG_REAL_CALL(j->dtype, bn_moments, (j, begin, end));
}

static void affine_range(void *arg, int64_t begin, int64_t end) {
  const snug__bn_job *j = arg;
  SNUG_REAL_CALL(j->dtype, bn_affine, (j, begin, end));
}

static void sums_range(void *arg, int64_t begin, int64_t end) {
  const snug__bn_job *j = arg;
  SNUG_REAL_CALL(j->dtype, bn_sums, (j, begin, end));
}

static void dx_range(void *arg, int64_t begin, int64_t end) {
  const snug__bn_job *j = arg;
  SNUG_REAL_CALL(j->dtype, bn_dx, (j, begin, end));
}

void snug__bn_over_channels(const snug__call *call, const snug__bn_job *j,
                            void (*body)(void *arg, int64_t begin, int64_t end), void *arg) {
  int64_t least = snug__max_i64(16, 16384 / snug__max_i64(1, j->rows));
  snug__parallel_ranges(snug__threads(call->sig), j->channels, least, body, arg);
}

void snug__bn_over_rows(const snug__call *call, const snug__bn_job *j,
                        void (*body)(void *arg, int64_t begin, int64_t end), void *arg) {
  int64_t least = 1 + 16384 / snug__max_i64(1, j->channels);
  snug__parallel_ranges(snug__threads(call->sig), j->rows, least, body, arg);
}

static int64_t channels_of(const snug__type *x) { return x->dim[x->rank - 1]; }

static int64_t rows_of(const snug__type *x) {
  return channels_of(x) ? snug__type_count(x) / channels_of(x) : 0;
}

snug__bn_job snug__bn_job_of(const snug__call *call) {
  const snug__type *x = &call->sig->in[0];
  double *s = call->scratch;
  int64_t n = channels_of(x);
  return (snug__bn_job){.dtype = x->dtype,
                        .rows = rows_of(x),
                        .channels = n,
                        .mean = s,
                        .scale = s + n,
                        .shift = s + 2 * n,
                        .sum = s + 3 * n,
                        .product = s + 4 * n};
}

size_t snug__bn_scratch(const snug__signature *sig) {
  return SNUG__BN_VECTORS * (size_t)channels_of(&sig->in[0]) * sizeof(double);
}

void snug__bn_moments(const snug__call *call, snug__bn_job *j) {
  snug__bn_over_channels(call, j, moments_range, j);
  snug__norm_write(call, 1, j->channels, j->mean);
  snug__norm_write(call, 2, j->channels, j->scale);
}

void snug__bn_fold(const snug__call *call, snug__bn_job *j, int32_t gamma, int32_t beta,
                   double epsilon) {
  double *factor = j->shift;
  snug__norm_read(call, gamma, j->channels, 1.0, factor);
  for (int64_t c = 0; c < j->channels; c++) {
    j->scale[c] = factor[c] / sqrt(j->scale[c] + epsilon);
  }
  snug__norm_read(call, beta, j->channels, 0.0, j->shift);
  for (int64_t c = 0; c < j->channels; c++) {
    j->shift[c] -= j->mean[c] * j->scale[c];
  }
}

static snug__bn_job forward_job(const snug__call *call) {
  snug__bn_job j = snug__bn_job_of(call);
  j.x = call->in[0];
  j.y = call->out[0];
  return j;
}

/* ---- with the statistics of the batch ---- */

static const snug__field fields[] = {SNUG_FIELD(snug__batch_norm_params, epsilon, FLOAT, "1e-3"),
                                     {0}};

static snug_status infer(snug__infer *q) {
  const snug__batch_norm_params *p = q->params;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank_from(q, 0, 1));
  SNUG_TRY(snug__norm_need_gamma_beta(q, 1));
  q->out[0] = q->in[0];
  return snug__norm_need_epsilon(q, p->epsilon);
}

static snug_status train_infer(snug__infer *q) {
  SNUG_TRY(infer(q));
  int64_t channels = channels_of(&q->in[0]);
  q->out[1] = q->out[2] = snug__type_of(snug__wide_dtype(q->in[0].dtype), 1, &channels);
  return SNUG_OK;
}

static snug_status train_reference(const snug__call *call) {
  const snug__batch_norm_params *p = call->sig->params;
  snug__bn_job j = forward_job(call);
  snug__bn_moments(call, &j);
  snug__bn_fold(call, &j, 1, 2, p->epsilon);
  snug__bn_over_rows(call, &j, affine_range, &j);
  return SNUG_OK;
}

static snug_status train_grad(snug__grad *g) {
  const snug__batch_norm_params *p = g->params;
  return snug__norm_emit_kept_grad(g, &snug__op_batch_norm_train_grad, p->epsilon, 2);
}

static snug__cost train_cost(const snug__signature *sig) {
  return (snug__cost){7.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_batch_norm_train = {
    .name = "batch_norm_train",
    .doc = "(x, gamma?, beta?) -> y, mean, variance: normalized per channel over the batch",
    .params_bytes = sizeof(snug__batch_norm_params),
    .fields = fields,
    .min_in = 1,
    .max_in = 3,
    .min_out = 3,
    .max_out = 3,
    .flags = SNUG__OP_BATCH_STATISTICS,
    .in_place = {1},
    .infer = train_infer,
    .grad = train_grad,
    .reference = train_reference,
    .rewrite = snug__fuse_batch_norm_train,
    .scratch = snug__bn_scratch,
    .cost = train_cost};

/* ---- with given statistics, which are constants ---- */

static snug_status infer_infer(snug__infer *q) {
  SNUG_TRY(infer(q));
  SNUG_TRY(snug__need_rank(q, 3, 1));
  SNUG_TRY(snug__need_rank(q, 4, 1));
  SNUG_TRY(snug__norm_need_vector(q, 3, 0, 1));
  return snug__norm_need_vector(q, 4, 0, 1);
}

static snug_status infer_reference(const snug__call *call) {
  const snug__batch_norm_params *p = call->sig->params;
  snug__bn_job j = forward_job(call);
  snug__norm_read(call, 3, j.channels, 0.0, j.mean);
  snug__norm_read(call, 4, j.channels, 0.0, j.scale);
  snug__bn_fold(call, &j, 1, 2, p->epsilon);
  snug__bn_over_rows(call, &j, affine_range, &j);
  return SNUG_OK;
}

/* x and the mean are kept for dgamma alone. */
static snug_status infer_grad(snug__grad *g) {
  const snug__batch_norm_params *p = g->params;
  snug__id x = g->wants[1] ? g->in[0] : SNUG_NONE;
  snug__id mean = g->wants[1] ? g->in[3] : SNUG_NONE;
  snug__id in[] = {g->dout[0], x, g->in[1], mean, g->in[4]};
  return snug__norm_emit_grad(g, &snug__op_batch_norm_infer_grad, p->epsilon, in, 5);
}

static snug__cost infer_cost(const snug__signature *sig) {
  return (snug__cost){2.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_batch_norm_infer = {
    .name = "batch_norm_infer",
    .doc = "(x, gamma?, beta?, mean, variance) -> y: normalized with given statistics",
    .params_bytes = sizeof(snug__batch_norm_params),
    .fields = fields,
    .min_in = 5,
    .max_in = 5,
    .min_out = 1,
    .max_out = 1,
    .in_place = {1},
    .infer = infer_infer,
    .grad = infer_grad,
    .reference = infer_reference,
    .rewrite = snug__fuse_batch_norm_infer,
    .scratch = snug__bn_scratch,
    .cost = infer_cost};

/* ---- backward: (dy, x?, gamma?, mean?, variance) -> dx?, dgamma?, dbeta? ---- */

static snug_status grad_infer(snug__infer *q) {
  const snug__norm_grad_params *p = q->params;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank_from(q, 0, 1));
  SNUG_TRY(q->in[1].dtype ? snug__need_type_of(q, 1, 0) : SNUG_OK);
  SNUG_TRY(snug__need_rank(q, 4, 1));
  for (int32_t i = 2; i < 5; i++) {
    SNUG_TRY(snug__norm_need_vector(q, i, 0, 1));
  }
  snug__norm_grad_types(q, 1);
  return snug__norm_need_epsilon(q, p->epsilon);
}

static snug_status train_grad_infer(snug__infer *q) {
  SNUG_TRY(snug__need_type_of(q, 1, 0));
  SNUG_TRY(snug__need_rank(q, 3, 1));
  return grad_infer(q);
}

static snug__bn_job backward_job(const snug__call *call) {
  snug__bn_job j = snug__bn_job_of(call);
  j.dy = call->in[0];
  j.x = call->in[1];
  j.y = snug__norm_out(call, 0);
  return j;
}

/* The sums, dgamma and dbeta; leaves gamma rstd in scale and 1/(variance + epsilon) in shift. */
static void backward_sums(const snug__call *call, snug__bn_job *j, bool needed) {
  const snug__norm_grad_params *p = call->sig->params;
  double *rstd = j->shift;
  snug__norm_read(call, 3, j->channels, 0.0, j->mean);
  snug__norm_read(call, 4, j->channels, 0.0, rstd);
  memset(j->sum, 0, 2 * (size_t)j->channels * sizeof *j->sum);
  if (needed) {
    snug__bn_over_channels(call, j, sums_range, j);
  }
  for (int64_t c = 0; c < j->channels; c++) {
    rstd[c] = 1.0 / sqrt(rstd[c] + p->epsilon);
    j->scale[c] = j->product[c] * rstd[c];
  }
  snug__norm_write(call, 1, j->channels, j->scale);
  snug__norm_write(call, 2, j->channels, j->sum);
  snug__norm_read(call, 2, j->channels, 1.0, j->scale);
  for (int64_t c = 0; c < j->channels; c++) {
    j->scale[c] *= rstd[c];
    rstd[c] *= rstd[c];
  }
}

/* dx = gamma rstd (dy - mean(dy) - (x - mean) rstd² mean(dy (x - mean))) */
static snug_status train_grad_reference(const snug__call *call) {
  snug__bn_job j = backward_job(call);
  double n = (double)snug__max_i64(1, j.rows);
  backward_sums(call, &j, true);
  for (int64_t c = 0; c < j.channels; c++) {
    j.product[c] *= -j.scale[c] * j.shift[c] / n;
    j.shift[c] = -j.scale[c] * j.sum[c] / n - j.product[c] * j.mean[c];
  }
  if (j.y) {
    snug__bn_over_rows(call, &j, dx_range, &j);
  }
  return SNUG_OK;
}

static snug_status infer_grad_reference(const snug__call *call) {
  snug__bn_job j = backward_job(call);
  backward_sums(call, &j, snug__norm_out(call, 1) || snug__norm_out(call, 2));
  memset(j.shift, 0, (size_t)j.channels * sizeof *j.shift);
  j.x = j.dy;
  if (j.y) {
    snug__bn_over_rows(call, &j, affine_range, &j);
  }
  return SNUG_OK;
}

static snug__cost grad_cost(const snug__signature *sig) {
  return (snug__cost){9.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_batch_norm_train_grad = {
    .name = "batch_norm_train_grad",
    .doc = "(dy, x, gamma?, mean, variance) -> dx?, dgamma?, dbeta? of batch_norm_train",
    .params_bytes = sizeof(snug__norm_grad_params),
    .fields = snug__norm_grad_fields,
    .min_in = 5,
    .max_in = 5,
    .min_out = 0,
    .max_out = 3,
    .in_place = {3},
    .infer = train_grad_infer,
    .reference = train_grad_reference,
    .scratch = snug__bn_scratch,
    .cost = grad_cost};

const snug__op snug__op_batch_norm_infer_grad = {
    .name = "batch_norm_infer_grad",
    .doc = "(dy, x?, gamma?, mean?, variance) -> dx?, dgamma?, dbeta? of batch_norm_infer",
    .params_bytes = sizeof(snug__norm_grad_params),
    .fields = snug__norm_grad_fields,
    .min_in = 5,
    .max_in = 5,
    .min_out = 0,
    .max_out = 3,
    .in_place = {3},
    .infer = grad_infer,
    .reference = infer_grad_reference,
    .scratch = snug__bn_scratch,
    .cost = grad_cost};
