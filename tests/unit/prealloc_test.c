/* Memory that was taken ahead: cutting and joining, and how the account sees it. */
#include "base/prealloc.h"

#include <string.h>

#include "base/ctx.h"
#include "lib/test.h"

#define GRAIN SNUG__PREALLOC_GRAIN

static _Alignas(64) char room[64 * 64];

static snug__prealloc all_of_room(void) {
  snug__prealloc s;
  snug__prealloc_open(&s, room, sizeof room);
  return s;
}

/* The invariant: sorted gaps that do not touch and add up to idle. */
static size_t gaps_of(const snug__prealloc *s) {
  size_t n = 0, sum = 0;
  for (const snug__gap *g = s->gaps; g; g = g->next) {
    ASSERT_TRUE(!g->next || (const char *)g + g->bytes < (const char *)g->next);
    sum += g->bytes;
    n++;
  }
  ASSERT_EQ_UINT(sum, s->idle);
  return n;
}

TEST(pieces_join_in_any_order) {
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (size_t k = 0; k < SNUG_COUNT(orders); k++) {
    snug__prealloc s = all_of_room();
    void *p[3];
    for (int i = 0; i < 3; i++) {
      p[i] = snug__prealloc_take(&s, 100);
      ASSERT_TRUE(snug__prealloc_has(&s, p[i]));
    }
    ASSERT_EQ_UINT(s.idle, sizeof room - 3 * 2 * GRAIN);
    for (int i = 0; i < 3; i++) {
      snug__prealloc_give(&s, p[orders[k][i]], 100);
      gaps_of(&s);
    }
    ASSERT_EQ_UINT(gaps_of(&s), 1);
    ASSERT_EQ_UINT(s.idle, sizeof room);
  }
}

TEST(a_gap_in_the_middle_is_used_again) {
  snug__prealloc s = all_of_room();
  snug__prealloc_take(&s, GRAIN);
  void *middle = snug__prealloc_take(&s, 2 * GRAIN);
  snug__prealloc_take(&s, GRAIN);
  snug__prealloc_give(&s, middle, 2 * GRAIN);
  ASSERT_EQ_UINT(gaps_of(&s), 2);
  ASSERT_TRUE(snug__prealloc_take(&s, 1) == middle);
  ASSERT_TRUE((char *)snug__prealloc_take(&s, GRAIN) == (char *)middle + GRAIN);
  ASSERT_EQ_UINT(gaps_of(&s), 1);
}

TEST(what_does_not_fit_is_not_given) {
  snug__prealloc s = all_of_room();
  snug__prealloc none = {0};
  ASSERT_FALSE(snug__prealloc_fits(&s, sizeof room + 1));
  ASSERT_NULL(snug__prealloc_take(&s, sizeof room + 1));
  ASSERT_NULL(snug__prealloc_take(&s, SIZE_MAX));
  ASSERT_NOT_NULL(snug__prealloc_take(&s, sizeof room));
  ASSERT_NULL(snug__prealloc_take(&s, 1));
  ASSERT_FALSE(snug__prealloc_has(&s, room + sizeof room));
  ASSERT_FALSE(snug__prealloc_has(&s, NULL));
  ASSERT_NULL(snug__prealloc_take(&none, 1));
  ASSERT_FALSE(snug__prealloc_has(&none, NULL));
}

/* ---- the account ---- */

static snug_memory_info info_of(const snug_ctx *ctx) {
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  snug_memory_get(ctx, &info);
  return info;
}

TEST(preallocated_is_not_in_use) {
  snug_ctx *ctx = test_ctx();
  uint64_t base = info_of(ctx).current;
  void *work = NULL, *plan = NULL;
  ASSERT_OK(ctx, snug_memory_preallocate(ctx, "cpu", 1000));
  ASSERT_EQ_UINT(info_of(ctx).preallocated, 1024);
  ASSERT_EQ_UINT(info_of(ctx).idle, 1024);
  ASSERT_EQ_UINT(info_of(ctx).current, base);
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_WORK, 300, &work));
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_PLAN, 100, &plan)); /* no value: not of the device */
  ASSERT_TRUE(snug__prealloc_has(&ctx->prealloc, work));
  ASSERT_FALSE(snug__prealloc_has(&ctx->prealloc, plan));
  ASSERT_EQ_UINT(info_of(ctx).current, base + 400);
  ASSERT_EQ_UINT(info_of(ctx).idle, 1024 - 320);
  snug__give(ctx, SNUG__MEM_PLAN, plan, 100);
  snug__give(ctx, SNUG__MEM_WORK, work, 300);
  ASSERT_EQ_UINT(info_of(ctx).idle, 1024);
  ASSERT_EQ_UINT(info_of(ctx).peak, base + 400);
}

