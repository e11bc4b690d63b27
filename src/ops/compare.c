/* compare and logical: bool from two values, which are broadcast as those of a sum are. */
#include "ops/compare.h"

#include "device/host.h"
#include "ops/support.h"
#include "ops/zip.h"

typedef struct pair_job {
  const void *a, *b;
  uint8_t *out;
  bool (*f)(double a, double b);
  snug_dtype dtype;
  snug__zip zip;
} pair_job;

static snug_status run(const snug__call *call, bool (*f)(double, double),
                       void (*range)(void *arg, int64_t begin, int64_t end)) {
  const snug__type *out = &call->sig->out[0];
  pair_job job = {call->in[0],
                  call->in[1],
                  call->out[0],
                  f,
                  call->sig->in[0].dtype,
                  snug__zip_of(out, call->sig->in, 2)};
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(out), 16384, range, &job);
  return SNUG_OK;
}

/* ---- compare ---- */

static const char *const compare_choices[] = {"equal", "not_equal",  "greater", "greater_equal",
                                              "less",  "less_equal", NULL};
static const snug__field compare_fields[] = {
    SNUG_CHOICE(snug__compare_params, kind, compare_choices, NULL), {0}};

static snug_status compare_infer(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_dtype_of(q, 1, 0));
  SNUG_TRY(snug__broadcast(q, 0, 1, &q->out[0]));
  q->out[0].dtype = SNUG_BOOL;
  return SNUG_OK;
}

static bool equal(double a, double b) { return a == b; }
static bool not_equal(double a, double b) { return a != b; }
static bool greater(double a, double b) { return a > b; }
static bool greater_equal(double a, double b) { return a >= b; }
static bool less(double a, double b) { return a < b; }
static bool less_equal(double a, double b) { return a <= b; }

#define SNUG_REAL_FILE "ops/compare_ref.inc"
#include "ops/real.h"

static void compare_row(const void *arg, const snug__zip_row *row) {
  const pair_job *j = arg;
  SNUG_REAL_CALL(j->dtype, compare, (j, row));
}

static void compare_range(void *arg, int64_t begin, int64_t end) {
  const pair_job *j = arg;
  snug__zip_walk(&j->zip, begin, end, compare_row, j);
}

static snug_status compare_reference(const snug__call *call) {
  static bool (*const f[])(double, double) = {equal,         not_equal, greater,
                                              greater_equal, less,      less_equal};
  const snug__compare_params *p = call->sig->params;
  return run(call, f[p->kind], compare_range);
}

const snug__op snug__op_compare = {.name = "compare",
                                   .doc = "whether a and b compare as asked, bool",
                                   .params_bytes = sizeof(snug__compare_params),
                                   .fields = compare_fields,
                                   .min_in = 2,
                                   .max_in = 2,
                                   .min_out = 1,
                                   .max_out = 1,
                                   .infer = compare_infer,
                                   .reference = compare_reference};

/* ---- logical ---- */

static const char *const logical_choices[] = {"and", "or", "xor", NULL};
static const snug__field logical_fields[] = {
    SNUG_CHOICE(snug__logical_params, kind, logical_choices, NULL), {0}};

static snug_status logical_infer(snug__infer *q) {
  char text[SNUG__TYPE_TEXT_BYTES];
  if (q->in[0].dtype != SNUG_BOOL) {
    return snug__fail(q->ctx, SNUG_E_DTYPE, "%s: input 0 is %s and must be bool", q->where,
                      snug__type_text(&q->in[0], text));
  }
  SNUG_TRY(snug__need_dtype_of(q, 1, 0));
  return snug__broadcast(q, 0, 1, &q->out[0]);
}

static bool both(double a, double b) { return a != 0.0 && b != 0.0; }
static bool either(double a, double b) { return a != 0.0 || b != 0.0; }

static void logical_row(const void *arg, const snug__zip_row *row) {
  const pair_job *j = arg;
  const uint8_t *a = (const uint8_t *)j->a + row->at[0];
  const uint8_t *b = (const uint8_t *)j->b + row->at[1];
  for (int64_t i = 0; i < row->n; i++) {
    j->out[row->out + i] = j->f(a[i * row->step[0]], b[i * row->step[1]]);
  }
}

static void logical_range(void *arg, int64_t begin, int64_t end) {
  const pair_job *j = arg;
  snug__zip_walk(&j->zip, begin, end, logical_row, j);
}

static snug_status logical_reference(const snug__call *call) {
  static bool (*const f[])(double, double) = {both, either, not_equal};
  const snug__logical_params *p = call->sig->params;
  return run(call, f[p->kind], logical_range);
}

const snug__op snug__op_logical = {.name = "logical",
                                   .doc = "and, or, xor of two masks",
                                   .params_bytes = sizeof(snug__logical_params),
                                   .fields = logical_fields,
                                   .min_in = 2,
                                   .max_in = 2,
                                   .min_out = 1,
                                   .max_out = 1,
                                   .infer = logical_infer,
                                   .reference = logical_reference};
