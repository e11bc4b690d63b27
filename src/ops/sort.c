/* argsort: the order of the elements along an axis, as int32. */
#include "device/host.h"
#include "ops/support.h"
#include "ops/take.h"

static const snug__field fields[] = {SNUG_FIELD(snug__sort_params, axis, INT, "-1"),
                                     SNUG_FIELD(snug__sort_params, descending, BOOL, "false"),
                                     {0}};

static snug_status infer(snug__infer *q) {
  const snug__sort_params *p = q->params;
  int32_t axis = 0;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[0].rank, &axis));
  if (q->in[0].dim[axis] > INT32_MAX / 2) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: axis %d has %lld elements; at most 2^30 can be",
                      q->where, axis, (long long)q->in[0].dim[axis]);
  }
  q->out[0] = q->in[0];
  q->out[0].dtype = SNUG_INT32;
  return SNUG_OK;
}

typedef struct sort_job {
  const void *x;
  int32_t *y, *other; /* of other: room for the output again */
  snug_dtype dtype;
  int64_t n, inner;
  bool descending;
} sort_job;

/* A NaN is larger than any number, as in NumPy. */
static bool is_before(double a, double b, bool descending) {
  return descending ? a > b || (isnan(a) && !isnan(b)) : a < b || (isnan(b) && !isnan(a));
}

#define SNUG_REAL_FILE "ops/sort_ref.inc"
#include "ops/real.h"

static void run_range(void *arg, int64_t begin, int64_t end) {
  const sort_job *j = arg;
  SNUG_REAL_CALL(j->dtype, sort_lines, (j, begin, end));
}

static snug_status reference(const snug__call *call) {
  const snug__sort_params *p = call->sig->params;
  const snug__type *x = &call->sig->in[0];
  int64_t axis = p->axis < 0 ? p->axis + x->rank : p->axis;
  sort_job j = {.x = call->in[0],
                .y = call->out[0],
                .other = call->scratch,
                .dtype = x->dtype,
                .n = x->dim[axis],
                .inner = 1,
                .descending = p->descending};
  for (int64_t k = axis + 1; k < x->rank; k++) {
    j.inner *= x->dim[k];
  }
  int64_t lines = j.n ? snug__type_count(x) / j.n : 0;
  snug__parallel_ranges(snug__threads(call->sig), lines, 1 + 4096 / (1 + j.n), run_range, &j);
  return SNUG_OK;
}

static size_t scratch(const snug__signature *sig) {
  return (size_t)snug__type_count(&sig->in[0]) * sizeof(int32_t);
}

static snug__cost cost(const snug__signature *sig) {
  const snug__type *x = &sig->in[0];
  return (snug__cost){20.0 * (double)snug__type_count(x), snug__bytes_moved(sig)};
}

const snug__op snug__op_argsort = {
    .name = "argsort",
    .doc = "the numbers of the elements along an axis in their order, equal ones as they stand",
    .params_bytes = sizeof(snug__sort_params),
    .fields = fields,
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .infer = infer,
    .reference = reference,
    .scratch = scratch,
    .cost = cost};
