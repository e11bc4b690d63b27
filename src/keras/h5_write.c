/* An HDF5 file from front to back: data and their descriptions as they come, the groups at the end,
 * when it is known what lies in them, and last the superblock, which makes the file valid.
 *
 * This is the format of 1998 that every HDF5 reads and that h5py writes by default: superblock 0,
 * headers of version 1, groups as trees of symbols.  Nothing in the file depends on the time. */
#include "keras/h5_write.h"

#include <errno.h>
#include <string.h>

#include "base/size.h"
#include "keras/h5_out.h"

#define MOST_NODES (1u << 22)
#define SUPERBLOCK_BYTES 96
#define LEAF_HALF 4  /* of the symbols in a leaf */
#define NODE_HALF 16 /* of the children of a node in a tree */

snug_status snug__h5_put_at(snug__h5_writer *w, const void *bytes, size_t n, uint64_t address) {
  char reason[128];
  if (!snug__write_out_at(w->fd, bytes, n, w->begin + (int64_t)address)) {
    return snug__fail(w->ctx, SNUG_E_IO, "the weights cannot be written: %s",
                      strerror_r(errno, reason, sizeof reason));
  }
  return SNUG_OK;
}

/* What fills the part up to 8 bytes is written too, so that the file is as long as it says. */
snug_status snug__h5_put(snug__h5_writer *w, const void *bytes, size_t n, uint64_t *address) {
  static const uint8_t zeros[8] = {0};
  *address = (uint64_t)w->end;
  w->end = snug__round_up(w->end + (int64_t)n, 8);
  SNUG_TRY(snug__h5_put_at(w, bytes, n, *address));
  return snug__h5_put_at(w, zeros, (size_t)w->end - (size_t)*address - n, *address + n);
}

static void release(snug__h5_writer *w) {
  snug__map_release(&w->by_path);
  snug__vec_release(&w->nodes);
  snug__vec_release(&w->tree);
  snug__h5_drop_texts(w);
  snug__arena_release(&w->arena);
  snug__give(w->ctx, SNUG__MEM_SCRATCH, w, sizeof *w);
}

snug_status snug__h5_writer_open(snug_ctx *ctx, int fd, int64_t begin, snug__h5_writer **out) {
  snug__h5_writer *w = NULL;
  snug__h5_node root = {.is_group = true, .name = "", .next = SNUG__H5_NO_NODE};
  root.first = SNUG__H5_NO_NODE;
  *out = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_SCRATCH, &w));
  w->ctx = ctx;
  w->fd = fd;
  w->begin = begin;
  w->end = SUPERBLOCK_BYTES;
  snug__arena_init(&w->arena, ctx, SNUG__MEM_SCRATCH);
  snug__map_init(&w->by_path, ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&w->nodes, ctx, SNUG__MEM_SCRATCH, sizeof(snug__h5_node), MOST_NODES);
  snug__vec_init(&w->tree, ctx, SNUG__MEM_SCRATCH, sizeof(snug__h5_child), MOST_NODES);
  snug_status s = snug__vec_push(&w->nodes, &root, 1);
  if (s) {
    release(w);
    return s;
  }
  *out = w;
  return SNUG_OK;
}

/* Put a node among its siblings, which are kept in the order of their names. */
static void insert(snug__h5_writer *w, uint32_t parent, uint32_t node) {
  snug__h5_node *all = w->nodes.data;
  uint32_t *link = &all[parent].first;
  while (*link != SNUG__H5_NO_NODE && strcmp(all[*link].name, all[node].name) < 0) {
    link = &all[*link].next;
  }
  all[node].next = *link;
  *link = node;
}

/* Make the node of the first n bytes of a path, whose parent is there. */
static snug_status add_node(snug__h5_writer *w, const char *path, size_t n, bool is_group,
                            uint32_t parent, uint32_t *out) {
  snug__h5_node node = {.is_group = is_group, .first = SNUG__H5_NO_NODE, .next = SNUG__H5_NO_NODE};
  void *copy = NULL;
  SNUG_TRY(snug__arena_take(&w->arena, n + 1, &copy));
  memcpy(copy, path, n);
  const char *slash = strrchr(copy, '/');
  node.name = slash ? slash + 1 : copy;
  SNUG_TRY(snug__vec_reserve(&w->nodes, 1));
  SNUG_TRY(snug__map_set(&w->by_path, copy, (uint32_t)w->nodes.n));
  *out = (uint32_t)w->nodes.n;
  SNUG_TRY(snug__vec_push(&w->nodes, &node, 1));
  insert(w, parent, *out);
  return SNUG_OK;
}

