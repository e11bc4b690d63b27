#include "report/write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void snug__line_add(snug__line *line, const char *format, ...) {
  size_t room = sizeof line->text - line->n;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line->text + line->n, room, format, args);
  va_end(args);
  line->n += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

void snug__line_repeat(snug__line *line, const char *piece, size_t times) {
  while (times-- > 0) {
    snug__line_add(line, "%s", piece);
  }
}

void snug__line_end(snug__line *line) {
  if (line->n == sizeof line->text - 1) {
    do { /* a code point that was cut goes as a whole */
      line->n--;
    } while (line->n && ((unsigned char)line->text[line->n] & 0xC0u) == 0x80u);
  }
  snug__line_add(line, "\n");
}

size_t snug__columns(const char *text, size_t n) {
  size_t columns = 0;
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '\x1b') {
      i += strcspn(text + i, "m");
    } else if (((unsigned char)text[i] & 0xC0u) != 0x80u &&
               text[i] != '\r') { /* not inside a code point */
      columns++;
    }
  }
  return columns;
}

/* ---- breaking lines ---- */

size_t snug__bytes_of(const char *text, size_t columns) {
  size_t n = 0;
  for (; text[n]; n++) {
    bool begins = ((unsigned char)text[n] & 0xC0u) != 0x80u;
    if (begins && columns-- == 0) {
      break;
    }
  }
  return n;
}

/* The last place of a part in the first `within` bytes, or 0. */
static size_t last_place(const char *text, const char *part, size_t within) {
  size_t best = 0;
  const char *at = part ? strstr(text, part) : NULL;
  for (; at && (size_t)(at - text) <= within; at = strstr(at + 1, part)) {
    best = (size_t)(at - text);
  }
  return best;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

/* The last blank, but not one between a number and its unit, or a word and its number. */
static size_t last_blank(const char *text, size_t within) {
  size_t best = 0;
  for (size_t n = 1; n <= within && text[n]; n++) {
    bool is_one = (is_digit(text[n - 1]) && is_letter(text[n + 1])) ||
                  (is_letter(text[n - 1]) && is_digit(text[n + 1]));
    best = text[n] == ' ' && !is_one ? n : best;
  }
  return best;
}

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/* "conv2_|block", "Global|Average", "dense|[0][0]" */
static bool may_break(char before, char behind) {
  return strchr("_/.,;:-", before) || (is_lower(before) && is_upper(behind)) ||
         (behind == '[' && before != ']');
}

/* The last place inside a word that may be broken, if that is not far from its end. */
static size_t last_mark(const char *text, size_t within) {
  size_t n = within;
  while (n > within / 2 && !may_break(text[n - 1], text[n])) {
    n--;
  }
  return n > within / 2 ? n : within;
}

/* Before a parenthesis that does not end within the line, else behind the last semicolon. */
static size_t last_clause(const char *text, size_t within) {
  size_t open = last_place(text, " (", within);
  size_t semicolon = last_place(text, "; ", within);
  bool ends = open && memchr(text + open, ')', within - open);
  return open && !ends ? open : semicolon ? semicolon + 1 : 0;
}

size_t snug__fit_columns(const char *text, const char *separator, size_t columns, size_t *next) {
  size_t within = snug__bytes_of(text, columns ? columns : 1);
  size_t n = 0;
  *next = within;
  if (!text[within]) {
    return within;
  }
  size_t clause = separator ? last_clause(text, within) : 0;
  if ((n = last_place(text, separator, within)) > clause) {
    *next = n + strlen(separator);
  } else if (clause > 0) {
    n = clause;
    *next = clause + 1;
  } else if ((n = last_blank(text, within)) > 0) {
    *next = n + 1;
  } else {
    *next = n = last_mark(text, within);
  }
  return n;
}
