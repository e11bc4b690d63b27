/* Values and objects of a config as the texts that the core reads: 0.5, [1,2], l2(l2=0.01). */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "keras/config_parts.h"

#define NAMED_DEPTH 4 /* an optimizer with a schedule with ... */

/* ---- numbers ---- */

static snug_status add_number(const snug__json *j, snug__text *out) {
  char text[SNUG__NUMBER_BYTES];
  int64_t whole = 0;
  double number = 0.0;
  if (snug__json_is_bool(j)) {
    return snug__text_add(out, "%s", snug__json_is_true(j) ? "true" : "false");
  }
  if (snug__json_int(j, &whole)) {
    return snug__text_add(out, "%lld", (long long)whole);
  }
  (void)snug__json_number(j, &number);
  if (number == floor(number) && fabs(number) < 1e15) { /* 2.0 may stand where 2 is asked for */
    return snug__text_add(out, "%.0f", number);
  }
  return snug__text_add(out, "%s", snug__print_float(number, text));
}

static bool is_number_or_open(const snug__json *j) {
  return snug__json_is_null(j) || snug__json_is_number(j);
}

bool snug__config_is_numbers(const snug__json *j) {
  if (!snug__json_is_list(j)) {
    return snug__json_is_number(j) || snug__json_is_bool(j);
  }
  for (size_t i = 0; i < snug__json_count(j); i++) {
    const snug__json *one = snug__json_at(j, i);
    if (!is_number_or_open(one) && !(snug__json_is_list(one) && snug__config_is_numbers(one))) {
      return false;
    }
  }
  return true;
}

snug_status snug__config_add_numbers(const snug__json *j, snug__text *out) {
  if (!snug__json_is_list(j)) {
    return snug__json_is_null(j) ? snug__text_add(out, "-1") : add_number(j, out);
  }
  SNUG_TRY(snug__text_add(out, "["));
  for (size_t i = 0; i < snug__json_count(j); i++) {
    SNUG_TRY(snug__text_add(out, "%s", i ? "," : ""));
    SNUG_TRY(snug__config_add_numbers(snug__json_at(j, i), out));
  }
  return snug__text_add(out, "]");
}

/* ---- objects ---- */

static snug_status fail_object(snug_ctx *ctx, const char *where, const snug__json *j) {
  char shown[80] = "";
  return snug__fail(ctx, SNUG_E_UNSUPPORTED, "%s: %s is not supported here", where,
                    snug__json_show(j, shown, sizeof shown));
}

static bool is_plain_word(const char *text) {
  return text[0] && !text[strcspn(text, "\"'()[]{}=,: \t\r\n\\")];
}

/* A text as an argument: bare, or in quotes that it has not itself. */
static snug_status add_word(snug_ctx *ctx, const char *where, const snug__json *j,
                            snug__text *out) {
  const char *text = snug__json_text(j);
  if (is_plain_word(text)) {
    return snug__text_add(out, "%s", text);
  }
  return strpbrk(text, "'\"\\") ? fail_object(ctx, where, j) : snug__text_add(out, "'%s'", text);
}

static snug_status add_named(snug_ctx *ctx, const char *where, const snug__json *j,
                             snug__config_skip *skip, int depth, snug__text *out);

static bool is_words(const snug__json *j) {
  bool are_words = snug__json_is_list(j) && snug__json_count(j);
  for (size_t i = 0; are_words && i < snug__json_count(j); i++) {
    const char *word = snug__json_text(snug__json_at(j, i));
    are_words = word && is_plain_word(word);
  }
  return are_words;
}

/* A list of words is one text here, with commas. */
static snug_status add_words(const snug__json *j, snug__text *out) {
  for (size_t i = 0; i < snug__json_count(j); i++) {
    SNUG_TRY(snug__text_add(out, "%s%s", i ? "," : "'", snug__json_text(snug__json_at(j, i))));
  }
  return snug__text_add(out, "'");
}

static snug_status add_argument(snug_ctx *ctx, const char *where, const snug__json *j,
                                snug__config_skip *skip, int depth, snug__text *out) {
  if (snug__config_is_numbers(j)) {
    return snug__config_add_numbers(j, out);
  }
  if (snug__json_text(j)) {
    return add_word(ctx, where, j, out);
  }
  if (is_words(j)) {
    return add_words(j, out);
  }
  return depth > 0 ? add_named(ctx, where, j, skip, depth - 1, out) : fail_object(ctx, where, j);
}

/* What null says where it is not the default; NULL: it is. */
static const char *meaning_of_null(const char *key) {
  static const char *const keys[][2] = {{"weight_decay", "0"},
                                        {"adam_weight_decay", "0"},
                                        {"rms_rate", "0"},
                                        {"class_aggregation", "none"}};
  for (size_t i = 0; i < SNUG_COUNT(keys); i++) {
    if (strcmp(key, keys[i][0]) == 0) {
      return keys[i][1];
    }
  }
  return NULL;
}

static snug_status add_arguments(snug_ctx *ctx, const char *where, const snug__json *config,
                                 snug__config_skip *skip, int depth, snug__text *out) {
  bool first = true;
  for (snug__json_member x = snug__json_first(config); x.key; x = snug__json_next(config, x)) {
    const char *null = snug__json_is_null(x.value) ? meaning_of_null(x.key) : NULL;
    if ((snug__json_is_null(x.value) && !null) || skip(x.key, x.value)) {
      continue;
    }
    if (!is_plain_word(x.key)) {
      return fail_object(ctx, where, config);
    }
    SNUG_TRY(snug__text_add(out, "%s%s=%s", first ? "" : ", ", x.key, null ? null : ""));
    SNUG_TRY(null ? SNUG_OK : add_argument(ctx, where, x.value, skip, depth, out));
    first = false;
  }
  return SNUG_OK;
}

/* What stands for a thing by its name alone: a text, or a function of Keras. */
static const char *bare_name(const snug__json *j) {
  const snug__json *config = snug__json_get(j, "config");
  const char *class_name = snug__json_text(snug__json_get(j, "class_name"));
  if (!class_name || strcmp(class_name, "function") != 0) {
    return snug__json_text(j);
  }
  return snug__json_text(config) ? snug__json_text(config)
                                 : snug__json_text(snug__json_get(config, "name"));
}

static snug_status add_named(snug_ctx *ctx, const char *where, const snug__json *j,
                             snug__config_skip *skip, int depth, snug__text *out) {
  const snug__json *config = snug__json_get(j, "config");
  const char *name = bare_name(j);
  if (name) {
    return is_plain_word(name) ? snug__text_add(out, "%s", name) : fail_object(ctx, where, j);
  }
  name = snug__json_text(snug__json_get(j, "class_name"));
  if (!name || !is_plain_word(name)) {
    return fail_object(ctx, where, j);
  }
  if (strcmp(name, "Activation") == 0 && depth > 0) { /* the layer, as an activation */
    return add_named(ctx, where, snug__json_get(config, "activation"), skip, depth - 1, out);
  }
  SNUG_TRY(snug__text_add(out, "%s(", name));
  SNUG_TRY(add_arguments(ctx, where, config, skip, depth, out));
  return snug__text_add(out, ")");
}

snug_status snug__config_named(snug_ctx *ctx, const char *where, const snug__json *object,
                               snug__config_skip *skip, snug__text *out) {
  return add_named(ctx, where, object, skip, NAMED_DEPTH, out);
}
