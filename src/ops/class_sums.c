/* Sums per class over the samples of a batch, for scores that are made of them: f_score_update and
 * r2_update.  They add up one after the other: the sums must not depend on threads. */
#include "ops/metric.h"
#include "ops/support.h"

/* Labels and predictions [samples, classes] and weights, from input `first` on. */
typedef struct table {
  const void *of[3]; /* labels, predictions, weights (NULL: all count once) */
  snug_dtype dtype[3];
  int64_t weight_strides[2];
  int64_t rows, classes;
} table;

static snug_status check_table(const snug__infer *q, int32_t first) {
  char t[SNUG__TYPE_TEXT_BYTES];
  char y[SNUG__TYPE_TEXT_BYTES];
  const snug__type *types = &q->in[first];
  SNUG_TRY(snug__need_real(q, first + 1));
  if (types[1].rank != 2 || !types[0].dtype || !snug__shape_equal(&types[0], &types[1])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: y_true is %s, y_pred is %s: both must be [samples, classes]", q->where,
                      snug__type_text(&types[0], t), snug__type_text(&types[1], y));
  }
  if (q->n_in > first + 2 && types[2].dtype) {
    snug__type joint;
    SNUG_TRY(snug__broadcast(q, first + 1, first + 2, &joint));
    if (!snug__shape_equal(&joint, &types[1])) {
      return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: weights %s do not fit predictions %s", q->where,
                        snug__type_text(&types[2], t), snug__type_text(&types[1], y));
    }
  }
  return SNUG_OK;
}

static snug_status check_sums(const snug__infer *q, int32_t rows, int32_t first) {
  char text[SNUG__TYPE_TEXT_BYTES];
  const snug__type *s = &q->in[0];
  int64_t classes = q->in[first + 1].dim[1];
  if (s->dtype != SNUG_FLOAT64 || s->rank != 2 || s->dim[0] != rows || s->dim[1] != classes) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: the sums are %s and must be float64[%d,%lld]",
                      q->where, snug__type_text(s, text), rows, (long long)classes);
  }
  return SNUG_OK;
}

static table table_of(const snug__call *call, int32_t first) {
  const snug__signature *s = call->sig;
  table x = {.rows = s->in[first + 1].dim[0], .classes = s->in[first + 1].dim[1]};
  for (int32_t k = 0; k < 3 && first + k < s->n_in; k++) {
    x.of[k] = call->in[first + k];
    x.dtype[k] = s->in[first + k].dtype;
  }
  if (x.of[2]) {
    int64_t strides[SNUG_MAX_RANK] = {0};
    snug__broadcast_strides(&s->in[first + 2], &s->in[first + 1], strides);
    x.weight_strides[0] = strides[0];
    x.weight_strides[1] = strides[1];
  }
  return x;
}

static double at(const table *x, int what, int64_t row, int64_t class_) {
  return snug__element_get(x->dtype[what], x->of[what], row * x->classes + class_);
}

static double weight(const table *x, int64_t row, int64_t class_) {
  int64_t i = row * x->weight_strides[0] + class_ * x->weight_strides[1];
  return x->of[2] ? snug__element_get(x->dtype[2], x->of[2], i) : 1.0;
}

/* ---- hits and misses ---- */

static const snug__field f_score_fields[] = {
    SNUG_FIELD(snug__f_score_update_params, threshold, FLOAT, "-inf"), {0}};

enum { HITS, FALSE_ALARMS, MISSES, F_SCORE_ROWS };

static snug_status f_score_infer(snug__infer *q) {
  SNUG_TRY(check_table(q, 1));
  q->out[0] = q->in[0];
  return check_sums(q, F_SCORE_ROWS, 1);
}

static double largest_of(const table *x, int64_t row) {
  double largest = -INFINITY;
  for (int64_t c = 0; c < x->classes; c++) {
    largest = fmax(largest, at(x, 1, row, c));
  }
  return largest;
}

/* Without a threshold each of the largest predictions is a hit, unless all are 0. */
static snug_status f_score(const snug__call *call) {
  const snug__f_score_update_params *p = call->sig->params;
  table x = table_of(call, 1);
  double *sums = call->out[0];
  for (int64_t r = 0; r < x.rows; r++) {
    double largest = p->threshold == -INFINITY ? largest_of(&x, r) : 0.0;
    for (int64_t c = 0; c < x.classes; c++) {
      double t = at(&x, 0, r, c), y = at(&x, 1, r, c), w = weight(&x, r, c);
      bool said = p->threshold == -INFINITY ? y >= largest && fabs(y) > 1e-9 : y > p->threshold;
      sums[HITS * x.classes + c] += said ? w * t : 0.0;
      sums[FALSE_ALARMS * x.classes + c] += said ? w * (1.0 - t) : 0.0;
      sums[MISSES * x.classes + c] += said ? 0.0 : w * t;
    }
  }
  return SNUG_OK;
}

static snug__cost f_score_cost(const snug__signature *sig) {
  return (snug__cost){6.0 * (double)snug__type_count(&sig->in[2]), snug__bytes_moved(sig)};
}

const snug__op snug__op_f_score_update = {
    .name = "f_score_update",
    .doc = "(sums, y_true, y_pred, weights): hits, false alarms and misses per class are added",
    .params_bytes = sizeof(snug__f_score_update_params),
    .fields = f_score_fields,
    .min_in = 3,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .flags = SNUG__OP_NO_RECOMPUTE,
    .writes = {1},
    .infer = f_score_infer,
    .reference = f_score,
    .cost = f_score_cost};

/* ---- what R2 is made of ---- */

enum { SUM, SQUARES, RESIDUAL, COUNT, R2_ROWS };

static snug_status r2_infer(snug__infer *q) {
  SNUG_TRY(check_table(q, 2));
  SNUG_TRY(snug__need_scalar(q, 1));
  SNUG_TRY(snug__need_dtype_of(q, 1, 0));
  q->out[0] = q->in[0];
  q->out[1] = q->in[1];
  return check_sums(q, R2_ROWS, 2);
}

static snug_status r2(const snug__call *call) {
  table x = table_of(call, 2);
  double *sums = call->out[0];
  for (int64_t r = 0; r < x.rows; r++) {
    for (int64_t c = 0; c < x.classes; c++) {
      double t = at(&x, 0, r, c), off = t - at(&x, 1, r, c), w = weight(&x, r, c);
      sums[SUM * x.classes + c] += w * t;
      sums[SQUARES * x.classes + c] += w * t * t;
      sums[RESIDUAL * x.classes + c] += w * off * off;
      sums[COUNT * x.classes + c] += w;
    }
  }
  *(double *)call->out[1] += (double)(x.rows * x.classes);
  return SNUG_OK;
}

static snug__cost r2_cost(const snug__signature *sig) {
  return (snug__cost){10.0 * (double)snug__type_count(&sig->in[3]), snug__bytes_moved(sig)};
}

const snug__op snug__op_r2_update = {
    .name = "r2_update",
    .doc =
        "(sums, numbers, y_true, y_pred, weights): per class the sums of labels, of their "
        "squares, of squared errors and of weights are added; and how many numbers they are of",
    .min_in = 4,
    .max_in = 5,
    .min_out = 2,
    .max_out = 2,
    .flags = SNUG__OP_NO_RECOMPUTE,
    .writes = {1, 2},
    .infer = r2_infer,
    .reference = r2,
    .cost = r2_cost};
