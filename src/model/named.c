#include "model/named.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const snug__named *entry(const void *table, size_t stride, size_t i) {
  return (const snug__named *)((const char *)table + stride * i);
}

/* Whether a[0..n) and b[0..m) are one name. */
static bool is_same(const char *a, size_t n, const char *b, size_t m) {
  size_t i = 0;
  size_t k = 0;
  for (;;) {
    for (; i < n && a[i] == '_'; i++) {
    }
    for (; k < m && b[k] == '_'; k++) {
    }
    if (i == n || k == m) {
      return i == n && k == m;
    }
    if (tolower((unsigned char)a[i++]) != tolower((unsigned char)b[k++])) {
      return false;
    }
  }
}

static bool has_name(const snug__named *thing, const char *name, size_t n) {
  for (const char *at = thing->names; *at;) {
    size_t m = strcspn(at, " ");
    if (is_same(at, m, name, n)) {
      return true;
    }
    at += m + (at[m] == ' ');
  }
  return false;
}

void snug__named_own(const snug__named *thing, char out[SNUG__NAME_BYTES]) {
  snprintf(out, SNUG__NAME_BYTES, "%.*s", (int)strcspn(thing->names, " "), thing->names);
}

/* The name: from the first character that is not blank to a parenthesis, a blank or the end. */
static size_t name_of(const char **text) {
  while (isspace((unsigned char)**text)) {
    (*text)++;
  }
  return strcspn(*text, "( \t\n");
}

void snug__named_given(const char *text, char out[SNUG__NAME_BYTES]) {
  size_t n = name_of(&text);
  snprintf(out, SNUG__NAME_BYTES, "%.*s", (int)(n < SNUG__NAME_BYTES ? n : SNUG__NAME_BYTES), text);
}

bool snug__named_is(const snug__named *thing, const char *text) {
  size_t n = name_of(&text);
  return n && has_name(thing, text, n);
}

static snug_status fail_name(snug_ctx *ctx, const char *what, const char *name, size_t length,
                             const void *table, size_t stride, size_t n) {
  char known[SNUG__MESSAGE_BYTES / 2] = "";
  size_t used = 0;
  for (size_t i = 0; i < n && used + SNUG__NAME_BYTES < sizeof known; i++) {
    char own[SNUG__NAME_BYTES];
    snug__named_own(entry(table, stride, i), own);
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", own);
  }
  return snug__fail(ctx, SNUG_E_ARGUMENT, "there is no %s '%.*s'; known: %s", what,
                    (int)(length > 60 ? 60 : length), name, known);
}

/* The arguments between the parentheses that begin at `at`, as a text of their own. */
static snug_status arguments(snug_ctx *ctx, const char *what, const char *text, const char *at,
                             char out[SNUG__NAMED_TEXT_BYTES]) {
  out[0] = 0;
  at += strspn(at, " \t\n");
  if (!*at) {
    return SNUG_OK;
  }
  size_t n = strlen(at);
  while (n && isspace((unsigned char)at[n - 1])) {
    n--;
  }
  if (*at != '(' || n < 2 || at[n - 1] != ')' || n >= SNUG__NAMED_TEXT_BYTES) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "%s '%.100s': expected name or name(key=value, ...), in up to %d characters",
                      what, text, SNUG__NAMED_TEXT_BYTES);
  }
  memcpy(out, at + 1, n - 2);
  out[n - 2] = 0;
  return SNUG_OK;
}

snug_status snug__named_parse(snug_ctx *ctx, const char *what, const char *text, const void *table,
                              size_t stride, size_t n, void *options, size_t bytes, size_t *found) {
  char inner[SNUG__NAMED_TEXT_BYTES];
  char where[2 * SNUG__NAME_BYTES];
  const char *name = text;
  size_t length = name_of(&name);
  size_t i = 0;
  while (i < n && !has_name(entry(table, stride, i), name, length)) {
    i++;
  }
  if (!length || i == n) {
    return fail_name(ctx, what, name, length, table, stride, n);
  }
  SNUG_TRY(arguments(ctx, what, text, name + length, inner));
  snprintf(where, sizeof where, "%s %.*s", what, (int)(length > 60 ? 60 : length), name);
  memset(options, 0, bytes);
  *found = i;
  return snug__fields_parse(ctx, where, entry(table, stride, i)->fields, inner, options);
}

snug_status snug__named_print(const snug__named *thing, const void *options, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "%.*s(", (int)strcspn(thing->names, " "), thing->names));
  SNUG_TRY(snug__fields_print(thing->fields, options, out));
  return snug__text_add(out, ")");
}

/* The end of the value that begins at `at`: behind the parenthesis that closes its first. */
static const char *value_end(const char *at) {
  int depth = 0;
  for (; *at; at++) {
    depth += (*at == '(') - (*at == ')');
    if (*at == ')' && depth == 0) {
      return at + 1;
    }
  }
  return NULL;
}

/* Where `key=` begins as a whole word with a value that begins with a letter; NULL if nowhere. */
static const char *find_thing(const char *text, const char *key) {
  size_t n = strlen(key);
  for (const char *at = text; (at = strstr(at, key)); at += n) {
    bool whole = at == text || strchr("(, \t\n", at[-1]);
    if (whole && at[n] == '=' && isalpha((unsigned char)at[n + 1])) {
      return at;
    }
  }
  return NULL;
}

snug_status snug__named_cut(snug_ctx *ctx, const char *what, const char *text, const char *key,
                            char *rest, char *value) {
  const char *begin = find_thing(text, key);
  const char *thing = begin ? begin + strlen(key) + 1 : NULL;
  const char *end = thing ? value_end(thing) : NULL;
  value[0] = 0;
  if ((thing && !end) || strlen(text) >= SNUG__NAMED_TEXT_BYTES) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "%s '%.100s': parentheses that do not match, or %d characters and more", what,
                      text, SNUG__NAMED_TEXT_BYTES);
  }
  if (thing) {
    snprintf(value, SNUG__NAMED_TEXT_BYTES, "%.*s", (int)(end - thing), thing);
    snprintf(rest, SNUG__NAMED_TEXT_BYTES, "%.*s%s", (int)(begin - text), text, end);
  } else {
    snprintf(rest, SNUG__NAMED_TEXT_BYTES, "%s", text);
  }
  return SNUG_OK;
}
