/* What the losses share: checks, rows, costs. */
#include "ops/loss.h"
#include "device/host.h"

static void drop_last(const snug__type *y, snug_dtype dtype, snug__type *out) {
  *out = snug__type_of(dtype, y->rank - 1, y->dim);
}

static snug_status need_prediction(const snug__infer *q, int32_t i) {
  SNUG_TRY(snug__need_real(q, i));
  return snug__need_rank_from(q, i, 1);
}

static snug_status need_label(const snug__infer *q, int32_t i) {
  return q->in[i].dtype ? SNUG_OK
                        : snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: y_true is left out", q->where);
}

static snug_status need_dvalues(const snug__infer *q, const snug__type *values) {
  char got[SNUG__TYPE_TEXT_BYTES];
  char want[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(snug__need_real(q, 0));
  if (!snug__shape_equal(values, &q->in[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: the gradient of the values is %s and must be %s",
                      q->where, snug__type_text(&q->in[0], got), snug__type_text(values, want));
  }
  return SNUG_OK;
}

static snug_status need_dense(const snug__infer *q, int32_t t, int32_t y) {
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(need_prediction(q, y));
  SNUG_TRY(need_label(q, t));
  if (!snug__shape_equal(&q->in[t], &q->in[y])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: y_true is %s, y_pred is %s: the shapes differ",
                      q->where, snug__type_text(&q->in[t], a), snug__type_text(&q->in[y], b));
  }
  return SNUG_OK;
}

static snug_status need_sparse(const snug__infer *q, int32_t t, int32_t y) {
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(need_prediction(q, y));
  SNUG_TRY(need_label(q, t));
  snug__type labels;
  drop_last(&q->in[y], q->in[t].dtype, &labels);
  if (!snug__shape_equal(&q->in[t], &labels)) {
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: y_true is %s, y_pred is %s: y_true must have y_pred's shape without its "
                      "last axis (for one-hot labels use the categorical form)",
                      q->where, snug__type_text(&q->in[t], a), snug__type_text(&q->in[y], b));
  }
  return SNUG_OK;
}

snug_status snug__infer_dense_loss(snug__infer *q) {
  SNUG_TRY(need_dense(q, 0, 1));
  drop_last(&q->in[1], snug__wide_dtype(q->in[1].dtype), &q->out[0]);
  return SNUG_OK;
}

snug_status snug__infer_loss_grad(snug__infer *q, const snug__type *values) {
  SNUG_TRY(need_dense(q, 1, 2));
  SNUG_TRY(need_dvalues(q, values));
  q->out[0] = q->in[2];
  return SNUG_OK;
}

snug_status snug__infer_dense_loss_grad(snug__infer *q) {
  snug__type values;
  SNUG_TRY(need_prediction(q, 2));
  drop_last(&q->in[2], q->in[0].dtype, &values);
  return snug__infer_loss_grad(q, &values);
}

snug_status snug__infer_sparse_loss(snug__infer *q) {
  SNUG_TRY(need_sparse(q, 0, 1));
  drop_last(&q->in[1], snug__wide_dtype(q->in[1].dtype), &q->out[0]);
  return SNUG_OK;
}

snug_status snug__infer_sparse_loss_grad(snug__infer *q) {
  snug__type values;
  SNUG_TRY(need_sparse(q, 1, 2));
  drop_last(&q->in[2], q->in[0].dtype, &values);
  SNUG_TRY(need_dvalues(q, &values));
  q->out[0] = q->in[2];
  return SNUG_OK;
}

snug_status snug__emit_loss_grad(snug__grad *g, const snug__op *op) {
  if (!g->wants[1] || g->dout[0] == SNUG_NONE) {
    return SNUG_OK;
  }
  const snug__id in[] = {g->dout[0], g->in[0], g->in[1]};
  return snug__graph_add(g->g, op, g->params, in, 3, &g->din[1], 1);
}

snug__clip_bounds snug__probability_bounds(snug_dtype y_pred) {
  if (y_pred == SNUG_FLOAT64) {
    return (snug__clip_bounds){SNUG__KERAS_EPSILON, 1.0 - SNUG__KERAS_EPSILON};
  }
  return (snug__clip_bounds){(float)SNUG__KERAS_EPSILON, 1.0f - (float)SNUG__KERAS_EPSILON};
}

static void set_shape(snug__loss_rows *j, const snug__type *y) {
  j->width = y->dim[y->rank - 1];
  j->rows = 1;
  for (int32_t k = 0; k < y->rank - 1; k++) {
    j->rows *= y->dim[k];
  }
  j->y_dtype = y->dtype;
  j->clip = snug__probability_bounds(y->dtype);
}

snug__loss_rows snug__loss_rows_of(const snug__call *call) {
  const snug__signature *s = call->sig;
  snug__loss_rows j = {.t = call->in[0],
                       .y = call->in[1],
                       .out = call->out[0],
                       .valid = s->n_out > 1 ? call->out[1] : NULL,
                       .t_dtype = s->in[0].dtype,
                       .v_dtype = s->out[0].dtype,
                       .threads = snug__threads(s),
                       .params = s->params};
  set_shape(&j, &s->in[1]);
  return j;
}

snug__loss_rows snug__loss_grad_rows_of(const snug__call *call) {
  const snug__signature *s = call->sig;
  snug__loss_rows j = {.dv = call->in[0],
                       .t = call->in[1],
                       .y = call->in[2],
                       .out = call->out[0],
                       .t_dtype = s->in[1].dtype,
                       .v_dtype = s->in[0].dtype,
                       .threads = snug__threads(s),
                       .params = s->params};
  set_shape(&j, &s->in[2]);
  return j;
}

void snug__loss_run(const snug__loss_rows *j, void (*body)(void *arg, int64_t begin, int64_t end)) {
  snug__loss_rows copy = *j;
  snug__parallel_ranges(j->threads, j->rows, 1 + 4096 / (1 + j->width), body, &copy);
}

/* Some eight operations per element of y_pred, the largest value around. */
snug__cost snug__loss_cost(const snug__signature *sig) {
  const snug__type *y = &sig->in[sig->n_in - 1];
  return (snug__cost){8.0 * (double)snug__type_count(y), snug__bytes_moved(sig)};
}
