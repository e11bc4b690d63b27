/* A fractal heap holds objects of any length in blocks that double in size row by row; a B-tree of
 * version 2 lists their ids.  Files that were written with libver="latest" keep the links of a
 * large group this way, and the attributes of an object that has many. */
#include <string.h>

#include "keras/h5_file.h"

#define HEAP_HEAD 142
#define TREE_HEAD 34
#define NODE_HEAD 6
#define MOST_DEPTH 8
#define MOST_OBJECT 65536
#define MOST_ID 16
#define RECORD_LINK 5      /* hash, id */
#define RECORD_ATTRIBUTE 8 /* id, flags, order, hash */

typedef struct heap {
  snug__h5 *h5;
  uint64_t id_bytes, offset_bytes, length_bytes;
  uint64_t width, first_block, most_direct;
  uint64_t root, rows; /* rows 0: the root is a block with objects */
  uint64_t tree_kind, record_bytes, node_bytes;
  snug__h5_visit visit;
  void *arg;
  uint8_t *object; /* the one that is visited */
} heap;

static snug_status fail_heap(const heap *p) {
  return SNUG__BAD_H5(p->h5, "is damaged: a heap of names or attributes cannot be read");
}

static uint32_t log2_of(uint64_t n) { return n ? 63u - (uint32_t)__builtin_clzll(n) : 0; }

/* Bytes that hold numbers up to n. */
static uint64_t bytes_for(uint64_t n) { return log2_of(n) / 8 + 1; }

static bool is_power(uint64_t n) { return n && !(n & (n - 1)); }

static snug_status read_heap(heap *p, uint64_t address) {
  uint8_t head[HEAP_HEAD];
  SNUG_TRY(snug__h5_read(p->h5, head, sizeof head, address));
  snug__cursor c = snug__cursor_of(head + 5, sizeof head - 5);
  p->id_bytes = snug__get(&c, 2);
  uint64_t filter_bytes = snug__get(&c, 2);
  snug__skip(&c, 1);
  uint64_t most_object = snug__get(&c, 4);
  snug__skip(&c, 12 * 8);
  p->width = snug__get(&c, 2);
  p->first_block = snug__get(&c, 8);
  p->most_direct = snug__get(&c, 8);
  uint64_t heap_bits = snug__get(&c, 2);
  snug__skip(&c, 2);
  p->root = snug__get(&c, 8);
  p->rows = snug__get(&c, 2);
  p->offset_bytes = (heap_bits + 7) / 8;
  uint64_t by_block = bytes_for(p->most_direct), by_object = bytes_for(most_object);
  p->length_bytes = by_block < by_object ? by_block : by_object;
  bool good = memcmp(head, "FRHP", 4) == 0 && filter_bytes == 0 && is_power(p->width) &&
              is_power(p->first_block) && is_power(p->most_direct) && p->width <= 1024 &&
              p->first_block <= p->most_direct && p->most_direct <= (1u << 30) &&
              p->id_bytes <= MOST_ID && p->offset_bytes >= 1 && p->offset_bytes <= 8 &&
              1 + p->offset_bytes + p->length_bytes <= p->id_bytes;
  return good ? SNUG_OK : fail_heap(p);
}

/* The row of a block at an offset; *row_bytes is the size of its blocks, *begin its own offset. */
static uint64_t find_row(const heap *p, uint64_t offset, uint64_t *row_bytes, uint64_t *begin) {
  uint64_t first_row = p->first_block * p->width, row = 0;
  *row_bytes = p->first_block;
  *begin = 0;
  if (offset >= first_row) {
    row = log2_of(offset) - log2_of(first_row) + 1;
    *row_bytes = p->first_block << (row - 1);
    *begin = first_row << (row - 1);
  }
  return row;
}

/* From an offset in the heap to an address: down through blocks that list blocks. */
static snug_status find_object(heap *p, uint64_t offset, uint64_t bytes, uint64_t *address) {
  uint64_t block = p->root, block_bytes = p->first_block, rows = p->rows;
  uint8_t entry[8];
  for (int depth = 0; rows > 0; depth++) {
    uint64_t begin = 0, row = find_row(p, offset, &block_bytes, &begin);
    if (row >= rows || row > 40 || depth > MOST_DEPTH) {
      return fail_heap(p);
    }
    uint64_t column = (offset - begin) / block_bytes;
    offset = (offset - begin) % block_bytes;
    uint64_t at = 5 + 8 + p->offset_bytes + (row * p->width + column) * 8;
    SNUG_TRY(snug__h5_read(p->h5, entry, sizeof entry, block + at));
    snug__cursor c = snug__cursor_of(entry, sizeof entry);
    block = snug__get(&c, 8);
    bool is_direct = block_bytes <= p->most_direct;
    rows = is_direct ? 0 : log2_of(block_bytes) - log2_of(p->first_block * p->width) + 1;
  }
  if (offset > block_bytes || bytes > block_bytes - offset ||
      !snug__h5_inside(p->h5, block, block_bytes)) {
    return fail_heap(p);
  }
  *address = block + offset;
  return SNUG_OK;
}

