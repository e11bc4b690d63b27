/* take: parts of a value along an axis by their numbers, the same for all lines; and take_along,
 * where each line has numbers of its own.  A gradient sums what came out of one place, in the order
 * of the numbers. */
#include "ops/take.h"

#include "device/host.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__take_params, axis, INT, "-1"), {0}};
static const snug__field grad_fields[] = {SNUG_FIELD(snug__take_grad_params, axis, INT, "-1"),
                                          SNUG_FIELD(snug__take_grad_params, size, INT, NULL),
                                          {0}};

static snug_status need_numbers(const snug__infer *q, int32_t i) {
  char text[SNUG__TYPE_TEXT_BYTES];
  return q->in[i].dtype == SNUG_INT32
             ? SNUG_OK
             : snug__fail(q->ctx, SNUG_E_DTYPE, "%s: input %d is %s and must be int32", q->where, i,
                          snug__type_text(&q->in[i], text));
}

/* Elements [outer, n, inner] of x and [outer, m, inner] of y: the axis and what lies around it.
 * numbers: [m], or [outer, m, inner]. */
typedef struct take_job {
  const void *x;
  const int32_t *numbers;
  void *y;
  snug_dtype dtype;
  size_t bytes;
  int64_t n, m, inner;
  bool along;
  const int32_t *first, *next; /* of take_grad: who reads each number, -1: nobody any more */
} take_job;

static take_job job_of(const snug__type *x, const snug__type *y, int64_t axis, bool along) {
  int32_t at = (int32_t)(axis < 0 ? axis + x->rank : axis);
  take_job j = {.dtype = x->dtype,
                .bytes = snug_dtype_bytes(x->dtype),
                .n = x->dim[at],
                .m = y->dim[at],
                .inner = 1,
                .along = along};
  for (int32_t k = at + 1; k < x->rank; k++) {
    j.inner *= x->dim[k];
  }
  return j;
}

/* Before anything is written, so that the first bad number is told whatever the threads do. */
static snug_status check_numbers(const snug__call *call, int32_t input, int64_t n) {
  const int32_t *numbers = call->in[input];
  int64_t count = snug__type_count(&call->sig->in[input]);
  for (int64_t i = 0; i < count; i++) {
    if (numbers[i] < 0 || numbers[i] >= n) {
      *call->fault = (snug__fault){"index out of range", i, (double)numbers[i], (double)n};
      return SNUG_E_DATA;
    }
  }
  return SNUG_OK;
}

static void take_range(void *arg, int64_t begin, int64_t end) {
  const take_job *j = arg;
  for (int64_t row = begin; row < end; row++) { /* of y: [outer, m] rows of `inner` elements */
    int64_t outer = row / j->m;
    char *y = (char *)j->y + (size_t)(row * j->inner) * j->bytes;
    const char *x = (const char *)j->x + (size_t)(outer * j->n * j->inner) * j->bytes;
    if (!j->along) {
      int64_t number = j->numbers[row % j->m];
      memcpy(y, x + (size_t)(number * j->inner) * j->bytes, (size_t)j->inner * j->bytes);
      continue;
    }
    for (int64_t i = 0; i < j->inner; i++) {
      int64_t number = j->numbers[row * j->inner + i];
      memcpy(y + (size_t)i * j->bytes, x + (size_t)(number * j->inner + i) * j->bytes, j->bytes);
    }
  }
}

static snug_status run_take(const snug__call *call, bool along) {
  const snug__take_params *p = call->sig->params;
  const snug__type *y = &call->sig->out[0];
  take_job j = job_of(&call->sig->in[0], y, p->axis, along);
  j.x = call->in[0];
  j.numbers = call->in[1];
  j.y = call->out[0];
  SNUG_TRY(check_numbers(call, 1, j.n));
  int64_t rows = j.inner ? snug__type_count(y) / j.inner : 0;
  snug__parallel_ranges(snug__threads(call->sig), rows, 1 + 16384 / (1 + j.inner), take_range, &j);
  return SNUG_OK;
}

#define SNUG_REAL_FILE "ops/take_ref.inc"
#include "ops/real.h"

static void grad_range(void *arg, int64_t begin, int64_t end) {
  const take_job *j = arg;
  SNUG_REAL_CALL(j->dtype, spread, (j, begin, end));
}

static void along_grad_range(void *arg, int64_t begin, int64_t end) {
  const take_job *j = arg;
  SNUG_REAL_CALL(j->dtype, spread_along, (j, begin, end));
}

static snug_status open_grad(const snug__call *call, bool along, take_job *j) {
  const snug__take_grad_params *p = call->sig->params;
  *j = job_of(&call->sig->out[0], &call->sig->in[1], p->axis, along);
  j->x = call->in[1];
  j->numbers = call->in[0];
  j->y = call->out[0];
  return check_numbers(call, 0, j->n);
}

/* (numbers, dy) -> dx: rows of `inner` elements, each by the list of who reads it. */
static snug_status grad_reference(const snug__call *call) {
  int32_t *first = call->scratch;
  take_job j;
  SNUG_TRY(open_grad(call, false, &j));
  int32_t *next = first + j.n;
  memset(first, 0xFF, (size_t)j.n * sizeof *first);
  for (int64_t k = j.m - 1; k >= 0; k--) {
    next[k] = first[j.numbers[k]];
    first[j.numbers[k]] = (int32_t)k;
  }
  j.first = first;
  j.next = next;
  int64_t rows = j.inner ? snug__type_count(&call->sig->out[0]) / j.inner : 0;
  snug__parallel_ranges(snug__threads(call->sig), rows, 1 + 16384 / (1 + j.inner), grad_range, &j);
  return SNUG_OK;
}

