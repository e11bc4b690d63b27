/* Pooling over windows and over all positions. */
#include "ops/pool.h"
#include "model/layers/support.h"
#include "ops/reduce.h"

typedef struct pool_config {
  snug__layer_common common;
  snug_ints pool_size, strides; /* strides empty: as pool_size */
  int32_t padding;
} pool_config;

static const snug__field pool_fields[] = {
    SNUG__LAYER_FIELDS,
    SNUG_FIELD(pool_config, pool_size, INTS, "2"),
    SNUG_FIELD(pool_config, strides, INTS, "[]"),
    SNUG_CHOICE(pool_config, padding, snug__padding_choices, "valid"),
    LAYER_DATA_FORMAT,
    {0}};

static snug_status pool_params(snug__layer_call *c, int32_t axes, snug__pool2d_params *p) {
  const pool_config *k = c->config;
  memset(p, 0, sizeof *p);
  p->padding = k->padding;
  SNUG_TRY(snug__layer_need_list(c, "pool_size", &k->pool_size, axes, 1, &p->pool_size));
  SNUG_TRY(snug__layer_need_list(c, "strides", k->strides.n ? &k->strides : &k->pool_size, axes, 1,
                                 &p->strides));
  if (axes == 1) { /* a series is an image of width 1 */
    p->pool_size.v[1] = p->strides.v[1] = 1;
    p->pool_size.n = p->strides.n = 2;
  }
  return SNUG_OK;
}

static snug_status pool1d(snug__layer_call *c, const snug__op *op) {
  snug__pool2d_params p;
  snug__type x;
  SNUG_TRY(snug__layer_need_rank(c, 3, LAYER_SERIES, &x));
  SNUG_TRY(pool_params(c, 1, &p));
  SNUG_TRY(snug__layer_reshape(c, c->in[0], 4, (const int64_t[]){x.dim[0], x.dim[1], 1, x.dim[2]},
                               &c->out));
  SNUG_TRY(snug__graph_add(c->b->g, op, &p, &c->out, 1, &c->out, 1));
  x.dim[1] = snug__layer_type(c, c->out)->dim[1];
  return snug__layer_reshape(c, c->out, 3, x.dim, &c->out);
}

static snug_status pool2d(snug__layer_call *c, const snug__op *op) {
  snug__pool2d_params p;
  snug__type x;
  SNUG_TRY(snug__layer_need_rank(c, 4, LAYER_IMAGES, &x));
  SNUG_TRY(pool_params(c, 2, &p));
  return snug__graph_add(c->b->g, op, &p, c->in, 1, &c->out, 1);
}

static snug_status max1d(snug__layer_call *c) { return pool1d(c, &snug__op_max_pool2d); }
static snug_status max2d(snug__layer_call *c) { return pool2d(c, &snug__op_max_pool2d); }
static snug_status average1d(snug__layer_call *c) { return pool1d(c, &snug__op_avg_pool2d); }
static snug_status average2d(snug__layer_call *c) { return pool2d(c, &snug__op_avg_pool2d); }

LAYER_CLASS(MaxPooling1D, pool_config, pool_fields, 1, 1, max1d);
LAYER_CLASS(MaxPooling2D, pool_config, pool_fields, 1, 1, max2d);
LAYER_CLASS(AveragePooling1D, pool_config, pool_fields, 1, 1, average1d);
LAYER_CLASS(AveragePooling2D, pool_config, pool_fields, 1, 1, average2d);

/* ---- keras.ops: a series or images ---- */

static snug_status pool_any(snug__layer_call *c, const snug__op *op) {
  return (snug__layer_type(c, c->in[0])->rank == 3 ? pool1d : pool2d)(c, op);
}

static snug_status max_any(snug__layer_call *c) { return pool_any(c, &snug__op_max_pool2d); }
static snug_status average_any(snug__layer_call *c) { return pool_any(c, &snug__op_avg_pool2d); }

RAW_CLASS(AveragePool, pool_config, pool_fields, 1, 1, average_any);
RAW_CLASS(MaxPool, pool_config, pool_fields, 1, 1, max_any);

/* ---- over all positions ---- */

typedef struct global_config {
  snug__layer_common common;
  bool keepdims;
} global_config;

static const snug__field global_fields[] = {
    SNUG__LAYER_FIELDS, LAYER_DATA_FORMAT, SNUG_FIELD(global_config, keepdims, BOOL, "false"), {0}};

static snug_status global_params(snug__layer_call *c, int32_t axes, snug__reduce_params *p) {
  const global_config *k = c->config;
  snug__type x;
  memset(p, 0, sizeof *p);
  p->axes = (snug_ints){axes, {1, axes == 2 ? 2 : 0}};
  p->keepdims = k->keepdims;
  return snug__layer_need_rank(c, axes + 2, axes == 1 ? LAYER_SERIES : LAYER_IMAGES, &x);
}

static snug_status global(snug__layer_call *c, int32_t axes, const snug__op *op) {
  snug__reduce_params p;
  SNUG_TRY(global_params(c, axes, &p));
  return snug__graph_add(c->b->g, op, &p, c->in, 1, &c->out, 1);
}

static snug_status global_max1d(snug__layer_call *c) { return global(c, 1, &snug__op_max); }
static snug_status global_max2d(snug__layer_call *c) { return global(c, 2, &snug__op_max); }
static snug_status global_average2d(snug__layer_call *c) { return global(c, 2, &snug__op_mean); }

/* The mean of the steps that a mask lets through. */
static snug_status masked_average1d(snug__layer_call *c) {
  snug__reduce_params p;
  snug__id mask = SNUG_NONE;
  snug__id kept = SNUG_NONE;
  snug__id count = SNUG_NONE;
  SNUG_TRY(global_params(c, 1, &p));
  SNUG_TRY(snug__layer_mask_column(c, &mask));
  SNUG_TRY(SNUG_EMIT(c->b->g, where, NULL, &kept, mask, c->in[0], SNUG_NONE));
  SNUG_TRY(SNUG_EMIT(c->b->g, sum, &p, &kept, kept));
  SNUG_TRY(snug__layer_as_real(c, mask, &count));
  SNUG_TRY(SNUG_EMIT(c->b->g, sum, &p, &count, count));
  return SNUG_EMIT(c->b->g, divide, NULL, &c->out, kept, count);
}

static snug_status global_average1d(snug__layer_call *c) {
  return c->masks[0] == SNUG_NONE ? global(c, 1, &snug__op_mean) : masked_average1d(c);
}

LAYER_CLASS(GlobalMaxPooling1D, global_config, global_fields, 1, 1, global_max1d);
LAYER_CLASS(GlobalMaxPooling2D, global_config, global_fields, 1, 1, global_max2d);
LAYER_CLASS(GlobalAveragePooling1D, global_config, global_fields, 1, 1, global_average1d);
LAYER_CLASS(GlobalAveragePooling2D, global_config, global_fields, 1, 1, global_average2d);