TEST(what_is_too_large_is_taken_as_needed) {
  snug_ctx *ctx = test_ctx();
  char *p = NULL;
  ASSERT_OK(ctx, snug_memory_preallocate(ctx, "cpu", 1024));
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_WORK, 2000, (void **)&p));
  ASSERT_EQ_UINT(info_of(ctx).idle, 1024);
  snug__give(ctx, SNUG__MEM_WORK, p, 2000);
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_WORK, 500, (void **)&p));
  memset(p, 7, 500);
  p = snug__realloc(ctx, SNUG__MEM_WORK, p, 500, 2000); /* out of it */
  ASSERT_FALSE(snug__prealloc_has(&ctx->prealloc, p));
  ASSERT_EQ_INT(p[499], 7);
  ASSERT_EQ_UINT(info_of(ctx).idle, 1024);
  snug__give(ctx, SNUG__MEM_WORK, p, 2000);
}

TEST(a_piece_is_zeroed_when_it_is_cut_again) {
  snug_ctx *ctx = test_ctx();
  char *p = NULL;
  ASSERT_OK(ctx, snug_memory_preallocate(ctx, "cpu", 512));
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_WORK, 512, (void **)&p));
    for (int k = 0; k < 512; k++) {
      ASSERT_EQ_INT(p[k], 0);
    }
    memset(p, 1, 512);
    snug__give(ctx, SNUG__MEM_WORK, p, 512);
  }
}

TEST(a_limit_counts_what_was_preallocated) {
  snug_ctx *ctx = test_ctx();
  uint64_t base = info_of(ctx).current;
  void *p = NULL;
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, base + 1024));
  ASSERT_STATUS(ctx, snug_memory_preallocate(ctx, "cpu", 1025), SNUG_E_LIMIT, "the limit is");
  ASSERT_EQ_UINT(info_of(ctx).preallocated, 0);
  ASSERT_OK(ctx, snug_memory_preallocate(ctx, "cpu", 1024));
  ASSERT_STATUS(ctx, snug__take(ctx, SNUG__MEM_PLAN, 1, &p), SNUG_E_LIMIT, "the limit is");
  ASSERT_STATUS(ctx, snug_memory_set_limit(ctx, base + 1023), SNUG_E_LIMIT, "too late");
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_WORK, 1024, &p));
  ASSERT_EQ_UINT(info_of(ctx).current, info_of(ctx).limit);
  snug__give(ctx, SNUG__MEM_WORK, p, 1024);
}

TEST(too_late_says_so_and_changes_nothing) {
  snug_ctx *ctx = test_ctx();
  void *p = NULL;
  ASSERT_OK(ctx, snug_memory_preallocate(ctx, "cpu", 4096));
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_MODEL, 10, &p));
  for (uint64_t bytes = 0; bytes <= 8192; bytes += 8192) {
    ASSERT_STATUS(ctx, snug_memory_preallocate(ctx, "cpu", bytes), SNUG_E_STATE,
                  "comes too late: 10 are held already");
    ASSERT_EQ_UINT(info_of(ctx).preallocated, 4096);
  }
  snug__give(ctx, SNUG__MEM_MODEL, p, 10);
  ASSERT_OK(ctx, snug_memory_preallocate(ctx, "cpu", 8192)); /* nothing is held any more */
  ASSERT_EQ_UINT(info_of(ctx).preallocated, 8192);
  ASSERT_OK(ctx, snug_memory_preallocate(ctx, "cpu", 0));
  ASSERT_EQ_UINT(info_of(ctx).preallocated + info_of(ctx).idle, 0);
}

TEST(devices_are_found_by_name) {
  snug_ctx *ctx = test_ctx();
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  ASSERT_EQ_UINT(snug_memory_devices(ctx), 1);
  ASSERT_EQ_TEXT(snug_memory_device_name(ctx, 0), "cpu");
  ASSERT_EQ_TEXT(snug_memory_device_name(ctx, 1), "");
  ASSERT_OK(ctx, snug_memory_device_get(ctx, "cpu", &info));
  ASSERT_EQ_UINT(info.current, info_of(ctx).current);
  ASSERT_STATUS(ctx, snug_memory_device_get(ctx, "gpu:0", &info), SNUG_E_ARGUMENT,
                "no device \"gpu:0\" here; there is: cpu");
  ASSERT_STATUS(ctx, snug_memory_preallocate(ctx, "gpu:0", 1), SNUG_E_ARGUMENT, "gpu:0");
  ASSERT_STATUS(ctx, snug_memory_preallocate(ctx, NULL, 1), SNUG_E_ARGUMENT, "no device \"\"");
}

TEST(an_allocator_that_refuses_leaves_all_as_it_was) {
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, snug_memory_preallocate(ctx, "cpu", 4096));
  test_current_guard()->fail_at = test_current_guard()->n_requests;
  ASSERT_STATUS(ctx, snug_memory_preallocate(ctx, "cpu", 8192), SNUG_E_MEMORY,
                "8192 bytes are not preallocated");
  ASSERT_EQ_UINT(info_of(ctx).preallocated, 4096);
  ASSERT_STATUS(ctx, snug_memory_preallocate(ctx, "cpu", UINT64_MAX), SNUG_E_OVERFLOW, "more than");
}
