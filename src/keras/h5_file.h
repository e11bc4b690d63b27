/* An HDF5 file as the files of h5 see it: bytes at addresses, objects with messages, groups with
 * links.
 *
 * The format is read here and not by the HDF5 library: on damaged files that one reads beyond its
 * buffers, loses memory and asks for any amount of it, also where it only looks for names.
 *
 * Invariants:
 * 1. Every address is checked against the range before it is read; what is read is parsed behind a
 *    cursor that cannot leave it.
 * 2. All reading of structure is paid from `budget`, so a file that refers to itself ends.
 * 3. Memory is bounded by the MOST_ numbers, whatever the file says. */
#ifndef SNUG_KERAS_H5_FILE_H
#define SNUG_KERAS_H5_FILE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "keras/h5.h"

#define SNUG__H5_NOWHERE UINT64_MAX /* the address of what is not there */
#define SNUG__H5_NAME_BYTES 1024    /* of the longest name that is read, with its NUL */
#define SNUG__H5_GROUPS 8           /* groups that are remembered */

/* The kinds of messages of an object that are looked at. */
enum {
  SNUG__H5_SPACE = 0x01,
  SNUG__H5_LINK_INFO = 0x02,
  SNUG__H5_TYPE = 0x03,
  SNUG__H5_LINK = 0x06,
  SNUG__H5_EXTERNAL = 0x07,
  SNUG__H5_LAYOUT = 0x08,
  SNUG__H5_FILTERS = 0x0b,
  SNUG__H5_ATTRIBUTE = 0x0c,
  SNUG__H5_CONTINUED = 0x10,
  SNUG__H5_SYMBOLS = 0x11,
  SNUG__H5_ATTRIBUTE_INFO = 0x15
};

typedef struct snug__h5_message {
  uint32_t kind;
  bool is_shared; /* stands elsewhere; the body is a reference */
  const uint8_t *body;
  size_t bytes;
} snug__h5_message;

/* The messages of one object; their bodies lie in the arena. */
typedef struct snug__h5_object {
  uint64_t address; /* SNUG__H5_NOWHERE: empty */
  snug__arena arena;
  snug__vec messages; /* snug__h5_message */
} snug__h5_object;

typedef struct snug__h5_link {
  const char *name;
  uint64_t address; /* SNUG__H5_NOWHERE: a soft or external link */
} snug__h5_link;

/* The links of one group. */
typedef struct snug__h5_group {
  uint64_t address;
  uint64_t used; /* when it was last asked for */
  size_t names_bytes;
  snug__arena arena;
  snug__vec links; /* snug__h5_link */
} snug__h5_group;

struct snug__h5 {
  snug_ctx *ctx;
  char *file;
  snug__range range;
  uint64_t base;          /* what addresses count from, in the range */
  uint64_t root;          /* address of the root group */
  int64_t budget;         /* bytes of structure that may still be read */
  uint64_t clock;         /* counts questions for groups */
  snug__h5_object object; /* the last one that was opened */
  snug__h5_group group[SNUG__H5_GROUPS];
  void *room; /* snug__h5_room */
  size_t room_bytes;
};

/* "<file>: <message>", E_FORMAT. */
#define SNUG__BAD_H5(h, ...) \
  snug__fail_within((h)->ctx, snug__fail((h)->ctx, SNUG_E_FORMAT, __VA_ARGS__), "%s", (h)->file)

/* Whether n bytes at an address lie in the file. */
bool snug__h5_inside(const snug__h5 *h5, uint64_t address, uint64_t n);

/* Read bytes of structure.  Fails: E_FORMAT (outside, or too much in all), E_IO. */
snug_status snug__h5_read(snug__h5 *h5, void *dst, size_t n, uint64_t address) SNUG_NODISCARD;

/* Read bytes of data, which are not paid for. */
snug_status snug__h5_read_data(snug__h5 *h5, void *dst, size_t n, uint64_t address) SNUG_NODISCARD;

void snug__h5_object_init(snug__h5 *h5);
void snug__h5_object_release(snug__h5 *h5);
void snug__h5_groups_init(snug__h5 *h5);
void snug__h5_groups_release(snug__h5 *h5);

/* The object at an address; borrowed until the next call. */
snug_status snug__h5_object_at(snug__h5 *h5, uint64_t address,
                               const snug__h5_object **out) SNUG_NODISCARD;

/* Its first message of a kind, or NULL. */
const snug__h5_message *snug__h5_find(const snug__h5_object *o, uint32_t kind);

/* The links of a group; borrowed until SNUG__H5_GROUPS other groups were asked for.  Ends what
 * object_at lent. */
snug_status snug__h5_group_at(snug__h5 *h5, uint64_t address,
                              const snug__h5_group **out) SNUG_NODISCARD;

/* The address of what a path names; *found false if there is nothing.  Fails: E_FORMAT (damage, a
 * link that leads elsewhere). */
snug_status snug__h5_resolve(snug__h5 *h5, const char *path, uint64_t *address,
                             bool *found) SNUG_NODISCARD;

