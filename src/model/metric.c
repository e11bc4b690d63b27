#include "model/metric.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/labels.h"
#include "model/metric_kind.h"
#include "ops/metric.h"
#include "ops/support.h"

#define STATE_NAME_BYTES 512

/* ---- states ---- */

static void state_name(char out[STATE_NAME_BYTES], const char *metric, const char *state) {
  snprintf(out, STATE_NAME_BYTES, "metrics/%s/%s", metric, state);
}

snug_status snug__metric_state(snug__build *b, const char *metric, const char *state,
                               snug__type type, snug__metric_slot *out) {
  char name[STATE_NAME_BYTES];
  state_name(name, metric, state);
  SNUG_TRY(snug__build_state(b, name, "", type, 0.0, &out->variable));
  return snug__build_variable(b, out->variable, &out->value);
}

snug_status snug__metric_data(const snug__variables *v, const char *metric, const char *state,
                              const snug__variable **variable, const void **out) {
  char name[STATE_NAME_BYTES];
  state_name(name, metric, state);
  snug__id id = snug__variables_find(v, name);
  const snug__variable *found = id == SNUG_NONE ? NULL : snug__variable_at(v, id);
  if (!found || !snug__place_is_set(found->place)) {
    return snug__fail(v->ctx, SNUG_E_STATE, "the metric '%s' has no state '%s' yet", metric, state);
  }
  void *bytes = NULL;
  SNUG_TRY(snug__variable_read(v, found, &bytes));
  *variable = found;
  *out = bytes;
  return SNUG_OK;
}

void snug__metrics_reset(const snug__variables *variables) {
  for (snug__id i = 0; i < variables->list.n; i++) {
    const snug__variable *v = snug__variable_at(variables, i);
    if (snug__place_is_set(v->place) && v->kind == SNUG__STATE &&
        strncmp(v->name, "metrics/", 8) == 0) {
      snug__variable_clear(variables, v);
    }
  }
}

/* ---- running means ---- */

static snug_status emit_mean(snug__build *b, const char *name, snug__id values, snug__id weights,
                             double weight) {
  snug__mean_update_params p = {weight};
  snug__metric_slot total, count;
  snug__id out[2];
  snug__type scalar = snug__scalar(SNUG_FLOAT32);
  SNUG_TRY(snug__metric_state(b, name, "total", scalar, &total));
  SNUG_TRY(snug__metric_state(b, name, "count", scalar, &count));
  SNUG_TRY(snug__fit_weights(b, &weights, values));
  const snug__id in[] = {total.value, count.value, values, weights};
  SNUG_TRY(snug__graph_add(b->g, &snug__op_mean_update, &p, in, 4, out, 2));
  SNUG_TRY(snug__build_written(b, total.variable, out[0]));
  return snug__build_written(b, count.variable, out[1]);
}

snug_status snug__metric_track(snug__build *b, const char *name, snug__id scalar, snug__id times,
                               double weight) {
  return emit_mean(b, name, scalar, times, weight);
}

static snug_status mean_result(const snug__metric *m, const snug__variables *v, const char *name,
                               double *out) {
  const snug__variable *state = NULL;
  const void *total = NULL;
  const void *count = NULL;
  (void)m;
  SNUG_TRY(snug__metric_data(v, name, "total", &state, &total));
  SNUG_TRY(snug__metric_data(v, name, "count", &state, &count));
  double n = (double)*(const float *)count;
  *out = n == 0.0 ? 0.0 : (double)*(const float *)total / n;
  return SNUG_OK;
}

/* The loss is the negative of the metric. */
static snug_status negative_result(const snug__metric *m, const snug__variables *v,
                                   const char *name, double *out) {
  SNUG_TRY(mean_result(m, v, name, out));
  *out = -*out;
  return SNUG_OK;
}

static snug_status root_result(const snug__metric *m, const snug__variables *v, const char *name,
                               double *out) {
  SNUG_TRY(mean_result(m, v, name, out));
  *out = sqrt(*out);
  return SNUG_OK;
}

