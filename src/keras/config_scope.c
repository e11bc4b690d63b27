/* Reading a container: its entries, their calls, its inputs and outputs. */
#include <stdio.h>
#include <string.h>

#include "keras/config_parts.h"
#include "keras/refused.h"

#define MOST_LEAVES 4096 /* inputs or outputs of one container */

/* ---- entries ---- */

static const char *class_of(const snug__json *object) {
  const char *name = snug__json_text(snug__json_get(object, "class_name"));
  return name ? name : "";
}

static bool is_model(const snug__json *object) {
  const char *name = class_of(object);
  return !snug__config_is_op(object) &&
         (strcmp(name, "Sequential") == 0 || strcmp(name, "Functional") == 0 ||
          strcmp(name, "Model") == 0);
}

/* What nodes call an entry by; a Sequential's entries have no name beside their config. */
static const char *name_of(const snug__json *object) {
  const char *name = snug__json_text(snug__json_get(object, "name"));
  return name ? name : snug__json_text(snug__json_get(snug__json_get(object, "config"), "name"));
}

static snug_status set_path(snug__config *k, const char *outer, snug__config_item *item) {
  char path[2 * SNUG__NAME_BYTES];
  const char *own = snug__json_text(snug__json_get(item->config, "name"));
  int n = snprintf(path, sizeof path, "%s%s%s", outer, outer[0] ? "/" : "", own ? own : item->name);
  if (n >= SNUG__NAME_BYTES || strchr(path, '"')) {
    return snug__fail(k->ctx, SNUG_E_UNSUPPORTED,
                      "%s: a layer named '%.200s': names, with those of the models around, have at "
                      "most %d bytes and no quotes: rename it",
                      k->file, path, SNUG__NAME_BYTES - 1);
  }
  return snug__arena_text(&k->arena, path, &item->path);
}

/* An object that was saved twice is one: the first that is met. */
static snug_status find_shared(snug__config *k, snug__config_item *item) {
  char id[32];
  int64_t number = 0;
  const char *key = NULL;
  item->first = item;
  if (!snug__json_int(snug__json_get(item->object, "shared_object_id"), &number)) {
    return SNUG_OK;
  }
  snprintf(id, sizeof id, "%lld", (long long)number);
  uint32_t known = snug__map_find(&k->shared, id);
  if (known != SNUG__MAP_NONE) {
    item->first = SNUG_VEC(&k->shared_items, snug__config_item *, known);
    return SNUG_OK;
  }
  SNUG_TRY(snug__arena_text(&k->arena, id, &key));
  SNUG_TRY(snug__map_set(&k->shared, key, (uint32_t)k->shared_items.n));
  return snug__vec_push(&k->shared_items, &item, 1);
}

static snug__config_kind kind_of(const snug__config_item *item) {
  if (is_model(item->object)) {
    return SNUG__CONFIG_MODEL;
  }
  return !item->is_op && strcmp(item->class_name, "InputLayer") == 0 ? SNUG__CONFIG_INPUT
                                                                     : SNUG__CONFIG_LAYER;
}

static snug_status check_same(snug__config *k, const snug__config_item *item) {
  if (strcmp(item->class_name, item->first->class_name) != 0 || item->kind != item->first->kind) {
    return snug__config_fail(k, item, SNUG_E_FORMAT, "has the shared_object_id of '%s' (%s)",
                             item->first->path, item->first->class_name);
  }
  return SNUG_OK;
}

static snug_status read_item(snug__config *k, const snug__json *object, const char *outer,
                             int32_t depth, snug__config_item *item) {
  item->object = object;
  item->config = snug__json_get(object, "config");
  item->class_name = class_of(object);
  item->name = name_of(object);
  item->layer = SNUG__NO_LAYER;
  item->is_op = snug__config_is_op(object);
  if (!item->class_name[0] || !item->name || !item->name[0] || snug__json_is_null(item->config)) {
    return snug__fail(k->ctx, SNUG_E_FORMAT,
                      "%s: in the model '%s' a layer has no class_name, name or config", k->file,
                      outer);
  }
  SNUG_TRY(set_path(k, outer, item));
  SNUG_TRY(find_shared(k, item));
  item->kind = kind_of(item);
  if (item->first != item) {
    return check_same(k, item);
  }
  return item->kind == SNUG__CONFIG_MODEL
             ? snug__config_read(k, object, item->path, depth + 1, &item->scope)
             : SNUG_OK;
}

