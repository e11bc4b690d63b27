/* From the JSON config of a layer to the text that the model's builder takes: by the class's table
 * of fields, whose names are Keras's. */
#include <string.h>

#include "keras/config_parts.h"

const snug__field *snug__config_field(const snug__layer_class *class_, const char *key) {
  const snug__field *f = class_->fields;
  while (f && f->name && strcmp(f->name, key) != 0) {
    f++;
  }
  return f && f->name ? f : NULL;
}

/* ---- fields ---- */

/* What objects inside of a layer's config have beside their arguments: a layer as activation has
 * what layers have; random numbers come from the seed of the model. */
static bool is_no_argument(const char *key, const snug__json *value) {
  static const char *const keys[] = {"name", "trainable", "dtype", "seed"};
  bool found = false;
  (void)value;
  for (size_t i = 0; i < SNUG_COUNT(keys); i++) {
    found = found || strcmp(keys[i], key) == 0;
  }
  return found;
}

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
  bool is_activation = text && strcmp(f->name, "activation") == 0;
  const char *lack = is_activation ? snug__activation_lack(text) : NULL;
  if (lack) {
    return snug__config_fail(k, item, SNUG_E_UNSUPPORTED, "activation=%s: not supported %s", text,
                             lack);
  }
  if (text) {
    return strchr(text, '"') ? fail_value(k, item, f->name, value)
                             : snug__text_add(out, " %s=\"%s\"", f->name, text);
  }
  if (!snug__json_is_object(value)) {
    return fail_value(k, item, f->name, value);
  }
  SNUG_TRY(snug__text_add(out, " %s=\"", f->name));
  snug_status s = snug__config_named(k->ctx, f->name, value, is_no_argument, out);
  return s == SNUG_E_UNSUPPORTED ? fail_value(k, item, f->name, value)
         : s                     ? s
                                 : snug__text_add(out, "\"");
}

/* Null is the default, but for a list (none) and an activation (linear). */
static snug_status add_null(const snug__field *f, snug__text *out) {
  bool is_word =
      f->kind == SNUG__FIELD_TEXT || f->kind == SNUG__FIELD_CHOICE || f->kind == SNUG__FIELD_FIXED;
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
  bool is_fixed_word = f->kind == SNUG__FIELD_FIXED && snug__json_text(value);
  if (f->kind == SNUG__FIELD_TEXT || f->kind == SNUG__FIELD_CHOICE || is_fixed_word) {
    return add_word(k, item, f, value, out);
  }
  if (!snug__config_is_numbers(value)) {
    return fail_value(k, item, f->name, value);
  }
  SNUG_TRY(snug__text_add(out, " %s=", f->name));
  return snug__config_add_numbers(value, out);
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
