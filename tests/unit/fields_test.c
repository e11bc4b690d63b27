#include "base/fields.h"

#include <stdio.h>
#include <string.h>

#include "lib/fault.h"

typedef struct params {
  int64_t units;
  double rate;
  bool bias;
  int32_t padding;
  snug_ints strides;
  snug_floats betas;
  char name[SNUG__NAME_BYTES];
} params;

static const char *const paddings[] = {"valid", "same", NULL};

static const snug__field table[] = {
    SNUG_FIELD(params, units, INT, NULL),       SNUG_FIELD(params, rate, FLOAT, "0.001"),
    SNUG_FIELD(params, bias, BOOL, "true"),     SNUG_CHOICE(params, padding, paddings, "valid"),
    SNUG_FIELD(params, strides, INTS, "[1,1]"), SNUG_FIELD(params, betas, FLOATS, "[0.9,0.999]"),
    SNUG_FIELD(params, name, TEXT, "\"\""),     {NULL, 0, 0, NULL, NULL}};

static snug_status parse(snug_ctx *ctx, const char *text, params *out) {
  memset(out, 0, sizeof *out);
  return snug__fields_parse(ctx, "Layer x", table, text, out);
}

static void check_refused(const char *text, const char *message) {
  snug_ctx *ctx = test_ctx();
  params p;
  ASSERT_STATUS(ctx, parse(ctx, text, &p), SNUG_E_ARGUMENT, NULL);
  ASSERT_EQ_TEXT(snug_message(ctx), message);
  test_ctx_end(ctx);
}

TEST(defaults_are_set) {
  snug_ctx *ctx = test_ctx();
  params p;
  ASSERT_OK(ctx, parse(ctx, "units=3", &p));
  ASSERT_EQ_INT(p.units, 3);
  ASSERT_NEAR(p.rate, 0.001, 0);
  ASSERT_TRUE(p.bias);
  ASSERT_EQ_INT(p.padding, 0);
  ASSERT_EQ_INT(p.strides.n, 2);
  ASSERT_NEAR(p.betas.v[1], 0.999, 0);
  ASSERT_EQ_TEXT(p.name, "");
}

TEST(each_kind_is_read) {
  snug_ctx *ctx = test_ctx();
  params p;
  ASSERT_OK(ctx, parse(ctx,
                       "units=-7, rate=1e-2 bias=false\n padding=\"same\" strides=[ 2 , 3 ]\t"
                       "betas=0.5,name=conv1",
                       &p));
  ASSERT_EQ_INT(p.units, -7);
  ASSERT_NEAR(p.rate, 0.01, 0);
  ASSERT_FALSE(p.bias);
  ASSERT_EQ_INT(p.padding, 1);
  ASSERT_EQ_INT(p.strides.v[1], 3);
  ASSERT_EQ_INT(p.betas.n, 1);
  ASSERT_NEAR(p.betas.v[0], 0.5, 0);
  ASSERT_EQ_TEXT(p.name, "conv1");
}

TEST(words_are_read_as_python_writes_them) {
  snug_ctx *ctx = test_ctx();
  params p;
  ASSERT_OK(ctx, parse(ctx, "units=1 bias=False padding=SAME strides=None", &p));
  ASSERT_FALSE(p.bias);
  ASSERT_EQ_INT(p.padding, 1);
  ASSERT_EQ_INT(p.strides.n, 0);
  ASSERT_OK(ctx, parse(ctx, "units=1 bias=True padding=Same", &p));
  ASSERT_TRUE(p.bias);
  ASSERT_EQ_INT(p.padding, 1);
}

TEST(texts_may_be_quoted) {
  snug_ctx *ctx = test_ctx();
  params p;
  ASSERT_OK(ctx, parse(ctx, "units=1 name=\"a b, c=d\" bias=0", &p));
  ASSERT_EQ_TEXT(p.name, "a b, c=d");
  ASSERT_FALSE(p.bias);
}

TEST(lists_may_be_empty) {
  snug_ctx *ctx = test_ctx();
  params p;
  ASSERT_OK(ctx, parse(ctx, "units=1 strides=[]", &p));
  ASSERT_EQ_INT(p.strides.n, 0);
  ASSERT_OK(ctx, parse(ctx, "units=1 betas=none strides=none", &p));
  ASSERT_EQ_INT(p.betas.n, 0);
  ASSERT_EQ_INT(p.strides.n, 0);
  check_refused("units=1 strides=nones", "Layer x: strides=nones: expected up to 16 whole numbers");
}

