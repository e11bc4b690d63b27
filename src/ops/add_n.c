/* add_n: the sum of many values of one type, in the order given, rounded once. */
#include "device/host.h"
#include "ops/support.h"
#include "ops/unblock.h"

static snug_status infer(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  for (int32_t i = 1; i < q->n_in; i++) {
    SNUG_TRY(snug__need_type_of(q, i, 0));
  }
  q->out[0] = q->in[0];
  return SNUG_OK;
}

static snug_status grad(snug__grad *g) {
  for (int32_t i = 0; i < g->n_in; i++) {
    g->din[i] = g->wants[i] ? g->dout[0] : SNUG_NONE;
  }
  return SNUG_OK;
}

#define SNUG_REAL_FILE "ops/add_n_ref.inc"
#include "ops/real.h"

static void run_range(void *arg, int64_t begin, int64_t end) {
  const snug__call *c = arg;
  SNUG_REAL_CALL(c->sig->out[0].dtype, add_n_range, (c, begin, end));
}

static snug_status reference(const snug__call *call) {
  snug__call copy = *call;
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(&call->sig->out[0]), 16384,
                        run_range, &copy);
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  double adds = sig->n_in > 1 ? sig->n_in - 1 : 0;
  return (snug__cost){adds * (double)snug__type_count(&sig->out[0]), snug__bytes_moved(sig)};
}

const snug__op snug__op_add_n = {.name = "add_n",
                                 .doc = "the sum of values of one type",
                                 .min_in = 1,
                                 .max_in = SNUG__MAX_IN,
                                 .min_out = 1,
                                 .max_out = 1,
                                 .flags = SNUG__OP_CHEAP,
                                 .in_place = {UINT64_MAX},
                                 .infer = infer,
                                 .grad = grad,
                                 .reference = reference,
                                 .unblock = snug__unblock_flat,
                                 .cost = cost};
