/* What a call has beside tensors: constants of operations, keyword arguments. */
#include <stdio.h>
#include <string.h>

#include "keras/config_parts.h"

static bool has_class(const snug__json *j, const char *name) {
  const char *class_name = snug__json_text(snug__json_get(j, "class_name"));
  return class_name && strcmp(class_name, name) == 0;
}

static snug_status fail_argument(snug__config *k, const snug__config_item *item, const char *key,
                                 const snug__json *value) {
  char shown[80] = "";
  return snug__config_fail(k, item, SNUG_E_UNSUPPORTED,
                           "is called with %s=%s, which is not supported", key,
                           snug__json_show(value, shown, sizeof shown));
}

/* ---- x[key] ---- */

static snug_status add_bound(const snug__json *slice, const char *key, snug__text *out) {
  int64_t number = 0;
  return snug__json_int(snug__json_get(slice, key), &number)
             ? snug__text_add(out, "%lld", (long long)number)
             : SNUG_OK;
}

static snug_status add_slice(const snug__json *slice, snug__text *out) {
  SNUG_TRY(add_bound(slice, "start", out));
  SNUG_TRY(snug__text_add(out, ":"));
  SNUG_TRY(add_bound(slice, "stop", out));
  if (snug__json_is_null(snug__json_get(slice, "step"))) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__text_add(out, ":"));
  return add_bound(slice, "step", out);
}

static snug_status add_part(snug__config *k, const snug__config_item *item, const snug__json *part,
                            snug__text *out) {
  int64_t index = 0;
  if (snug__json_int(part, &index)) {
    return snug__text_add(out, "%lld", (long long)index);
  }
  if (snug__json_is_null(part) || has_class(part, "__ellipsis__")) {
    return snug__text_add(out, "%s", snug__json_is_null(part) ? "None" : "...");
  }
  return has_class(part, "__slice__") ? add_slice(snug__json_get(part, "config"), out)
                                      : fail_argument(k, item, "key", part);
}

static snug_status add_key(snug__config *k, const snug__config_item *item, const snug__json *key,
                           snug__text *out) {
  bool is_list = snug__json_is_list(key);
  size_t n = is_list ? snug__json_count(key) : 1;
  SNUG_TRY(snug__text_add(out, " key=\"["));
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(snug__text_add(out, "%s", i ? ", " : ""));
    SNUG_TRY(add_part(k, item, is_list ? snug__json_at(key, i) : key, out));
  }
  return snug__text_add(out, "]\"");
}

/* ---- numbers beside tensors: x + 3, 2 * x, x ** [1, 2] ---- */

static bool has_tensor(const snug__json *j) {
  if (snug__config_is_tensor(j)) {
    return true;
  }
  for (size_t i = 0; snug__json_is_list(j) && i < snug__json_count(j); i++) {
    if (has_tensor(snug__json_at(j, i))) {
      return true;
    }
  }
  for (snug__json_member x = snug__json_first(snug__json_is_object(j) ? j : NULL); x.key;
       x = snug__json_next(j, x)) {
    if (has_tensor(x.value)) {
      return true;
    }
  }
  return false;
}

/* Whether something beside tensors stands in a value that has some; null is nothing. */
static bool has_constant(const snug__json *j) {
  if (snug__config_is_tensor(j) || snug__json_is_null(j)) {
    return false;
  }
  if (!snug__json_is_list(j) && !snug__json_is_object(j)) {
    return true;
  }
  for (size_t i = 0; snug__json_is_list(j) && i < snug__json_count(j); i++) {
    if (has_constant(snug__json_at(j, i))) {
      return true;
    }
  }
  for (snug__json_member x = snug__json_first(snug__json_is_object(j) ? j : NULL); x.key;
       x = snug__json_next(j, x)) {
    if (has_constant(x.value)) {
      return true;
    }
  }
  return false;
}

/* The tensors of a call are its inputs, whatever lists they stand in: a constant has no place. */
static snug_status check_tensors(snug__config *k, const snug__config_item *item,
                                 const snug__json *value) {
  return has_constant(value)
             ? snug__config_fail(k, item, SNUG_E_UNSUPPORTED, "%s",
                                 "is called with a constant in a list of tensors, which is not "
                                 "supported; add it to a tensor (x * 0 + constant) first")
             : SNUG_OK;
}

