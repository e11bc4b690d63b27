/* An object of an HDF5 file is a header with messages, which may go on in further blocks.  Version
 * 1 has messages of whole 8 bytes; version 2 packs them and ends each block with a checksum, which
 * is not looked at: what the messages say is checked where it is used. */
#include <string.h>

#include "keras/h5_file.h"

#define MOST_MESSAGES 65536
#define MOST_BYTES (8u << 20) /* of one object: names of all layers may stand in attributes */
#define SHARED 2              /* a flag of a message */

void snug__h5_object_init(snug__h5 *h5) {
  snug__h5_object *o = &h5->object;
  o->address = SNUG__H5_NOWHERE;
  snug__arena_init(&o->arena, h5->ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&o->messages, h5->ctx, SNUG__MEM_SCRATCH, sizeof(snug__h5_message), MOST_MESSAGES);
}

void snug__h5_object_release(snug__h5 *h5) {
  snug__arena_release(&h5->object.arena);
  snug__vec_release(&h5->object.messages);
  h5->object.address = SNUG__H5_NOWHERE;
}

/* How the blocks of one object are read. */
typedef struct blocks {
  snug__h5 *h5;
  snug__h5_object *o;
  bool is_new;        /* version 2 */
  bool has_order;     /* each message of version 2 has a number of its own */
  size_t bytes;       /* read so far */
  size_t n_continued; /* messages that were looked through for further blocks */
} blocks;

static snug_status fail_object(snug__h5 *h5) {
  return SNUG__BAD_H5(h5, "is damaged: the description of an object cannot be read");
}

static bool next_message(const blocks *b, snug__cursor *c, snug__h5_message *m) {
  size_t head = b->is_new ? (b->has_order ? 6 : 4) : 8;
  if (snug__cursor_left(c) < head) {
    return false; /* a gap that is too small for a message */
  }
  m->kind = (uint32_t)snug__get(c, b->is_new ? 1 : 2);
  m->bytes = (size_t)snug__get(c, 2);
  m->is_shared = snug__get(c, 1) & SHARED;
  snug__skip(c, b->is_new ? head - 4 : 3);
  m->body = snug__skip(c, m->bytes);
  return true;
}

static snug_status add_messages(blocks *b, snug__cursor c) {
  snug__h5_message m;
  while (next_message(b, &c, &m)) {
    if (c.over) {
      return fail_object(b->h5);
    }
    SNUG_TRY(snug__vec_push(&b->o->messages, &m, 1));
  }
  return SNUG_OK;
}

static snug_status read_block(blocks *b, uint64_t address, uint64_t n, snug__cursor *out) {
  void *bytes = NULL;
  if (n > MOST_BYTES || b->bytes > MOST_BYTES - n || !snug__h5_inside(b->h5, address, n)) {
    return fail_object(b->h5);
  }
  b->bytes += (size_t)n;
  SNUG_TRY(snug__arena_take(&b->o->arena, (size_t)n, &bytes));
  *out = snug__cursor_of(bytes, (size_t)n);
  return snug__h5_read(b->h5, bytes, (size_t)n, address);
}

static snug_status read_continued(blocks *b, const snug__h5_message *m) {
  snug__cursor c = snug__cursor_of(m->body, m->bytes), block;
  uint64_t address = snug__get(&c, 8), n = snug__get(&c, 8);
  if (c.over || (b->is_new && n < 8)) {
    return fail_object(b->h5);
  }
  SNUG_TRY(read_block(b, address, n, &block));
  if (b->is_new) {
    const uint8_t *sign = snug__skip(&block, 4);
    block.end -= 4; /* the checksum */
    if (memcmp(sign, "OCHK", 4) != 0) {
      return fail_object(b->h5);
    }
  }
  return add_messages(b, block);
}

static snug_status read_old(blocks *b, const uint8_t head[16], uint64_t address) {
  snug__cursor c = snug__cursor_of(head + 8, 4), block;
  uint64_t n = snug__get(&c, 4);
  SNUG_TRY(read_block(b, address + 16, n, &block));
  return add_messages(b, block);
}

/* Flags tell how many bytes the length has, and which optional parts stand before it. */
static snug_status read_new(blocks *b, const uint8_t *head, size_t head_bytes, uint64_t address) {
  snug__cursor c = snug__cursor_of(head, head_bytes), block;
  snug__skip(&c, 4);
  uint64_t version = snug__get(&c, 1), flags = snug__get(&c, 1);
  snug__skip(&c, (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0));
  uint64_t n = snug__get(&c, (size_t)1 << (flags & 3));
  if (version != 2 || c.over) {
    return fail_object(b->h5);
  }
  b->is_new = true;
  b->has_order = flags & 4;
  SNUG_TRY(read_block(b, address + (uint64_t)(c.at - head), n, &block));
  return add_messages(b, block);
}

static snug_status read_object(blocks *b, uint64_t address) {
  uint8_t head[40] = {0};
  size_t n = snug__h5_inside(b->h5, address, sizeof head) ? sizeof head : 16;
  SNUG_TRY(snug__h5_read(b->h5, head, n, address));
  if (memcmp(head, "OHDR", 4) == 0) {
    SNUG_TRY(read_new(b, head, n, address));
  } else if (head[0] == 1) {
    SNUG_TRY(read_old(b, head, address));
  } else {
    return fail_object(b->h5);
  }
  for (size_t i = 0; i < b->o->messages.n; i++) {
    snug__h5_message m = SNUG_VEC(&b->o->messages, snug__h5_message, i);
    if (m.kind == SNUG__H5_CONTINUED) {
      SNUG_TRY(read_continued(b, &m));
    }
  }
  return SNUG_OK;
}

snug_status snug__h5_object_at(snug__h5 *h5, uint64_t address, const snug__h5_object **out) {
  blocks b = {.h5 = h5, .o = &h5->object};
  *out = &h5->object;
  if (h5->object.address == address) {
    return SNUG_OK;
  }
  snug__h5_object_release(h5);
  SNUG_TRY(read_object(&b, address));
  h5->object.address = address;
  return SNUG_OK;
}

const snug__h5_message *snug__h5_find(const snug__h5_object *o, uint32_t kind) {
  for (size_t i = 0; i < o->messages.n; i++) {
    const snug__h5_message *m = &SNUG_VEC(&o->messages, snug__h5_message, i);
    if (m->kind == kind) {
      return m;
    }
  }
  return NULL;
}
