/* The public face of the process's figures. */
#include "base/process.h"
#include "base/ctx.h"
#include "base/room.h"
#include "base/struct_size.h"
#include "base/thread.h"

snug_status snug_memory_available(snug_ctx *ctx, snug_available *out) {
  if (!ctx || !out) {
    return SNUG_E_ARGUMENT;
  }
  snug_available found;
  SNUG_TRY(SNUG__CHECK(ctx, snug_available, out));
  snug__workers_start(ctx->threads); /* their stacks count where addresses are limited */
  if (!snug__room_find("", &found)) {
    return snug__fail(ctx, SNUG_E_UNSUPPORTED,
                      "this system does not tell how much memory there is: /proc/meminfo "
                      "cannot be read");
  }
  SNUG__WRITE(snug_available, &found, out);
  return SNUG_OK;
}

void snug_memory_set_available(snug_ctx *ctx, uint64_t bytes) {
  if (ctx) {
    ctx->available = bytes;
  }
}

void snug_memory_set_bound(snug_ctx *ctx, uint64_t bytes) {
  if (ctx) {
    snug__gate_set(&ctx->account.gate, bytes);
  }
}

void snug_memory_process_get(snug_memory_process *out) {
  snug__process now;
  snug__process_read("", &now);
  const snug_memory_process told = {.resident = now.resident, .peak = now.peak};
  SNUG__WRITE(snug_memory_process, &told, out);
}
