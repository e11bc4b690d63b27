/* From the JSON config of a layer to the text that the model's builder takes: by the class's table
 * of fields, whose names are Keras's. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "keras/config_parts.h"

#define NAMED_DEPTH 4 /* an optimizer with a schedule with ... */

const snug__field *snug__config_field(const snug__layer_class *class_, const char *key) {
  const snug__field *f = class_->fields;
  while (f && f->name && strcmp(f->name, key) != 0) {
    f++;
  }
  return f && f->name ? f : NULL;
}

/* ---- values ---- */

static snug_status add_number(const snug__json *j, snug__text *out) {
  char text[SNUG__NUMBER_BYTES];
  int64_t whole = 0;
  double number = 0.0;
  if (snug__json_int(j, &whole)) {
    return snug__text_add(out, "%lld", (long long)whole);
  }
  (void)snug__json_number(j, &number);
  if (number == floor(number) && fabs(number) < 1e15) { /* 2.0 may stand where 2 is asked for */
    return snug__text_add(out, "%.0f", number);
  }
  return snug__text_add(out, "%s", snug__print_float(number, text));
}

static bool is_scalar(const snug__json *j) {
  return snug__json_is_number(j) || snug__json_is_bool(j);
}

/* A list of numbers and of such lists; a size that is left open is -1.  False if there is anything
 * else in it. */
static bool is_numbers(const snug__json *j) {
  if (!snug__json_is_list(j)) {
    return snug__json_is_null(j) || snug__json_is_number(j);
  }
  for (size_t i = 0; i < snug__json_count(j); i++) {
    if (!is_numbers(snug__json_at(j, i))) {
      return false;
    }
  }
  return true;
}

static snug_status add_numbers(const snug__json *j, snug__text *out) {
  if (!snug__json_is_list(j)) {
    return snug__json_is_null(j) ? snug__text_add(out, "-1") : add_number(j, out);
  }
  SNUG_TRY(snug__text_add(out, "["));
  for (size_t i = 0; i < snug__json_count(j); i++) {
    SNUG_TRY(snug__text_add(out, "%s", i ? "," : ""));
    SNUG_TRY(add_numbers(snug__json_at(j, i), out));
  }
  return snug__text_add(out, "]");
}

static snug_status add_scalar(const snug__json *j, snug__text *out) {
  return snug__json_is_bool(j) ? snug__text_add(out, "%s", snug__json_is_true(j) ? "true" : "false")
                               : add_number(j, out);
}

/* ---- objects ---- */

static bool is_among(const char *const *words, const char *word) {
  while (words && *words && strcmp(*words, word) != 0) {
    words++;
  }
  return words && *words;
}

static bool is_plain_word(const char *text) {
  return text[0] && !text[strcspn(text, "\"'()[]{}=, \t\r\n\\")];
}

static snug_status fail_object(snug__config *k, const char *where, const snug__json *j) {
  char shown[80] = "";
  return snug__fail(k->ctx, SNUG_E_UNSUPPORTED, "%s: %s: %s is not supported here", k->file, where,
                    snug__json_show(j, shown, sizeof shown));
}

static snug_status add_named(snug__config *k, const char *where, const snug__json *j,
                             const char *const *without, int depth, snug__text *out);

static snug_status add_argument(snug__config *k, const char *where, const snug__json *j,
                                const char *const *without, int depth, snug__text *out) {
  if (is_scalar(j)) {
    return add_scalar(j, out);
  }
  if (snug__json_is_list(j) && is_numbers(j)) {
    return add_numbers(j, out);
  }
  return depth > 0 ? add_named(k, where, j, without, depth - 1, out) : fail_object(k, where, j);
}

static snug_status add_arguments(snug__config *k, const char *where, const snug__json *config,
                                 const char *const *without, int depth, snug__text *out) {
  bool first = true;
  for (snug__json_member x = snug__json_first(config); x.key; x = snug__json_next(config, x)) {
    if (snug__json_is_null(x.value) || is_among(without, x.key)) {
      continue;
    }
    if (!is_plain_word(x.key)) {
      return fail_object(k, where, config);
    }
    SNUG_TRY(snug__text_add(out, "%s%s=", first ? "" : ", ", x.key));
    SNUG_TRY(add_argument(k, where, x.value, without, depth, out));
    first = false;
  }
  return SNUG_OK;
}

static bool is_class(const snug__json *j, const char *name) {
  const char *class_name = snug__json_text(snug__json_get(j, "class_name"));
  return class_name && strcmp(class_name, name) == 0;
}

static snug_status add_named(snug__config *k, const char *where, const snug__json *j,
                             const char *const *without, int depth, snug__text *out) {
  const snug__json *config = snug__json_get(j, "config");
  const char *name = snug__json_text(j);
  if (is_class(j, "function")) { /* its config is its name, or holds it */
    name = snug__json_text(config) ? snug__json_text(config)
                                   : snug__json_text(snug__json_get(config, "name"));
  }
  if (name) {
    return is_plain_word(name) ? snug__text_add(out, "%s", name) : fail_object(k, where, j);
  }
  name = snug__json_text(snug__json_get(j, "class_name"));
  if (!name || !is_plain_word(name)) {
    return fail_object(k, where, j);
  }
  if (is_class(j, "Activation")) {
    return add_named(k, where, snug__json_get(config, "activation"), without, depth, out);
  }
  SNUG_TRY(snug__text_add(out, "%s(", name));
  SNUG_TRY(add_arguments(k, where, config, without, depth, out));
  return snug__text_add(out, ")");
}

