/* The kinds of metrics, and what the files of metrics share. */
#ifndef SNUG_MODEL_METRIC_KIND_H
#define SNUG_MODEL_METRIC_KIND_H

#include "model/metric.h"
#include "model/named.h"

typedef snug_status snug__metric_emitter(snug__build *b, const snug__metric *m, const char *name,
                                         snug__id t, snug__id y, snug__id weights);
typedef snug_status snug__metric_reader(const snug__metric *m, const snug__variables *v,
                                        const char *name, double *out);

typedef struct snug__metric_kind {
  snug__named named;
  snug__metric_emitter *emit;
  snug__metric_reader *result;
  const char *loss; /* text of the loss whose mean is taken, or NULL */
  int direction;    /* see snug__metric_direction */
} snug__metric_kind;

/* A state of a metric: its variable and its value in the graph. */
typedef struct snug__metric_slot {
  snug__id variable, value;
} snug__metric_slot;

snug_status snug__metric_state(snug__build *b, const char *metric, const char *state,
                               snug__type type, snug__metric_slot *out) SNUG_NODISCARD;
snug_status snug__metric_data(const snug__variables *v, const char *metric, const char *state,
                              const snug__variable **variable, const void **out) SNUG_NODISCARD;

/* metric_confusion.c */
extern snug__metric_emitter snug__emit_confusion, snug__emit_iou, snug__emit_binary_iou;
extern snug__metric_reader snug__precision_result, snug__recall_result, snug__auc_result,
    snug__iou_result, snug__true_positives_result, snug__false_positives_result,
    snug__true_negatives_result, snug__false_negatives_result;

/* metric_score.c; the choices of `average` and `class_aggregation`, in the order of their names */
extern snug__metric_emitter snug__emit_f_score, snug__emit_r2;
extern snug__metric_reader snug__f_score_result, snug__r2_result;
extern const char *const snug__f_score_averages[], *const snug__r2_aggregations[];

#endif
