/* Raw ops along axes, and those that only change the shape; see raw_ops.h. */
#include "model/layers/raw_ops.h"
#include "ops/softmax.h"

/* The configuration of all of them; each class's table tells which members it has. */
typedef struct axes_config {
  snug__layer_common common;
  snug_ints axis, axes, newshape, shape, source, destination;
  int64_t axis1, axis2, repeats;
} axes_config;

#define AXES_FIELD(member, kind, initial) SNUG_FIELD(axes_config, member, kind, initial)

/* ---- along one axis ---- */

static const snug__field along_fields[] = {SNUG__LAYER_FIELDS, AXES_FIELD(axis, INTS, "-1"), {0}};

static snug_status softmax(snug__layer_call *c) {
  return snug__layer_along(c, &snug__op_softmax, &((const axes_config *)c->config)->axis);
}

static snug_status log_softmax(snug__layer_call *c) {
  return snug__layer_along(c, &snug__op_log_softmax, &((const axes_config *)c->config)->axis);
}

RAW_CLASS(Softmax, axes_config, along_fields, 1, 1, softmax);
RAW_CLASS(LogSoftmax, axes_config, along_fields, 1, 1, log_softmax);

static snug_status glu(snug__layer_call *c) {
  snug__softmax_params p = {0};
  int32_t axis = 0;
  SNUG_TRY(snug__layer_need_one_axis(c, "axis", &((const axes_config *)c->config)->axis, &axis));
  p.axis = axis;
  return SNUG_EMIT(c->b->g, glu, &p, &c->out, c->in[0]);
}

RAW_CLASS(Glu, axes_config, along_fields, 1, 1, glu);

/* ---- shapes ---- */

static const snug__field reshape_fields[] = {
    SNUG__LAYER_FIELDS, AXES_FIELD(newshape, INTS, NULL), {0}};

#define SHAPE_OF_BATCH "a newshape that does not begin with -1; that is the batch, which stays"

static snug_status reshape(snug__layer_call *c) {
  snug_ints target = ((const axes_config *)c->config)->newshape;
  if (target.n < 1 || target.v[0] != -1) {
    return snug__layer_lacks(c, SHAPE_OF_BATCH);
  }
  target.n--;
  memmove(target.v, target.v + 1, (size_t)target.n * sizeof target.v[0]);
  return snug__layer_reshape_sample(c, "newshape", &target);
}

RAW_CLASS(Reshape, axes_config, reshape_fields, 1, 1, reshape,
          .lacks = LAYER_LACKS(SHAPE_OF_BATCH));

#define OTHER_AXES \
  "a shape of another number of axes than the input, or that does not begin with -1 (the batch)"

/* The batch, -1 in the shape, stays; the other axes are as in NumPy. */
static snug_status broadcast_to(snug__layer_call *c) {
  const axes_config *k = c->config;
  const snug__type *x = snug__layer_type(c, c->in[0]);
  snug__type to = *x;
  if (k->shape.n != x->rank || k->shape.v[0] != -1) {
    return snug__layer_lacks(c, OTHER_AXES);
  }
  memcpy(to.dim + 1, k->shape.v + 1, (size_t)(to.rank - 1) * sizeof *to.dim);
  return snug__emit_broadcast(c->b->g, c->in[0], &to, 1.0, &c->out);
}

static const snug__field broadcast_fields[] = {
    SNUG__LAYER_FIELDS, AXES_FIELD(shape, INTS, NULL), {0}};

RAW_CLASS(BroadcastTo, axes_config, broadcast_fields, 1, 1, broadcast_to,
          .lacks = LAYER_LACKS(OTHER_AXES));

static snug_status expand_dims(snug__layer_call *c) {
  const axes_config *k = c->config;
  const snug__type *x = snug__layer_type(c, c->in[0]);
  int64_t dim[SNUG_MAX_RANK] = {0};
  int32_t rank = x->rank + k->axis.n;
  uint32_t at = 0;
  if (k->axis.n < 1 || rank > SNUG_MAX_RANK) {
    return snug__layer_refuse(c, "axis", rank, "one or more, and at most 6 axes in the end");
  }
  SNUG_TRY(snug__layer_need_axes(c, "axis", &k->axis, rank, &at));
  for (int32_t to = 0, from = 0; to < rank; to++) {
    dim[to] = at >> to & 1 ? 1 : x->dim[from++];
  }
  return snug__layer_reshape(c, c->in[0], rank, dim, &c->out);
}

