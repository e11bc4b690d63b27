#include "keras/json_print.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

/* ---- texts ---- */

/* The code point at *at, which moves behind it; a byte that is no UTF-8 stands for itself. */
static uint32_t next_point(const unsigned char **at) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  const unsigned char *p = *at;
  int more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
  uint32_t point = more ? *p & (0x3fu >> more) : *p;
  for (int i = 1; i <= more; i++) {
    if ((p[i] & 0xc0) != 0x80) {
      return *(*at)++;
    }
    point = point << 6 | (p[i] & 0x3fu);
  }
  if (point < least[more] || point > 0x10ffff) {
    return *(*at)++;
  }
  *at += more + 1;
  return point;
}

static snug_status print_point(uint32_t c, snug__text *out) {
  static const char plain[] = "\"\\\b\f\n\r\t";
  static const char escaped[] = "\"\\bfnrt";
  const char *special = c && c < 128 ? strchr(plain, (int)c) : NULL;
  if (special) {
    return snug__text_add(out, "\\%c", escaped[special - plain]);
  }
  if (c >= ' ' && c < 127) {
    return snug__text_add(out, "%c", (char)c);
  }
  if (c < 0x10000) {
    return snug__text_add(out, "\\u%04x", c);
  }
  c -= 0x10000;
  return snug__text_add(out, "\\u%04x\\u%04x", 0xd800 + (c >> 10), 0xdc00 + (c & 0x3ff));
}

snug_status snug__json_print_text(const char *text, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "\""));
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    SNUG_TRY(print_point(next_point(&at), out));
  }
  return snug__text_add(out, "\"");
}

/* ---- numbers ---- */

snug_status snug__json_print_number(double value, snug__text *out) {
  char text[SNUG__NUMBER_BYTES];
  if (!isfinite(value)) {
    return snug__text_add(out, "%s", isnan(value) ? "NaN" : value > 0.0 ? "Infinity" : "-Infinity");
  }
  return snug__text_add(out, "%s", snug__print_float(value, text));
}

snug_status snug__json_print_float(double value, snug__text *out) {
  size_t before = out->chars.n;
  SNUG_TRY(snug__json_print_number(value, out));
  bool is_whole = !strpbrk(snug__text_get(out) + before, ".eIN");
  return is_whole ? snug__text_add(out, ".0") : SNUG_OK;
}

/* ---- fields ---- */

snug_status snug__json_print_key(const char *key, bool *first, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "%s\"%s\": ", *first ? "" : ", ", key));
  *first = false;
  return SNUG_OK;
}

/* The reductions of losses are words, all of them; elsewhere "none" is null. */
static snug_status print_choice(const snug__field *f, const char *choice, snug__text *out) {
  bool is_null = strcmp(choice, "none") == 0 && strcmp(f->name, "reduction") != 0;
  return is_null ? snug__text_add(out, "null") : snug__json_print_text(choice, out);
}

static snug_status print_ints(const snug_ints *l, bool is_list, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "%s", l->n == 0 ? "null" : l->n == 1 && !is_list ? "" : "["));
  for (int32_t i = 0; i < l->n; i++) {
    SNUG_TRY(snug__text_add(out, "%s%lld", i ? ", " : "", (long long)l->v[i]));
  }
  return snug__text_add(out, "%s", l->n > 1 || (l->n && is_list) ? "]" : "");
}

static snug_status print_floats(const snug_floats *l, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "%s", l->n == 0 ? "null" : l->n == 1 ? "" : "["));
  for (int32_t i = 0; i < l->n; i++) {
    SNUG_TRY(snug__text_add(out, "%s", i ? ", " : ""));
    SNUG_TRY(snug__json_print_float(l->v[i], out));
  }
  return snug__text_add(out, "%s", l->n > 1 ? "]" : "");
}

/* As a builder's text has it: "key=value" without the key. */
static snug_status print_as_text(const snug__field *f, const void *params, snug__text *out) {
  snug__field alone[2] = {*f, {0}};
  snug__text text;
  alone[0].initial = NULL;
  snug__text_init(&text, out->chars.ctx, SIZE_MAX / 2);
  snug_status s = snug__fields_print(alone, params, &text);
  s = s ? s : snug__text_add(out, "%s", snug__text_get(&text) + strlen(f->name) + 1);
  snug__text_release(&text);
  return s;
}

static snug_status print_numbers(const snug_numbers *l, const snug__field *f, const void *params,
                                 snug__text *out) {
  double only = 0.0;
  if (l->n != 1) {
    return print_as_text(f, params, out);
  }
  snug__numbers_read(l, &only);
  return snug__json_print_float(only, out);
}