TEST(lists_of_lists_are_read_as_one) {
  snug_ctx *ctx = test_ctx();
  params p;
  ASSERT_OK(ctx, parse(ctx, "units=1 strides=[[0, 1], [2,3]]", &p));
  ASSERT_EQ_INT(p.strides.n, 4);
  ASSERT_EQ_INT(p.strides.v[1], 1);
  ASSERT_EQ_INT(p.strides.v[3], 3);
  ASSERT_STATUS(ctx, parse(ctx, "units=1 strides=[[[1]]]", &p), SNUG_E_ARGUMENT, "strides=[[[1]");
  ASSERT_STATUS(ctx, parse(ctx, "units=1 strides=[[1]", &p), SNUG_E_ARGUMENT, "strides=[[1]");
}

TEST(a_bare_text_may_have_parentheses) {
  snug_ctx *ctx = test_ctx();
  params p;
  ASSERT_OK(ctx, parse(ctx, "units=1 name=max_norm(2, axis=[0,1]), bias=0", &p));
  ASSERT_EQ_TEXT(p.name, "max_norm(2, axis=[0,1])");
  ASSERT_FALSE(p.bias);
  ASSERT_STATUS(ctx, parse(ctx, "units=1 name=f(2", &p), SNUG_E_ARGUMENT,
                "name=f(2: expected a word");
  ASSERT_STATUS(ctx, parse(ctx, "units=1 name=f)", &p), SNUG_E_ARGUMENT,
                "name=f): expected a word");
}

TEST(a_required_key_is_missed) { check_refused("rate=1", "Layer x: units must be given"); }

TEST(an_unknown_key_lists_the_known) {
  check_refused("unit=3",
                "Layer x: there is no 'unit' here; known: units, rate, bias, padding, strides, "
                "betas, name");
  check_refused("=3",
                "Layer x: there is no '' here; known: units, rate, bias, padding, strides, betas, "
                "name");
}

TEST(a_wrong_value_is_named_with_its_key) {
  check_refused("units=abc rate=1", "Layer x: units=abc: expected a whole number");
  check_refused("units=1.5", "Layer x: units=1.5: expected a whole number");
  check_refused("units=99999999999999999999",
                "Layer x: units=99999999999999999999: expected a whole number");
  check_refused("units", "Layer x: units=: expected a whole number");
  check_refused("units=1 rate=fast, bias=1", "Layer x: rate=fast: expected a number");
  check_refused("units=1 rate=nan", "Layer x: rate=nan: expected a number");
  check_refused("units=1 rate=1e999", "Layer x: rate=1e999: expected a number");
  check_refused("units=1 bias=maybe", "Layer x: bias=maybe: expected true or false");
  check_refused("units=1 padding=full", "Layer x: padding=full: expected one of valid, same");
  check_refused("units=1 strides=[1,x] rate=1",
                "Layer x: strides=[1,x]: expected up to 16 whole numbers");
  check_refused("units=1 strides=[1", "Layer x: strides=[1: expected up to 16 whole numbers");
  check_refused("units=1 strides=[1 2]", "Layer x: strides=[1 2]: expected up to 16 whole numbers");
  check_refused("units=1 betas=[1]x", "Layer x: betas=[1]: expected up to 16 numbers");
  check_refused("units=1 betas=", "Layer x: betas=: expected up to 16 numbers");
  check_refused("units=1 name=\"open",
                "Layer x: name=\"open: expected a word of up to 127 characters");
  check_refused("units=1 name=a\"b", "Layer x: name=a\"b: expected a word of up to 127 characters");
  check_refused("units=1 name=", "Layer x: name=: expected a word of up to 127 characters");
}

TEST(too_long_lists_and_texts_are_refused) {
  check_refused("units=1 strides=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]",
                "Layer x: strides=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]: expected up to 16 "
                "whole numbers");
  check_refused(
      "units=1 name=0123456789012345678901234567890123456789012345678901234567890123"
      "0123456789012345678901234567890123456789012345678901234567890123",
      "Layer x: name=012345678901234567890123456789012345678901234567890123456789: expected a word "
      "of up to 127 characters");
}

TEST(a_key_given_twice_is_refused) {
  check_refused("units=1 units=2", "Layer x: units is given twice");
}

TEST(no_table_has_no_fields) {
  snug_ctx *ctx = test_ctx();
  int nothing = 0;
  ASSERT_OK(ctx, snug__fields_parse(ctx, "Flatten", NULL, NULL, &nothing));
  ASSERT_STATUS(ctx, snug__fields_parse(ctx, "Flatten", NULL, "a=1", &nothing), SNUG_E_ARGUMENT,
                "Flatten: there is no 'a' here; known: nothing");
}

TEST(a_bad_default_is_our_fault) {
  static const snug__field bad[] = {SNUG_FIELD(params, units, INT, "many"),
                                    {NULL, 0, 0, NULL, NULL}};
  snug_ctx *ctx = test_ctx();
  params p = {0};
  ASSERT_STATUS(ctx, snug__fields_parse(ctx, "x", bad, "", &p), SNUG_E_INTERNAL,
                "the default 'many' of units");
}

