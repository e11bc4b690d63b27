#include "base/fields.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define VALUE_BYTES 512 /* longest text of one value */

static void *member(void *params, const snug__field *f) { return (char *)params + f->offset; }
static const void *const_member(const void *params, const snug__field *f) {
  return (const char *)params + f->offset;
}

static void skip_blanks(const char **at) {
  while (isspace((unsigned char)**at)) {
    (*at)++;
  }
}

static bool starts_with_none(const char *at) {
  return (strncmp(at, "none", 4) == 0 || strncmp(at, "None", 4) == 0) &&
         !isalnum((unsigned char)at[4]);
}

#define LIST_DEPTH 2 /* [[1,1],[2,2]] */

/* Call one(...) for each element of "[a,b]", of lists in it, or of a single "a"; false if the text
 * is not such a list. */
static bool parse_list(const char **at, bool (*one)(const char **at, void *list), void *list,
                       int depth) {
  if (**at != '[') {
    return one(at, list);
  }
  (*at)++;
  skip_blanks(at);
  while (**at != ']') {
    if (depth == 0 || !parse_list(at, one, list, depth - 1)) {
      return false;
    }
    skip_blanks(at);
    if (**at == ',') {
      (*at)++;
      skip_blanks(at);
    } else if (**at != ']') {
      return false;
    }
  }
  (*at)++;
  return true;
}

/* A list, or `none` for an empty one. */
static bool parse_list_or_none(const char **at, bool (*one)(const char **at, void *list),
                               void *list) {
  if (starts_with_none(*at)) {
    *at += 4;
    return true;
  }
  return parse_list(at, one, list, LIST_DEPTH);
}

static bool one_int(const char **at, void *list) {
  snug_ints *l = list;
  return l->n < SNUG__LIST_MAX && snug__read_int(at, &l->v[l->n]) && ++l->n;
}

static bool one_float(const char **at, void *list) {
  snug_floats *l = list;
  return l->n < SNUG__LIST_MAX && snug__read_float(at, &l->v[l->n]) && ++l->n;
}

static bool one_number(const char **at, void *list) {
  double unused;
  return snug__read_float(at, &unused) && ++((snug_numbers *)list)->n;
}

/* The next number of a list that was read before, which has one more. */
static double next_number(const char **at) {
  double v = 0.0;
  while (**at == '[' || **at == ']' || **at == ',' || isspace((unsigned char)**at)) {
    (*at)++;
  }
  snug__read_float(at, &v);
  return v;
}

void snug__numbers_read(const snug_numbers *list, double *out) {
  const char *at = list->text;
  for (int64_t i = 0; i < list->n; i++) {
    out[i] = next_number(&at);
  }
}

static bool are_same_numbers(const snug_numbers *a, const snug_numbers *b) {
  const char *at[2] = {a->text, b->text};
  bool same = a->n == b->n;
  for (int64_t i = 0; same && i < a->n; i++) {
    const double v[2] = {next_number(&at[0]), next_number(&at[1])};
    same = memcmp(&v[0], &v[1], sizeof v[0]) == 0;
  }
  return same;
}

static bool parse_numbers(const char **at, snug_numbers *out) {
  *out = (snug_numbers){0, *at, false};
  if (!parse_list_or_none(at, one_number, out)) {
    return false;
  }
  const char *inner = out->text[0] == '[' ? strchr(out->text + 1, '[') : NULL;
  out->nested = inner && inner < *at;
  return true;
}

static bool ends_here(char c) { return c == 0 || c == ',' || isspace((unsigned char)c); }

/* A bare or quoted word into out; false if it is empty, too long or not closed.  In a bare one,
 * what stands in parentheses belongs to it: max_norm(2, axis=0). */
static bool parse_word(const char **at, char *out, size_t bytes) {
  char quote = **at;
  bool quoted = quote == '"' || quote == '\'';
  size_t n = 0;
  int depth = 0;
  *at += quoted;
  while (**at && (quoted ? **at != quote : depth > 0 || !ends_here(**at))) {
    if (n + 1 >= bytes || **at == '"') {
      return false;
    }
    depth += (**at == '(') - (**at == ')');
    out[n++] = *(*at)++;
  }
  out[n] = 0;
  if (quoted) {
    if (**at != quote) {
      return false;
    }
    (*at)++;
  }
  return (n > 0 || quoted) && (quoted || depth == 0);
}

