/* loss_reduce: the values of a loss as one scalar, as Keras reduces them.
 *
 * sum_over_batch_size divides Σ w·v by the number of values, whatever the weights; with a mask, by
 * the number of values that are valid.  mean_with_sample_weight divides by Σ w.  0/0 is 0.
 *
 * Where the values are a micro-batch, the divisor is the whole batch's and comes as an input.
 * The gradient needs the shape of the values, not the values. */
#include "ops/loss.h"

enum { DIVISOR = 3 }; /* the place of that input */

const char *const snug__reduction_texts[] = {"sum_over_batch_size", "sum",
                                             "mean_with_sample_weight", NULL};

static const snug__field fields[] = {
    SNUG_CHOICE(snug__loss_reduce_params, reduction, snug__reduction_texts, "sum_over_batch_size"),
    {0}};

static const snug__field grad_fields[] = {
    SNUG_CHOICE(snug__loss_reduce_grad_params, reduction, snug__reduction_texts,
                "sum_over_batch_size"),
    SNUG_FIELD(snug__loss_reduce_grad_params, shape, INTS, NULL),
    {0}};

/* Weights stand beside the values axis by axis; an axis of size 1 holds for the whole axis. */
static snug_status need_fitting(const snug__infer *q, int32_t i, const snug__type *values,
                                const char *what) {
  char w[SNUG__TYPE_TEXT_BYTES];
  char v[SNUG__TYPE_TEXT_BYTES];
  if (i >= q->n_in || !q->in[i].dtype) {
    return SNUG_OK;
  }
  bool fits = q->in[i].rank == values->rank;
  for (int32_t k = 0; fits && k < values->rank; k++) {
    fits = q->in[i].dim[k] == values->dim[k] || q->in[i].dim[k] == 1;
  }
  if (!fits) {
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: %s of shape %s do not fit values %s; give them one axis for each of the "
                      "values', of the same size or of size 1",
                      q->where, what, snug__type_text(&q->in[i], w), snug__type_text(values, v));
  }
  return SNUG_OK;
}

static snug_status infer(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(need_fitting(q, 1, &q->in[0], "weights"));
  SNUG_TRY(need_fitting(q, 2, &q->in[0], "a mask"));
  q->out[0] = snug__scalar(q->in[0].dtype);
  return snug__need_enabled(q, DIVISOR);
}

static snug_status grad_infer(snug__infer *q) {
  const snug__loss_reduce_grad_params *p = q->params;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_scalar(q, 0));
  if (p->shape.n > SNUG_MAX_RANK) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: %d axes; there may be at most %d", q->where,
                      p->shape.n, SNUG_MAX_RANK);
  }
  q->out[0] = snug__type_of(q->in[0].dtype, p->shape.n, p->shape.v);
  SNUG_TRY(need_fitting(q, 1, &q->out[0], "weights"));
  SNUG_TRY(need_fitting(q, 2, &q->out[0], "a mask"));
  return snug__need_enabled(q, DIVISOR);
}

static snug_status grad(snug__grad *g) {
  const snug__loss_reduce_params *own = g->params;
  const snug__type values = *snug__type_at(g->g, g->in[0]);
  snug__loss_reduce_grad_params p;
  memset(&p, 0, sizeof p);
  p.reduction = own->reduction;
  p.shape.n = values.rank;
  memcpy(p.shape.v, values.dim, sizeof values.dim);
  if (!g->wants[0]) {
    return SNUG_OK;
  }
  snug__id in[DIVISOR + 1] = {g->dout[0]};
  memcpy(in + 1, g->in + 1, (size_t)(g->n_in - 1) * sizeof *in);
  return snug__graph_add(g->g, &snug__op_loss_reduce_grad, &p, in, g->n_in, &g->din[0], 1);
}

/* Weights and mask of one call, seen over the shape of the values. */
typedef struct reducer {
  snug__type values;
  const void *weights, *mask;
  snug_dtype w_dtype, m_dtype;
  int64_t w_strides[SNUG_MAX_RANK], m_strides[SNUG_MAX_RANK];
  bool w_same, m_same; /* of the shape of the values: index is offset */
  int64_t n;
} reducer;

