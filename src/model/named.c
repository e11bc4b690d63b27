#include "model/named.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t\r\n"
#define SHOWN 60 /* characters of a wrong name in a message */

/* ---- names ---- */

const snug__named *snug__named_at(const snug__named_set *set, size_t i) {
  return (const snug__named *)((const char *)set->entries + set->stride * i);
}

/* A name of n characters in the form that is compared, without the ending if it has one. */
static void plain_name(const char *name, size_t n, const char *ending, char out[SNUG__NAME_BYTES]) {
  size_t used = 0;
  for (size_t i = 0; i < n && used + 1 < SNUG__NAME_BYTES; i++) {
    if (name[i] != '_') {
      out[used++] = (char)tolower((unsigned char)name[i]);
    }
  }
  out[used] = 0;
  size_t cut = ending ? strlen(ending) : 0;
  if (cut && used > cut && strcmp(out + used - cut, ending) == 0) {
    out[used - cut] = 0;
  }
}

bool snug__named_is_same(const char *a, const char *b) {
  char plain[2][SNUG__NAME_BYTES];
  plain_name(a, strlen(a), NULL, plain[0]);
  plain_name(b, strlen(b), NULL, plain[1]);
  return strcmp(plain[0], plain[1]) == 0;
}

static bool has_name(const snug__named *thing, const char *plain) {
  for (const char *at = thing->names; *at;) {
    char one[SNUG__NAME_BYTES];
    size_t n = strcspn(at, " ");
    plain_name(at, n, NULL, one);
    if (strcmp(one, plain) == 0) {
      return true;
    }
    at += n + (at[n] == ' ');
  }
  return false;
}

/* The name: from the first character that is not blank to a parenthesis, a blank or the end. */
static size_t name_of(const char **text) {
  *text += strspn(*text, BLANKS);
  return strcspn(*text, "(" BLANKS);
}

/* The index of the thing with that name; set->n if there is none. */
static size_t find(const snug__named_set *set, const char *name, size_t n) {
  char plain[SNUG__NAME_BYTES];
  size_t i = n ? 0 : set->n;
  plain_name(name, n, set->ending, plain);
  while (i < set->n && !has_name(snug__named_at(set, i), plain)) {
    i++;
  }
  return i;
}

void snug__named_own(const snug__named *thing, char out[SNUG__NAME_BYTES]) {
  snprintf(out, SNUG__NAME_BYTES, "%.*s", (int)strcspn(thing->names, " "), thing->names);
}

void snug__named_given(const char *text, char out[SNUG__NAME_BYTES]) {
  size_t n = name_of(&text);
  snprintf(out, SNUG__NAME_BYTES, "%.*s", (int)(n < SNUG__NAME_BYTES ? n : SNUG__NAME_BYTES), text);
}

bool snug__named_is_known(const snug__named_set *set, const char *text) {
  size_t n = name_of(&text);
  return find(set, text, n) < set->n;
}

bool snug__named_is_none(const char *text) {
  return !text || !text[0] || strcmp(text, "none") == 0 || strcmp(text, "None") == 0 ||
         strcmp(text, "null") == 0;
}

static snug_status fail_name(snug_ctx *ctx, const snug__named_set *set, const char *where,
                             const char *name, size_t length) {
  char known[SNUG__MESSAGE_BYTES / 2] = "";
  size_t used = 0;
  size_t i = 0;
  for (; i < set->n && used + SNUG__NAME_BYTES < sizeof known; i++) {
    char own[SNUG__NAME_BYTES];
    snug__named_own(snug__named_at(set, i), own);
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", own);
  }
  return snug__fail(ctx, SNUG_E_ARGUMENT, "%s%sthere is no %s '%.*s'; known: %s%s",
                    where ? where : "", where ? ": " : "", set->what,
                    (int)(length > SHOWN ? SHOWN : length), name, known, i < set->n ? " …" : "");
}

/* ---- arguments ---- */

/* One argument; lengths of 0: it has no key, or there is no value. */
typedef struct argument {
  const char *key, *value;
  size_t key_length, value_length;
} argument;

