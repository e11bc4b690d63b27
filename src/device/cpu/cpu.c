/* The CPU device.  Every op runs as its reference. */
#include <stdint.h>

#include "base/ctx.h"
#include "device/device.h"

static snug_status prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                           void **state) {
  (void)ctx;
  *needs = (snug__needs){.scratch_bytes = sig->op->scratch ? (int64_t)sig->op->scratch(sig) : 0};
  for (int32_t k = 0; k < SNUG__MAX_OUT; k++) {
    needs->in_place[k] = sig->op->in_place[k];
  }
  *state = NULL;
  return SNUG_OK;
}

static snug_status run(const void *state, const snug__call *call) {
  (void)state;
  return call->sig->op->reference(call);
}

static const snug__kernel reference_kernel = {"reference", prepare, run, NULL};

static const snug__kernel *kernel(const snug__op *op) {
  return op->reference ? &reference_kernel : NULL;
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

const snug__device snug__cpu = {"cpu", kernel, take, give, block_cost};
