/* What the whole process may hold. */
#include "base/gate.h"

#include <string.h>

#include "base/ctx.h"
#include "base/heap.h"
#include "lib/test.h"

#define MIB ((uint64_t)1 << 20)

static void *take(snug_ctx *ctx, size_t bytes) {
  void *p = NULL;
  ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_WORK, bytes, &p));
  return p;
}

TEST(what_would_pass_it_is_refused_and_never_touched) {
  snug_ctx *ctx = test_ctx();
  void *p = NULL;
  uint64_t held = snug__gate_held();
  ASSERT_TRUE(held > MIB);
  snug_memory_set_bound(ctx, held + 16 * MIB);
  ASSERT_STATUS(ctx, snug__take(ctx, SNUG__MEM_WORK, 17 * MIB, &p), SNUG_E_LIMIT,
                "no memory for 17.0 MiB of work: the process holds ");
  ASSERT_HAS(snug_message(ctx), " are needed at the least to go on");
  ASSERT_TRUE(snug__gate_needs(&ctx->account.gate, 17 * MIB) > held + 16 * MIB);
  ASSERT_NULL(p);
  ASSERT_TRUE(snug__gate_held() < held + MIB);
  void *half = take(ctx, 8 * MIB);
  ASSERT_STATUS(ctx, snug__take(ctx, SNUG__MEM_WORK, 9 * MIB, &p), SNUG_E_LIMIT, NULL);
  snug__give(ctx, SNUG__MEM_WORK, half, 8 * MIB);
}

TEST(small_pieces_come_to_the_same) {
  snug_ctx *ctx = test_ctx();
  void *pieces[4096] = {NULL};
  const size_t bytes = 64 << 10;
  const uint64_t most = snug__gate_held() + 32 * MIB;
  size_t n = 0;
  snug_memory_set_bound(ctx, most);
  while (n < SNUG_COUNT(pieces) && !snug__take(ctx, SNUG__MEM_PLAN, bytes, &pieces[n])) {
    n++;
  }
  ASSERT_TRUE(n > 16 && n < 512);
  ASSERT_TRUE(snug__gate_held() <= most);
  for (size_t i = 0; i < n; i++) {
    snug__give(ctx, SNUG__MEM_PLAN, pieces[i], bytes);
  }
}

/* Memory that is not Snug's. */
TEST(what_others_take_counts) {
  snug_ctx *ctx = test_ctx();
  const size_t bytes = 24 * MIB;
  void *p = NULL;
  snug_memory_set_bound(ctx, snug__gate_held() + 32 * MIB);
  void *other = snug__heap.realloc(NULL, NULL, 0, bytes);
  ASSERT_NOT_NULL(other);
  memset(other, 1, bytes);
  snug_status s = snug__take(ctx, SNUG__MEM_WORK, 12 * MIB, &p);
  snug__heap.realloc(NULL, other, bytes, 0);
  ASSERT_STATUS(ctx, s, SNUG_E_LIMIT, "no memory for 12.0 MiB");
#if !defined(__SANITIZE_ADDRESS__) /* which keeps what was given back */
  p = take(ctx, 12 * MIB);
  snug__give(ctx, SNUG__MEM_WORK, p, 12 * MIB);
#endif
}

TEST(what_a_library_takes_is_asked_for) {
  snug_ctx *ctx = test_ctx();
  snug_memory_set_bound(ctx, snug__gate_held() + 8 * MIB);
  ASSERT_OK(ctx, snug__admit(ctx, "parsed text", MIB));
  ASSERT_STATUS(ctx, snug__admit(ctx, "parsed text", 9 * MIB), SNUG_E_LIMIT,
                "no memory for 9.0 MiB of parsed text");
}

TEST(nobody_looks_unless_told) {
  snug__gate g = {0};
  ASSERT_TRUE(snug__gate_admits(&g, UINT64_MAX));
  ASSERT_EQ_UINT(snug__gate_room(&g), UINT64_MAX);
  ASSERT_EQ_UINT(snug__gate_tighten(&g, 0), 0);
  ASSERT_EQ_UINT(g.most, 0);
  ASSERT_EQ_UINT(snug__gate_tighten(&g, 100), 0);
  ASSERT_EQ_UINT(snug__gate_tighten(&g, 200), 100); /* never wider */
  ASSERT_EQ_UINT(g.most, 100);
}