static bool is_same_word(const char *a, const char *b) {
  for (; *a && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++, b++) {
  }
  return *a == *b;
}

static bool parse_choice(const char **at, const snug__field *f, int32_t *out) {
  char word[SNUG__NAME_BYTES];
  if (!parse_word(at, word, sizeof word)) {
    return false;
  }
  for (int32_t i = 0; f->choices[i]; i++) {
    if (is_same_word(f->choices[i], word)) {
      *out = i;
      return true;
    }
  }
  return false;
}

static bool parse_bool(const char **at, bool *out) {
  char word[8];
  if (!parse_word(at, word, sizeof word)) {
    return false;
  }
  *out = is_same_word(word, "true") || strcmp(word, "1") == 0;
  return *out || is_same_word(word, "false") || strcmp(word, "0") == 0;
}

/* The length of the value that text begins with. */
static size_t value_length(const char *text) {
  size_t n = strcspn(text, " ,\t\r\n");
  if (*text == '[' || *text == '"' || *text == '\'') {
    n = 1 + strcspn(text + 1, *text == '[' ? "]" : *text == '"' ? "\"" : "'");
    n += text[n] != 0;
  }
  return n;
}

/* Whether a word is the one wanted, or says as little as "none" where that is wanted. */
static bool is_as_fixed(const char *word, const char *wanted) {
  static const char *const nothing[] = {"none", "null", "false", "0", "[]"};
  double a = 0.0, b = 0.0;
  const char *at[2] = {word, wanted};
  bool is_nothing = false;
  for (size_t i = 0; i < SNUG_COUNT(nothing); i++) {
    is_nothing = is_nothing || is_same_word(word, nothing[i]);
  }
  return is_same_word(word, wanted) || (is_nothing && strcmp(wanted, "none") == 0) ||
         (snug__read_float(&at[0], &a) && snug__read_float(&at[1], &b) && !*at[0] && a == b);
}

/* The value of an option that must keep its default. */
static bool parse_fixed(const char **at, const snug__field *f) {
  char word[SNUG__NAME_BYTES];
  size_t n = value_length(*at);
  bool is_quoted = **at == '"' || **at == '\'';
  if (n >= sizeof word || (is_quoted && n < 2)) {
    return false;
  }
  memcpy(word, *at + is_quoted, n - 2 * is_quoted);
  word[n - 2 * is_quoted] = 0;
  *at += n;
  return is_as_fixed(word, f->initial);
}

static bool parse_value(const char **at, const snug__field *f, void *params) {
  void *m = member(params, f);
  switch (f->kind) {
    case SNUG__FIELD_INT:
      return snug__read_int(at, m);
    case SNUG__FIELD_FLOAT:
      return snug__read_float(at, m);
    case SNUG__FIELD_BOOL:
      return parse_bool(at, m);
    case SNUG__FIELD_CHOICE:
      return parse_choice(at, f, m);
    case SNUG__FIELD_INTS:
      memset(m, 0, sizeof(snug_ints));
      return parse_list_or_none(at, one_int, m);
    case SNUG__FIELD_FLOATS:
      memset(m, 0, sizeof(snug_floats));
      return parse_list_or_none(at, one_float, m);
    case SNUG__FIELD_TEXT:
      memset(m, 0, SNUG__NAME_BYTES);
      return parse_word(at, m, SNUG__NAME_BYTES);
    case SNUG__FIELD_NUMBERS:
      return parse_numbers(at, m);
    case SNUG__FIELD_FIXED:
      return parse_fixed(at, f);
  }
  return false;
}

static const char *kind_text(snug__field_kind kind) {
  static const char *const texts[] = {"",
                                      "a whole number",
                                      "a number",
                                      "true or false",
                                      "one of",
                                      "up to 16 whole numbers",
                                      "up to 16 numbers",
                                      "a word of up to 127 characters",
                                      "numbers",
                                      "nothing else"};
  _Static_assert(SNUG__LIST_MAX == 16 && SNUG__NAME_BYTES == 128, "as the texts say");
  return texts[kind];
}

