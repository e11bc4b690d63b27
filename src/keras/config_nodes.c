/* The calls between the entries of a container: which tensors each is made on, and which calls the
 * outputs need. */
#include <string.h>

#include "keras/config_parts.h"

#define MOST_ARGUMENTS 256 /* tensors of one call */

/* ---- nodes ---- */

static uint32_t count_nodes(const snug__config_item *item) {
  size_t n = snug__json_count(snug__json_get(item->object, "inbound_nodes"));
  return item->kind == SNUG__CONFIG_INPUT ? 1 : (uint32_t)n;
}

snug_status snug__config_list_nodes(snug__config *k, snug__config_scope *scope) {
  for (uint32_t i = 0; i < scope->n_items; i++) {
    scope->items[i].first_node = scope->n_nodes;
    scope->items[i].n_nodes = count_nodes(&scope->items[i]);
    scope->n_nodes += scope->items[i].n_nodes;
  }
  SNUG_TRY(
      snug__arena_take(&k->arena, scope->n_nodes * sizeof *scope->nodes, (void **)&scope->nodes));
  for (uint32_t i = 0; i < scope->n_items; i++) {
    const snug__config_item *item = &scope->items[i];
    const snug__json *list = snug__json_get(item->object, "inbound_nodes");
    for (uint32_t j = 0; j < item->n_nodes; j++) {
      scope->nodes[item->first_node + j] =
          (snug__config_node){.item = i, .json = snug__json_at(list, j)};
    }
  }
  return SNUG_OK;
}

snug_status snug__config_find_node(snug__config *k, const snug__config_scope *scope,
                                   const snug__json *history, int64_t offset,
                                   snug__config_leaf *out) {
  const char *name = snug__json_text(snug__json_at(history, 0));
  int64_t node = 0;
  int64_t tensor = 0;
  if (!name || !snug__json_int(snug__json_at(history, 1), &node) ||
      !snug__json_int(snug__json_at(history, 2), &tensor)) {
    return snug__fail(k->ctx, SNUG_E_FORMAT,
                      "%s: in the model '%s' a tensor is not of the form [layer, node, index]",
                      k->file, scope->name);
  }
  uint32_t i = snug__map_find(&scope->names, name);
  if (i == SNUG__MAP_NONE) {
    return snug__fail(k->ctx, SNUG_E_FORMAT,
                      "%s: the model '%s' uses an output of '%s', and has no such layer", k->file,
                      scope->name, name);
  }
  const snug__config_item *item = &scope->items[i];
  const snug__config_scope *inner = item->first->scope;
  if (inner && !inner->is_sequential && node >= offset) {
    node -= offset; /* see KERAS: a nested Functional counts a call of its own before */
  }
  if (node < 0 || node >= item->n_nodes || tensor < 0 || tensor > INT32_MAX) {
    return snug__fail(k->ctx, SNUG_E_FORMAT,
                      "%s: the model '%s' uses output %lld of call %lld of '%s', which is called "
                      "%u times",
                      k->file, scope->name, (long long)tensor, (long long)node, name,
                      item->n_nodes);
  }
  *out = (snug__config_leaf){item->first_node + (uint32_t)node, (uint32_t)tensor, out->key};
  snug__config_node *used = &scope->nodes[out->node];
  used->n_used = used->n_used > out->tensor ? used->n_used : out->tensor + 1;
  return SNUG_OK;
}

/* ---- arguments ---- */

bool snug__config_is_tensor(const snug__json *j) {
  const char *name = snug__json_text(snug__json_get(j, "class_name"));
  return name && strcmp(name, "__keras_tensor__") == 0;
}

/* A node whose arguments are being read. */
typedef struct reading {
  snug__config *k;
  snug__config_scope *scope;
  snug__config_node *node;
} reading;

static snug_status add_argument(const reading *r, const snug__json *history) {
  snug__config_leaf leaf = {0};
  if (r->node->n_all == MOST_ARGUMENTS) {
    return snug__config_fail(r->k, &r->scope->items[r->node->item], SNUG_E_UNSUPPORTED,
                             "is called on more than %d tensors", MOST_ARGUMENTS);
  }
  SNUG_TRY(snug__config_find_node(r->k, r->scope, history, 0, &leaf));
  r->node->n_all++;
  return snug__vec_push(&r->scope->arguments, &leaf, 1);
}

