/* Along an axis: running sums, and products of all elements with their gradient. */
#include "ops/running.h"

#include "device/host.h"
#include "ops/support.h"

static const snug__field sum_fields[] = {SNUG_FIELD(snug__running_params, axis, INT, "-1"),
                                         SNUG_FIELD(snug__running_params, reverse, BOOL, "false"),
                                         {0}};
static const snug__field axis_fields[] = {SNUG_FIELD(snug__running_params, axis, INT, "-1"), {0}};

typedef struct line_job {
  const void *in[2];
  void *out;
  snug_dtype dtype;
  int64_t n, inner; /* elements of a line, and the step between them */
  bool reverse;
  void (*line)(const struct line_job *j, int64_t line);
} line_job;

#define SNUG_REAL_FILE "ops/running_ref.inc"
#include "ops/real.h"

static void running_sum(const line_job *j, int64_t line) {
  SNUG_REAL_CALL(j->dtype, sum_line, (j, line));
}
static void product(const line_job *j, int64_t line) {
  SNUG_REAL_CALL(j->dtype, product_line, (j, line));
}
static void product_grad(const line_job *j, int64_t line) {
  SNUG_REAL_CALL(j->dtype, product_grad_line, (j, line));
}

static void run_range(void *arg, int64_t begin, int64_t end) {
  const line_job *j = arg;
  for (int64_t line = begin; line < end; line++) {
    j->line(j, line);
  }
}

/* x: the value whose lines are walked. */
static snug_status run(const snug__call *call, const snug__type *x,
                       void (*line)(const line_job *j, int64_t line)) {
  const snug__running_params *p = call->sig->params;
  int64_t axis = p->axis < 0 ? p->axis + x->rank : p->axis;
  line_job j = {.in = {call->in[0], call->sig->n_in > 1 ? call->in[1] : NULL},
                .out = call->out[0],
                .dtype = x->dtype,
                .n = x->dim[axis],
                .inner = 1,
                .reverse = p->reverse,
                .line = line};
  int64_t lines = 1;
  for (int64_t k = 0; k < x->rank; k++) {
    j.inner *= k > axis ? x->dim[k] : 1;
    lines *= k == axis ? 1 : x->dim[k];
  }
  snug__parallel_ranges(snug__threads(call->sig), lines, 1 + 8192 / (1 + j.n), run_range, &j);
  return SNUG_OK;
}

/* ---- running sums ---- */

static snug_status sum_infer(snug__infer *q) {
  const snug__running_params *p = q->params;
  int32_t axis = 0;
  SNUG_TRY(snug__infer_same(q));
  return snug__need_axis(q, "axis", p->axis, q->in[0].rank, &axis);
}

/* An element goes into all sums from its own on. */
static snug_status sum_grad(snug__grad *g) {
  snug__running_params p = *(const snug__running_params *)g->params;
  p.reverse = !p.reverse;
  return SNUG_EMIT(g->g, running_sum, &p, &g->din[0], g->dout[0]);
}

static snug_status sum_reference(const snug__call *call) {
  return run(call, &call->sig->in[0], running_sum);
}

const snug__op snug__op_running_sum = {
    .name = "running_sum",
    .doc = "the sum of the elements up to each along an axis; reverse: from each on",
    .params_bytes = sizeof(snug__running_params),
    .fields = sum_fields,
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .infer = sum_infer,
    .grad = sum_grad,
    .reference = sum_reference};

/* ---- products ---- */

static snug_status product_infer(snug__infer *q) {
  const snug__running_params *p = q->params;
  int32_t axis = 0;
  SNUG_TRY(snug__infer_same(q));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[0].rank, &axis));
  q->out[0].dim[axis] = 1;
  return SNUG_OK;
}

static snug_status product_rule(snug__grad *g) {
  return SNUG_EMIT(g->g, product_grad, g->params, &g->din[0], g->dout[0], g->in[0]);
}

static snug_status product_reference(const snug__call *call) {
  return run(call, &call->sig->in[0], product);
}

static snug_status product_grad_infer(snug__infer *q) {
  const snug__running_params *p = q->params;
  snug__type line = q->in[1];
  int32_t axis = 0;
  SNUG_TRY(snug__need_real(q, 1));
  SNUG_TRY(snug__need_dtype_of(q, 0, 1));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, line.rank, &axis));
  line.dim[axis] = 1;
  q->out[0] = q->in[1];
  return snug__shape_equal(&line, &q->in[0])
             ? SNUG_OK
             : snug__fail(q->ctx, SNUG_E_SHAPE, "%s: dy must have one element for each line of x",
                          q->where);
}

static snug_status product_grad_reference(const snug__call *call) {
  return run(call, &call->sig->in[1], product_grad);
}

static snug__cost product_cost(const snug__signature *sig) {
  return (snug__cost){3.0 * (double)snug__type_count(&sig->in[sig->n_in - 1]),
                      snug__bytes_moved(sig)};
}

#define PRODUCT(op, text, inputs, ...)                                          \
  const snug__op snug__op_##op = {.name = #op,                                  \
                                  .doc = (text),                                \
                                  .params_bytes = sizeof(snug__running_params), \
                                  .fields = axis_fields,                        \
                                  .min_in = (inputs),                           \
                                  .max_in = (inputs),                           \
                                  .min_out = 1,                                 \
                                  .max_out = 1,                                 \
                                  .infer = op##_infer,                          \
                                  .reference = op##_reference,                  \
                                  .cost = product_cost,                         \
                                  __VA_ARGS__}

PRODUCT(product, "the product of the elements along an axis, which stays as one of size 1", 1,
        .grad = product_rule);
PRODUCT(product_grad, "(dy, x): the gradient of product, also where elements are 0", 2,
        .grad = NULL);
