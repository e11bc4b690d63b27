/* Reductions over axes.
 *
 * A thread computes whole outputs, each in one fixed order.  Where one output is all there is, the
 * input is cut into PIECES by its size alone, and their results are put together in order: the bits
 * do not depend on the number of threads. */
#include "ops/reduce.h"

#include "device/host.h"
#include "ops/shape.h"
#include "ops/support.h"
#include "ops/unblock.h"

#define PIECES 64 /* of a reduction to one number */

typedef enum reduce_kind {
  REDUCE_SUM,
  REDUCE_MAX,
  REDUCE_MIN,
  REDUCE_SQUARES,
  REDUCE_ABS
} reduce_kind;

typedef struct reduce_loops {
  double start;
  void (*lanes)(double *sum, const void *x, int64_t n);
  double (*run)(double sum, const void *x, int64_t n);
} reduce_loops;

typedef struct reduce_job {
  const reduce_loops *loops;
  snug__reduce_view view;
  const char *x;
  void *y;
  snug_dtype dtype, y_dtype;
  size_t bytes; /* of an element of x */
  double divisor;
  double pieces[PIECES];
  int64_t n, piece; /* of a reduction to one number: elements, and elements per piece */
} reduce_job;

#define SNUG_REAL_FILE "ops/reduce_ref.inc"
#include "ops/real.h"

/* ---- the loops over outputs ---- */

static void run_piece(void *arg, int64_t i) {
  reduce_job *j = arg;
  int64_t begin = i * j->piece;
  int64_t n = snug__min_i64(j->piece, j->n - begin);
  j->pieces[i] = j->loops->run(j->loops->start, j->x + (size_t)begin * j->bytes, n);
}

/* All elements into one. */
static void reduce_all(reduce_job *j, reduce_kind kind, int32_t threads) {
  const reduce_loops *together = NULL;
  j->n = j->view.run;
  j->piece = snug__max_i64(SNUG__REDUCE_LEAST, (j->n + PIECES - 1) / PIECES);
  int64_t pieces = (j->n + j->piece - 1) / j->piece;
  snug__parallel_for(threads, pieces, run_piece, j);
  get_loops_float64(kind == REDUCE_MAX || kind == REDUCE_MIN ? (int)kind : REDUCE_SUM, &together);
  double all = together->run(together->start, j->pieces, pieces);
  snug__element_set(j->y_dtype, j->y, 0, all / j->divisor);
}

/* Outputs out .. out + n, side by side, of which the first starts at the element `base`. */
static void reduce_block(const void *arg, int64_t out, int64_t base, int64_t n) {
  const reduce_job *j = arg;
  double sum[SNUG__REDUCE_BLOCK];
  sum[0] = j->loops->start;
  for (int64_t i = 1; i < n; i++) {
    sum[i] = sum[0];
  }
  for (int64_t s = 0; s < j->view.steps; s++) {
    const char *x = j->x + (size_t)(base + snug__reduce_step(&j->view, s)) * j->bytes;
    if (j->view.run == 1) {
      j->loops->lanes(sum, x, n);
    } else {
      sum[0] = j->loops->run(sum[0], x, j->view.run);
    }
  }
  for (int64_t i = 0; i < n; i++) {
    snug__element_set(j->y_dtype, j->y, out + i, sum[i] / j->divisor);
  }
}

static void reduce_range(void *arg, int64_t begin, int64_t end) {
  const reduce_job *j = arg;
  snug__reduce_blocks(&j->view, begin, end, reduce_block, j);
}

static void reduce(const snug__call *call, reduce_kind kind, uint32_t mask, bool mean) {
  const snug__type *in = &call->sig->in[0];
  reduce_job j = {.x = call->in[0],
                  .y = call->out[0],
                  .dtype = in->dtype,
                  .y_dtype = call->sig->out[0].dtype,
                  .bytes = snug_dtype_bytes(in->dtype),
                  .divisor = 1.0};
  snug__reduce_view_of(in, mask, &j.view);
  SNUG_REAL_CALL(in->dtype, get_loops, ((int)kind, &j.loops));
  if (mean) {
    j.divisor = (double)(j.view.steps * j.view.run);
  }
  if (j.view.n_out == 1 && j.view.steps == 1) {
    reduce_all(&j, kind, snug__threads(call->sig));
  } else {
    snug__parallel_ranges(snug__threads(call->sig), j.view.n_out, snug__reduce_least(&j.view),
                          reduce_range, &j);
  }
}

