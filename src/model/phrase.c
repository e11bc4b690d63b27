#include "model/phrase.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ENDING "initializer"
#define ARGUMENT_BYTES (4 * SNUG__NAME_BYTES)
#define LIST_BYTES 512

/* The name in front of the parentheses, in the form that is compared. */
static void plain_name(const char *text, size_t n, char out[SNUG__NAME_BYTES]) {
  size_t used = 0;
  for (size_t i = 0; i < n && used + 1 < SNUG__NAME_BYTES; i++) {
    if (text[i] != '_') {
      out[used++] = (char)tolower((unsigned char)text[i]);
    }
  }
  out[used] = 0;
  size_t ending = strlen(ENDING);
  if (used > ending && strcmp(out + used - ending, ENDING) == 0) {
    out[used - ending] = 0;
  }
}

bool snug__phrase_is_none(const char *text) {
  return !text || !text[0] || strcmp(text, "none") == 0 || strcmp(text, "None") == 0 ||
         strcmp(text, "null") == 0;
}

static int32_t find(const snug__phrase *table, int32_t n, const char *text, size_t length) {
  char wanted[SNUG__NAME_BYTES];
  char known[SNUG__NAME_BYTES];
  plain_name(text, length, wanted);
  for (int32_t i = 0; i < n; i++) {
    plain_name(table[i].name, strlen(table[i].name), known);
    if (strcmp(known, wanted) == 0) {
      return i;
    }
  }
  return -1;
}

static snug_status fail_name(snug_ctx *ctx, const char *where, const char *what, const char *text,
                             const snug__phrase *table, int32_t n) {
  char known[LIST_BYTES] = "";
  size_t used = 0;
  for (int32_t i = 0; i < n && used + SNUG__NAME_BYTES < sizeof known; i++) {
    used +=
        (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", table[i].name);
  }
  return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: there is no %s '%s'; known: %s", where, what, text,
                    known);
}

/* The end of the argument that begins at `at`: a comma outside of brackets, or `end`. */
static const char *argument_end(const char *at, const char *end) {
  for (int depth = 0; at < end && (depth > 0 || *at != ','); at++) {
    depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
  }
  return at;
}

static const char *field_name(const snug__field *fields, int32_t i) {
  int32_t k = 0;
  while (fields && fields[k].name && k < i) {
    k++;
  }
  return fields ? fields[k].name : NULL;
}

/* Write the arguments between at and end as `key=value` pairs; false if there are too many. */
static bool name_arguments(const char *at, const char *end, const snug__field *fields,
                           char out[ARGUMENT_BYTES]) {
  size_t used = 0;
  out[0] = 0;
  for (int32_t i = 0; at < end; i++) {
    const char *stop = argument_end(at, end);
    bool has_key = memchr(at, '=', (size_t)(stop - at)) != NULL;
    const char *key = has_key ? "" : field_name(fields, i);
    while (at < stop && isspace((unsigned char)*at)) {
      at++;
    }
    if (!key || used + (size_t)(stop - at) + SNUG__NAME_BYTES > ARGUMENT_BYTES) {
      return false;
    }
    used += (size_t)snprintf(out + used, ARGUMENT_BYTES - used, "%s%s%.*s ", key,
                             has_key ? "" : "=", (int)(stop - at), at);
    at = stop < end ? stop + 1 : end;
  }
  return true;
}

snug_status snug__phrase_parse(snug_ctx *ctx, const char *where, const char *what, const char *text,
                               const snug__phrase *table, int32_t n, void *params, int32_t *found) {
  char arguments[ARGUMENT_BYTES];
  char inner[3 * SNUG__NAME_BYTES];
  size_t length = strcspn(text, "(");
  size_t all = strlen(text);
  const char *begin = text + length + (text[length] == '(');
  const char *end = begin > text + length ? text + all - 1 : begin;
  *found = find(table, n, text, length);
  if (*found < 0) {
    return fail_name(ctx, where, what, text, table, n);
  }
  if (begin > text + length && (end < begin || *end != ')')) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: %s '%s' does not end in ')'", where, what, text);
  }
  const snug__phrase *p = &table[*found];
  if (!name_arguments(begin, end, p->fields, arguments)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: %s '%s' has too many arguments", where, what,
                      text);
  }
  snprintf(inner, sizeof inner, "%s: %s", where, p->name);
  return snug__fields_parse(ctx, inner, p->fields, arguments, params);
}