static snug_status add_name(snug__config *k, snug__config_scope *scope, uint32_t i) {
  const char *name = scope->items[i].name;
  if (snug__map_find(&scope->names, name) != SNUG__MAP_NONE) {
    return snug__fail(k->ctx, SNUG_E_FORMAT, "%s: two layers of the model '%s' are named '%s'",
                      k->file, scope->name, name);
  }
  return snug__map_set(&scope->names, name, i);
}

static snug_status read_items(snug__config *k, const snug__json *layers, const char *path,
                              int32_t depth, snug__config_scope *scope) {
  scope->n_items = (uint32_t)snug__json_count(layers);
  SNUG_TRY(
      snug__arena_take(&k->arena, scope->n_items * sizeof *scope->items, (void **)&scope->items));
  for (uint32_t i = 0; i < scope->n_items; i++) {
    SNUG_TRY(read_item(k, snug__json_at(layers, i), path, depth, &scope->items[i]));
    SNUG_TRY(add_name(k, scope, i));
  }
  return SNUG_OK;
}

/* ---- inputs and outputs ---- */

static bool is_leaf(const snug__json *j) {
  return snug__json_is_list(j) && snug__json_count(j) == 3 && snug__json_text(snug__json_at(j, 0));
}

static void insert_member(snug__json_member *sorted, size_t n, snug__json_member x) {
  for (; n > 0 && strcmp(sorted[n - 1].key, x.key) > 0; n--) {
    sorted[n] = sorted[n - 1];
  }
  sorted[n] = x;
}

snug_status snug__config_sort(snug__config *k, const snug__json *dict, snug__json_member **out,
                              size_t *n) {
  *n = snug__json_count(dict);
  if (*n > MOST_LEAVES) {
    return snug__fail(k->ctx, SNUG_E_FORMAT, "%s: a dict of %zu tensors", k->file, *n);
  }
  SNUG_TRY(snug__arena_take(&k->arena, *n * sizeof **out, (void **)out));
  size_t filled = 0;
  for (snug__json_member x = snug__json_first(dict); x.key; x = snug__json_next(dict, x)) {
    insert_member(*out, filled++, x);
  }
  return SNUG_OK;
}

static snug_status read_leaves(snug__config *k, const snug__config_scope *scope,
                               const snug__json *j, const char *key, snug__vec *out);

static snug_status read_dict(snug__config *k, const snug__config_scope *scope, const snug__json *j,
                             snug__vec *out) {
  snug__json_member *members = NULL;
  size_t n = 0;
  SNUG_TRY(snug__config_sort(k, j, &members, &n));
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(read_leaves(k, scope, members[i].value, members[i].key, out));
  }
  return SNUG_OK;
}

/* The leaves of nested lists and dicts, from left to right.  The depth is bounded as JSON's is. */
static snug_status read_leaves(snug__config *k, const snug__config_scope *scope,
                               const snug__json *j, const char *key, snug__vec *out) {
  snug__config_leaf leaf = {.key = key};
  if (is_leaf(j)) {
    SNUG_TRY(snug__config_find_node(k, scope, j, 1, &leaf));
    return snug__vec_push(out, &leaf, 1);
  }
  if (snug__json_is_object(j)) {
    return read_dict(k, scope, j, out);
  }
  for (size_t i = 0; i < snug__json_count(j); i++) {
    SNUG_TRY(read_leaves(k, scope, snug__json_at(j, i), key, out));
  }
  return SNUG_OK;
}

