#include "keras/span.h"

#include <stdint.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && is_blank(*at)) {
    at++;
  }
  return at;
}

/* Behind the text whose quote is at `at`. */
static const char *skip_text(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++) {
    at += *at == '\\' && at + 1 < end;
  }
  return at < end ? at + 1 : end;
}

static const char *skip_value(const char *at, const char *end) {
  size_t depth = 0;
  while (at < end) {
    if (*at == '"') {
      at = skip_text(at, end);
    } else if (*at == '{' || *at == '[') {
      depth++;
      at++;
    } else if (depth == 0) { /* a bare word */
      while (at < end && !is_blank(*at) && !strchr(",]}", *at)) {
        at++;
      }
    } else {
      depth -= *at == '}' || *at == ']';
      at++;
    }
    if (depth == 0) {
      return at;
    }
  }
  return end;
}

snug__span snug__span_value(snug__span text) {
  const char *at = skip_blanks(text.at, text.end);
  return (snug__span){at, skip_value(at, text.end)};
}

snug__span snug__span_inside(snug__span value) {
  bool has = value.at && value.end - value.at >= 2 && (*value.at == '{' || *value.at == '[');
  return has ? (snug__span){value.at + 1, value.end - 1} : (snug__span){NULL, NULL};
}

/* Move over a character that stands between values. */
static void skip_mark(snug__span *rest, char mark) {
  rest->at = skip_blanks(rest->at, rest->end);
  rest->at += rest->at < rest->end && *rest->at == mark;
}

bool snug__span_next_item(snug__span *rest, snug__span *item) {
  if (!rest->at) {
    return false;
  }
  *item = snug__span_value(*rest);
  if (item->at == item->end) {
    return false;
  }
  rest->at = item->end;
  skip_mark(rest, ',');
  return true;
}

bool snug__span_next_member(snug__span *rest, snug__span *key, snug__span *value) {
  if (!rest->at) {
    return false;
  }
  *key = snug__span_value(*rest);
  if (key->at == key->end || *key->at != '"') {
    return false;
  }
  rest->at = key->end;
  skip_mark(rest, ':');
  *value = snug__span_value(*rest);
  rest->at = value->end;
  skip_mark(rest, ',');
  return true;
}

snug__span snug__span_get(snug__span object, const char *key) {
  snug__span found = {NULL, NULL};
  snug__span inside = snug__span_inside(object);
  snug__span name, value;
  char text[64];
  if (!object.at || *object.at != '{') {
    return found;
  }
  while (snug__span_next_member(&inside, &name, &value)) {
    if (snug__span_text(name, text, sizeof text) && strcmp(text, key) == 0) {
      found = value;
    }
  }
  return found;
}

/* ---- texts ---- */

static uint32_t hex_digits(const char *at) {
  uint32_t v = 0;
  for (int i = 0; i < 4; i++) {
    char c = at[i];
    uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                            : 0;
    v = v << 4 | digit;
  }
  return v;
}

/* The code point of a \u escape at *at (behind the u), with its second half if it has one. */
static uint32_t escaped_point(const char **at, const char *end) {
  if (end - *at < 4) {
    *at = end;
    return '?';
  }
  uint32_t point = hex_digits(*at);
  *at += 4;
  bool is_pair = (point & 0xfc00) == 0xd800 && end - *at >= 6 && (*at)[0] == '\\' &&
                 (*at)[1] == 'u' && (hex_digits(*at + 2) & 0xfc00) == 0xdc00;
  if (is_pair) {
    point = 0x10000 + ((point & 0x3ff) << 10) + (hex_digits(*at + 2) & 0x3ff);
    *at += 6;
  }
  return point;
}

static size_t put_utf8(uint32_t c, char out[4]) {
  static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
  size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = n; i-- > 1;) {
    out[i] = (char)(0x80 | (c & 0x3f));
    c >>= 6;
  }
  out[0] = (char)(leads[n] | c);
  return n;
}

/* One character of a text, as UTF-8. */
static size_t next_character(const char **at, const char *end, char out[4]) {
  static const char names[] = "bfnrt";
  static const char meant[] = "\b\f\n\r\t";
  char c = *(*at)++;
  if (c != '\\' || *at >= end) {
    out[0] = c;
    return 1;
  }
  c = *(*at)++;
  if (c == 'u') {
    return put_utf8(escaped_point(at, end), out);
  }
  const char *name = c ? strchr(names, c) : NULL;
  out[0] = name ? meant[name - names] : c;
  return 1;
}

bool snug__span_text(snug__span value, char *out, size_t bytes) {
  size_t used = 0;
  if (!value.at || value.end - value.at < 2 || *value.at != '"') {
    return false;
  }
  for (const char *at = value.at + 1; at < value.end - 1;) {
    char one[4];
    size_t n = next_character(&at, value.end - 1, one);
    if (used + n >= bytes) {
      return false;
    }
    memcpy(out + used, one, n);
    used += n;
  }
  out[used] = 0;
  return true;
}

bool snug__span_is(snug__span value, const char *word) {
  size_t n = strlen(word);
  return value.at && (size_t)(value.end - value.at) == n && memcmp(value.at, word, n) == 0;
}

bool snug__span_is_number(snug__span value) {
  return value.at && value.at < value.end &&
         (*value.at == '-' || (*value.at >= '0' && *value.at <= '9') || *value.at == 'N' ||
          *value.at == 'I');
}