/* The elements of an array, one list whatever its axes are. */
static snug_status add_elements(snug__config *k, const snug__config_item *item,
                                const snug__json *value, int32_t axes, bool *first,
                                snug__text *out) {
  if (axes == 0) {
    SNUG_TRY(snug__text_add(out, "%s", *first ? "" : ","));
    *first = false;
    if (snug__json_is_bool(value)) {
      return snug__text_add(out, "%d", snug__json_is_true(value));
    }
    return snug__json_is_number(value) ? snug__config_add_numbers(value, out)
                                       : fail_argument(k, item, "an array of", value);
  }
  for (size_t i = 0; i < snug__json_count(value); i++) {
    SNUG_TRY(add_elements(k, item, snug__json_at(value, i), axes - 1, first, out));
  }
  return SNUG_OK;
}

/* The sizes of an array, told by its first elements; that all are alike shows when their number is
 * compared. */
static int32_t array_shape(const snug__json *value, size_t dim[SNUG_MAX_RANK]) {
  int32_t axes = 0;
  for (; snug__json_is_list(value) && axes < SNUG_MAX_RANK; value = snug__json_at(value, 0)) {
    dim[axes++] = snug__json_count(value);
  }
  return axes;
}

/* What a number or the first of a list is in Python. */
static const char *python_kind(const snug__json *value) {
  int64_t whole = 0;
  while (snug__json_is_list(value)) {
    value = snug__json_at(value, 0);
  }
  return snug__json_is_bool(value) ? "bool" : snug__json_int(value, &whole) ? "int" : "float";
}

/* A dtype as constants have it: one float is as good as the other. */
static const char *array_kind(const char *dtype) {
  bool is_float = strncmp(dtype, "float", 5) == 0 || strcmp(dtype, "bfloat16") == 0;
  return is_float ? "float" : dtype;
}

/* key=[...] key_shape=[...] key_dtype=...: a number, an array of NumPy or of the backend. */
static snug_status add_array(snug__config *k, const snug__config_item *item, const char *key,
                             const snug__json *value, snug__text *out) {
  bool is_array = has_class(value, "__numpy__") || has_class(value, "__tensor__");
  const snug__json *config = is_array ? snug__json_get(value, "config") : NULL;
  const char *dtype = snug__json_text(snug__json_get(config, "dtype"));
  size_t dim[SNUG_MAX_RANK] = {0};
  bool first = true;
  value = is_array ? snug__json_get(config, "value") : value;
  int32_t axes = array_shape(value, dim);
  SNUG_TRY(snug__text_add(out, axes ? " %s=[" : " %s=", key));
  SNUG_TRY(add_elements(k, item, value, axes, &first, out));
  if (axes) {
    SNUG_TRY(snug__text_add(out, "] %s_shape=[", key));
  }
  for (int32_t i = 0; i < axes; i++) {
    SNUG_TRY(snug__text_add(out, "%s%zu", i ? "," : "", dim[i]));
  }
  return snug__text_add(out, "%s %s_dtype=%s", axes ? "]" : "", key,
                        dtype ? array_kind(dtype) : python_kind(value));
}

/* What argument i of an operation is named, into out; false if there are no names. */
static bool operand_name(const snug__layer_class *class_, size_t i, char out[SNUG__NAME_BYTES]) {
  const char *at = class_->operands;
  for (; at && i > 0; i--) {
    at = strchr(at, ' ');
    at = at ? at + 1 : NULL;
  }
  snprintf(out, SNUG__NAME_BYTES, "%.*s", at ? (int)strcspn(at, " ") : 0, at ? at : "");
  return out[0];
}

