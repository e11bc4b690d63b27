/* Dot: the sum of products along an axis of each of two inputs, sample by sample.
 *
 * The summed axis goes to the end of the first input and to the front (behind the batch) of the
 * second; the other axes of each count as one for the product of matrices, and are the output's. */
#include "model/layers/axes.h"
#include "ops/matmul.h"
#include "ops/norm.h"

#define UNIT_EPSILON 1e-12

typedef struct dot_config {
  snug__layer_common common;
  snug_ints axes;
  bool normalize;
} dot_config;

static const snug__field fields[] = {SNUG__LAYER_FIELDS,
                                     SNUG_FIELD(dot_config, axes, INTS, NULL),
                                     SNUG_FIELD(dot_config, normalize, BOOL, "false"),
                                     {0}};

/* One of the two inputs. */
typedef struct factor {
  snug__id matrix;      /* [batch, other axes, summed axis] */
  int64_t others, size; /* elements of the other axes, and of the summed one */
  int32_t rank;
  int64_t dim[SNUG_MAX_RANK]; /* of the other axes, without the batch */
} factor;

static snug_status make_factor(snug__layer_call *c, int32_t i, factor *f) {
  const dot_config *k = c->config;
  snug__unit_norm_params unit = {0, UNIT_EPSILON};
  snug__gathered g;
  int32_t axis = 0;
  int64_t batch = snug__layer_type(c, c->in[i])->dim[0];
  SNUG_TRY(snug__layer_need_axis(c, "axes", k->axes.v[k->axes.n == 2 ? i : 0],
                                 snug__layer_type(c, c->in[i])->rank, &axis));
  f->matrix = c->in[i];
  if (k->normalize) {
    unit.axis = axis;
    SNUG_TRY(SNUG_EMIT(c->b->g, unit_norm, &unit, &f->matrix, f->matrix));
  }
  SNUG_TRY(snug__layer_gather(c, f->matrix, 1u << axis, &g, &f->matrix));
  const snug__type *t = snug__layer_type(c, f->matrix);
  f->rank = t->rank - 2;
  f->size = t->dim[t->rank - 1];
  f->others = 1;
  for (int32_t d = 0; d < f->rank; d++) {
    f->dim[d] = t->dim[d + 1];
    f->others *= f->dim[d];
  }
  return snug__layer_reshape(c, f->matrix, 3, (const int64_t[]){batch, f->others, f->size},
                             &f->matrix);
}

static snug_status check(const snug__layer_call *c, const factor *a, const factor *b) {
  if (a->size != b->size || a->rank + b->rank + 1 > SNUG_MAX_RANK) {
    return snug__fail(
        c->b->ctx, SNUG_E_SHAPE,
        "%s: axes: the summed axes have sizes %lld and %lld, which must be equal, and "
        "the result has %d axes (at most %d)",
        c->layer->name, (long long)a->size, (long long)b->size, a->rank + b->rank + 1,
        SNUG_MAX_RANK);
  }
  return SNUG_OK;
}

static snug_status call(snug__layer_call *c) {
  const dot_config *k = c->config;
  snug__matmul_params p = {false, true};
  factor f[2];
  int64_t dim[SNUG_MAX_RANK] = {snug__layer_type(c, c->in[0])->dim[0]};
  int32_t rank = 1;
  if (k->axes.n != 1 && k->axes.n != 2) {
    return snug__layer_refuse(c, "axes", k->axes.n, "one axis, or one of each input");
  }
  for (int32_t i = 0; i < 2; i++) {
    SNUG_TRY(make_factor(c, i, &f[i]));
  }
  SNUG_TRY(check(c, &f[0], &f[1]));
  for (int32_t i = 0; i < 2; i++) {
    memcpy(dim + rank, f[i].dim, (size_t)f[i].rank * sizeof dim[0]);
    rank += f[i].rank;
  }
  if (rank == 1) { /* a number per sample has an axis of its own */
    dim[rank++] = 1;
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, matmul, &p, &c->out, f[0].matrix, f[1].matrix));
  return snug__layer_reshape(c, c->out, rank, dim, &c->out);
}

LAYER_CLASS(Dot, dot_config, fields, 2, 2, call);
