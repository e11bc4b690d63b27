#include "keras/json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A config costs about this many bytes per byte of its text once it is parsed; what would cost far
 * more (a million empty lists) is no config. */
#define USUAL_COST 16
#define FREE_COST ((size_t)32 << 20)

/* What jansson takes, roughly, for a list, an object with its first members, a member and any other
 * value. */
enum { LIST_COST = 144, OBJECT_COST = 256, MEMBER_COST = 96, VALUE_COST = 48 };

/* Numbers that JSON has not stand in the parsed document as texts that no config has. */
#define MARK \
  "\x7f"     \
  "number "
static const struct {
  const char *token, *text;
} specials[] = {
    {"NaN", "\"" MARK "nan\""}, {"Infinity", "\"" MARK "inf\""}, {"-Infinity", "\"" MARK "-inf\""}};

/* ---- before parsing ---- */

/* What one look at the text finds. */
typedef struct survey {
  size_t depth, cost, n_special;
} survey;

/* The special number at a place outside of texts; SNUG_COUNT(specials) if there is none. */
static size_t special_at(const char *at, const char *end) {
  size_t i = 0;
  for (; i < SNUG_COUNT(specials); i++) {
    size_t n = strlen(specials[i].token);
    if ((size_t)(end - at) >= n && memcmp(at, specials[i].token, n) == 0) {
      break;
    }
  }
  return i;
}

/* The end of the text literal that begins at `at`. */
static const char *behind_text(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++) {
    at += *at == '\\';
  }
  return at < end ? at + 1 : end;
}

static void look_at(const char *at, const char *end, survey *s) {
  s->cost += *at == '[' ? LIST_COST : *at == '{' ? OBJECT_COST : 0;
  s->cost += *at == ':' ? MEMBER_COST : *at == ',' ? VALUE_COST : 0;
  s->n_special += special_at(at, end) < SNUG_COUNT(specials);
}

/* The deepest nesting, the cost of parsing and the number of special tokens. */
static survey look(const char *text, const char *end) {
  survey s = {0, 0, 0};
  size_t depth = 0;
  for (const char *at = text; at < end;) {
    if (*at == '"') {
      at = behind_text(at, end);
      continue;
    }
    look_at(at, end, &s);
    depth += *at == '[' || *at == '{';
    depth -= depth > 0 && (*at == ']' || *at == '}');
    s.depth = depth > s.depth ? depth : s.depth;
    at++;
  }
  return s;
}

static snug_status check(snug_ctx *ctx, const char *file, size_t bytes, const survey *s) {
  if (bytes > SNUG__JSON_BYTES) {
    return snug__fail(ctx, SNUG_E_FORMAT, "%s: a config of %zu bytes; %zu are allowed", file, bytes,
                      SNUG__JSON_BYTES);
  }
  if (s->depth > SNUG__JSON_DEPTH) {
    return snug__fail(ctx, SNUG_E_FORMAT, "%s: is nested %zu deep; %d are allowed", file, s->depth,
                      SNUG__JSON_DEPTH);
  }
  if (s->cost > FREE_COST + USUAL_COST * bytes) {
    return snug__fail(ctx, SNUG_E_FORMAT,
                      "%s: %zu bytes of JSON would take %zu bytes of memory: this is no config of "
                      "a model",
                      file, bytes, s->cost);
  }
  return SNUG_OK;
}

/* Copy the text to dst with marked texts in the place of special numbers; returns the end. */
static char *mark_specials(const char *at, const char *end, char *dst) {
  while (at < end) {
    size_t which = *at == '"' ? SNUG_COUNT(specials) : special_at(at, end);
    const char *next = *at == '"' ? behind_text(at, end) : at + 1;
    const char *from = at;
    size_t n = (size_t)(next - at);
    if (which < SNUG_COUNT(specials)) {
      from = specials[which].text;
      n = strlen(from);
      next = at + strlen(specials[which].token);
    }
    memcpy(dst, from, n);
    dst += n;
    at = next;
  }
  return dst;
}

/* ---- parsing ---- */

static snug_status parse(snug_ctx *ctx, const char *file, const char *text, size_t bytes,
                         snug__json **out) {
  json_error_t error;
  json_t *root = json_loadb(text, bytes, 0, &error);
  if (!root) {
    return json_error_code(&error) == json_error_out_of_memory
               ? snug__fail(ctx, SNUG_E_MEMORY, "%s: no memory to parse %zu bytes", file, bytes)
               : snug__fail(ctx, SNUG_E_FORMAT,
                            "%s: config.json is not JSON: %s (line %d, column %d)", file,
                            error.text, error.line, error.column);
  }
  *out = (snug__json *)root;
  return SNUG_OK;
}