static snug_status squeeze(snug__layer_call *c) {
  const axes_config *k = c->config;
  const snug__type *x = snug__layer_type(c, c->in[0]);
  int64_t dim[SNUG_MAX_RANK] = {0};
  int32_t rank = 0;
  uint32_t at = 0;
  SNUG_TRY(snug__layer_need_axes(c, "axis", &k->axis, x->rank, &at));
  for (int32_t from = 0; from < x->rank; from++) {
    bool goes = k->axis.n ? at >> from & 1 : from > 0 && x->dim[from] == 1;
    if (goes && x->dim[from] != 1) {
      return snug__fail(c->b->ctx, SNUG_E_SHAPE, "%s: axis %d has size %lld and not 1",
                        c->layer->name, from, (long long)x->dim[from]);
    }
    if (!goes) {
      dim[rank++] = x->dim[from];
    }
  }
  return snug__layer_reshape(c, c->in[0], rank, dim, &c->out);
}

static const snug__field expand_fields[] = {SNUG__LAYER_FIELDS, AXES_FIELD(axis, INTS, NULL), {0}};
static const snug__field squeeze_fields[] = {SNUG__LAYER_FIELDS, AXES_FIELD(axis, INTS, "[]"), {0}};

RAW_CLASS(ExpandDims, axes_config, expand_fields, 1, 1, expand_dims);
RAW_CLASS(Squeeze, axes_config, squeeze_fields, 1, 1, squeeze);

/* ---- the order of axes ---- */

static snug_status permute(snug__layer_call *c, const snug_ints *axes) {
  snug__permute_params p;
  memset(&p, 0, sizeof p);
  p.axes = *axes;
  return SNUG_EMIT(c->b->g, permute, &p, &c->out, c->in[0]);
}

#define MOVED_BATCH "axes that do not begin with 0; the batch stays the first axis"

static snug_status transpose(snug__layer_call *c) {
  snug_ints axes = ((const axes_config *)c->config)->axes;
  int32_t rank = snug__layer_type(c, c->in[0])->rank;
  if (axes.n < 1 || axes.v[0] != 0) {
    return snug__layer_lacks(c, MOVED_BATCH);
  }
  for (int32_t i = 0; i < axes.n; i++) {
    axes.v[i] += axes.v[i] < 0 ? rank : 0;
  }
  return permute(c, &axes);
}

static const snug__field transpose_fields[] = {
    SNUG__LAYER_FIELDS, AXES_FIELD(axes, INTS, NULL), {0}};

RAW_CLASS(Transpose, axes_config, transpose_fields, 1, 1, transpose,
          .lacks = LAYER_LACKS(MOVED_BATCH));

static snug_ints in_order(int32_t rank) {
  snug_ints axes = {rank, {0}};
  for (int32_t i = 0; i < rank; i++) {
    axes.v[i] = i;
  }
  return axes;
}

static snug_status swap_axes(snug__layer_call *c) {
  const axes_config *k = c->config;
  int32_t rank = snug__layer_type(c, c->in[0])->rank;
  snug_ints axes = in_order(rank);
  int32_t a = 0;
  int32_t b = 0;
  SNUG_TRY(snug__layer_need_axis(c, "axis1", k->axis1, rank, &a));
  SNUG_TRY(snug__layer_need_axis(c, "axis2", k->axis2, rank, &b));
  axes.v[a] = b;
  axes.v[b] = a;
  return permute(c, &axes);
}

static const snug__field swap_fields[] = {
    SNUG__LAYER_FIELDS, AXES_FIELD(axis1, INT, NULL), AXES_FIELD(axis2, INT, NULL), {0}};

RAW_CLASS(Swapaxes, axes_config, swap_fields, 1, 1, swap_axes);

/* The axes named in `source` go to the places named in `destination`; the others keep their order.
 */
static snug_status move_axis(snug__layer_call *c) {
  const axes_config *k = c->config;
  int32_t rank = snug__layer_type(c, c->in[0])->rank;
  snug_ints axes = in_order(rank);
  uint32_t from = 0;
  uint32_t to = 0;
  SNUG_TRY(snug__layer_need_axes(c, "source", &k->source, rank, &from));
  SNUG_TRY(snug__layer_need_axes(c, "destination", &k->destination, rank, &to));
  if (k->source.n != k->destination.n) {
    return snug__layer_refuse(c, "destination", k->destination.n, "as many axes as in source");
  }
  for (int32_t i = 0, rest = 0; i < rank; i++) {
    while (from >> rest & 1) {
      rest++;
    }
    axes.v[i] = to >> i & 1 ? 0 : rest++;
  }
  for (int32_t i = 0; i < k->source.n; i++) {
    int64_t at = k->destination.v[i];
    int64_t axis = k->source.v[i];
    axes.v[at < 0 ? at + rank : at] = axis < 0 ? axis + rank : axis;
  }
  return permute(c, &axes);
}

