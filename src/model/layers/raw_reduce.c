/* Raw ops that make one number of many, along axes; see raw_ops.h. */
#include "base/number.h"
#include "model/layers/axes.h"
#include "model/layers/raw_values.h"
#include "ops/compare.h"
#include "ops/norm.h"
#include "ops/reduce.h"
#include "ops/running.h"
#include "ops/unary.h"
#include "ops/where.h"

typedef struct reduce_config {
  snug__layer_common common;
  snug_ints axis, axes;
  snug_floats ord, epsilon;
  bool keepdims;
  int64_t output, order;
  snug__raw_constant weights;
} reduce_config;

/* All axes would be the batch's, too. */
#define NEEDS_AXES .lacks = LAYER_LACKS(RAW_ALL_AXES)

#define REDUCE_FIELD(member, kind, initial) SNUG_FIELD(reduce_config, member, kind, initial)
#define AXIS REDUCE_FIELD(axis, INTS, NULL)
#define REDUCE_FIELDS AXIS, REDUCE_FIELD(keepdims, BOOL, "false")

static const snug__field reduce_fields[] = {SNUG__LAYER_FIELDS, REDUCE_FIELDS, {0}};
static const snug__field extreme_fields[] = {
    SNUG__LAYER_FIELDS, REDUCE_FIELDS, SNUG_FIXED("initial", "none", NULL), {0}};
static const snug__field product_fields[] = {
    SNUG__LAYER_FIELDS, REDUCE_FIELDS, SNUG_FIXED("dtype", "none", "Cast changes it"), {0}};

/* The axes of a reduction, which must be named: all of them would be the batch's, too. */
static snug_status read_axes(const snug__layer_call *c, const snug_ints *axes,
                             snug__reduce_params *p, uint32_t *set) {
  const reduce_config *k = c->config;
  memset(p, 0, sizeof *p);
  p->axes = *axes;
  p->keepdims = k->keepdims;
  if (axes->n == 0) {
    return snug__layer_lacks(c, RAW_ALL_AXES);
  }
  return snug__layer_need_axes(c, "axis", axes, snug__layer_type(c, c->in[0])->rank, set);
}

static snug_status open(const snug__layer_call *c, snug__reduce_params *p, uint32_t *set,
                        snug_dtype dtype, snug__id *x) {
  const reduce_config *k = c->config;
  SNUG_TRY(read_axes(c, &k->axis, p, set));
  return snug__raw_cast(c, c->in[0], dtype, x);
}

static snug_status emit(const snug__layer_call *c, const snug__op *op, const void *params,
                        snug__id in, snug__id *out) {
  return snug__graph_add(c->b->g, op, params, &in, 1, out, 1);
}

/* ---- sums and extremes: integers stay, sums of bools count; means are the model's float ---- */

static snug_status reduce(snug__layer_call *c, const snug__op *op) {
  snug_dtype dtype = snug__layer_type(c, c->in[0])->dtype;
  snug__reduce_params p;
  uint32_t set = 0;
  if (op == &snug__op_mean) {
    dtype = c->b->real;
  } else if (op == &snug__op_sum && !snug__dtype_is_real(dtype) && dtype != SNUG_INT64) {
    dtype = SNUG_INT32;
  }
  SNUG_TRY(open(c, &p, &set, snug__raw_work(dtype), &c->out));
  SNUG_TRY(emit(c, op, &p, c->out, &c->out));
  return snug__raw_cast(c, c->out, dtype, &c->out);
}

