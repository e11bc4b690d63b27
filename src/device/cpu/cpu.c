/* The CPU device: the table of kernels, and blocks of host memory. */
#include <stdint.h>

#include "base/ctx.h"
#include "device/cpu/dnn.h"
#include "device/device.h"
#include "ops/ops.h"

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

static const snug__kernel *kernel(const snug__op *op, snug__isa isa, int32_t i) {
  for (const row *r = rows; r->op; r++) {
    if (r->op == op && i-- == 0) {
      return r->any ? r->any : r->loop[isa];
    }
  }
  return i == 0 && op->reference ? &reference_kernel : NULL;
}

/* The allocator aligns as malloc does.  The block starts at the next line boundary, at least one
 * byte further on, and that distance is kept in the byte before it. */
static int64_t block_cost(int64_t bytes) { return bytes + SNUG__BLOCK_ALIGN; }

static snug_status take(snug_ctx *ctx, int64_t bytes, void **block) {
  unsigned char *raw = NULL;
  *block = NULL;
  SNUG_TRY(snug__take(ctx, SNUG__MEM_WORK, (size_t)block_cost(bytes), (void **)&raw));
  size_t skip = SNUG__BLOCK_ALIGN - (uintptr_t)raw % SNUG__BLOCK_ALIGN;
  raw[skip - 1] = (unsigned char)skip;
  *block = raw + skip;
  return SNUG_OK;
}

static void give(snug_ctx *ctx, void *block, int64_t bytes) {
  if (block) {
    unsigned char *start = block;
    snug__give(ctx, SNUG__MEM_WORK, start - start[-1], (size_t)block_cost(bytes));
  }
}

const snug__device snug__cpu = {"cpu", kernel, take, give, block_cost, snug__dnn_forget};
