/* cosine_similarity: -Σ t y / (|t| |y|) along an axis, norms not below 1e-7. */
#include "device/host.h"
#include "ops/loss.h"

static const snug__field fields[] = {SNUG_FIELD(snug__cosine_similarity_params, axis, INT, "-1"),
                                     {0}};

/* The elements along the axis lie `stride` apart; lines side by side come first. */
typedef struct line_job {
  const void *t, *y, *dv;
  void *out;
  snug_dtype t_dtype, y_dtype, v_dtype;
  int64_t length, stride, n;
  int32_t threads;
} line_job;

typedef struct sums {
  double ty, yy, tt;
} sums;

static int64_t line_start(const line_job *j, int64_t line) {
  return line / j->stride * j->stride * j->length + line % j->stride;
}

static bool is_small(double squares) {
  return squares <= SNUG__KERAS_EPSILON * SNUG__KERAS_EPSILON;
}

static double inverse_norm(double squares) {
  return is_small(squares) ? 1.0 / SNUG__KERAS_EPSILON : 1.0 / sqrt(squares);
}

#define SNUG_REAL_FILE "ops/similarity_ref.inc"
#include "ops/real.h"

static void run_lines(void *arg, int64_t begin, int64_t end) {
  const line_job *j = arg;
  SNUG_REAL_CALL(j->y_dtype, lines, (j, begin, end));
}

static void run_grad_lines(void *arg, int64_t begin, int64_t end) {
  const line_job *j = arg;
  SNUG_REAL_CALL(j->y_dtype, grad_lines, (j, begin, end));
}

static void set_axis(line_job *j, const snug__signature *sig, const snug__type *y) {
  const snug__cosine_similarity_params *p = sig->params;
  int64_t axis = p->axis < 0 ? p->axis + y->rank : p->axis;
  j->y_dtype = y->dtype;
  j->length = y->dim[axis];
  j->threads = snug__threads(sig);
  j->stride = 1;
  j->n = 1;
  for (int32_t k = 0; k < y->rank; k++) {
    j->stride *= k > axis ? y->dim[k] : 1;
    j->n *= k == axis ? 1 : y->dim[k];
  }
}

static snug_status run(line_job *j, void (*body)(void *arg, int64_t begin, int64_t end)) {
  snug__parallel_ranges(j->threads, j->n, 1 + 4096 / (1 + j->length), body, j);
  return SNUG_OK;
}

static snug_status reference(const snug__call *call) {
  const snug__signature *s = call->sig;
  line_job j = {.t = call->in[0],
                .y = call->in[1],
                .out = call->out[0],
                .t_dtype = s->in[0].dtype,
                .v_dtype = s->out[0].dtype};
  set_axis(&j, s, &s->in[1]);
  return run(&j, run_lines);
}

static snug_status grad_reference(const snug__call *call) {
  const snug__signature *s = call->sig;
  line_job j = {.dv = call->in[0],
                .t = call->in[1],
                .y = call->in[2],
                .out = call->out[0],
                .t_dtype = s->in[1].dtype,
                .v_dtype = s->in[0].dtype};
  set_axis(&j, s, &s->in[2]);
  return run(&j, run_grad_lines);
}

static snug_status without_axis(const snug__infer *q, const snug__type *y, snug_dtype dtype,
                                snug__type *out) {
  const snug__cosine_similarity_params *p = q->params;
  int32_t axis = 0;
  int64_t dim[SNUG_MAX_RANK] = {0};
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, y->rank, &axis));
  for (int32_t k = 0; k < y->rank; k++) {
    if (k != axis) {
      dim[k - (k > axis)] = y->dim[k];
    }
  }
  *out = snug__type_of(dtype, y->rank - 1, dim);
  return SNUG_OK;
}

static snug_status infer(snug__infer *q) {
  SNUG_TRY(snug__infer_dense_loss(q));
  return without_axis(q, &q->in[1], q->out[0].dtype, &q->out[0]);
}

static snug_status grad_infer(snug__infer *q) {
  snug__type values;
  SNUG_TRY(without_axis(q, &q->in[2], q->in[0].dtype, &values));
  return snug__infer_loss_grad(q, &values);
}

static snug_status grad(snug__grad *g) {
  return snug__emit_loss_grad(g, &snug__op_cosine_similarity_grad);
}

static const char *whole_batch(const snug__signature *sig) {
  const snug__cosine_similarity_params *p = sig->params;
  bool is_first = p->axis == 0 || p->axis == -sig->in[1].rank;
  return is_first ? "the similarity is taken along the axis of the samples" : NULL;
}

const snug__op snug__op_cosine_similarity = {
    .name = "cosine_similarity",
    .doc = "-Σ y_true y_pred / (|y_true| |y_pred|) along an axis",
    .params_bytes = sizeof(snug__cosine_similarity_params),
    .fields = fields,
    SNUG__LOSS_RECORD,
    .max_out = 1,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .whole_batch = whole_batch};

const snug__op snug__op_cosine_similarity_grad = {
    .name = "cosine_similarity_grad",
    .doc = "gradient of cosine_similarity to y_pred",
    .params_bytes = sizeof(snug__cosine_similarity_params),
    .fields = fields,
    SNUG__LOSS_GRAD_RECORD,
    .infer = grad_infer,
    .reference = grad_reference};