static const snug__field move_fields[] = {
    SNUG__LAYER_FIELDS, AXES_FIELD(source, INTS, NULL), AXES_FIELD(destination, INTS, NULL), {0}};

RAW_CLASS(Moveaxis, axes_config, move_fields, 1, 1, move_axis);

/* ---- several times, and side by side ---- */

static snug_status repeat(snug__layer_call *c) {
  const axes_config *k = c->config;
  snug__repeat_params p = {0, k->repeats};
  int32_t axis = 0;
  SNUG_TRY(snug__layer_need_one_axis(c, "axis", &k->axis, &axis));
  p.axis = axis;
  return SNUG_EMIT(c->b->g, repeat, &p, &c->out, c->in[0]);
}

static const snug__field repeat_fields[] = {
    SNUG__LAYER_FIELDS, AXES_FIELD(repeats, INT, NULL), AXES_FIELD(axis, INTS, NULL), {0}};

RAW_CLASS(Repeat, axes_config, repeat_fields, 1, 1, repeat);

static const snug__field join_fields[] = {SNUG__LAYER_FIELDS, AXES_FIELD(axis, INTS, NULL), {0}};

static snug_status concatenate(snug__layer_call *c) {
  snug__concat_params p = {0};
  int32_t axis = 0;
  SNUG_TRY(snug__layer_need_one_axis(c, "axis", &((const axes_config *)c->config)->axis, &axis));
  p.axis = axis;
  return snug__graph_add(c->b->g, &snug__op_concat, &p, c->in, c->n_in, &c->out, 1);
}

RAW_CLASS(Concatenate, axes_config, join_fields, 1, SNUG__CALL_INPUTS, concatenate);

/* Along the axis that a function of NumPy has in its name. */
static snug_status join_along(snug__layer_call *c, int32_t axis) {
  snug__concat_params p = {axis};
  for (int32_t i = 0; i < c->n_in; i++) {
    if (snug__layer_type(c, c->in[i])->rank <= axis) {
      return snug__fail(c->b->ctx, SNUG_E_SHAPE, "%s: input %d has no axis %d beside the batch's",
                        c->layer->name, i, axis);
    }
  }
  return snug__graph_add(c->b->g, &snug__op_concat, &p, c->in, c->n_in, &c->out, 1);
}

static snug_status hstack(snug__layer_call *c) { return join_along(c, 1); }
static snug_status dstack(snug__layer_call *c) { return join_along(c, 2); }

RAW_CLASS(Dstack, snug__layer_common, snug__layer_plain_fields, 1, SNUG__CALL_INPUTS, dstack);
RAW_CLASS(Hstack, snug__layer_common, snug__layer_plain_fields, 1, SNUG__CALL_INPUTS, hstack);

/* A value with an axis of 1 at `axis`. */
static snug_status with_axis(const snug__layer_call *c, snug__id in, int32_t axis, snug__id *out) {
  const snug__type *x = snug__layer_type(c, in);
  int64_t dim[SNUG_MAX_RANK + 1] = {0};
  for (int32_t k = 0; k <= x->rank; k++) {
    dim[k] = k < axis ? x->dim[k] : k == axis ? 1 : x->dim[k - 1];
  }
  return snug__layer_reshape(c, in, x->rank + 1, dim, out);
}

static snug_status stack(snug__layer_call *c) {
  const axes_config *k = c->config;
  int32_t rank = snug__layer_type(c, c->in[0])->rank;
  snug__id in[SNUG__CALL_INPUTS];
  snug__concat_params p = {0};
  int32_t axis = 0;
  if (k->axis.n != 1 || rank >= SNUG_MAX_RANK) {
    return snug__layer_refuse(c, "axis", k->axis.n, "one axis, and at most 6 in the end");
  }
  SNUG_TRY(snug__layer_need_axis(c, "axis", k->axis.v[0], rank + 1, &axis));
  p.axis = axis;
  for (int32_t i = 0; i < c->n_in; i++) {
    if (snug__layer_type(c, c->in[i])->rank != rank) {
      return snug__fail(c->b->ctx, SNUG_E_SHAPE, "%s: inputs 0 and %d have different shapes",
                        c->layer->name, i);
    }
    SNUG_TRY(with_axis(c, c->in[i], axis, &in[i]));
  }
  return snug__graph_add(c->b->g, &snug__op_concat, &p, in, c->n_in, &c->out, 1);
}

RAW_CLASS(Stack, axes_config, join_fields, 1, SNUG__CALL_INPUTS, stack);
