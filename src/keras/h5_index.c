/* Where the chunks of a dataset lie.  They are visited in row-major order, which is the order of
 * every index, and none may be missing. */
#include <string.h>

#include "base/size.h"
#include "keras/h5_file.h"

#define NODE_HEAD 24
#define MOST_LEVELS 8
#define MOST_KEY (8 + (SNUG_MAX_RANK + 1) * 8 + 8)
#define ARRAY_HEAD 24 /* of a fixed array */
#define BLOCK_HEAD 14 /* of its data block */
#define CHECKSUM_BYTES 4

typedef struct visiting {
  snug__h5 *h5;
  const snug__h5_stored *d;
  const char *path;
  snug__h5_visit_chunk visit;
  void *arg;
  int64_t n, done; /* chunks there should be, and were */
} visiting;

static snug_status fail_index(const visiting *v) {
  return SNUG__BAD_H5(v->h5, "%s is damaged: its chunks are not all there", v->path);
}

static snug_status visit_next(visiting *v, const snug__h5_chunk *chunk) {
  if (v->done >= v->n || chunk->address == SNUG__H5_NOWHERE) {
    return fail_index(v);
  }
  return v->visit(v->arg, v->done++, chunk);
}

/* Whether a key of the tree is that of the chunk whose turn it is. */
static bool is_next(const visiting *v, snug__cursor *c) {
  const snug__h5_stored *d = v->d;
  int64_t rest = v->done, expected[SNUG_MAX_RANK];
  bool good = true;
  for (int32_t i = d->shape.rank - 1; i >= 0; i--) {
    int64_t across = (d->shape.dim[i] - 1) / d->chunk[i] + 1;
    expected[i] = rest % across * d->chunk[i];
    rest /= across;
  }
  for (int32_t i = 0; i < d->shape.rank; i++) {
    good = snug__get(c, 8) == (uint64_t)expected[i] && good;
  }
  return snug__get(c, 8) == 0 && good;
}

/* One entry of a node: a key and the address of a chunk, or of a node below. */
static snug_status walk_tree(visiting *v, uint64_t address, uint32_t level, uint32_t most);

static snug_status visit_entry(visiting *v, uint64_t address, uint32_t level, uint32_t most) {
  uint8_t entry[MOST_KEY];
  size_t n = 8 + ((size_t)v->d->shape.rank + 1) * 8 + 8;
  SNUG_TRY(snug__h5_read(v->h5, entry, n, address));
  snug__cursor c = snug__cursor_of(entry, n);
  snug__h5_chunk chunk = {.bytes = snug__get(&c, 4)};
  chunk.mask = (uint32_t)snug__get(&c, 4);
  bool good = is_next(v, &c);
  chunk.address = snug__get(&c, 8);
  if (!good) {
    return fail_index(v);
  }
  return level == 0 ? visit_next(v, &chunk) : walk_tree(v, chunk.address, level - 1, most);
}

static snug_status walk_tree(visiting *v, uint64_t address, uint32_t level, uint32_t most) {
  uint8_t head[NODE_HEAD];
  SNUG_TRY(snug__h5_read(v->h5, head, sizeof head, address));
  uint32_t n = head[6] | (uint32_t)head[7] << 8;
  uint64_t step = 8 + ((uint64_t)v->d->shape.rank + 1) * 8 + 8;
  bool good = memcmp(head, "TREE", 4) == 0 && head[4] == 1 && head[5] <= most;
  if (!good || (level != UINT32_MAX && head[5] != level)) {
    return fail_index(v);
  }
  for (uint32_t i = 0; i < n; i++) {
    SNUG_TRY(visit_entry(v, address + NODE_HEAD + i * step, head[5], most));
  }
  return SNUG_OK;
}

/* A fixed array: entries behind each other, in pages if there are many. */
typedef struct fixed_array {
  uint64_t block, entry_bytes, page_bits;
  bool is_filtered;
} fixed_array;

