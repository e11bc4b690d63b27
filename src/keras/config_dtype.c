/* What a model computes in: the policies of its layers, which must agree. */
#include <string.h>

#include "keras/config_parts.h"
#include "keras/refused.h"

/* The name of a policy: a text, or an object {"class_name": "DTypePolicy", "config": {"name":
 * ...}}. */
static const char *policy_name(const snug__json *policy) {
  const char *text = snug__json_text(policy);
  return text ? text : snug__json_text(snug__json_get(snug__json_get(policy, "config"), "name"));
}

static snug_status fail_policy(snug__config *k, const snug__config_item *item, const char *name) {
  return snug__config_fail(k, item, SNUG_E_UNSUPPORTED,
                           "the dtype policy %s is not supported: " SNUG__RULE_DTYPE
                           ".  Build the model under that policy "
                           "(keras.config.set_dtype_policy(\"float32\")), copy the weights with "
                           "set_weights(get_weights()) and save it",
                           name);
}

static snug_status read_policy(snug__config *k, const snug__config_item *item,
                               const snug__json *policy) {
  char shown[80] = "";
  const char *class_name = snug__json_text(snug__json_get(policy, "class_name"));
  const char *name = policy_name(policy);
  if (snug__json_is_null(policy)) {
    return SNUG_OK;
  }
  snug_dtype dtype = !name                          ? SNUG_NO_DTYPE
                     : strcmp(name, "float32") == 0 ? SNUG_FLOAT32
                     : strcmp(name, "float64") == 0 ? SNUG_FLOAT64
                                                    : SNUG_NO_DTYPE;
  bool is_plain = !class_name || strcmp(class_name, "DTypePolicy") == 0;
  if (!dtype || !is_plain) {
    return fail_policy(k, item,
                       name && is_plain ? name : snug__json_show(policy, shown, sizeof shown));
  }
  if (k->dtype && k->dtype != dtype) {
    return snug__config_fail(k, item, SNUG_E_UNSUPPORTED,
                             "computes in %s and '%s' in %s: the layers of a model must have one "
                             "dtype",
                             snug_dtype_text(dtype), k->dtype_of, snug_dtype_text(k->dtype));
  }
  k->dtype_of = k->dtype ? k->dtype_of : item->path;
  k->dtype = dtype;
  return SNUG_OK;
}

static snug_status read_layers(snug__config *k, const snug__config_scope *scope) {
  for (uint32_t i = 0; i < scope->n_items; i++) {
    const snug__config_item *item = &scope->items[i];
    if (item->scope) {
      SNUG_TRY(read_layers(k, item->scope));
    } else if (item->kind == SNUG__CONFIG_LAYER && !item->is_op) {
      SNUG_TRY(read_policy(k, item, snug__json_get(item->config, "dtype")));
    }
  }
  return SNUG_OK;
}

/* A model of operations alone computes in what it is fed with. */
static bool has_wide_input(const snug__config_scope *scope) {
  for (uint32_t i = 0; i < scope->n_items; i++) {
    const char *dtype = snug__json_text(snug__json_get(scope->items[i].config, "dtype"));
    if (scope->items[i].kind == SNUG__CONFIG_INPUT && dtype && strcmp(dtype, "float64") == 0) {
      return true;
    }
  }
  return false;
}

snug_status snug__config_read_dtypes(snug__config *k, const snug__config_scope *scope) {
  SNUG_TRY(read_layers(k, scope));
  if (!k->dtype && has_wide_input(scope)) {
    k->dtype = SNUG_FLOAT64;
  }
  return SNUG_OK;
}
