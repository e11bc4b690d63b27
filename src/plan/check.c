/* The independent check of a packing: a sweep over time, O(n log n).
 *
 * Buffers are ranked by offset.  The ones alive now are bits in an ordered set of ranks; as long as
 * those do not overlap, a buffer that is born can only collide with its neighbours in the set, so
 * two comparisons per birth are enough.  Shares nothing with the search but the sort. */
#include "base/size.h"
#include "plan/sort.h"
#include "snug/tools/pack.h"

#include "base/ctx.h"

#define WORD_BITS 64
#define LEVELS 6 /* 64^6 > 2^31 */

/* A set of ranks: level 0 has one bit per rank, each level above one bit per non-zero word. */
typedef struct rank_set {
  uint64_t *words;
  int64_t begin[LEVELS + 1]; /* where the words of a level start */
} rank_set;

typedef struct sweep {
  snug_ctx *ctx;
  const snug_pack_item *items;
  const int64_t *offsets;
  int32_t n;
  snug__key *births, *deaths, *ranked, *scratch; /* ids by lower, by upper, by offset */
  int32_t *rank;                                 /* of an id */
  rank_set alive;
} sweep;

static void set_layout(rank_set *s, int64_t n) {
  int64_t words = (n + WORD_BITS - 1) / WORD_BITS;
  s->begin[0] = 0;
  for (int level = 0; level < LEVELS; level++) {
    s->begin[level + 1] = s->begin[level] + words;
    words = (words + WORD_BITS - 1) / WORD_BITS;
  }
}

static void set_add(rank_set *s, int64_t rank) {
  for (int level = 0; level < LEVELS; level++, rank /= WORD_BITS) {
    s->words[s->begin[level] + rank / WORD_BITS] |= UINT64_C(1) << (rank % WORD_BITS);
  }
}

static void set_remove(rank_set *s, int64_t rank) {
  for (int level = 0; level < LEVELS; level++, rank /= WORD_BITS) {
    uint64_t *word = &s->words[s->begin[level] + rank / WORD_BITS];
    *word &= ~(UINT64_C(1) << (rank % WORD_BITS));
    if (*word) {
      return;
    }
  }
}

/* The lowest (or highest) member below the word `at` of a level. */
static int64_t descend(const rank_set *s, int level, int64_t at, bool lowest) {
  for (;; level--) {
    uint64_t word = s->words[s->begin[level] + at];
    int bit = lowest ? __builtin_ctzll(word) : WORD_BITS - 1 - __builtin_clzll(word);
    at = at * WORD_BITS + bit;
    if (level == 0) {
      return at;
    }
  }
}

/* The nearest member above rank, or below it; -1 if there is none. */
static int64_t set_next(const rank_set *s, int64_t rank, bool above) {
  for (int level = 0; level < LEVELS; level++, rank /= WORD_BITS) {
    uint64_t word = s->words[s->begin[level] + rank / WORD_BITS];
    uint64_t bit = UINT64_C(1) << (rank % WORD_BITS);
    uint64_t rest = above ? word & ~(bit | (bit - 1)) : word & (bit - 1);
    if (rest) {
      int64_t base = rank / WORD_BITS * WORD_BITS;
      int64_t at = base + (above ? __builtin_ctzll(rest) : WORD_BITS - 1 - __builtin_clzll(rest));
      return level ? descend(s, level - 1, at, above) : at;
    }
  }
  return -1;
}

static snug_status check_item(const sweep *w, int32_t i, int64_t height) {
  const snug_pack_item *item = &w->items[i];
  int64_t offset = w->offsets[i];
  if (item->lower >= item->upper || item->size < 0 || item->align < 1) {
    return snug__fail(w->ctx, SNUG_E_ARGUMENT, "pack check: buffer %d is not a valid buffer",
                      (int)i);
  }
  if (offset < 0 || offset % item->align) {
    return snug__fail(w->ctx, SNUG_E_INTERNAL,
                      "pack check: buffer %d has offset %lld, not a multiple of its alignment %lld",
                      (int)i, (long long)offset, (long long)item->align);
  }
  if (item->size > height || offset > height - item->size) {
    return snug__fail(
        w->ctx, SNUG_E_INTERNAL,
        "pack check: buffer %d of %lld bytes at offset %lld reaches above the height %lld", (int)i,
        (long long)item->size, (long long)offset, (long long)height);
  }
  return SNUG_OK;
}

