/* The processor as a device: the table of kernels, memory of the host, and a queue that runs at
 * once.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/ctx.h"
#include "base/thread.h"
#include "device/cpu/cpu.h"
#include "device/cpu/dnn.h"
#include "device/cpu/time.h"
#include "device/host.h"
#include "ops/ops.h"

/* ---- kernels ---- */

static snug_status prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                           void **state) {
  (void)ctx;
  needs->scratch_bytes = sig->op->scratch ? (int64_t)sig->op->scratch(sig) : 0;
  snug__needs_in_place_as_op(needs, sig->op);
  *state = NULL;
  return SNUG_OK;
}

static snug_status run(const void *state, const snug__call *call) {
  (void)state;
  return call->sig->op->reference(call);
}

static const snug__kernel reference_kernel = {"reference", NULL, prepare, run, NULL};

/* A kernel of each op and instruction set, as kernels.def lists them. */
#define KERNEL(op, name) extern const snug__kernel snug__kernel_##name;
#define LOOP(op, name) extern const snug__kernel SNUG__EACH_ISA(snug__loop_##name##_);
#include "device/cpu/kernels.def"
#undef LOOP
#undef KERNEL

typedef struct row {
  const snug__op *op;
  const snug__kernel *any;                   /* of any instruction set, or */
  const snug__kernel *loop[SNUG__ISA_COUNT]; /* of each */
} row;

#define KERNEL(of, name) {.op = &snug__op_##of, .any = &snug__kernel_##name},
#define LOOP(of, name) {.op = &snug__op_##of, .loop = {SNUG__EACH_ISA(&snug__loop_##name##_)}},
static const row rows[] = {
#include "device/cpu/kernels.def"
    {0}};
#undef LOOP
#undef KERNEL

static const snug__kernel *kernel(const snug__op *op, snug__target target, int32_t i) {
  for (const row *r = rows; r->op; r++) {
    if (r->op == op && i-- == 0) {
      return r->any ? r->any : r->loop[snug__isa_of(target)];
    }
  }
  return i == 0 && op->reference ? &reference_kernel : NULL;
}

static snug__target target_of(const snug_ctx *ctx) {
  return snug__host_target(ctx->threads, ctx->isa);
}

static void target_text(snug__target target, char out[SNUG__TARGET_TEXT_BYTES]) {
  snprintf(out, SNUG__TARGET_TEXT_BYTES, "isa %s threads %d", snug__isa_text(snug__isa_of(target)),
           target.of[0]);
}

/* ---- memory ---- */

static snug_status take(snug__queue *q, snug__account_name name, int64_t bytes, snug__place *out) {
  void *memory = NULL;
  *out = SNUG__NOWHERE;
  SNUG_TRY(snug__take(q->ctx, name, (size_t)bytes, &memory));
  *out = snug__place_of_pointer(memory);
  return SNUG_OK;
}

static void give(snug__queue *q, snug__account_name name, snug__place place, int64_t bytes) {
  snug__give(q->ctx, name, snug__place_pointer(place), (size_t)bytes);
}

/* ---- the queue ---- */

static snug_status open_queue(snug__queue *q) {
  (void)q;
  return SNUG_OK;
}

static void close_queue(snug__queue *q) { (void)q; }

/* q->own keeps what the threads that compute were like before. */
static int64_t enter_cost(const snug__queue *q) {
  return (int64_t)q->ctx->threads * (int64_t)sizeof(snug__thread_state);
}

static snug_status enter(snug__queue *q) {
  snug__thread_state *before = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(q->ctx, SNUG__MEM_PROGRAM, q->ctx->threads, &before));
  snug__workers_begin(q->ctx->threads, before);
  q->own = before;
  return SNUG_OK;
}

static void leave(snug__queue *q) {
  snug__thread_state *before = q->own;
  snug__workers_end(q->ctx->threads, before);
  SNUG_GIVE_ARRAY(q->ctx, SNUG__MEM_PROGRAM, before, q->ctx->threads);
  q->own = NULL;
}

static uint32_t begin(snug__queue *q) {
  (void)q;
  return snug__flush_denormals();
}

static void end(snug__queue *q, uint32_t begun) {
  (void)q;
  snug__float_mode_set(begun);
}

static snug_status launch(snug__queue *q, const snug__kernel *k, const void *state,
                          const snug__call *call) {
  snug_status s = k->run(state, call);
  if (s && !q->failed) {
    q->failed = s;
    q->call = call;
  }
  return s;
}

static void copy_in(snug__queue *q, snug__place to, const void *from, int64_t bytes) {
  (void)q;
  memcpy(snug__place_pointer(to), from, (size_t)bytes);
}

static void copy_out(snug__queue *q, void *to, snug__place from, int64_t bytes) {
  (void)q;
  memcpy(to, snug__place_pointer(from), (size_t)bytes);
}

static void copy(snug__queue *q, snug__place to, snug__place from, int64_t bytes) {
  copy_in(q, to, snug__place_pointer(from), bytes);
}

static void fill(snug__queue *q, snug__place to, int byte, int64_t bytes) {
  (void)q;
  memset(snug__place_pointer(to), byte, (size_t)bytes);
}

static int64_t record(snug__queue *q) {
  (void)q;
  return 0;
}

static void wait(snug__queue *q, int64_t event) {
  (void)q;
  (void)event;
}

const snug__device snug__cpu = {.name = "cpu",
                                .is_host = true,
                                .target = target_of,
                                .target_text = target_text,
                                .kernel = kernel,
                                .forget = snug__dnn_forget,
                                .take = take,
                                .give = give,
                                .open = open_queue,
                                .close = close_queue,
                                .enter_cost = enter_cost,
                                .enter = enter,
                                .leave = leave,
                                .begin = begin,
                                .end = end,
                                .launch = launch,
                                .copy_in = copy_in,
                                .copy_out = copy_out,
                                .copy = copy,
                                .fill = fill,
                                .record = record,
                                .wait = wait,
                                .time = snug__cpu_time};