/* Append a word to the list in text; false when it does not fit and " …" stands in its place. */
static bool join(char *text, size_t bytes, const char *word) {
  const size_t n = strlen(text);
  if (n + strlen(word) + sizeof ", " + sizeof " …" > bytes) {
    snprintf(text + n, bytes - n, " …");
    return false;
  }
  snprintf(text + n, bytes - n, "%s%s", n ? ", " : "", word);
  return true;
}

#define SHOWN 60 /* characters of a value in a message */

/* A fixed option at another value, without the quotes around it. */
static snug_status fail_fixed(snug_ctx *ctx, const char *where, const snug__field *f,
                              const char *text, int n) {
  bool is_quoted = n > 1 && (*text == '"' || *text == '\'');
  return snug__fail(ctx, SNUG_E_UNSUPPORTED, "%s: %s=%.*s: only %s is supported%s%s", where,
                    f->name, n - 2 * is_quoted, text + is_quoted,
                    strcmp(f->initial, "none") == 0 ? "null" : f->initial, f->says ? "; " : "",
                    f->says ? f->says : "");
}

static snug_status fail_value(snug_ctx *ctx, const char *where, const snug__field *f,
                              const char *text) {
  char choices[VALUE_BYTES] = "";
  int n = value_length(text) < SHOWN ? (int)value_length(text) : SHOWN;
  if (f->kind == SNUG__FIELD_FIXED) {
    return fail_fixed(ctx, where, f, text, n);
  }
  for (int i = 0; f->choices && f->choices[i] && join(choices, sizeof choices, f->choices[i]);) {
    i++;
  }
  return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: %s=%.*s: expected %s%s%s", where, f->name, n, text,
                    kind_text(f->kind), choices[0] ? " " : "", choices);
}

static snug_status fail_key(snug_ctx *ctx, const char *where, const snug__field *fields,
                            const char *key, size_t n) {
  char known[VALUE_BYTES] = "";
  for (const snug__field *f = fields; f && f->name && join(known, sizeof known, f->name);) {
    f++;
  }
  return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: %s '%.*s' here; known: %s", where,
                    n && key[n] != '=' ? "write key=value; there is no key" : "there is no",
                    (int)(n > 60 ? 60 : n), key, known[0] ? known : "nothing");
}

static int find_field(const snug__field *fields, const char *key, size_t n) {
  for (int i = 0; fields && fields[i].name; i++) {
    if (strlen(fields[i].name) == n && memcmp(fields[i].name, key, n) == 0) {
      return i;
    }
  }
  return -1;
}

static snug_status set_defaults(snug_ctx *ctx, const char *where, const snug__field *fields,
                                void *params) {
  for (const snug__field *f = fields; f && f->name; f++) {
    const char *at = f->initial;
    if (at && !parse_value(&at, f, params)) {
      return snug__fail(ctx, SNUG_E_INTERNAL, "%s: the default '%s' of %s does not parse", where,
                        f->initial, f->name);
    }
  }
  return SNUG_OK;
}

static void skip_separators(const char **at) {
  while (isspace((unsigned char)**at) || **at == ',') {
    (*at)++;
  }
}

/* One `key=value`; marks the field in *seen. */
static snug_status parse_pair(snug_ctx *ctx, const char *where, const snug__field *fields,
                              const char **at, void *params, uint64_t *seen) {
  size_t n = strcspn(*at, "= \t\n,");
  int i = find_field(fields, *at, n);
  if (i < 0) {
    return fail_key(ctx, where, fields, *at, n);
  }
  if (*seen >> i & 1) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: %s is given twice", where, fields[i].name);
  }
  *at += n;
  const char *value = *at + (**at == '=');
  if (**at != '=') {
    return fail_value(ctx, where, &fields[i], "");
  }
  *at = value;
  if (!parse_value(at, &fields[i], params) || !ends_here(**at)) {
    return fail_value(ctx, where, &fields[i], value);
  }
  *seen |= UINT64_C(1) << i;
  return SNUG_OK;
}

snug_status snug__fields_parse(snug_ctx *ctx, const char *where, const snug__field *fields,
                               const char *text, void *params) {
  const char *at = text ? text : "";
  uint64_t seen = 0;
  SNUG_TRY(set_defaults(ctx, where, fields, params));
  for (skip_separators(&at); *at; skip_separators(&at)) {
    SNUG_TRY(parse_pair(ctx, where, fields, &at, params, &seen));
  }
  for (int i = 0; fields && fields[i].name; i++) {
    if (!fields[i].initial && !(seen >> i & 1)) {
      return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: %s must be given", where, fields[i].name);
    }
  }
  return SNUG_OK;
}