/* Add what a message or a heap says about one link to a group.  Fails: E_FORMAT, E_MEMORY. */
snug_status snug__h5_add_link(snug__h5 *h5, snug__h5_group *g, snug__cursor c) SNUG_NODISCARD;

/* Call a function for each object in a fractal heap whose ids the B-tree lists.  Groups with many
 * links and objects with many attributes keep them there. */
typedef snug_status (*snug__h5_visit)(snug__h5 *h5, void *arg, snug__cursor c);
snug_status snug__h5_heap_each(snug__h5 *h5, uint64_t heap, uint64_t tree, snug__h5_visit visit,
                               void *arg) SNUG_NODISCARD;

/* What a dataspace message says. */
typedef struct snug__h5_shape {
  int32_t rank;
  int64_t dim[SNUG_MAX_RANK];
  int64_t elements;
} snug__h5_shape;

/* Fails: false if it is damaged, of no elements at all, or has too many axes or elements. */
bool snug__h5_read_shape(snug__cursor c, snug__h5_shape *out);

/* What a datatype message says. */
typedef struct snug__h5_type {
  enum { SNUG__H5_NUMBER, SNUG__H5_TEXT, SNUG__H5_TEXT_ELSEWHERE, SNUG__H5_OPAQUE } kind;
  snug_dtype dtype; /* of numbers */
  bool big_endian;
  size_t bytes; /* of one element */
} snug__h5_type;

/* Fails: false if it is damaged, or nothing of these. */
bool snug__h5_read_type(snug__cursor c, snug__h5_type *out);

/* How the elements of a dataset are kept. */
typedef enum snug__h5_layout {
  SNUG__H5_COMPACT,
  SNUG__H5_CONTIGUOUS,
  SNUG__H5_CHUNKED
} snug__h5_layout;

/* The ways to find chunks, as the file numbers them; TREE is that of legacy files. */
typedef enum snug__h5_index {
  SNUG__H5_TREE = 0,
  SNUG__H5_SINGLE = 1,
  SNUG__H5_IMPLICIT = 2,
  SNUG__H5_FIXED_ARRAY = 3
} snug__h5_index;

/* Filters in the order in which they are applied on writing. */
enum { SNUG__H5_DEFLATE = 1, SNUG__H5_SHUFFLE = 2, SNUG__H5_CHECKSUM = 3 };
#define SNUG__H5_MOST_FILTERS 3

/* A dataset as its object describes it. */
typedef struct snug__h5_stored {
  snug__h5_type type;
  snug__h5_shape shape;
  int64_t bytes;
  snug__h5_layout layout;
  uint64_t address;    /* of the elements, or of the index of the chunks */
  const uint8_t *here; /* compact: the elements themselves, lent by the object */
  snug__h5_index index;
  int64_t chunk[SNUG_MAX_RANK];
  int64_t chunk_bytes;
  uint64_t single_bytes; /* of the only chunk, filtered; 0: not filtered */
  uint32_t single_mask;
  uint32_t filter[SNUG__H5_MOST_FILTERS];
  uint32_t n_filters;
} snug__h5_stored;

/* Read what describes the dataset at a path.  Fails: E_FORMAT. */
snug_status snug__h5_describe(snug__h5 *h5, const char *path, snug__h5_stored *out) SNUG_NODISCARD;

/* Where converted elements go. */
typedef struct snug__h5_target {
  snug_dtype as;
  void *dst;
} snug__h5_target;

/* Convert n elements, as they are stored, to elements from the i-th of the target on. */
void snug__h5_convert(const snug__h5_type *from, const void *src, const snug__h5_target *to,
                      int64_t i, int64_t n);

/* Read all chunks of a dataset.  Fails: E_FORMAT, E_IO, E_MEMORY. */
snug_status snug__h5_read_chunks(snug__h5 *h5, const snug__h5_stored *d, const char *path,
                                 const snug__h5_target *to) SNUG_NODISCARD;

/* The chunk with the given number, in row-major order of the chunks: where it lies. */
typedef struct snug__h5_chunk {
  uint64_t address, bytes;
  uint32_t mask; /* bit i: the i-th filter was left out */
} snug__h5_chunk;

/* Call a function for every chunk in order.  Fails: E_FORMAT (one is missing), as the function. */
typedef snug_status (*snug__h5_visit_chunk)(void *arg, int64_t number, const snug__h5_chunk *chunk);
snug_status snug__h5_each_chunk(snug__h5 *h5, const snug__h5_stored *d, const char *path,
                                snug__h5_visit_chunk visit, void *arg) SNUG_NODISCARD;

/* The text of an attribute of an object: the i-th of a list, into out; *n is their number, 0 if
 * there is no such attribute (out may be NULL then and if only the number is wanted). */
snug_status snug__h5_attribute(snug__h5 *h5, uint64_t object, const char *name, size_t i, char *out,
                               size_t bytes, size_t *n) SNUG_NODISCARD;

#endif
