/* The checks behind the macros of test.h: each prints both values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/test.h"

void test_check_true(bool ok, const char *text, const char *file, int line) {
  if (!ok) {
    test_fail(file, line, "expected: %s", text);
  }
}

void test_check_int(long long a, long long b, const char *texts, const char *file, int line) {
  if (a != b) {
    test_fail(file, line, "%s: %lld and %lld", texts, a, b);
  }
}

void test_check_uint(unsigned long long a, unsigned long long b, const char *texts,
                     const char *file, int line) {
  if (a != b) {
    test_fail(file, line, "%s: %llu (0x%llx) and %llu (0x%llx)", texts, a, a, b, b);
  }
}

void test_check_near(double a, double b, double tolerance, const char *texts, const char *file,
                     int line) {
  bool same_kind = (isnan(a) && isnan(b)) || a == b; /* infinities are equal to themselves */
  if (!same_kind && !(fabs(a - b) <= tolerance)) {
    test_fail(file, line, "%s: %.9g and %.9g differ by %.3g, allowed %.3g", texts, a, b,
              fabs(a - b), tolerance);
  }
}

void test_check_text(const char *a, const char *b, const char *texts, const char *file, int line) {
  if (!a || !b || strcmp(a, b) != 0) {
    test_fail(file, line, "%s:\n  \"%s\"\n  \"%s\"", texts, a ? a : "(NULL)", b ? b : "(NULL)");
  }
}

void test_check_has(const char *text, const char *part, const char *file, int line) {
  if (!text || !strstr(text, part)) {
    test_fail(file, line, "expected \"%s\" in:\n  \"%s\"", part, text ? text : "(NULL)");
  }
}

void test_check_bytes(const void *a, const void *b, size_t n, const char *texts, const char *file,
                      int line) {
  const unsigned char *p = a;
  const unsigned char *q = b;
  for (size_t i = 0; i < n; i++) {
    if (p[i] != q[i]) {
      test_fail(file, line, "%s: byte %zu of %zu: 0x%02x and 0x%02x", texts, i, n, p[i], q[i]);
    }
  }
}

void test_check_status(const snug_ctx *ctx, snug_status got, snug_status expected, const char *part,
                       const char *text, const char *file, int line) {
  if (got != expected) {
    test_fail(file, line, "%s: %s (%d), expected %s (%d); message: \"%s\"", text,
              snug_status_text(got), (int)got, snug_status_text(expected), (int)expected,
              snug_message(ctx));
  }
  if (part) {
    test_check_has(snug_message(ctx), part, file, line);
  }
}
