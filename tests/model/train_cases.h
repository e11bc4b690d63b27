/* What Keras makes of losses, metrics, optimizers and schedules: tables written by
 * tools/gen_train_cases.py.  Each ends with an entry whose text is NULL. */
#ifndef SNUG_TESTS_MODEL_TRAIN_CASES_H
#define SNUG_TESTS_MODEL_TRAIN_CASES_H

#include "graph/type.h"

typedef struct case_type {
  snug_dtype dtype;
  int32_t rank;
  int64_t dim[3];
} case_type;

static inline snug__type case_type_of(const case_type *t) {
  return snug__type_of(t->dtype, t->rank, t->dim);
}

/* Two weights, of [2,3] and [4], moved by 7 steps: all elements after 3, after 7, and at the end of
 * training. */
typedef struct optimizer_case {
  const char *text, *constraint;
  const double *after;
} optimizer_case;

/* A batch and what it gives: value; losses also the gradient to y_pred. */
typedef struct batch_case {
  const char *text;
  case_type t_type;
  const double *t;
  case_type y_type;
  const double *y;
  case_type w_type;
  const double *w; /* NULL: no weights */
  double value;
  const double *gradient;
} batch_case;

typedef struct schedule_case {
  const char *text;
  const double *rates; /* of schedule_steps */
} schedule_case;

extern const optimizer_case optimizer_cases[];
extern const batch_case loss_cases[];
extern const batch_case metric_cases[];
extern const int64_t schedule_steps[]; /* ends with -1 */
extern const schedule_case schedule_cases[];

#endif
