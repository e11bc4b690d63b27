#include "base/ctx.h"
#include "lib/fault.h"

static void *take(snug_ctx *ctx, snug__account_name name, size_t bytes) {
  void *p = NULL;
  ASSERT_OK(ctx, snug__take(ctx, name, bytes, &p));
  return p;
}

static snug_memory_info info_of(const snug_ctx *ctx) {
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  snug_memory_get(ctx, &info);
  return info;
}

static snug_memory_entry entry_of(const snug_ctx *ctx, snug__account_name name) {
  snug_memory_entry entry = SNUG_INIT(snug_memory_entry);
  snug_memory_entry_get(ctx, name, &entry);
  return entry;
}

static uint64_t base_of(const snug_ctx *ctx) { return entry_of(ctx, SNUG__MEM_CONTEXT).current; }

TEST(memory_is_zeroed) {
  snug_ctx *ctx = test_ctx();
  unsigned char *p = take(ctx, SNUG__MEM_WORK, 100);
  for (int i = 0; i < 100; i++) {
    ASSERT_EQ_INT(p[i], 0);
  }
  snug__give(ctx, SNUG__MEM_WORK, p, 100);
}

TEST(counts_by_name_and_in_all) {
  snug_ctx *ctx = test_ctx();
  void *w = take(ctx, SNUG__MEM_WEIGHTS, 100);
  void *d = take(ctx, SNUG__MEM_DATA, 50);
  ASSERT_EQ_UINT(entry_of(ctx, SNUG__MEM_WEIGHTS).current, 100);
  ASSERT_EQ_UINT(entry_of(ctx, SNUG__MEM_DATA).current, 50);
  ASSERT_EQ_UINT(info_of(ctx).current, base_of(ctx) + 150);
  ASSERT_EQ_UINT(info_of(ctx).allocations, 3);
  snug__give(ctx, SNUG__MEM_WEIGHTS, w, 100);
  snug__give(ctx, SNUG__MEM_DATA, d, 50);
  snug__give(ctx, SNUG__MEM_DATA, NULL, 50);
  ASSERT_EQ_UINT(info_of(ctx).current, base_of(ctx));
  ASSERT_EQ_UINT(info_of(ctx).peak, base_of(ctx) + 150);
}

TEST(names_and_their_texts) {
  snug_ctx *ctx = test_ctx();
  snug_memory_entry entry = SNUG_INIT(snug_memory_entry);
  ASSERT_EQ_UINT(snug_memory_names(ctx), SNUG__MEM_COUNT);
  ASSERT_EQ_TEXT(entry_of(ctx, SNUG__MEM_WEIGHTS).name, "weights");
  snug_memory_entry_get(ctx, SNUG__MEM_COUNT, &entry);
  ASSERT_EQ_TEXT(entry.name, "");
  ASSERT_EQ_TEXT(snug__account_text(SNUG__MEM_COUNT), "");
}

TEST(at_peak_is_the_state_at_the_moment_of_the_peak) {
  snug_ctx *ctx = test_ctx();
  void *w = take(ctx, SNUG__MEM_WEIGHTS, 100);
  void *d = take(ctx, SNUG__MEM_DATA, 50); /* the peak */
  snug__give(ctx, SNUG__MEM_DATA, d, 50);
  void *h = take(ctx, SNUG__MEM_HISTORY, 30); /* not as high */
  ASSERT_EQ_UINT(entry_of(ctx, SNUG__MEM_WEIGHTS).at_peak, 100);
  ASSERT_EQ_UINT(entry_of(ctx, SNUG__MEM_DATA).at_peak, 50);
  ASSERT_EQ_UINT(entry_of(ctx, SNUG__MEM_HISTORY).at_peak, 0);
  snug__give(ctx, SNUG__MEM_WEIGHTS, w, 100);
  snug__give(ctx, SNUG__MEM_HISTORY, h, 30);
}

