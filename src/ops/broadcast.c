/* broadcast_to: repeat a value along its axes of size 1 and along new leading axes. */
#include "ops/shape.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__broadcast_to_params, shape, INTS, "[]"), {0}};

static bool can_broadcast(const snug__type *from, const snug__type *to) {
  for (int32_t k = 1; k <= from->rank; k++) {
    int64_t d = from->dim[from->rank - k];
    if (k > to->rank || (d != 1 && d != to->dim[to->rank - k])) {
      return false;
    }
  }
  return true;
}

static snug_status infer(snug__infer *q) {
  const snug__broadcast_to_params *p = q->params;
  char from[SNUG__TYPE_TEXT_BYTES];
  char to[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(snug__need_real(q, 0));
  q->out[0] =
      snug__type_of(q->in[0].dtype, p->shape.n > SNUG_MAX_RANK ? 0 : p->shape.n, p->shape.v);
  if (p->shape.n > SNUG_MAX_RANK || !snug__type_is_valid(&q->out[0]) ||
      !can_broadcast(&q->in[0], &q->out[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: %s cannot be broadcast to %s", q->where,
                      snug__type_text(&q->in[0], from), snug__type_text(&q->out[0], to));
  }
  return SNUG_OK;
}

static snug_status grad(snug__grad *g) {
  return snug__emit_sum_to(g->g, g->dout[0], snug__type_at(g->g, g->in[0]), &g->din[0]);
}

static void run_range(void *arg, int64_t begin, int64_t end) {
  const snug__call *c = arg;
  const snug__type *to = &c->sig->out[0];
  int64_t strides[SNUG_MAX_RANK];
  size_t bytes = snug_dtype_bytes(to->dtype);
  snug__broadcast_strides(&c->sig->in[0], to, strides);
  for (int64_t i = begin; i < end; i++) {
    memcpy((char *)c->out[0] + (size_t)i * bytes,
           (const char *)c->in[0] + (size_t)snug__strided_offset(to, strides, i) * bytes, bytes);
  }
}

static snug_status reference(const snug__call *call) {
  snug__call copy = *call;
  snug__parallel_ranges(call->sig->threads, snug__type_count(&call->sig->out[0]), 16384, run_range,
                        &copy);
  return SNUG_OK;
}

const snug__op snug__op_broadcast_to = {.name = "broadcast_to",
                                        .doc = "repeat along axes of size 1 and new leading axes",
                                        .params_bytes = sizeof(snug__broadcast_to_params),
                                        .fields = fields,
                                        .min_in = 1,
                                        .max_in = 1,
                                        .min_out = 1,
                                        .max_out = 1,
                                        .infer = infer,
                                        .grad = grad,
                                        .reference = reference};
