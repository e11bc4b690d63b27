/* What the files of h5_write share. */
#ifndef SNUG_KERAS_H5_OUT_H
#define SNUG_KERAS_H5_OUT_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/map.h"
#include "base/vec.h"
#include "keras/h5_write.h"

#define SNUG__H5_PATH_BYTES 4096
#define SNUG__H5_NO_NODE SNUG__MAP_NONE
#define SNUG__H5_UNSET UINT64_MAX /* an address of nothing */

/* A group or dataset that is to be in the file. */
typedef struct snug__h5_node {
  const char *name;
  const char *label; /* the attribute `name` of a group, or NULL */
  bool is_group;
  uint32_t first, next; /* child and sibling, in the order of names */
  uint64_t address;     /* of its header, when that is written */
  uint64_t tree, heap;  /* of a group */
} snug__h5_node;

/* An entry of a tree while it is made: a child, and where in the heap its last name stands. */
typedef struct snug__h5_child {
  uint64_t address, last_name;
} snug__h5_child;

/* The heap that texts go to, while there is room in it. */
typedef struct snug__h5_texts_out {
  uint8_t *bytes; /* NULL: none is begun */
  size_t size, used;
  uint64_t address;
  uint32_t n;
} snug__h5_texts_out;

struct snug__h5_writer {
  snug_ctx *ctx;
  int fd;
  int64_t begin; /* of the file, in what lies behind fd */
  int64_t end;   /* where the next part goes */
  snug__arena arena;
  snug__map by_path;
  snug__vec nodes; /* snug__h5_node; the root is the first, parents precede their children */
  snug__vec tree;  /* snug__h5_child, of the group in work */
  snug__h5_texts_out texts;
};

/* Append a part to the file; the next begins at whole 8 bytes.  Fails: E_IO. */
snug_status snug__h5_put(snug__h5_writer *w, const void *bytes, size_t n,
                         uint64_t *address) SNUG_NODISCARD;

/* Write over a part of the file. */
snug_status snug__h5_put_at(snug__h5_writer *w, const void *bytes, size_t n,
                            uint64_t address) SNUG_NODISCARD;

/* Append data and their header. */
snug_status snug__h5_put_data(snug__h5_writer *w, snug_dtype dtype, int32_t rank,
                              const int64_t *dim, const void *data,
                              uint64_t *address) SNUG_NODISCARD;

/* Append everything that belongs to groups. */
snug_status snug__h5_put_groups(snug__h5_writer *w) SNUG_NODISCARD;

/* Write the 40 bytes that stand for a group or dataset in the list of its group. */
void snug__h5_put_symbol(uint8_t **at, const snug__h5_node *node, uint64_t name);

/* A header in the making: messages are begun, filled through `at`, and ended. */
#define SNUG__H5_HEADER_BYTES 512
typedef struct snug__h5_header {
  uint8_t bytes[SNUG__H5_HEADER_BYTES];
  uint8_t *at;
  uint8_t *message; /* the one that was begun */
  uint16_t n;
} snug__h5_header;

void snug__h5_header_init(snug__h5_header *h);
void snug__h5_message_begin(snug__h5_header *h, uint32_t kind);
void snug__h5_message_end(snug__h5_header *h);

/* A text attribute of any length: the text goes to a heap in the file.  Fails: E_IO, E_MEMORY. */
snug_status snug__h5_put_text(snug__h5_writer *w, snug__h5_header *h, const char *name,
                              const char *text) SNUG_NODISCARD;

/* Write the heap that is begun, if there is one; and give its memory back in any case. */
snug_status snug__h5_end_texts(snug__h5_writer *w) SNUG_NODISCARD;
void snug__h5_drop_texts(snug__h5_writer *w);

/* Append the header to the file. */
snug_status snug__h5_put_header(snug__h5_writer *w, snug__h5_header *h,
                                uint64_t *address) SNUG_NODISCARD;

#endif