TEST(reset_starts_from_what_is_held) {
  snug_ctx *ctx = test_ctx();
  void *w = take(ctx, SNUG__MEM_WEIGHTS, 100);
  snug__give(ctx, SNUG__MEM_DATA, take(ctx, SNUG__MEM_DATA, 50), 50);
  snug_memory_reset_peak(ctx);
  ASSERT_EQ_UINT(info_of(ctx).peak, base_of(ctx) + 100);
  ASSERT_EQ_UINT(entry_of(ctx, SNUG__MEM_WEIGHTS).at_peak, 100);
  ASSERT_EQ_UINT(entry_of(ctx, SNUG__MEM_DATA).at_peak, 0);
  snug__give(ctx, SNUG__MEM_WEIGHTS, w, 100);
}

TEST(resizing_moves_the_count) {
  snug_ctx *ctx = test_ctx();
  char *p = take(ctx, SNUG__MEM_DATA, 10);
  p[0] = 3;
  p = snug__realloc(ctx, SNUG__MEM_DATA, p, 10, 1000);
  ASSERT_EQ_INT(p[0], 3);
  ASSERT_EQ_UINT(entry_of(ctx, SNUG__MEM_DATA).current, 1000);
  p = snug__realloc(ctx, SNUG__MEM_DATA, p, 1000, 5);
  ASSERT_EQ_UINT(entry_of(ctx, SNUG__MEM_DATA).current, 5);
  ASSERT_EQ_UINT(info_of(ctx).peak, base_of(ctx) + 1000);
  snug__give(ctx, SNUG__MEM_DATA, p, 5);
}

TEST(the_limit_is_exact) {
  snug_ctx *ctx = test_ctx();
  void *p = NULL;
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, base_of(ctx) + 100));
  ASSERT_STATUS(ctx, snug__take(ctx, SNUG__MEM_WORK, 101, &p), SNUG_E_LIMIT,
                "no memory for 101 bytes of work");
  ASSERT_NULL(p);
  ASSERT_HAS(snug_message(ctx), "most of them by context");
  p = take(ctx, SNUG__MEM_WORK, 100);
  ASSERT_NULL(snug__realloc(ctx, SNUG__MEM_WORK, p, 100, 101));
  ASSERT_EQ_UINT(info_of(ctx).peak, base_of(ctx) + 100);
  p = snug__realloc(ctx, SNUG__MEM_WORK, p, 100, 60); /* less is always possible */
  ASSERT_NOT_NULL(p);
  ASSERT_NULL(snug__realloc(ctx, SNUG__MEM_WORK, NULL, 0, SIZE_MAX));
  snug__give(ctx, SNUG__MEM_WORK, p, 60);
}

TEST(a_limit_below_what_is_held_is_refused) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, snug_memory_set_limit(ctx, base_of(ctx) - 1), SNUG_E_LIMIT, "held already");
  ASSERT_EQ_UINT(info_of(ctx).limit, 0);
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, base_of(ctx)));
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, 0));
  snug__give(ctx, SNUG__MEM_WORK, take(ctx, SNUG__MEM_WORK, 1000), 1000);
}

TEST(a_refusal_by_the_allocator_changes_nothing) {
  snug_ctx *ctx = test_ctx();
  void *p = NULL;
  test_current_guard()->fail_at = test_current_guard()->n_requests;
  ASSERT_STATUS(ctx, snug__take(ctx, SNUG__MEM_PLAN, 64, &p), SNUG_E_MEMORY,
                "the allocator refused");
  ASSERT_EQ_UINT(info_of(ctx).current, base_of(ctx));
  ASSERT_EQ_UINT(info_of(ctx).allocations, 1);
}

TEST(nothing_is_still_a_block) {
  snug_ctx *ctx = test_ctx();
  void *p = take(ctx, SNUG__MEM_WORK, 0);
  ASSERT_NOT_NULL(p);
  snug__give(ctx, SNUG__MEM_WORK, p, 0);
}

TEST(arrays_are_checked_for_overflow) {
  snug_ctx *ctx = test_ctx();
  int64_t *p = NULL;
  ASSERT_STATUS(ctx, SNUG_NEW_ARRAY(ctx, SNUG__MEM_WORK, SIZE_MAX / 4, &p), SNUG_E_OVERFLOW,
                "more than memory can hold");
  ASSERT_NULL(p);
  ASSERT_OK(ctx, SNUG_NEW_ARRAY(ctx, SNUG__MEM_WORK, 7, &p));
  ASSERT_EQ_UINT(entry_of(ctx, SNUG__MEM_WORK).current, 56);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_WORK, p, 7);
  ASSERT_OK(ctx, SNUG_NEW(ctx, SNUG__MEM_WORK, &p));
  snug__give(ctx, SNUG__MEM_WORK, p, sizeof *p);
}

