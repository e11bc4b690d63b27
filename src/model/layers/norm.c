/* Normalizations. */
#include "ops/norm.h"
#include "model/layers/axes.h"
#include "model/layers/raw_values.h"
#include "ops/reduce.h"
#include "ops/unary.h"

/* The configuration of all of them; each class's table tells which members it has. */
typedef struct norm_config {
  snug__layer_common common;
  snug_ints axis;
  int64_t groups;
  double momentum, epsilon;
  bool center, scale, synchronized;
  LAYER_WEIGHT_MEMBERS(beta);
  LAYER_WEIGHT_MEMBERS(gamma);
  char moving_mean_initializer[SNUG__NAME_BYTES];
  char moving_variance_initializer[SNUG__NAME_BYTES];
} norm_config;

#define NORM_FIELD(member, kind, initial) SNUG_FIELD(norm_config, member, kind, initial)
#define AFFINE_FIELDS                                                \
  NORM_FIELD(center, BOOL, "true"), NORM_FIELD(scale, BOOL, "true"), \
      LAYER_WEIGHT_FIELDS(norm_config, beta, "zeros"),               \
      LAYER_WEIGHT_FIELDS(norm_config, gamma, "ones")

/* gamma and beta of a type, where the configuration has them. */
static snug_status affine(snug__layer_call *c, snug__type type, snug__id *gamma, snug__id *beta) {
  const norm_config *k = c->config;
  snug__weight_spec gamma_spec = LAYER_WEIGHT_SPEC(k, gamma, "gamma");
  snug__weight_spec beta_spec = LAYER_WEIGHT_SPEC(k, beta, "beta");
  *gamma = *beta = SNUG_NONE;
  if (k->scale) {
    SNUG_TRY(snug__layer_weight(c, &gamma_spec, type, gamma));
  }
  return k->center ? snug__layer_weight(c, &beta_spec, type, beta) : SNUG_OK;
}

/* The input with the axis that holds channels at the end, and the type of a weight over them. */
static snug_status channels_last(snug__layer_call *c, snug__gathered *g, snug__id *x,
                                 snug__type *channels) {
  const norm_config *k = c->config;
  int32_t axis = 0;
  SNUG_TRY(snug__layer_need_one_axis(c, "axis", &k->axis, &axis));
  *channels = snug__type_of(c->b->real, 1, &snug__layer_type(c, c->in[0])->dim[axis]);
  return snug__layer_gather(c, c->in[0], 1u << axis, g, x);
}

/* ---- BatchNormalization ---- */

static const snug__field batch_fields[] = {SNUG__LAYER_FIELDS,
                                           NORM_FIELD(axis, INTS, "-1"),
                                           NORM_FIELD(momentum, FLOAT, "0.99"),
                                           NORM_FIELD(epsilon, FLOAT, "0.001"),
                                           AFFINE_FIELDS,
                                           NORM_FIELD(moving_mean_initializer, TEXT, "zeros"),
                                           NORM_FIELD(moving_variance_initializer, TEXT, "ones"),
                                           NORM_FIELD(synchronized, BOOL, "false"),
                                           SNUG_FIXED("renorm", "false", NULL),
                                           {0}};

/* Write a new content of a moving average. */
static snug_status move(snug__layer_call *c, const char *name, snug__id moving, snug__id value) {
  snug__moving_average_params p = {((const norm_config *)c->config)->momentum};
  snug__id out = SNUG_NONE;
  SNUG_TRY(SNUG_EMIT(c->b->g, moving_average, &p, &out, moving, value));
  return snug__build_written(c->b, snug__layer_variable(c, name), out);
}

static snug_status batch_train(snug__layer_call *c, const snug__id in[5]) {
  snug__batch_norm_params p = {((const norm_config *)c->config)->epsilon};
  snug__id out[3] = {SNUG_NONE, SNUG_NONE, SNUG_NONE};
  SNUG_TRY(snug__graph_add(c->b->g, &snug__op_batch_norm_train, &p, in, 3, out, 3));
  SNUG_TRY(move(c, "moving_mean", in[3], out[1]));
  SNUG_TRY(move(c, "moving_variance", in[4], out[2]));
  c->out = out[0];
  return SNUG_OK;
}

/* ---- with a mask: batch statistics of what it lets through ---- */

#define KERAS_EPSILON 1e-7 /* in Keras's divisor */