snug_status snug__json_read(snug_ctx *ctx, const char *file, const char *text, size_t bytes,
                            snug__json **out) {
  const size_t longest = sizeof MARK + sizeof "\"-inf\"";
  char *copy = NULL;
  *out = NULL;
  survey s = look(text, text + bytes);
  SNUG_TRY(check(ctx, file, bytes, &s));
  SNUG_TRY(snug__admit(ctx, "parsed JSON", s.cost + bytes)); /* jansson takes it by itself */
  if (!s.n_special) {
    return parse(ctx, file, text, bytes, out);
  }
  size_t room = bytes + longest * s.n_special;
  SNUG_TRY(snug__take(ctx, SNUG__MEM_SCRATCH, room, (void **)&copy));
  const char *end = mark_specials(text, text + bytes, copy);
  snug_status status = parse(ctx, file, copy, (size_t)(end - copy), out);
  snug__give(ctx, SNUG__MEM_SCRATCH, copy, room);
  return status;
}

void snug__json_free(snug__json *root) { json_decref((json_t *)root); }

/* ---- values ---- */

static const json_t *as_jansson(const snug__json *j) { return (const json_t *)j; }

bool snug__json_is_null(const snug__json *j) { return !j || json_is_null(as_jansson(j)); }
bool snug__json_is_bool(const snug__json *j) { return j && json_is_boolean(as_jansson(j)); }
bool snug__json_is_true(const snug__json *j) { return j && json_is_true(as_jansson(j)); }
bool snug__json_is_list(const snug__json *j) { return j && json_is_array(as_jansson(j)); }
bool snug__json_is_object(const snug__json *j) { return j && json_is_object(as_jansson(j)); }

bool snug__json_is_number(const snug__json *j) {
  double ignored = 0.0;
  return snug__json_number(j, &ignored);
}

static const char *special_text(const snug__json *j) {
  const char *text = j ? json_string_value(as_jansson(j)) : NULL;
  return text && strncmp(text, MARK, sizeof MARK - 1) == 0 ? text + sizeof MARK - 1 : NULL;
}

const char *snug__json_text(const snug__json *j) {
  return j && !special_text(j) ? json_string_value(as_jansson(j)) : NULL;
}

bool snug__json_int(const snug__json *j, int64_t *out) {
  if (!j || !json_is_integer(as_jansson(j))) {
    return false;
  }
  *out = json_integer_value(as_jansson(j));
  return true;
}

bool snug__json_number(const snug__json *j, double *out) {
  const char *special = special_text(j);
  if (special) {
    *out = special[0] == 'n' ? (double)NAN : special[0] == '-' ? -INFINITY : INFINITY;
    return true;
  }
  if (!j || !json_is_number(as_jansson(j))) {
    return false;
  }
  *out = json_number_value(as_jansson(j));
  return true;
}

size_t snug__json_count(const snug__json *j) {
  if (snug__json_is_list(j)) {
    return json_array_size(as_jansson(j));
  }
  return snug__json_is_object(j) ? json_object_size(as_jansson(j)) : 0;
}

const snug__json *snug__json_at(const snug__json *list, size_t i) {
  return list ? (const snug__json *)json_array_get(as_jansson(list), i) : NULL;
}

const snug__json *snug__json_get(const snug__json *object, const char *key) {
  return object ? (const snug__json *)json_object_get(as_jansson(object), key) : NULL;
}

static snug__json_member member(void *place) {
  return place ? (snug__json_member){json_object_iter_key(place),
                                     (const snug__json *)json_object_iter_value(place), place}
               : (snug__json_member){NULL, NULL, NULL};
}

/* jansson's walk takes an object that it could change; it does not. */
snug__json_member snug__json_first(const snug__json *object) {
  return member(object ? json_object_iter((json_t *)(uintptr_t)object) : NULL);
}

snug__json_member snug__json_next(const snug__json *object, snug__json_member behind) {
  return member(json_object_iter_next((json_t *)(uintptr_t)object, behind.place));
}

const char *snug__json_show(const snug__json *j, char *out, size_t bytes) {
  const char *special = special_text(j);
  double ignored = 0.0;
  if (special) {
    snprintf(out, bytes, "%s", special);
  } else if (snug__json_text(j)) {
    snprintf(out, bytes, "\"%s\"", snug__json_text(j));
  } else if (snug__json_is_object(j)) {
    const char *class_name = snug__json_text(snug__json_get(j, "class_name"));
    snprintf(out, bytes, "%s", class_name ? class_name : "{...}");
  } else if (snug__json_is_list(j)) {
    snprintf(out, bytes, "a list of %zu", snug__json_count(j));
  } else if (snug__json_is_null(j) || snug__json_is_bool(j)) {
    snprintf(out, bytes, "%s",
             snug__json_is_null(j)   ? "null"
             : snug__json_is_true(j) ? "true"
                                     : "false");
  } else if (snug__json_number(j, &ignored)) {
    snprintf(out, bytes, "%.17g", ignored);
  }
  return out;
}
