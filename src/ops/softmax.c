/* softmax, log_softmax and sparsemax along one axis.  All gradients are made from the output. */
#include "ops/softmax.h"

#include "device/host.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__softmax_params, axis, INT, "-1"), {0}};

static snug_status infer(snug__infer *q) {
  const snug__softmax_params *p = q->params;
  int32_t axis;
  SNUG_TRY(snug__need_rank_from(q, 0, 1));
  SNUG_TRY(snug__need_axis(q, "axis", p->axis, q->in[0].rank, &axis));
  return q->n_in == 2 ? snug__infer_same_pair(q) : snug__infer_same(q);
}

/* The elements of one line lie `step` apart, and lines with neighbouring indices side by side. */
typedef struct line_job line_job;
typedef void line_body(const line_job *j, int64_t at);

struct line_job {
  const void *in[2];
  void *out;
  int64_t n, step;
  line_body *body;
};

#define SNUG_REAL_FILE "ops/softmax_ref.inc"
#include "ops/real.h"

static void run_lines(void *arg, int64_t begin, int64_t end) {
  const line_job *j = arg;
  for (int64_t line = begin; line < end; line++) {
    j->body(j, line / j->step * j->step * j->n + line % j->step);
  }
}

static snug_status run(const snug__call *call, line_body *const bodies[SNUG_DTYPE_COUNT]) {
  const snug__softmax_params *p = call->sig->params;
  const snug__type *t = &call->sig->out[0];
  int32_t axis = (int32_t)(p->axis < 0 ? p->axis + t->rank : p->axis);
  line_job job = {{call->in[0], call->sig->n_in > 1 ? call->in[1] : NULL},
                  call->out[0],
                  t->dim[axis],
                  1,
                  bodies[t->dtype]};
  for (int32_t k = axis + 1; k < t->rank; k++) {
    job.step *= t->dim[k];
  }
  int64_t lines = job.n ? snug__type_count(t) / job.n : 0;
  snug__parallel_ranges(snug__threads(call->sig), lines, 1 + 4096 / (1 + job.n), run_lines, &job);
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){(sig->n_in == 1 ? 13.0 : 4.0) * (double)snug__type_count(&sig->out[0]),
                      snug__bytes_moved(sig)};
}

#define LINE_RECORD(op, text, inputs, rule)                                                    \
  static snug_status op##_reference(const snug__call *call) {                                  \
    static line_body *const bodies[SNUG_DTYPE_COUNT] = {[SNUG_FLOAT32] = op##_line_float32,    \
                                                        [SNUG_FLOAT64] = op##_line_float64,    \
                                                        [SNUG_FLOAT16] = op##_line_float16,    \
                                                        [SNUG_BFLOAT16] = op##_line_bfloat16}; \
    return run(call, bodies);                                                                  \
  }                                                                                            \
  const snug__op snug__op_##op = {.name = #op,                                                 \
                                  .doc = (text),                                               \
                                  .params_bytes = sizeof(snug__softmax_params),                \
                                  .fields = fields,                                            \
                                  .min_in = (inputs),                                          \
                                  .max_in = (inputs),                                          \
                                  .min_out = 1,                                                \
                                  .max_out = 1,                                                \
                                  .in_place = {(1u << (inputs)) - 1},                          \
                                  .infer = infer,                                              \
                                  .grad = (rule),                                              \
                                  .reference = op##_reference,                                 \
                                  .cost = cost}

#define LINE_PAIR(op, text)                                                          \
  static snug_status op##_rule(snug__grad *g) {                                      \
    return SNUG_EMIT(g->g, op##_grad, g->params, &g->din[0], g->dout[0], g->out[0]); \
  }                                                                                  \
  LINE_RECORD(op, text, 1, op##_rule);                                               \
  LINE_RECORD(op##_grad, "the gradient of " #op ", from (dy, y)", 2, NULL)

LINE_PAIR(softmax, "e^x over its sum along an axis");
LINE_PAIR(log_softmax, "the logarithm of softmax");
LINE_PAIR(sparsemax, "the nearest point of the probability simplex along an axis");
