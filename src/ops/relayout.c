/* In a layout the place of an element is a sum over the axes, of a function of the index along each
 * that is linear within a block and over whole blocks.  So every axis is cut where either layout
 * stops being linear, and each box of such pieces is a strided copy.  Behind the end of an axis
 * comes one more piece, the padding of the target, and boxes with such a piece copy zeros. */
#include "ops/relayout.h"

#include <string.h>

#include "base/size.h"
#include "ops/copy.h"

#define MOST_PIECES 4

/* How an axis lies: index i is at i / block * outer + i % block * inner. */
typedef struct lie {
  int64_t block, outer, inner;
} lie;

/* Part of an axis: whole units of so many indices, within which both sides are linear over the
 * smaller of their blocks. */
typedef struct piece {
  int64_t begin, n, unit;
  bool is_padding;
} piece;

typedef struct axis {
  lie from, to;
  int32_t n_pieces;
  piece pieces[MOST_PIECES];
} axis;

static void lie_plain(const snug__type *t, lie out[SNUG_MAX_RANK]) {
  int64_t strides[SNUG_MAX_RANK];
  snug__row_major(t, strides);
  for (int32_t k = 0; k < t->rank; k++) {
    out[k] = (lie){1, strides[k], 0};
  }
}

static void lie_of(const snug__type *t, lie out[SNUG_MAX_RANK]) {
  lie_plain(t, out);
  if (t->layout == SNUG__LAYOUT_PLAIN) {
    return;
  }
  snug__blocking b = snug__layout_blocking(t->layout);
  int64_t stride = 1;
  for (int32_t i = b.n_blocks - 1; i >= 0; i--) {
    out[b.block_axis[i]].block = b.block_size[i];
    out[b.block_axis[i]].inner = stride;
    stride *= b.block_size[i];
  }
  for (int32_t i = b.rank - 1; i >= 0; i--) {
    lie *a = &out[b.order[i]];
    a->outer = stride;
    stride *= snug__type_stored(t, b.order[i]) / a->block;
  }
}

static int64_t place_of(const lie *a, int64_t i) {
  return i / a->block * a->outer + i % a->block * a->inner;
}

/* Of two blocks one is a multiple of the other. */
static void cut(axis *a, int64_t dim) {
  int64_t large = snug__max_i64(a->from.block, a->to.block);
  int64_t small = snug__min_i64(a->from.block, a->to.block);
  int64_t stored = (dim + a->to.block - 1) / a->to.block * a->to.block;
  int64_t ends[MOST_PIECES] = {dim / large * large, dim / small * small, dim, stored};
  int64_t units[MOST_PIECES] = {large, small, 1, 1};
  int64_t begin = 0;
  a->n_pieces = 0;
  for (int32_t i = 0; i < MOST_PIECES; i++) {
    if (ends[i] > begin) {
      a->pieces[a->n_pieces++] = (piece){begin, ends[i] - begin, units[i], i == MOST_PIECES - 1};
      begin = ends[i];
    }
  }
}

/* Append the digits of the indices of a piece. */
static void add_piece(snug__copy *c, const axis *a, const piece *p) {
  int64_t small = snug__min_i64(p->unit, snug__min_i64(a->from.block, a->to.block));
  int64_t counts[3] = {p->n / p->unit, p->unit / small, small};
  int64_t values[3] = {p->unit, small, 1};
  for (int32_t i = 0; i < 3; i++) {
    if (counts[i] > 1) {
      snug__copy_axis(c, counts[i], place_of(&a->to, values[i]), place_of(&a->from, values[i]));
    }
  }
}

typedef struct relayout {
  int32_t rank, threads;
  axis axes[SNUG_MAX_RANK];
  const char *src;
  char *dst;
  size_t bytes;
} relayout;