/* The sum over all axes but the last of what the mask lets through, divided by `count`. */
static snug_status masked_mean(snug__layer_call *c, snug__id mask, snug__id v, snug__id count,
                               snug__id *out) {
  snug__reduce_params p;
  memset(&p, 0, sizeof p);
  for (int32_t k = 0; k + 1 < snug__layer_type(c, v)->rank; k++) {
    p.axes.v[p.axes.n++] = k;
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, where, NULL, out, mask, v, SNUG_NONE));
  SNUG_TRY(SNUG_EMIT(c->b->g, sum, &p, out, *out));
  return SNUG_EMIT(c->b->g, divide, NULL, out, *out, count);
}

/* Mean and variance, and x less its mean. */
static snug_status masked_moments(snug__layer_call *c, snug__id *mean, snug__id *variance,
                                  snug__id *apart) {
  snug__reduce_params all;
  snug__scale_shift_params nearly = {1.0, KERAS_EPSILON};
  snug__id mask = SNUG_NONE;
  snug__id count = SNUG_NONE;
  snug__id squares = SNUG_NONE;
  memset(&all, 0, sizeof all);
  SNUG_TRY(snug__layer_mask_column(c, &mask));
  SNUG_TRY(snug__layer_as_real(c, mask, &count));
  SNUG_TRY(SNUG_EMIT(c->b->g, sum, &all, &count, count));
  SNUG_TRY(SNUG_EMIT(c->b->g, scale_shift, &nearly, &count, count));
  SNUG_TRY(masked_mean(c, mask, c->in[0], count, mean));
  SNUG_TRY(SNUG_EMIT(c->b->g, subtract, NULL, apart, c->in[0], *mean));
  SNUG_TRY(SNUG_EMIT(c->b->g, square, NULL, &squares, *apart));
  return masked_mean(c, mask, squares, count, variance);
}

static snug_status masked_train(snug__layer_call *c, const snug__id in[5]) {
  snug__scale_shift_params shift = {1.0, ((const norm_config *)c->config)->epsilon};
  snug__id mean = SNUG_NONE;
  snug__id variance = SNUG_NONE;
  snug__id factor = SNUG_NONE;
  SNUG_TRY(masked_moments(c, &mean, &variance, &c->out));
  SNUG_TRY(SNUG_EMIT(c->b->g, scale_shift, &shift, &factor, variance));
  SNUG_TRY(SNUG_EMIT(c->b->g, rsqrt, NULL, &factor, factor));
  if (in[1] != SNUG_NONE) {
    SNUG_TRY(SNUG_EMIT(c->b->g, multiply, NULL, &factor, factor, in[1]));
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, multiply, NULL, &c->out, c->out, factor));
  if (in[2] != SNUG_NONE) {
    SNUG_TRY(SNUG_EMIT(c->b->g, add, NULL, &c->out, c->out, in[2]));
  }
  SNUG_TRY(move(c, "moving_mean", in[3], mean));
  return move(c, "moving_variance", in[4], variance);
}

static snug_status batch_emit(snug__layer_call *c, const snug__id in[5]) {
  snug__batch_norm_params p = {((const norm_config *)c->config)->epsilon};
  if (snug__layer_is_training(c)) {
    return c->masks[0] == SNUG_NONE ? batch_train(c, in) : masked_train(c, in);
  }
  return snug__graph_add(c->b->g, &snug__op_batch_norm_infer, &p, in, 5, &c->out, 1);
}

#define MASK_ELSEWHERE "a value with a mask, and another axis than the last"

static snug_status check_batch_norm(const snug__layer_call *c, const snug__gathered *g) {
  return g->moved && c->masks[0] != SNUG_NONE ? snug__layer_lacks(c, MASK_ELSEWHERE) : SNUG_OK;
}

/* `synchronized` says nothing: there is one device. */
static snug_status batch_norm(snug__layer_call *c) {
  const norm_config *k = c->config;
  snug__weight_spec mean = {"moving_mean", k->moving_mean_initializer, "", "", true};
  snug__weight_spec variance = {"moving_variance", k->moving_variance_initializer, "", "", true};
  snug__id in[5];
  snug__gathered g;
  snug__type channels;
  SNUG_TRY(channels_last(c, &g, &in[0], &channels));
  SNUG_TRY(check_batch_norm(c, &g));
  SNUG_TRY(affine(c, channels, &in[1], &in[2]));
  SNUG_TRY(snug__layer_weight(c, &mean, channels, &in[3]));
  SNUG_TRY(snug__layer_weight(c, &variance, channels, &in[4]));
  SNUG_TRY(batch_emit(c, in));
  return snug__layer_scatter(c, c->out, &g, &c->out);
}

LAYER_CLASS(BatchNormalization, norm_config, batch_fields, 1, 1, batch_norm,
            .masking = SNUG__MASK_PASSES, .lacks = LAYER_LACKS(MASK_ELSEWHERE));

