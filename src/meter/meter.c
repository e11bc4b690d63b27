/* The public face of the account: current, peak, reset, nested scopes. */
#include <stdbool.h>

#include "base/ctx.h"
#include "base/struct_size.h"
#include "snug/memory.h"

void snug_memory_get(const snug_ctx *ctx, snug_memory_info *out) {
  const snug__account *a = ctx ? &ctx->account : &(const snug__account){0};
  const snug__prealloc *prealloc = ctx ? &ctx->prealloc : &(const snug__prealloc){0};
  const snug_memory_info info = {.current = a->total,
                                 .peak = a->peak,
                                 .limit = a->limit,
                                 .allocations = a->allocations,
                                 .preallocated = prealloc->bytes,
                                 .idle = prealloc->idle};
  SNUG__WRITE(snug_memory_info, &info, out);
}

size_t snug_memory_names(const snug_ctx *ctx) {
  (void)ctx;
  return SNUG__MEM_COUNT;
}

void snug_memory_entry_get(const snug_ctx *ctx, size_t index, snug_memory_entry *out) {
  snug_memory_entry entry = {.name = ""};
  if (ctx && index < SNUG__MEM_COUNT) {
    const snug__account *a = &ctx->account;
    entry.name = snug__account_text((snug__account_name)index);
    entry.current = a->current[index];
    entry.at_peak = a->at_peak[index];
  }
  SNUG__WRITE(snug_memory_entry, &entry, out);
}

void snug_memory_reset_peak(snug_ctx *ctx) {
  if (!ctx) {
    return;
  }
  snug__account *a = &ctx->account;
  a->peak = a->total;
  for (int i = 0; i < SNUG__MEM_COUNT; i++) {
    a->at_peak[i] = a->current[i];
  }
}

snug_status snug_memory_set_limit(snug_ctx *ctx, uint64_t bytes) {
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  uint64_t held = ctx->account.total + ctx->prealloc.idle;
  if (bytes && held > bytes) {
    return snug__fail(ctx, SNUG_E_LIMIT,
                      "a limit of %llu bytes comes too late: %llu are held already",
                      (unsigned long long)bytes, (unsigned long long)held);
  }
  ctx->account.limit = bytes;
  return SNUG_OK;
}

/* Take a scope out of the list of open ones; false if it is not there. */
static bool unlink_scope(snug__account *a, snug_scope *scope) {
  snug_scope **link = &a->scopes;
  while (*link && *link != scope) {
    link = &(*link)->outer;
  }
  if (!*link) {
    return false;
  }
  *link = scope->outer;
  scope->outer = NULL;
  return true;
}

void snug_scope_begin(snug_ctx *ctx, snug_scope *scope) {
  if (!ctx || !scope) {
    return;
  }
  snug__account *a = &ctx->account;
  unlink_scope(a, scope); /* twice in the list would be a ring */
  *scope = (snug_scope){.start = a->total, .peak = a->total, .end = a->total, .outer = a->scopes};
  a->scopes = scope;
}

snug_status snug_scope_end(snug_ctx *ctx, snug_scope *scope) {
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  if (!scope) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "the memory scope to end is NULL");
  }
  if (!unlink_scope(&ctx->account, scope)) {
    return snug__fail(ctx, SNUG_E_STATE, "the memory scope is not open in this context");
  }
  scope->end = ctx->account.total;
  return SNUG_OK;
}