static void copy_box(const relayout *r, const int32_t at[SNUG_MAX_RANK]) {
  static const uint64_t zero = 0;
  snug__copy c = {.dst = r->dst, .src = r->src, .bytes = r->bytes};
  bool is_padding = false;
  for (int32_t k = 0; k < r->rank; k++) {
    const axis *a = &r->axes[k];
    const piece *p = &a->pieces[at[k]];
    add_piece(&c, a, p);
    c.dst = (char *)c.dst + (size_t)place_of(&a->to, p->begin) * r->bytes;
    c.src = (const char *)c.src + (size_t)place_of(&a->from, p->begin) * r->bytes;
    is_padding |= p->is_padding;
  }
  if (is_padding) {
    c.src = &zero;
    for (int32_t k = 0; k < c.rank; k++) {
      c.axis[k].from = 0;
    }
  }
  snug__copy_run(c, r->threads);
}

static void copy_boxes(const relayout *r) {
  int32_t at[SNUG_MAX_RANK] = {0};
  int32_t k = 0;
  while (k >= 0) {
    copy_box(r, at);
    for (k = r->rank - 1; k >= 0 && ++at[k] == r->axes[k].n_pieces; k--) {
      at[k] = 0;
    }
  }
}

void snug__relayout_threaded(const snug__type *from, const void *src, const snug__type *to,
                             void *dst, int32_t threads) {
  relayout r = {.rank = to->rank,
                .threads = threads,
                .src = src,
                .dst = dst,
                .bytes = snug_dtype_bytes(to->dtype)};
  lie lies[2][SNUG_MAX_RANK];
  lie_of(from, lies[0]);
  lie_of(to, lies[1]);
  for (int32_t k = 0; k < r.rank; k++) {
    r.axes[k].from = lies[0][k];
    r.axes[k].to = lies[1][k];
    cut(&r.axes[k], to->dim[k]);
  }
  if (snug__type_count(to) > 0) {
    copy_boxes(&r);
  }
}

/* ---- some elements alone ---- */

/* Elements that follow each other on one row of the last axis. */
typedef struct run {
  int64_t n;
  int64_t row;   /* where the row lies */
  int64_t first; /* on the last axis */
  lie last;
} run;

static run find_run(const snug__type *t, const lie lies[SNUG_MAX_RANK], int64_t first, int64_t n) {
  run r = {.n = 1, .last = {1, 1, 0}};
  for (int32_t k = t->rank - 1; k >= 0; k--) {
    int64_t index = first % t->dim[k];
    first /= t->dim[k];
    if (k == t->rank - 1) {
      r = (run){snug__min_i64(n, t->dim[k] - index), 0, index, lies[k]};
    } else {
      r.row += place_of(&lies[k], index);
    }
  }
  return r;
}

/* Copy one way: `out` of the value, or into it. */
static void copy_some(const snug__type *t, char *value, int64_t first, int64_t n, char *plain,
                      bool out) {
  size_t bytes = snug_dtype_bytes(t->dtype);
  lie lies[SNUG_MAX_RANK];
  lie_of(t, lies);
  while (n > 0) {
    run r = find_run(t, lies, first, n);
    for (int64_t i = 0; i < r.n; i++, plain += bytes) {
      char *at = value + (size_t)(r.row + place_of(&r.last, r.first + i)) * bytes;
      memcpy(out ? plain : at, out ? at : plain, bytes);
    }
    first += r.n;
    n -= r.n;
  }
}

void snug__relayout_out(const snug__type *t, const void *value, int64_t first, int64_t n,
                        void *plain) {
  if (t->layout == SNUG__LAYOUT_PLAIN) {
    size_t bytes = snug_dtype_bytes(t->dtype);
    memcpy(plain, (const char *)value + (size_t)first * bytes, (size_t)n * bytes);
  } else {
    copy_some(t, (char *)value, first, n, plain, true);
  }
}

void snug__relayout_in(const snug__type *t, void *value, int64_t first, int64_t n,
                       const void *plain) {
  if (t->layout == SNUG__LAYOUT_PLAIN) {
    size_t bytes = snug_dtype_bytes(t->dtype);
    memcpy((char *)value + (size_t)first * bytes, plain, (size_t)n * bytes);
  } else {
    copy_some(t, value, first, n, (char *)plain, false);
  }
}
