/* Metrics of a model: from Keras's names to states, updates and results.
 *
 * A metric of the name `accuracy` has its states in variables "metrics/accuracy/total" and the
 * like. The updates run in the step; the result is read on the host.  Resetting a metric is giving
 * its states their initial values, which are all 0. */
#ifndef SNUG_MODEL_METRIC_H
#define SNUG_MODEL_METRIC_H

#include "model/loss.h"

typedef struct snug__metric_options {
  double threshold, beta;
  int64_t k, axis, num_thresholds, num_classes, ignore_class, num_regressors;
  snug_floats thresholds;
  snug_ints target_class_ids; /* none: all that occur */
  int32_t curve, summation_method, average, class_aggregation;
  bool sparse_y_true, sparse_y_pred;
  char name[SNUG__NAME_BYTES];
} snug__metric_options;

typedef struct snug__metric {
  const struct snug__metric_kind *kind;
  snug__metric_options o;
  snug__loss loss;             /* where the metric is the mean of a loss */
  char name[SNUG__NAME_BYTES]; /* the name option, or what the text calls it */
} snug__metric;

const snug__named_set *snug__metric_set(void);

/* From "accuracy", "AUC(curve=PR)", "mse" (any loss is a metric too) and their like.
 * Fails: E_ARGUMENT naming what is known. */
snug_status snug__metric_parse(snug_ctx *ctx, const char *text, snug__metric *out) SNUG_NODISCARD;

/* Emit the update of a metric by a batch.  name: under which its states are kept (e.g. with the
 * output's name in front).  weights: one per sample or position, or SNUG_NONE; mask: of y_pred (see
 * layer.h), or SNUG_NONE.  As in Keras, only metrics that are means of a function look at it. */
snug_status snug__metric_emit(snug__build *b, const snug__metric *m, const char *name,
                              snug__id y_true, snug__id y_pred, snug__id weights,
                              snug__id mask) SNUG_NODISCARD;

/* Emit the update of a running mean of a scalar, e.g. the loss weighted with the batch size: the
 * states of a metric parsed from "mean".  It counts `weight` times, and as often as the scalar
 * `times` says, if that is not SNUG_NONE. */
snug_status snug__metric_track(snug__build *b, const char *name, snug__id scalar, snug__id times,
                               double weight) SNUG_NODISCARD;

/* The result so far, from the bytes of the states (their blocks must have been made).
 * Fails: E_STATE if a state is missing or has no bytes. */
snug_status snug__metric_result(const snug__metric *m, const snug__variables *variables,
                                const char *name, double *out) SNUG_NODISCARD;

/* Give the states of all metrics their initial values. */
void snug__metrics_reset(const snug__variables *variables);

/* 1 if more is better, -1 if less is, 0 if neither: Keras's `_direction`. */
int snug__metric_direction(const snug__metric *m);

/* Append a text from which the same metric can be parsed; its name is given. */
snug_status snug__metric_print(const snug__metric *m, snug__text *out) SNUG_NODISCARD;

#endif
