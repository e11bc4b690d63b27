/* max_pool2d and its gradient.  The forward tells, on request, which place of the window won (the
 * first of equal ones): one byte per output is all that the gradient needs. */
#include "device/host.h"
#include "ops/pool.h"
#include "ops/support.h"

#define BLOCK 64 /* channels that are compared together */

/* Places count row by row over the whole window, padding included. */
static snug_dtype index_dtype(const snug__pool *p) {
  return p->h.kernel * p->w.kernel <= 256 ? SNUG_UINT8 : SNUG_INT32;
}

static snug_status infer(snug__infer *q) {
  snug__pool p;
  SNUG_TRY(snug__infer_pool(q, &p));
  q->out[1] = q->out[0];
  q->out[1].dtype = index_dtype(&p);
  return SNUG_OK;
}

static snug_status infer_bwd(snug__infer *q) {
  snug__pool p;
  char text[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(snug__infer_pool_bwd(q, &p));
  SNUG_TRY(snug__need_shape_of(q, 1, 0));
  if (q->in[1].dtype != index_dtype(&p)) {
    return snug__fail(q->ctx, SNUG_E_DTYPE, "%s: the index is %s and must be %s for this window",
                      q->where, snug__type_text(&q->in[1], text), snug_dtype_text(index_dtype(&p)));
  }
  return SNUG_OK;
}

static snug_status grad(snug__grad *g) {
  snug__pool2d_bwd_params p = snug__pool_bwd_params(g);
  snug__id index = SNUG_NONE;
  SNUG_TRY(snug__graph_want_output(g->g, g->node, 1, &index));
  return SNUG_EMIT(g->g, max_pool2d_bwd, &p, &g->din[0], g->dout[0], index);
}

typedef struct pool_job {
  snug__pool p;
  snug_dtype dtype;
  const void *in; /* x, or dy */
  void *out;      /* y, or dx */
  uint8_t *small; /* the index, where it is uint8 */
  int32_t *large; /* where it is int32 */
} pool_job;

#define SNUG_REAL_FILE "ops/max_pool.inc"
#include "ops/real.h"

static void forward_rows(void *arg, int64_t begin, int64_t end) {
  const pool_job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    SNUG_REAL_CALL(j->dtype, max_pool_row, (j, row));
  }
}

static void backward_rows(void *arg, int64_t begin, int64_t end) {
  const pool_job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    SNUG_REAL_CALL(j->dtype, max_pool_bwd_row, (j, row));
  }
}

static snug_status reference(const snug__call *call) {
  const snug__signature *s = call->sig;
  pool_job j = {
      snug__pool_of(&s->in[0], s->params), s->in[0].dtype, call->in[0], call->out[0], NULL, NULL};
  if (s->n_out > 1 && call->out[1]) {
    *(s->out[1].dtype == SNUG_UINT8 ? (void **)&j.small : (void **)&j.large) = call->out[1];
  }
  int64_t rows = j.p.batch * j.p.h.out;
  snug__parallel_ranges(snug__threads(s), rows, snug__least_items(rows, snug__pool_cost(s).flops),
                        forward_rows, &j);
  return SNUG_OK;
}

static snug_status reference_bwd(const snug__call *call) {
  const snug__signature *s = call->sig;
  void *index = (void *)(uintptr_t)call->in[1]; /* only read */
  bool is_small = s->in[1].dtype == SNUG_UINT8;
  pool_job j = {snug__pool_of(&s->out[0], s->params),
                s->in[0].dtype,
                call->in[0],
                call->out[0],
                is_small ? index : NULL,
                is_small ? NULL : index};
  int64_t rows = j.p.batch * j.p.h.in;
  snug__parallel_ranges(snug__threads(s), rows,
                        snug__least_items(rows, snug__pool_bwd_cost(s).flops), backward_rows, &j);
  return SNUG_OK;
}

const snug__op snug__op_max_pool2d = {
    .name = "max_pool2d",
    .doc = "maximum of each window, and on request its place in the window",
    .params_bytes = sizeof(snug__pool2d_params),
    .fields = snug__pool2d_fields,
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 2,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .unblock = snug__pool_unblock,
    .cost = snug__pool_cost};

const snug__op snug__op_max_pool2d_bwd = {.name = "max_pool2d_bwd",
                                          .doc = "gradient of max_pool2d's x from (dy, index)",
                                          .params_bytes = sizeof(snug__pool2d_bwd_params),
                                          .fields = snug__pool2d_bwd_fields,
                                          .min_in = 2,
                                          .max_in = 2,
                                          .min_out = 1,
                                          .max_out = 1,
                                          .infer = infer_bwd,
                                          .reference = reference_bwd,
                                          .unblock = snug__pool_bwd_unblock,
                                          .cost = snug__pool_bwd_cost};
