#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at text, 0 if there is none: cut, too long a form, a surrogate, or
 * beyond the last one. */
static size_t character_bytes(const unsigned char *text, size_t n) {
  static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t bytes = text[0] < 0x80               ? 1
                 : (text[0] & 0xE0u) == 0xC0u ? 2
                 : (text[0] & 0xF0u) == 0xE0u ? 3
                 : (text[0] & 0xF8u) == 0xF0u ? 4
                                              : 0;
  if (bytes <= 1 || bytes > n) {
    return bytes == 1 ? 1 : 0;
  }
  uint32_t code = text[0] & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; i++) {
    if ((text[i] & 0xC0u) != 0x80u) {
      return 0;
    }
    code = code << 6 | (text[i] & 0x3Fu);
  }
  bool is_good = code >= lowest[bytes] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return is_good ? bytes : 0;
}

/* Names of files and layers may hold any bytes; what is not UTF-8 becomes the replacement
 * character, so that every reader takes the result. */
static void write_text(FILE *out, const char *text, size_t n) {
  const unsigned char *at = (const unsigned char *)text;
  fputc('"', out);
  for (size_t i = 0; i < n;) {
    size_t bytes = character_bytes(at + i, n - i);
    if (bytes == 0) {
      fputs("\\ufffd", out);
    } else if (at[i] == '"' || at[i] == '\\') {
      fprintf(out, "\\%c", at[i]);
    } else if (at[i] < 0x20 || at[i] == 0x7F) {
      fprintf(out, "\\u%04x", at[i]);
    } else {
      fwrite(at + i, 1, bytes, out);
    }
    i += bytes ? bytes : 1;
  }
  fputc('"', out);
}

static void begin_item(json *j, const char *key) {
  if (j->depth > 0) {
    fputs(j->has_items[j->depth - 1] ? "," : "", j->out);
    j->has_items[j->depth - 1] = true;
  }
  if (key) {
    write_text(j->out, key, strlen(key));
    fputc(':', j->out);
  }
}

static void open_level(json *j, const char *key, char begins, char ends) {
  begin_item(j, key);
  fputc(begins, j->out);
  j->ends[j->depth] = ends;
  j->has_items[j->depth] = false;
  j->depth++;
}

void json_object(json *j, const char *key) { open_level(j, key, '{', '}'); }

void json_array(json *j, const char *key) { open_level(j, key, '[', ']'); }

void json_end(json *j) { fputc(j->ends[--j->depth], j->out); }

json json_begin(FILE *out) {
  json j = {.out = out};
  json_object(&j, NULL);
  json_int(&j, "schema", JSON_SCHEMA);
  return j;
}

void json_finish(json *j) {
  json_end(j);
  fputc('\n', j->out);
}

void json_text_n(json *j, const char *key, const char *text, size_t n) {
  begin_item(j, key);
  if (text) {
    write_text(j->out, text, n);
  } else {
    fputs("null", j->out);
  }
}

void json_text(json *j, const char *key, const char *text) {
  json_text_n(j, key, text, text ? strlen(text) : 0);
}

void json_int(json *j, const char *key, int64_t value) {
  begin_item(j, key);
  fprintf(j->out, "%lld", (long long)value);
}

/* The shortest of the forms that reads back as the same number. */
void json_real(json *j, const char *key, double value) {
  char text[40];
  begin_item(j, key);
  if (!isfinite(value)) {
    fputs("null", j->out);
    return;
  }
  if (value == floor(value) && fabs(value) < 1e15) { /* also numbers of bytes */
    fprintf(j->out, "%.0f", value);
    return;
  }
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) {
      break;
    }
  }
  fputs(text, j->out);
}

void json_bool(json *j, const char *key, bool value) {
  begin_item(j, key);
  fputs(value ? "true" : "false", j->out);
}