/* ---- LayerNormalization, RMSNormalization: over the last axes ---- */

static const snug__field layer_fields[] = {
    SNUG__LAYER_FIELDS,
    NORM_FIELD(axis, INTS, "-1"),
    NORM_FIELD(epsilon, FLOAT, "0.001"),
    AFFINE_FIELDS,
    SNUG_FIXED("rms_scaling", "false", "RMSNormalization is there"),
    {0}};

/* The input with the normalized axes at the end, and the type of a weight over them. */
static snug_status normalized_last(snug__layer_call *c, snug__layer_norm_params *p,
                                   snug__gathered *g, snug__id *x, snug__type *weight) {
  const norm_config *k = c->config;
  uint32_t set = 0;
  memset(p, 0, sizeof *p);
  p->epsilon = k->epsilon;
  p->axis.n = k->axis.n;
  SNUG_TRY(snug__layer_need_axes(c, "axis", &k->axis, snug__layer_type(c, c->in[0])->rank, &set));
  if (k->axis.n < 1) {
    return snug__layer_refuse(c, "axis", k->axis.n, "one axis or more");
  }
  for (int32_t i = 0; i < k->axis.n; i++) {
    p->axis.v[i] = i - k->axis.n;
    if (i && (k->axis.v[i] < 0) != (k->axis.v[0] < 0)) { /* Keras sorts them as they are written */
      return snug__layer_refuse(c, "axis", (double)k->axis.v[i],
                                "all from the front or from the end");
    }
  }
  SNUG_TRY(snug__layer_gather(c, c->in[0], set, g, x));
  const snug__type *t = snug__layer_type(c, *x);
  *weight = snug__type_of(c->b->real, k->axis.n, t->dim + (t->rank - k->axis.n));
  return SNUG_OK;
}

static snug_status layer_norm(snug__layer_call *c) {
  snug__layer_norm_params p;
  snug__gathered g;
  snug__id in[3];
  snug__type weight;
  SNUG_TRY(normalized_last(c, &p, &g, &in[0], &weight));
  SNUG_TRY(affine(c, weight, &in[1], &in[2]));
  SNUG_TRY(snug__graph_add(c->b->g, &snug__op_layer_norm, &p, in, 3, &c->out, 1));
  return snug__layer_scatter(c, c->out, &g, &c->out);
}

LAYER_CLASS(LayerNormalization, norm_config, layer_fields, 1, 1, layer_norm,
            .masking = SNUG__MASK_PASSES);

static const snug__field rms_fields[] = {
    SNUG__LAYER_FIELDS, NORM_FIELD(axis, INTS, "-1"), NORM_FIELD(epsilon, FLOAT, "1e-6"), {0}};

static snug_status rms_norm(snug__layer_call *c) {
  snug__layer_norm_params p;
  snug__weight_spec spec = {"scale", "ones", "", "", false};
  snug__gathered g;
  snug__id in[2];
  snug__type weight;
  SNUG_TRY(normalized_last(c, &p, &g, &in[0], &weight));
  if (g.moved) { /* Keras's scale would lie along other axes */
    const norm_config *k = c->config;
    return snug__layer_refuse(c, "axis", (double)k->axis.v[0], "the last axis, or the last ones");
  }
  SNUG_TRY(snug__layer_weight(c, &spec, weight, &in[1]));
  return snug__graph_add(c->b->g, &snug__op_rms_norm, &p, in, 2, &c->out, 1);
}

LAYER_CLASS(RMSNormalization, norm_config, rms_fields, 1, 1, rms_norm);

/* ---- keras.ops: scale and shift are constants, or there are none ---- */

typedef struct raw_norm_config {
  norm_config norm; /* its axes and epsilon */
  snug__raw_constant gamma, beta, scale;
} raw_norm_config;

#define RAW_NORM_FIELDS \
  SNUG__LAYER_FIELDS, NORM_FIELD(axis, INTS, "-1"), NORM_FIELD(epsilon, FLOAT, "1e-7")
static const snug__field raw_layer_norm_fields[] = {
    RAW_NORM_FIELDS,
    SNUG_FIXED("rms_scaling", "false", "rms_normalization is there"),
    RAW_CONSTANT(raw_norm_config, gamma),
    RAW_CONSTANT(raw_norm_config, beta),
    {0}};
static const snug__field raw_rms_norm_fields[] = {
    RAW_NORM_FIELDS, RAW_CONSTANT(raw_norm_config, scale), {0}};