/* A word is a text; null, numbers and bools stand as they are. */
static snug_status print_fixed(const char *value, snug__text *out) {
  bool is_bare =
      strcmp(value, "true") == 0 || strcmp(value, "false") == 0 || strchr("-0123456789", value[0]);
  return strcmp(value, "none") == 0 ? snug__text_add(out, "null")
         : is_bare                  ? snug__text_add(out, "%s", value)
                                    : snug__json_print_text(value, out);
}

snug_status snug__json_print_field(const snug__field *f, const void *params, snug__text *out) {
  const void *m = (const char *)params + f->offset;
  switch (f->kind) {
    case SNUG__FIELD_FLOAT:
      return snug__json_print_float(*(const double *)m, out);
    case SNUG__FIELD_CHOICE:
      return print_choice(f, f->choices[*(const int32_t *)m], out);
    case SNUG__FIELD_INTS:
      return print_ints(m, strcmp(f->name, "target_class_ids") == 0, out);
    case SNUG__FIELD_FLOATS:
      return print_floats(m, out);
    case SNUG__FIELD_TEXT:
      return snug__json_print_text(m, out);
    case SNUG__FIELD_NUMBERS:
      return print_numbers(m, f, params, out);
    case SNUG__FIELD_FIXED:
      return print_fixed(f->initial, out);
    default:
      return print_as_text(f, params, out);
  }
}

snug_status snug__json_is_default(snug_ctx *ctx, const snug__field *f, const void *params,
                                  bool *out) {
  const snug__field alone[2] = {*f, {0}};
  snug__text text;
  snug__text_init(&text, ctx, SIZE_MAX / 2);
  snug_status s = snug__fields_print(alone, params, &text);
  *out = text.chars.n == 0;
  snug__text_release(&text);
  return s;
}

/* ---- objects ---- */

void snug__json_class_name(const char *name, char out[SNUG__NAME_BYTES]) {
  /* The last two are known to all versions by these names. */
  static const char *const others[][2] = {{"auc", "AUC"},
                                          {"mean_io_u", "MeanIoU"},
                                          {"io_u", "IoU"},
                                          {"binary_io_u", "BinaryIoU"},
                                          {"one_hot_io_u", "OneHotIoU"},
                                          {"one_hot_mean_io_u", "OneHotMeanIoU"},
                                          {"fbeta_score", "FBetaScore"},
                                          {"kl_divergence", "KLDivergence"},
                                          {"orthogonal", "OrthogonalInitializer"},
                                          {"identity", "IdentityInitializer"}};
  size_t used = 0;
  for (size_t i = 0; i < SNUG_COUNT(others); i++) {
    if (strcmp(name, others[i][0]) == 0) {
      memcpy(out, others[i][1], strlen(others[i][1]) + 1);
      return;
    }
  }
  for (size_t i = 0; name[i] && used + 1 < SNUG__NAME_BYTES; i++) {
    bool starts = i == 0 || name[i - 1] == '_';
    if (name[i] != '_') {
      out[used++] = (char)(starts ? toupper((unsigned char)name[i]) : name[i]);
    }
  }
  out[used] = 0;
}

snug_status snug__json_print_open(const char *module, const char *class_name, snug__text *out) {
  return snug__text_add(out, "{\"module\": \"%s\", \"class_name\": \"%s\", \"config\": {", module,
                        class_name);
}

snug_status snug__json_print_close(const char *registered_name, snug__text *out) {
  const char *quote = registered_name ? "\"" : "";
  return snug__text_add(out, "}, \"registered_name\": %s%s%s", quote,
                        registered_name ? registered_name : "null", quote);
}

snug_status snug__json_print_named(const char *module, const snug__named *thing,
                                   const void *options, snug__text *out) {
  char own[SNUG__NAME_BYTES];
  char class_name[SNUG__NAME_BYTES];
  bool first = true;
  snug__named_own(thing, own);
  snug__json_class_name(own, class_name);
  SNUG_TRY(snug__json_print_open(module, class_name, out));
  for (const snug__field *f = thing->fields; f && f->name; f++) {
    bool is_default = false;
    SNUG_TRY(snug__json_is_default(out->chars.ctx, f, options, &is_default));
    if (!is_default) {
      SNUG_TRY(snug__json_print_key(f->name, &first, out));
      SNUG_TRY(snug__json_print_field(f, options, out));
    }
  }
  SNUG_TRY(snug__json_print_close(NULL, out));
  return snug__text_add(out, "}");
}
