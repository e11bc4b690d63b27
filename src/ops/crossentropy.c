/* Crossentropy between a distribution over classes (dense labels, or a class per position) and a
 * prediction, from probabilities or from logits.
 *
 * From logits, the gradient makes the softmax again: it needs nothing but the logits, whose memory
 * it may take over.  From probabilities the rules are those of Keras on TensorFlow: dense divides
 * by the sum and clips, sparse clips and divides by the sum of what is clipped. */
#include "ops/loss.h"

static const snug__field dense_fields[] = {
    SNUG_FIELD(snug__categorical_crossentropy_params, from_logits, BOOL, "false"),
    SNUG_FIELD(snug__categorical_crossentropy_params, label_smoothing, FLOAT, "0"),
    {0}};

static const snug__field sparse_fields[] = {
    SNUG_FIELD(snug__sparse_crossentropy_params, from_logits, BOOL, "false"),
    SNUG_FIELD(snug__sparse_crossentropy_params, ignore_class, INT, "-9223372036854775808"),
    {0}};

static double smooth_label(const snug__loss_rows *j, int64_t i) {
  double s = ((const snug__categorical_crossentropy_params *)j->params)->label_smoothing;
  return snug__row_label(j, i) * (1.0 - s) + s / (double)j->width;
}

static double label_sum(const snug__loss_rows *j, int64_t first) {
  double sum = 0.0;
  for (int64_t k = 0; k < j->width; k++) {
    sum += smooth_label(j, first + k);
  }
  return sum;
}

bool snug__is_ignored(const snug__loss_rows *j, int64_t row) {
  const snug__sparse_crossentropy_params *p = j->params;
  return p->ignore_class != SNUG__NO_CLASS && snug__row_label(j, row) == (double)p->ignore_class;
}

#define SNUG_REAL_FILE "ops/crossentropy_ref.inc"
#include "ops/real.h"

static void run_dense(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  SNUG_REAL_CALL(j->y_dtype, dense_rows, (j, begin, end));
}

static void run_dense_grad(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  SNUG_REAL_CALL(j->y_dtype, dense_grad_rows, (j, begin, end));
}

static void run_sparse(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  SNUG_REAL_CALL(j->y_dtype, sparse_rows, (j, begin, end));
}

static void run_sparse_grad(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  SNUG_REAL_CALL(j->y_dtype, sparse_grad_rows, (j, begin, end));
}

static snug_status dense_reference(const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  snug__loss_run(&j, run_dense);
  return SNUG_OK;
}

static snug_status dense_grad_reference(const snug__call *call) {
  snug__loss_rows j = snug__loss_grad_rows_of(call);
  snug__loss_run(&j, run_dense_grad);
  return SNUG_OK;
}

/* All labels before any work: which fault is told must not depend on threads. */
snug_status snug__check_labels(const snug__call *call, const snug__loss_rows *j) {
  for (int64_t row = 0; row < j->rows; row++) {
    double label = snug__row_label(j, row);
    if (!(label > -1.0 && label < (double)j->width) && !snug__is_ignored(j, row)) {
      *call->fault = (snug__fault){"label out of range", row, label, (double)j->width};
      return SNUG_E_DATA;
    }
  }
  return SNUG_OK;
}

static snug_status sparse_reference(const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  SNUG_TRY(snug__check_labels(call, &j));
  snug__loss_run(&j, run_sparse);
  return SNUG_OK;
}

static snug_status sparse_grad_reference(const snug__call *call) {
  snug__loss_rows j = snug__loss_grad_rows_of(call);
  SNUG_TRY(snug__check_labels(call, &j));
  snug__loss_run(&j, run_sparse_grad);
  return SNUG_OK;
}

static snug_status dense_infer(snug__infer *q) {
  const snug__categorical_crossentropy_params *p = q->params;
  if (!(p->label_smoothing >= 0.0 && p->label_smoothing <= 1.0)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: label_smoothing=%g must lie in 0 .. 1",
                      q->where, p->label_smoothing);
  }
  return snug__infer_dense_loss(q);
}

static snug_status sparse_infer(snug__infer *q) {
  SNUG_TRY(snug__infer_sparse_loss(q));
  q->out[1] = q->out[0];
  return SNUG_OK;
}

static snug_status dense_grad(snug__grad *g) {
  return snug__emit_loss_grad(g, &snug__op_categorical_crossentropy_grad);
}

static snug_status sparse_grad(snug__grad *g) {
  return snug__emit_loss_grad(g, &snug__op_sparse_categorical_crossentropy_grad);
}

const snug__op snug__op_categorical_crossentropy = {
    .name = "categorical_crossentropy",
    .doc = "-Σ y_true log y_pred over the last axis",
    .params_bytes = sizeof(snug__categorical_crossentropy_params),
    .fields = dense_fields,
    SNUG__LOSS_RECORD,
    .max_out = 1,
    .infer = dense_infer,
    .grad = dense_grad,
    .reference = dense_reference};

const snug__op snug__op_categorical_crossentropy_grad = {
    .name = "categorical_crossentropy_grad",
    .doc = "gradient of categorical_crossentropy to y_pred",
    .params_bytes = sizeof(snug__categorical_crossentropy_params),
    .fields = dense_fields,
    SNUG__LOSS_GRAD_RECORD,
    .infer = snug__infer_dense_loss_grad,
    .reference = dense_grad_reference};

const snug__op snug__op_sparse_categorical_crossentropy = {
    .name = "sparse_categorical_crossentropy",
    .doc = "-log y_pred[class]; output 1: 1 where the class is not ignored",
    .params_bytes = sizeof(snug__sparse_crossentropy_params),
    .fields = sparse_fields,
    SNUG__LOSS_RECORD,
    .max_out = 2,
    .infer = sparse_infer,
    .grad = sparse_grad,
    .reference = sparse_reference};

/* y_true is a column, not of y_pred's shape: only y_pred's memory is taken over. */
const snug__op snug__op_sparse_categorical_crossentropy_grad = {
    .name = "sparse_categorical_crossentropy_grad",
    .doc = "gradient of sparse_categorical_crossentropy to y_pred",
    .params_bytes = sizeof(snug__sparse_crossentropy_params),
    .fields = sparse_fields,
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .in_place = {1u << 2},
    .infer = snug__infer_sparse_loss_grad,
    .reference = sparse_grad_reference,
    .cost = snug__loss_cost};