#define RAW_REDUCTION(name, op, fields)                                                     \
  static snug_status call_##name(snug__layer_call *c) { return reduce(c, &snug__op_##op); } \
  RAW_CLASS(name, reduce_config, fields, 1, 1, call_##name, NEEDS_AXES)

RAW_REDUCTION(Amax, max, reduce_fields);
RAW_REDUCTION(Amin, min, reduce_fields);
RAW_REDUCTION(Max, max, extreme_fields);
RAW_REDUCTION(Mean, mean, reduce_fields);
RAW_REDUCTION(Min, min, extreme_fields);
RAW_REDUCTION(Sum, sum, reduce_fields);

static snug_status ptp(snug__layer_call *c) {
  snug_dtype dtype = snug__layer_type(c, c->in[0])->dtype;
  snug__reduce_params p;
  uint32_t set = 0;
  snug__id x = SNUG_NONE;
  snug__id least = SNUG_NONE;
  SNUG_TRY(open(c, &p, &set, snug__raw_work(dtype), &x));
  SNUG_TRY(emit(c, &snug__op_min, &p, x, &least));
  SNUG_TRY(emit(c, &snug__op_max, &p, x, &c->out));
  SNUG_TRY(SNUG_EMIT(c->b->g, subtract, NULL, &c->out, c->out, least));
  return snug__raw_cast(c, c->out, dtype, &c->out);
}

RAW_CLASS(Ptp, reduce_config, reduce_fields, 1, 1, ptp, NEEDS_AXES);

/* ---- of masks ---- */

static snug_status of_mask(snug__layer_call *c, const snug__op *op, snug_dtype result) {
  snug__reduce_params p;
  uint32_t set = 0;
  snug__id mask = SNUG_NONE;
  SNUG_TRY(open(c, &p, &set, SNUG_BOOL, &mask));
  SNUG_TRY(snug__raw_cast(c, mask, c->b->real, &c->out));
  SNUG_TRY(emit(c, op, &p, c->out, &c->out));
  return snug__raw_cast(c, c->out, result, &c->out);
}

static snug_status all(snug__layer_call *c) { return of_mask(c, &snug__op_min, SNUG_BOOL); }
static snug_status any(snug__layer_call *c) { return of_mask(c, &snug__op_max, SNUG_BOOL); }
static snug_status count(snug__layer_call *c) { return of_mask(c, &snug__op_sum, SNUG_INT32); }

static const snug__field axis_fields[] = {SNUG__LAYER_FIELDS, AXIS, {0}};

RAW_CLASS(All, reduce_config, reduce_fields, 1, 1, all, NEEDS_AXES);
RAW_CLASS(Any, reduce_config, reduce_fields, 1, 1, any, NEEDS_AXES);
RAW_CLASS(CountNonzero, reduce_config, axis_fields, 1, 1, count, NEEDS_AXES);

/* ---- moments ---- */

/* The mean and the variance over axes, with or without these. */
static snug_status moments(snug__layer_call *c, const snug_ints *axes, snug__id *mean,
                           snug__id *variance) {
  snug__reduce_params p;
  uint32_t set = 0;
  snug__id x = SNUG_NONE;
  snug__id centre = SNUG_NONE;
  snug__id d = SNUG_NONE;
  SNUG_TRY(read_axes(c, axes, &p, &set));
  SNUG_TRY(snug__layer_as_real(c, c->in[0], &x));
  SNUG_TRY(emit(c, &snug__op_mean, &p, x, mean));
  p.keepdims = true;
  SNUG_TRY(emit(c, &snug__op_mean, &p, x, &centre));
  SNUG_TRY(SNUG_EMIT(c->b->g, subtract, NULL, &d, x, centre));
  SNUG_TRY(SNUG_EMIT(c->b->g, square, NULL, &d, d));
  p.keepdims = ((const reduce_config *)c->config)->keepdims;
  return emit(c, &snug__op_mean, &p, d, variance);
}

static snug_status var(snug__layer_call *c) {
  snug__id mean = SNUG_NONE;
  return moments(c, &((const reduce_config *)c->config)->axis, &mean, &c->out);
}

static snug_status std_(snug__layer_call *c) {
  SNUG_TRY(var(c));
  return SNUG_EMIT(c->b->g, sqrt, NULL, &c->out, c->out);
}

static snug_status both_moments(snug__layer_call *c) {
  const reduce_config *k = c->config;
  snug__id out[2];
  if (k->output < 0 || k->output > 1) {
    return snug__layer_refuse(c, "output", (double)k->output, "0 (the mean) or 1 (the variance)");
  }
  SNUG_TRY(moments(c, &k->axes, &out[0], &out[1]));
  c->out = out[k->output];
  return SNUG_OK;
}

static const snug__field moments_fields[] = {SNUG__LAYER_FIELDS,
                                             REDUCE_FIELD(axes, INTS, NULL),
                                             REDUCE_FIELD(keepdims, BOOL, "false"),
                                             REDUCE_FIELD(output, INT, "0"),
                                             SNUG_FIXED("synchronized", "false", NULL),
                                             {0}};

RAW_CLASS(Moments, reduce_config, moments_fields, 1, 1, both_moments, NEEDS_AXES);
RAW_CLASS(Std, reduce_config, reduce_fields, 1, 1, std_, NEEDS_AXES);
RAW_CLASS(Var, reduce_config, reduce_fields, 1, 1, var, NEEDS_AXES);

/* sum(x w) / sum(w) along one axis; without weights a mean */
static snug_status average(snug__layer_call *c) {
  const reduce_config *k = c->config;
  snug__reduce_params p;
  snug__raw_operand w = {SNUG_NONE, &k->weights};
  snug__type sizes;
  snug__id x = SNUG_NONE;
  snug__id weights = SNUG_NONE;
  snug__id total = SNUG_NONE;
  uint32_t set = 0;
  int32_t axis = 0;
  int64_t dim[SNUG_MAX_RANK] = {1, 1, 1, 1, 1, 1};
  SNUG_TRY(open(c, &p, &set, c->b->real, &x));
  if (!k->weights.values.n) {
    return emit(c, &snug__op_mean, &p, x, &c->out);
  }
  SNUG_TRY(snug__layer_need_one_axis(c, "axis", &k->axis, &axis));
  SNUG_TRY(snug__raw_sizes(c, &k->weights, &sizes));
  int32_t rank = snug__layer_type(c, x)->rank;
  dim[axis] = k->weights.values.n;
  if (sizes.rank > 1 || dim[axis] != snug__layer_type(c, x)->dim[axis]) {
    return snug__layer_refuse(c, "weights", (double)dim[axis], "one number per place of the axis");
  }
  SNUG_TRY(snug__raw_value(c, &w, c->b->real, &weights));
  SNUG_TRY(snug__layer_reshape(c, weights, rank, dim, &weights));
  SNUG_TRY(SNUG_EMIT(c->b->g, multiply, NULL, &x, x, weights));
  SNUG_TRY(emit(c, &snug__op_sum, &p, x, &x));
  memset(&p, 0, sizeof p);
  SNUG_TRY(emit(c, &snug__op_sum, &p, weights, &total));
  return SNUG_EMIT(c->b->g, divide, NULL, &c->out, x, total);
}

static const snug__field average_fields[] = {
    SNUG__LAYER_FIELDS, AXIS, RAW_CONSTANT(reduce_config, weights), {0}};

RAW_CLASS(Average, reduce_config, average_fields, 1, 1, average, NEEDS_AXES);

/* ---- norms ---- */

#define ORDER_OF_MATRICES "ord of matrices, other than null (the root of all squares)"

/* The norm of order `ord` over axes: null and 2 by squares; other orders are those of vectors. */
static snug_status norm_of(const snug__layer_call *c, const snug__reduce_params *p,
                           const snug_floats *ord, snug__id x, snug__id *out) {
  double order = ord->n ? ord->v[0] : 2.0;
  snug__id power = SNUG_NONE;
  if (ord->n && p->axes.n > 1) {
    char value[SNUG__NUMBER_BYTES];
    return snug__layer_lacks_value(c, "ord", snug__print_float(order, value), ORDER_OF_MATRICES);
  }
  if (order == 2.0) {
    SNUG_TRY(SNUG_EMIT(c->b->g, square, NULL, &x, x));
    SNUG_TRY(emit(c, &snug__op_sum, p, x, &x));
    return SNUG_EMIT(c->b->g, sqrt, NULL, out, x);
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, abs, NULL, &x, x));
  if (isinf(order)) {
    return emit(c, order > 0.0 ? &snug__op_max : &snug__op_min, p, x, out);
  }
  if (order == 1.0) {
    return emit(c, &snug__op_sum, p, x, out);
  }
  if (!(order > 0.0)) {
    return snug__layer_refuse(c, "ord", order, "null, a number above 0, or inf and -inf");
  }
  SNUG_TRY(snug__layer_number(c, order, &power));
  SNUG_TRY(SNUG_EMIT(c->b->g, power, NULL, &x, x, power));
  SNUG_TRY(emit(c, &snug__op_sum, p, x, &x));
  SNUG_TRY(snug__layer_number(c, 1.0 / order, &power));
  return SNUG_EMIT(c->b->g, power, NULL, out, x, power);
}

