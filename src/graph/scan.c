#include "graph/scan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

snug_status snug__scan_init(snug__scan *s, snug_ctx *ctx, const char *text) {
  *s = (snug__scan){.ctx = ctx, .rest = text, .end = text + strlen(text)};
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, SNUG__LINE_BYTES, &s->buffer));
  s->at = s->buffer;
  return SNUG_OK;
}

void snug__scan_release(snug__scan *s) {
  SNUG_GIVE_ARRAY(s->ctx, SNUG__MEM_SCRATCH, s->buffer, SNUG__LINE_BYTES);
  s->buffer = NULL;
}

snug_status snug__scan_fail(const snug__scan *s, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return snug__fail(s->ctx, SNUG_E_FORMAT, "line %lld: %s, found '%.40s'", (long long)s->line, text,
                    s->at);
}

bool snug__scan_at_end(const snug__scan *s) { return s->rest == s->end; }

snug_status snug__scan_line(snug__scan *s) {
  size_t n = 0;
  s->line++;
  while (n < SNUG__LINE_BYTES && s->rest[n] && s->rest[n] != '\n') {
    n++;
  }
  if (n == SNUG__LINE_BYTES) {
    return snug__fail(s->ctx, SNUG_E_FORMAT, "line %lld: is longer than %d characters",
                      (long long)s->line, SNUG__LINE_BYTES - 1);
  }
  if (!s->rest[n]) {
    return snug__fail(s->ctx, SNUG_E_FORMAT, "line %lld: the text is cut short here",
                      (long long)s->line);
  }
  memcpy(s->buffer, s->rest, n);
  s->buffer[n] = 0;
  s->at = s->buffer;
  s->rest += n + 1;
  return SNUG_OK;
}

static void skip_blanks(snug__scan *s) {
  while (*s->at == ' ') {
    s->at++;
  }
}

bool snug__scan_line_is_read(snug__scan *s) {
  skip_blanks(s);
  return *s->at == 0;
}

snug_status snug__scan_line_end(snug__scan *s) {
  return snug__scan_line_is_read(s) ? SNUG_OK : snug__scan_fail(s, "expected the end of the line");
}

bool snug__scan_sees(snug__scan *s, const char *literal) {
  skip_blanks(s);
  return strncmp(s->at, literal, strlen(literal)) == 0;
}

bool snug__scan_has(snug__scan *s, const char *literal) {
  bool has = snug__scan_sees(s, literal);
  s->at += has ? strlen(literal) : 0;
  return has;
}

snug_status snug__scan_need(snug__scan *s, const char *literal) {
  return snug__scan_has(s, literal) ? SNUG_OK : snug__scan_fail(s, "expected '%s'", literal);
}

snug_status snug__scan_number(snug__scan *s, const char *what, int64_t max, int64_t *out) {
  int64_t v = 0;
  skip_blanks(s);
  const char *c = s->at;
  while (isdigit((unsigned char)*c)) {
    int64_t digit = *c++ - '0';
    if (v > max / 10 || v * 10 > max - digit) {
      return snug__scan_fail(s, "%s must be at most %lld", what, (long long)max);
    }
    v = v * 10 + digit;
  }
  if (c == s->at) {
    return snug__scan_fail(s, "expected %s", what);
  }
  s->at += c - s->at;
  *out = v;
  return SNUG_OK;
}

static snug_status take(snug__scan *s, const char *what, size_t n, char *out, size_t bytes) {
  if (n == 0 || n >= bytes) {
    return snug__scan_fail(s, "expected %s", what);
  }
  memcpy(out, s->at, n);
  out[n] = 0;
  s->at += n;
  return SNUG_OK;
}

snug_status snug__scan_word(snug__scan *s, const char *what, char *out, size_t bytes) {
  size_t n = 0;
  skip_blanks(s);
  while (isalnum((unsigned char)s->at[n]) || s->at[n] == '_') {
    n++;
  }
  return take(s, what, n, out, bytes);
}

snug_status snug__scan_token(snug__scan *s, const char *what, char *out, size_t bytes) {
  skip_blanks(s);
  return take(s, what, strcspn(s->at, " ,"), out, bytes);
}

static int hex_digit(char c) {
  return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The character an escape at `from` stands for, 0 if it is none; *n is its length. */
static char unescape(const char *from, size_t *n) {
  *n = 2;
  if (from[1] == '"' || from[1] == '\\') {
    return from[1];
  }
  if (from[1] != 'x' || hex_digit(from[2]) < 0 || hex_digit(from[3]) < 0) {
    return 0;
  }
  *n = 4;
  return (char)(hex_digit(from[2]) * 16 + hex_digit(from[3]));
}

snug_status snug__scan_quoted(snug__scan *s, const char **out) {
  SNUG_TRY(snug__scan_need(s, "\""));
  char *to = s->at;
  *out = to;
  for (const char *from = s->at; *from; to++) {
    size_t n = 1;
    if (*from == '"') {
      s->at += from + 1 - s->at;
      *to = 0;
      return SNUG_OK;
    }
    char c = *from == '\\' ? unescape(from, &n) : *from;
    if (!c || iscntrl((unsigned char)*from)) {
      break;
    }
    *to = c;
    from += n;
  }
  *to = 0;
  return snug__scan_fail(s, "expected a name in quotes");
}

snug_status snug__scan_braces(snug__scan *s, const char **out) {
  bool quoted = false;
  SNUG_TRY(snug__scan_need(s, "{"));
  *out = s->at;
  for (char *c = s->at; *c; c++) {
    quoted = quoted != (*c == '"');
    if (*c == '}' && !quoted) {
      *c = 0;
      s->at = c + 1;
      return SNUG_OK;
    }
  }
  return snug__scan_fail(s, "expected parameters up to '}'");
}
