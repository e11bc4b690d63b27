/* Counts of hits and misses: confusion_update per threshold, iou_update per pair of classes.
 *
 * Both add up one after the other: the counts are few and the sums must not depend on threads. */
#include "ops/metric.h"
#include "ops/support.h"

static const snug__field confusion_fields[] = {
    SNUG_FIELD(snug__confusion_update_params, thresholds, FLOATS, "[]"),
    SNUG_FIELD(snug__confusion_update_params, num_thresholds, INT, "0"),
    {0}};

static const snug__field iou_fields[] = {
    SNUG_FIELD(snug__iou_update_params, ignore_class, INT, "-9223372036854775808"), {0}};

static snug_status need_same_shape(const snug__infer *q, int32_t t, int32_t y) {
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  if (q->in[t].dtype && q->in[y].dtype && snug__shape_equal(&q->in[t], &q->in[y])) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: y_true is %s, y_pred is %s: the shapes differ",
                    q->where, snug__type_text(&q->in[t], a), snug__type_text(&q->in[y], b));
}

static snug_status need_weights(const snug__infer *q, int32_t i, int32_t y) {
  snug__type joint;
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  if (i >= q->n_in || !q->in[i].dtype) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__broadcast(q, y, i, &joint));
  if (!snug__shape_equal(&joint, &q->in[y])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: weights %s do not fit predictions %s", q->where,
                      snug__type_text(&q->in[i], a), snug__type_text(&q->in[y], b));
  }
  return SNUG_OK;
}

/* Labels, predictions and weights of one call, element by element. */
typedef struct samples {
  const void *t, *y, *w;
  snug__type t_type, y_type;
  snug_dtype w_dtype;
  int64_t strides[SNUG_MAX_RANK];
  int64_t n;
} samples;

static samples samples_of(const snug__call *call, int32_t first) {
  const snug__signature *s = call->sig;
  samples x = {.t = call->in[first],
               .y = call->in[first + 1],
               .t_type = s->in[first],
               .y_type = s->in[first + 1],
               .n = snug__type_count(&s->in[first + 1])};
  if (s->n_in > first + 2 && call->in[first + 2]) {
    x.w = call->in[first + 2];
    x.w_dtype = s->in[first + 2].dtype;
    snug__broadcast_strides(&s->in[first + 2], &x.y_type, x.strides);
  }
  return x;
}

static double weight_at(const samples *x, int64_t i) {
  return x->w ? snug__element_get(x->w_dtype, x->w, snug__strided_offset(&x->y_type, x->strides, i))
              : 1.0;
}

/* ---- thresholds ---- */

static int64_t count_of(const snug__confusion_update_params *p) {
  return p->num_thresholds ? p->num_thresholds : p->thresholds.n;
}

static snug_status confusion_infer(snug__infer *q) {
  const snug__confusion_update_params *p = q->params;
  char text[SNUG__TYPE_TEXT_BYTES];
  int64_t n = count_of(p);
  if (n < 1 || p->num_thresholds == 1 || (p->num_thresholds && p->thresholds.n)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                      "%s: give thresholds, or num_thresholds of 2 or more, and not both",
                      q->where);
  }
  for (int32_t i = 0; i < 4; i++) {
    if (q->in[i].dtype != SNUG_FLOAT32 || q->in[i].rank != 1 || q->in[i].dim[0] != n) {
      return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: count %d is %s and must be float32[%lld]",
                        q->where, i, snug__type_text(&q->in[i], text), (long long)n);
    }
    q->out[i] = q->in[i];
  }
  SNUG_TRY(snug__need_real(q, 5));
  SNUG_TRY(need_same_shape(q, 4, 5));
  return need_weights(q, 6, 5);
}

/* Of the evenly spread thresholds, the last that a prediction is above; the first lies below 0. */
static int64_t last_below(double y, int64_t n, snug_dtype dtype) {
  double clipped = y < 0.0 ? 0.0 : y > 1.0 ? 1.0 : y;
  double at = dtype == SNUG_FLOAT64 ? ceil(clipped * (double)(n - 1)) - 1.0
                                    : (double)(ceilf((float)clipped * (float)(n - 1)) - 1.0f);
  return at < 0.0 ? 0 : (int64_t)at;
}

/* Weights of the predictions above each threshold, [true or not][threshold], and of all. */
typedef struct above {
  double *of[2], all[2];
} above;

/* Each prediction into the last threshold that it is above, then sums from the end. */
static void sum_spread(const samples *x, int64_t n, above *a) {
  for (int64_t i = 0; i < x->n; i++) {
    double y = snug__element_get(x->y_type.dtype, x->y, i);
    int truth = snug__element_get(x->t_type.dtype, x->t, i) != 0.0;
    a->of[truth][last_below(y, n, x->y_type.dtype)] += weight_at(x, i);
  }
  for (int truth = 0; truth < 2; truth++) {
    for (int64_t k = n - 2; k >= 0; k--) {
      a->of[truth][k] += a->of[truth][k + 1];
    }
    a->all[truth] = a->of[truth][0];
  }
}

