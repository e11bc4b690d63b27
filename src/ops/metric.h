/* Metrics: values per position that are averaged, and updates of the states that average them. */
#ifndef SNUG_OPS_METRIC_H
#define SNUG_OPS_METRIC_H

#include "ops/ops.h"

typedef struct snug__binary_accuracy_params {
  double threshold; /* a prediction above it is a 1 */
} snug__binary_accuracy_params;

/* top_k 0: the class is the first largest prediction.  top_k k: fewer than k predictions are larger
 * than the class's (ties count for it, and nothing that is not finite is in the top). */
typedef struct snug__categorical_accuracy_params {
  int64_t top_k;
} snug__categorical_accuracy_params;

typedef struct snug__mean_update_params {
  double weight; /* of each value, beside its own */
} snug__mean_update_params;

/* Either thresholds, of which a prediction must be above, or num_thresholds of them spread evenly
 * over 0 .. 1 with the ends moved out by 1e-7, as Keras's AUC has them. */
typedef struct snug__confusion_update_params {
  snug_floats thresholds;
  int64_t num_thresholds;
} snug__confusion_update_params;

typedef struct snug__iou_update_params {
  int64_t ignore_class; /* INT64_MIN: none */
} snug__iou_update_params;

typedef struct snug__f_score_update_params {
  double threshold; /* a prediction above it is a 1; -inf: the largest of a sample is */
} snug__f_score_update_params;

#endif