static snug_status norm(snug__layer_call *c) {
  snug__reduce_params p;
  uint32_t set = 0;
  SNUG_TRY(open(c, &p, &set, c->b->real, &c->out));
  return norm_of(c, &p, &((const reduce_config *)c->config)->ord, c->out, &c->out);
}

/* x over its norm, a norm below epsilon counting as that. */
static snug_status normalize(snug__layer_call *c) {
  const reduce_config *k = c->config;
  snug_floats order = {1, {(double)k->order}};
  snug__id x = SNUG_NONE;
  snug__id size = SNUG_NONE;
  snug__id least = SNUG_NONE;
  snug__reduce_params p;
  uint32_t set = 0;
  SNUG_TRY(snug__layer_need_int(c, "order", k->order, 1));
  SNUG_TRY(open(c, &p, &set, c->b->real, &x));
  p.keepdims = true;
  order.n = k->order == 2 ? 0 : 1;
  SNUG_TRY(norm_of(c, &p, &order, x, &size));
  SNUG_TRY(snug__layer_number(c, k->epsilon.n ? k->epsilon.v[0] : 1e-7, &least));
  SNUG_TRY(SNUG_EMIT(c->b->g, maximum, NULL, &size, size, least));
  return SNUG_EMIT(c->b->g, divide, NULL, &c->out, x, size);
}

