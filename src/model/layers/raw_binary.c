/* Raw ops of two values or more, any of which may be a constant; see raw_values.h. */
#include "model/layers/raw_values.h"
#include "ops/compare.h"
#include "ops/embedding.h"
#include "ops/function.h"
#include "ops/reduce.h"
#include "ops/unary.h"
#include "ops/where.h"

/* ---- arithmetic ---- */

typedef struct binary_config {
  snug__layer_common common;
  snug__raw_constant constant;
  bool constant_first;
} binary_config;

static const snug__field binary_fields[] = {
    SNUG__LAYER_FIELDS,
    RAW_CONSTANT(binary_config, constant),
    SNUG_FIELD(binary_config, constant_first, BOOL, "false"),
    {0}};

static snug_status open_pair(const snug__layer_call *c, snug__raw_operand o[2], snug_dtype *dtype) {
  const binary_config *k = c->config;
  const snug__raw_constant *constants[2] = {k->constant_first ? &k->constant : NULL,
                                            k->constant_first ? NULL : &k->constant};
  SNUG_TRY(snug__raw_open(c, constants, 2, o));
  return snug__raw_common(c, o, 2, dtype);
}

static snug_status pair_as(const snug__layer_call *c, const snug__raw_operand o[2],
                           snug_dtype dtype, snug__id pair[2]) {
  SNUG_TRY(snug__raw_value(c, &o[0], dtype, &pair[0]));
  return snug__raw_value(c, &o[1], dtype, &pair[1]);
}

/* Integers are computed in float64; a division makes the model's float of them. */
static snug_status binary(snug__layer_call *c, const snug__op *op) {
  snug__raw_operand o[2];
  snug__id pair[2];
  snug_dtype dtype = SNUG_NO_DTYPE;
  SNUG_TRY(open_pair(c, o, &dtype));
  if (op == &snug__op_divide || op == &snug__op_arctan2) {
    dtype = c->b->real;
  }
  SNUG_TRY(pair_as(c, o, snug__raw_work(dtype), pair));
  SNUG_TRY(snug__graph_add(c->b->g, op, NULL, pair, 2, &c->out, 1));
  return snug__raw_cast(c, c->out, dtype, &c->out);
}