static uint32_t mask_of(const snug__call *call) {
  return snug__reduce_mask(call->sig->params, call->sig->in[0].rank);
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){(double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

/* ---- sum and mean ---- */

static snug_status sum_reference(const snug__call *call) {
  reduce(call, REDUCE_SUM, mask_of(call), false);
  return SNUG_OK;
}

static snug_status mean_reference(const snug__call *call) {
  reduce(call, REDUCE_SUM, mask_of(call), true);
  return SNUG_OK;
}

/* The gradient of a sum is the gradient itself, the same for every element that went into it. */
static snug_status spread(snug__grad *g, double scale) {
  snug__type to = *snug__type_at(g->g, g->in[0]);
  snug__type kept = snug__reduce_kept(&to, snug__reduce_mask(g->params, to.rank));
  snug__id d = g->dout[0];
  SNUG_TRY(snug__emit_reshape(g->g, d, &kept, &d));
  return snug__emit_broadcast(g->g, d, &to, scale, &g->din[0]);
}

static snug_status sum_grad(snug__grad *g) { return spread(g, 1.0); }

static snug_status mean_grad(snug__grad *g) {
  const snug__type *x = snug__type_at(g->g, g->in[0]);
  snug__reduce_view v;
  snug__reduce_view_of(x, snug__reduce_mask(g->params, x->rank), &v);
  return spread(g, 1.0 / (double)snug__max_i64(1, v.steps * v.run));
}

#define REDUCTION(op, text, rule)                                              \
  const snug__op snug__op_##op = {.name = #op,                                 \
                                  .doc = text,                                 \
                                  .params_bytes = sizeof(snug__reduce_params), \
                                  .fields = snug__reduce_fields,               \
                                  .min_in = 1,                                 \
                                  .max_in = 1,                                 \
                                  .min_out = 1,                                \
                                  .max_out = 1,                                \
                                  .infer = snug__reduce_infer,                 \
                                  .unblock = snug__reduce_unblock,             \
                                  .grad = rule,                                \
                                  .reference = op##_reference,                 \
                                  .cost = cost}

REDUCTION(sum, "sum over axes", sum_grad);
REDUCTION(mean, "mean over axes", mean_grad);

snug_status snug__emit_sum_to(snug__graph *g, snug__id d, const snug__type *to, snug__id *out) {
  snug__type target = *to; /* `to` may point into the graph, which grows here */
  const snug__type *from = snug__type_at(g, d);
  snug__reduce_params p;
  int32_t lead = from->rank - target.rank;
  memset(&p, 0, sizeof p);
  for (int32_t k = 0; k < from->rank; k++) {
    if (k < lead || (target.dim[k - lead] == 1 && from->dim[k] != 1)) {
      p.axes.v[p.axes.n++] = k;
    }
  }
  if (p.axes.n) {
    SNUG_TRY(SNUG_EMIT(g, sum, &p, &d, d));
  }
  return snug__emit_reshape(g, d, &target, out);
}

/* ---- max and min ---- */

static snug_status max_reference(const snug__call *call) {
  reduce(call, REDUCE_MAX, mask_of(call), false);
  return SNUG_OK;
}

static snug_status min_reference(const snug__call *call) {
  reduce(call, REDUCE_MIN, mask_of(call), false);
  return SNUG_OK;
}

static snug_status pick_grad(snug__grad *g) {
  return SNUG_EMIT(g->g, reduce_pick_grad, g->params, &g->din[0], g->dout[0], g->in[0], g->out[0]);
}

REDUCTION(max, "maximum over axes (-inf of nothing)", pick_grad);
REDUCTION(min, "minimum over axes (inf of nothing)", pick_grad);

/* ---- sums of squares and of sizes, in float32 at least ---- */

static snug_status norm_infer(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  q->out[0] = snug__scalar(snug__wide_dtype(q->in[0].dtype));
  return SNUG_OK;
}

static snug_status sum_squares_reference(const snug__call *call) {
  reduce(call, REDUCE_SQUARES, UINT32_MAX, false);
  return SNUG_OK;
}

static snug_status sum_abs_reference(const snug__call *call) {
  reduce(call, REDUCE_ABS, UINT32_MAX, false);
  return SNUG_OK;
}

static snug_status sum_squares_grad(snug__grad *g) {
  return SNUG_EMIT(g->g, sum_squares_grad, NULL, &g->din[0], g->dout[0], g->in[0]);
}

static snug_status sum_abs_grad(snug__grad *g) {
  return SNUG_EMIT(g->g, sum_abs_grad, NULL, &g->din[0], g->dout[0], g->in[0]);
}

#define NORM(op, text)                                           \
  const snug__op snug__op_##op = {.name = #op,                   \
                                  .doc = text,                   \
                                  .min_in = 1,                   \
                                  .max_in = 1,                   \
                                  .min_out = 1,                  \
                                  .max_out = 1,                  \
                                  .infer = norm_infer,           \
                                  .unblock = snug__unblock_flat, \
                                  .grad = op##_grad,             \
                                  .reference = op##_reference,   \
                                  .cost = cost}

NORM(sum_squares, "sum of the squares of all elements");
NORM(sum_abs, "sum of the absolute values of all elements");