static const snug__field norm_fields[] = {
    SNUG__LAYER_FIELDS, REDUCE_FIELDS, REDUCE_FIELD(ord, FLOATS, "[]"), {0}};
static const snug__field normalize_fields[] = {SNUG__LAYER_FIELDS,
                                               REDUCE_FIELD(axis, INTS, "-1"),
                                               REDUCE_FIELD(order, INT, "2"),
                                               REDUCE_FIELD(epsilon, FLOATS, "[]"),
                                               {0}};

RAW_CLASS(Norm, reduce_config, norm_fields, 1, 1, norm,
          .lacks = LAYER_LACKS(RAW_ALL_AXES, ORDER_OF_MATRICES));
RAW_CLASS(Normalize, reduce_config, normalize_fields, 1, 1, normalize, NEEDS_AXES);

/* ---- Logsumexp: the largest is taken out before, so that nothing overflows ---- */

static snug_status logsumexp(snug__layer_call *c) {
  snug__reduce_params p;
  uint32_t set = 0;
  snug__id x = SNUG_NONE;
  snug__id most = SNUG_NONE;
  snug__id back = SNUG_NONE;
  SNUG_TRY(open(c, &p, &set, c->b->real, &x));
  bool keeps = p.keepdims;
  p.keepdims = true;
  SNUG_TRY(emit(c, &snug__op_max, &p, x, &most));
  SNUG_TRY(SNUG_EMIT(c->b->g, stop_gradient, NULL, &most, most));
  SNUG_TRY(SNUG_EMIT(c->b->g, subtract, NULL, &x, x, most));
  SNUG_TRY(SNUG_EMIT(c->b->g, exp, NULL, &x, x));
  p.keepdims = keeps;
  SNUG_TRY(emit(c, &snug__op_sum, &p, x, &x));
  SNUG_TRY(SNUG_EMIT(c->b->g, log, NULL, &x, x));
  snug__type to = *snug__layer_type(c, x);
  SNUG_TRY(snug__emit_reshape(c->b->g, most, &to, &back));
  return SNUG_EMIT(c->b->g, add, NULL, &c->out, x, back);
}

RAW_CLASS(Logsumexp, reduce_config, reduce_fields, 1, 1, logsumexp, NEEDS_AXES);

