/* matmul: c = a b over the last two axes, either factor transposed; leading axes are a batch and
 * must be equal. Dense layers and the gradients of both run on it. */
#include "ops/matmul.h"

#include "device/host.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__matmul_params, transpose_a, BOOL, "false"),
                                     SNUG_FIELD(snug__matmul_params, transpose_b, BOOL, "false"),
                                     {0}};

static snug_status infer(snug__infer *q) {
  const snug__matmul_params *p = q->params;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank_from(q, 0, 2));
  SNUG_TRY(snug__need_dtype_of(q, 1, 0));
  SNUG_TRY(snug__need_rank(q, 1, q->in[0].rank));
  const snug__type *a = &q->in[0];
  const snug__type *b = &q->in[1];
  int32_t last = a->rank - 1;
  int64_t k_a = a->dim[p->transpose_a ? last - 1 : last];
  int64_t k_b = b->dim[p->transpose_b ? last : last - 1];
  if (k_a != k_b || memcmp(a->dim, b->dim, (size_t)(last - 1) * sizeof *a->dim) != 0) {
    char ta[SNUG__TYPE_TEXT_BYTES];
    char tb[SNUG__TYPE_TEXT_BYTES];
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: the inner sizes %lld and %lld of %s and %s, or their batches, differ",
                      q->where, (long long)k_a, (long long)k_b, snug__type_text(a, ta),
                      snug__type_text(b, tb));
  }
  q->out[0] = *a;
  q->out[0].dim[last - 1] = a->dim[p->transpose_a ? last : last - 1];
  q->out[0].dim[last] = b->dim[p->transpose_b ? last - 1 : last];
  return SNUG_OK;
}

static snug_status emit(snug__grad *g, snug__id a, bool ta, snug__id b, bool tb, snug__id *out) {
  snug__matmul_params p = {ta, tb};
  return SNUG_EMIT(g->g, matmul, &p, out, a, b);
}

/* c = A B with A = a or aᵀ: dA = dc Bᵀ, dB = Aᵀ dc; transposed again where the factor was. */
static snug_status grad(snug__grad *g) {
  const snug__matmul_params *p = g->params;
  snug__id a = g->in[0];
  snug__id b = g->in[1];
  snug__id dc = g->dout[0];
  if (g->wants[0]) {
    SNUG_TRY(p->transpose_a ? emit(g, b, p->transpose_b, dc, true, &g->din[0])
                            : emit(g, dc, false, b, !p->transpose_b, &g->din[0]));
  }
  if (g->wants[1]) {
    SNUG_TRY(p->transpose_b ? emit(g, dc, true, a, p->transpose_a, &g->din[1])
                            : emit(g, a, !p->transpose_a, dc, false, &g->din[1]));
  }
  return SNUG_OK;
}

typedef struct matmul_job {
  const void *a, *b;
  void *c;
  snug_dtype dtype;
  int64_t m, n, k, a_row, a_col, b_row, b_col; /* strides of A and B as they enter the product */
} matmul_job;

#define MATMUL_COLUMNS 64

#define SNUG_REAL_FILE "ops/matmul_ref.inc"
#include "ops/real.h"

static void run_rows(void *arg, int64_t begin, int64_t end) {
  const matmul_job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    SNUG_REAL_CALL(j->dtype, matmul_row, (j, row));
  }
}

static snug_status reference(const snug__call *call) {
  const snug__matmul_params *p = call->sig->params;
  const snug__type *a = &call->sig->in[0];
  const snug__type *c = &call->sig->out[0];
  int32_t last = c->rank - 1;
  int64_t m = c->dim[last - 1];
  int64_t n = c->dim[last];
  int64_t k = a->dim[p->transpose_a ? last - 1 : last];
  matmul_job job = {.a = call->in[0],
                    .b = call->in[1],
                    .c = call->out[0],
                    .dtype = c->dtype,
                    .m = m,
                    .n = n,
                    .k = k};
  job.a_row = p->transpose_a ? 1 : k;
  job.a_col = p->transpose_a ? m : 1;
  job.b_row = p->transpose_b ? 1 : n;
  job.b_col = p->transpose_b ? k : 1;
  int64_t rows = n ? snug__type_count(c) / n : 0;
  snug__parallel_ranges(snug__threads(call->sig), rows,
                        snug__least_items(rows, (double)rows * (double)(n * k)), run_rows, &job);
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  const snug__matmul_params *p = sig->params;
  int32_t last = sig->in[0].rank - 1;
  double k = (double)sig->in[0].dim[p->transpose_a ? last - 1 : last];
  return (snug__cost){2.0 * k * (double)snug__type_count(&sig->out[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_matmul = {
    .name = "matmul",
    .doc = "matrix product of the last two axes, factors transposed on request",
    .params_bytes = sizeof(snug__matmul_params),
    .fields = fields,
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .rewrite = snug__fuse_matmul,
    .cost = cost};
