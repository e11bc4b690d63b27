/* Metrics on counts of hits and misses: precision, recall, area under a curve, mean IoU. */
#include <stdio.h>
#include <string.h>

#include "model/labels.h"
#include "model/metric_kind.h"
#include "ops/compare.h"
#include "ops/loss.h"
#include "ops/metric.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/support.h"

static const char *const names[] = {"true_positives", "false_positives", "true_negatives",
                                    "false_negatives"};
enum { TP, FP, TN, FN };

static int compare(double a, double b) { return (a > b) - (a < b); }

/* Keras's AUC sorts the thresholds it is given and puts one beyond each end. */
static void set_thresholds(const snug__metric *m, snug__confusion_update_params *p) {
  const snug_floats *given = &m->o.thresholds;
  bool is_auc = m->kind->result == snug__auc_result;
  if (!is_auc) {
    p->thresholds = *given;
  } else if (!given->n) {
    p->num_thresholds = m->o.num_thresholds;
  } else {
    p->thresholds.v[p->thresholds.n++] = -1e-7;
    for (int32_t i = 0; i < given->n; i++) {
      int32_t k = p->thresholds.n++;
      for (; k > 1 && compare(p->thresholds.v[k - 1], given->v[i]) > 0; k--) {
        p->thresholds.v[k] = p->thresholds.v[k - 1];
      }
      p->thresholds.v[k] = given->v[i];
    }
    p->thresholds.v[p->thresholds.n++] = 1.0 + 1e-7;
  }
}

snug_status snug__emit_confusion(snug__build *b, const snug__metric *m, const char *name,
                                 snug__id t, snug__id y, snug__id weights) {
  snug__confusion_update_params p;
  snug__metric_slot slot[4];
  snug__id in[7];
  snug__id out[4];
  memset(&p, 0, sizeof p);
  set_thresholds(m, &p);
  int64_t n = p.num_thresholds ? p.num_thresholds : p.thresholds.n;
  for (int i = 0; i < 4; i++) {
    SNUG_TRY(snug__metric_state(b, name, names[i], snug__type_of(SNUG_FLOAT32, 1, &n), &slot[i]));
    in[i] = slot[i].value;
  }
  SNUG_TRY(snug__fit_labels(b, &t, &y));
  SNUG_TRY(snug__fit_weights(b, &weights, y));
  in[4] = t;
  in[5] = y;
  in[6] = weights;
  SNUG_TRY(snug__graph_add(b->g, &snug__op_confusion_update, &p, in, 7, out, 4));
  for (int i = 0; i < 4; i++) {
    SNUG_TRY(snug__build_written(b, slot[i].variable, out[i]));
  }
  return SNUG_OK;
}

/* The four rows of counts, and how many thresholds there are. */
typedef struct tally {
  const float *of[4];
  int64_t n;
} tally;

static snug_status read_counts(const snug__variables *v, const char *name, tally *out) {
  for (int i = 0; i < 4; i++) {
    const snug__variable *state = NULL;
    const void *counts = NULL;
    SNUG_TRY(snug__metric_data(v, name, names[i], &state, &counts));
    out->of[i] = counts;
    out->n = state->type.dim[0];
  }
  return SNUG_OK;
}

static double ratio(double a, double b) { return b == 0.0 ? 0.0 : a / b; }

/* count `hit` among `hit` and `other` at threshold k */
static double share(const tally *c, int hit, int other, int64_t k) {
  double a = (double)c->of[hit][k];
  return ratio(a, a + (double)c->of[other][k]);
}

/* With several thresholds, the first one's. */
snug_status snug__precision_result(const snug__metric *m, const snug__variables *v,
                                   const char *name, double *out) {
  tally c;
  (void)m;
  SNUG_TRY(read_counts(v, name, &c));
  *out = share(&c, TP, FP, 0);
  return SNUG_OK;
}

#define COUNT_RESULT(name, which)                                                    \
  snug_status snug__##name##_result(const snug__metric *m, const snug__variables *v, \
                                    const char *metric, double *out) {               \
    tally c;                                                                         \
    (void)m;                                                                         \
    SNUG_TRY(read_counts(v, metric, &c));                                            \
    *out = (double)c.of[which][0];                                                   \
    return SNUG_OK;                                                                  \
  }
COUNT_RESULT(true_positives, TP)
COUNT_RESULT(false_positives, FP)
COUNT_RESULT(true_negatives, TN)
COUNT_RESULT(false_negatives, FN)

snug_status snug__recall_result(const snug__metric *m, const snug__variables *v, const char *name,
                                double *out) {
  tally c;
  (void)m;
  SNUG_TRY(read_counts(v, name, &c));
  *out = share(&c, TP, FN, 0);
  return SNUG_OK;
}

/* The area under precision over recall between two thresholds, with the hits taken to change in
 * proportion to the alarms (Davis and Goadrich). */
