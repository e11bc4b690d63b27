/* Layouts: how the elements of a value lie in memory.
 *
 * PLAIN is row-major, the last axis dense.  Every other layout is a tag: the axes from the
 * outermost to the innermost, a = the first axis of the shape, then blocks of one axis that lie
 * innermost: "adbc16d" of images [n,h,w,c] is n, c/16, h, w, and 16 channels side by side.  An axis
 * that is no multiple of its block is stored as if it were; what was added is zero and stays zero.
 */
#ifndef SNUG_GRAPH_LAYOUT_H
#define SNUG_GRAPH_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(NAME, text, rank, tag); images [n,h,w,c], kernels [h,w,i,o], depthwise kernels [h,w,c,m],
 * matrices [i,o]. */
#define SNUG__LAYOUT_LIST(X)                   \
  X(PLAIN, "plain", 0, "")                     \
  X(NCHW, "nchw", 4, "adbc")                   \
  X(NCHW8C, "nchw8c", 4, "adbc8d")             \
  X(NCHW16C, "nchw16c", 4, "adbc16d")          \
  X(OIHW8I8O, "oihw8i8o", 4, "dcab8c8d")       \
  X(OIHW8O8I, "oihw8o8i", 4, "dcab8d8c")       \
  X(IOHW8O8I, "iohw8o8i", 4, "cdab8d8c")       \
  X(OHWI8O, "ohwi8o", 4, "dabc8d")             \
  X(OIHW16I16O, "oihw16i16o", 4, "dcab16c16d") \
  X(OIHW16O16I, "oihw16o16i", 4, "dcab16d16c") \
  X(IOHW16O16I, "iohw16o16i", 4, "cdab16d16c") \
  X(OHWI16O, "ohwi16o", 4, "dabc16d")          \
  X(CHW8C, "chw8c", 4, "cdab8c")               \
  X(CHW16C, "chw16c", 4, "cdab16c")            \
  X(OI8I8O, "oi8i8o", 2, "ba8a8b")             \
  X(OI8O8I, "oi8o8i", 2, "ba8b8a")             \
  X(IO8O8I, "io8o8i", 2, "ab8b8a")             \
  X(OI16I16O, "oi16i16o", 2, "ba16a16b")       \
  X(OI16O16I, "oi16o16i", 2, "ba16b16a")       \
  X(IO16O16I, "io16o16i", 2, "ab16b16a")

typedef enum snug__layout {
#define SNUG__LAYOUT_ENUM(name, text, rank, tag) SNUG__LAYOUT_##name,
  SNUG__LAYOUT_LIST(SNUG__LAYOUT_ENUM)
#undef SNUG__LAYOUT_ENUM
      SNUG__LAYOUT_COUNT
} snug__layout;

#define SNUG__MAX_BLOCKS 2

/* A tag in numbers.  order[] has one entry per axis. */
typedef struct snug__blocking {
  int32_t rank, n_blocks;
  int32_t order[6];                     /* axes, outermost first */
  int32_t block_axis[SNUG__MAX_BLOCKS]; /* blocks, outer first */
  int32_t block_size[SNUG__MAX_BLOCKS];
} snug__blocking;

const char *snug__layout_text(snug__layout layout);

/* The layout of a name; SNUG__LAYOUT_COUNT if there is none. */
snug__layout snug__layout_find(const char *text);

/* Of a layout that is not PLAIN. */
snug__blocking snug__layout_blocking(snug__layout layout);

/* What an axis is stored as a multiple of: 1 where the layout has no block of it. */
int32_t snug__layout_block(snug__layout layout, int32_t axis);

/* Whether values of this rank can have it. */
bool snug__layout_is_for(snug__layout layout, int32_t rank);

/* Images whose channels lie in blocks: nchw8c, nchw16c. */
static inline bool snug__layout_is_blocked_image(snug__layout layout) {
  return layout == SNUG__LAYOUT_NCHW8C || layout == SNUG__LAYOUT_NCHW16C;
}

#endif
