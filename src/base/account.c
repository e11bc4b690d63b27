/* Accounting lies between the caller and the allocator: refuse by the limit, ask the allocator,
 * count. */
#include "base/account.h"

#include <string.h>

#include "base/ctx.h"
#include "base/number.h"
#include "base/size.h"
#include "base/thread.h"

/* New memory is zeroed, and so made resident, in chunks of so many bytes by all threads: it is the
 * system that takes its time for the pages. */
#define CHUNK ((size_t)4 << 20)

static const char *const account_texts[] = {
#define SNUG__ACCOUNT_TEXT(name, text) text,
    SNUG__ACCOUNT_LIST(SNUG__ACCOUNT_TEXT)
#undef SNUG__ACCOUNT_TEXT
};

const char *snug__account_text(snug__account_name name) {
  return name < SNUG__MEM_COUNT ? account_texts[name] : "";
}

/* ---- what was preallocated ---- */

/* Values lie on the device that computes with them; all else is the host's. */
static bool is_of_values(snug__account_name name) {
  return name == SNUG__MEM_WEIGHTS || name == SNUG__MEM_OPTIMIZER || name == SNUG__MEM_WORK;
}

static bool is_in_prealloc(const snug_ctx *ctx, snug__account_name name, size_t bytes) {
  return is_of_values(name) && snug__prealloc_fits(&ctx->prealloc, bytes);
}

static bool is_refused_by_limit(const snug_ctx *ctx, snug__account_name name, size_t old_bytes,
                                size_t new_bytes) {
  const snug__account *a = &ctx->account;
  uint64_t held = a->total + ctx->prealloc.idle;
  return a->limit && new_bytes > old_bytes && !is_in_prealloc(ctx, name, new_bytes) &&
         (held > a->limit || new_bytes - old_bytes > a->limit - held);
}

/* What is cut from the preallocated pool is resident already. */
static bool is_refused_by_gate(snug_ctx *ctx, snug__account_name name, size_t old_bytes,
                               size_t new_bytes) {
  return new_bytes > old_bytes && !is_in_prealloc(ctx, name, new_bytes) &&
         !snug__gate_admits(&ctx->account.gate, new_bytes - old_bytes);
}

void snug__prealloc_end(snug_ctx *ctx) {
  if (ctx->prealloc.start) {
    ctx->allocator.realloc(ctx->allocator.ctx, ctx->prealloc.start, ctx->prealloc.bytes, 0);
    ctx->prealloc = (snug__prealloc){0};
  }
}

static snug_status refuse_by_gate(snug_ctx *ctx, const char *what, size_t bytes) {
  const snug__gate *gate = &ctx->account.gate;
  uint64_t needed = snug__gate_needs(gate, bytes);
  char held[SNUG__NUMBER_BYTES];
  char may[SNUG__NUMBER_BYTES];
  char more[SNUG__NUMBER_BYTES];
  char least[SNUG__NUMBER_BYTES];
  return snug__fail(
      ctx, SNUG_E_LIMIT,
      "no memory for %s of %s: the process holds %s and may hold %s (%llu bytes), and "
      "%s (%llu) are needed at the least to go on",
      snug__print_bytes(bytes, more), what, snug__print_bytes(snug__gate_held(), held),
      snug__print_bytes(gate->most, may), (unsigned long long)gate->most,
      snug__print_bytes(needed, least), (unsigned long long)needed);
}

snug_status snug__admit(snug_ctx *ctx, const char *what, size_t bytes) {
  return snug__gate_admits(&ctx->account.gate, bytes) ? SNUG_OK : refuse_by_gate(ctx, what, bytes);
}

/* ---- zeros ---- */

typedef struct zeros {
  char *start;
  size_t bytes;
} zeros;

static void zero_chunk(void *arg, int64_t i) {
  const zeros *z = arg;
  size_t begin = (size_t)i * CHUNK;
  size_t left = z->bytes - begin;
  memset(z->start + begin, 0, left < CHUNK ? left : CHUNK);
}

