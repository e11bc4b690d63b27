#include "ops/copy_plane.h"

#include <string.h>

#include "base/size.h"

/* A memory line of floats.  Tiles of so many columns are what a transposed plane is walked in:
 * whole lines are written, and few enough are read at once not to push each other out of the cache,
 * whatever power of two lies between them. */
#define TILE 16

/* ---- rows: columns lie side by side on both sides ---- */

/* A constant length becomes a few moves instead of a call. */
#define COPY_ROWS(length)                     \
  for (int64_t r = 0; r < p->row.n; r++) {    \
    memcpy(d + r * to, s + r * from, length); \
  }

static void copy_rows(const snug__plane *p, void *dst, const void *src) {
  char *restrict d = dst;
  const char *restrict s = src;
  int64_t to = p->row.to * (int64_t)p->bytes;
  int64_t from = p->row.from * (int64_t)p->bytes;
  size_t length = (size_t)p->column.n * p->bytes;
  if (length == 64) {
    COPY_ROWS(64)
  } else if (length == 32) {
    COPY_ROWS(32)
  } else {
    COPY_ROWS(length)
  }
}

/* ---- any strides ---- */

/* Part of a plane: columns [begin, end) of rows [from row on). */
#define COPY_PART(type)                                  \
  for (int64_t r = row; r < p->row.n; r++) {             \
    const type *s = (const type *)src + r * p->row.from; \
    type *d = (type *)dst + r * p->row.to;               \
    for (int64_t c = begin; c < end; c++) {              \
      d[c * p->column.to] = s[c * p->column.from];       \
    }                                                    \
  }

static void copy_part(const snug__plane *p, void *dst, const void *src, int64_t row, int64_t begin,
                      int64_t end) {
  if (p->bytes == 1) {
    COPY_PART(uint8_t)
  } else if (p->bytes == 2) {
    COPY_PART(uint16_t)
  } else if (p->bytes == 4) {
    COPY_PART(uint32_t)
  } else {
    COPY_PART(uint64_t)
  }
}

/* One value everywhere: what fills and pads. */
static void fill_rows(const snug__plane *p, void *dst, const void *src) {
  for (int64_t r = 0; r < p->row.n; r++) {
    uint32_t *restrict d = (uint32_t *)dst + r * p->row.to;
    uint32_t value = ((const uint32_t *)src)[r * p->row.from];
    for (int64_t c = 0; c < p->column.n; c++) {
      d[c] = value;
    }
  }
}

/* ---- transposed: rows lie side by side in the source, columns in the destination ---- */

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HAS_SHUFFLE 1
#endif
#endif

#ifdef HAS_SHUFFLE
typedef uint32_t quad __attribute__((vector_size(16)));

#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)

/* Four by four elements. */
static inline void turn_quads(uint32_t *restrict d, int64_t to, const uint32_t *restrict s,
                              int64_t from) {
  quad a, b, c, e;
  memcpy(&a, s, sizeof a);
  memcpy(&b, s + from, sizeof b);
  memcpy(&c, s + 2 * from, sizeof c);
  memcpy(&e, s + 3 * from, sizeof e);
  quad ab = PICK(a, b, 0, 4, 1, 5), ab2 = PICK(a, b, 2, 6, 3, 7);
  quad ce = PICK(c, e, 0, 4, 1, 5), ce2 = PICK(c, e, 2, 6, 3, 7);
  a = PICK(ab, ce, 0, 1, 4, 5);
  b = PICK(ab, ce, 2, 3, 6, 7);
  c = PICK(ab2, ce2, 0, 1, 4, 5);
  e = PICK(ab2, ce2, 2, 3, 6, 7);
  memcpy(d, &a, sizeof a);
  memcpy(d + to, &b, sizeof b);
  memcpy(d + 2 * to, &c, sizeof c);
  memcpy(d + 3 * to, &e, sizeof e);
}

/* Columns [begin, end), a multiple of four, by four rows at a time: how many rows were done. */
static int64_t turn_rows(const snug__plane *p, void *dst, const void *src, int64_t begin,
                         int64_t end) {
  int64_t to = p->row.to;
  int64_t from = p->column.from;
  int64_t r = 0;
  for (; r + 4 <= p->row.n; r += 4) {
    uint32_t *d = (uint32_t *)dst + r * to + begin;
    const uint32_t *s = (const uint32_t *)src + begin * from + r;
    for (int64_t c = 0; c < end - begin; c += 4) {
      turn_quads(d + c, to, s + c * from, from);
    }
  }
  return r;
}
#else
static int64_t turn_rows(const snug__plane *p, void *dst, const void *src, int64_t begin,
                         int64_t end) {
  (void)p, (void)dst, (void)src, (void)begin, (void)end;
  return 0;
}
#endif

static void turn(const snug__plane *p, void *dst, const void *src) {
  for (int64_t begin = 0; begin < p->column.n; begin += TILE) {
    int64_t end = snug__min_i64(begin + TILE, p->column.n);
    int64_t whole = p->bytes == 4 ? end - (end - begin) % 4 : begin;
    int64_t done = turn_rows(p, dst, src, begin, whole);
    copy_part(p, dst, src, done, begin, whole);
    copy_part(p, dst, src, 0, whole, end);
  }
}

void snug__plane_copy(const snug__plane *p, void *dst, const void *src) {
  if (p->column.to == 1 && p->column.from == 1) {
    copy_rows(p, dst, src);
  } else if (p->column.to == 1 && p->row.from == 1) {
    turn(p, dst, src);
  } else if (p->column.to == 1 && p->column.from == 0 && p->bytes == 4) {
    fill_rows(p, dst, src);
  } else {
    copy_part(p, dst, src, 0, 0, p->column.n);
  }
}
