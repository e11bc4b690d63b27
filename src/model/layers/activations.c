/* Layers that are activations. */
#include <math.h>

#include "model/layers/axes.h"
#include "ops/softmax.h"
#include "ops/unary.h"

typedef struct activation_config {
  snug__layer_common common;
  char activation[SNUG__NAME_BYTES];
} activation_config;

static const snug__field activation_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(activation_config, activation, TEXT, NULL), {0}};

static snug_status activation(snug__layer_call *c) {
  const activation_config *k = c->config;
  return snug__emit_activation(c->b, c->layer->name, k->activation, c->in[0], &c->out);
}

LAYER_CLASS(Activation, activation_config, activation_fields, 1, 1, activation,
            .masking = SNUG__MASK_PASSES);

typedef struct relu_config {
  snug__layer_common common;
  snug_floats max_value; /* empty: none */
  double negative_slope, threshold;
} relu_config;

static const snug__field relu_fields[] = {SNUG__LAYER_FIELDS,
                                          SNUG_FIELD(relu_config, max_value, FLOATS, "[]"),
                                          SNUG_FIELD(relu_config, negative_slope, FLOAT, "0"),
                                          SNUG_FIELD(relu_config, threshold, FLOAT, "0"),
                                          {0}};

static snug_status relu(snug__layer_call *c) {
  const relu_config *k = c->config;
  snug__relu_params p = {k->negative_slope, k->max_value.n ? k->max_value.v[0] : INFINITY,
                         k->threshold};
  if (k->max_value.n > 1) {
    return snug__layer_refuse(c, "max_value", k->max_value.v[1], "one number or none");
  }
  if (!k->max_value.n && k->threshold == 0.0) { /* then it is TensorFlow's own leaky_relu */
    p.negative_slope = snug__layer_rounded(p.negative_slope);
  }
  return SNUG_EMIT(c->b->g, relu, &p, &c->out, c->in[0]);
}

LAYER_CLASS(ReLU, relu_config, relu_fields, 1, 1, relu, .masking = SNUG__MASK_PASSES);

static const snug__field leaky_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(relu_config, negative_slope, FLOAT, "0.3"), {0}};

LAYER_CLASS(LeakyReLU, relu_config, leaky_fields, 1, 1, relu, .masking = SNUG__MASK_PASSES);

typedef struct elu_config {
  snug__layer_common common;
  double alpha;
} elu_config;

static const snug__field elu_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(elu_config, alpha, FLOAT, "1"), {0}};

static snug_status elu(snug__layer_call *c) {
  snug__alpha_params p = {((const elu_config *)c->config)->alpha};
  return SNUG_EMIT(c->b->g, elu, &p, &c->out, c->in[0]);
}

LAYER_CLASS(ELU, elu_config, elu_fields, 1, 1, elu, .masking = SNUG__MASK_PASSES);

typedef struct prelu_config {
  snug__layer_common common;
  LAYER_WEIGHT_MEMBERS(alpha);
  snug_ints shared_axes;
} prelu_config;

static const snug__field prelu_fields[] = {SNUG__LAYER_FIELDS,
                                           LAYER_WEIGHT_FIELDS(prelu_config, alpha, "zeros"),
                                           SNUG_FIELD(prelu_config, shared_axes, INTS, "[]"),
                                           {0}};

static snug_status prelu(snug__layer_call *c) {
  const prelu_config *k = c->config;
  const snug__type *x = snug__layer_type(c, c->in[0]);
  snug__type shape = snug__type_of(c->b->real, x->rank - 1, x->dim + 1);
  snug__weight_spec spec = LAYER_WEIGHT_SPEC(k, alpha, "alpha");
  snug__id alpha = SNUG_NONE;
  for (int32_t i = 0; i < k->shared_axes.n; i++) {
    int32_t axis = 0;
    SNUG_TRY(snug__layer_need_axis(c, "shared_axes", k->shared_axes.v[i], x->rank, &axis));
    shape.dim[axis - 1] = 1;
  }
  SNUG_TRY(snug__layer_weight(c, &spec, shape, &alpha));
  return SNUG_EMIT(c->b->g, prelu, NULL, &c->out, c->in[0], alpha);
}

LAYER_CLASS(PReLU, prelu_config, prelu_fields, 1, 1, prelu, .masking = SNUG__MASK_PASSES);

typedef struct softmax_config {
  snug__layer_common common;
  snug_ints axis;
} softmax_config;

static const snug__field softmax_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(softmax_config, axis, INTS, "-1"), {0}};

snug_status snug__layer_along(snug__layer_call *c, const snug__op *op, const snug_ints *axes) {
  snug__softmax_params p = {0};
  int32_t axis = 0;
  if (axes->n > 1) {
    uint32_t set = 0;
    SNUG_TRY(snug__layer_need_axes(c, "axis", axes, snug__layer_type(c, c->in[0])->rank, &set));
    return snug__layer_over(c, op, &(const snug__softmax_params){-1}, set, axes->n);
  }
  SNUG_TRY(snug__layer_need_one_axis(c, "axis", axes, &axis));
  p.axis = axis;
  return snug__graph_add(c->b->g, op, &p, c->in, 1, &c->out, 1);
}

#define MASKED "a value with a mask; an Activation with softmax takes no heed of it"

static snug_status softmax(snug__layer_call *c) {
  if (c->masks[0] != SNUG_NONE) {
    return snug__layer_lacks(c, MASKED);
  }
  return snug__layer_along(c, &snug__op_softmax, &((const softmax_config *)c->config)->axis);
}

LAYER_CLASS(Softmax, softmax_config, softmax_fields, 1, 1, softmax, .masking = SNUG__MASK_PASSES,
            .lacks = LAYER_LACKS(MASKED));
