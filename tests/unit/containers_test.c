/* vec, text and arena: the three that grow. */
#include <stdalign.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "lib/fault.h"

static void init_ints(snug__vec *v, snug_ctx *ctx, size_t max) {
  snug__vec_init(v, ctx, SNUG__MEM_SCRATCH, sizeof(int), max);
}

TEST(vec_keeps_what_was_pushed) {
  snug_ctx *ctx = test_ctx();
  snug__vec v;
  init_ints(&v, ctx, 1000);
  for (int i = 0; i < 1000; i++) {
    ASSERT_OK(ctx, snug__vec_push(&v, &i, 1));
  }
  for (int i = 0; i < 1000; i++) {
    ASSERT_EQ_INT(SNUG_VEC(&v, int, i), i);
  }
  ASSERT_EQ_UINT(v.capacity, 1000);
  snug__vec_release(&v);
  ASSERT_EQ_UINT(v.n, 0);
  ASSERT_OK(ctx, snug__vec_push(&v, NULL, 3)); /* may be used again; NULL is zeroes */
  ASSERT_EQ_INT(SNUG_VEC(&v, int, 2), 0);
  snug__vec_release(&v);
}

TEST(vec_pushes_few_moves) {
  snug_ctx *ctx = test_ctx();
  snug__vec v;
  init_ints(&v, ctx, 100000);
  for (int i = 0; i < 100000; i++) {
    ASSERT_OK(ctx, snug__vec_push(&v, &i, 1));
  }
  ASSERT_TRUE(test_current_guard()->n_requests < 30);
  snug__vec_release(&v);
}

TEST(vec_push_of_nothing) {
  snug_ctx *ctx = test_ctx();
  snug__vec v;
  init_ints(&v, ctx, 0);
  ASSERT_OK(ctx, snug__vec_push(&v, NULL, 0));
  ASSERT_OK(ctx, snug__vec_reserve(&v, 0));
  ASSERT_NULL(v.data);
  snug__vec_release(&v);
}

TEST(vec_stops_at_its_maximum) {
  snug_ctx *ctx = test_ctx();
  snug__vec v;
  init_ints(&v, ctx, 10);
  ASSERT_OK(ctx, snug__vec_push(&v, NULL, 10));
  ASSERT_STATUS(ctx, snug__vec_push(&v, NULL, 1), SNUG_E_OVERFLOW, "the most there may be is 10");
  ASSERT_STATUS(ctx, snug__vec_reserve(&v, SIZE_MAX), SNUG_E_OVERFLOW, "the most");
  ASSERT_EQ_UINT(v.n, 10);
  snug__vec_release(&v);
}

TEST(vec_of_more_than_memory) {
  snug_ctx *ctx = test_ctx();
  snug__vec v;
  init_ints(&v, ctx, SIZE_MAX);
  ASSERT_STATUS(ctx, snug__vec_reserve(&v, SIZE_MAX - 1), SNUG_E_OVERFLOW, "memory can hold");
  ASSERT_STATUS(ctx, snug__vec_reserve(&v, SIZE_MAX / 4), SNUG_E_MEMORY, "scratch");
  ASSERT_NULL(v.data);
  snug__vec_release(&v);
}

TEST(vec_says_limit_when_it_is_the_limit) {
  snug_ctx *ctx = test_ctx();
  snug__vec v;
  init_ints(&v, ctx, 1000);
  ASSERT_OK(ctx, snug__vec_push(&v, NULL, 10));
  ASSERT_OK(ctx, snug_memory_set_limit(ctx, sizeof(snug_ctx) + 100));
  ASSERT_STATUS(ctx, snug__vec_push(&v, NULL, 100), SNUG_E_LIMIT, "the limit is");
  ASSERT_EQ_UINT(v.n, 10);
  snug__vec_release(&v);
}

TEST(vec_reserve_makes_pushes_safe) {
  snug_ctx *ctx = test_ctx();
  snug__vec v;
  init_ints(&v, ctx, 1000);
  ASSERT_OK(ctx, snug__vec_reserve(&v, 100));
  test_current_guard()->fail_at = 0;
  test_current_guard()->fail_later_too = true;
  ASSERT_OK(ctx, snug__vec_push(&v, NULL, 100));
  snug__vec_release(&v);
}