static snug_status emit_binary(snug__build *b, const snug__metric *m, const char *name, snug__id t,
                               snug__id y, snug__id weights) {
  snug__binary_accuracy_params p = {m->o.threshold};
  snug__id values = SNUG_NONE;
  SNUG_TRY(snug__fit_labels(b, &t, &y));
  SNUG_TRY(SNUG_EMIT(b->g, binary_accuracy, &p, &values, t, y));
  return emit_mean(b, name, values, weights, 1.0);
}

static snug_status emit_categorical(snug__build *b, const snug__metric *m, const char *name,
                                    snug__id t, snug__id y, snug__id weights) {
  snug__categorical_accuracy_params p = {m->o.k};
  snug__id values = SNUG_NONE;
  SNUG_TRY(SNUG_EMIT(b->g, categorical_accuracy, &p, &values, t, y));
  return emit_mean(b, name, values, weights, 1.0);
}

static snug_status emit_sparse(snug__build *b, const snug__metric *m, const char *name, snug__id t,
                               snug__id y, snug__id weights) {
  snug__categorical_accuracy_params p = {m->o.k};
  snug__id values = SNUG_NONE;
  SNUG_TRY(snug__fit_sparse_labels(b, &t, y));
  SNUG_TRY(SNUG_EMIT(b->g, sparse_categorical_accuracy, &p, &values, t, y));
  return emit_mean(b, name, values, weights, 1.0);
}

/* "accuracy": binary for one class, sparse for labels with fewer axes, else categorical. */
static snug_status emit_accuracy(snug__build *b, const snug__metric *m, const char *name,
                                 snug__id t, snug__id y, snug__id weights) {
  const snug__type *tt = snug__type_at(b->g, t);
  const snug__type *ty = snug__type_at(b->g, y);
  bool one_class = ty->rank && ty->dim[ty->rank - 1] == 1;
  bool one_label = tt->rank && tt->dim[tt->rank - 1] == 1;
  snug__metric chosen = *m;
  chosen.o.threshold = 0.5;
  chosen.o.k = 0;
  if (one_class) {
    return emit_binary(b, &chosen, name, t, y, weights);
  }
  return (tt->rank < ty->rank || one_label ? emit_sparse : emit_categorical)(b, &chosen, name, t, y,
                                                                             weights);
}

static snug_status emit_loss(snug__build *b, const snug__metric *m, const char *name, snug__id t,
                             snug__id y, snug__id weights) {
  snug__id values = SNUG_NONE;
  snug__id valid = SNUG_NONE;
  SNUG_TRY(snug__loss_values(b, &m->loss, t, y, &values, &valid));
  return emit_mean(b, name, values, weights, 1.0);
}

static snug_status emit_prediction(snug__build *b, const snug__metric *m, const char *name,
                                   snug__id t, snug__id y, snug__id weights) {
  (void)m;
  (void)t;
  return emit_mean(b, name, y, weights, 1.0);
}

/* ---- the table ---- */

#define OPTION(member, kind, initial) SNUG_FIELD(snug__metric_options, member, kind, initial)
#define NAME OPTION(name, TEXT, "\"\"")
static const char *const curves[] = {"ROC", "PR", NULL};
static const char *const methods[] = {"interpolation", "minoring", "majoring", NULL};

/* The order of the fields is that of Keras's arguments, but that `dtype` is left out. */
static const snug__field plain_fields[] = {NAME, {0}};
static const snug__field binary_fields[] = {NAME, OPTION(threshold, FLOAT, "0.5"), {0}};
static const snug__field axis_fields[] = {NAME, OPTION(axis, INT, "-1"), {0}};
/* One number for all classes and predictions. */
#define ONE_CLASS SNUG_FIXED("top_k", "none", NULL), SNUG_FIXED("class_id", "none", NULL)
static const snug__field top_fields[] = {OPTION(k, INT, "5"), NAME, {0}};
static const snug__field sparse_top_fields[] = {
    OPTION(k, INT, "5"), NAME, SNUG_FIXED("from_sorted_ids", "false", NULL), {0}};
