#include "base/ctx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
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

snug_status snug_ctx_create(const snug_options *options, snug_ctx **out) {
  static const snug_options defaults = SNUG_OPTIONS_DEFAULT;
  const snug_options *o = options ? options : &defaults;
  snug_allocator allocator = snug__heap;
  if (!out) {
    return SNUG_E_ARGUMENT;
  }
  *out = NULL;
  if (o->threads < 0 || o->threads > SNUG__MAX_THREADS ||
      (o->allocator && !o->allocator->realloc)) {
    return SNUG_E_ARGUMENT;
  }
  if (o->allocator) {
    allocator = *o->allocator;
  }
  if (o->memory_limit && o->memory_limit < sizeof(snug_ctx)) {
    return SNUG_E_LIMIT;
  }
  snug_ctx *ctx = allocator.realloc(allocator.ctx, NULL, 0, sizeof *ctx);
  if (!ctx) {
    return SNUG_E_MEMORY;
  }
  memset(ctx, 0, sizeof *ctx);
  ctx->allocator = allocator;
  ctx->account.limit = o->memory_limit;
  ctx->account.current[SNUG__MEM_CONTEXT] = ctx->account.at_peak[SNUG__MEM_CONTEXT] = sizeof *ctx;
  ctx->account.total = ctx->account.peak = sizeof *ctx;
  ctx->account.allocations = 1;
  ctx->threads =
      snug__startable_threads(snug__usable_threads(o->threads ? o->threads : snug__cores()));
  ctx->isa = usable_isa();
  ctx->whole_process = o->whole_process;
  *out = ctx;
  return SNUG_OK;
}

void snug_ctx_destroy(snug_ctx *ctx) {
  if (ctx) {
    snug_allocator allocator = ctx->allocator;
    snug__stock_end(ctx);
    allocator.realloc(allocator.ctx, ctx, sizeof *ctx, 0);
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