static size_t grad_scratch(const snug__signature *sig) {
  const snug__take_grad_params *p = sig->params;
  return (size_t)(p->size + sig->in[0].dim[0]) * sizeof(int32_t);
}

static snug_status along_grad_reference(const snug__call *call) {
  take_job j;
  SNUG_TRY(open_grad(call, true, &j));
  int64_t block = j.n * j.inner;
  int64_t blocks = block ? snug__type_count(&call->sig->out[0]) / block : 0;
  snug__parallel_ranges(snug__threads(call->sig), blocks, 1 + 16384 / (1 + block), along_grad_range,
                        &j);
  return SNUG_OK;
}

/* ---- take ---- */

static snug_status infer(snug__infer *q) {
  const snug__take_params *p = q->params;
  int32_t axis = 0;
  SNUG_TRY(need_numbers(q, 1));
  SNUG_TRY(snug__need_rank(q, 1, 1));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[0].rank, &axis));
  q->out[0] = q->in[0];
  q->out[0].dim[axis] = q->in[1].dim[0];
  return SNUG_OK;
}

static snug_status grad_infer_as(snug__infer *q, bool along) {
  const snug__take_grad_params *p = q->params;
  int32_t axis = 0;
  SNUG_TRY(need_numbers(q, 0));
  SNUG_TRY(snug__need_real(q, 1));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[1].rank, &axis));
  SNUG_TRY(along ? snug__need_shape_of(q, 0, 1) : snug__need_rank(q, 0, 1));
  if (p->size < 0 || p->size > INT32_MAX || (!along && q->in[0].dim[0] != q->in[1].dim[axis])) {
    return snug__fail(
        q->ctx, SNUG_E_SHAPE,
        "%s: size=%lld must be from 0 to 2^31-1, and dy have one part for each number", q->where,
        (long long)p->size);
  }
  q->out[0] = q->in[1];
  q->out[0].dim[axis] = p->size;
  return SNUG_OK;
}

static snug_status emit_grad(snug__grad *g, const snug__op *op) {
  const snug__take_params *p = g->params;
  const snug__type *x = snug__type_at(g->g, g->in[0]);
  snug__take_grad_params back;
  memset(&back, 0, sizeof back);
  back.axis = p->axis;
  back.size = x->dim[p->axis < 0 ? p->axis + x->rank : p->axis];
  return g->wants[0] ? snug__graph_add(g->g, op, &back, (const snug__id[]){g->in[1], g->dout[0]}, 2,
                                       &g->din[0], 1)
                     : SNUG_OK;
}

static snug_status grad(snug__grad *g) { return emit_grad(g, &snug__op_take_grad); }
static snug_status reference(const snug__call *call) { return run_take(call, false); }
static snug_status grad_infer(snug__infer *q) { return grad_infer_as(q, false); }

#define TAKE_OP(op, text, type, table, ...)                     \
  const snug__op snug__op_##op = {.name = #op,                  \
                                  .doc = (text),                \
                                  .params_bytes = sizeof(type), \
                                  .fields = (table),            \
                                  .min_in = 2,                  \
                                  .max_in = 2,                  \
                                  .min_out = 1,                 \
                                  .max_out = 1,                 \
                                  .cost = snug__move_cost,      \
                                  __VA_ARGS__}

TAKE_OP(take, "(x, numbers): the parts of x along an axis with these numbers", snug__take_params,
        fields, .infer = infer, .grad = grad, .reference = reference);
TAKE_OP(take_grad, "(numbers, dy): the gradient of take", snug__take_grad_params, grad_fields,
        .infer = grad_infer, .reference = grad_reference, .scratch = grad_scratch);

/* ---- take_along ---- */

static snug_status along_infer(snug__infer *q) {
  const snug__take_params *p = q->params;
  snug__type but = q->in[1];
  int32_t axis = 0;
  char x[SNUG__TYPE_TEXT_BYTES];
  char numbers[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(need_numbers(q, 1));
  SNUG_TRY(snug__need_rank(q, 1, q->in[0].rank));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[0].rank, &axis));
  but.dim[axis] = q->in[0].dim[axis];
  if (!snug__shape_equal(&but, &q->in[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: %s and its numbers, %s, may differ along axis %d",
                      q->where, snug__type_text(&q->in[0], x), snug__type_text(&q->in[1], numbers),
                      axis);
  }
  q->out[0] = q->in[0];
  q->out[0].dim[axis] = q->in[1].dim[axis];
  return SNUG_OK;
}

static snug_status along_grad(snug__grad *g) { return emit_grad(g, &snug__op_take_along_grad); }
static snug_status along_reference(const snug__call *call) { return run_take(call, true); }
static snug_status along_grad_infer(snug__infer *q) { return grad_infer_as(q, true); }

TAKE_OP(take_along, "(x, numbers): elements along an axis, each line by numbers of its own",
        snug__take_params, fields, .infer = along_infer, .grad = along_grad,
        .reference = along_reference);
TAKE_OP(take_along_grad, "(numbers, dy): the gradient of take_along", snug__take_grad_params,
        grad_fields, .infer = along_grad_infer, .reference = along_grad_reference);