static snug_status open_array(visiting *v, fixed_array *a) {
  uint8_t head[ARRAY_HEAD];
  SNUG_TRY(snug__h5_read(v->h5, head, sizeof head, v->d->address));
  snug__cursor c = snug__cursor_of(head + 5, sizeof head - 5);
  a->is_filtered = snug__get(&c, 1) == 1;
  a->entry_bytes = snug__get(&c, 1);
  a->page_bits = snug__get(&c, 1);
  uint64_t n = snug__get(&c, 8);
  a->block = snug__get(&c, 8);
  bool good = memcmp(head, "FAHD", 4) == 0 && n == (uint64_t)v->n && a->page_bits < 32 &&
              (a->is_filtered ? a->entry_bytes > 12 && a->entry_bytes <= 20 : a->entry_bytes == 8);
  return good ? SNUG_OK : fail_index(v);
}

static uint64_t entry_address(const fixed_array *a, uint64_t i, uint64_t n) {
  uint64_t per_page = (uint64_t)1 << a->page_bits;
  if (n <= per_page) {
    return a->block + BLOCK_HEAD + i * a->entry_bytes;
  }
  uint64_t pages = (n - 1) / per_page + 1, first = BLOCK_HEAD + (pages + 7) / 8 + CHECKSUM_BYTES;
  uint64_t page = first + i / per_page * (per_page * a->entry_bytes + CHECKSUM_BYTES);
  return a->block + page + i % per_page * a->entry_bytes;
}

static snug_status walk_array(visiting *v) {
  fixed_array a;
  uint8_t entry[20];
  SNUG_TRY(open_array(v, &a));
  for (int64_t i = 0; i < v->n; i++) {
    snug__h5_chunk chunk = {.bytes = (uint64_t)v->d->chunk_bytes};
    SNUG_TRY(snug__h5_read(v->h5, entry, (size_t)a.entry_bytes,
                           entry_address(&a, (uint64_t)i, (uint64_t)v->n)));
    snug__cursor c = snug__cursor_of(entry, (size_t)a.entry_bytes);
    chunk.address = snug__get(&c, 8);
    if (a.is_filtered) {
      chunk.bytes = snug__get(&c, (size_t)a.entry_bytes - 12);
      chunk.mask = (uint32_t)snug__get(&c, 4);
    }
    SNUG_TRY(visit_next(v, &chunk));
  }
  return SNUG_OK;
}

/* Chunks behind each other, without an index. */
static snug_status walk_implicit(visiting *v) {
  uint64_t bytes = (uint64_t)v->d->chunk_bytes;
  for (int64_t i = 0; i < v->n; i++) {
    snug__h5_chunk chunk = {.address = v->d->address + (uint64_t)i * bytes, .bytes = bytes};
    SNUG_TRY(visit_next(v, &chunk));
  }
  return SNUG_OK;
}

static snug_status walk_single(visiting *v) {
  snug__h5_chunk chunk = {.address = v->d->address, .mask = v->d->single_mask};
  chunk.bytes = v->d->single_bytes ? v->d->single_bytes : (uint64_t)v->d->chunk_bytes;
  return visit_next(v, &chunk);
}

snug_status snug__h5_each_chunk(snug__h5 *h5, const snug__h5_stored *d, const char *path,
                                snug__h5_visit_chunk visit, void *arg) {
  visiting v = {.h5 = h5, .d = d, .path = path, .visit = visit, .arg = arg, .n = 1};
  for (int32_t i = 0; i < d->shape.rank; i++) {
    v.n *= (d->shape.dim[i] - 1) / d->chunk[i] + 1; /* no more than elements */
  }
  snug_status s = SNUG_OK;
  switch (d->index) {
    case SNUG__H5_TREE:
      s = walk_tree(&v, d->address, UINT32_MAX, MOST_LEVELS);
      break;
    case SNUG__H5_SINGLE:
      s = walk_single(&v);
      break;
    case SNUG__H5_IMPLICIT:
      s = walk_implicit(&v);
      break;
    case SNUG__H5_FIXED_ARRAY:
      s = walk_array(&v);
      break;
  }
  return s ? s : v.done == v.n ? SNUG_OK : fail_index(&v);
}
