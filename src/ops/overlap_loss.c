/* overlap_loss: what Dice and Tversky are; one value for the whole batch. */
#include "ops/loss.h"

static const snug__field fields[] = {SNUG_FIELD(snug__overlap_loss_params, alpha, FLOAT, "0.5"),
                                     SNUG_FIELD(snug__overlap_loss_params, beta, FLOAT, "0.5"),
                                     SNUG_FIELD(snug__overlap_loss_params, epsilon, FLOAT, "1e-7"),
                                     {0}};

/* Σ t y, and the divisor. */
typedef struct parts {
  double both, all;
} parts;

static double at(const snug__call *call, int32_t input, int64_t i) {
  return snug__element_get(call->sig->in[input].dtype, call->in[input], i);
}

static parts parts_of(const snug__call *call, int32_t t, int32_t y) {
  const snug__overlap_loss_params *p = call->sig->params;
  double both = 0.0;
  double only_t = 0.0;
  double only_y = 0.0;
  for (int64_t i = 0; i < snug__type_count(&call->sig->in[y]); i++) {
    double a = at(call, t, i);
    double b = at(call, y, i);
    both += a * b;
    only_t += a * (1.0 - b);
    only_y += b * (1.0 - a);
  }
  return (parts){both, both + p->alpha * only_t + p->beta * only_y + p->epsilon};
}

static snug_status infer(snug__infer *q) {
  SNUG_TRY(snug__infer_dense_loss(q));
  q->out[0] = snug__scalar(q->out[0].dtype);
  return SNUG_OK;
}

static snug_status grad_infer(snug__infer *q) {
  snug__type value = snug__scalar(q->in[0].dtype);
  return snug__infer_loss_grad(q, &value);
}

static snug_status reference(const snug__call *call) {
  parts s = parts_of(call, 0, 1);
  snug__element_set(call->sig->out[0].dtype, call->out[0], 0,
                    1.0 - (s.all == 0.0 ? 0.0 : s.both / s.all));
  return SNUG_OK;
}

/* With D the divisor: -(t D - I dD/dy) / D², dD/dy = t - alpha t + beta (1 - t). */
static snug_status grad_reference(const snug__call *call) {
  const snug__overlap_loss_params *p = call->sig->params;
  parts s = parts_of(call, 1, 2);
  double scale = s.all == 0.0 ? 0.0 : -at(call, 0, 0) / (s.all * s.all);
  for (int64_t i = 0; i < snug__type_count(&call->sig->out[0]); i++) {
    double t = at(call, 1, i);
    double d = t - p->alpha * t + p->beta * (1.0 - t);
    snug__element_set(call->sig->out[0].dtype, call->out[0], i, scale * (t * s.all - s.both * d));
  }
  return SNUG_OK;
}

static snug_status grad(snug__grad *g) {
  return snug__emit_loss_grad(g, &snug__op_overlap_loss_grad);
}

static const char *whole_batch(const snug__signature *sig) {
  (void)sig;
  return "the loss is a quotient of sums over all samples";
}

const snug__op snug__op_overlap_loss = {
    .name = "overlap_loss",
    .doc = "1 - Σ t y / (Σ t y + alpha Σ t (1 - y) + beta Σ y (1 - t) + epsilon)",
    .params_bytes = sizeof(snug__overlap_loss_params),
    .fields = fields,
    SNUG__LOSS_RECORD,
    .max_out = 1,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .whole_batch = whole_batch};

const snug__op snug__op_overlap_loss_grad = {.name = "overlap_loss_grad",
                                             .doc = "gradient of overlap_loss to y_pred",
                                             .params_bytes = sizeof(snug__overlap_loss_params),
                                             .fields = fields,
                                             SNUG__LOSS_GRAD_RECORD,
                                             .infer = grad_infer,
                                             .reference = grad_reference};
