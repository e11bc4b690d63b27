/* Numbers of bytes, read and written.  G and GiB are 2^30, GB is 10^9. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define N_UNITS 6

static const char unit_letters[N_UNITS + 1] = "KMGTPE";

/* Equal but for upper and lower case; b is in lower case. */
static bool is_word(const char *a, const char *b) {
  while (*a && tolower((unsigned char)*a) == *b) {
    a++;
    b++;
  }
  return !*a && !*b;
}

/* The factor of a suffix: "", B, K, KB, KiB, ... in either case; 0 if it is none. */
static double suffix_factor(const char *suffix) {
  if (*suffix == '\0' || is_word(suffix, "b")) {
    return 1.0;
  }
  const char *unit = strchr(unit_letters, toupper((unsigned char)*suffix));
  if (!unit) {
    return 0.0;
  }
  double power = (double)(unit - unit_letters + 1);
  if (suffix[1] == '\0' || is_word(suffix + 1, "ib")) {
    return pow(1024.0, power);
  }
  return is_word(suffix + 1, "b") ? pow(1000.0, power) : 0.0;
}

bool cli_parse_count(const char *text, int64_t *out) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (!isdigit((unsigned char)*text) || *end || errno) {
    return false;
  }
  *out = value;
  return true;
}

bool cli_parse_bytes(const char *text, int64_t *out) {
  char *end;
  if (cli_parse_count(text, out)) { /* exact, where a double is not */
    return true;
  }
  if (!isdigit((unsigned char)*text) || tolower((unsigned char)text[1]) == 'x') {
    return false;
  }
  double value = strtod(text, &end);
  while (*end == ' ') {
    end++;
  }
  double bytes = value * suffix_factor(end);
  if (!(bytes >= 1.0 || value == 0.0) || !(bytes < 0x1p62) || suffix_factor(end) == 0.0) {
    return false;
  }
  *out = (int64_t)bytes;
  return true;
}

bool cli_parse_seconds(const char *text, double *out) {
  char *end;
  if (!isdigit((unsigned char)*text) && *text != '.') {
    return false;
  }
  *out = strtod(text, &end);
  return end != text && *end == '\0' && *out > 0.0 && *out < 1e9;
}

bool cli_parse_real(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*out);
}

int32_t cli_parse_shape(const char **at, int64_t *shape, int32_t most) {
  for (int32_t n = 0; n < most;) {
    char *end;
    errno = 0;
    long long size = strtoll(*at, &end, 10);
    if (!isdigit((unsigned char)**at) || size < 1 || errno) {
      return 0;
    }
    shape[n++] = size;
    *at = end;
    if (!*end || *end == ';') {
      return n;
    }
    if (*end != ',' && *end != 'x') {
      return 0;
    }
    (*at)++;
  }
  return 0;
}

int cli_parse_shapes(const char *text, snug_array x[CLI_MOST_INPUTS], int32_t *n) {
  const char *at = text;
  for (*n = 0; *n < CLI_MOST_INPUTS; at++) {
    snug_array *a = &x[(*n)++];
    *a = (snug_array){.dtype = SNUG_FLOAT32, .shape = {1}};
    a->rank = 1 + cli_parse_shape(&at, a->shape + 1, SNUG_MAX_RANK - 1);
    if (a->rank > 1 && !*at) {
      return CLI_OK;
    }
    if (a->rank == 1) {
      break;
    }
  }
  return cli_fail(CLI_USAGE,
                  "--input-shape is \"%s\"; sizes such as 224,224,3 are needed, without the batch; "
                  "of several inputs 224,224,3;8",
                  text);
}
