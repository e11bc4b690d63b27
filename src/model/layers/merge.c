/* Layers that make one value of several, element by element or side by side. */
#include "model/layers/support.h"
#include "ops/norm.h"
#include "ops/reduce.h"
#include "ops/unary.h"

/* A value of fewer axes is seen with axes of 1 behind the batch, as Keras does. */
static snug_status with_rank(const snug__layer_call *c, snug__id in, int32_t rank, snug__id *out) {
  const snug__type *t = snug__layer_type(c, in);
  int64_t dim[SNUG_MAX_RANK] = {t->dim[0]};
  for (int32_t k = 1; k < rank; k++) {
    int32_t from = k - (rank - t->rank);
    dim[k] = from < 1 ? 1 : t->dim[from];
  }
  *out = in;
  return t->rank == rank || t->rank == 0 ? SNUG_OK : snug__layer_reshape(c, in, rank, dim, out);
}

/* op(op(in[0], in[1]), in[2]) ... */
static snug_status fold(snug__layer_call *c, const snug__op *op) {
  int32_t rank = 0;
  for (int32_t i = 0; i < c->n_in; i++) {
    rank = snug__layer_type(c, c->in[i])->rank > rank ? snug__layer_type(c, c->in[i])->rank : rank;
  }
  SNUG_TRY(with_rank(c, c->in[0], rank, &c->out));
  for (int32_t i = 1; i < c->n_in; i++) {
    snug__id pair[2] = {c->out, SNUG_NONE};
    SNUG_TRY(with_rank(c, c->in[i], rank, &pair[1]));
    SNUG_TRY(snug__graph_add(c->b->g, op, NULL, pair, 2, &c->out, 1));
  }
  return SNUG_OK;
}

static snug_status add(snug__layer_call *c) { return fold(c, &snug__op_add); }
static snug_status subtract(snug__layer_call *c) { return fold(c, &snug__op_subtract); }
static snug_status multiply(snug__layer_call *c) { return fold(c, &snug__op_multiply); }
static snug_status maximum(snug__layer_call *c) { return fold(c, &snug__op_maximum); }
static snug_status minimum(snug__layer_call *c) { return fold(c, &snug__op_minimum); }

static snug_status average(snug__layer_call *c) {
  snug__scale_shift_params p = {1.0 / c->n_in, 0.0};
  SNUG_TRY(fold(c, &snug__op_add));
  return SNUG_EMIT(c->b->g, scale_shift, &p, &c->out, c->out);
}

LAYER_CLASS_PLAIN(Add, 1, SNUG__CALL_INPUTS, add, .masking = SNUG__MASK_JOINS);
LAYER_CLASS_PLAIN(Subtract, 2, 2, subtract, .masking = SNUG__MASK_JOINS);
LAYER_CLASS_PLAIN(Multiply, 1, SNUG__CALL_INPUTS, multiply, .masking = SNUG__MASK_JOINS);
LAYER_CLASS_PLAIN(Average, 1, SNUG__CALL_INPUTS, average, .masking = SNUG__MASK_JOINS);
LAYER_CLASS_PLAIN(Maximum, 1, SNUG__CALL_INPUTS, maximum, .masking = SNUG__MASK_JOINS);
LAYER_CLASS_PLAIN(Minimum, 1, SNUG__CALL_INPUTS, minimum, .masking = SNUG__MASK_JOINS);

typedef struct concatenate_config {
  snug__layer_common common;
  int64_t axis;
} concatenate_config;

static const snug__field concatenate_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(concatenate_config, axis, INT, "-1"), {0}};

/* The mask of an input; true everywhere if it has none. */
static snug_status mask_of(const snug__layer_call *c, int32_t i, snug__id *out) {
  const snug__type *x = snug__layer_type(c, c->in[i]);
  snug__fill_params p;
  *out = c->masks[i];
  if (*out != SNUG_NONE) {
    return SNUG_OK;
  }
  memset(&p, 0, sizeof p);
  p.shape.n = x->rank - 1;
  memcpy(p.shape.v, x->dim, (size_t)p.shape.n * sizeof x->dim[0]);
  p.value = 1.0;
  p.dtype = SNUG_BOOL;
  return snug__graph_add(c->b->g, &snug__op_fill, &p, NULL, 0, out, 1);
}

/* Side by side along the last axis, which a mask does not have, a position counts where one of the
 * inputs has something there; along another, so do the masks lie. */
static snug_status concatenate_masks(snug__layer_call *c, int32_t axis) {
  bool last = axis == snug__layer_type(c, c->in[0])->rank - 1;
  snug__concat_params p = {axis};
  snug__id masks[SNUG__CALL_INPUTS];
  int32_t given = 0;
  for (int32_t i = 0; i < c->n_in; i++) {
    given += c->masks[i] != SNUG_NONE;
  }
  if (given == 0) {
    return SNUG_OK;
  }
  for (int32_t i = 0; i < c->n_in; i++) {
    SNUG_TRY(mask_of(c, i, &masks[i]));
    c->mask = i ? c->mask : masks[0];
    if (last) {
      SNUG_TRY(snug__layer_join_masks(c, c->mask, masks[i], &c->mask));
    }
  }
  return last ? SNUG_OK
              : snug__graph_add(c->b->g, &snug__op_concat, &p, masks, c->n_in, &c->mask, 1);
}

static snug_status concatenate(snug__layer_call *c) {
  const concatenate_config *k = c->config;
  snug__concat_params p = {0};
  int32_t axis = 0;
  SNUG_TRY(snug__layer_need_axis(c, "axis", k->axis, snug__layer_type(c, c->in[0])->rank, &axis));
  p.axis = axis;
  SNUG_TRY(concatenate_masks(c, axis));
  return snug__graph_add(c->b->g, &snug__op_concat, &p, c->in, c->n_in, &c->out, 1);
}

LAYER_CLASS(Concatenate, concatenate_config, concatenate_fields, 1, SNUG__CALL_INPUTS, concatenate,
            .masking = SNUG__MASK_OWN);

/* InceptionResNetV2's: in[0] + in[1] scale */
typedef struct custom_scale_config {
  snug__layer_common common;
  double scale;
} custom_scale_config;

static const snug__field custom_scale_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(custom_scale_config, scale, FLOAT, NULL), {0}};

static snug_status custom_scale(snug__layer_call *c) {
  snug__scale_shift_params p = {((const custom_scale_config *)c->config)->scale, 0.0};
  snug__id scaled = SNUG_NONE;
  SNUG_TRY(SNUG_EMIT(c->b->g, scale_shift, &p, &scaled, c->in[1]));
  return SNUG_EMIT(c->b->g, add, NULL, &c->out, c->in[0], scaled);
}

LAYER_CLASS(CustomScaleLayer, custom_scale_config, custom_scale_fields, 2, 2, custom_scale);
