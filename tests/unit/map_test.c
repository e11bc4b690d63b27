#include "base/map.h"

#include <stdio.h>

#include "lib/fault.h"

#define N 1000

static char keys[N][16];

static snug_status fill(snug_ctx *ctx, void *arg) {
  snug__map m;
  snug_status s = SNUG_OK;
  (void)arg;
  snug__map_init(&m, ctx, SNUG__MEM_MODEL);
  for (uint32_t i = 0; !s && i < N; i++) {
    snprintf(keys[i], sizeof keys[i], "key_%u", i);
    s = snug__map_set(&m, keys[i], 2 * i);
  }
  for (uint32_t i = 0; !s && i < N; i++) {
    ASSERT_EQ_UINT(snug__map_find(&m, keys[i]), 2 * i);
  }
  snug__map_release(&m);
  return s;
}

TEST(what_was_set_is_found) {
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, fill(ctx, NULL));
}

TEST(an_empty_map_has_nothing) {
  snug__map m;
  snug__map_init(&m, test_ctx(), SNUG__MEM_MODEL);
  ASSERT_EQ_UINT(snug__map_find(&m, "a"), SNUG__MAP_NONE);
  snug__map_release(&m);
}

TEST(setting_again_replaces) {
  snug_ctx *ctx = test_ctx();
  snug__map m;
  snug__map_init(&m, ctx, SNUG__MEM_MODEL);
  ASSERT_OK(ctx, snug__map_set(&m, "a", 1));
  ASSERT_OK(ctx, snug__map_set(&m, "", 2));
  ASSERT_OK(ctx, snug__map_set(&m, "a", 3));
  ASSERT_EQ_UINT(m.n, 2);
  ASSERT_EQ_UINT(snug__map_find(&m, "a"), 3);
  ASSERT_EQ_UINT(snug__map_find(&m, ""), 2);
  ASSERT_EQ_UINT(snug__map_find(&m, "b"), SNUG__MAP_NONE);
  snug__map_release(&m);
}

TEST(memory_may_fail_anywhere) { test_fault_sweep(fill, NULL); }
