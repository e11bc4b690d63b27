#include "base/ctx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/struct_size.h"
#include "base/thread.h"

const char *snug_version(void) { return SNUG_VERSION; }

const char *snug_status_text(snug_status status) {
  switch (status) {
#define SNUG__STATUS_CASE(name, value, text) \
  case SNUG_##name:                          \
    return text;
    SNUG_STATUS_LIST(SNUG__STATUS_CASE)
#undef SNUG__STATUS_CASE
  }
  return "unknown status";
}

/* The processor's instruction set, or the lesser one that SNUG_ISA names. */
static snug__isa usable_isa(void) {
  const char *wish = getenv("SNUG_ISA");
  snug__isa best = snug__isa_best();
  snug__isa most = wish ? snug__isa_find(wish) : SNUG__ISA_COUNT;
  return most < best ? most : best;
}

/* Threads that are bound share processors, or leave some alone, without a word of the runtime's.
 * fixed: the caller said how many threads there are. */
static void note_binding(const snug_ctx *ctx, bool fixed) {
  int32_t bound = ctx->note ? snug__bound_processors(ctx->threads) : 0;
  int32_t there = snug__machine_cores();
  if (bound && bound < ctx->threads) {
    snug__note(
        ctx,
        "the %d threads that compute are bound to %d processor%s (OMP_PROC_BIND, OMP_PLACES), "
        "where they take turns",
        (int)ctx->threads, (int)bound, bound == 1 ? "" : "s");
  } else if (bound && !fixed && bound < there) {
    snug__note(
        ctx,
        "%d thread%s compute%s, of %d that this machine has processors for: the OpenMP runtime "
        "binds to no more (OMP_PROC_BIND, OMP_PLACES)",
        (int)ctx->threads, ctx->threads == 1 ? "" : "s", ctx->threads == 1 ? "s" : "", (int)there);
  }
}

snug_status snug__ctx_make(const snug_options *options, snug_ctx **out) {
  snug_options o;
  snug_allocator allocator = snug__heap;
  if (!out) {
    return SNUG_E_ARGUMENT;
  }
  *out = NULL;
  SNUG_TRY(SNUG__READ(NULL, snug_options, options, &o));
  if (o.threads < 0 || o.threads > SNUG__MAX_THREADS || (o.allocator && !o.allocator->realloc)) {
    return SNUG_E_ARGUMENT;
  }
  if (o.allocator) {
    allocator = *o.allocator;
  }
  if (o.memory_limit && o.memory_limit < sizeof(snug_ctx)) {
    return SNUG_E_LIMIT;
  }
  snug_ctx *ctx = allocator.realloc(allocator.ctx, NULL, 0, sizeof *ctx);
  if (!ctx) {
    return SNUG_E_MEMORY;
  }
  memset(ctx, 0, sizeof *ctx);
  ctx->allocator = allocator;
  ctx->account.limit = o.memory_limit;
  ctx->account.current[SNUG__MEM_CONTEXT] = ctx->account.at_peak[SNUG__MEM_CONTEXT] = sizeof *ctx;
  ctx->account.total = ctx->account.peak = sizeof *ctx;
  ctx->account.allocations = 1;
  ctx->note = o.note;
  ctx->note_user = o.note_user;
  ctx->threads =
      snug__startable_threads(snug__usable_threads(o.threads ? o.threads : snug__cores()));
  note_binding(ctx, o.threads != 0);
  ctx->isa = usable_isa();
  ctx->whole_process = o.whole_process;
  *out = ctx;
  return SNUG_OK;
}

void snug__ctx_end(snug_ctx *ctx) {
  snug_allocator allocator = ctx->allocator;
  snug__prealloc_end(ctx);
  allocator.realloc(allocator.ctx, ctx, sizeof *ctx, 0);
}

void snug__note(const snug_ctx *ctx, const char *format, ...) {
  char text[512];
  va_list args;
  if (ctx->note) {
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ctx->note(ctx->note_user, text);
  }
}

const char *snug_message(const snug_ctx *ctx) { return ctx ? ctx->message : ""; }

void snug__fail_at(snug_ctx *ctx, const char *file, int line, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(ctx->message, sizeof ctx->message, format, args);
  va_end(args);
  ctx->file = file;
  ctx->line = line;
}

snug_status snug__fail_within(snug_ctx *ctx, snug_status code, const char *format, ...) {
  char inner[SNUG__MESSAGE_BYTES];
  va_list args;
  memcpy(inner, ctx->message, sizeof inner);
  va_start(args, format);
  int n = vsnprintf(ctx->message, sizeof ctx->message, format, args);
  va_end(args);
  if (n >= 0 && (size_t)n < sizeof ctx->message) {
    snprintf(ctx->message + n, sizeof ctx->message - (size_t)n, ": %s", inner);
  }
  return code;
}
