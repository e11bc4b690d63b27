/* avg_pool2d and its gradient: the mean of the elements of a window that exist; padding counts
 * neither in the sum nor in the divisor. */
#include "device/host.h"
#include "ops/pool.h"
#include "ops/support.h"

#define BLOCK 64 /* channels that are summed together */

static snug_status infer(snug__infer *q) {
  snug__pool p;
  return snug__infer_pool(q, &p);
}

static snug_status infer_bwd(snug__infer *q) {
  snug__pool p;
  return snug__infer_pool_bwd(q, &p);
}

static snug_status grad(snug__grad *g) {
  snug__pool2d_bwd_params p = snug__pool_bwd_params(g);
  return SNUG_EMIT(g->g, avg_pool2d_bwd, &p, &g->din[0], g->dout[0]);
}

/* The op is linear, and the parameters of its gradient begin with its own. */
static snug_status grad_bwd(snug__grad *g) {
  return SNUG_EMIT(g->g, avg_pool2d, g->params, &g->din[0], g->dout[0]);
}

typedef struct pool_job {
  snug__pool p;
  snug_dtype dtype;
  const void *in; /* x, or dy */
  void *out;      /* y, or dx */
} pool_job;

static int64_t span_size(snug__span s) { return s.end - s.begin; }

#define SNUG_REAL_FILE "ops/avg_pool.inc"
#include "ops/real.h"

static void forward_rows(void *arg, int64_t begin, int64_t end) {
  const pool_job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    SNUG_REAL_CALL(j->dtype, avg_pool_row, (j, row));
  }
}

static void backward_rows(void *arg, int64_t begin, int64_t end) {
  const pool_job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    SNUG_REAL_CALL(j->dtype, avg_pool_bwd_row, (j, row));
  }
}

static snug_status reference(const snug__call *call) {
  const snug__signature *s = call->sig;
  pool_job j = {snug__pool_of(&s->in[0], s->params), s->in[0].dtype, call->in[0], call->out[0]};
  int64_t rows = j.p.batch * j.p.h.out;
  snug__parallel_ranges(snug__threads(s), rows, snug__least_items(rows, snug__pool_cost(s).flops),
                        forward_rows, &j);
  return SNUG_OK;
}

static snug_status reference_bwd(const snug__call *call) {
  const snug__signature *s = call->sig;
  pool_job j = {snug__pool_of(&s->out[0], s->params), s->in[0].dtype, call->in[0], call->out[0]};
  int64_t rows = j.p.batch * j.p.h.in;
  snug__parallel_ranges(snug__threads(s), rows,
                        snug__least_items(rows, snug__pool_bwd_cost(s).flops), backward_rows, &j);
  return SNUG_OK;
}

const snug__op snug__op_avg_pool2d = {.name = "avg_pool2d",
                                      .doc = "mean of each window, padding left out",
                                      .params_bytes = sizeof(snug__pool2d_params),
                                      .fields = snug__pool2d_fields,
                                      .min_in = 1,
                                      .max_in = 1,
                                      .min_out = 1,
                                      .max_out = 1,
                                      .infer = infer,
                                      .grad = grad,
                                      .reference = reference,
                                      .unblock = snug__pool_unblock,
                                      .cost = snug__pool_cost};

const snug__op snug__op_avg_pool2d_bwd = {.name = "avg_pool2d_bwd",
                                          .doc = "gradient of avg_pool2d's x from dy",
                                          .params_bytes = sizeof(snug__pool2d_bwd_params),
                                          .fields = snug__pool2d_bwd_fields,
                                          .min_in = 1,
                                          .max_in = 1,
                                          .min_out = 1,
                                          .max_out = 1,
                                          .infer = infer_bwd,
                                          .grad = grad_bwd,
                                          .reference = reference_bwd,
                                          .unblock = snug__pool_bwd_unblock,
                                          .cost = snug__pool_bwd_cost};
