/* Layers that only change the shape or the order of the axes. */
#include "model/layers/support.h"

static const snug__field flatten_fields[] = {SNUG__LAYER_FIELDS, LAYER_DATA_FORMAT, {0}};

/* Elements of one sample. */
static int64_t sample_count(const snug__type *x) {
  int64_t n = 1;
  for (int32_t k = 1; k < x->rank; k++) {
    n *= x->dim[k];
  }
  return n;
}

static snug_status flatten(snug__layer_call *c) {
  const snug__type *x = snug__layer_type(c, c->in[0]);
  return snug__layer_reshape(c, c->in[0], 2, (const int64_t[]){x->dim[0], sample_count(x)},
                             &c->out);
}

LAYER_CLASS(Flatten, snug__layer_common, flatten_fields, 1, 1, flatten);

typedef struct reshape_config {
  snug__layer_common common;
  snug_ints target_shape;
} reshape_config;

static const snug__field reshape_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(reshape_config, target_shape, INTS, NULL), {0}};

/* Resolve the one -1 of a shape for so many elements; false if that cannot be. */
static bool resolve(const snug_ints *target, int64_t count, int64_t *dim) {
  int64_t known = 1;
  int32_t open = -1;
  for (int32_t i = 0; i < target->n; i++) {
    dim[i] = target->v[i];
    if (dim[i] == -1 && open < 0) {
      open = i;
    } else if (dim[i] < 1 || !snug__mul_i64(known, dim[i], &known)) {
      return false;
    }
  }
  if (open >= 0) {
    dim[open] = count / known;
    known *= dim[open];
  }
  return known == count;
}

snug_status snug__layer_reshape_sample(snug__layer_call *c, const char *key,
                                       const snug_ints *target) {
  const snug__type *x = snug__layer_type(c, c->in[0]);
  int64_t dim[SNUG_MAX_RANK] = {x->dim[0]};
  char text[SNUG__TYPE_TEXT_BYTES];
  if (target->n >= SNUG_MAX_RANK) {
    return snug__layer_refuse(c, key, target->n, "at most 5 axes");
  }
  if (!resolve(target, sample_count(x), dim + 1)) {
    snug__type wanted = snug__type_of(x->dtype, target->n, target->v);
    return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                      "%s: %s=%s (without the batch) does not hold the %lld elements of a sample; "
                      "one size may be -1",
                      c->layer->name, key, strchr(snug__type_text(&wanted, text), '['),
                      (long long)sample_count(x));
  }
  return snug__layer_reshape(c, c->in[0], target->n + 1, dim, &c->out);
}

static snug_status reshape(snug__layer_call *c) {
  const reshape_config *k = c->config;
  return snug__layer_reshape_sample(c, "target_shape", &k->target_shape);
}

LAYER_CLASS(Reshape, reshape_config, reshape_fields, 1, 1, reshape);

typedef struct permute_config {
  snug__layer_common common;
  snug_ints dims;
} permute_config;

static const snug__field permute_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(permute_config, dims, INTS, NULL), {0}};

/* dims counts from 1 on, without the batch. */
static snug_status permute(snug__layer_call *c) {
  const permute_config *k = c->config;
  int32_t rank = snug__layer_type(c, c->in[0])->rank;
  uint32_t seen = 1;
  snug__permute_params p;
  memset(&p, 0, sizeof p);
  p.axes.n = k->dims.n + 1;
  for (int32_t i = 0; i < k->dims.n && i + 1 < SNUG__LIST_MAX; i++) {
    p.axes.v[i + 1] = k->dims.v[i];
    seen |= k->dims.v[i] > 0 && k->dims.v[i] < rank ? 1u << k->dims.v[i] : 0;
  }
  if (k->dims.n != rank - 1 || seen != (1u << rank) - 1) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: dims: expected each of the axes 1 to %d once (0 is the batch)",
                      c->layer->name, rank - 1);
  }
  return SNUG_EMIT(c->b->g, permute, &p, &c->out, c->in[0]);
}

LAYER_CLASS(Permute, permute_config, permute_fields, 1, 1, permute);

typedef struct repeat_config {
  snug__layer_common common;
  int64_t n;
} repeat_config;

static const snug__field repeat_fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(repeat_config, n, INT, NULL), {0}};

static snug_status repeat_vector(snug__layer_call *c) {
  const repeat_config *k = c->config;
  snug__repeat_params p = {1, k->n};
  snug__type x;
  SNUG_TRY(snug__layer_need_int(c, "n", k->n, 1));
  SNUG_TRY(snug__layer_need_rank(c, 2, "[batch, features]", &x));
  SNUG_TRY(snug__layer_reshape(c, c->in[0], 3, (const int64_t[]){x.dim[0], 1, x.dim[1]}, &c->out));
  return SNUG_EMIT(c->b->g, repeat, &p, &c->out, c->out);
}

LAYER_CLASS(RepeatVector, repeat_config, repeat_fields, 1, 1, repeat_vector);
