/* Layers that scale and shift with numbers of the configuration or with one weight. */
#include <math.h>
#include <stdio.h>

#include "model/layers/support.h"
#include "ops/unary.h"

typedef struct rescaling_config {
  snug__layer_common common;
  snug_numbers scale, offset;
} rescaling_config;

static const snug__field rescaling_fields[] = {SNUG__LAYER_FIELDS,
                                               SNUG_FIELD(rescaling_config, scale, NUMBERS, NULL),
                                               SNUG_FIELD(rescaling_config, offset, NUMBERS, "0"),
                                               {0}};

/* A list of the configuration over the last axis of x: one number or one per channel. */
static snug_status need_per_channel(snug__layer_call *c, const char *key,
                                    const snug_numbers *list) {
  const snug__type *x = snug__layer_type(c, c->in[0]);
  int64_t channels = x->rank ? x->dim[x->rank - 1] : 1;
  if (list->n != 1 && list->n != channels) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                      "%s: %s has %lld numbers: expected 1 or the %lld of the last axis",
                      c->layer->name, key, (long long)list->n, (long long)channels);
  }
  return SNUG_OK;
}

/* y = op(y, the list) */
static snug_status apply(snug__layer_call *c, const snug__op *op, const snug_numbers *list) {
  snug__id pair[2] = {c->out, SNUG_NONE};
  SNUG_TRY(snug__layer_constant(c, list, NULL, &pair[1]));
  return snug__graph_add(c->b->g, op, NULL, pair, 2, &c->out, 1);
}

static snug_status rescaling(snug__layer_call *c) {
  const rescaling_config *k = c->config;
  snug__scale_shift_params p;
  SNUG_TRY(need_per_channel(c, "scale", &k->scale));
  SNUG_TRY(need_per_channel(c, "offset", &k->offset));
  SNUG_TRY(snug__layer_as_real(c, c->in[0], &c->out));
  if (k->scale.n == 1 && k->offset.n == 1) {
    snug__numbers_read(&k->scale, &p.scale);
    snug__numbers_read(&k->offset, &p.shift);
    return SNUG_EMIT(c->b->g, scale_shift, &p, &c->out, c->out);
  }
  SNUG_TRY(apply(c, &snug__op_multiply, &k->scale));
  return apply(c, &snug__op_add, &k->offset);
}

LAYER_CLASS(Rescaling, rescaling_config, rescaling_fields, 1, 1, rescaling,
            .masking = SNUG__MASK_PASSES);

/* ---- Normalization: (x - mean) / max(sqrt(variance), 1e-7) ---- */

#define LEAST_DEVIATION 1e-7

typedef struct normalization_config {
  snug__layer_common common;
  snug_ints axis; /* -1 or none: all in one */
  snug_numbers mean, variance;
  bool invert;
} normalization_config;

static const snug__field normalization_fields[] = {
    SNUG__LAYER_FIELDS,
    SNUG_FIELD(normalization_config, axis, INTS, "-1"),
    SNUG_FIELD(normalization_config, mean, NUMBERS, "[]"),
    SNUG_FIELD(normalization_config, variance, NUMBERS, "[]"),
    SNUG_FIELD(normalization_config, invert, BOOL, "false"),
    {0}};

static snug_status check_normalization(snug__layer_call *c, int64_t *channels) {
  const normalization_config *k = c->config;
  const snug__type *x = snug__layer_type(c, c->in[0]);
  *channels = k->axis.n && x->rank ? x->dim[x->rank - 1] : 1;
  if (k->axis.n > 1 || (k->axis.n && k->axis.v[0] != -1 && k->axis.v[0] != x->rank - 1)) {
    return snug__layer_refuse(c, "axis", (double)k->axis.v[0], "-1 (the last axis) or none");
  }
  if ((k->mean.n == 0) != (k->variance.n == 0)) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: mean and variance: give both, or none to have them as weights",
                      c->layer->name);
  }
  return SNUG_OK;
}

static double deviation_of(double variance) { return fmax(sqrt(variance), LEAST_DEVIATION); }

