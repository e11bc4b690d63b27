#include "report/out.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/number.h"

void snug__out_format(const snug__out *o, const char *format, ...) {
  char text[SNUG__LINE_BYTES];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n > 0) {
    o->sink(o->user, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
  }
}

void snug__out_text(const snug__out *o, const char *text) {
  if (*text) {
    o->sink(o->user, text, strlen(text));
  }
}

void snug__out_quoted(const snug__out *o, snug_quoting how, const char *text) {
  snug_quote(o->sink, o->user, how, text, text ? strlen(text) : 0);
}

void snug__out_real(const snug__out *o, double value, const char *other) {
  char text[SNUG__NUMBER_BYTES];
  snug__out_text(o, isfinite(value) ? snug__print_float(value, text) : other);
}

/* ---- cells ---- */

void snug__out_cell(const snug__out *o, snug_quoting how, const char *text, size_t most, int wide) {
  char quoted[SNUG__LINE_BYTES];
  snug__quote_into(quoted, sizeof quoted, how, text);
  size_t n = most ? snug__bytes_of(quoted, most) : strlen(quoted);
  int used = (int)snug__columns(quoted, n);
  int blanks = (wide < 0 ? -wide : wide) - used;
  if (wide < 0 && blanks > 0) {
    snug__out_format(o, "%*s", blanks, "");
  }
  snug__out_format(o, "%.*s", (int)n, quoted);
  if (wide > 0 && blanks > 0) {
    snug__out_format(o, "%*s", blanks, "");
  }
}

/* ---- numbers for people ---- */

/* Three digits of a number below 1000, the same in every locale. */
static void print_three(double value, char *out, size_t bytes) {
  long hundredths = lround(value * 100.0);
  if (value < 9.995) {
    snprintf(out, bytes, "%ld.%02ld", hundredths / 100, hundredths % 100);
  } else if (value < 99.95) {
    hundredths = lround(value * 10.0);
    snprintf(out, bytes, "%ld.%ld", hundredths / 10, hundredths % 10);
  } else {
    snprintf(out, bytes, "%ld", lround(value));
  }
}

/* The same without zeros at its end: "40", "5.28". */
static void print_short(double value, char *out, size_t bytes) {
  print_three(value, out, bytes);
  size_t n = strchr(out, '.') ? strlen(out) : 0;
  while (n > 0 && out[n - 1] == '0') {
    out[--n] = '\0';
  }
  if (n > 0 && out[n - 1] == '.') {
    out[n - 1] = '\0';
  }
}

/* "2 min 5 s", "2 min" */
static void print_two(long n, long per, const char *large, const char *small, char *out) {
  int used = snprintf(out, SNUG__TIME_BYTES, "%ld %s", n / per, large);
  if (n % per && used > 0) {
    snprintf(out + used, SNUG__TIME_BYTES - (size_t)used, " %ld %s", n % per, small);
  }
}

const char *snug__time_text(double seconds, char out[SNUG__TIME_BYTES]) {
  char digits[16];
  double known = isfinite(seconds) && seconds > 0.0 ? seconds < 1e9 ? seconds : 1e9 : 0.0;
  long s = lround(known);
  if (known < 5e-9) {
    snprintf(out, SNUG__TIME_BYTES, "0 s");
  } else if (known < 0.0009995) { /* the u of Keras, which every terminal has */
    print_three(known * 1e6, digits, sizeof digits);
    snprintf(out, SNUG__TIME_BYTES, "%s us", digits);
  } else if (known < 0.9995) {
    print_short(known * 1e3, digits, sizeof digits);
    snprintf(out, SNUG__TIME_BYTES, "%s ms", digits);
  } else if (known < 59.5) {
    print_three(known, digits, sizeof digits);
    snprintf(out, SNUG__TIME_BYTES, "%s s", digits);
  } else if (s < 3600) {
    print_two(s, 60, "min", "s", out);
  } else if (s < 2L * 86400) {
    print_two(s / 60, 60, "h", "min", out);
  } else {
    print_two(s / 3600, 24, "d", "h", out);
  }
  return out;
}

/* "2.9443e-04", with a point in every locale. */
static void print_small(double value, char out[SNUG__TIME_BYTES]) {
  int power = (int)floor(log10(fabs(value)));
  long long digits = llround(fabs(value) / pow(10.0, power) * 1e4);
  if (digits >= 100000) { /* 9.99996 */
    digits /= 10;
    power++;
  }
  snprintf(out, SNUG__TIME_BYTES, "%s%lld.%04llde-%02d", value < 0.0 ? "-" : "", digits / 10000,
           digits % 10000, -power);
}

/* Four digits behind the point, as the progress of a fit has them. */
const char *snug__value_text(double value, char out[SNUG__TIME_BYTES]) {
  double size = fabs(value);
  if (!isfinite(value)) {
    snprintf(out, SNUG__TIME_BYTES, "%s", isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
  } else if (size < 1e9 && (size > 1e-3 || size == 0.0)) {
    long long parts = llround(size * 1e4);
    snprintf(out, SNUG__TIME_BYTES, "%s%lld.%04lld", value < 0.0 ? "-" : "", parts / 10000,
             parts % 10000);
  } else if (size < 1.0) {
    print_small(value, out);
  } else {
    snug__print_float(value, out);
  }
  return out;
}

const char *snug__percent_text(double value, double base, char out[SNUG__TIME_BYTES]) {
  double percent = base > 0.0 ? 100.0 * (value / base - 1.0) : NAN;
  char digits[16];
  if (!isfinite(percent) || fabs(percent) > 1e6) {
    out[0] = '\0';
  } else if (fabs(percent) < 0.005) {
    snprintf(out, SNUG__TIME_BYTES, "the same");
  } else if (fabs(percent) < 999.0) {
    print_three(fabs(percent), digits, sizeof digits);
    snprintf(out, SNUG__TIME_BYTES, "%s%s %%", percent < 0.0 ? "-" : "+", digits);
  } else {
    snprintf(out, SNUG__TIME_BYTES, "+%ld %%", lround(percent));
  }
  return out;
}

const char *snug__more_text(double value, double base, char out[SNUG__TIME_BYTES]) {
  char text[SNUG__TIME_BYTES];
  snug__value_text(fabs(value - base), text);
  snprintf(out, SNUG__TIME_BYTES, "%s%.30s", value < base ? "-" : "+", text);
  return out;
}
