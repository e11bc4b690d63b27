/* Losses that look at a whole row of classes: categorical_hinge, categorical_focal_crossentropy. */
#include "ops/loss.h"

static const snug__field focal_fields[] = {
    SNUG_FIELD(snug__categorical_focal_params, from_logits, BOOL, "false"),
    SNUG_FIELD(snug__categorical_focal_params, label_smoothing, FLOAT, "0"),
    SNUG_FIELD(snug__categorical_focal_params, alpha, FLOAT, "0.25"),
    SNUG_FIELD(snug__categorical_focal_params, gamma, FLOAT, "2"),
    {0}};

static double focal_label(const snug__loss_rows *j, int64_t i) {
  double s = ((const snug__categorical_focal_params *)j->params)->label_smoothing;
  return snug__row_label(j, i) * (1.0 - s) + s / (double)j->width;
}

/* -alpha (1 - q)^gamma t log q, q clipped; and its slope in q. */
static double focal_value(const snug__loss_rows *j, double t, double q) {
  const snug__categorical_focal_params *p = j->params;
  double c = snug__clip(j->clip, q);
  return -p->alpha * pow(1.0 - c, p->gamma) * t * log(c);
}

static double focal_slope(const snug__loss_rows *j, double t, double q) {
  const snug__categorical_focal_params *p = j->params;
  if (!snug__is_inside(j->clip, q)) {
    return 0.0;
  }
  return p->alpha * t *
         (p->gamma * pow(1.0 - q, p->gamma - 1.0) * log(q) - pow(1.0 - q, p->gamma) / q);
}

#define SNUG_REAL_FILE "ops/row_loss_ref.inc"
#include "ops/real.h"

#define RUN(rows)                                                 \
  static void run_##rows(void *arg, int64_t begin, int64_t end) { \
    const snug__loss_rows *j = arg;                               \
    SNUG_REAL_CALL(j->y_dtype, rows, (j, begin, end));            \
  }

RUN(hinge_rows)
RUN(hinge_grad_rows)
RUN(focal_rows)
RUN(focal_grad_rows)

static snug_status hinge(const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  snug__loss_run(&j, run_hinge_rows);
  return SNUG_OK;
}

static snug_status hinge_gradient(const snug__call *call) {
  snug__loss_rows j = snug__loss_grad_rows_of(call);
  snug__loss_run(&j, run_hinge_grad_rows);
  return SNUG_OK;
}

static snug_status focal(const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  snug__loss_run(&j, run_focal_rows);
  return SNUG_OK;
}

static snug_status focal_gradient(const snug__call *call) {
  snug__loss_rows j = snug__loss_grad_rows_of(call);
  snug__loss_run(&j, run_focal_grad_rows);
  return SNUG_OK;
}

static snug_status hinge_rule(snug__grad *g) {
  return snug__emit_loss_grad(g, &snug__op_categorical_hinge_grad);
}

static snug_status focal_rule(snug__grad *g) {
  return snug__emit_loss_grad(g, &snug__op_categorical_focal_crossentropy_grad);
}

const snug__op snug__op_categorical_hinge = {
    .name = "categorical_hinge",
    .doc = "max(0, 1 + max((1 - y_true) y_pred) - Σ y_true y_pred) over the last axis",
    SNUG__LOSS_RECORD,
    .max_out = 1,
    .infer = snug__infer_dense_loss,
    .grad = hinge_rule,
    .reference = hinge};

const snug__op snug__op_categorical_hinge_grad = {.name = "categorical_hinge_grad",
                                                  .doc = "gradient of categorical_hinge to y_pred",
                                                  SNUG__LOSS_GRAD_RECORD,
                                                  .infer = snug__infer_dense_loss_grad,
                                                  .reference = hinge_gradient};

const snug__op snug__op_categorical_focal_crossentropy = {
    .name = "categorical_focal_crossentropy",
    .doc = "-Σ alpha (1 - y_pred)^gamma y_true log y_pred over the last axis",
    .params_bytes = sizeof(snug__categorical_focal_params),
    .fields = focal_fields,
    SNUG__LOSS_RECORD,
    .max_out = 1,
    .infer = snug__infer_dense_loss,
    .grad = focal_rule,
    .reference = focal};

const snug__op snug__op_categorical_focal_crossentropy_grad = {
    .name = "categorical_focal_crossentropy_grad",
    .doc = "gradient of categorical_focal_crossentropy to y_pred",
    .params_bytes = sizeof(snug__categorical_focal_params),
    .fields = focal_fields,
    SNUG__LOSS_GRAD_RECORD,
    .infer = snug__infer_dense_loss_grad,
    .reference = focal_gradient};