/* The length of the value at `at`: to a comma or blank outside of brackets and quotes, or `end`. */
static size_t value_length(const char *at, const char *end) {
  const char *begin = at;
  int depth = 0;
  char quote = 0; /* the one that is open */
  for (; at < end && (quote || depth > 0 || !(*at == ',' || strchr(BLANKS, *at))); at++) {
    bool may_open = at == begin || strchr("=([, ", at[-1]);
    if (quote ? *at == quote : may_open && (*at == '"' || *at == '\'')) {
      quote = quote ? 0 : *at;
    }
    depth += quote ? 0 : (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
  }
  return (size_t)(at - begin);
}

/* The argument at *at, which moves behind it. */
static argument next_argument(const char **at, const char *end) {
  argument a = {*at, *at, 0, 0};
  const char *behind = *at;
  while (behind < end && (isalnum((unsigned char)*behind) || *behind == '_')) {
    behind++;
  }
  size_t n = (size_t)(behind - *at);
  behind += strspn(behind, BLANKS);
  if (n && behind < end && *behind == '=') {
    a.key_length = n;
    a.value = behind + 1 + strspn(behind + 1, BLANKS);
  }
  a.value_length = value_length(a.value, end);
  *at = a.value + a.value_length;
  return a;
}

static const char *field_name(const snug__field *fields, int32_t i) {
  int32_t k = 0;
  while (fields && fields[k].name && k < i) {
    k++;
  }
  return fields ? fields[k].name : NULL;
}

/* Write the arguments between at and end into call->arguments, each as `key=value`. */
static snug_status name_arguments(snug_ctx *ctx, const char *at, const char *end,
                                  snug__named_call *call) {
  bool had_key = false;
  size_t used = 0;
  for (int32_t i = 0; (at += strspn(at, "," BLANKS)) < end; i++) {
    argument a = next_argument(&at, end);
    const char *key = a.key_length ? a.key : field_name(call->thing->fields, i);
    had_key = had_key || a.key_length;
    if (!key || (had_key && !a.key_length)) {
      return snug__fail(
          ctx, SNUG_E_ARGUMENT, "%s: '%.*s': %s", call->where,
          (int)(a.value_length > SHOWN ? SHOWN : a.value_length), a.value,
          key ? "it stands behind an argument with a name; write key=value" : "too many arguments");
    }
    used += (size_t)snprintf(call->arguments + used, sizeof call->arguments - used, "%s%.*s=%.*s",
                             i ? " " : "", (int)(a.key_length ? a.key_length : strlen(key)), key,
                             (int)a.value_length, a.value);
    if (used >= sizeof call->arguments) {
      return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: arguments of more than %d characters",
                        call->where, SNUG__NAMED_TEXT_BYTES - 1);
    }
  }
  return SNUG_OK;
}

/* Find the arguments of a text, whose name ends at *begin: what stands between the parentheses. */
static snug_status find_arguments(snug_ctx *ctx, const char *where, const char **begin,
                                  const char **end) {
  *begin += strspn(*begin, BLANKS);
  const char *at = *begin;
  size_t n = strlen(at);
  while (n && strchr(BLANKS, at[n - 1])) {
    n--;
  }
  *end = at + n;
  if (!n) {
    return SNUG_OK;
  }
  if (at[0] != '(' || n < 2 || at[n - 1] != ')') {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "%s: '%.*s' behind the name: expected (key=value, ...) with its parentheses",
                      where, (int)(n > SHOWN ? SHOWN : n), at);
  }
  ++*begin;
  --*end;
  return SNUG_OK;
}

snug_status snug__named_read(snug_ctx *ctx, const snug__named_set *set, const char *where,
                             const char *text, snug__named_call *out) {
  const char *name = text;
  const char *end = NULL;
  size_t n = name_of(&name);
  memset(out, 0, sizeof *out);
  out->index = find(set, name, n);
  if (out->index == set->n) {
    return fail_name(ctx, set, where, name, n);
  }
  out->thing = snug__named_at(set, out->index);
  snprintf(out->where, sizeof out->where, "%.*s%s%s %.*s", 2 * SNUG__NAME_BYTES, where ? where : "",
           where ? ": " : "", set->what, (int)(n > SHOWN ? SHOWN : n), name);
  const char *begin = name + n;
  SNUG_TRY(find_arguments(ctx, out->where, &begin, &end));
  return name_arguments(ctx, begin, end, out);
}

void snug__named_take(snug__named_call *call, const char *key, char *value) {
  char *at = call->arguments;
  const char *end = at + strlen(at);
  value[0] = 0;
  while (at < end) {
    const char *behind = at;
    argument a = next_argument(&behind, end);
    behind += strspn(behind, BLANKS);
    if (a.key_length == strlen(key) && memcmp(a.key, key, a.key_length) == 0 &&
        isalpha((unsigned char)*a.value)) {
      snprintf(value, SNUG__NAMED_TEXT_BYTES, "%.*s", (int)a.value_length, a.value);
      memmove(at, behind, strlen(behind) + 1);
      return;
    }
    at = call->arguments + (behind - call->arguments);
  }
}

snug_status snug__named_apply(snug_ctx *ctx, const snug__named_call *call, void *options,
                              size_t bytes) {
  memset(options, 0, bytes);
  return snug__fields_parse(ctx, call->where, call->thing->fields, call->arguments, options);
}

snug_status snug__named_parse(snug_ctx *ctx, const snug__named_set *set, const char *where,
                              const char *text, void *options, size_t bytes, size_t *found) {
  snug__named_call call;
  SNUG_TRY(snug__named_read(ctx, set, where, text, &call));
  *found = call.index;
  return snug__named_apply(ctx, &call, options, bytes);
}

/* ---- print ---- */

snug_status snug__named_print(const snug__named *thing, const void *options, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "%.*s(", (int)strcspn(thing->names, " "), thing->names));
  SNUG_TRY(snug__fields_print(thing->fields, options, out));
  return snug__text_add(out, ")");
}
