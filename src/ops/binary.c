/* Element-wise ops of two values with NumPy broadcasting. */
#include "ops/support.h"

static snug_status infer(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_dtype_of(q, 1, 0));
  return snug__broadcast(q, 0, 1, &q->out[0]);
}

typedef struct binary_job {
  const snug__call *call;
  double (*f)(double a, double b);
  int64_t a_strides[SNUG_MAX_RANK], b_strides[SNUG_MAX_RANK];
  bool same; /* no broadcasting: index is offset */
} binary_job;

static void run_range(void *arg, int64_t begin, int64_t end) {
  const binary_job *j = arg;
  const snug__call *c = j->call;
  const snug__type *shape = &c->sig->out[0];
  snug_dtype d = shape->dtype;
  for (int64_t i = begin; i < end; i++) {
    int64_t ia = j->same ? i : snug__strided_offset(shape, j->a_strides, i);
    int64_t ib = j->same ? i : snug__strided_offset(shape, j->b_strides, i);
    snug__element_set(d, c->out[0], i,
                      j->f(snug__element_get(d, c->in[0], ia), snug__element_get(d, c->in[1], ib)));
  }
}

static snug_status run(const snug__call *call, double (*f)(double, double)) {
  const snug__type *in = call->sig->in;
  binary_job job = {.call = call, .f = f, .same = snug__shape_equal(&in[0], &in[1])};
  snug__broadcast_strides(&in[0], &call->sig->out[0], job.a_strides);
  snug__broadcast_strides(&in[1], &call->sig->out[0], job.b_strides);
  snug__parallel_ranges(call->sig->threads, snug__type_count(&call->sig->out[0]), 16384, run_range,
                        &job);
  return SNUG_OK;
}

static double add(double a, double b) { return a + b; }
static snug_status add_reference(const snug__call *call) { return run(call, add); }

static snug_status add_grad(snug__grad *g) {
  for (int32_t i = 0; i < 2; i++) {
    if (g->wants[i]) {
      SNUG_TRY(snug__emit_sum_to(g->g, g->dout[0], snug__type_at(g->g, g->in[i]), &g->din[i]));
    }
  }
  return SNUG_OK;
}

const snug__op snug__op_add = {.name = "add",
                               .doc = "a + b",
                               .min_in = 2,
                               .max_in = 2,
                               .min_out = 1,
                               .max_out = 1,
                               .in_place = {3},
                               .infer = infer,
                               .grad = add_grad,
                               .reference = add_reference};