static reducer reducer_of(const snug__call *call, const snug__type *values) {
  const snug__signature *s = call->sig;
  reducer r = {.values = *values, .n = snug__type_count(values)};
  if (s->n_in > 1 && call->in[1]) {
    r.weights = call->in[1];
    r.w_dtype = s->in[1].dtype;
    r.w_same = snug__shape_equal(&s->in[1], values);
    snug__broadcast_strides(&s->in[1], values, r.w_strides);
  }
  if (s->n_in > 2 && call->in[2]) {
    r.mask = call->in[2];
    r.m_dtype = s->in[2].dtype;
    r.m_same = snug__shape_equal(&s->in[2], values);
    snug__broadcast_strides(&s->in[2], values, r.m_strides);
  }
  return r;
}

static double mask_at(const reducer *r, int64_t i) {
  if (!r->mask) {
    return 1.0;
  }
  int64_t at = r->m_same ? i : snug__strided_offset(&r->values, r->m_strides, i);
  return snug__element_get(r->m_dtype, r->mask, at) != 0.0 ? 1.0 : 0.0;
}

static double weight_at(const reducer *r, int64_t i) {
  if (!r->weights) {
    return mask_at(r, i);
  }
  int64_t at = r->w_same ? i : snug__strided_offset(&r->values, r->w_strides, i);
  return mask_at(r, i) * snug__element_get(r->w_dtype, r->weights, at);
}

static double own_divisor(const reducer *r, int32_t reduction) {
  double divisor = 0.0;
  if (reduction == SNUG__SUM_OVER_BATCH_SIZE && !r->mask) {
    return (double)r->n;
  }
  for (int64_t i = 0; i < r->n; i++) {
    divisor += reduction == SNUG__SUM_OVER_BATCH_SIZE ? mask_at(r, i) : weight_at(r, i);
  }
  return divisor;
}

/* What Σ w·v is multiplied with. */
static double factor(const snug__call *call, const reducer *r, int32_t reduction) {
  if (reduction == SNUG__SUM) {
    return 1.0;
  }
  bool is_given = call->sig->n_in > DIVISOR && call->in[DIVISOR];
  double divisor = is_given ? snug__scalar_input(call, DIVISOR, 0.0) : own_divisor(r, reduction);
  return divisor == 0.0 ? 0.0 : 1.0 / divisor;
}

static snug_status reference(const snug__call *call) {
  const snug__loss_reduce_params *p = call->sig->params;
  const snug__type *values = &call->sig->in[0];
  reducer r = reducer_of(call, values);
  double sum = 0.0;
  for (int64_t i = 0; i < r.n; i++) {
    sum += weight_at(&r, i) * snug__element_get(values->dtype, call->in[0], i);
  }
  snug__element_set(values->dtype, call->out[0], 0, sum * factor(call, &r, p->reduction));
  return SNUG_OK;
}

static snug_status grad_reference(const snug__call *call) {
  const snug__loss_reduce_grad_params *p = call->sig->params;
  const snug__type *values = &call->sig->out[0];
  reducer r = reducer_of(call, values);
  double d = snug__element_get(values->dtype, call->in[0], 0) * factor(call, &r, p->reduction);
  for (int64_t i = 0; i < r.n; i++) {
    snug__element_set(values->dtype, call->out[0], i, d * weight_at(&r, i));
  }
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){2.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_loss_reduce = {.name = "loss_reduce",
                                       .doc = "(values, weights, mask, divisor) as one scalar",
                                       .params_bytes = sizeof(snug__loss_reduce_params),
                                       .fields = fields,
                                       .min_in = 1,
                                       .max_in = 4,
                                       .min_out = 1,
                                       .max_out = 1,
                                       .infer = infer,
                                       .grad = grad,
                                       .reference = reference,
                                       .cost = cost};

const snug__op snug__op_loss_reduce_grad = {
    .name = "loss_reduce_grad",
    .doc = "gradient of loss_reduce to the values: (dloss, weights, mask, divisor)",
    .params_bytes = sizeof(snug__loss_reduce_grad_params),
    .fields = grad_fields,
    .min_in = 1,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .infer = grad_infer,
    .reference = grad_reference};