static double pr_piece(const tally *c, int64_t k) {
  double tp = (double)c->of[TP][k];
  double tp_next = (double)c->of[TP][k + 1];
  double p = tp + (double)c->of[FP][k];
  double p_next = tp_next + (double)c->of[FP][k + 1];
  double slope = ratio(tp - tp_next, p - p_next > 0.0 ? p - p_next : 0.0);
  double intercept = tp_next - slope * p_next;
  double safe = p > 0.0 && p_next > 0.0 ? p / p_next : 1.0;
  return ratio(slope * (tp - tp_next + intercept * log(safe)), tp_next + (double)c->of[FN][k + 1]);
}

static double height(double a, double b, int32_t method) {
  return method == 0 ? 0.5 * (a + b) : method == 1 ? fmin(a, b) : fmax(a, b);
}

snug_status snug__auc_result(const snug__metric *m, const snug__variables *v, const char *name,
                             double *out) {
  bool pr = m->o.curve == 1;
  int32_t method = m->o.summation_method;
  tally c;
  SNUG_TRY(read_counts(v, name, &c));
  *out = 0.0;
  for (int64_t k = 0; k + 1 < c.n; k++) {
    if (pr && method == 0) {
      *out += pr_piece(&c, k);
    } else if (pr) {
      *out += (share(&c, TP, FN, k) - share(&c, TP, FN, k + 1)) *
              height(share(&c, TP, FP, k), share(&c, TP, FP, k + 1), method);
    } else {
      *out += (share(&c, FP, TN, k) - share(&c, FP, TN, k + 1)) *
              height(share(&c, TP, FN, k), share(&c, TP, FN, k + 1), method);
    }
  }
  return SNUG_OK;
}

/* ---- classes ---- */

static snug_status to_classes(snug__build *b, bool is_sparse, snug__id *v) {
  snug__argmax_params p = {.axis = -1};
  return is_sparse ? SNUG_OK : SNUG_EMIT(b->g, argmax, &p, v, *v);
}

static snug_status count_pairs(snug__build *b, const char *name, int64_t classes, int64_t ignored,
                               snug__id t, snug__id y, snug__id weights) {
  snug__iou_update_params p = {ignored};
  const int64_t shape[] = {classes, classes};
  snug__metric_slot counts;
  snug__id out = SNUG_NONE;
  SNUG_TRY(snug__metric_state(b, name, "total_confusion_matrix",
                              snug__type_of(SNUG_INT64, 2, shape), &counts));
  SNUG_TRY(snug__fit_labels(b, &t, &y));
  SNUG_TRY(snug__fit_weights(b, &weights, y));
  SNUG_TRY(SNUG_EMIT(b->g, iou_update, &p, &out, counts.value, t, y, weights));
  return snug__build_written(b, counts.variable, out);
}

snug_status snug__emit_iou(snug__build *b, const snug__metric *m, const char *name, snug__id t,
                           snug__id y, snug__id weights) {
  SNUG_TRY(to_classes(b, m->o.sparse_y_true, &t));
  SNUG_TRY(to_classes(b, m->o.sparse_y_pred, &y));
  return count_pairs(b, name, m->o.num_classes, m->o.ignore_class, t, y, weights);
}

/* A prediction that reaches the threshold is of class 1. */
snug_status snug__emit_binary_iou(snug__build *b, const snug__metric *m, const char *name,
                                  snug__id t, snug__id y, snug__id weights) {
  snug__compare_params p = {SNUG__COMPARE_GREATER_EQUAL};
  snug__fill_params number;
  snug__id threshold = SNUG_NONE;
  memset(&number, 0, sizeof number);
  number.value = m->o.threshold;
  number.dtype = (int32_t)snug__type_at(b->g, y)->dtype;
  SNUG_TRY(snug__graph_add(b->g, &snug__op_fill, &number, NULL, 0, &threshold, 1));
  SNUG_TRY(SNUG_EMIT(b->g, compare, &p, &y, y, threshold));
  return count_pairs(b, name, 2, SNUG__NO_CLASS, t, y, weights);
}

static bool is_target(const snug_ints *ids, int64_t class_) {
  bool found = ids->n == 0;
  for (int32_t i = 0; i < ids->n; i++) {
    found = found || ids->v[i] == class_;
  }
  return found;
}

/* The mean over the classes that occur, of those that are asked for, of
 * hits / (true + predicted - hits). */
snug_status snug__iou_result(const snug__metric *m, const snug__variables *v, const char *name,
                             double *out) {
  const snug__variable *state = NULL;
  int64_t present = 0;
  double sum = 0.0;
  const void *matrix = NULL;
  SNUG_TRY(snug__metric_data(v, name, "total_confusion_matrix", &state, &matrix));
  int64_t n = state->type.dim[0];
  const int64_t *counts = matrix;
  for (int64_t c = 0; c < n; c++) {
    double all = -(double)counts[c * n + c];
    for (int64_t k = 0; k < n; k++) {
      all += (double)counts[c * n + k] + (double)counts[k * n + c];
    }
    if (all > 0.0 && is_target(&m->o.target_class_ids, c)) {
      present++;
      sum += (double)counts[c * n + c] / all;
    }
  }
  *out = present ? sum / (double)present : 0.0;
  return SNUG_OK;
}