static void zero(const snug_ctx *ctx, void *start, size_t bytes) {
  zeros z = {start, bytes};
  snug__parallel_for(ctx->threads, (int64_t)((bytes - 1) / CHUNK + 1), zero_chunk, &z);
}

static snug_status open_prealloc(snug_ctx *ctx, size_t bytes) {
  const snug__account *a = &ctx->account;
  if (is_refused_by_limit(ctx, SNUG__MEM_WORK, 0, bytes)) {
    return snug__fail(ctx, SNUG_E_LIMIT,
                      "%zu bytes are not preallocated: %llu are held and the limit is %llu", bytes,
                      (unsigned long long)a->total, (unsigned long long)a->limit);
  }
  SNUG_TRY(snug__admit(ctx, account_texts[SNUG__MEM_WORK], bytes));
  void *memory = ctx->allocator.realloc(ctx->allocator.ctx, NULL, 0, bytes);
  if (!memory) {
    return snug__fail(ctx, SNUG_E_MEMORY, "%zu bytes are not preallocated: the allocator refused",
                      bytes);
  }
  zero(ctx, memory, bytes);
  snug__prealloc_open(&ctx->prealloc, memory, bytes);
  return SNUG_OK;
}

snug_status snug__preallocate(snug_ctx *ctx, size_t bytes) {
  size_t whole = snug__prealloc_round(bytes);
  if (bytes && !whole) {
    return snug__fail(ctx, SNUG_E_OVERFLOW, "%zu bytes are more than can be preallocated", bytes);
  }
  snug__prealloc before = ctx->prealloc;
  ctx->prealloc = (snug__prealloc){0};
  snug_status s = bytes ? open_prealloc(ctx, whole) : SNUG_OK;
  snug__prealloc now = ctx->prealloc;
  ctx->prealloc = before;
  if (!s) {
    snug__prealloc_end(ctx);
    ctx->prealloc = now;
  }
  return s;
}

static void *take_piece(snug_ctx *ctx, snug__account_name name, size_t bytes) {
  return is_in_prealloc(ctx, name, bytes)
             ? snug__prealloc_take(&ctx->prealloc, bytes)
             : ctx->allocator.realloc(ctx->allocator.ctx, NULL, 0, bytes);
}

/* As snug_allocator.realloc, for a piece of the preallocated pool. */
static void *resize_in_prealloc(snug_ctx *ctx, snug__account_name name, void *ptr, size_t old_bytes,
                                size_t new_bytes) {
  void *moved = new_bytes ? take_piece(ctx, name, new_bytes) : NULL;
  if (moved) {
    memcpy(moved, ptr, old_bytes < new_bytes ? old_bytes : new_bytes);
  }
  if (moved || !new_bytes) {
    snug__prealloc_give(&ctx->prealloc, ptr, old_bytes);
  }
  return moved;
}

static void *resize(snug_ctx *ctx, snug__account_name name, void *ptr, size_t old_bytes,
                    size_t new_bytes) {
  if (!ptr && new_bytes) {
    return take_piece(ctx, name, new_bytes);
  }
  return snug__prealloc_has(&ctx->prealloc, ptr)
             ? resize_in_prealloc(ctx, name, ptr, old_bytes, new_bytes)
             : ctx->allocator.realloc(ctx->allocator.ctx, ptr, old_bytes, new_bytes);
}

/* ---- counting ---- */

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
  if (is_refused_by_limit(ctx, name, old_bytes, new_bytes) ||
      is_refused_by_gate(ctx, name, old_bytes, new_bytes)) {
    return NULL;
  }
  void *moved = resize(ctx, name, ptr, old_bytes, new_bytes);
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
  bool by_limit = is_refused_by_limit(ctx, name, 0, bytes);
  if (!by_limit && snug__gate_room(&a->gate) < bytes) {
    return refuse_by_gate(ctx, account_texts[name], bytes);
  }
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
  zero(ctx, p, at_least_one);
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