/* ---- along one axis ---- */

/* All axes of the set at the end, as one. */
static snug_status fold(const snug__layer_call *c, snug__id v, uint32_t set, int32_t n,
                        snug__id *out) {
  snug__gathered g;
  SNUG_TRY(snug__layer_gather(c, v, set, &g, out));
  snug__type whole = *snug__layer_type(c, *out);
  snug__type folded = snug__type_of(whole.dtype, whole.rank - n + 1, whole.dim);
  for (int32_t k = folded.rank; k < whole.rank; k++) {
    folded.dim[folded.rank - 1] *= whole.dim[k];
  }
  return snug__emit_reshape(c->b->g, *out, &folded, out);
}

static snug_status prod(snug__layer_call *c) {
  snug__running_params along = {-1, false};
  snug__type x = *snug__layer_type(c, c->in[0]);
  snug__reduce_params p;
  uint32_t set = 0;
  int64_t dim[SNUG_MAX_RANK] = {0};
  int32_t rank = 0;
  SNUG_TRY(open(c, &p, &set, c->b->real, &c->out));
  SNUG_TRY(fold(c, c->out, set, p.axes.n, &c->out));
  SNUG_TRY(emit(c, &snug__op_product, &along, c->out, &c->out));
  for (int32_t k = 0; k < x.rank; k++) {
    bool is_taken = set >> k & 1;
    if (!is_taken || p.keepdims) {
      dim[rank++] = is_taken ? 1 : x.dim[k];
    }
  }
  return snug__layer_reshape(c, c->out, rank, dim, &c->out);
}

RAW_CLASS(Prod, reduce_config, product_fields, 1, 1, prod, NEEDS_AXES);

static snug_status arg(snug__layer_call *c, bool least) {
  const reduce_config *k = c->config;
  snug__argmax_params p;
  snug__reduce_params reduce_p;
  uint32_t set = 0;
  int32_t axis = 0;
  memset(&p, 0, sizeof p);
  SNUG_TRY(read_axes(c, &k->axis, &reduce_p, &set));
  SNUG_TRY(snug__layer_need_one_axis(c, "axis", &k->axis, &axis));
  p.axis = axis;
  p.keepdims = k->keepdims;
  SNUG_TRY(
      snug__raw_cast(c, c->in[0], snug__raw_work(snug__layer_type(c, c->in[0])->dtype), &c->out));
  if (least) {
    SNUG_TRY(SNUG_EMIT(c->b->g, negative, NULL, &c->out, c->out));
  }
  return SNUG_EMIT(c->b->g, argmax, &p, &c->out, c->out);
}

static snug_status argmax(snug__layer_call *c) { return arg(c, false); }
static snug_status argmin(snug__layer_call *c) { return arg(c, true); }

RAW_CLASS(Argmax, reduce_config, reduce_fields, 1, 1, argmax, NEEDS_AXES);
RAW_CLASS(Argmin, reduce_config, reduce_fields, 1, 1, argmin, NEEDS_AXES);

static snug_status cumsum(snug__layer_call *c) {
  snug_dtype dtype = snug__layer_type(c, c->in[0])->dtype;
  snug__running_params p;
  snug__reduce_params axes;
  uint32_t set = 0;
  int32_t axis = 0;
  memset(&p, 0, sizeof p);
  SNUG_TRY(open(c, &axes, &set, snug__raw_work(dtype), &c->out));
  SNUG_TRY(snug__layer_need_one_axis(c, "axis", &axes.axes, &axis));
  p.axis = axis;
  SNUG_TRY(emit(c, &snug__op_running_sum, &p, c->out, &c->out));
  return snug__raw_cast(c, c->out, dtype == SNUG_BOOL ? SNUG_INT32 : dtype, &c->out);
}

static const snug__field cumsum_fields[] = {
    SNUG__LAYER_FIELDS, AXIS, SNUG_FIXED("dtype", "none", "Cast changes it"), {0}};

RAW_CLASS(Cumsum, reduce_config, cumsum_fields, 1, 1, cumsum, NEEDS_AXES);
