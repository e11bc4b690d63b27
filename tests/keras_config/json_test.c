#include <math.h>
#include <stdio.h>
#include <string.h>

#include "keras/json.h"
#include "lib/fault.h"

static snug__json *parse(snug_ctx *ctx, const char *text) {
  snug__json *j = NULL;
  ASSERT_OK(ctx, snug__json_read(ctx, "f", text, strlen(text), &j));
  return j;
}

static snug_status refuse(snug_ctx *ctx, const char *text, size_t bytes) {
  snug__json *j = NULL;
  snug_status s = snug__json_read(ctx, "f", text, bytes, &j);
  ASSERT_NULL(j);
  return s;
}

TEST(special_numbers) {
  snug_ctx *ctx = test_ctx();
  double v = 0.0;
  snug__json *j = parse(ctx,
                        "{\"a\": NaN, \"b\": [Infinity, -Infinity, 0.5], \"NaN\": \"NaN \\\" "
                        "Infinity\"}");
  ASSERT_TRUE(snug__json_number(snug__json_get(j, "a"), &v) && isnan(v));
  ASSERT_NULL(snug__json_text(snug__json_get(j, "a")));
  ASSERT_TRUE(snug__json_number(snug__json_at(snug__json_get(j, "b"), 0), &v) && v == INFINITY);
  ASSERT_TRUE(snug__json_number(snug__json_at(snug__json_get(j, "b"), 1), &v) && v == -INFINITY);
  ASSERT_EQ_TEXT(snug__json_text(snug__json_get(j, "NaN")), "NaN \" Infinity");
  snug__json_free(j);
}

TEST(ids_have_64_bits_and_the_last_key_counts) {
  snug_ctx *ctx = test_ctx();
  int64_t v = 0;
  snug__json *j = parse(ctx, "{\"id\": 1, \"id\": 9223372036854775807, \"x\": 2.0}");
  ASSERT_EQ_UINT(snug__json_count(j), 2);
  ASSERT_TRUE(snug__json_int(snug__json_get(j, "id"), &v));
  ASSERT_TRUE(v == INT64_MAX);
  ASSERT_FALSE(snug__json_int(snug__json_get(j, "x"), &v));
  snug__json_free(j);
}

TEST(members_stand_in_the_order_of_the_file) {
  snug_ctx *ctx = test_ctx();
  char keys[8] = "";
  snug__json *j = parse(ctx, "{\"z\": 1, \"a\": 2, \"m\": 3}");
  for (snug__json_member x = snug__json_first(j); x.key; x = snug__json_next(j, x)) {
    size_t n = strlen(keys);
    snprintf(keys + n, sizeof keys - n, "%s", x.key);
  }
  ASSERT_EQ_TEXT(keys, "zam");
  snug__json_free(j);
}

TEST(questions_that_do_not_fit_have_no_answer) {
  snug_ctx *ctx = test_ctx();
  int64_t whole = 7;
  double v = 7.0;
  snug__json *j = parse(ctx, "[1, \"a\", null]");
  ASSERT_NULL(snug__json_get(j, "a"));
  ASSERT_NULL(snug__json_at(j, 3));
  ASSERT_NULL(snug__json_text(snug__json_at(j, 0)));
  ASSERT_FALSE(snug__json_int(snug__json_at(j, 1), &whole));
  ASSERT_FALSE(snug__json_number(NULL, &v));
  ASSERT_TRUE(snug__json_is_null(snug__json_at(j, 2)));
  ASSERT_EQ_UINT(snug__json_count(snug__json_at(j, 0)), 0);
  ASSERT_NULL(snug__json_first(j).key);
  snug__json_free(j);
}

TEST(says_where_it_is_wrong) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, refuse(ctx, "{\"a\":\n  }", 9), SNUG_E_FORMAT, "line 2");
  ASSERT_STATUS(ctx, refuse(ctx, "", 0), SNUG_E_FORMAT, "f: config.json is not JSON");
  ASSERT_STATUS(ctx, refuse(ctx, "{\"a\": \"\xff\"}", 10), SNUG_E_FORMAT, "byte 0xff");
  ASSERT_STATUS(ctx, refuse(ctx, "{} x", 4), SNUG_E_FORMAT, "f: config.json is not JSON");
  ASSERT_STATUS(ctx, refuse(ctx, "[99999999999999999999]", 22), SNUG_E_FORMAT, "integer");
  ASSERT_STATUS(ctx, refuse(ctx, "[\"a", 3), SNUG_E_FORMAT, "line 1");
  ASSERT_STATUS(ctx, refuse(ctx, "[\"a\\", 4), SNUG_E_FORMAT, "line 1");
  ASSERT_STATUS(ctx, refuse(ctx, "[Na, NaN]", 9), SNUG_E_FORMAT, "line 1");
}

TEST(a_million_brackets_are_refused_before_they_are_parsed) {
  snug_ctx *ctx = test_ctx();
  enum { N = 1000000 };
  static char text[N];
  memset(text, '[', sizeof text);
  ASSERT_STATUS(ctx, refuse(ctx, text, sizeof text), SNUG_E_FORMAT, "nested 1000000 deep");
}

TEST(a_million_empty_lists_are_no_config) {
  snug_ctx *ctx = test_ctx();
  enum { N = 1000000 };
  static char text[3 * N + 1];
  for (int i = 0; i < N; i++) {
    memcpy(text + 1 + 3 * i, "[],", 3);
  }
  text[0] = '[';
  text[sizeof text - 1] = ']';
  ASSERT_STATUS(ctx, refuse(ctx, text, sizeof text), SNUG_E_FORMAT, "no config");
}

static snug_status scenario(snug_ctx *ctx, void *arg) {
  snug__json *j = NULL;
  const char *text = arg;
  snug_status s = snug__json_read(ctx, "f", text, strlen(text), &j);
  if (!s) {
    snug__json_free(j);
  }
  return s;
}

TEST(every_failure_of_memory) {
  char text[] = "{\"a\": [NaN, 1]}";
  test_fault_sweep(scenario, text);
}
