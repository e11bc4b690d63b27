#include "model/layers/raw_values.h"

#include <math.h>

#include "ops/take.h"
#include "ops/unary.h"

enum { ANY, FLOAT, INT, BOOL, FIRST_NAMED };

const char *const snug__raw_dtypes[] = {"any",   "float", "int",   "bool", "int8",
                                        "uint8", "int32", "int64", NULL};
static const snug_dtype named[] = {SNUG_INT8, SNUG_UINT8, SNUG_INT32, SNUG_INT64};

/* ---- sizes ---- */

static snug_status fail_shape(const snug__layer_call *c, const snug__raw_constant *k) {
  return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                    "%s: the %lld numbers of a constant do not fill its shape of %d axes%s",
                    c->layer->name, (long long)k->values.n, k->shape.n,
                    k->values.nested ? "; lists in lists need one (constant_shape)" : "");
}

static snug_status whole_sizes(const snug__layer_call *c, const snug__raw_constant *k,
                               snug__type *out) {
  int64_t count = 1;
  bool is_list = k->shape.n || k->values.n != 1;
  *out = snug__scalar(c->b->real);
  out->rank = k->shape.n ? k->shape.n : is_list ? 1 : 0;
  if (out->rank > SNUG_MAX_RANK) {
    return fail_shape(c, k);
  }
  for (int32_t i = 0; i < out->rank; i++) {
    out->dim[i] = k->shape.n ? k->shape.v[i] : k->values.n;
    if (out->dim[i] < 0 || !snug__mul_i64(count, out->dim[i], &count)) {
      return fail_shape(c, k);
    }
  }
  return count == k->values.n && !(k->values.nested && !k->shape.n) ? SNUG_OK : fail_shape(c, k);
}

snug_status snug__raw_sizes(const snug__layer_call *c, const snug__raw_constant *k,
                            snug__type *out) {
  int32_t ones = 0;
  snug__type whole;
  SNUG_TRY(whole_sizes(c, k, &whole));
  while (ones < whole.rank && whole.dim[ones] == 1) {
    ones++;
  }
  *out = snug__type_of(whole.dtype, whole.rank - ones, whole.dim + ones);
  return SNUG_OK;
}

/* ---- who is who ---- */

/* Values of different ranks would meet with the batch of one along another axis of the other. */
static snug_status need_one_rank(const snug__layer_call *c, int32_t i) {
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  const snug__type *first = snug__layer_type(c, c->in[0]);
  const snug__type *other = snug__layer_type(c, c->in[i]);
  if (first->rank != other->rank) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                      "%s: %s and %s have different numbers of axes, so that samples would be "
                      "mixed; reshape one of them",
                      c->layer->name, snug__type_batch_text(first, a),
                      snug__type_batch_text(other, b));
  }
  return SNUG_OK;
}

/* The first axis is the batch's: a constant must not reach it. */
static snug_status check_constant(const snug__layer_call *c, const snug__raw_constant *k) {
  snug__type sizes;
  char text[SNUG__TYPE_TEXT_BYTES];
  char of[SNUG__TYPE_TEXT_BYTES];
  const snug__type *x = snug__layer_type(c, c->in[0]);
  SNUG_TRY(snug__raw_sizes(c, k, &sizes));
  bool fits = sizes.rank < x->rank || sizes.rank == 0;
  for (int32_t i = 1; fits && i <= sizes.rank; i++) {
    int64_t n = x->dim[x->rank - i];
    fits = sizes.dim[sizes.rank - i] == n || n == 1 || sizes.dim[sizes.rank - i] == 1;
  }
  return fits ? SNUG_OK
              : snug__fail(c->b->ctx, SNUG_E_SHAPE,
                           "%s: a constant of shape %s cannot be broadcast to %s without mixing "
                           "samples: its axes must be 1 or those of a sample",
                           c->layer->name, strchr(snug__type_text(&sizes, text), '['),
                           snug__type_batch_text(x, of));
}

snug_status snug__raw_open(const snug__layer_call *c, const snug__raw_constant *const *constants,
                           int32_t n, snug__raw_operand *out) {
  int32_t next = 0;
  for (int32_t i = 0; i < n; i++) {
    bool is_constant = constants[i] && constants[i]->values.n;
    out[i] = (snug__raw_operand){SNUG_NONE, is_constant ? constants[i] : NULL};
    if (!is_constant && next < c->n_in) {
      out[i].id = c->in[next];
      SNUG_TRY(need_one_rank(c, next));
    }
    next += !is_constant;
  }
  if (next != c->n_in || next == 0) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: %d inputs and %d constants: expected %d together, an input among them",
                      c->layer->name, c->n_in, n - next, n);
  }
  for (int32_t i = 0; i < n; i++) {
    if (out[i].constant) {
      SNUG_TRY(check_constant(c, out[i].constant));
    }
  }
  return SNUG_OK;
}

/* ---- dtypes ---- */