/* An argument of an operation that is no tensor. */
static snug_status add_constant(snug__config *k, const snug__config_item *item,
                                const snug__layer_class *class_, const snug__json *value,
                                size_t place, snug__text *out) {
  char name[SNUG__NAME_BYTES];
  if (snug__config_field(class_, "key")) {
    return add_key(k, item, value, out);
  }
  const snug__field *f = operand_name(class_, place, name) ? snug__config_field(class_, name)
                         : place < 2                       ? snug__config_field(class_, "constant")
                                                           : NULL;
  if (!f) {
    return fail_argument(k, item, "a constant", value);
  }
  if (f->kind != SNUG__FIELD_NUMBERS) {
    return snug__config_value(k, item, f, value, out);
  }
  SNUG_TRY(add_array(k, item, f->name, value, out));
  bool is_first = !class_->operands && place == 0;
  return snug__text_add(out, is_first ? " constant_first=true" : "");
}

static snug_status add_arguments(snug__config *k, const snug__config_item *item,
                                 const snug__layer_class *class_, const snug__json *args,
                                 snug__text *out) {
  for (size_t i = 0; i < snug__json_count(args); i++) {
    const snug__json *value = snug__json_at(args, i);
    if (has_tensor(value)) {
      SNUG_TRY(check_tensors(k, item, value));
      continue;
    }
    if (!item->is_op && !snug__json_is_null(value)) {
      return fail_argument(k, item, "a constant", value);
    }
    if (item->is_op && !(snug__json_is_null(value) && !snug__config_field(class_, "key"))) {
      SNUG_TRY(add_constant(k, item, class_, value, i, out));
    }
  }
  return SNUG_OK;
}

/* ---- keyword arguments ---- */

/* Arguments of an operation by name: operands, or keys of its config. */
static snug_status add_keyword(snug__config *k, const snug__config_item *item,
                               const snug__layer_class *class_, const snug__json_member *x,
                               snug__text *out) {
  const snug__field *f = snug__config_field(class_, x->key);
  if (strcmp(x->key, "key") == 0 ||
      (!class_->operands && (strcmp(x->key, "x1") == 0 || strcmp(x->key, "x2") == 0))) {
    return add_constant(k, item, class_, x->value, x->key[1] == '1' ? 0 : 1, out);
  }
  if (f && f->kind == SNUG__FIELD_NUMBERS) {
    return add_array(k, item, f->name, x->value, out);
  }
  return f ? snug__config_value(k, item, f, x->value, out)
           : fail_argument(k, item, x->key, x->value);
}

/* A layer takes none but its inputs, `training` and `mask`, which are looked at elsewhere. */
static snug_status check_keyword(snug__config *k, const snug__config_item *item,
                                 const snug__json_member *x) {
  bool is_known = strcmp(x->key, "inputs") == 0 || strcmp(x->key, "training") == 0 ||
                  (strcmp(x->key, "mask") == 0 && has_tensor(x->value));
  return is_known || snug__json_is_null(x->value) ? SNUG_OK
                                                  : fail_argument(k, item, x->key, x->value);
}

static snug_status add_keywords(snug__config *k, const snug__config_item *item,
                                const snug__layer_class *class_, const snug__json *kwargs,
                                snug__text *out) {
  for (snug__json_member x = snug__json_first(kwargs); x.key; x = snug__json_next(kwargs, x)) {
    bool is_constant = !snug__json_is_null(x.value) && !has_tensor(x.value);
    if (has_tensor(x.value)) {
      SNUG_TRY(check_tensors(k, item, x.value));
    }
    SNUG_TRY(!item->is_op  ? check_keyword(k, item, &x)
             : is_constant ? add_keyword(k, item, class_, &x, out)
                           : SNUG_OK);
  }
  return SNUG_OK;
}

snug_status snug__config_call_text(snug__config *k, const snug__config_item *item,
                                   const snug__layer_class *class_, const snug__json *node,
                                   snug__text *out) {
  if (!snug__json_is_object(node)) {
    return SNUG_OK;
  }
  if (item->is_op && item->n_nodes > 1) {
    return snug__config_fail(k, item, SNUG_E_UNSUPPORTED,
                             "is called %u times: an operation is called once", item->n_nodes);
  }
  SNUG_TRY(add_arguments(k, item, class_, snug__json_get(node, "args"), out));
  return add_keywords(k, item, class_, snug__json_get(node, "kwargs"), out);
}
