#include "device/cpu/each.h"

#include "base/ctx.h"
#include "device/host.h"
#include "ops/support.h"

#define LINE 16 /* elements of a cache line: threads meet between two */

bool snug__is_float32(const snug__signature *sig, snug__layouts *want) {
  (void)want;
  bool ok = true;
  for (int32_t i = 0; i < sig->n_in; i++) {
    ok = ok && (sig->in[i].dtype == SNUG_FLOAT32 || !sig->in[i].dtype);
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    ok = ok && (sig->out[k].dtype == SNUG_FLOAT32 || !sig->out[k].dtype);
  }
  return ok;
}

snug_status snug__each_prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                               snug__each_body *body, int64_t least, void **state) {
  snug__each *e = NULL;
  *state = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_PROGRAM, &e));
  e->body = body;
  e->n = snug__type_count(&sig->out[0]);
  e->least = least;
  size_t n_params = sig->op->params_bytes / sizeof(double);
  for (size_t i = 0; i < n_params && i < SNUG__EACH_PARAMS; i++) {
    double value;
    memcpy(&value, (const char *)sig->params + i * sizeof value, sizeof value);
    e->p[i] = (float)value;
  }
  snug__needs_in_place_as_op(needs, sig->op);
  *state = e;
  return SNUG_OK;
}

void snug__each_release(snug_ctx *ctx, void *state) {
  snug__give(ctx, SNUG__MEM_PROGRAM, state, sizeof(snug__each));
}

typedef struct each_job {
  const snug__each *e;
  const snug__call *call;
} each_job;

static void run_lines(void *arg, int64_t begin, int64_t end) {
  const each_job *j = arg;
  j->e->body(j->e, j->call, begin * LINE, snug__min_i64(end * LINE, j->e->n));
}

snug_status snug__each_run(const void *state, const snug__call *call) {
  const snug__each *e = state;
  each_job job = {e, call};
  snug__parallel_ranges(snug__threads(call->sig), (e->n + LINE - 1) / LINE, e->least / LINE,
                        run_lines, &job);
  return SNUG_OK;
}