TEST(text_appends) {
  snug_ctx *ctx = test_ctx();
  snug__text t;
  snug__text_init(&t, ctx, 100);
  ASSERT_EQ_TEXT(snug__text_get(&t), "");
  ASSERT_OK(ctx, snug__text_add(&t, "%s", ""));
  ASSERT_EQ_TEXT(snug__text_get(&t), "");
  ASSERT_OK(ctx, snug__text_add(&t, "%d", 12));
  ASSERT_OK(ctx, snug__text_add(&t, "-%s", "ab"));
  ASSERT_EQ_TEXT(snug__text_get(&t), "12-ab");
  snug__text_release(&t);
}

TEST(text_stops_at_its_maximum) {
  snug_ctx *ctx = test_ctx();
  snug__text t;
  snug__text_init(&t, ctx, 5); /* four letters and the NUL */
  ASSERT_OK(ctx, snug__text_add(&t, "abcd"));
  ASSERT_STATUS(ctx, snug__text_add(&t, "e"), SNUG_E_OVERFLOW, "the most");
  ASSERT_EQ_TEXT(snug__text_get(&t), "abcd");
  snug__text_release(&t);
}

TEST(arena_pieces_are_zeroed_aligned_and_stay) {
  snug_ctx *ctx = test_ctx();
  snug__arena a;
  char *pieces[300];
  snug__arena_init(&a, ctx, SNUG__MEM_GRAPH);
  for (int i = 0; i < 300; i++) {
    size_t bytes = (size_t)test_random_between(0, 3000);
    ASSERT_OK(ctx, snug__arena_take(&a, bytes, (void **)&pieces[i]));
    ASSERT_EQ_UINT((uintptr_t)pieces[i] % alignof(max_align_t), 0);
    for (size_t k = 0; k < bytes; k++) {
      ASSERT_EQ_INT(pieces[i][k], 0);
    }
    memset(pieces[i], i & 127, bytes);
    pieces[i] = bytes ? pieces[i] : NULL;
  }
  for (int i = 0; i < 300; i++) {
    ASSERT_EQ_INT(pieces[i] ? *pieces[i] : i & 127, i & 127);
  }
  snug__arena_release(&a);
  snug__arena_release(&a);
}

TEST(arena_takes_large_pieces) {
  snug_ctx *ctx = test_ctx();
  snug__arena a;
  void *p = NULL;
  snug__arena_init(&a, ctx, SNUG__MEM_GRAPH);
  ASSERT_OK(ctx, snug__arena_take(&a, 1000000, &p));
  memset(p, 1, 1000000);
  ASSERT_OK(ctx, snug__arena_take(&a, 10, &p));
  ASSERT_STATUS(ctx, snug__arena_take(&a, SIZE_MAX / 2, &p), SNUG_E_OVERFLOW, "too large");
  ASSERT_NULL(p);
  snug__arena_release(&a);
}

TEST(arena_copies_text) {
  snug_ctx *ctx = test_ctx();
  snug__arena a;
  const char *copy = NULL;
  char text[] = "conv1";
  snug__arena_init(&a, ctx, SNUG__MEM_GRAPH);
  ASSERT_OK(ctx, snug__arena_text(&a, text, &copy));
  text[0] = 'x';
  ASSERT_EQ_TEXT(copy, "conv1");
  snug__arena_release(&a);
}

static snug_status use_all(snug_ctx *ctx, void *arg) {
  snug__arena a;
  snug__text t;
  const char *copy = arg;
  snug__arena_init(&a, ctx, SNUG__MEM_GRAPH);
  snug__text_init(&t, ctx, 100000);
  snug_status status = SNUG_OK;
  for (int i = 0; i < 500 && !status; i++) {
    status = snug__text_add(&t, "%d ", i);
    status = status ? status : snug__arena_text(&a, snug__text_get(&t), &copy);
  }
  snug__arena_release(&a);
  snug__text_release(&t);
  return status;
}

TEST(containers_survive_any_refusal) { test_fault_sweep(use_all, NULL); }
