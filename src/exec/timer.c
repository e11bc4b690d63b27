#include "exec/timer.h"

#include "base/ctx.h"
#include "base/size.h"

#define LARGE_BLOCK (4 << 20) /* from there on a block that is too small is doubled */

/* The call's memory: where its values lie in the block. */
typedef struct bound {
  const void *in[SNUG__MAX_IN];
  void *out[SNUG__MAX_OUT];
  snug__call call;
  snug__fault fault;
} bound;

static int64_t room_of(const snug__type *type) {
  return type->dtype ? snug__round_up(snug__type_bytes(type), SNUG__BLOCK_ALIGN) : 0;
}

int64_t snug__trial_bytes(const snug__trial *trial) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < trial->sig.n_in; i++) {
    bytes += room_of(&trial->sig.in[i]);
  }
  for (int32_t k = 0; k < trial->sig.n_out; k++) {
    bytes += trial->sig.op->writes[k] ? 0 : room_of(&trial->sig.out[k]);
  }
  return bytes;
}

/* Making pages takes longer than most calls. */
static int64_t grown(const snug__timer *t, int64_t bytes) {
  const int64_t twice = snug__min_i64(2 * t->block.bytes, t->most_bytes);
  return bytes < LARGE_BLOCK ? bytes : snug__max_i64(bytes, twice);
}

static snug_status need_block(snug__timer *t, int64_t bytes) {
  if (bytes <= t->block.bytes) {
    return SNUG_OK;
  }
  bytes = grown(t, bytes);
  snug__timer_release(t);
  return snug__block_take(&t->ctx->queue, bytes, &t->block);
}

void snug__timer_release(snug__timer *t) { snug__block_give(&t->ctx->queue, &t->block); }

static void *pointer(snug__place at, const snug__type *type) {
  return type->dtype ? snug__place_pointer(at) : NULL;
}

static void bind(const snug__timer *t, const snug__trial *trial, bound *b) {
  const snug__signature *sig = &trial->sig;
  snug__queue *q = &t->ctx->queue;
  int64_t at = 0;
  for (int32_t i = 0; i < sig->n_in; i++) {
    b->in[i] = pointer(snug__place_after(t->block.at, at), &sig->in[i]);
    at += room_of(&sig->in[i]);
  }
  q->device->fill(q, t->block.at, 0, at);
  for (int32_t k = 0; k < sig->n_out; k++) {
    const int32_t written = sig->op->writes[k] - 1;
    const bool is_new = written < 0;
    b->out[k] = is_new              ? pointer(snug__place_after(t->block.at, at), &sig->out[k])
                : sig->out[k].dtype ? (void *)(uintptr_t)b->in[written]
                                    : NULL;
    at += is_new ? room_of(&sig->out[k]) : 0;
  }
  b->fault = (snug__fault){0};
  b->call = (snug__call){.sig = sig,
                         .in = b->in,
                         .out = b->out,
                         .scratch = snug__place_pointer(snug__place_after(t->block.at, at)),
                         .fault = &b->fault,
                         .queue = q};
}

static snug_status time_prepared(snug__timer *t, const snug__trial *trial, const void *state,
                                 int64_t scratch, double *seconds) {
  const int64_t bytes = snug__trial_bytes(trial) + scratch;
  bound b;
  if (bytes > t->most_bytes) {
    return SNUG_OK;
  }
  snug_status s = need_block(t, bytes);
  if (s) {
    return s == SNUG_E_LIMIT ? SNUG_OK : s;
  }
  bind(t, trial, &b);
  const snug__timed_launch launch = {trial->kernel, state, &b.call, trial->far_in, trial->far_out};
  *seconds = t->ctx->queue.device->time(&t->ctx->queue, &launch);
  return SNUG_OK;
}

snug_status snug__timer_run(snug__timer *t, const snug__trial *trial, double *seconds) {
  snug__needs needs = {0};
  void *state = NULL;
  *seconds = -1.0;
  if (snug__trial_bytes(trial) > t->most_bytes) {
    return SNUG_OK;
  }
  snug_status s = trial->kernel->prepare(t->ctx, &trial->sig, &needs, &state);
  if (s) {
    return s == SNUG_E_UNSUPPORTED ? SNUG_OK : s;
  }
  s = time_prepared(t, trial, state, needs.scratch_bytes, seconds);
  if (trial->kernel->release) {
    trial->kernel->release(t->ctx, state);
  }
  return s;
}