TEST(scopes_nest) {
  snug_ctx *ctx = test_ctx();
  uint64_t base = base_of(ctx);
  snug_scope outer;
  snug_scope inner;
  snug_scope_begin(ctx, &outer);
  void *w = take(ctx, SNUG__MEM_WEIGHTS, 100);
  snug_scope_begin(ctx, &inner);
  snug__give(ctx, SNUG__MEM_DATA, take(ctx, SNUG__MEM_DATA, 50), 50);
  ASSERT_OK(ctx, snug_scope_end(ctx, &inner));
  snug__give(ctx, SNUG__MEM_DATA, take(ctx, SNUG__MEM_DATA, 70), 70);
  snug__give(ctx, SNUG__MEM_WEIGHTS, w, 100);
  ASSERT_OK(ctx, snug_scope_end(ctx, &outer));
  ASSERT_EQ_UINT(inner.start, base + 100);
  ASSERT_EQ_UINT(inner.peak, base + 150);
  ASSERT_EQ_UINT(inner.end, base + 100);
  ASSERT_EQ_UINT(outer.start, base);
  ASSERT_EQ_UINT(outer.peak, base + 170);
  ASSERT_EQ_UINT(outer.end, base);
}

TEST(scopes_end_in_any_order) {
  snug_ctx *ctx = test_ctx();
  snug_scope s[3];
  for (int i = 0; i < 3; i++) {
    snug_scope_begin(ctx, &s[i]);
  }
  ASSERT_OK(ctx, snug_scope_end(ctx, &s[1]));
  snug__give(ctx, SNUG__MEM_DATA, take(ctx, SNUG__MEM_DATA, 50), 50);
  ASSERT_OK(ctx, snug_scope_end(ctx, &s[0]));
  ASSERT_OK(ctx, snug_scope_end(ctx, &s[2]));
  ASSERT_EQ_UINT(s[0].peak - s[0].start, 50);
  ASSERT_EQ_UINT(s[1].peak - s[1].start, 0);
  ASSERT_EQ_UINT(s[2].peak - s[2].start, 50);
}

TEST(a_scope_ends_once_and_where_it_began) {
  snug_ctx *ctx = test_ctx();
  snug_ctx *other = test_ctx();
  snug_scope scope;
  snug_scope_begin(ctx, &scope);
  ASSERT_STATUS(other, snug_scope_end(other, &scope), SNUG_E_STATE, "not open");
  ASSERT_OK(ctx, snug_scope_end(ctx, &scope));
  ASSERT_STATUS(ctx, snug_scope_end(ctx, &scope), SNUG_E_STATE, "not open");
}

TEST(a_scope_begun_twice_starts_anew) {
  snug_ctx *ctx = test_ctx();
  snug_scope outer;
  snug_scope scope;
  snug_scope_begin(ctx, &scope);
  snug_scope_begin(ctx, &outer);
  snug__give(ctx, SNUG__MEM_DATA, take(ctx, SNUG__MEM_DATA, 50), 50);
  snug_scope_begin(ctx, &scope);
  ASSERT_EQ_UINT(scope.peak, base_of(ctx));
  ASSERT_OK(ctx, snug_scope_end(ctx, &scope));
  ASSERT_OK(ctx, snug_scope_end(ctx, &outer));
}

TEST(reset_leaves_open_scopes_alone) {
  snug_ctx *ctx = test_ctx();
  snug_scope scope;
  snug_scope_begin(ctx, &scope);
  snug__give(ctx, SNUG__MEM_DATA, take(ctx, SNUG__MEM_DATA, 50), 50);
  snug_memory_reset_peak(ctx);
  ASSERT_EQ_UINT(scope.peak, base_of(ctx) + 50);
  ASSERT_EQ_UINT(info_of(ctx).peak, base_of(ctx));
  ASSERT_OK(ctx, snug_scope_end(ctx, &scope));
}