static const snug__field thresholds_fields[] = {OPTION(thresholds, FLOATS, "0.5"), NAME, {0}};
static const snug__field one_class_fields[] = {
    OPTION(thresholds, FLOATS, "0.5"), ONE_CLASS, NAME, {0}};
static const snug__field auc_fields[] = {
    OPTION(num_thresholds, INT, "200"),
    SNUG_CHOICE(snug__metric_options, curve, curves, "ROC"),
    SNUG_CHOICE(snug__metric_options, summation_method, methods, "interpolation"),
    NAME,
    OPTION(thresholds, FLOATS, "[]"),
    SNUG_FIXED("multi_label", "false", NULL),
    SNUG_FIXED("num_labels", "none", NULL),
    SNUG_FIXED("label_weights", "none", NULL),
    SNUG_FIXED("from_logits", "false", "give it probabilities: end the model with a sigmoid"),
    {0}};
#define NO_CLASS "-9223372036854775808"
#define LAST_AXIS SNUG_FIXED("axis", "-1", "classes are the last axis")
static const snug__field mean_iou_fields[] = {OPTION(num_classes, INT, NULL),
                                              NAME,
                                              OPTION(ignore_class, INT, NO_CLASS),
                                              OPTION(sparse_y_true, BOOL, "true"),
                                              OPTION(sparse_y_pred, BOOL, "true"),
                                              LAST_AXIS,
                                              {0}};
static const snug__field iou_fields[] = {OPTION(num_classes, INT, NULL),
                                         OPTION(target_class_ids, INTS, NULL),
                                         NAME,
                                         OPTION(ignore_class, INT, NO_CLASS),
                                         OPTION(sparse_y_true, BOOL, "true"),
                                         OPTION(sparse_y_pred, BOOL, "true"),
                                         LAST_AXIS,
                                         {0}};
static const snug__field binary_iou_fields[] = {
    OPTION(target_class_ids, INTS, "[0,1]"), OPTION(threshold, FLOAT, "0.5"), NAME, {0}};
static const snug__field one_hot_iou_fields[] = {OPTION(num_classes, INT, NULL),
                                                 OPTION(target_class_ids, INTS, NULL),
                                                 NAME,
                                                 OPTION(ignore_class, INT, NO_CLASS),
                                                 OPTION(sparse_y_pred, BOOL, "false"),
                                                 LAST_AXIS,
                                                 {0}};
static const snug__field one_hot_mean_iou_fields[] = {
    OPTION(num_classes, INT, NULL),       NAME,      OPTION(ignore_class, INT, NO_CLASS),
    OPTION(sparse_y_pred, BOOL, "false"), LAST_AXIS, {0}};
#define AVERAGE SNUG_CHOICE(snug__metric_options, average, snug__f_score_averages, "none")
static const snug__field f_beta_fields[] = {
    AVERAGE, OPTION(beta, FLOAT, "1"), OPTION(threshold, FLOAT, "-inf"), NAME, {0}};
static const snug__field f1_fields[] = {AVERAGE, OPTION(threshold, FLOAT, "-inf"), NAME, {0}};
static const snug__field r2_fields[] = {
    SNUG_CHOICE(snug__metric_options, class_aggregation, snug__r2_aggregations, "uniform_average"),
    OPTION(num_regressors, INT, "0"),
    NAME,
    {0}};

