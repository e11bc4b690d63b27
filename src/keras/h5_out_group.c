/* Groups: a heap of names, leaves of up to eight symbols, and a tree over them. */
#include <string.h>

#include "base/size.h"
#include "keras/h5_out.h"

#define SYMBOL_BYTES 40
#define LEAF_SYMBOLS 8
#define LEAF_BYTES (8 + LEAF_SYMBOLS * SYMBOL_BYTES)
#define NODE_CHILDREN 32
#define NODE_BYTES (24 + (2 * NODE_CHILDREN + 1) * 8)
#define EMPTY_NAME 8 /* a heap begins with the empty name */
#define NO_FREE_NAME 1

static snug__h5_node *node_at(snug__h5_writer *w, uint32_t i) {
  return &SNUG_VEC(&w->nodes, snug__h5_node, i);
}

static uint64_t name_room(const snug__h5_node *node) {
  return (uint64_t)snug__round_up((int64_t)strlen(node->name) + 1, 8);
}

void snug__h5_put_symbol(uint8_t **at, const snug__h5_node *node, uint64_t name) {
  snug__put(at, name, 8);
  snug__put(at, node->address, 8);
  snug__put(at, node->is_group, 8); /* whether tree and heap follow */
  snug__put(at, node->is_group ? node->tree : 0, 8);
  snug__put(at, node->is_group ? node->heap : 0, 8);
}

/* The names of the children behind each other, and before them where they stand. */
static snug_status put_heap(snug__h5_writer *w, const snug__h5_node *group, uint64_t *heap) {
  uint8_t head[32] = "HEAP", *at = head + 8;
  uint64_t bytes = EMPTY_NAME, used = EMPTY_NAME, address = 0;
  uint8_t *names = NULL;
  for (uint32_t i = group->first; i != SNUG__H5_NO_NODE; i = node_at(w, i)->next) {
    bytes += name_room(node_at(w, i));
  }
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_SCRATCH, bytes, &names));
  for (uint32_t i = group->first; i != SNUG__H5_NO_NODE; i = node_at(w, i)->next) {
    const snug__h5_node *child = node_at(w, i);
    memcpy(names + used, child->name, strlen(child->name));
    used += name_room(child);
  }
  snug_status s = snug__h5_put(w, names, (size_t)bytes, &address);
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_SCRATCH, names, bytes);
  snug__put(&at, bytes, 8);
  snug__put(&at, NO_FREE_NAME, 8);
  snug__put(&at, address, 8);
  return s ? s : snug__h5_put(w, head, sizeof head, heap);
}

/* Up to eight children from *first on; *first moves on, *name stays the place of its name. */
static snug_status put_leaf(snug__h5_writer *w, uint32_t *first, uint64_t *name,
                            snug__h5_child *out) {
  uint8_t leaf[LEAF_BYTES] = "SNOD\1", *at = leaf + 8, *count = leaf + 6;
  uint64_t n = 0;
  for (; n < LEAF_SYMBOLS && *first != SNUG__H5_NO_NODE; n++) {
    const snug__h5_node *child = node_at(w, *first);
    snug__h5_put_symbol(&at, child, *name);
    out->last_name = *name;
    *name += name_room(child);
    *first = child->next;
  }
  snug__put(&count, n, 2);
  return snug__h5_put(w, leaf, sizeof leaf, &out->address);
}

/* A node over n children, which begins after the name at `before`.  Its neighbours on the same
 * level stand directly beside it. */
static snug_status put_node(snug__h5_writer *w, uint32_t level, const snug__h5_child *child,
                            size_t n, uint64_t before, bool has_left, bool has_right,
                            uint64_t *address) {
  uint8_t node[NODE_BYTES] = "TREE", *at = node + 5;
  uint64_t here = (uint64_t)w->end;
  snug__put(&at, level, 1);
  snug__put(&at, n, 2);
  snug__put(&at, has_left ? here - NODE_BYTES : SNUG__H5_UNSET, 8);
  snug__put(&at, has_right ? here + NODE_BYTES : SNUG__H5_UNSET, 8);
  snug__put(&at, before, 8);
  for (size_t i = 0; i < n; i++) {
    snug__put(&at, child[i].address, 8);
    snug__put(&at, child[i].last_name, 8);
  }
  return snug__h5_put(w, node, sizeof node, address);
}

/* Replace the children in w->tree by the nodes over them. */
static snug_status put_level(snug__h5_writer *w, uint32_t level) {
  snug__h5_child *all = w->tree.data;
  size_t n_nodes = 0, n = w->tree.n;
  uint64_t before = 0;
  for (size_t i = 0; i < n || n_nodes == 0; i += NODE_CHILDREN) {
    size_t here = n - i < NODE_CHILDREN ? n - i : NODE_CHILDREN;
    uint64_t last = here ? all[i + here - 1].last_name : 0, address = 0;
    SNUG_TRY(put_node(w, level, all + i, here, before, i > 0, i + here < n, &address));
    snug__h5_child node = {address, last};
    if (n == 0) {
      return snug__vec_push(&w->tree, &node, 1);
    }
    all[n_nodes++] = node;
    before = last;
  }
  w->tree.n = n_nodes;
  return SNUG_OK;
}

static snug_status put_tree(snug__h5_writer *w, const snug__h5_node *group, uint64_t *address) {
  uint32_t first = group->first, level = 0;
  uint64_t name = EMPTY_NAME;
  w->tree.n = 0;
  while (first != SNUG__H5_NO_NODE) {
    snug__h5_child leaf;
    SNUG_TRY(put_leaf(w, &first, &name, &leaf));
    SNUG_TRY(snug__vec_push(&w->tree, &leaf, 1));
  }
  do {
    SNUG_TRY(put_level(w, level++));
  } while (w->tree.n > 1);
  *address = SNUG_VEC(&w->tree, snug__h5_child, 0).address;
  return SNUG_OK;
}

static snug_status put_group(snug__h5_writer *w, snug__h5_node *group) {
  snug__h5_header h;
  SNUG_TRY(put_heap(w, group, &group->heap));
  SNUG_TRY(put_tree(w, group, &group->tree));
  snug__h5_header_init(&h);
  snug__h5_message_begin(&h, 0x11);
  snug__put(&h.at, group->tree, 8);
  snug__put(&h.at, group->heap, 8);
  snug__h5_message_end(&h);
  if (group->label) {
    SNUG_TRY(snug__h5_put_text(w, &h, "name", group->label));
  }
  return snug__h5_put_header(w, &h, &group->address);
}

/* Children stand behind their parents in the list, so from its end on all are there in time. */
snug_status snug__h5_put_groups(snug__h5_writer *w) {
  for (size_t i = w->nodes.n; i-- > 0;) {
    snug__h5_node *node = node_at(w, (uint32_t)i);
    if (node->is_group) {
      SNUG_TRY(put_group(w, node));
    }
  }
  return SNUG_OK;
}
