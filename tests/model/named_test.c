#include "model/named.h"

#include <string.h>

#include "lib/test.h"

typedef struct options {
  double a, b;
  snug_ints list;
  char word[SNUG__NAME_BYTES];
} options;

static const snug__field fields[] = {SNUG_FIELD(options, a, FLOAT, "1"),
                                     SNUG_FIELD(options, b, FLOAT, "2"),
                                     SNUG_FIELD(options, list, INTS, "[]"),
                                     SNUG_FIELD(options, word, TEXT, "\"\""),
                                     {0}};
static const snug__named things[] = {{"first_thing one", fields}, {"other", NULL}};
static const snug__named_set set = SNUG_NAMED_SET("thing", "maker", things);

static options parse(const char *text, size_t expected) {
  snug_ctx *ctx = test_ctx();
  options o;
  size_t found = 9;
  ASSERT_OK(ctx, snug__named_parse(ctx, &set, NULL, text, &o, sizeof o, &found));
  ASSERT_EQ_UINT(found, expected);
  test_ctx_end(ctx);
  return o;
}

TEST(names_have_many_forms) {
  static const char *const same[] = {
      "first_thing",           "FirstThing", " one ", "ONE()", "one ( )", "FirstThingMaker",
      "first_thing_maker(a=1)"};
  for (size_t i = 0; i < SNUG_COUNT(same); i++) {
    parse(same[i], 0);
    ASSERT_TRUE(snug__named_is_known(&set, same[i]));
  }
  parse("other", 1);
  ASSERT_TRUE(!snug__named_is_known(&set, "two"));
  ASSERT_TRUE(!snug__named_is_known(&set, ""));
  ASSERT_TRUE(!snug__named_is_known(&set, "maker"));
}

TEST(arguments_by_place_and_by_name) {
  options o = parse("one(3, 4)", 0);
  ASSERT_NEAR(o.a, 3, 0);
  ASSERT_NEAR(o.b, 4, 0);
  o = parse("one(3, list=[1, 2], b=7,)", 0);
  ASSERT_NEAR(o.a, 3, 0);
  ASSERT_NEAR(o.b, 7, 0);
  ASSERT_EQ_INT(o.list.n, 2);
  o = parse("one(b = 5 a=6)", 0);
  ASSERT_NEAR(o.a, 6, 0);
  ASSERT_NEAR(o.b, 5, 0);
  o = parse("one(word=it's, a=8)", 0);
  ASSERT_EQ_TEXT(o.word, "it's");
  ASSERT_NEAR(o.a, 8, 0);
  o = parse("one(word='a, b', a=9)", 0);
  ASSERT_EQ_TEXT(o.word, "a, b");
  ASSERT_NEAR(o.a, 9, 0);
  o = parse("one(1, 2, [3], \"x, (y\")", 0);
  ASSERT_EQ_INT(o.list.v[0], 3);
  ASSERT_EQ_TEXT(o.word, "x, (y");
}

static void check_refused(const char *where, const char *text, const char *part) {
  snug_ctx *ctx = test_ctx();
  options o;
  size_t found = 0;
  ASSERT_STATUS(ctx, snug__named_parse(ctx, &set, where, text, &o, sizeof o, &found),
                SNUG_E_ARGUMENT, part);
  test_ctx_end(ctx);
}

TEST(what_is_wrong_is_named) {
  char text[2 * SNUG__NAMED_TEXT_BYTES];
  check_refused(NULL, "two", "there is no thing 'two'; known: first_thing, other");
  check_refused("dense", "two", "dense: there is no thing 'two'");
  check_refused(NULL, "", "there is no thing ''");
  check_refused("dense", "one(c=1)", "dense: thing one: there is no 'c' here; known: a, b");
  check_refused("dense", "other(1)", "dense: thing other: '1': too many arguments");
  check_refused(NULL, "one(1,2,3,4,5)", "'5': too many arguments");
  check_refused(NULL, "one(a=1, 2)", "'2': it stands behind an argument with a name");
  check_refused(NULL, "one(1, a=2)", "a is given twice");
  check_refused(NULL, "one(1", "parentheses");
  check_refused(NULL, "one 1", "'1' behind the name");
  check_refused(NULL, "one(1))", "a=1): expected a number");
  check_refused(NULL, "one(a=)", "a=: expected a number");
  check_refused(NULL, "one(=3)", "a==3: expected a number");
  memset(text, '1', sizeof text);
  memcpy(text, "one(", 4);
  memcpy(text + sizeof text - 2, ")", 2);
  check_refused(NULL, text, "arguments of more than 1023 characters");
}

TEST(a_thing_as_argument) {
  static const char *const texts[] = {"one(Inner(1, 2), b=3)", "one(b=3, a=Inner(1, 2))",
                                      "one(b=3 a=Inner(1, 2) list=[])"};
  for (size_t i = 0; i < SNUG_COUNT(texts); i++) {
    snug_ctx *ctx = test_ctx();
    snug__named_call call;
    char value[SNUG__NAMED_TEXT_BYTES];
    options o;
    ASSERT_OK(ctx, snug__named_read(ctx, &set, NULL, texts[i], &call));
    snug__named_take(&call, "b", value);
    ASSERT_EQ_TEXT(value, "");
    snug__named_take(&call, "a", value);
    ASSERT_EQ_TEXT(value, "Inner(1, 2)");
    ASSERT_OK(ctx, snug__named_apply(ctx, &call, &o, sizeof o));
    ASSERT_NEAR(o.a, 1, 0);
    ASSERT_NEAR(o.b, 3, 0);
    test_ctx_end(ctx);
  }
}