#define RAW_BINARY(name, op)                                                                \
  static snug_status call_##name(snug__layer_call *c) { return binary(c, &snug__op_##op); } \
  RAW_CLASS(name, binary_config, binary_fields, 1, 2, call_##name)

RAW_BINARY(Add, add);
RAW_BINARY(Arctan2, arctan2);
RAW_BINARY(Divide, divide);
RAW_BINARY(FloorDivide, floor_divide);
RAW_BINARY(Maximum, maximum);
RAW_BINARY(Minimum, minimum);
RAW_BINARY(Mod, floor_mod);
RAW_BINARY(Multiply, multiply);
RAW_BINARY(Power, power);
RAW_BINARY(Subtract, subtract);
RAW_BINARY(TrueDivide, divide);

/* ---- of several ops ---- */

static snug_status open_real(snug__layer_call *c, snug__id pair[2]) {
  snug__raw_operand o[2];
  snug_dtype dtype = SNUG_NO_DTYPE;
  SNUG_TRY(open_pair(c, o, &dtype));
  return pair_as(c, o, c->b->real, pair);
}

/* max(x, y) + log(1 + base^-|x - y|) / log(base); the sum where both are the same infinity. */
static snug_status log_add(snug__layer_call *c, double log_base) {
  snug__graph *g = c->b->g;
  snug__function_params log1p_ = {SNUG__FUNCTION_log1p};
  snug__compare_params equal = {SNUG__COMPARE_EQUAL};
  snug__scale_shift_params into = {-log_base, 0.0};
  snug__scale_shift_params back = {1.0 / log_base, 0.0};
  snug__id pair[2];
  snug__id off = SNUG_NONE;
  snug__id is_number = SNUG_NONE;
  snug__id sum = SNUG_NONE;
  snug__id larger = SNUG_NONE;
  SNUG_TRY(open_real(c, pair));
  SNUG_TRY(SNUG_EMIT(g, subtract, NULL, &off, pair[0], pair[1]));
  SNUG_TRY(SNUG_EMIT(g, compare, &equal, &is_number, off, off));
  SNUG_TRY(SNUG_EMIT(g, abs, NULL, &off, off));
  SNUG_TRY(SNUG_EMIT(g, scale_shift, &into, &off, off));
  SNUG_TRY(SNUG_EMIT(g, exp, NULL, &off, off));
  SNUG_TRY(SNUG_EMIT(g, function, &log1p_, &off, off));
  SNUG_TRY(SNUG_EMIT(g, scale_shift, &back, &off, off));
  SNUG_TRY(SNUG_EMIT(g, maximum, NULL, &larger, pair[0], pair[1]));
  SNUG_TRY(SNUG_EMIT(g, add, NULL, &larger, larger, off));
  SNUG_TRY(SNUG_EMIT(g, add, NULL, &sum, pair[0], pair[1]));
  return SNUG_EMIT(g, where, NULL, &c->out, is_number, larger, sum);
}

static snug_status logaddexp(snug__layer_call *c) { return log_add(c, 1.0); }

/* Keras on TensorFlow takes the logarithm of 2 through float32. */
static snug_status logaddexp2(snug__layer_call *c) {
  return log_add(c, snug__layer_rounded(M_LN2));
}

RAW_CLASS(Logaddexp, binary_config, binary_fields, 1, 2, logaddexp);
RAW_CLASS(Logaddexp2, binary_config, binary_fields, 1, 2, logaddexp2);

static snug_status hypot_(snug__layer_call *c) {
  snug__id pair[2];
  SNUG_TRY(open_real(c, pair));
  SNUG_TRY(SNUG_EMIT(c->b->g, square, NULL, &pair[0], pair[0]));
  SNUG_TRY(SNUG_EMIT(c->b->g, square, NULL, &pair[1], pair[1]));
  SNUG_TRY(SNUG_EMIT(c->b->g, add, NULL, &c->out, pair[0], pair[1]));
  return SNUG_EMIT(c->b->g, sqrt, NULL, &c->out, c->out);
}

RAW_CLASS(Hypot, binary_config, binary_fields, 1, 2, hypot_);

/* Where the divisor is 0 another stands in its place, so that no gradient is NaN. */
static snug_status divide_no_nan(snug__layer_call *c) {
  snug__not_equal_params zero = {0.0};
  snug__id pair[2];
  snug__id is_there = SNUG_NONE;
  snug__id one = SNUG_NONE;
  SNUG_TRY(open_real(c, pair));
  SNUG_TRY(SNUG_EMIT(c->b->g, not_equal, &zero, &is_there, pair[1]));
  SNUG_TRY(snug__layer_number(c, 1.0, &one));
  SNUG_TRY(SNUG_EMIT(c->b->g, where, NULL, &pair[1], is_there, pair[1], one));
  SNUG_TRY(SNUG_EMIT(c->b->g, divide, NULL, &c->out, pair[0], pair[1]));
  return SNUG_EMIT(c->b->g, where, NULL, &c->out, is_there, c->out, SNUG_NONE);
}

RAW_CLASS(DivideNoNan, binary_config, binary_fields, 1, 2, divide_no_nan);

/* ---- masks ---- */

static snug_status compare(snug__layer_call *c, snug__compare_kind kind) {
  snug__compare_params p = {(int32_t)kind};
  snug__raw_operand o[2];
  snug__id pair[2];
  snug_dtype dtype = SNUG_NO_DTYPE;
  SNUG_TRY(open_pair(c, o, &dtype));
  SNUG_TRY(pair_as(c, o, snug__raw_work(dtype), pair));
  return snug__graph_add(c->b->g, &snug__op_compare, &p, pair, 2, &c->out, 1);
}

#define RAW_COMPARE(name, kind)                                                                    \
  static snug_status call_##name(snug__layer_call *c) { return compare(c, SNUG__COMPARE_##kind); } \
  RAW_CLASS(name, binary_config, binary_fields, 1, 2, call_##name)

RAW_COMPARE(Equal, EQUAL);
RAW_COMPARE(Greater, GREATER);
RAW_COMPARE(GreaterEqual, GREATER_EQUAL);
RAW_COMPARE(Less, LESS);
RAW_COMPARE(LessEqual, LESS_EQUAL);
RAW_COMPARE(NotEqual, NOT_EQUAL);

static snug_status logical(snug__layer_call *c, snug__logical_kind kind) {
  snug__logical_params p = {(int32_t)kind};
  snug__raw_operand o[2];
  snug__id pair[2];
  snug_dtype dtype = SNUG_NO_DTYPE;
  SNUG_TRY(open_pair(c, o, &dtype));
  SNUG_TRY(pair_as(c, o, SNUG_BOOL, pair));
  return snug__graph_add(c->b->g, &snug__op_logical, &p, pair, 2, &c->out, 1);
}

#define RAW_LOGICAL(name, kind)                                                                    \
  static snug_status call_##name(snug__layer_call *c) { return logical(c, SNUG__LOGICAL_##kind); } \
  RAW_CLASS(name, binary_config, binary_fields, 1, 2, call_##name)

RAW_LOGICAL(LogicalAnd, AND);
RAW_LOGICAL(LogicalOr, OR);
RAW_LOGICAL(LogicalXor, XOR);

static snug_status logical_not(snug__layer_call *c) {
  snug__not_equal_params p = {1.0};
  SNUG_TRY(snug__raw_cast(c, c->in[0], SNUG_BOOL, &c->out));
  return SNUG_EMIT(c->b->g, not_equal, &p, &c->out, c->out);
}

RAW_CLASS(LogicalNot, snug__layer_common, snug__layer_plain_fields, 1, 1, logical_not);

static snug_status compare_to(snug__layer_call *c, snug__id x, snug__compare_kind kind, double v,
                              snug__id *out) {
  snug__compare_params p = {(int32_t)kind};
  snug__id number = SNUG_NONE;
  SNUG_TRY(snug__layer_number(c, v, &number));
  return SNUG_EMIT(c->b->g, compare, &p, out, x, number);
}

static snug_status isnan_(snug__layer_call *c) {
  snug__compare_params p = {SNUG__COMPARE_NOT_EQUAL};
  snug__id x = SNUG_NONE;
  SNUG_TRY(snug__layer_as_real(c, c->in[0], &x));
  return SNUG_EMIT(c->b->g, compare, &p, &c->out, x, x);
}

static snug_status isinf_(snug__layer_call *c) {
  SNUG_TRY(snug__raw_apply(c, &snug__op_abs, NULL));
  return compare_to(c, c->out, SNUG__COMPARE_EQUAL, INFINITY, &c->out);
}

static snug_status isfinite_(snug__layer_call *c) {
  SNUG_TRY(snug__raw_apply(c, &snug__op_abs, NULL));
  return compare_to(c, c->out, SNUG__COMPARE_LESS, INFINITY, &c->out);
}

static snug_status is_infinity(snug__layer_call *c, double infinity) {
  SNUG_TRY(snug__layer_as_real(c, c->in[0], &c->out));
  return compare_to(c, c->out, SNUG__COMPARE_EQUAL, infinity, &c->out);
}

static snug_status isneginf(snug__layer_call *c) { return is_infinity(c, -INFINITY); }
static snug_status isposinf(snug__layer_call *c) { return is_infinity(c, INFINITY); }

RAW_CLASS(Isneginf, snug__layer_common, snug__layer_plain_fields, 1, 1, isneginf);
RAW_CLASS(Isposinf, snug__layer_common, snug__layer_plain_fields, 1, 1, isposinf);
RAW_CLASS(Isfinite, snug__layer_common, snug__layer_plain_fields, 1, 1, isfinite_);
RAW_CLASS(Isinf, snug__layer_common, snug__layer_plain_fields, 1, 1, isinf_);
RAW_CLASS(Isnan, snug__layer_common, snug__layer_plain_fields, 1, 1, isnan_);

/* ---- Where ---- */

typedef struct where_config {
  snug__layer_common common;
  snug__raw_constant condition, x1, x2;
} where_config;

static const snug__field where_fields[] = {SNUG__LAYER_FIELDS,
                                           RAW_CONSTANT(where_config, condition),
                                           RAW_CONSTANT(where_config, x1),
                                           RAW_CONSTANT(where_config, x2),
                                           {0}};

static snug_status where(snug__layer_call *c) {
  const where_config *k = c->config;
  const snug__raw_constant *constants[3] = {&k->condition, &k->x1, &k->x2};
  snug__raw_operand o[3];
  snug__id in[3];
  snug_dtype dtype = SNUG_NO_DTYPE;
  SNUG_TRY(snug__raw_open(c, constants, 3, o));
  SNUG_TRY(snug__raw_common(c, o + 1, 2, &dtype));
  SNUG_TRY(snug__raw_value(c, &o[0], SNUG_BOOL, &in[0]));
  SNUG_TRY(snug__raw_value(c, &o[1], dtype, &in[1]));
  SNUG_TRY(snug__raw_value(c, &o[2], dtype, &in[2]));
  return snug__graph_add(c->b->g, &snug__op_where, NULL, in, 3, &c->out, 1);
}

RAW_CLASS(Where, where_config, where_fields, 1, 3, where, .operands = "condition x1 x2");

/* ---- values of a shape ---- */

typedef struct like_config {
  snug__layer_common common;
  char dtype[SNUG__NAME_BYTES];
  double fill_value;
} like_config;

#define LIKE_DTYPE SNUG_FIELD(like_config, dtype, TEXT, "\"\"")
static const snug__field like_fields[] = {SNUG__LAYER_FIELDS, LIKE_DTYPE, {0}};
static const snug__field full_fields[] = {
    SNUG__LAYER_FIELDS, LIKE_DTYPE, SNUG_FIELD(like_config, fill_value, FLOAT, NULL), {0}};

#define OTHER_DTYPE \
  "a dtype other than int8, uint8, int32, int64, bool and the float that the model computes in"

/* A dtype by its name: an integer, bool, or the float that the model computes in. */
static snug_status dtype_of(const snug__layer_call *c, const char *name, snug_dtype *out) {
  for (int d = SNUG_NO_DTYPE + 1; d < SNUG_DTYPE_COUNT; d++) {
    *out = (snug_dtype)d;
    if (strcmp(name, snug_dtype_text(*out)) == 0 &&
        (!snug__dtype_is_real(*out) || *out == c->b->real)) {
      return SNUG_OK;
    }
  }
  return snug__layer_lacks_value(c, "dtype", name, OTHER_DTYPE);
}

static snug_status fill_like(snug__layer_call *c, double value) {
  const like_config *k = c->config;
  const snug__type *x = snug__layer_type(c, c->in[0]);
  snug_dtype dtype = x->dtype;
  snug__fill_params p;
  memset(&p, 0, sizeof p);
  if (k->dtype[0]) {
    SNUG_TRY(dtype_of(c, k->dtype, &dtype));
  }
  p.shape.n = x->rank;
  memcpy(p.shape.v, x->dim, sizeof x->dim);
  p.value = value;
  p.dtype = (int32_t)dtype;
  return snug__graph_add(c->b->g, &snug__op_fill, &p, NULL, 0, &c->out, 1);
}

static snug_status full_like(snug__layer_call *c) {
  return fill_like(c, ((const like_config *)c->config)->fill_value);
}
static snug_status ones_like(snug__layer_call *c) { return fill_like(c, 1.0); }
static snug_status zeros_like(snug__layer_call *c) { return fill_like(c, 0.0); }

RAW_CLASS(FullLike, like_config, full_fields, 1, 1, full_like, .operands = "x fill_value",
          .lacks = LAYER_LACKS(OTHER_DTYPE));
RAW_CLASS(OnesLike, like_config, like_fields, 1, 1, ones_like, .lacks = LAYER_LACKS(OTHER_DTYPE));
RAW_CLASS(ZerosLike, like_config, like_fields, 1, 1, zeros_like, .lacks = LAYER_LACKS(OTHER_DTYPE));

typedef struct cast_config {
  snug__layer_common common;
  char dtype[SNUG__NAME_BYTES];
} cast_config;

static const snug__field cast_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(cast_config, dtype, TEXT, NULL), {0}};

static snug_status cast(snug__layer_call *c) {
  snug_dtype dtype = SNUG_NO_DTYPE;
  SNUG_TRY(dtype_of(c, ((const cast_config *)c->config)->dtype, &dtype));
  return snug__raw_cast(c, c->in[0], dtype, &c->out);
}

RAW_CLASS(Cast, cast_config, cast_fields, 1, 1, cast, .lacks = LAYER_LACKS(OTHER_DTYPE));

typedef struct one_hot_config {
  snug__layer_common common;
  int64_t num_classes, axis;
  char dtype[SNUG__NAME_BYTES];
} one_hot_config;

static const snug__field one_hot_fields[] = {SNUG__LAYER_FIELDS,
                                             SNUG_FIELD(one_hot_config, num_classes, INT, NULL),
                                             SNUG_FIELD(one_hot_config, axis, INT, "-1"),
                                             SNUG_FIELD(one_hot_config, dtype, TEXT, "\"\""),
                                             {0}};

static snug_status one_hot(snug__layer_call *c) {
  const one_hot_config *k = c->config;
  int32_t rank = snug__layer_type(c, c->in[0])->rank + 1;
  snug__one_hot_params p = {k->num_classes, (int32_t)c->b->real};
  snug__permute_params order;
  snug_dtype dtype = c->b->real;
  int32_t axis = 0;
  if (k->dtype[0]) {
    SNUG_TRY(dtype_of(c, k->dtype, &dtype));
  }
  SNUG_TRY(snug__layer_need_axis(c, "axis", k->axis, rank, &axis));
  p.dtype = (int32_t)dtype;
  c->out = c->in[0];
  if (!snug__dtype_is_integer(snug__layer_type(c, c->out)->dtype)) {
    SNUG_TRY(snug__raw_cast(c, c->out, SNUG_INT32, &c->out));
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, one_hot, &p, &c->out, c->out));
  memset(&order, 0, sizeof order);
  order.axes.n = rank;
  for (int32_t i = 0; i < rank; i++) {
    order.axes.v[i] = i < axis ? i : i == axis ? rank - 1 : i - 1;
  }
  return axis == rank - 1 ? SNUG_OK : SNUG_EMIT(c->b->g, permute, &order, &c->out, c->out);
}

RAW_CLASS(OneHot, one_hot_config, one_hot_fields, 1, 1, one_hot, .lacks = LAYER_LACKS(OTHER_DTYPE));

typedef struct multi_hot_config {
  snug__layer_common common;
  int64_t num_classes;
  char dtype[SNUG__NAME_BYTES];
} multi_hot_config;

static const snug__field multi_hot_fields[] = {SNUG__LAYER_FIELDS,
                                               SNUG_FIELD(multi_hot_config, num_classes, INT, NULL),
                                               SNUG_FIXED("axis", "-1", NULL),
                                               SNUG_FIELD(multi_hot_config, dtype, TEXT, "\"\""),
                                               SNUG_FIXED("sparse", "false", NULL),
                                               {0}};

/* 1 for each class that stands along the first axis of a sample. */
static snug_status multi_hot(snug__layer_call *c) {
  const multi_hot_config *k = c->config;
  snug__one_hot_params p = {k->num_classes, (int32_t)c->b->real};
  snug__reduce_params r;
  snug_dtype dtype = c->b->real;
  memset(&r, 0, sizeof r);
  r.axes = (snug_ints){1, {1}};
  if (snug__layer_type(c, c->in[0])->rank < 2) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE, "%s: a sample is one number; it must have several",
                      c->layer->name);
  }
  if (k->dtype[0]) {
    SNUG_TRY(dtype_of(c, k->dtype, &dtype));
  }
  SNUG_TRY(snug__raw_cast(c, c->in[0], SNUG_INT32, &c->out));
  SNUG_TRY(SNUG_EMIT(c->b->g, one_hot, &p, &c->out, c->out));
  SNUG_TRY(SNUG_EMIT(c->b->g, max, &r, &c->out, c->out));
  return snug__raw_cast(c, c->out, dtype, &c->out);
}

RAW_CLASS(MultiHot, multi_hot_config, multi_hot_fields, 1, 1, multi_hot,
          .lacks = LAYER_LACKS(OTHER_DTYPE));