static snug_status visit_object(heap *p, const uint8_t *id) {
  snug__cursor c = snug__cursor_of(id, (size_t)p->id_bytes);
  uint64_t kind = snug__get(&c, 1), offset = snug__get(&c, (size_t)p->offset_bytes);
  uint64_t bytes = snug__get(&c, (size_t)p->length_bytes), address = 0;
  if (kind != 0 || bytes > MOST_OBJECT) { /* objects inside of ids or outside of blocks */
    return fail_heap(p);
  }
  SNUG_TRY(find_object(p, offset, bytes, &address));
  SNUG_TRY(snug__h5_read(p->h5, p->object, (size_t)bytes, address));
  return p->visit(p->h5, p->arg, snug__cursor_of(p->object, (size_t)bytes));
}

static snug_status visit_records(heap *p, uint64_t address, uint64_t n) {
  uint8_t id[MOST_ID];
  uint64_t id_at = p->tree_kind == RECORD_LINK ? 4 : 0;
  for (uint64_t i = 0; i < n; i++) {
    SNUG_TRY(snug__h5_read(p->h5, id, (size_t)p->id_bytes,
                           address + NODE_HEAD + i * p->record_bytes + id_at));
    SNUG_TRY(visit_object(p, id));
  }
  return SNUG_OK;
}

/* The most records that a node and all below it can have decide how many bytes their numbers take
 * in the pointers of the node above. */
static uint64_t pointer_bytes(const heap *p, uint64_t depth, uint64_t *count_bytes) {
  uint64_t usable = p->node_bytes - NODE_HEAD - 4, most = usable / p->record_bytes;
  uint64_t total = most, pointer = 0;
  *count_bytes = bytes_for(most);
  for (uint64_t level = 1; level <= depth; level++) {
    pointer = 8 + *count_bytes + (level > 1 ? bytes_for(total) : 0);
    most = pointer < usable ? (usable - pointer) / (p->record_bytes + pointer) : 0;
    total = (most + 1) * total + most;
    total = total < (uint64_t)1 << 48 ? total : (uint64_t)1 << 48;
  }
  return pointer;
}

static snug_status walk_node(heap *p, uint64_t address, uint64_t depth, uint64_t n) {
  uint8_t head[NODE_HEAD], pointer[24];
  uint64_t count_bytes = 0, step = pointer_bytes(p, depth, &count_bytes);
  SNUG_TRY(snug__h5_read(p->h5, head, sizeof head, address));
  if (memcmp(head, depth ? "BTIN" : "BTLF", 4) != 0 || n > p->node_bytes / p->record_bytes) {
    return fail_heap(p);
  }
  SNUG_TRY(visit_records(p, address, n));
  for (uint64_t i = 0; depth > 0 && i <= n; i++) {
    uint64_t at = address + NODE_HEAD + n * p->record_bytes + i * step;
    SNUG_TRY(snug__h5_read(p->h5, pointer, 8 + (size_t)count_bytes, at));
    snug__cursor c = snug__cursor_of(pointer, sizeof pointer);
    uint64_t child = snug__get(&c, 8), below = snug__get(&c, (size_t)count_bytes);
    SNUG_TRY(walk_node(p, child, depth - 1, below));
  }
  return SNUG_OK;
}

static snug_status walk_tree(heap *p, uint64_t address) {
  uint8_t head[TREE_HEAD];
  SNUG_TRY(snug__h5_read(p->h5, head, sizeof head, address));
  snug__cursor c = snug__cursor_of(head + 5, sizeof head - 5);
  p->tree_kind = snug__get(&c, 1);
  p->node_bytes = snug__get(&c, 4);
  p->record_bytes = snug__get(&c, 2);
  uint64_t depth = snug__get(&c, 2);
  snug__skip(&c, 2);
  uint64_t root = snug__get(&c, 8), n = snug__get(&c, 2);
  uint64_t beside = p->tree_kind == RECORD_LINK ? 4 : 9;
  bool good = memcmp(head, "BTHD", 4) == 0 && depth <= MOST_DEPTH &&
              (p->tree_kind == RECORD_LINK || p->tree_kind == RECORD_ATTRIBUTE) &&
              p->record_bytes == p->id_bytes + beside && p->node_bytes >= 64 &&
              p->node_bytes <= (1u << 24);
  if (!good) {
    return fail_heap(p);
  }
  return root == SNUG__H5_NOWHERE ? SNUG_OK : walk_node(p, root, depth, n);
}

snug_status snug__h5_heap_each(snug__h5 *h5, uint64_t address, uint64_t tree, snug__h5_visit visit,
                               void *arg) {
  heap p = {.h5 = h5, .visit = visit, .arg = arg};
  SNUG_TRY(read_heap(&p, address));
  SNUG_TRY(SNUG_NEW_ARRAY(h5->ctx, SNUG__MEM_SCRATCH, MOST_OBJECT, &p.object));
  snug_status s = walk_tree(&p, tree);
  SNUG_GIVE_ARRAY(h5->ctx, SNUG__MEM_SCRATCH, p.object, MOST_OBJECT);
  return s;
}
