/* Where the weights of each layer lie in the weights file.
 *
 * Keras names groups after classes and counts them: in each container, in the order of its layers,
 * "layers/dense", "layers/dense_1".  A Sequential has no input among its layers, a Functional has;
 * operations are no layers.  An object that was met before is counted, but has its place already.
 */
#include <stdio.h>
#include <string.h>

#include "keras/call_order.h"
#include "keras/config_parts.h"

#define PATH_BYTES 8192 /* of models in each other, each with a name of its class */

static snug_status add_place(snug__config *k, const snug__config_item *item, const char *path) {
  uint32_t layer = item->kind == SNUG__CONFIG_LAYER ? item->layer : SNUG__NO_LAYER;
  return snug__keras_add_place(k->m, path, item->name, layer);
}

/* What Keras calls the class of an entry; "Model" is another word for Functional. */
static void group_name(const snug__config_item *item, char out[SNUG__NAME_BYTES]) {
  const char *name = item->class_name;
  snug__layer_snake_case(strcmp(name, "Model") == 0 ? "Functional" : name, out);
}

/* Append "layers/<class>[_k]" to a path of n bytes; returns its new length, or 0 if it is full. */
static snug_status append(snug__config *k, const snug__config_item *item, snug__map *counters,
                          char *path, size_t n, size_t *length) {
  char group[SNUG__NAME_BYTES];
  char number[16] = "";
  const char *key = NULL;
  group_name(item, group);
  uint32_t known = snug__map_find(counters, group);
  uint32_t count = known == SNUG__MAP_NONE ? 0 : known;
  if (known == SNUG__MAP_NONE) {
    SNUG_TRY(snug__arena_text(&k->arena, group, &key));
  }
  SNUG_TRY(snug__map_set(counters, key ? key : group, count + 1));
  if (count) {
    snprintf(number, sizeof number, "_%u", count);
  }
  int added = snprintf(path + n, PATH_BYTES - n, "%slayers/%s%s", n ? "/" : "", group, number);
  if (added < 0 || n + (size_t)added >= PATH_BYTES) {
    return snug__config_fail(k, item, SNUG_E_FORMAT, "%s", "lies too deep");
  }
  *length = n + (size_t)added;
  return SNUG_OK;
}

static snug_status place_scope(snug__config *k, snug__config_scope *scope, char *path, size_t n);

static snug_status place_item(snug__config *k, snug__config_item *item, snug__map *counters,
                              char *path, size_t n) {
  size_t length = 0;
  SNUG_TRY(append(k, item, counters, path, n, &length));
  snug__config_item *first = item->first;
  snug_status s = SNUG_OK;
  if (!first->is_placed) {
    first->is_placed = true;
    s = add_place(k, first, path);
    s = s || !first->scope ? s : place_scope(k, first->scope, path, length);
  }
  path[n] = 0;
  return s;
}

/* ---- the order of layers ---- */

/* A Sequential has its layers in the order of the file, but for an input. */
static snug_status list_sequential(const snug__config_scope *scope, snug__vec *out) {
  for (uint32_t i = 0; i < scope->n_items; i++) {
    if (scope->items[i].kind != SNUG__CONFIG_INPUT) {
      SNUG_TRY(snug__vec_push(out, &i, 1));
    }
  }
  return SNUG_OK;
}

static snug_status take_nodes(snug__config *k, const snug__config_scope *scope,
                              snug__call_node **out) {
  SNUG_TRY(snug__arena_take(&k->arena, scope->n_nodes * sizeof **out, (void **)out));
  for (uint32_t i = 0; i < scope->n_nodes; i++) {
    const snug__config_node *node = &scope->nodes[i];
    (*out)[i] = (snug__call_node){node->item, node->first, node->n_all};
  }
  return SNUG_OK;
}

static snug_status take_leaf_nodes(snug__config *k, const snug__config_leaf *leaves, size_t n,
                                   uint32_t **out) {
  SNUG_TRY(snug__arena_take(&k->arena, n * sizeof **out, (void **)out));
  for (size_t i = 0; i < n; i++) {
    (*out)[i] = leaves[i].node;
  }
  return SNUG_OK;
}

/* Keras gives a Functional's layers an order of its own, whatever that of the file. */
static snug_status list_functional(snug__config *k, const snug__config_scope *scope,
                                   snug__vec *out) {
  snug__call_node *nodes = NULL;
  uint32_t *inputs = NULL;
  uint32_t *outputs = NULL;
  uint32_t *parents = NULL;
  const snug__vec *arguments = &scope->arguments;
  SNUG_TRY(take_nodes(k, scope, &nodes));
  SNUG_TRY(take_leaf_nodes(k, arguments->data, arguments->n, &parents));
  SNUG_TRY(take_leaf_nodes(k, scope->inputs, scope->n_inputs, &inputs));
  SNUG_TRY(take_leaf_nodes(k, scope->outputs, scope->n_outputs, &outputs));
  const snug__call_graph g = {scope->n_nodes, scope->n_items, nodes, parents};
  return snug__call_order(k->ctx, &g, outputs, scope->n_outputs, inputs, scope->n_inputs, out);
}

/* ---- containers ---- */

static snug_status place_items(snug__config *k, snug__config_scope *scope, const snug__vec *order,
                               char *path, size_t n) {
  snug__map counters;
  snug_status s = SNUG_OK;
  snug__map_init(&counters, k->ctx, SNUG__MEM_SCRATCH);
  for (size_t i = 0; !s && i < order->n; i++) {
    snug__config_item *item = &scope->items[SNUG_VEC(order, uint32_t, i)];
    s = item->is_op ? SNUG_OK : place_item(k, item, &counters, path, n);
  }
  snug__map_release(&counters);
  return s;
}

static snug_status place_scope(snug__config *k, snug__config_scope *scope, char *path, size_t n) {
  snug__vec order;
  snug__vec_init(&order, k->ctx, SNUG__MEM_SCRATCH, sizeof(uint32_t),
                 (size_t)scope->n_items + scope->n_inputs);
  snug_status s =
      scope->is_sequential ? list_sequential(scope, &order) : list_functional(k, scope, &order);
  s = s ? s : place_items(k, scope, &order, path, n);
  snug__vec_release(&order);
  return s;
}

snug_status snug__config_place(snug__config *k, snug__config_scope *scope) {
  char path[PATH_BYTES] = "";
  SNUG_TRY(snug__keras_add_place(k->m, "", scope->name, SNUG__NO_LAYER));
  return place_scope(k, scope, path, 0);
}