static snug_status given_statistics(snug__layer_call *c, snug__id *mean, snug__id *deviation) {
  const normalization_config *k = c->config;
  SNUG_TRY(need_per_channel(c, "mean", &k->mean));
  SNUG_TRY(need_per_channel(c, "variance", &k->variance));
  SNUG_TRY(snug__layer_constant(c, &k->mean, NULL, mean));
  return snug__layer_constant(c, &k->variance, deviation_of, deviation);
}

/* As Keras keeps them after adapt(): mean, variance and a count that is not used. */
static snug_status kept_statistics(snug__layer_call *c, int64_t channels, snug__id *mean,
                                   snug__id *deviation) {
  const normalization_config *k = c->config;
  snug__type type = snug__type_of(c->b->real, k->axis.n ? 1 : 0, &channels);
  const snug__weight_spec specs[] = {{"mean", "zeros", "", "", true},
                                     {"variance", "ones", "", "", true},
                                     {"count", "zeros", "", "", true}};
  snug__id unused = SNUG_NONE;
  snug__id at_least = SNUG_NONE;
  SNUG_TRY(snug__layer_weight(c, &specs[0], type, mean));
  SNUG_TRY(snug__layer_weight(c, &specs[1], type, deviation));
  SNUG_TRY(snug__layer_weight(c, &specs[2], snug__scalar(SNUG_INT64), &unused));
  SNUG_TRY(SNUG_EMIT(c->b->g, sqrt, NULL, deviation, *deviation));
  SNUG_TRY(snug__layer_number(c, LEAST_DEVIATION, &at_least));
  return SNUG_EMIT(c->b->g, maximum, NULL, deviation, *deviation, at_least);
}

static snug_status normalization(snug__layer_call *c) {
  const normalization_config *k = c->config;
  snug__id mean = SNUG_NONE;
  snug__id deviation = SNUG_NONE;
  int64_t channels = 1;
  SNUG_TRY(check_normalization(c, &channels));
  SNUG_TRY(k->mean.n ? given_statistics(c, &mean, &deviation)
                     : kept_statistics(c, channels, &mean, &deviation));
  SNUG_TRY(snug__layer_as_real(c, c->in[0], &c->out));
  if (k->invert) {
    SNUG_TRY(SNUG_EMIT(c->b->g, multiply, NULL, &c->out, c->out, deviation));
    return SNUG_EMIT(c->b->g, add, NULL, &c->out, c->out, mean);
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, subtract, NULL, &c->out, c->out, mean));
  return SNUG_EMIT(c->b->g, divide, NULL, &c->out, c->out, deviation);
}

LAYER_CLASS(Normalization, normalization_config, normalization_fields, 1, 1, normalization,
            .masking = SNUG__MASK_PASSES);

/* ---- ConvNeXt's LayerScale: x gamma ---- */

typedef struct layer_scale_config {
  snug__layer_common common;
  double init_values;
  int64_t projection_dim;
} layer_scale_config;

static const snug__field layer_scale_fields[] = {
    SNUG__LAYER_FIELDS,
    SNUG_FIELD(layer_scale_config, init_values, FLOAT, NULL),
    SNUG_FIELD(layer_scale_config, projection_dim, INT, NULL),
    {0}};

static snug_status layer_scale(snug__layer_call *c) {
  const layer_scale_config *k = c->config;
  char initial[SNUG__NAME_BYTES];
  snug__weight_spec spec = {"gamma", initial, "", "", false};
  snug__id gamma = SNUG_NONE;
  snprintf(initial, sizeof initial, "constant(%.17g)", k->init_values);
  SNUG_TRY(snug__layer_need_int(c, "projection_dim", k->projection_dim, 1));
  SNUG_TRY(snug__layer_weight(c, &spec, snug__type_of(c->b->real, 1, &k->projection_dim), &gamma));
  return SNUG_EMIT(c->b->g, multiply, NULL, &c->out, c->in[0], gamma);
}

LAYER_CLASS(LayerScale, layer_scale_config, layer_scale_fields, 1, 1, layer_scale);
