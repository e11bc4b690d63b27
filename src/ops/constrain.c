/* constrain: bring a weight back to where its constraint holds, in place; Keras's formulas. */
#include "device/host.h"
#include "ops/reduce.h"
#include "ops/regularize.h"
#include "ops/support.h"

static const char *const kinds[] = {"max_norm", "non_neg", "unit_norm", "min_max_norm", NULL};

static const snug__field fields[] = {SNUG_CHOICE(snug__constrain_params, kind, kinds, NULL),
                                     SNUG_FIELD(snug__constrain_params, min_value, FLOAT, "0"),
                                     SNUG_FIELD(snug__constrain_params, max_value, FLOAT, "1"),
                                     SNUG_FIELD(snug__constrain_params, rate, FLOAT, "1"),
                                     SNUG_FIELD(snug__constrain_params, axes, INTS, "[]"),
                                     {0}};

typedef struct constrain_job {
  const snug__constrain_params *p;
  void *w;
  snug_dtype dtype;
  snug__reduce_view view;
} constrain_job;

static double clip(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

static double norm_factor(const snug__constrain_params *p, double norm) {
  double desired = 1.0;
  if (p->kind == SNUG__CONSTRAIN_MAX_NORM) {
    desired = clip(norm, 0.0, p->max_value);
  } else if (p->kind == SNUG__CONSTRAIN_MIN_MAX_NORM) {
    desired = p->rate * clip(norm, p->min_value, p->max_value) + (1.0 - p->rate) * norm;
  }
  return desired / (1e-7 + norm);
}

#define SNUG_REAL_FILE "ops/constrain_ref.inc"
#include "ops/real.h"

static snug_status infer(snug__infer *q) {
  const snug__constrain_params *p = q->params;
  int32_t axis = 0;
  SNUG_TRY(snug__need_real(q, 0));
  for (int32_t i = 0; i < p->axes.n; i++) {
    SNUG_TRY(snug__need_axis(q, "axes", p->axes.v[i], q->in[0].rank, &axis));
  }
  q->out[0] = q->in[0];
  return SNUG_OK;
}

static void run_range(void *arg, int64_t begin, int64_t end) {
  const constrain_job *j = arg;
  SNUG_REAL_CALL(j->dtype, constrain_range, (j, begin, end));
}

static snug_status reference(const snug__call *call) {
  const snug__constrain_params *p = call->sig->params;
  const snug__type *w = &call->sig->in[0];
  constrain_job j = {.p = p, .w = call->out[0], .dtype = w->dtype};
  snug__reduce_params axes = {.axes = p->axes};
  snug__reduce_view_of(w, snug__reduce_mask(&axes, w->rank), &j.view);
  bool is_norm = p->kind != SNUG__CONSTRAIN_NON_NEG;
  int64_t count = snug__type_count(w);
  if (count) {
    snug__parallel_ranges(snug__threads(call->sig), is_norm ? j.view.n_out : count,
                          is_norm ? snug__reduce_least(&j.view) : 16384, run_range, &j);
  }
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){3.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_constrain = {.name = "constrain",
                                     .doc = "bring a weight back to where its constraint holds",
                                     .params_bytes = sizeof(snug__constrain_params),
                                     .fields = fields,
                                     .min_in = 1,
                                     .max_in = 1,
                                     .min_out = 1,
                                     .max_out = 1,
                                     .flags = SNUG__OP_NO_RECOMPUTE,
                                     .writes = {1},
                                     .infer = infer,
                                     .reference = reference,
                                     .cost = cost};
