/* Texts of unknown origin: what comes out does nothing where it goes. */
#include <stdio.h>
#include <string.h>

#include "base/ctx.h"
#include "lib/test.h"
#include "report/out.h"
#include "report/screen.h"

static const char *quoted(screen *s, snug_quoting how, const char *text) {
  s->n = 0;
  s->text[0] = '\0';
  snug_quote(show, s, how, text, strlen(text));
  return s->text;
}

TEST(plain_texts_stay_as_they_are) {
  screen s;
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_TERMINAL, "conv1/größe 模型"), "conv1/größe 模型");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_HTML, "conv1/größe"), "conv1/größe");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_JSON, "größe"), "\"größe\"");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_CSV, "größe"), "\"größe\"");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_ASCII, "größe"), "gr??e");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_JSON, ""), "\"\"");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_HTML, ""), "");
}

TEST(what_acts_is_replaced) {
  screen s;
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_TERMINAL, "a\x1b[31m\r\n\x7f"), "a�[31m� �");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_TERMINAL, "\xc2\x9b!\xe2\x80\xae!"), "�!�!");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_ASCII, "a\x1b\n"), "a? ");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_HTML, "<b a=\"'&\n"), "&lt;b a=&quot;&#39;&amp; ");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_JSON, "\"\\\n\x1f\x7f"),
                 "\"\\\"\\\\\\u000a\\u001f\\u007f\"");
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_CSV, "a\"b,c\n"), "\"a\"\"b,c\n\"");
}

TEST(a_spreadsheet_computes_nothing) {
  screen s;
  const char *const begins[] = {"=1", "+1", "-1", "@x", "\t=1", "\r=1"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
    ASSERT_TRUE(strncmp(quoted(&s, SNUG_QUOTE_CSV, begins[i]), "\"'", 2) == 0);
  }
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_CSV, "1-1"), "\"1-1\"");
}

TEST(what_is_not_utf8_is_replaced) {
  screen s;
  /* cut, too long a form, a surrogate, beyond the last, a lone middle, bytes that never begin */
  const char *const bad[] = {"\xe2\x82",         "\xc0\xaf", "\xed\xa0\x80",
                             "\xf4\x90\x80\x80", "\x80",     "\xff"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ASSERT_HAS(quoted(&s, SNUG_QUOTE_TERMINAL, bad[i]), "�");
    ASSERT_HAS(quoted(&s, SNUG_QUOTE_JSON, bad[i]), "\\ufffd");
    ASSERT_HAS(quoted(&s, SNUG_QUOTE_CSV, bad[i]), "�");
    ASSERT_HAS(quoted(&s, SNUG_QUOTE_ASCII, bad[i]), "?");
  }
  ASSERT_EQ_TEXT(quoted(&s, SNUG_QUOTE_TERMINAL, "\xffok"), "�ok");
}

TEST(any_bytes_make_harmless_texts) {
  screen s;
  char bytes[65];
  for (int round = 0; round < 2000; round++) {
    test_random_bytes(bytes, 64);
    bytes[64] = '\0';
    const char *html = quoted(&s, SNUG_QUOTE_HTML, bytes);
    ASSERT_NULL(strpbrk(html, "<>\"'\x1b\n"));
    const char *ascii = quoted(&s, SNUG_QUOTE_ASCII, bytes);
    for (size_t i = 0; ascii[i]; i++) {
      ASSERT_TRUE(ascii[i] >= ' ' && ascii[i] <= '~');
    }
  }
  snug_quote(show, &s, (snug_quoting)99, "x", 1);
  snug_quote(NULL, NULL, SNUG_QUOTE_JSON, "x", 1);
}

TEST(quoting_into_room_cuts_whole_characters) {
  char room[8];
  ASSERT_EQ_TEXT(snug__quote_into(room, sizeof room, SNUG_QUOTE_TERMINAL, "größer als das"),
                 "größe");
  ASSERT_EQ_TEXT(snug__quote_into(room, sizeof room, SNUG_QUOTE_HTML, "ab<<"), "ab&lt;");
  ASSERT_EQ_TEXT(snug__quote_into(room, 1, SNUG_QUOTE_HTML, "ab"), "");
}

TEST(times_are_short) {
  char t[SNUG__TIME_BYTES];
  const struct {
    double seconds;
    const char *text;
  } cases[] = {
      {0, "0 s"},          {-1, "0 s"},          {13.8e-6, "13.8 us"}, {0.0004, "400 us"},
      {0.0009996, "1 ms"}, {0.0123, "12.3 ms"},  {0.9999, "1.00 s"},   {9.994, "9.99 s"},
      {12.34, "12.3 s"},   {59.4, "59.4 s"},     {60, "1 min"},        {125, "2 min 5 s"},
      {3600, "1 h"},       {4890, "1 h 21 min"}, {200000, "2 d 7 h"},  {1e300, "11574 d 1 h"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ASSERT_EQ_TEXT(snug__time_text(cases[i].seconds, t), cases[i].text);
  }
}

TEST(differences_are_parts) {
  char t[SNUG__TIME_BYTES];
  ASSERT_EQ_TEXT(snug__percent_text(105, 100, t), "+5.00 %");
  ASSERT_EQ_TEXT(snug__percent_text(36, 100, t), "-64.0 %");
  ASSERT_EQ_TEXT(snug__percent_text(300, 100, t), "+200 %");
  ASSERT_EQ_TEXT(snug__percent_text(1200, 100, t), "+1100 %");
  ASSERT_EQ_TEXT(snug__percent_text(100, 100, t), "the same");
  ASSERT_EQ_TEXT(snug__percent_text(1, 0, t), "");
  ASSERT_EQ_TEXT(snug__percent_text(0, 0, t), "");
}

TEST(cells_are_cut_and_filled) {
  screen s = {.n = 0};
  snug__out o = {show, &s};
  snug__out_cell(&o, SNUG_QUOTE_TERMINAL, "größer", 4, 6);
  snug__out_text(&o, "|");
  snug__out_cell(&o, SNUG_QUOTE_TERMINAL, "ab", 0, -4);
  ASSERT_EQ_TEXT(s.text, "größ  |  ab");
}

/* ---- values ---- */

TEST(small_values_are_written_as_the_progress_of_a_fit_writes_them) {
  char want[SNUG__TIME_BYTES], got[SNUG__TIME_BYTES];
  const double some[] = {1e-3, 1e-5, 9.99996e-4, 0.00029443120606764763, 2.5e-12, 1e-300};
  for (size_t i = 0; i < SNUG_COUNT(some); i++) {
    snprintf(want, sizeof want, "%.4e", some[i]);
    ASSERT_EQ_TEXT(snug__value_text(some[i], got), want);
    snprintf(want, sizeof want, "%.4e", -some[i]);
    ASSERT_EQ_TEXT(snug__value_text(-some[i], got), want);
  }
}
