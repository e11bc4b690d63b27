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
  SNUG_TRY(snug__layer_constant(c, list, snug__layer_rounded, &pair[1]));
  return snug__graph_add(c->b->g, op, NULL, pair, 2, &c->out, 1);
}

static snug_status rescaling(snug__layer_call *c) {
  const rescaling_config *k = c->config;
  double scale = 1.0;
  double offset = 0.0;
  SNUG_TRY(need_per_channel(c, "scale", &k->scale));
  SNUG_TRY(need_per_channel(c, "offset", &k->offset));
  SNUG_TRY(snug__layer_as_real(c, c->in[0], &c->out));
  if (k->scale.n == 1 && k->offset.n == 1) {
    snug__numbers_read(&k->scale, &scale);
    snug__numbers_read(&k->offset, &offset);
    snug__scale_shift_params p = {snug__layer_rounded(scale), snug__layer_rounded(offset)};
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
  snug_ints axis; /* that have statistics of their own; none: all in one */
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

/* The shape of the statistics, without axes that are not kept, and as it is broadcast to x. */
typedef struct statistics {
  snug__type own, broadcast;
} statistics;

static snug_status check_normalization(snug__layer_call *c, statistics *t) {
  const normalization_config *k = c->config;
  const snug__type *x = snug__layer_type(c, c->in[0]);
  uint32_t kept = 0;
  SNUG_TRY(snug__layer_need_axes(c, "axis", &k->axis, x->rank, &kept));
  t->own = snug__scalar(c->b->real);
  t->broadcast = snug__type_of(c->b->real, x->rank, x->dim);
  for (int32_t i = 0; i < x->rank; i++) {
    t->broadcast.dim[i] = kept >> i & 1 ? x->dim[i] : 1;
    if (kept >> i & 1) {
      t->own.dim[t->own.rank++] = x->dim[i];
    }
  }
  if ((k->mean.n == 0) != (k->variance.n == 0)) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: mean and variance: give both, or none to have them as weights",
                      c->layer->name);
  }
  return SNUG_OK;
}

/* Lists of a configuration are float32 in Keras, in models of float64, too. */
static double deviation_of(double variance) {
  return fmax(sqrt(snug__layer_rounded(variance)), LEAST_DEVIATION);
}

/* A list of the configuration: one number, or one for each position along the kept axes. */
static snug_status given(snug__layer_call *c, const char *key, const snug_numbers *list,
                         const statistics *t, double (*change)(double v), snug__id *out) {
  int64_t n = snug__type_count(&t->own);
  if (list->n != 1 && list->n != n) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                      "%s: %s has %lld numbers: expected 1 or the %lld of the kept axes",
                      c->layer->name, key, (long long)list->n, (long long)n);
  }
  SNUG_TRY(snug__layer_constant(c, list, change, out));
  return list->n == n ? snug__emit_reshape(c->b->g, *out, &t->broadcast, out) : SNUG_OK;
}

static snug_status given_statistics(snug__layer_call *c, const statistics *t, snug__id *mean,
                                    snug__id *deviation) {
  const normalization_config *k = c->config;
  SNUG_TRY(given(c, "mean", &k->mean, t, snug__layer_rounded, mean));
  return given(c, "variance", &k->variance, t, deviation_of, deviation);
}

/* As Keras keeps them after adapt(): mean, variance and a count that is not used. */
static snug_status kept_statistics(snug__layer_call *c, const statistics *t, snug__id *mean,
                                   snug__id *deviation) {
  const snug__weight_spec specs[] = {{"mean", "zeros", "", "", true},
                                     {"variance", "ones", "", "", true},
                                     {"count", "zeros", "", "", true}};
  snug__id unused = SNUG_NONE;
  snug__id at_least = SNUG_NONE;
  SNUG_TRY(snug__layer_weight(c, &specs[0], t->own, mean));
  SNUG_TRY(snug__layer_weight(c, &specs[1], t->own, deviation));
  SNUG_TRY(snug__layer_weight(c, &specs[2], snug__scalar(SNUG_INT64), &unused));
  SNUG_TRY(SNUG_EMIT(c->b->g, sqrt, NULL, deviation, *deviation));
  SNUG_TRY(snug__layer_number(c, LEAST_DEVIATION, &at_least));
  SNUG_TRY(SNUG_EMIT(c->b->g, maximum, NULL, deviation, *deviation, at_least));
  SNUG_TRY(snug__emit_reshape(c->b->g, *mean, &t->broadcast, mean));
  return snug__emit_reshape(c->b->g, *deviation, &t->broadcast, deviation);
}

static snug_status normalization(snug__layer_call *c) {
  const normalization_config *k = c->config;
  snug__id mean = SNUG_NONE;
  snug__id deviation = SNUG_NONE;
  statistics t;
  SNUG_TRY(check_normalization(c, &t));
  SNUG_TRY(k->mean.n ? given_statistics(c, &t, &mean, &deviation)
                     : kept_statistics(c, &t, &mean, &deviation));
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
