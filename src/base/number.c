/* strtod and printf follow the locale of the thread, so it is set to "C" around them.  glibc has
 * that locale at hand: nothing is allocated. */
#include "base/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t enter_c_locale(void) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return c ? uselocale(c) : (locale_t)0;
}

static void leave_c_locale(locale_t before) {
  if (before) {
    freelocale(uselocale(before));
  }
}

bool snug__read_int(const char **at, int64_t *out) {
  char *end = NULL;
  errno = 0;
  long long value = strtoll(*at, &end, 10);
  if (end == *at || errno == ERANGE) {
    return false;
  }
  *at = end;
  *out = value;
  return true;
}

bool snug__read_float(const char **at, double *out) {
  char *end = NULL;
  locale_t before = enter_c_locale();
  errno = 0;
  double value = strtod(*at, &end);
  bool is_too_large = errno == ERANGE && isinf(value);
  leave_c_locale(before);
  if (end == *at || isnan(value) || is_too_large) {
    return false;
  }
  *at = end;
  *out = value;
  return true;
}

const char *snug__print_float(double value, char out[SNUG__NUMBER_BYTES]) {
  locale_t before = enter_c_locale();
  int least = value == trunc(value) && fabs(value) < 1e15 ? 15 : 1; /* 10, not 1e+01 */
  for (int digits = least; digits <= 17; digits++) {
    snprintf(out, SNUG__NUMBER_BYTES, "%.*g", digits, value);
    if (strtod(out, NULL) == value) {
      break;
    }
  }
  leave_c_locale(before);
  return out;
}

/* The shortest digits that read back to the same: "d.ddde-dd". */
static void print_shortest(double value, char out[SNUG__NUMBER_BYTES]) {
  for (int digits = 0; digits <= 16; digits++) {
    snprintf(out, SNUG__NUMBER_BYTES, "%.*e", digits, value);
    if (strtod(out, NULL) == value) {
      break;
    }
  }
}

/* Python's rule: an exponent where the point would stand before the fifth zero or behind the 16th
 * digit. */
static void print_repr(double value, char out[SNUG__NUMBER_BYTES]) {
  print_shortest(value, out);
  int exponent = (int)strtol(strchr(out, 'e') + 1, NULL, 10);
  int digits = (int)(strchr(out, 'e') - out) - (value < 0.0);
  digits -= digits > 1; /* the point */
  if (exponent >= -4 && exponent < 16) {
    int behind = digits - 1 - exponent;
    snprintf(out, SNUG__NUMBER_BYTES, "%.*f", behind > 1 ? behind : 1, value);
  }
}

const char *snug__print_repr(double value, char out[SNUG__NUMBER_BYTES]) {
  if (!isfinite(value)) {
    snprintf(out, SNUG__NUMBER_BYTES, "%s", isnan(value) ? "nan" : value < 0.0 ? "-inf" : "inf");
    return out;
  }
  locale_t before = enter_c_locale();
  print_repr(value, out);
  leave_c_locale(before);
  return out;
}

static int digits_of(double value, int unit) {
  return unit > 2 && value < 9.995 ? 2 : unit && value < 99.95 ? 1 : 0; /* 1.92 GiB */
}

const char *snug__print_bytes(uint64_t bytes, char out[SNUG__NUMBER_BYTES]) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = (double)bytes;
  int unit = 0;
  while (value > 1023.0 && unit < 6) { /* 1023.1 KiB would be written as 1024 */
    value /= 1024.0;
    unit++;
  }
  const double parts = pow(10.0, digits_of(value, unit));
  value = ceil(value * parts) / parts;
  snprintf(out, SNUG__NUMBER_BYTES, "%.*f %s", digits_of(value, unit), value, units[unit]);
  return out;
}