static snug_status print_ints(const snug_ints *l, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "["));
  for (int32_t i = 0; i < l->n; i++) {
    SNUG_TRY(snug__text_add(out, "%s%lld", i ? "," : "", (long long)l->v[i]));
  }
  return snug__text_add(out, "]");
}

static snug_status print_floats(const snug_floats *l, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "["));
  for (int32_t i = 0; i < l->n; i++) {
    char number[SNUG__NUMBER_BYTES];
    SNUG_TRY(snug__text_add(out, "%s%s", i ? "," : "", snug__print_float(l->v[i], number)));
  }
  return snug__text_add(out, "]");
}

static snug_status print_numbers(const snug_numbers *l, snug__text *out) {
  const char *at = l->text;
  SNUG_TRY(snug__text_add(out, "["));
  for (int64_t i = 0; i < l->n; i++) {
    char number[SNUG__NUMBER_BYTES];
    SNUG_TRY(
        snug__text_add(out, "%s%s", i ? "," : "", snug__print_float(next_number(&at), number)));
  }
  return snug__text_add(out, "]");
}

/* There is no way to write a quote inside of quotes; reading refuses it too. */
static snug_status print_text(const char *text, snug__text *out) {
  if (strchr(text, '"')) {
    return snug__fail(out->chars.ctx, SNUG_E_ARGUMENT,
                      "the text '%s' cannot be written: it has a \"", text);
  }
  return snug__text_add(out, "\"%s\"", text);
}

static snug_status print_value(const snug__field *f, const void *m, snug__text *out) {
  char number[SNUG__NUMBER_BYTES];
  switch (f->kind) {
    case SNUG__FIELD_INT:
      return snug__text_add(out, "%lld", (long long)*(const int64_t *)m);
    case SNUG__FIELD_FLOAT:
      return snug__text_add(out, "%s", snug__print_float(*(const double *)m, number));
    case SNUG__FIELD_BOOL:
      return snug__text_add(out, "%s", *(const bool *)m ? "true" : "false");
    case SNUG__FIELD_CHOICE:
      return snug__text_add(out, "%s", f->choices[*(const int32_t *)m]);
    case SNUG__FIELD_INTS:
      return print_ints(m, out);
    case SNUG__FIELD_FLOATS:
      return print_floats(m, out);
    case SNUG__FIELD_TEXT:
      return print_text(m, out);
    case SNUG__FIELD_NUMBERS:
      return print_numbers(m, out);
    case SNUG__FIELD_FIXED:
      return snug__text_add(out, "%s", f->initial);
  }
  return SNUG_OK;
}

static bool is_default(const snug__field *f, const void *m) {
  union {
    int64_t i;
    double d;
    bool b;
    int32_t c;
    snug_ints ints;
    snug_floats floats;
    char text[SNUG__NAME_BYTES];
    snug_numbers numbers;
  } initial;
  static const size_t bytes[] = {0,
                                 sizeof(int64_t),
                                 sizeof(double),
                                 sizeof(bool),
                                 sizeof(int32_t),
                                 sizeof(snug_ints),
                                 sizeof(snug_floats),
                                 SNUG__NAME_BYTES,
                                 sizeof(snug_numbers),
                                 0};
  const char *at = f->initial;
  snug__field at_zero = *f;
  at_zero.offset = 0;
  memset(&initial, 0, sizeof initial);
  if (!at || !parse_value(&at, &at_zero, &initial)) {
    return false;
  }
  return f->kind == SNUG__FIELD_NUMBERS ? are_same_numbers(&initial.numbers, m)
                                        : memcmp(&initial, m, bytes[f->kind]) == 0;
}

snug_status snug__fields_print(const snug__field *fields, const void *params, snug__text *out) {
  bool first = true;
  for (const snug__field *f = fields; f && f->name; f++) {
    const void *m = const_member(params, f);
    if (!is_default(f, m)) {
      SNUG_TRY(snug__text_add(out, "%s%s=", first ? "" : ", ", f->name));
      SNUG_TRY(print_value(f, m, out));
      first = false;
    }
  }
  return SNUG_OK;
}