snug_status snug__config_named(snug__config *k, const char *where, const snug__json *object,
                               const char *const *without, snug__text *out) {
  return add_named(k, where, object, without, NAMED_DEPTH, out);
}

/* ---- fields ---- */

/* What objects inside of a layer's config have beside their arguments: a layer as activation has
 * what layers have; random numbers come from the seed of the model. */
static const char *const not_arguments[] = {
    "name", "trainable", "dtype", "seed", "quantization_config", "input_axes", "output_axes", NULL};

static snug_status fail_value(snug__config *k, const snug__config_item *item, const char *key,
                              const snug__json *value) {
  char shown[80] = "";
  return snug__config_fail(k, item, SNUG_E_UNSUPPORTED, "%s=%s: such a value is not supported", key,
                           snug__json_show(value, shown, sizeof shown));
}

/* A text for a field of texts: quotes are what cannot stand in it. */
static snug_status add_word(snug__config *k, const snug__config_item *item, const snug__field *f,
                            const snug__json *value, snug__text *out) {
  const char *text = snug__json_text(value);
  if (text) {
    return strchr(text, '"') ? fail_value(k, item, f->name, value)
                             : snug__text_add(out, " %s=\"%s\"", f->name, text);
  }
  if (!snug__json_is_object(value)) {
    return fail_value(k, item, f->name, value);
  }
  SNUG_TRY(snug__text_add(out, " %s=\"", f->name));
  snug_status s = snug__config_named(k, f->name, value, not_arguments, out);
  return s == SNUG_E_UNSUPPORTED ? fail_value(k, item, f->name, value)
         : s                     ? s
                                 : snug__text_add(out, "\"");
}

/* Null is the default, but for a list (none) and an activation (linear). */
static snug_status add_null(const snug__field *f, snug__text *out) {
  bool is_word = f->kind == SNUG__FIELD_TEXT || f->kind == SNUG__FIELD_CHOICE;
  bool is_number =
      f->kind == SNUG__FIELD_INT || f->kind == SNUG__FIELD_FLOAT || f->kind == SNUG__FIELD_BOOL;
  if (strcmp(f->name, "activation") == 0) {
    return snug__text_add(out, " activation=linear");
  }
  return is_word || is_number ? SNUG_OK : snug__text_add(out, " %s=none", f->name);
}

snug_status snug__config_value(snug__config *k, const snug__config_item *item, const snug__field *f,
                               const snug__json *value, snug__text *out) {
  if (snug__json_is_null(value)) {
    return add_null(f, out);
  }
  if (f->kind == SNUG__FIELD_TEXT || f->kind == SNUG__FIELD_CHOICE) {
    return add_word(k, item, f, value, out);
  }
  if (!is_scalar(value) && !(snug__json_is_list(value) && is_numbers(value))) {
    return fail_value(k, item, f->name, value);
  }
  SNUG_TRY(snug__text_add(out, " %s=", f->name));
  return is_scalar(value) ? add_scalar(value, out) : add_numbers(value, out);
}

/* ---- layers ---- */

static snug_status fail_key(snug__config *k, const snug__config_item *item, const char *key,
                            const snug__json *value) {
  char shown[80] = "";
  return snug__config_fail(k, item, SNUG_E_UNSUPPORTED,
                           "argument %s=%s is not supported; save the model without it", key,
                           snug__json_show(value, shown, sizeof shown));
}

static snug_status add_member(snug__config *k, const snug__config_item *item,
                              const snug__layer_class *class_, const snug__json_member *x,
                              snug__text *out) {
  /* dtypes were looked at; of Cast it is the argument */
  if (strcmp(x->key, "name") == 0 || (strcmp(x->key, "dtype") == 0 && !item->is_op)) {
    return SNUG_OK;
  }
  /* Random numbers come from the seed of the model. */
  if (strcmp(x->key, "seed") == 0) {
    return SNUG_OK;
  }
  const snug__field *f = snug__config_field(class_, x->key);
  if (f) {
    return snug__config_value(k, item, f, x->value, out);
  }
  return snug__config_is_harmless(x->key, x->value) ? SNUG_OK : fail_key(k, item, x->key, x->value);
}

snug_status snug__config_layer_text(snug__config *k, const snug__config_item *item,
                                    const snug__layer_class *class_, snug__text *out) {
  const snug__json *config = item->config;
  SNUG_TRY(snug__text_add(out, "name=\"%s\"", item->path));
  for (snug__json_member x = snug__json_first(config); x.key; x = snug__json_next(config, x)) {
    SNUG_TRY(add_member(k, item, class_, &x, out));
  }
  return SNUG_OK;
}