static bool are_whole(const snug_numbers *list) {
  bool is_list = list->text[0] == '[';
  bool whole = true;
  int depth = 0;
  for (const char *at = list->text; whole && *at; at++) {
    depth += (*at == '[') - (*at == ']');
    if (is_list ? depth == 0 : *at == ' ' || *at == ',') {
      break;
    }
    whole = *at != '.' && *at != 'e' && *at != 'n'; /* 1.5, 1e-3, inf */
  }
  return whole;
}

/* What a constant is beside a tensor of a dtype. */
static snug_dtype constant_dtype(const snug__layer_call *c, const snug__raw_constant *k,
                                 snug_dtype beside) {
  switch (k->dtype) {
    case ANY:
      return snug__dtype_is_real(beside) || !are_whole(&k->values) ? c->b->real : beside;
    case FLOAT:
      return c->b->real;
    case INT:
      return beside == SNUG_BOOL ? SNUG_INT32 : beside;
    case BOOL:
      return SNUG_BOOL;
    default:
      return named[k->dtype - FIRST_NAMED];
  }
}

static int32_t width_of(snug_dtype d) { return (int32_t)snug_dtype_bytes(d) + (d != SNUG_BOOL); }

static snug_status promote(const snug__layer_call *c, snug_dtype a, snug_dtype b, snug_dtype *out) {
  if (snug__dtype_is_real(a) || snug__dtype_is_real(b)) {
    *out = c->b->real;
    return SNUG_OK;
  }
  *out = width_of(a) >= width_of(b) ? a : b;
  return a == b || width_of(a) != width_of(b)
             ? SNUG_OK
             : snug__fail(c->b->ctx, SNUG_E_DTYPE, "%s: %s with %s makes int16, which there is not",
                          c->layer->name, snug_dtype_text(a), snug_dtype_text(b));
}

snug_status snug__raw_common(const snug__layer_call *c, const snug__raw_operand *o, int32_t n,
                             snug_dtype *out) {
  *out = SNUG_BOOL;
  for (int32_t i = 0; i < n; i++) {
    if (!o[i].constant) {
      SNUG_TRY(promote(c, *out, snug__layer_type(c, o[i].id)->dtype, out));
    }
  }
  for (int32_t i = 0; i < n; i++) {
    if (o[i].constant) {
      SNUG_TRY(promote(c, *out, constant_dtype(c, o[i].constant, *out), out));
    }
  }
  return SNUG_OK;
}

snug_status snug__raw_cast(const snug__layer_call *c, snug__id in, snug_dtype dtype,
                           snug__id *out) {
  snug__cast_params p = {(int32_t)dtype};
  *out = in;
  return snug__layer_type(c, in)->dtype == dtype ? SNUG_OK : SNUG_EMIT(c->b->g, cast, &p, out, in);
}

/* ---- values ---- */

static snug_status emit_constant(const snug__layer_call *c, const snug__raw_constant *k,
                                 snug__type type, snug__id *out) {
  size_t n = (size_t)k->values.n;
  double *v = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, n, &v));
  snug__numbers_read(&k->values, v);
  for (int64_t i = 0; i < k->values.n; i++) { /* no dtype is wider: in place from the front */
    snug__element_set(type.dtype, v, i, v[i]);
  }
  snug_status s = snug__graph_constant(c->b->g, c->layer->name, type, v, out);
  SNUG_GIVE_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, v, n);
  return s;
}

snug_status snug__raw_value(const snug__layer_call *c, const snug__raw_operand *o, snug_dtype dtype,
                            snug__id *out) {
  snug__type type;
  if (!o->constant) {
    return snug__raw_cast(c, o->id, dtype, out);
  }
  SNUG_TRY(snug__raw_sizes(c, o->constant, &type));
  type.dtype = dtype;
  return emit_constant(c, o->constant, type, out);
}

snug_status snug__raw_whole(const snug__layer_call *c, const snug__raw_constant *k,
                            snug_dtype dtype, snug__id *out) {
  snug__type type;
  SNUG_TRY(whole_sizes(c, k, &type));
  type.dtype = dtype;
  return emit_constant(c, k, type, out);
}

snug_status snug__raw_apply(snug__layer_call *c, const snug__op *op, const void *params) {
  snug__id x = SNUG_NONE;
  SNUG_TRY(snug__layer_as_real(c, c->in[0], &x));
  return snug__graph_add(c->b->g, op, params, &x, 1, &c->out, 1);
}

snug_status snug__raw_numbers(const snug__layer_call *c, const int64_t *numbers, int64_t n,
                              snug__id *out) {
  int32_t *v = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, (size_t)n, &v));
  for (int64_t i = 0; i < n; i++) {
    v[i] = (int32_t)numbers[i];
  }
  snug_status s =
      snug__graph_constant(c->b->g, c->layer->name, snug__type_of(SNUG_INT32, 1, &n), v, out);
  SNUG_GIVE_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, v, (size_t)n);
  return s;
}

snug_status snug__raw_take(const snug__layer_call *c, snug__id in, int32_t axis,
                           const int64_t *numbers, int64_t n, snug__id *out) {
  snug__take_params p = {axis};
  snug__id list = SNUG_NONE;
  SNUG_TRY(snug__raw_numbers(c, numbers, n, &list));
  return SNUG_EMIT(c->b->g, take, &p, out, in, list);
}
