#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/test.h"

static void check_print(double value, const char *expected) {
  char text[SNUG__NUMBER_BYTES];
  ASSERT_EQ_TEXT(snug__print_float(value, text), expected);
}

TEST(prints_the_shortest) {
  check_print(0.1, "0.1");
  check_print(1, "1");
  check_print(-0.0, "-0");
  check_print(1e-3, "0.001");
  check_print(1.0 / 3, "0.3333333333333333");
  check_print(1e300, "1e+300");
  check_print(10, "10");
  check_print(-2000, "-2000");
  check_print(INFINITY, "inf");
}

static double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

TEST(reads_back_the_same_bits) {
  for (int i = 0; i < 20000; i++) {
    double value = from_bits(test_random_u64());
    char text[SNUG__NUMBER_BYTES];
    const char *at = snug__print_float(value, text);
    double back = 0;
    if (!isnan(value)) {
      ASSERT_TRUE(snug__read_float(&at, &back));
      ASSERT_EQ_BYTES(&back, &value, sizeof value);
      ASSERT_EQ_INT(*at, 0);
    }
  }
}

static void check_refused(const char *text) {
  const char *at = text;
  double value = 7;
  ASSERT_FALSE(snug__read_float(&at, &value));
  ASSERT_TRUE(at == text && value == 7);
}

TEST(refuses_what_is_no_number) {
  check_refused("");
  check_refused("x");
  check_refused("nan");
  check_refused("1e999");
  check_refused("-1e999");
}

TEST(reads_very_small_and_infinite) {
  const char *at = "1e-320 inf";
  double value = 0;
  ASSERT_TRUE(snug__read_float(&at, &value) && value > 0);
  ASSERT_TRUE(snug__read_float(&at, &value) && isinf(value));
}

TEST(whole_numbers) {
  const char *at = "-9223372036854775808,9223372036854775808";
  int64_t value = 0;
  ASSERT_TRUE(snug__read_int(&at, &value));
  ASSERT_EQ_INT(value, INT64_MIN);
  ASSERT_EQ_INT(*at++, ',');
  ASSERT_FALSE(snug__read_int(&at, &value));
  ASSERT_EQ_INT(*at, '9');
}

/* Bare machines have no locale but C.  This is the file of one whose decimal point is a comma, as
 * glibc's localedef writes it: magic, number of items, their offsets, the items. */
static const struct {
  uint32_t magic, n, offsets[6];
  char items[28];
} comma_locale = {0x20031114, 6, {32, 34, 35, 36, 40, 44}, ",\0\0\0,\0\0\0\0\0\0\0ANSI_X3.4-1968"};

static bool enter_comma_locale(void) {
  const char *path = test_path("comma");
  char folder[512];
  char file[600];
  ASSERT_EQ_INT(mkdir(path, 0777), 0);
  snprintf(file, sizeof file, "%s/LC_NUMERIC", path);
  FILE *f = fopen(file, "w");
  ASSERT_NOT_NULL(f);
  ASSERT_EQ_UINT(fwrite(&comma_locale, sizeof comma_locale, 1, f), 1);
  ASSERT_EQ_INT(fclose(f), 0);
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  setenv("LOCPATH", folder, 1);
  return setlocale(LC_NUMERIC, "comma") != NULL;
}

TEST(the_locale_does_not_matter) {
  const char *at = "0.5";
  char ours[8];
  double value = 0;
  if (!enter_comma_locale()) {
    test_skip("this C library reads other locale files");
  }
  snprintf(ours, sizeof ours, "%g", 0.5);
  ASSERT_EQ_TEXT(ours, "0,5");
  check_print(0.5, "0.5");
  ASSERT_TRUE(snug__read_float(&at, &value));
  ASSERT_NEAR(value, 0.5, 0);
  setlocale(LC_ALL, "C");
}

TEST(reprs_are_as_python_writes_them) {
  const struct {
    double value;
    const char *text;
  } cases[] = {{0.0, "0.0"},
               {-0.0, "-0.0"},
               {1.0, "1.0"},
               {-2.5, "-2.5"},
               {0.1, "0.1"},
               {0.0001, "0.0001"},
               {0.00012345, "0.00012345"},
               {0.00001, "1e-05"},
               {1.5e-7, "1.5e-07"},
               {123456789012345680.0, "1.2345678901234568e+17"},
               {1e15, "1000000000000000.0"},
               {1e16, "1e+16"},
               {9999999999999998.0, "9999999999999998.0"},
               {0.10000000149011612, "0.10000000149011612"},
               {-0.30000000000000004, "-0.30000000000000004"},
               {5e-324, "5e-324"},
               {1.7976931348623157e308, "1.7976931348623157e+308"},
               {INFINITY, "inf"},
               {-INFINITY, "-inf"},
               {NAN, "nan"}};
  char out[SNUG__NUMBER_BYTES];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ASSERT_EQ_TEXT(snug__print_repr(cases[i].value, out), cases[i].text);
  }
}