static snug_status take_leaves(snug__config *k, const snug__config_scope *scope,
                               const snug__json *config, const char *key, snug__config_leaf **out,
                               uint32_t *n) {
  snug__vec leaves;
  snug__vec_init(&leaves, k->ctx, SNUG__MEM_SCRATCH, sizeof **out, MOST_LEAVES);
  snug_status s = read_leaves(k, scope, snug__json_get(config, key), NULL, &leaves);
  if (!s && !leaves.n) {
    s = snug__fail(k->ctx, SNUG_E_FORMAT, "%s: the model '%s' has no %s", k->file, scope->name,
                   key);
  }
  s = s ? s : snug__arena_take(&k->arena, leaves.n * sizeof **out, (void **)out);
  if (!s) {
    memcpy(*out, leaves.data, leaves.n * sizeof **out);
    *n = (uint32_t)leaves.n;
  }
  snug__vec_release(&leaves);
  return s;
}

static snug_status check_inputs(snug__config *k, const snug__config_scope *scope) {
  for (uint32_t i = 0; i < scope->n_inputs; i++) {
    const snug__config_item *item = &scope->items[scope->nodes[scope->inputs[i].node].item];
    if (item->kind != SNUG__CONFIG_INPUT) {
      return snug__config_fail(k, item, SNUG_E_UNSUPPORTED, "%s",
                               "stands among the inputs of the model, and is no InputLayer");
    }
  }
  return SNUG_OK;
}

/* ---- containers ---- */

static snug_status fail_class(snug__config *k, const char *class_name) {
  return snug__fail(k->ctx, SNUG_E_UNSUPPORTED,
                    "%s: the model is of the class '%.100s': " SNUG__RULE_MODEL
                    ".  Build it with keras.Input and keras.Model(inputs, outputs) and save that",
                    k->file, class_name);
}

static snug_status new_scope(snug__config *k, const snug__json *object, snug__config_scope **out) {
  const char *name = snug__json_text(snug__json_get(snug__json_get(object, "config"), "name"));
  SNUG_TRY(snug__arena_take(&k->arena, sizeof **out, (void **)out));
  (*out)->name = name ? name : "model";
  (*out)->is_sequential = strcmp(class_of(object), "Sequential") == 0;
  snug__map_init(&(*out)->names, k->ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&(*out)->arguments, k->ctx, SNUG__MEM_SCRATCH, sizeof(snug__config_leaf),
                 UINT32_MAX / 2);
  return snug__vec_push(&k->scopes, out, 1);
}

snug_status snug__config_read(snug__config *k, const snug__json *object, const char *path,
                              int32_t depth, snug__config_scope **out) {
  const snug__json *config = snug__json_get(object, "config");
  const snug__json *layers = snug__json_is_list(config) ? config : snug__json_get(config, "layers");
  if (!is_model(object)) {
    return fail_class(k, class_of(object));
  }
  if (depth > SNUG__CONFIG_DEPTH) {
    return snug__fail(k->ctx, SNUG_E_FORMAT, "%s: more than %d models in each other", k->file,
                      SNUG__CONFIG_DEPTH);
  }
  SNUG_TRY(new_scope(k, object, out));
  if (!snug__json_is_list(layers) || !snug__json_count(layers)) {
    return snug__fail(k->ctx, SNUG_E_FORMAT, "%s: the model '%s' has no layers", k->file,
                      (*out)->name);
  }
  SNUG_TRY(read_items(k, layers, path, depth, *out));
  if ((*out)->is_sequential) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__config_list_nodes(k, *out));
  SNUG_TRY(take_leaves(k, *out, config, "input_layers", &(*out)->inputs, &(*out)->n_inputs));
  SNUG_TRY(take_leaves(k, *out, config, "output_layers", &(*out)->outputs, &(*out)->n_outputs));
  SNUG_TRY(check_inputs(k, *out));
  return snug__config_read_arguments(k, *out);
}

void snug__config_release(snug__config *k) {
  for (size_t i = 0; i < k->scopes.n; i++) {
    snug__config_scope *scope = SNUG_VEC(&k->scopes, snug__config_scope *, i);
    snug__vec_release(&scope->arguments);
    snug__map_release(&scope->names);
  }
  snug__vec_release(&k->scopes);
  snug__vec_release(&k->shared_items);
  snug__map_release(&k->shared);
  snug__arena_release(&k->arena);
}