TEST(long_lists_of_choices_are_cut) {
  static char words[100][16];
  static const char *choices[101];
  const snug__field many[] = {SNUG_CHOICE(params, padding, choices, NULL),
                              {NULL, 0, 0, NULL, NULL}};
  snug_ctx *ctx = test_ctx();
  params p = {0};
  for (int i = 0; i < 100; i++) {
    snprintf(words[i], sizeof words[i], "choice_%d", i);
    choices[i] = words[i];
  }
  ASSERT_STATUS(ctx, snug__fields_parse(ctx, "x", many, "padding=q", &p), SNUG_E_ARGUMENT,
                "choice_0, choice_1, ");
  const char *end = strstr(snug_message(ctx), " …");
  ASSERT_NOT_NULL(end);
  ASSERT_EQ_TEXT(end, " …");
}

static void check_printed(const char *text, const char *expected) {
  snug_ctx *ctx = test_ctx();
  params p;
  params back;
  snug__text out;
  snug__text_init(&out, ctx, 10000);
  ASSERT_OK(ctx, parse(ctx, text, &p));
  ASSERT_OK(ctx, snug__fields_print(table, &p, &out));
  ASSERT_EQ_TEXT(snug__text_get(&out), expected);
  ASSERT_OK(ctx, parse(ctx, snug__text_get(&out), &back));
  ASSERT_EQ_BYTES(&p, &back, sizeof p);
  snug__text_release(&out);
  test_ctx_end(ctx);
}

TEST(prints_what_differs_and_reads_it_back) {
  check_printed("units=1", "units=1");
  check_printed("units=1 rate=0.001 padding=valid strides=[1,1]", "units=1");
  check_printed("units=1 rate=0.1 bias=0 padding=same",
                "units=1, rate=0.1, bias=false, padding=same");
  check_printed("units=1 strides=2 betas=[1e-8,0.5,inf] name=a",
                "units=1, strides=[2], betas=[1e-08,0.5,inf], name=\"a\"");
  check_printed("units=1 name=\"a b\" strides=[]", "units=1, strides=[], name=\"a b\"");
}

TEST(random_values_read_back) {
  snug_ctx *ctx = test_ctx();
  for (int i = 0; i < 300; i++) {
    params p;
    params back;
    snug__text out;
    snug__text_init(&out, ctx, 10000);
    ASSERT_OK(ctx, parse(ctx, "units=1", &p));
    p.units = (int64_t)test_random_u64();
    p.rate = test_random_unit() * 1e3;
    p.bias = test_random_between(0, 1);
    p.padding = (int32_t)test_random_between(0, 1);
    p.strides.n = (int32_t)test_random_between(2, SNUG__LIST_MAX);
    for (int k = 0; k < p.strides.n; k++) {
      p.strides.v[k] = test_random_between(-5, 5);
    }
    ASSERT_OK(ctx, snug__fields_print(table, &p, &out));
    ASSERT_OK(ctx, parse(ctx, snug__text_get(&out), &back));
    ASSERT_EQ_BYTES(&p, &back, sizeof p);
    snug__text_release(&out);
  }
}

TEST(a_text_with_a_quote_cannot_be_printed) {
  snug_ctx *ctx = test_ctx();
  params p;
  snug__text out;
  snug__text_init(&out, ctx, 10000);
  ASSERT_OK(ctx, parse(ctx, "units=1", &p));
  p.name[0] = '"';
  ASSERT_STATUS(ctx, snug__fields_print(table, &p, &out), SNUG_E_ARGUMENT, "cannot be written");
  snug__text_release(&out);
}

static snug_status print_all(snug_ctx *ctx, void *arg) {
  (void)arg;
  params p;
  snug__text out;
  snug__text_init(&out, ctx, 10000);
  snug_status status =
      parse(ctx, "units=123456 rate=0.123456789 strides=[1,2,3,4,5,6,7] betas=[1,2] name=abc", &p);
  status = status ? status : snug__fields_print(table, &p, &out);
  snug__text_release(&out);
  return status;
}

TEST(printing_survives_any_refusal) { test_fault_sweep(print_all, NULL); }

/* ---- lists of any length ---- */

typedef struct listed {
  snug_numbers scale;
} listed;

static const snug__field listed_table[] = {SNUG_FIELD(listed, scale, NUMBERS, "[0, 0.5]"), {0}};

static void check_numbers(const char *text, const char *expected, int64_t n, double last) {
  snug_ctx *ctx = test_ctx();
  listed p = {0};
  double v[64] = {0};
  snug__text out;
  snug__text_init(&out, ctx, 10000);
  ASSERT_OK(ctx, snug__fields_parse(ctx, "x", listed_table, text, &p));
  ASSERT_EQ_INT(p.scale.n, n);
  ASSERT_EQ_INT(p.scale.nested, strstr(text, "[ [") != NULL);
  snug__numbers_read(&p.scale, v);
  ASSERT_TRUE(v[n ? n - 1 : 0] == last);
  ASSERT_OK(ctx, snug__fields_print(listed_table, &p, &out));
  ASSERT_EQ_TEXT(snug__text_get(&out), expected);
  snug__text_release(&out);
  test_ctx_end(ctx);
}

