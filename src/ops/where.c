/* where: from a where the mask is set, from b where not; and not_equal, which makes masks. */
#include "ops/where.h"

#include "device/host.h"
#include "ops/support.h"
#include "ops/unblock.h"

static snug_status need_mask(const snug__infer *q) {
  char text[SNUG__TYPE_TEXT_BYTES];
  return q->in[0].dtype == SNUG_BOOL
             ? SNUG_OK
             : snug__fail(q->ctx, SNUG_E_DTYPE, "%s: input 0 is %s and must be bool", q->where,
                          snug__type_text(&q->in[0], text));
}

static snug_status infer(snug__infer *q) {
  bool a = q->in[1].dtype;
  bool b = q->in[2].dtype;
  if (!a && !b) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: one of a and b must be given", q->where);
  }
  SNUG_TRY(a && b ? snug__need_dtype_of(q, 2, 1) : SNUG_OK);
  SNUG_TRY(need_mask(q));
  snug__infer pair = *q;
  pair.in = (const snug__type[]){a ? q->in[1] : q->in[2], b ? q->in[2] : q->in[1], q->in[0]};
  SNUG_TRY(snug__broadcast(&pair, 0, 1, &q->out[0]));
  pair.in = (const snug__type[]){q->out[0], q->in[0]};
  return snug__broadcast(&pair, 0, 1, &q->out[0]);
}

/* din[i]: the gradient where the mask says i, summed where input i was broadcast. */
static snug_status grad_of(snug__grad *g, int32_t i) {
  snug__id d = g->dout[0];
  snug__type to = *snug__type_at(g->g, g->in[i]);
  SNUG_TRY(
      SNUG_EMIT(g->g, where, NULL, &d, g->in[0], i == 1 ? d : SNUG_NONE, i == 2 ? d : SNUG_NONE));
  return snug__emit_sum_to(g->g, d, &to, &g->din[i]);
}

static snug_status grad(snug__grad *g) {
  SNUG_TRY(g->wants[1] ? grad_of(g, 1) : SNUG_OK);
  return g->wants[2] ? grad_of(g, 2) : SNUG_OK;
}

typedef struct where_job {
  const snug__call *call;
  int64_t strides[3][SNUG_MAX_RANK];
  bool same[3]; /* the input has the output's shape */
  size_t bytes;
} where_job;

static int64_t place(const where_job *j, int32_t k, int64_t i) {
  return j->same[k] ? i : snug__strided_offset(&j->call->sig->out[0], j->strides[k], i);
}

static void run_range(void *arg, int64_t begin, int64_t end) {
  static const uint64_t zero = 0;
  const where_job *j = arg;
  const snug__call *c = j->call;
  const uint8_t *mask = c->in[0];
  for (int64_t i = begin; i < end; i++) {
    int32_t k = mask[place(j, 0, i)] ? 1 : 2;
    const char *from = c->in[k];
    memmove((char *)c->out[0] + (size_t)i * j->bytes,
            from ? from + (size_t)place(j, k, i) * j->bytes : (const char *)&zero, j->bytes);
  }
}

static snug_status reference(const snug__call *call) {
  const snug__type *out = &call->sig->out[0];
  where_job j = {.call = call, .bytes = snug_dtype_bytes(out->dtype)};
  for (int32_t k = 0; k < 3; k++) {
    const snug__type *in = &call->sig->in[k];
    j.same[k] = !in->dtype || snug__shape_equal(in, out);
    if (!j.same[k]) {
      snug__broadcast_strides(in, out, j.strides[k]);
    }
  }
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(out), 16384, run_range, &j);
  return SNUG_OK;
}

const snug__op snug__op_where = {
    .name = "where",
    .doc = "(mask, a?, b?) -> a where the mask is set, else b; what is left out is 0",
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .in_place = {6},
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .unblock = snug__unblock_broadcast};

/* ---- not_equal ---- */

static const snug__field fields[] = {SNUG_FIELD(snug__not_equal_params, value, FLOAT, "0"), {0}};

static snug_status not_equal_infer(snug__infer *q) {
  q->out[0] = snug__type_of(SNUG_BOOL, q->in[0].rank, q->in[0].dim);
  return SNUG_OK;
}

static void not_equal_range(void *arg, int64_t begin, int64_t end) {
  const snug__call *c = arg;
  const snug__not_equal_params *p = c->sig->params;
  uint8_t *out = c->out[0];
  for (int64_t i = begin; i < end; i++) {
    out[i] = snug__element_get(c->sig->in[0].dtype, c->in[0], i) != p->value;
  }
}

static snug_status not_equal_reference(const snug__call *call) {
  snug__call shared = *call;
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(&call->sig->out[0]), 16384,
                        not_equal_range, &shared);
  return SNUG_OK;
}

const snug__op snug__op_not_equal = {.name = "not_equal",
                                     .doc = "whether each element differs from a value, bool",
                                     .params_bytes = sizeof(snug__not_equal_params),
                                     .fields = fields,
                                     .min_in = 1,
                                     .max_in = 1,
                                     .min_out = 1,
                                     .max_out = 1,
                                     .infer = not_equal_infer,
                                     .reference = not_equal_reference,
                                     .unblock = snug__unblock_flat};