static const snug__metric_kind kinds[] = {
    {{"accuracy acc", plain_fields}, emit_accuracy, mean_result, NULL, 1},
    {{"binary_accuracy", binary_fields}, emit_binary, mean_result, NULL, 1},
    {{"categorical_accuracy", plain_fields}, emit_categorical, mean_result, NULL, 1},
    {{"sparse_categorical_accuracy", plain_fields}, emit_sparse, mean_result, NULL, 1},
    {{"top_k_categorical_accuracy", top_fields}, emit_categorical, mean_result, NULL, 1},
    {{"sparse_top_k_categorical_accuracy", sparse_top_fields}, emit_sparse, mean_result, NULL, 1},
    {{"root_mean_squared_error", plain_fields}, emit_loss, root_result, "mean_squared_error", -1},
    {{"log_cosh_error logcosh", plain_fields}, emit_loss, mean_result, "log_cosh", -1},
    {{"cosine_similarity", axis_fields}, emit_loss, negative_result, "cosine_similarity", 1},
    {{"mean", plain_fields}, emit_prediction, mean_result, NULL, 0},
    {{"precision", one_class_fields}, snug__emit_confusion, snug__precision_result, NULL, 1},
    {{"recall", one_class_fields}, snug__emit_confusion, snug__recall_result, NULL, 1},
    {{"true_positives", thresholds_fields},
     snug__emit_confusion,
     snug__true_positives_result,
     NULL,
     0},
    {{"false_positives", thresholds_fields},
     snug__emit_confusion,
     snug__false_positives_result,
     NULL,
     0},
    {{"true_negatives", thresholds_fields},
     snug__emit_confusion,
     snug__true_negatives_result,
     NULL,
     0},
    {{"false_negatives", thresholds_fields},
     snug__emit_confusion,
     snug__false_negatives_result,
     NULL,
     0},
    {{"auc", auc_fields}, snug__emit_confusion, snug__auc_result, NULL, 1},
    {{"mean_io_u", mean_iou_fields}, snug__emit_iou, snug__iou_result, NULL, 1},
    {{"io_u", iou_fields}, snug__emit_iou, snug__iou_result, NULL, 1},
    {{"binary_io_u", binary_iou_fields}, snug__emit_binary_iou, snug__iou_result, NULL, 1},
    {{"one_hot_io_u", one_hot_iou_fields}, snug__emit_iou, snug__iou_result, NULL, 1},
    {{"one_hot_mean_io_u", one_hot_mean_iou_fields}, snug__emit_iou, snug__iou_result, NULL, 1},
    {{"f1_score", f1_fields, "average=none: the mean of the classes, as Keras shows it"},
     snug__emit_f_score,
     snug__f_score_result,
     NULL,
     1},
    {{"fbeta_score", f_beta_fields, "average=none: the mean of the classes, as Keras shows it"},
     snug__emit_f_score,
     snug__f_score_result,
     NULL,
     1},
    {{"r2_score", r2_fields, "class_aggregation=none: the mean of the classes, as Keras shows it"},
     snug__emit_r2,
     snug__r2_result,
     NULL,
     1}};
static const snug__named_set set = SNUG_NAMED_SET("metric", NULL, kinds);

const snug__named_set *snug__metric_set(void) { return &set; }

/* A metric that is the mean of a loss of the same name. */
static const snug__metric_kind of_loss = {{"loss", NULL}, emit_loss, mean_result, NULL, -1};

/* The name as Keras would give it: the option; for a class with arguments, even none ("AUC()"), the
 * name of an object of it ("auc"); else what was written ("AUC"). */
static void set_name(const char *text, const char *option, const snug__named *named,
                     char out[SNUG__NAME_BYTES]) {
  snug__named_given(text, out);
  if (option[0]) {
    snprintf(out, SNUG__NAME_BYTES, "%s", option);
  } else if (isupper((unsigned char)out[0]) && strchr(text, '(')) {
    snug__named_own(named, out);
  }
}

static snug_status check_classes(snug_ctx *ctx, const char *text, const snug__metric *m) {
  const snug__metric_options *o = &m->o;
  int64_t classes = m->kind->emit == snug__emit_binary_iou ? 2 : o->num_classes;
  if (classes < 1) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "metric '%.100s': num_classes must be above 0", text);
  }
  for (int32_t i = 0; i < o->target_class_ids.n; i++) {
    int64_t id = o->target_class_ids.v[i];
    if (id < 0 || id >= classes) {
      return snug__fail(ctx, SNUG_E_ARGUMENT,
                        "metric '%.100s': target_class_ids: %lld is not one of %lld classes", text,
                        (long long)id, (long long)classes);
    }
  }
  return SNUG_OK;
}