TEST(lists_of_any_length_stay_in_the_text) {
  check_numbers("", "", 2, 0.5);
  check_numbers("scale=[0,5e-1]", "", 2, 0.5);
  check_numbers("scale=[-0.0,0.5]", "scale=[-0,0.5]", 2, 0.5);
  check_numbers("scale=3", "scale=[3]", 1, 3);
  check_numbers("scale=none", "scale=[]", 0, 0);
  check_numbers("scale=[ [1, 2],\n[inf,-4e1] ]", "scale=[1,2,inf,-40]", 4, -40);
  check_numbers("scale=[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]",
                "scale=[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]", 21, 2);
}

TEST(wrong_lists_of_any_length_are_refused) {
  static const char *const texts[] = {
      "scale=[1,x]", "scale=[1", "scale=", "scale=[[[1]]]", "scale=[nan]", "scale=[1]2"};
  snug_ctx *ctx = test_ctx();
  for (size_t i = 0; i < SNUG_COUNT(texts); i++) {
    listed p = {0};
    ASSERT_STATUS(ctx, snug__fields_parse(ctx, "x", listed_table, texts[i], &p), SNUG_E_ARGUMENT,
                  "expected numbers");
  }
}

/* Garbage of all kinds gets an answer, and the answer names the place. */
TEST(garbage_is_refused_or_read) {
  static const char letters[] = "units=rate,[] \"\n0123456789.e-xyz=";
  snug_ctx *ctx = test_ctx();
  for (int i = 0; i < 20000; i++) {
    char text[64];
    size_t n = (size_t)test_random_between(0, sizeof text - 1);
    for (size_t k = 0; k < n; k++) {
      text[k] = letters[test_random_between(0, sizeof letters - 2)];
    }
    text[n] = 0;
    params p;
    if (parse(ctx, text, &p)) {
      ASSERT_HAS(snug_message(ctx), "Layer x: ");
    }
  }
}

/* ---- options that must keep their default ---- */

static const snug__field fixed[] = {SNUG_FIXED("order", "channels_last", "permute the data"),
                                    SNUG_FIXED("top_k", "none", NULL),
                                    SNUG_FIXED("scaled", "false", NULL),
                                    SNUG_FIXED("axis", "-1", "classes are the last axis"),
                                    {0}};

TEST(fixed_options_take_their_default_in_all_its_forms) {
  static const char *const good[] = {
      "",           "order=channels_last", "order='channels_last'", "order=Channels_Last",
      "top_k=none", "top_k=null",          "top_k=[] scaled=False", "top_k=0, axis=-1.0",
      "axis=-1"};
  for (size_t i = 0; i < SNUG_COUNT(good); i++) {
    snug_ctx *ctx = test_ctx();
    snug__text out;
    char nothing = 0;
    ASSERT_OK(ctx, snug__fields_parse(ctx, "x", fixed, good[i], &nothing));
    snug__text_init(&out, ctx, 100);
    ASSERT_OK(ctx, snug__fields_print(fixed, &nothing, &out));
    ASSERT_EQ_TEXT(snug__text_get(&out), "");
    snug__text_release(&out);
    test_ctx_end(ctx);
  }
}

TEST(fixed_options_refuse_all_else_and_say_why) {
  static const struct {
    const char *text, *message;
  } bad[] = {{"order=channels_first",
              "x: order=channels_first: only channels_last is supported; permute the data"},
             {"order=\"channels_first\"",
              "x: order=channels_first: only channels_last is supported; permute the data"},
             {"order=none", "x: order=none: only channels_last is supported; permute the data"},
             {"top_k=5", "x: top_k=5: only null is supported"},
             {"top_k=[1,2]", "x: top_k=[1,2]: only null is supported"},
             {"top_k=\"", "x: top_k=\": only null is supported"},
             {"scaled=true", "x: scaled=true: only false is supported"},
             {"axis=1", "x: axis=1: only -1 is supported; classes are the last axis"}};
  for (size_t i = 0; i < SNUG_COUNT(bad); i++) {
    snug_ctx *ctx = test_ctx();
    char nothing = 0;
    ASSERT_STATUS(ctx, snug__fields_parse(ctx, "x", fixed, bad[i].text, &nothing),
                  SNUG_E_UNSUPPORTED, NULL);
    ASSERT_EQ_TEXT(snug_message(ctx), bad[i].message);
    test_ctx_end(ctx);
  }
}
