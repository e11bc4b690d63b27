#include "base/struct_size.h"

#include <stdio.h>
#include <string.h>

#include "lib/test.h"

/* A struct of three versions: the library has the second. */
typedef struct first {
  size_t struct_size;
  int64_t a;
} first;

typedef struct second {
  size_t struct_size;
  int64_t a;
  double b;
} second;

typedef struct third {
  size_t struct_size;
  int64_t a;
  double b;
  const char *c;
} third;

TEST(equal_is_copied) {
  snug_ctx *ctx = test_ctx();
  const second from = {sizeof from, 3, 0.5};
  second to;
  ASSERT_OK(ctx, SNUG__READ(ctx, second, &from, &to));
  ASSERT_EQ_BYTES(&to, &from, sizeof to);
}

TEST(null_is_all_defaults) {
  snug_ctx *ctx = test_ctx();
  second to;
  memset(&to, 0xA5, sizeof to);
  ASSERT_OK(ctx, SNUG__READ(ctx, second, NULL, &to));
  ASSERT_TRUE(to.struct_size == sizeof to && to.a == 0 && to.b == 0.0);
}

TEST(smaller_has_defaults_behind_it) {
  snug_ctx *ctx = test_ctx();
  const struct {
    first given;
    uint64_t not_part_of_it;
  } from = {{sizeof(first), 3}, UINT64_MAX};
  second to;
  memset(&to, 0xA5, sizeof to);
  ASSERT_OK(ctx, SNUG__READ(ctx, second, &from.given, &to));
  ASSERT_TRUE(to.struct_size == sizeof to && to.a == 3 && to.b == 0.0);
}

TEST(larger_is_taken_if_its_tail_is_zero) {
  snug_ctx *ctx = test_ctx();
  const third from = {sizeof from, 3, 0.5, NULL};
  second to;
  ASSERT_OK(ctx, SNUG__READ(ctx, second, &from, &to));
  ASSERT_TRUE(to.struct_size == sizeof to && to.a == 3 && to.b == 0.5);
}

TEST(larger_with_an_unknown_member_set_is_refused) {
  snug_ctx *ctx = test_ctx();
  const third from = {sizeof from, 3, 0.5, "new"};
  second to;
  char sizes[64];
  ASSERT_STATUS(ctx, SNUG__READ(ctx, second, &from, &to), SNUG_E_ARGUMENT, "headers of a newer");
  snprintf(sizes, sizeof sizes, "has %zu bytes there, this library (%s) knows %zu", sizeof from,
           snug_version(), sizeof to);
  ASSERT_HAS(snug_message(ctx), sizes);
}

TEST(every_byte_of_the_tail_counts) {
  snug_ctx *ctx = test_ctx();
  for (size_t i = sizeof(second); i < sizeof(third); i++) {
    third from = {.struct_size = sizeof from};
    second to;
    ((unsigned char *)&from)[i] = 1;
    ASSERT_STATUS(ctx, SNUG__READ(ctx, second, &from, &to), SNUG_E_ARGUMENT, "newer version");
  }
}

static const size_t absurd[] = {0,
                                1,
                                sizeof(size_t),
                                sizeof(second) - 1,
                                sizeof(second) + 1,
                                sizeof(second) + ((size_t)1 << 17),
                                SIZE_MAX - 7,
                                SIZE_MAX};

TEST(sizes_that_cannot_be_are_refused) {
  snug_ctx *ctx = test_ctx();
  for (size_t i = 0; i < SNUG_COUNT(absurd); i++) {
    const second from = {absurd[i], 3, 0.5};
    second to;
    ASSERT_STATUS(ctx, SNUG__READ(ctx, second, &from, &to), SNUG_E_ARGUMENT, "SNUG_INIT(second)");
    ASSERT_EQ_INT(SNUG__CHECK(ctx, second, &from), SNUG_E_ARGUMENT);
    ASSERT_EQ_INT(SNUG__READ(NULL, second, &from, &to), SNUG_E_ARGUMENT);
  }
}

TEST(what_is_written_is_what_both_know) {
  const second from = {sizeof from, 3, 0.5};
  first smaller[2] = {{sizeof(first), 0}, {77, 77}};
  second equal = {sizeof equal, 0, 0.0};
  third larger = {sizeof larger, 0, 0.0, "as it was"};
  SNUG__WRITE(second, &from, &smaller[0]);
  ASSERT_TRUE(smaller[0].struct_size == sizeof(first) && smaller[0].a == 3);
  ASSERT_TRUE(smaller[1].struct_size == 77 && smaller[1].a == 77);
  SNUG__WRITE(second, &from, &equal);
  ASSERT_EQ_BYTES(&equal, &from, sizeof equal);
  SNUG__WRITE(second, &from, &larger);
  ASSERT_TRUE(larger.struct_size == sizeof larger && larger.a == 3 && larger.b == 0.5);
  ASSERT_EQ_TEXT(larger.c, "as it was");
  SNUG__WRITE(second, &from, NULL);
}

TEST(nothing_is_written_where_the_size_cannot_be) {
  const second from = {sizeof from, 3, 0.5};
  for (size_t i = 0; i < SNUG_COUNT(absurd); i++) {
    second to = {absurd[i], 7, 7.0};
    SNUG__WRITE(second, &from, &to);
    ASSERT_TRUE(to.struct_size == absurd[i] && to.a == 7 && to.b == 7.0);
  }
}

/* The same by the public interface: a context for a program of another version. */
TEST(context_options_of_other_versions) {
  snug_ctx *ctx = NULL;
  snug_options older = {.struct_size = offsetof(snug_options, note), .threads = 1, .note = NULL};
  struct {
    snug_options known;
    uint64_t unknown;
  } newer = {{.struct_size = sizeof newer, .threads = 1}, 0};
  older.note = (snug_note *)(uintptr_t)1; /* behind its end: nobody looks */
  ASSERT_EQ_INT(snug_ctx_create(&older, &ctx), SNUG_OK);
  ASSERT_NULL(ctx->note);
  snug_ctx_destroy(ctx);
  ASSERT_EQ_INT(snug_ctx_create(&newer.known, &ctx), SNUG_OK);
  snug_ctx_destroy(ctx);
  newer.unknown = 1;
  ASSERT_EQ_INT(snug_ctx_create(&newer.known, &ctx), SNUG_E_ARGUMENT);
  ASSERT_NULL(ctx);
}
