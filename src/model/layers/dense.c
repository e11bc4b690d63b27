/* Dense: activation(x kernel + bias) over the last axis. */
#include "model/layers/support.h"
#include "ops/matmul.h"

typedef struct dense_config {
  snug__layer_common common;
  int64_t units;
  char activation[SNUG__NAME_BYTES];
  bool use_bias;
  LAYER_WEIGHT_MEMBERS(kernel);
  LAYER_WEIGHT_MEMBERS(bias);
} dense_config;

static const snug__field fields[] = {SNUG__LAYER_FIELDS,
                                     SNUG_FIELD(dense_config, units, INT, NULL),
                                     SNUG_FIELD(dense_config, activation, TEXT, "linear"),
                                     SNUG_FIELD(dense_config, use_bias, BOOL, "true"),
                                     LAYER_WEIGHT_FIELDS(dense_config, kernel, "glorot_uniform"),
                                     LAYER_WEIGHT_FIELDS(dense_config, bias, "zeros"),
                                     {0}};

static snug_status add_bias(snug__layer_call *c, snug__id *y) {
  const dense_config *k = c->config;
  snug__weight_spec spec = LAYER_WEIGHT_SPEC(k, bias, "bias");
  snug__id bias = SNUG_NONE;
  SNUG_TRY(snug__layer_weight(c, &spec, snug__type_of(c->b->real, 1, &k->units), &bias));
  return SNUG_EMIT(c->b->g, add, NULL, y, *y, bias);
}

/* The product runs on two axes; more are folded into the first by views, which cost nothing. */
static snug_status product(snug__layer_call *c, snug__type x, snug__id *y) {
  const dense_config *k = c->config;
  snug__weight_spec spec = LAYER_WEIGHT_SPEC(k, kernel, "kernel");
  snug__matmul_params plain = {false, false};
  snug__id kernel = SNUG_NONE;
  int64_t last = x.dim[x.rank - 1];
  SNUG_TRY(snug__layer_weight(
      c, &spec, snug__type_of(c->b->real, 2, (const int64_t[]){last, k->units}), &kernel));
  SNUG_TRY(
      snug__layer_reshape(c, c->in[0], 2, (const int64_t[]){snug__type_count(&x) / last, last}, y));
  SNUG_TRY(SNUG_EMIT(c->b->g, matmul, &plain, y, *y, kernel));
  x.dim[x.rank - 1] = k->units;
  return snug__emit_reshape(c->b->g, *y, &x, y);
}

static snug_status call(snug__layer_call *c) {
  const dense_config *k = c->config;
  snug__type x = *snug__layer_type(c, c->in[0]);
  snug__id y = SNUG_NONE;
  SNUG_TRY(snug__layer_need_int(c, "units", k->units, 1));
  if (x.rank < 2) {
    return snug__layer_need_rank(c, 2, "[batch, ..., features]", &x);
  }
  SNUG_TRY(product(c, x, &y));
  if (k->use_bias) {
    SNUG_TRY(add_bias(c, &y));
  }
  return snug__emit_activation(c->b, c->layer->name, k->activation, y, &c->out);
}

LAYER_CLASS(Dense, dense_config, fields, 1, 1, call, .masking = SNUG__MASK_PASSES);