/* A constant over the last axes into out; none leaves what is there. */
static snug_status constant_over(const snug__layer_call *c, const snug__raw_constant *k,
                                 const snug__gathered *g, snug__id *out) {
  if (k->values.n && g->moved) {
    const norm_config *norm = c->config;
    return snug__layer_refuse(c, "axis", (double)norm->axis.v[0],
                              "the last axis, or the last ones, along with a constant");
  }
  return k->values.n ? snug__raw_whole(c, k, c->b->real, out) : SNUG_OK;
}

static snug_status raw_layer_norm(snug__layer_call *c) {
  const raw_norm_config *k = c->config;
  snug__layer_norm_params p;
  snug__gathered g;
  snug__id in[3] = {SNUG_NONE, SNUG_NONE, SNUG_NONE};
  snug__type weight;
  SNUG_TRY(normalized_last(c, &p, &g, &in[0], &weight));
  SNUG_TRY(constant_over(c, &k->gamma, &g, &in[1]));
  SNUG_TRY(constant_over(c, &k->beta, &g, &in[2]));
  SNUG_TRY(snug__graph_add(c->b->g, &snug__op_layer_norm, &p, in, 3, &c->out, 1));
  return snug__layer_scatter(c, c->out, &g, &c->out);
}

static snug_status raw_rms_norm(snug__layer_call *c) {
  const raw_norm_config *k = c->config;
  snug__layer_norm_params p;
  snug__gathered g;
  snug__id in[2] = {SNUG_NONE, SNUG_NONE};
  snug__type weight;
  SNUG_TRY(normalized_last(c, &p, &g, &in[0], &weight));
  SNUG_TRY(constant_over(c, &k->scale, &g, &in[1]));
  SNUG_TRY(snug__graph_add(c->b->g, &snug__op_rms_norm, &p, in, 2, &c->out, 1));
  return snug__layer_scatter(c, c->out, &g, &c->out);
}

RAW_CLASS(LayerNorm, raw_norm_config, raw_layer_norm_fields, 1, 1, raw_layer_norm,
          .operands = "x gamma beta");
RAW_CLASS(RMSNorm, raw_norm_config, raw_rms_norm_fields, 1, 1, raw_rms_norm, .operands = "x scale");

/* ---- GroupNormalization ---- */

static const snug__field group_fields[] = {SNUG__LAYER_FIELDS,
                                           NORM_FIELD(groups, INT, "32"),
                                           NORM_FIELD(axis, INTS, "-1"),
                                           NORM_FIELD(epsilon, FLOAT, "0.001"),
                                           AFFINE_FIELDS,
                                           {0}};

static snug_status group_norm(snug__layer_call *c) {
  const norm_config *k = c->config;
  snug__group_norm_params p = {k->groups, k->epsilon};
  snug__gathered g;
  snug__id in[3];
  snug__type channels;
  SNUG_TRY(channels_last(c, &g, &in[0], &channels));
  if (k->groups != -1 && (k->groups < 1 || channels.dim[0] % k->groups)) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: groups=%lld: expected a divisor of the %lld channels, or -1 for a group "
                      "each",
                      c->layer->name, (long long)k->groups, (long long)channels.dim[0]);
  }
  SNUG_TRY(affine(c, channels, &in[1], &in[2]));
  SNUG_TRY(snug__graph_add(c->b->g, &snug__op_group_norm, &p, in, 3, &c->out, 1));
  return snug__layer_scatter(c, c->out, &g, &c->out);
}

LAYER_CLASS(GroupNormalization, norm_config, group_fields, 1, 1, group_norm,
            .masking = SNUG__MASK_PASSES);

/* ---- UnitNormalization ---- */

#define UNIT_EPSILON 1e-12

static const snug__field unit_fields[] = {SNUG__LAYER_FIELDS, NORM_FIELD(axis, INTS, "-1"), {0}};

static snug_status unit_norm(snug__layer_call *c) {
  const norm_config *k = c->config;
  snug__unit_norm_params p = {-1, UNIT_EPSILON};
  uint32_t set = 0;
  int32_t axis = 0;
  if (k->axis.n > 1) {
    SNUG_TRY(snug__layer_need_axes(c, "axis", &k->axis, snug__layer_type(c, c->in[0])->rank, &set));
    return snug__layer_over(c, &snug__op_unit_norm, &p, set, k->axis.n);
  }
  SNUG_TRY(snug__layer_need_one_axis(c, "axis", &k->axis, &axis));
  p.axis = axis;
  return SNUG_EMIT(c->b->g, unit_norm, &p, &c->out, c->in[0]);
}

LAYER_CLASS(UnitNormalization, norm_config, unit_fields, 1, 1, unit_norm,
            .masking = SNUG__MASK_PASSES);
