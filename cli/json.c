#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "snug/tools/report.h"

static void to_file(void *file, const char *text, size_t n) { fwrite(text, 1, n, file); }

/* Names of files and layers may hold any bytes. */
static void write_text(FILE *out, const char *text, size_t n) {
  snug_quote(to_file, out, SNUG_QUOTE_JSON, text, n);
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
