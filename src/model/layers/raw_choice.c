/* Raw ops that let some elements through and put others in the place of the rest; see raw_ops.h. */
#include <float.h>

#include "model/layers/raw_values.h"
#include "ops/compare.h"
#include "ops/embedding.h"
#include "ops/where.h"

/* ---- triangles of matrices ---- */

typedef struct triangle_config {
  snug__layer_common common;
  int64_t k;
} triangle_config;

static const snug__field triangle_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(triangle_config, k, INT, "0"), {0}};

/* A mask of a matrix: where its column lies less than k behind its row; with_k: or just k. */
static snug_status lower_mask(const snug__layer_call *c, int64_t rows, int64_t columns, int64_t k,
                              bool with_k, snug__id *out) {
  const int64_t shape[] = {rows, columns};
  size_t n = (size_t)(rows * columns);
  uint8_t *mask = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, n, &mask));
  for (int64_t i = 0; i < rows * columns; i++) {
    const int64_t behind = i % columns - i / columns;
    mask[i] = behind < k || (with_k && behind == k);
  }
  snug_status s =
      snug__graph_constant(c->b->g, c->layer->name, snug__type_of(SNUG_BOOL, 2, shape), mask, out);
  SNUG_GIVE_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, mask, n);
  return s;
}

static snug_status triangle(snug__layer_call *c, bool lower) {
  const snug__type *x = snug__layer_type(c, c->in[0]);
  int64_t k = ((const triangle_config *)c->config)->k;
  snug__not_equal_params one = {1.0};
  snug__id mask = SNUG_NONE;
  if (x->rank < 3) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                      "%s: the input has %d axes; a batch of matrices has 3 or more",
                      c->layer->name, x->rank);
  }
  SNUG_TRY(lower_mask(c, x->dim[x->rank - 2], x->dim[x->rank - 1], k, lower, &mask));
  SNUG_TRY(lower ? SNUG_OK : SNUG_EMIT(c->b->g, not_equal, &one, &mask, mask));
  return SNUG_EMIT(c->b->g, where, NULL, &c->out, mask, c->in[0], SNUG_NONE);
}

static snug_status tril(snug__layer_call *c) { return triangle(c, true); }
static snug_status triu(snug__layer_call *c) { return triangle(c, false); }

RAW_CLASS(Tril, triangle_config, triangle_fields, 1, 1, tril);
RAW_CLASS(Triu, triangle_config, triangle_fields, 1, 1, triu);

/* ---- numbers in the place of what is none ---- */

typedef struct finite_config {
  snug__layer_common common;
  double nan;
  snug_floats posinf, neginf; /* none: the largest of the dtype */
} finite_config;

static const snug__field finite_fields[] = {SNUG__LAYER_FIELDS,
                                            SNUG_FIELD(finite_config, nan, FLOAT, "0"),
                                            SNUG_FIELD(finite_config, posinf, FLOATS, "[]"),
                                            SNUG_FIELD(finite_config, neginf, FLOATS, "[]"),
                                            {0}};

/* c->out with another number where it has this relation to v; with itself for v = NULL. */
static snug_status replace(snug__layer_call *c, snug__compare_kind kind, const double *v,
                           double by) {
  snug__compare_params p = {(int32_t)kind};
  snug__id to = c->out;
  snug__id number = SNUG_NONE;
  snug__id mask = SNUG_NONE;
  if (v) {
    SNUG_TRY(snug__layer_number(c, *v, &to));
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, compare, &p, &mask, c->out, to));
  SNUG_TRY(snug__layer_number(c, by, &number));
  return SNUG_EMIT(c->b->g, where, NULL, &c->out, mask, number, c->out);
}

static snug_status nan_to_num(snug__layer_call *c) {
  const finite_config *k = c->config;
  static const double up = INFINITY, down = -INFINITY;
  double most = c->b->real == SNUG_FLOAT64 ? DBL_MAX : (double)FLT_MAX;
  c->out = c->in[0];
  if (!snug__dtype_is_real(snug__layer_type(c, c->out)->dtype)) {
    return SNUG_OK;
  }
  SNUG_TRY(replace(c, SNUG__COMPARE_NOT_EQUAL, NULL, k->nan));
  SNUG_TRY(replace(c, SNUG__COMPARE_EQUAL, &up, k->posinf.n ? k->posinf.v[0] : most));
  return replace(c, SNUG__COMPARE_EQUAL, &down, k->neginf.n ? k->neginf.v[0] : -most);
}

RAW_CLASS(NanToNum, finite_config, finite_fields, 1, 1, nan_to_num);

/* ---- the first of several whose condition holds ---- */

typedef struct select_config {
  snug__layer_common common;
  snug__raw_constant default_;
} select_config;

static const snug__field select_fields[] = {
    SNUG__LAYER_FIELDS,
    {"default", SNUG__FIELD_NUMBERS, offsetof(select_config, default_.values), "[]", NULL},
    {"default_shape", SNUG__FIELD_INTS, offsetof(select_config, default_.shape), "[]", NULL},
    {"default_dtype", SNUG__FIELD_CHOICE, offsetof(select_config, default_.dtype), "any",
     snug__raw_dtypes},
    {0}};

static snug_status select_(snug__layer_call *c) {
  const select_config *k = c->config;
  int32_t n = c->n_in / 2;
  snug_dtype dtype = snug__layer_type(c, c->in[c->n_in - 1])->dtype;
  if (c->n_in % 2) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: is called on %d tensors; each condition has a choice, and the default "
                      "is a constant",
                      c->layer->name, c->n_in);
  }
  snug__raw_operand rest = {SNUG_NONE, &k->default_};
  c->out = SNUG_NONE; /* 0 */
  if (k->default_.values.n) {
    SNUG_TRY(snug__raw_value(c, &rest, dtype, &c->out));
  }
  for (int32_t i = n - 1; i >= 0; i--) {
    snug__id mask = SNUG_NONE;
    snug__id choice = SNUG_NONE;
    SNUG_TRY(snug__raw_cast(c, c->in[i], SNUG_BOOL, &mask));
    SNUG_TRY(snug__raw_cast(c, c->in[n + i], dtype, &choice));
    SNUG_TRY(SNUG_EMIT(c->b->g, where, NULL, &c->out, mask, choice, c->out));
  }
  return SNUG_OK;
}

RAW_CLASS(Select, select_config, select_fields, 2, SNUG__CALL_INPUTS, select_,
          .operands = "condlist choicelist default");
