/* cast: the same values as another dtype; to nearest even for reals, towards zero and saturating
 * for integers, "is not 0" for bool. */
#include "device/host.h"
#include "ops/support.h"
#include "ops/unary.h"

static const snug__field fields[] = {
    SNUG_CHOICE(snug__cast_params, dtype, snug__dtype_choices, NULL), {0}};

static snug_status infer(snug__infer *q) {
  const snug__cast_params *p = q->params;
  if (p->dtype <= SNUG_NO_DTYPE || p->dtype >= SNUG_DTYPE_COUNT) {
    return snug__fail(q->ctx, SNUG_E_DTYPE, "%s: dtype must be one of float32 .. bool", q->where);
  }
  q->out[0] = q->in[0];
  q->out[0].dtype = (snug_dtype)p->dtype;
  return SNUG_OK;
}

/* Rounding has no derivative, but as the identity it trains; integers end the gradient. */
static snug_status grad(snug__grad *g) {
  snug_dtype from = snug__type_at(g->g, g->in[0])->dtype;
  snug__cast_params p = {(int32_t)from};
  if (!snug__dtype_is_real(from) || !snug__dtype_is_real(snug__type_at(g->g, g->out[0])->dtype)) {
    return SNUG_OK;
  }
  return SNUG_EMIT(g->g, cast, &p, &g->din[0], g->dout[0]);
}

/* The pairs of mixed precision go without a switch per element. */
#define CAST_LOOP(from, to, value)          \
  do {                                      \
    const from *x = c->in[0];               \
    to *y = c->out[0];                      \
    for (int64_t i = begin; i < end; i++) { \
      y[i] = (value);                       \
    }                                       \
  } while (0)

#define PAIR(from, to) ((int32_t)(from)*SNUG_DTYPE_COUNT + (int32_t)(to))

static void run_range(void *arg, int64_t begin, int64_t end) {
  const snug__call *c = arg;
  snug_dtype from = c->sig->in[0].dtype;
  snug_dtype to = c->sig->out[0].dtype;
  switch (PAIR(from, to)) {
    case PAIR(SNUG_FLOAT32, SNUG_FLOAT16):
      CAST_LOOP(float, uint16_t, snug__float_to_half(x[i]));
      return;
    case PAIR(SNUG_FLOAT16, SNUG_FLOAT32):
      CAST_LOOP(uint16_t, float, snug__half_to_float(x[i]));
      return;
    case PAIR(SNUG_FLOAT32, SNUG_BFLOAT16):
      CAST_LOOP(float, uint16_t, snug__float_to_bfloat(x[i]));
      return;
    case PAIR(SNUG_BFLOAT16, SNUG_FLOAT32):
      CAST_LOOP(uint16_t, float, snug__bfloat_to_float(x[i]));
      return;
    case PAIR(SNUG_UINT8, SNUG_FLOAT32):
      CAST_LOOP(uint8_t, float, (float)x[i]);
      return;
    default:
      for (int64_t i = begin; i < end; i++) {
        snug__element_set(to, c->out[0], i, snug__element_get(from, c->in[0], i));
      }
  }
}

static snug_status reference(const snug__call *call) {
  snug__call copy = *call;
  const snug__type *t = &call->sig->out[0];
  if (t->dtype == call->sig->in[0].dtype) { /* no detour: not every int64 is a double */
    memmove(call->out[0], call->in[0], (size_t)snug__type_bytes(t));
    return SNUG_OK;
  }
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(t), 16384, run_range, &copy);
  return SNUG_OK;
}

const snug__op snug__op_cast = {.name = "cast",
                                .doc = "the same values as another dtype",
                                .params_bytes = sizeof(snug__cast_params),
                                .fields = fields,
                                .min_in = 1,
                                .max_in = 1,
                                .min_out = 1,
                                .max_out = 1,
                                .flags = SNUG__OP_CHEAP,
                                .in_place = {1},
                                .infer = infer,
                                .grad = grad,
                                .reference = reference,
                                .unblock = snug__unblock_flat,
                                .cost = snug__move_cost};
