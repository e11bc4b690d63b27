/* Accuracies: 1 where the prediction hits the label, else 0 (binary: the share of hits over the
 * last axis).  No gradient flows through them. */
#include "ops/loss.h"
#include "ops/metric.h"

static const snug__field binary_fields[] = {
    SNUG_FIELD(snug__binary_accuracy_params, threshold, FLOAT, "0.5"), {0}};

static const snug__field categorical_fields[] = {
    SNUG_FIELD(snug__categorical_accuracy_params, top_k, INT, "0"), {0}};

static int64_t largest_label(const snug__loss_rows *j, int64_t first) {
  int64_t best = 0;
  for (int64_t k = 1; k < j->width; k++) {
    best = snug__row_label(j, first + k) > snug__row_label(j, first + best) ? k : best;
  }
  return best;
}

#define SNUG_REAL_FILE "ops/accuracy_ref.inc"
#include "ops/real.h"

static void run_binary(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  SNUG_REAL_CALL(j->y_dtype, binary_rows, (j, begin, end));
}

static void run_dense(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  SNUG_REAL_CALL(j->y_dtype, categorical_rows, (j, false, begin, end));
}

static void run_sparse(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  SNUG_REAL_CALL(j->y_dtype, categorical_rows, (j, true, begin, end));
}

static snug_status binary_reference(const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  snug__loss_run(&j, run_binary);
  return SNUG_OK;
}

static snug_status dense_reference(const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  snug__loss_run(&j, run_dense);
  return SNUG_OK;
}

static snug_status sparse_reference(const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  snug__loss_run(&j, run_sparse);
  return SNUG_OK;
}

static snug_status check_classes(const snug__infer *q) {
  const snug__categorical_accuracy_params *p = q->params;
  int64_t classes = q->in[1].dim[q->in[1].rank - 1];
  if (p->top_k < 0 || classes < 1) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                      "%s: top_k=%lld of %lld classes: neither may be negative, and there must be "
                      "a class",
                      q->where, (long long)p->top_k, (long long)classes);
  }
  return SNUG_OK;
}

static snug_status dense_infer(snug__infer *q) {
  SNUG_TRY(snug__infer_dense_loss(q));
  return check_classes(q);
}

static snug_status sparse_infer(snug__infer *q) {
  SNUG_TRY(snug__infer_sparse_loss(q));
  return check_classes(q);
}

const snug__op snug__op_binary_accuracy = {
    .name = "binary_accuracy",
    .doc = "share of the last axis where y_pred > threshold equals y_true",
    .params_bytes = sizeof(snug__binary_accuracy_params),
    .fields = binary_fields,
    SNUG__LOSS_RECORD,
    .max_out = 1,
    .infer = snug__infer_dense_loss,
    .reference = binary_reference};

const snug__op snug__op_categorical_accuracy = {
    .name = "categorical_accuracy",
    .doc = "whether the largest label has the largest prediction, or one of the top_k",
    .params_bytes = sizeof(snug__categorical_accuracy_params),
    .fields = categorical_fields,
    SNUG__LOSS_RECORD,
    .max_out = 1,
    .infer = dense_infer,
    .reference = dense_reference};

const snug__op snug__op_sparse_categorical_accuracy = {
    .name = "sparse_categorical_accuracy",
    .doc = "whether the class has the largest prediction, or one of the top_k",
    .params_bytes = sizeof(snug__categorical_accuracy_params),
    .fields = categorical_fields,
    SNUG__LOSS_RECORD,
    .max_out = 1,
    .infer = sparse_infer,
    .reference = sparse_reference};