/* The node of the first n bytes of a path, or SNUG__H5_NO_NODE. */
static snug_status find_node(snug__h5_writer *w, const char *path, size_t n, uint32_t *out) {
  char text[SNUG__H5_PATH_BYTES];
  if (n >= sizeof text) {
    return snug__fail(w->ctx, SNUG_E_OVERFLOW, "a path of %zu bytes in a weights file: %.200s...",
                      n, path);
  }
  memcpy(text, path, n);
  text[n] = 0;
  *out = snug__map_find(&w->by_path, text);
  return SNUG_OK;
}

/* The group of the first n bytes of a path, made with those above it where it is not there. */
static snug_status make_group(snug__h5_writer *w, const char *path, size_t n, uint32_t *out) {
  uint32_t parent = 0, node = 0;
  for (size_t at = 0; at < n;) {
    at += strcspn(path + at, "/");
    at = at < n ? at : n;
    SNUG_TRY(find_node(w, path, at, &node));
    if (node == SNUG__H5_NO_NODE) {
      SNUG_TRY(add_node(w, path, at, true, parent, &node));
    }
    if (!SNUG_VEC(&w->nodes, snug__h5_node, node).is_group) {
      return snug__fail(w->ctx, SNUG_E_ARGUMENT, "%.*s is a dataset, not a group", (int)at, path);
    }
    parent = node;
    at += at < n;
  }
  *out = parent;
  return SNUG_OK;
}

snug_status snug__h5_write_group(snug__h5_writer *w, const char *path, const char *name) {
  uint32_t node = 0;
  SNUG_TRY(make_group(w, path, strlen(path), &node));
  if (name) {
    return snug__arena_text(&w->arena, name, &SNUG_VEC(&w->nodes, snug__h5_node, node).label);
  }
  return SNUG_OK;
}

snug_status snug__h5_write_data(snug__h5_writer *w, const char *path, snug_dtype dtype,
                                int32_t rank, const int64_t *dim, const void *data) {
  const char *slash = strrchr(path, '/');
  uint32_t parent = 0, node = 0;
  uint64_t address = 0;
  SNUG_TRY(make_group(w, path, slash ? (size_t)(slash - path) : 0, &parent));
  SNUG_TRY(find_node(w, path, strlen(path), &node));
  if (node != SNUG__H5_NO_NODE) {
    return snug__fail(w->ctx, SNUG_E_ARGUMENT, "%s is already in the weights file", path);
  }
  SNUG_TRY(snug__h5_put_data(w, dtype, rank, dim, data, &address));
  SNUG_TRY(add_node(w, path, strlen(path), false, parent, &node));
  SNUG_VEC(&w->nodes, snug__h5_node, node).address = address;
  return SNUG_OK;
}

static snug_status put_superblock(snug__h5_writer *w) {
  const snug__h5_node *root = w->nodes.data;
  uint8_t bytes[SUPERBLOCK_BYTES] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  uint8_t *at = bytes + 8;
  snug__put(&at, 0, 5); /* versions of all parts */
  snug__put(&at, 8, 1); /* bytes of addresses */
  snug__put(&at, 8, 1); /* and lengths */
  snug__put(&at, 0, 1);
  snug__put(&at, LEAF_HALF, 2);
  snug__put(&at, NODE_HALF, 2);
  snug__put(&at, 0, 4);
  snug__put(&at, 0, 8);
  snug__put(&at, SNUG__H5_UNSET, 8);
  snug__put(&at, (uint64_t)w->end, 8);
  snug__put(&at, SNUG__H5_UNSET, 8);
  snug__h5_put_symbol(&at, root, 0);
  return snug__h5_put_at(w, bytes, sizeof bytes, 0);
}

static snug_status finish(snug__h5_writer *w, int64_t *bytes) {
  SNUG_TRY(snug__h5_put_groups(w));
  SNUG_TRY(snug__h5_end_texts(w));
  SNUG_TRY(put_superblock(w));
  *bytes = w->end;
  return SNUG_OK;
}

snug_status snug__h5_writer_close(snug__h5_writer *w, int64_t *bytes) {
  *bytes = 0;
  snug_status s = finish(w, bytes);
  release(w);
  return s;
}
