/* Rows and fields of CSV as text. */
#include <string.h>

#include "data/csv.h"

const char *snug__csv_row_end(const char *at, const char *end, bool is_last) {
  bool is_quoted = false;
  while (at < end) {
    const char *line = memchr(at, '\n', (size_t)(end - at));
    const char *stop = line ? line : end;
    for (const char *q = at; (q = memchr(q, '"', (size_t)(stop - q))); q++) {
      is_quoted = !is_quoted;
    }
    if (line && !is_quoted) {
      return line + 1;
    }
    at = line ? line + 1 : end;
  }
  return is_last && !is_quoted ? end : NULL;
}

snug__csv_row snug__csv_row_of(const char *at, const char *end, char separator) {
  end -= end > at && end[-1] == '\n';
  end -= end > at && end[-1] == '\r';
  return (snug__csv_row){at, end, separator};
}

static bool is_blank(char c, char separator) { return (c == ' ' || c == '\t') && c != separator; }

static void trim(snug__csv_field *f, char separator) {
  while (f->n && is_blank(f->text[0], separator)) {
    f->text++;
    f->n--;
  }
  while (f->n && is_blank(f->text[f->n - 1], separator)) {
    f->n--;
  }
}

/* The closing quote of a field that begins behind the opening one. */
static const char *closing_quote(const char *at, const char *end) {
  const char *q = memchr(at, '"', (size_t)(end - at));
  while (q && q + 1 < end && q[1] == '"') {
    q = memchr(q + 2, '"', (size_t)(end - q - 2));
  }
  return q;
}

static const char *field_end(const char *at, const char *end, char separator) {
  const char *stop = memchr(at, separator, (size_t)(end - at));
  return stop ? stop : end;
}

bool snug__csv_next(snug__csv_row *row, snug__csv_field *out, bool *is_bad) {
  const char *at = row->at;
  *is_bad = false;
  if (!at) {
    return false;
  }
  while (at < row->end && is_blank(*at, row->separator)) {
    at++;
  }
  bool is_quoted = at < row->end && *at == '"';
  const char *quote = is_quoted ? closing_quote(at + 1, row->end) : NULL;
  const char *stop = field_end(quote ? quote + 1 : at, row->end, row->separator);
  *out = (snug__csv_field){at, (size_t)(stop - at), false};
  if (is_quoted) {
    snug__csv_field behind = {quote ? quote + 1 : at, quote ? (size_t)(stop - quote - 1) : 1,
                              false};
    trim(&behind, row->separator);
    *is_bad = behind.n > 0;
    *out = (snug__csv_field){at + 1, quote ? (size_t)(quote - at - 1) : 0, true};
  } else {
    trim(out, row->separator);
  }
  row->at = stop < row->end ? stop + 1 : NULL;
  return true;
}

void snug__csv_text(const snug__csv_field *f, char *out, size_t bytes) {
  size_t n = 0;
  for (size_t i = 0; i < f->n && n + 1 < bytes; i++) {
    out[n++] = f->text[i];
    i += f->is_quoted && f->text[i] == '"'; /* the second of two */
  }
  out[n] = '\0';
}

static size_t digits(const snug__csv_field *f, size_t *at) {
  size_t from = *at;
  while (*at < f->n && f->text[*at] >= '0' && f->text[*at] <= '9') {
    (*at)++;
  }
  return *at - from;
}

static void take_sign(const snug__csv_field *f, size_t *at) {
  *at += *at < f->n && (f->text[*at] == '-' || f->text[*at] == '+');
}

/* An exponent, if there is one. */
static bool take_exponent(const snug__csv_field *f, size_t *at) {
  if (*at >= f->n || (f->text[*at] != 'e' && f->text[*at] != 'E')) {
    return true;
  }
  (*at)++;
  take_sign(f, at);
  return digits(f, at) > 0;
}

#define MOST_WHOLE 18  /* digits that int64 holds in any case */
#define MOST_NUMBER 63 /* characters */

snug__csv_kind snug__csv_kind_of(const snug__csv_field *f) {
  size_t at = 0;
  if (f->n == 0) {
    return SNUG__CSV_EMPTY;
  }
  take_sign(f, &at);
  size_t whole = digits(f, &at);
  if (at == f->n && whole > 0 && whole <= MOST_WHOLE) {
    return SNUG__CSV_WHOLE;
  }
  bool has_point = at < f->n && f->text[at] == '.';
  at += has_point;
  size_t behind = has_point ? digits(f, &at) : 0;
  bool is_number = whole + behind > 0 && take_exponent(f, &at) && at == f->n;
  return is_number && f->n <= MOST_NUMBER ? SNUG__CSV_REAL : SNUG__CSV_TEXT;
}
