/* Accounting lies between the caller and the allocator: refuse by the limit, ask the allocator,
 * count. */
#include "base/account.h"

#include <string.h>

#include "base/ctx.h"
#include "base/size.h"

static const char *const account_texts[] = {
#define SNUG__ACCOUNT_TEXT(name, text) text,
    SNUG__ACCOUNT_LIST(SNUG__ACCOUNT_TEXT)
#undef SNUG__ACCOUNT_TEXT
};

const char *snug__account_text(snug__account_name name) {
  return name < SNUG__MEM_COUNT ? account_texts[name] : "";
}

static bool is_refused_by_limit(const snug__account *a, size_t old_bytes, size_t new_bytes) {
  return a->limit && new_bytes > old_bytes &&
         (a->total > a->limit || new_bytes - old_bytes > a->limit - a->total);
}

static void raise_peaks(snug__account *a) {
  if (a->total > a->peak) {
    a->peak = a->total;
    memcpy(a->at_peak, a->current, sizeof a->at_peak);
  }
  for (snug_scope *s = a->scopes; s; s = s->outer) {
    s->peak = a->total > s->peak ? a->total : s->peak;
  }
}

static void count(snug__account *a, snug__account_name name, size_t old_bytes, size_t new_bytes) {
  a->current[name] += new_bytes;
  a->current[name] -= old_bytes;
  a->total += new_bytes;
  a->total -= old_bytes;
  a->allocations += new_bytes > 0;
  raise_peaks(a);
}

void *snug__realloc(snug_ctx *ctx, snug__account_name name, void *ptr, size_t old_bytes,
                    size_t new_bytes) {
  if (is_refused_by_limit(&ctx->account, old_bytes, new_bytes)) {
    return NULL;
  }
  void *moved = ctx->allocator.realloc(ctx->allocator.ctx, ptr, old_bytes, new_bytes);
  if (moved || new_bytes == 0) {
    count(&ctx->account, name, old_bytes, new_bytes);
  }
  return moved;
}

static snug__account_name largest_holder(const snug__account *a) {
  snug__account_name largest = 0;
  for (snug__account_name i = 1; i < SNUG__MEM_COUNT; i++) {
    largest = a->current[i] > a->current[largest] ? i : largest;
  }
  return largest;
}

snug_status snug__refuse(snug_ctx *ctx, snug__account_name name, size_t bytes) {
  const snug__account *a = &ctx->account;
  snug__account_name most = largest_holder(a);
  bool by_limit = is_refused_by_limit(a, 0, bytes);
  return snug__fail(
      ctx, by_limit ? SNUG_E_LIMIT : SNUG_E_MEMORY,
      "no memory for %zu bytes of %s: %llu are held, most of them by %s (%llu); %s %llu", bytes,
      account_texts[name], (unsigned long long)a->total, account_texts[most],
      (unsigned long long)a->current[most],
      by_limit ? "the limit is" : "the allocator refused; highest so far",
      (unsigned long long)(by_limit ? a->limit : a->peak));
}

snug_status snug__take(snug_ctx *ctx, snug__account_name name, size_t bytes, void **out) {
  *out = NULL;
  size_t at_least_one = bytes ? bytes : 1; /* a NULL that means success would be a trap */
  void *p = snug__realloc(ctx, name, NULL, 0, at_least_one);
  if (!p) {
    return snug__refuse(ctx, name, at_least_one);
  }
  memset(p, 0, at_least_one);
  *out = p;
  return SNUG_OK;
}

snug_status snug__take_array(snug_ctx *ctx, snug__account_name name, size_t count_of, size_t bytes,
                             void **out) {
  size_t total = 0;
  *out = NULL;
  if (!snug__mul_size(count_of, bytes, &total)) {
    return snug__fail(ctx, SNUG_E_OVERFLOW,
                      "%zu elements of %zu bytes for %s are more than memory can hold", count_of,
                      bytes, account_texts[name]);
  }
  return snug__take(ctx, name, total, out);
}

void snug__give(snug_ctx *ctx, snug__account_name name, void *ptr, size_t bytes) {
  if (ptr) {
    snug__realloc(ctx, name, ptr, bytes ? bytes : 1, 0);
  }
}