static void sum_given(const samples *x, const snug_floats *thresholds, above *a) {
  for (int64_t i = 0; i < x->n; i++) {
    double y = snug__element_get(x->y_type.dtype, x->y, i);
    int truth = snug__element_get(x->t_type.dtype, x->t, i) != 0.0;
    double w = weight_at(x, i);
    a->all[truth] += w;
    for (int32_t k = 0; k < thresholds->n; k++) {
      a->of[truth][k] += y > thresholds->v[k] ? w : 0.0;
    }
  }
}

static void add_to(const snug__call *call, int32_t state, int64_t k, double sum) {
  float *out = call->out[state];
  out[k] = (float)((double)out[k] + sum);
}

/* Sums of the batch in double, in scratch; then one rounding into the counts. */
static snug_status confusion(const snug__call *call) {
  const snug__confusion_update_params *p = call->sig->params;
  samples x = samples_of(call, 4);
  int64_t n = count_of(p);
  above a = {{call->scratch, (double *)call->scratch + n}, {0.0, 0.0}};
  memset(call->scratch, 0, (size_t)(2 * n) * sizeof(double));
  if (p->num_thresholds) {
    sum_spread(&x, n, &a);
  } else {
    sum_given(&x, &p->thresholds, &a);
  }
  for (int64_t k = 0; k < n; k++) {
    add_to(call, 0, k, a.of[1][k]);
    add_to(call, 1, k, a.of[0][k]);
    add_to(call, 2, k, a.all[0] - a.of[0][k]);
    add_to(call, 3, k, a.all[1] - a.of[1][k]);
  }
  return SNUG_OK;
}

static size_t confusion_scratch(const snug__signature *sig) {
  return (size_t)(2 * count_of(sig->params)) * sizeof(double);
}

static snug__cost confusion_cost(const snug__signature *sig) {
  const snug__confusion_update_params *p = sig->params;
  double each = 4.0 + (double)p->thresholds.n;
  return (snug__cost){each * (double)snug__type_count(&sig->in[5]), snug__bytes_moved(sig)};
}

const snug__op snug__op_confusion_update = {
    .name = "confusion_update",
    .doc = "(tp, fp, tn, fn, y_true, y_pred, weights): count hits and misses per threshold",
    .params_bytes = sizeof(snug__confusion_update_params),
    .fields = confusion_fields,
    .min_in = 6,
    .max_in = 7,
    .min_out = 4,
    .max_out = 4,
    .flags = SNUG__OP_NO_RECOMPUTE,
    .writes = {1, 2, 3, 4},
    .infer = confusion_infer,
    .reference = confusion,
    .scratch = confusion_scratch,
    .cost = confusion_cost};

/* ---- classes ---- */

static snug_status iou_infer(snug__infer *q) {
  char text[SNUG__TYPE_TEXT_BYTES];
  if (q->in[0].dtype != SNUG_INT64 || q->in[0].rank != 2 || q->in[0].dim[0] != q->in[0].dim[1]) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: the counts are %s and must be a square of int64",
                      q->where, snug__type_text(&q->in[0], text));
  }
  q->out[0] = q->in[0];
  SNUG_TRY(need_same_shape(q, 1, 2));
  return need_weights(q, 3, 2);
}

/* Classes out of range are passed over, as in Keras. */
static snug_status iou(const snug__call *call) {
  const snug__iou_update_params *p = call->sig->params;
  samples x = samples_of(call, 1);
  int64_t classes = call->sig->in[0].dim[0];
  int64_t *counts = call->out[0];
  for (int64_t i = 0; i < x.n; i++) {
    double t = snug__element_get(x.t_type.dtype, x.t, i);
    double y = snug__element_get(x.y_type.dtype, x.y, i);
    bool known = t > -1.0 && t < (double)classes && y > -1.0 && y < (double)classes;
    if (known && (p->ignore_class == INT64_MIN || (int64_t)t != p->ignore_class)) {
      counts[(int64_t)t * classes + (int64_t)y] += (int64_t)weight_at(&x, i);
    }
  }
  return SNUG_OK;
}

static snug__cost iou_cost(const snug__signature *sig) {
  return (snug__cost){(double)snug__type_count(&sig->in[2]), snug__bytes_moved(sig)};
}

const snug__op snug__op_iou_update = {
    .name = "iou_update",
    .doc = "(counts, y_true, y_pred, weights): counts[true class, predicted class] += weight",
    .params_bytes = sizeof(snug__iou_update_params),
    .fields = iou_fields,
    .min_in = 3,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .flags = SNUG__OP_NO_RECOMPUTE,
    .writes = {1},
    .infer = iou_infer,
    .reference = iou,
    .cost = iou_cost};