static snug_status add_dict(const reading *r, const snug__json *j);

/* The tensors in a value, from left to right.  The depth is bounded as JSON's is. */
static snug_status add_tensors(const reading *r, const snug__json *j) {
  if (snug__config_is_tensor(j)) {
    return add_argument(r, snug__json_get(snug__json_get(j, "config"), "keras_history"));
  }
  if (snug__json_is_object(j)) {
    return add_dict(r, j);
  }
  for (size_t i = 0; i < snug__json_count(j); i++) {
    SNUG_TRY(add_tensors(r, snug__json_at(j, i)));
  }
  return SNUG_OK;
}

static snug_status add_dict(const reading *r, const snug__json *j) {
  snug__json_member *members = NULL;
  size_t n = 0;
  SNUG_TRY(snug__config_sort(r->k, j, &members, &n));
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(add_tensors(r, members[i].value));
  }
  return SNUG_OK;
}

static bool is_mask(const reading *r, const char *key) {
  return !r->scope->items[r->node->item].is_op && strcmp(key, "mask") == 0;
}

static snug_status add_keywords(const reading *r, const snug__json *kwargs, bool masks) {
  for (snug__json_member x = snug__json_first(kwargs); x.key; x = snug__json_next(kwargs, x)) {
    if (is_mask(r, x.key) == masks) {
      SNUG_TRY(add_tensors(r, x.value));
    }
  }
  return SNUG_OK;
}

/* Keras 2 wrote a node as [["layer", node, index, {}], ...]. */
static snug_status add_legacy(const reading *r) {
  for (size_t i = 0; i < snug__json_count(r->node->json); i++) {
    SNUG_TRY(add_argument(r, snug__json_at(r->node->json, i)));
  }
  r->node->n_values = r->node->n_all;
  return SNUG_OK;
}

static snug_status read_node(snug__config *k, snug__config_scope *scope, snug__config_node *node) {
  const reading r = {k, scope, node};
  const snug__json *kwargs = snug__json_get(node->json, "kwargs");
  node->is_read = true;
  node->first = (uint32_t)scope->arguments.n;
  if (snug__json_is_list(node->json)) {
    return add_legacy(&r);
  }
  SNUG_TRY(add_tensors(&r, snug__json_get(node->json, "args")));
  SNUG_TRY(add_keywords(&r, kwargs, false));
  node->n_values = node->n_all;
  return add_keywords(&r, kwargs, true);
}

/* ---- what outputs need ---- */

/* Visit a node and what it is called on, nodes that were visited before left out. */
static snug_status visit(snug__config *k, snug__config_scope *scope, uint32_t i, bool values,
                         snug__vec *stack) {
  snug__config_node *node = &scope->nodes[i];
  if (values ? node->is_needed : node->is_read) {
    return SNUG_OK;
  }
  node->is_needed = values;
  SNUG_TRY(values ? SNUG_OK : read_node(k, scope, node));
  for (uint32_t a = 0; a < (values ? node->n_values : node->n_all); a++) {
    uint32_t parent = SNUG_VEC(&scope->arguments, snug__config_leaf, node->first + a).node;
    SNUG_TRY(snug__vec_push(stack, &parent, 1));
  }
  return SNUG_OK;
}

static snug_status visit_from_outputs(snug__config *k, snug__config_scope *scope, bool values,
                                      snug__vec *stack) {
  for (uint32_t i = 0; i < scope->n_outputs; i++) {
    SNUG_TRY(snug__vec_push(stack, &scope->outputs[i].node, 1));
  }
  while (stack->n) {
    SNUG_TRY(visit(k, scope, SNUG_VEC(stack, uint32_t, --stack->n), values, stack));
  }
  return SNUG_OK;
}

snug_status snug__config_read_arguments(snug__config *k, snug__config_scope *scope) {
  snug__vec stack;
  snug__vec_init(&stack, k->ctx, SNUG__MEM_SCRATCH, sizeof(uint32_t), UINT32_MAX / 2);
  snug_status s = visit_from_outputs(k, scope, false, &stack);
  s = s ? s : visit_from_outputs(k, scope, true, &stack);
  snug__vec_release(&stack);
  return s;
}
