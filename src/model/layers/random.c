/* Layers that act in training alone: dropout and noise.  They stand in for nothing otherwise.
 *
 * `seed` is accepted and says nothing: all random numbers come from the seed of the model. */
#include "model/layers/support.h"
#include "ops/dropout.h"

typedef struct random_config {
  snug__layer_common common;
  double rate, stddev, drop_path_rate;
  snug_ints seed, noise_shape;
} random_config;

#define RANDOM_FIELD(member, kind, initial) SNUG_FIELD(random_config, member, kind, initial)
#define SEED_FIELD RANDOM_FIELD(seed, INTS, "[]")

/* Unlike batch normalization, dropout works in frozen layers too. */
static bool is_idle(const snug__layer_call *c, double rate) {
  return !c->b->training || rate == 0.0;
}

static snug_status emit(snug__layer_call *c, const snug__op *op, const void *params) {
  snug__id in[4] = {c->in[0], SNUG_NONE, SNUG_NONE, c->b->micro_batch.offset};
  SNUG_TRY(snug__layer_random(c, &in[1], &in[2]));
  return snug__graph_add(c->b->g, op, params, in, in[3] == SNUG_NONE ? 3 : 4, &c->out, 1);
}

/* noise_shape: empty, or per axis 1, the size, or -1 for the size. */
static snug_status emit_dropout(snug__layer_call *c, const snug__op *op, double rate,
                                const snug_ints *noise_shape) {
  snug__dropout_params p;
  memset(&p, 0, sizeof p);
  p.rate = rate;
  p.noise_shape = *noise_shape;
  p.layer = c->index;
  c->out = c->in[0];
  return is_idle(c, rate) ? SNUG_OK : emit(c, op, &p);
}

/* ---- Dropout, AlphaDropout ---- */

static const snug__field dropout_fields[] = {SNUG__LAYER_FIELDS,
                                             RANDOM_FIELD(rate, FLOAT, NULL),
                                             RANDOM_FIELD(noise_shape, INTS, "[]"),
                                             SEED_FIELD,
                                             {0}};

static snug_status check_noise_shape(snug__layer_call *c, const snug_ints *shape) {
  const snug__type *x = snug__layer_type(c, c->in[0]);
  bool fits = shape->n == 0 || shape->n == x->rank;
  for (int32_t k = 0; fits && k < shape->n; k++) {
    fits = shape->v[k] == 1 || shape->v[k] == -1 || (k > 0 && shape->v[k] == x->dim[k]);
  }
  return fits ? SNUG_OK
              : snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                           "%s: noise_shape: expected 1, -1 (as the input) or the size itself for "
                           "each of the %d axes of the input, the batch first",
                           c->layer->name, x->rank);
}

static snug_status dropout(snug__layer_call *c, const snug__op *op) {
  const random_config *k = c->config;
  SNUG_TRY(snug__layer_need_rate(c, "rate", k->rate));
  SNUG_TRY(check_noise_shape(c, &k->noise_shape));
  return emit_dropout(c, op, k->rate, &k->noise_shape);
}

static snug_status plain_dropout(snug__layer_call *c) { return dropout(c, &snug__op_dropout); }
static snug_status alpha_dropout(snug__layer_call *c) {
  return dropout(c, &snug__op_alpha_dropout);
}

LAYER_CLASS(Dropout, random_config, dropout_fields, 1, 1, plain_dropout,
            .masking = SNUG__MASK_PASSES);
LAYER_CLASS(AlphaDropout, random_config, dropout_fields, 1, 1, alpha_dropout,
            .masking = SNUG__MASK_PASSES);

/* ---- SpatialDropout: whole channels ---- */

static const snug__field spatial1d_fields[] = {
    SNUG__LAYER_FIELDS, RANDOM_FIELD(rate, FLOAT, NULL), SEED_FIELD, {0}};
static const snug__field spatial2d_fields[] = {
    SNUG__LAYER_FIELDS, RANDOM_FIELD(rate, FLOAT, NULL), SEED_FIELD, LAYER_DATA_FORMAT, {0}};

static snug_status spatial1d(snug__layer_call *c) {
  const random_config *k = c->config;
  snug__type x;
  SNUG_TRY(snug__layer_need_rate(c, "rate", k->rate));
  SNUG_TRY(snug__layer_need_rank(c, 3, LAYER_SERIES, &x));
  return emit_dropout(c, &snug__op_dropout, k->rate, &(const snug_ints){3, {-1, 1, -1}});
}

static snug_status spatial2d(snug__layer_call *c) {
  const random_config *k = c->config;
  snug__type x;
  SNUG_TRY(snug__layer_need_rate(c, "rate", k->rate));
  SNUG_TRY(snug__layer_need_rank(c, 4, LAYER_IMAGES, &x));
  return emit_dropout(c, &snug__op_dropout, k->rate, &(const snug_ints){4, {-1, 1, 1, -1}});
}

LAYER_CLASS(SpatialDropout1D, random_config, spatial1d_fields, 1, 1, spatial1d,
            .masking = SNUG__MASK_PASSES);
LAYER_CLASS(SpatialDropout2D, random_config, spatial2d_fields, 1, 1, spatial2d,
            .masking = SNUG__MASK_PASSES);

/* ---- ConvNeXt's StochasticDepth: whole samples ---- */

static const snug__field depth_fields[] = {
    SNUG__LAYER_FIELDS, RANDOM_FIELD(drop_path_rate, FLOAT, NULL), {0}};

static snug_status stochastic_depth(snug__layer_call *c) {
  const random_config *k = c->config;
  snug_ints shape = {snug__layer_type(c, c->in[0])->rank, {-1, 1, 1, 1, 1, 1}};
  SNUG_TRY(snug__layer_need_rate(c, "drop_path_rate", k->drop_path_rate));
  return emit_dropout(c, &snug__op_dropout, k->drop_path_rate, &shape);
}

LAYER_CLASS(StochasticDepth, random_config, depth_fields, 1, 1, stochastic_depth);

/* ---- Gaussian ---- */

static const snug__field noise_fields[] = {
    SNUG__LAYER_FIELDS, RANDOM_FIELD(stddev, FLOAT, NULL), SEED_FIELD, {0}};

static snug_status gaussian_noise(snug__layer_call *c) {
  const random_config *k = c->config;
  snug__gaussian_noise_params p = {k->stddev, c->index};
  if (!(k->stddev >= 0.0 && k->stddev <= 1.0)) {
    return snug__layer_refuse(c, "stddev", k->stddev, "a number from 0 to 1");
  }
  c->out = c->in[0];
  return is_idle(c, k->stddev) ? SNUG_OK : emit(c, &snug__op_gaussian_noise, &p);
}

LAYER_CLASS(GaussianNoise, random_config, noise_fields, 1, 1, gaussian_noise,
            .masking = SNUG__MASK_PASSES);

static snug_status gaussian_dropout(snug__layer_call *c) {
  const random_config *k = c->config;
  snug__gaussian_dropout_params p = {k->rate, c->index};
  SNUG_TRY(snug__layer_need_rate(c, "rate", k->rate));
  c->out = c->in[0];
  return is_idle(c, k->rate) ? SNUG_OK : emit(c, &snug__op_gaussian_dropout, &p);
}

LAYER_CLASS(GaussianDropout, random_config, spatial1d_fields, 1, 1, gaussian_dropout,
            .masking = SNUG__MASK_PASSES);
