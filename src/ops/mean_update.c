/* mean_update: (total, count, values, weights) add the values to a running mean, as Keras's Mean
 * does: the values of a sample are averaged first, so that each sample (entry of the first axis)
 * counts once, times the mean of its weights. */
#include "ops/metric.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__mean_update_params, weight, FLOAT, "1"), {0}};

/* Weights have the shape of the first axes of the values; an axis of size 1 holds for the whole
 * axis. */
static bool fits(const snug__type *w, const snug__type *v) {
  if (w->rank > v->rank) {
    return false;
  }
  for (int32_t k = 0; k < w->rank; k++) {
    if (w->dim[k] != v->dim[k] && w->dim[k] != 1) {
      return false;
    }
  }
  return true;
}

static snug_status infer(snug__infer *q) {
  char w[SNUG__TYPE_TEXT_BYTES];
  char v[SNUG__TYPE_TEXT_BYTES];
  for (int32_t i = 0; i < 2; i++) {
    SNUG_TRY(snug__need_real(q, i));
    SNUG_TRY(snug__need_scalar(q, i));
    q->out[i] = q->in[i];
  }
  SNUG_TRY(snug__need_real(q, 2));
  if (q->n_in > 3 && q->in[3].dtype && !fits(&q->in[3], &q->in[2])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: weights %s do not fit values %s; give them the shape of the values' "
                      "first axes",
                      q->where, snug__type_text(&q->in[3], w), snug__type_text(&q->in[2], v));
  }
  return SNUG_OK;
}

/* The weights' shape with axes of size 1 to the values' rank, so that strides can be told. */
static snug__type widened(const snug__type *w, const snug__type *v) {
  snug__type t = *w;
  for (; t.rank < v->rank; t.rank++) {
    t.dim[t.rank] = 1;
  }
  return t;
}

static void add_to(const snug__call *call, int32_t i, double sum) {
  snug_dtype d = call->sig->out[i].dtype;
  snug__element_set(d, call->out[i], 0, snug__element_get(d, call->in[i], 0) + sum);
}

static snug_status reference(const snug__call *call) {
  const snug__signature *s = call->sig;
  const snug__mean_update_params *p = s->params;
  const snug__type *values = &s->in[2];
  int64_t n = snug__type_count(values);
  bool weighted = s->n_in > 3 && call->in[3];
  int64_t strides[SNUG_MAX_RANK] = {0};
  double total = 0.0;
  double count = 0.0;
  if (weighted) {
    snug__type w = widened(&s->in[3], values);
    snug__broadcast_strides(&w, values, strides);
  }
  for (int64_t i = 0; i < n; i++) {
    double w = weighted ? snug__element_get(s->in[3].dtype, call->in[3],
                                            snug__strided_offset(values, strides, i))
                        : 1.0;
    total += w * snug__element_get(values->dtype, call->in[2], i);
    count += w;
  }
  double samples = values->rank ? (double)values->dim[0] : 1.0;
  double scale = n ? p->weight * samples / (double)n : 0.0;
  add_to(call, 0, total * scale);
  add_to(call, 1, count * scale);
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){3.0 * (double)snug__type_count(&sig->in[2]), snug__bytes_moved(sig)};
}

const snug__op snug__op_mean_update = {.name = "mean_update",
                                       .doc = "(total, count) += (Σ w·v, Σ w) per sample",
                                       .params_bytes = sizeof(snug__mean_update_params),
                                       .fields = fields,
                                       .min_in = 3,
                                       .max_in = 4,
                                       .min_out = 2,
                                       .max_out = 2,
                                       .flags = SNUG__OP_NO_RECOMPUTE,
                                       .writes = {1, 2},
                                       .infer = infer,
                                       .reference = reference,
                                       .cost = cost};