static snug_status fail_overlap(const sweep *w, int32_t a, int32_t b) {
  return snug__fail(w->ctx, SNUG_E_INTERNAL,
                    "pack check: buffers %d (offset %lld, size %lld) and %d (offset %lld, size "
                    "%lld) overlap while both are alive",
                    (int)a, (long long)w->offsets[a], (long long)w->items[a].size, (int)b,
                    (long long)w->offsets[b], (long long)w->items[b].size);
}

static snug_status birth(sweep *w, int32_t id) {
  int64_t below = set_next(&w->alive, w->rank[id], false);
  int64_t above = set_next(&w->alive, w->rank[id], true);
  if (below >= 0) {
    int32_t b = w->ranked[below].id;
    if (w->offsets[b] + w->items[b].size > w->offsets[id]) {
      return fail_overlap(w, b, id);
    }
  }
  if (above >= 0) {
    int32_t a = w->ranked[above].id;
    if (w->offsets[id] + w->items[id].size > w->offsets[a]) {
      return fail_overlap(w, id, a);
    }
  }
  set_add(&w->alive, w->rank[id]);
  return SNUG_OK;
}

static snug_status run_sweep(sweep *w, int32_t n_sized) {
  int32_t dead = 0;
  for (int32_t i = 0; i < n_sized; i++) {
    int32_t id = w->births[i].id;
    while (w->deaths[dead].key <= w->births[i].key) {
      set_remove(&w->alive, w->rank[w->deaths[dead++].id]);
    }
    SNUG_TRY(birth(w, id));
  }
  return SNUG_OK;
}

/* Rank the buffers that have bytes at all; the others cannot overlap anything. */
static int32_t sort_all(sweep *w) {
  int32_t n = 0;
  for (int32_t i = 0; i < w->n; i++) {
    if (w->items[i].size > 0) {
      w->births[n] = (snug__key){w->items[i].lower, i};
      w->deaths[n] = (snug__key){w->items[i].upper, i};
      w->ranked[n++] = (snug__key){w->offsets[i], i};
    }
  }
  snug__sort_keys(w->births, w->scratch, n);
  snug__sort_keys(w->deaths, w->scratch, n);
  snug__sort_keys(w->ranked, w->scratch, n);
  for (int32_t i = 0; i < n; i++) {
    w->rank[w->ranked[i].id] = i;
  }
  return n;
}

static snug_status take_all(sweep *w) {
  set_layout(&w->alive, w->n);
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->n, &w->births));
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->n, &w->deaths));
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->n, &w->ranked));
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->n, &w->scratch));
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->n, &w->rank));
  return SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->alive.begin[LEVELS], &w->alive.words);
}

static void give_all(sweep *w) {
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->births, w->n);
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->deaths, w->n);
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->ranked, w->n);
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->scratch, w->n);
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->rank, w->n);
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->alive.words, w->alive.begin[LEVELS]);
}

snug_status snug_pack_check(snug_ctx *ctx, const snug_pack_item *items, size_t n,
                            const int64_t *offsets, int64_t height) {
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  if (n > INT32_MAX || (n && (!items || !offsets))) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "pack check: %zu buffers cannot be checked", n);
  }
  sweep w = {.ctx = ctx, .items = items, .offsets = offsets, .n = (int32_t)n};
  for (int32_t i = 0; i < w.n; i++) {
    SNUG_TRY(check_item(&w, i, height));
  }
  snug_status status = take_all(&w);
  if (!status) {
    status = run_sweep(&w, sort_all(&w));
  }
  give_all(&w);
  return status;
}