static snug_status check_score(snug_ctx *ctx, const char *text, const snug__metric *m) {
  const snug__metric_options *o = &m->o;
  bool is_f1 = m->kind->named.fields == f1_fields;
  bool is_f_score = is_f1 || m->kind->named.fields == f_beta_fields;
  bool has_threshold = o->threshold != -INFINITY;
  if (is_f_score && ((has_threshold && !(o->threshold > 0.0 && o->threshold <= 1.0)) ||
                     !(is_f1 || o->beta > 0.0))) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "metric '%.100s': beta must be above 0, and threshold above 0 and at most 1",
                      text);
  }
  if (o->num_regressors < 0) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "metric '%.100s': num_regressors must not be negative",
                      text);
  }
  bool has_pairs = m->kind->result == snug__iou_result;
  return has_pairs ? check_classes(ctx, text, m) : SNUG_OK;
}

static snug_status check(snug_ctx *ctx, const char *text, const snug__metric *m) {
  const snug__metric_options *o = &m->o;
  if (m->kind->named.fields == auc_fields && (o->num_thresholds < 2 || o->thresholds.n > 14)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "metric '%.100s': num_thresholds must be above 1, and thresholds at most 14",
                      text);
  }
  bool is_top = m->kind->named.fields == top_fields || m->kind->named.fields == sparse_top_fields;
  if (is_top && o->k < 1) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "metric '%.100s': k must be above 0", text);
  }
  return check_score(ctx, text, m);
}

static snug_status parse_loss(snug_ctx *ctx, const char *text, snug__metric *out) {
  char name[SNUG__NAME_BYTES];
  snug_status s = snug__loss_parse(ctx, text, &out->loss);
  if (s) {
    return snug__fail_within(ctx, s,
                             "there is no metric '%.60s' (known: accuracy, "
                             "top_k_categorical_accuracy, precision, recall, auc, "
                             "mean_io_u, ...), and as a loss",
                             text);
  }
  out->kind = &of_loss;
  snug__loss_name(&out->loss, name);
  const snug__named own = {name, NULL};
  set_name(text, out->loss.o.name, &own, out->name);
  return SNUG_OK;
}

snug_status snug__metric_parse(snug_ctx *ctx, const char *text, snug__metric *out) {
  size_t i = 0;
  memset(out, 0, sizeof *out);
  if (!snug__named_is_known(&set, text)) {
    return parse_loss(ctx, text, out);
  }
  SNUG_TRY(snug__named_parse(ctx, &set, NULL, text, &out->o, sizeof out->o, &i));
  out->kind = &kinds[i];
  SNUG_TRY(check(ctx, text, out));
  out->o.beta = kinds[i].named.fields == f1_fields ? 1.0 : out->o.beta;
  set_name(text, out->o.name, &kinds[i].named, out->name);
  if (kinds[i].loss) {
    SNUG_TRY(snug__loss_parse(ctx, kinds[i].loss, &out->loss));
    out->loss.o.axis = kinds[i].named.fields == axis_fields ? out->o.axis : out->loss.o.axis;
  }
  return SNUG_OK;
}

/* Keras's MeanMetricWrapper. */
static bool is_mean_of_function(const snug__metric_kind *k) {
  return (k->result == mean_result || k->result == negative_result) && k->emit != emit_prediction;
}

snug_status snug__metric_emit(snug__build *b, const snug__metric *m, const char *name,
                              snug__id y_true, snug__id y_pred, snug__id weights, snug__id mask) {
  if (mask != SNUG_NONE && is_mean_of_function(m->kind)) {
    SNUG_TRY(snug__mask_weights(b, mask, &weights));
  }
  return m->kind->emit(b, m, name, y_true, y_pred, weights);
}

snug_status snug__metric_result(const snug__metric *m, const snug__variables *variables,
                                const char *name, double *out) {
  return m->kind->result(m, variables, name, out);
}

int snug__metric_direction(const snug__metric *m) { return m->kind->direction; }

snug_status snug__metric_print(const snug__metric *m, snug__text *out) {
  if (m->kind == &of_loss) {
    snug__loss named = m->loss;
    memcpy(named.o.name, m->name, sizeof named.o.name);
    return snug__loss_print(&named, out);
  }
  snug__metric_options options = m->o;
  memcpy(options.name, m->name, sizeof options.name);
  return snug__named_print(&m->kind->named, &options, out);
}
